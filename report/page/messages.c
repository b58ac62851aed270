/* messages.c - messages and collective operations of a picture: where there are too many, those that took
 * longest. */
#include "report/page/own.h"

#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/load/share.h"

#include <stdlib.h>
#include <string.h>

static int compare_by_length(const void *a, const void *b)
{
        const ps_drawn_message *x = a, *y = b;
        PS_ORDER_BY(y->length, x->length);
        return PS_ORDER(x->begin, y->begin);
}

static int compare_messages(const void *a, const void *b)
{
        const ps_drawn_message *x = a, *y = b;
        PS_ORDER_BY(x->begin, y->begin);
        PS_ORDER_BY(x->from, y->from);
        return PS_ORDER(x->to, y->to);
}

/* The longest half stays: so that there is never more than twice the room. */
static void keep_longest(ps_picture *p, uint32_t most)
{
        if (p->messages.n <= most)
                return;
        qsort(p->messages.row, p->messages.n, sizeof(*p->messages.row), compare_by_length);
        p->messages_left_out += p->messages.n - most;
        p->messages.n = most;
}

static int add_message_line(ps_picture *p, const ps_loan_message *message)
{
        const ps_loc from = message->send.loc, to = message->receive.loc;
        if (p->lane_of[from] == PS_NONE || p->lane_of[to] == PS_NONE)
                return 0;
        uint32_t begin = ps_picture_tick(p, message->sent), end = ps_picture_tick(p, message->received);
        ps_drawn_message m = {.begin = begin,
                              .length = end > begin ? end - begin : 0,
                              .bytes = message->bytes < UINT32_MAX ? (uint32_t)message->bytes : UINT32_MAX,
                              .from = p->lane_of[from],
                              .to = p->lane_of[to]};
        return PS_PUSH(p->messages, m);
}

/* Of a part, a message may have been seen from both of its ends. */
static void sort_messages(ps_picture *p)
{
        uint32_t n = 0;
        if (!p->messages.n)
                return;
        qsort(p->messages.row, p->messages.n, sizeof(*p->messages.row), compare_messages);
        for (uint32_t i = 0; i < p->messages.n; i++)
                if (!p->is_part || !i ||
                    memcmp(&p->messages.row[i], &p->messages.row[i - 1], sizeof(*p->messages.row)) != 0)
                        p->messages.row[n++] = p->messages.row[i];
        p->messages.n = n;
}

/* A message that lies in a part of the run with one end only belongs to it, too. */
static int look_at(ps_picture *p, ps_ref ref)
{
        const ps_report *report = p->lanes->report;
        ps_ref partner = ps_op_partner(report->trace, ref);
        bool is_send = ps_kinds[report->trace->ops[ref.loc].kind[ref.op]].cls == PS_C_SEND;
        ps_ref send = is_send ? ref : partner, receive = is_send ? partner : ref;
        if (partner.op == PS_NONE)
                return 0;
        return add_message_line(
                p, &(ps_loan_message){.send = send,
                                      .receive = receive,
                                      .sent = ps_op_record_begin(report->trace, report->timing, send),
                                      .received = ps_op_record_end(report->trace, report->timing, receive),
                                      .bytes = ps_op_bytes(&report->trace->ops[send.loc], send.op)});
}

/* About: most of them are seen from both ends. */
static uint64_t count_messages(const ps_picture *p, ps_span span)
{
        uint64_t n = 0;
        for (uint32_t lane = 0; lane < p->n_lanes; lane++) {
                ps_op first, n_ops = ps_lanes_operations(p->lanes, p->location[lane], span, &first);
                const uint8_t *kind = p->lanes->report->trace->ops[p->location[lane]].kind;
                for (ps_op op = first; op < first + n_ops; op++)
                        n += ps_kinds[kind[op]].cls == PS_C_SEND || ps_kinds[kind[op]].cls == PS_C_RECV;
        }
        return n / 2;
}

static bool has_taken(ps_picture *p, int failed)
{
        if (p->messages.n >= 2 * p->most->messages)
                keep_longest(p, p->most->messages);
        return !failed;
}

struct sending {
        ps_picture *p;
        bool failed;
};

static bool take_sent(void *ctx, const ps_loan_message *message)
{
        struct sending *s = ctx;
        s->failed = !has_taken(s->p, add_message_line(s->p, message));
        return !s->failed;
}

static ps_status take_sends(ps_picture *p, ps_span span, ps_error *err)
{
        const ps_report *report = p->lanes->report;
        const ps_loan_senders senders = {p->location, p->n_lanes, &span};
        struct sending sending = {p, false};
        PS_TRY(ps_loan_messages(report->trace, report->timing, &senders, take_sent, &sending, err));
        return sending.failed ? PS_NOMEM(err, "messages of a page", p->messages.n) : PS_OK;
}

/* Those of a part that a location has an end of. */
static ps_status take_ends(ps_picture *p, ps_span span, ps_error *err)
{
        for (uint32_t lane = 0; lane < p->n_lanes; lane++) {
                ps_op first, n = ps_lanes_operations(p->lanes, p->location[lane], span, &first);
                for (ps_op op = first; op < first + n; op++)
                        if (!has_taken(p, look_at(p, (ps_ref){p->location[lane], op})))
                                return PS_NOMEM(err, "messages of a page", p->messages.n);
        }
        return PS_OK;
}

