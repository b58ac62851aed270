/* messages.c - messages and collective operations of a picture: where there are too many, those that took
 * longest. */
#include "report/page/own.h"

#include "core/base/memory.h"

#include <stdlib.h>

static int compare_by_length(const void *a, const void *b)
{
        const ps_drawn_message *x = a, *y = b;
        if (x->length != y->length)
                return x->length > y->length ? -1 : 1;
        return (x->begin > y->begin) - (x->begin < y->begin);
}

static int compare_messages(const void *a, const void *b)
{
        const ps_drawn_message *x = a, *y = b;
        if (x->begin != y->begin)
                return x->begin < y->begin ? -1 : 1;
        if (x->from != y->from)
                return x->from < y->from ? -1 : 1;
        return (x->to > y->to) - (x->to < y->to);
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

static int take_message(ps_picture *p, ps_ref send)
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
                              .bytes = ops->bytes[send.op] < UINT32_MAX ? (uint32_t)ops->bytes[send.op]
                                                                        : UINT32_MAX,
                              .from = p->lane_of[send.loc],
                              .to = p->lane_of[recv.loc]};
        return PS_PUSH(p->messages, m);
}

ps_status ps_picture_take_messages(ps_picture *p, ps_error *err)
{
        const ps_trace *trace = p->lanes->report->trace;
        uint32_t most = ps_picture_most_drawn.messages;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                for (ps_op op = 0; op < trace->ops[loc].n; op++) {
                        if (ps_kinds[trace->ops[loc].kind[op]].cls != PS_C_SEND)
                                continue;
                        if (take_message(p, (ps_ref){loc, op}))
                                return PS_NOMEM(err, "messages of a page", p->messages.n);
                        if (p->messages.n >= 2 * most)
                                keep_longest(p, most);
                }
        keep_longest(p, most);
        if (p->messages.n)
                qsort(p->messages.row, p->messages.n, sizeof(*p->messages.row), compare_messages);
        return PS_OK;
}

/* -- collective operations -- */

static int compare_collectives(const void *a, const void *b)
{
        const ps_drawn_collective *x = a, *y = b;
        if (x->begin != y->begin)
                return x->begin < y->begin ? -1 : 1;
        return (x->lane > y->lane) - (x->lane < y->lane);
}

/* A member's time in it: of a nonblocking one up to the call that completed it. */
static ps_span span_of(const ps_report *report, ps_ref ref)
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
                ps_span span = span_of(report, ref);
                all.begin = span.begin < all.begin ? span.begin : all.begin;
                all.end = span.end > all.end ? span.end : all.end;
                latest = span.begin > last ? ref : latest;
                last = span.begin > last ? span.begin : last;
                n++;
        }
        if (n < 2)
                return 0;
        ps_path path = report->trace->ops[latest.loc].path[latest.op];
        ps_drawn_collective drawn = {ps_picture_tick(p, all.begin), ps_picture_tick(p, last),
                                     ps_picture_tick(p, all.end), p->lane_of[latest.loc], path};
        ps_picture_use_path(p, path);
        return PS_PUSH(p->collectives, drawn);
}

ps_status ps_picture_take_collectives(ps_picture *p, ps_error *err)
{
        const ps_trace *trace = p->lanes->report->trace;
        for (uint32_t i = 0; i < trace->n_colls; i++) {
                if (p->collectives.n >= ps_picture_most_drawn.collectives)
                        p->collectives_left_out++;
                else if (take_collective(p, &trace->colls[i]))
                        return PS_NOMEM(err, "collective operations of a page", p->collectives.n);
        }
        if (p->collectives.n)
                qsort(p->collectives.row, p->collectives.n, sizeof(*p->collectives.row), compare_collectives);
        return PS_OK;
}
