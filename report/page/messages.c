/* messages.c - messages and collective operations of a picture: where there are too many, those that took
 * longest. */
#include "report/page/own.h"

#include "core/base/memory.h"
#include "core/base/search.h"

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

static int add_message_line(ps_picture *p, ps_ref send)
{
        const ps_report *report = p->lanes->report;
        const ps_ops *ops = &report->trace->ops[send.loc];
        ps_ref recv = ps_op_partner(report->trace, send);
        if (recv.op == PS_NONE || p->lane_of[send.loc] == PS_NONE || p->lane_of[recv.loc] == PS_NONE)
                return 0;
        uint32_t begin = ps_picture_tick(p, ps_op_record_begin(report->trace, report->timing, send));
        uint32_t end = ps_picture_tick(p, ps_op_record_end(report->trace, report->timing, recv));
        ps_drawn_message m = {.begin = begin,
                              .length = end > begin ? end - begin : 0,
                              .bytes = ps_op_bytes(ops, send.op) < UINT32_MAX
                                               ? (uint32_t)ps_op_bytes(ops, send.op)
                                               : UINT32_MAX,
                              .from = p->lane_of[send.loc],
                              .to = p->lane_of[recv.loc]};
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
        const ps_trace *trace = p->lanes->report->trace;
        ps_class cls = ps_kinds[trace->ops[ref.loc].kind[ref.op]].cls;
        if (cls == PS_C_SEND)
                return add_message_line(p, ref);
        ps_ref send = p->is_part && cls == PS_C_RECV ? ps_op_partner(trace, ref) : (ps_ref){PS_NONE, PS_NONE};
        return send.op == PS_NONE ? 0 : add_message_line(p, send);
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

ps_status ps_picture_take_messages(ps_picture *p, ps_error *err)
{
        const ps_span span = {p->span.begin, ps_time_add(p->span.end, 1)};
        uint32_t most = p->most->messages;
        uint64_t about = p->is_part ? count_messages(p, span) : 0;
        if (about > most) { /* a screen shows no lines then, so nobody looks for the longest */
                p->messages_left_out = about;
                return PS_OK;
        }
        for (uint32_t lane = 0; lane < p->n_lanes; lane++) {
                ps_op first;
                ps_loc loc = p->location[lane];
                uint32_t n = ps_lanes_operations(p->lanes, loc, span, &first);
                for (ps_op op = first; op < first + n; op++) {
                        if (look_at(p, (ps_ref){loc, op}))
                                return PS_NOMEM(err, "messages of a page", p->messages.n);
                        if (p->messages.n >= 2 * most)
                                keep_longest(p, most);
                }
        }
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

/* A member's time in it: of a nonblocking one up to the call that completed it. */
static ps_span span_of_call(const ps_report *report, ps_ref ref)
{
        ps_ref done = ps_op_completion(report->trace, ref);
        done = done.op == PS_NONE ? ref : done;
        return (ps_span){report->timing->enter[ref.loc][ref.op], report->timing->leave[done.loc][done.op]};
}

static int take_collective(ps_picture *p, const ps_coll *coll)
{
        const ps_report *report = p->lanes->report;
        ps_span all = {PS_TIME_MAX, 0};
        ps_time last = -1;
        ps_ref latest = {0, 0};
        uint32_t n = 0;
        for (uint32_t m = coll->first; m < coll->first + coll->n; m++) {
                ps_ref ref = report->trace->members[m].ref;
                if (p->lane_of[ref.loc] == PS_NONE)
                        continue;
                ps_span span = span_of_call(report, ref);
                all.begin = span.begin < all.begin ? span.begin : all.begin;
                all.end = span.end > all.end ? span.end : all.end;
                latest = span.begin > last ? ref : latest;
                last = span.begin > last ? span.begin : last;
                n++;
        }
        if (n < 2)
                return 0;
        ps_path path = ps_op_path(&report->trace->ops[latest.loc], latest.op);
        ps_drawn_collective drawn = {ps_picture_tick(p, all.begin), ps_picture_tick(p, last),
                                     ps_picture_tick(p, all.end), p->lane_of[latest.loc], path};
        ps_picture_use_path(p, path);
        return PS_PUSH(p->collectives, drawn);
}

static ps_status add_collective(ps_picture *p, uint32_t number, ps_error *err)
{
        if (p->collectives.n >= p->most->collectives)
                p->collectives_left_out++;
        else if (take_collective(p, &p->lanes->report->trace->colls[number]))
                return PS_NOMEM(err, "collective operations of a page", p->collectives.n);
        return PS_OK;
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

ps_status ps_picture_take_collectives(ps_picture *p, ps_error *err)
{
        if (p->is_part)
                PS_TRY(take_some(p, err));
        for (uint32_t i = 0; !p->is_part && i < p->lanes->report->trace->n_colls; i++)
                PS_TRY(add_collective(p, i, err));
        if (p->collectives.n)
                qsort(p->collectives.row, p->collectives.n, sizeof(*p->collectives.row), compare_collectives);
        return PS_OK;
}