ps_status ps_picture_take_messages(ps_picture *p, ps_error *err)
{
        const ps_span span = {p->span.begin, ps_time_add(p->span.end, 1)};
        uint32_t most = p->most->messages;
        uint64_t about = p->is_part ? count_messages(p, span) : 0;
        if (about > most) { /* a screen shows no lines then, so nobody looks for the longest */
                p->messages_left_out = about;
                return PS_OK;
        }
        PS_TRY(p->is_part ? take_ends(p, span, err) : take_sends(p, span, err));
        keep_longest(p, most);
        sort_messages(p);
        return PS_OK;
}

/* -- collective operations -- */

static int compare_collectives(const void *a, const void *b)
{
        const ps_drawn_collective *x = a, *y = b;
        PS_ORDER_BY(x->begin, y->begin);
        return PS_ORDER(x->lane, y->lane);
}

/* One under way: those of its members that have lanes. */
struct gathered {
        ps_picture *p;
        uint32_t operation, n;
        ps_span all;
        ps_time last;
        ps_loc latest;
        ps_path path; /* of the latest */
        bool failed;
};

static void begin_collective(struct gathered *g, uint32_t operation)
{
        *g = (struct gathered){.p = g->p, .operation = operation, .all = {PS_TIME_MAX, 0}, .last = -1};
}

static void add_member(struct gathered *g, const ps_loan_member *member)
{
        if (g->p->lane_of[member->ref.loc] == PS_NONE)
                return;
        if (member->time.begin > g->last) {
                g->latest = member->ref.loc;
                g->path = member->path;
                g->last = member->time.begin;
        }
        g->all.begin = member->time.begin < g->all.begin ? member->time.begin : g->all.begin;
        g->all.end = member->time.end > g->all.end ? member->time.end : g->all.end;
        g->n++;
}

static int end_collective(const struct gathered *g)
{
        ps_picture *p = g->p;
        if (g->n < 2)
                return 0;
        ps_drawn_collective drawn = {ps_picture_tick(p, g->all.begin), ps_picture_tick(p, g->last),
                                     ps_picture_tick(p, g->all.end), p->lane_of[g->latest], g->path};
        ps_picture_use_path(p, g->path);
        return PS_PUSH(p->collectives, drawn);
}

static bool take_member(void *ctx, const ps_loan_member *member)
{
        add_member(ctx, member);
        return true;
}

/* Of a part, all of which this process has. */
static ps_status add_collective(ps_picture *p, uint32_t number, ps_error *err)
{
        const ps_report *report = p->lanes->report;
        struct gathered g = {.p = p};
        if (p->collectives.n >= p->most->collectives) {
                p->collectives_left_out++;
                return PS_OK;
        }
        begin_collective(&g, number);
        ps_loan_members_of(report->trace, report->timing, number, take_member, &g);
        return end_collective(&g) ? PS_NOMEM(err, "collective operations of a page", p->collectives.n)
                                  : PS_OK;
}

/* Those of which a member is in the part. */
static ps_status take_some(ps_picture *p, ps_error *err)
{
        const ps_trace *trace = p->lanes->report->trace;
        uint8_t *is_seen = ps_memory_zeroed(trace->n_colls / 8 + (size_t)1, 1);
        ps_status status = is_seen ? PS_OK : PS_NOMEM(err, "collective operations", trace->n_colls);
        for (uint32_t lane = 0; status == PS_OK && lane < p->n_lanes; lane++) {
                const ps_ops *ops = &trace->ops[p->location[lane]];
                ps_op first, n = ps_lanes_operations(p->lanes, p->location[lane], p->span, &first);
                for (ps_op op = first; op < first + n; op++) {
                        if (ps_kinds[ops->kind[op]].cls != PS_C_COLL || !(ops->flags[op] & PS_OP_MATCHED))
                                continue;
                        uint32_t number = trace->members[ops->link[op]].coll;
                        uint8_t bit = (uint8_t)(1U << number % 8);
                        if (!(is_seen[number / 8] & bit))
                                PS_THEN(status, add_collective(p, number, err));
                        is_seen[number / 8] |= bit;
                }
        }
        free(is_seen);
        return status;
}

/* Of one operation after the other; when there is no room for more, the rest is counted. */
static bool take_next(void *ctx, const ps_loan_member *member)
{
        struct gathered *g = ctx;
        ps_picture *p = g->p;
        if (member->operation != g->operation) {
                g->failed = end_collective(g) != 0;
                if (!g->failed)
                        begin_collective(g, member->operation);
                if (!g->failed && p->collectives.n >= p->most->collectives) {
                        p->collectives_left_out =
                                ps_share_n_collectives(p->lanes->report->trace) - member->operation;
                        return false;
                }
        }
        add_member(g, member);
        return !g->failed;
}

static ps_status take_all(ps_picture *p, ps_error *err)
{
        const ps_report *report = p->lanes->report;
        struct gathered g = {.p = p};
        begin_collective(&g, 0);
        PS_TRY(ps_loan_members(report->trace, report->timing, take_next, &g, err));
        return g.failed || end_collective(&g)
                       ? PS_NOMEM(err, "collective operations of a page", p->collectives.n)
                       : PS_OK;
}

ps_status ps_picture_take_collectives(ps_picture *p, ps_error *err)
{
        PS_TRY(p->is_part ? take_some(p, err) : take_all(p, err));
        if (p->collectives.n)
                qsort(p->collectives.row, p->collectives.n, sizeof(*p->collectives.row), compare_collectives);
        return PS_OK;
}
