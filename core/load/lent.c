/* lent.c - what whoever has rows sends of them: see lent.h.
 *
 * To ask takes as long for one row as for thousands, as all have to hear of it. So whoever is asked for the
 * rows of a location sends those of the next ones, too, that are his, as many as come to no more than what is
 * borrowed of a single one. */
#include "core/load/lent.h"
#include "core/load/lending.h"
#include "core/load/share.h"

#include "core/base/vector.h"
#include "core/fold/outline.h"
#include "core/model/unexplained.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(PS_I_COUNT <= 64, "they have a bit each");

static struct range range_with_neighbours(const ps_ops *ops, ps_op from, ps_op at_once)
{
        struct range r = {from ? from - 1 : 0, ops->n};
        if (from < ops->n && ops->n - from > at_once)
                r.end = from + at_once + 1;
        return r;
}

/* Up to the end of the last gap: those of the first one that they do not lie in are not needed. */
static ps_status pass_pieces(ps_pass *p, const ps_trace *trace, const ps_pieces *pieces, struct range r)
{
        PS_TRY(ps_outline_pass_placed(p, trace, pieces->end + r.from, r.end - r.from + (size_t)1,
                                      sizeof(*pieces->end)));
        uint32_t first = r.from ? pieces->end[r.from] : 0, behind = pieces->end[r.end];
        return ps_outline_pass_placed(p, trace, pieces->piece + first, behind - first,
                                      sizeof(*pieces->piece));
}

ps_status ps_lent_pass_rows(ps_pass *p, const ps_trace *trace, ps_loc loc, struct range r,
                            struct beside beside, bool has_pieces)
{
        const size_t n = r.end - r.from;
        PS_TRY(ps_outline_pass_range(p, trace, loc, r.from, r.end));
        PS_TRY(ps_outline_pass_placed(p, trace, beside.link, n, sizeof(*beside.link)));
        PS_TRY(ps_outline_pass_placed(p, trace, beside.operation, n, sizeof(*beside.operation)));
        PS_TRY(ps_outline_pass_placed(p, trace, beside.is_unexplained, n, sizeof(*beside.is_unexplained)));
        return has_pieces ? pass_pieces(p, trace, &trace->pieces[loc], r) : PS_OK;
}

static bool is_member(const ps_ops *ops, ps_op op)
{
        return ps_kinds[ops->kind[op]].cls == PS_C_COLL && ops->flags[op] & PS_OP_MATCHED;
}

/* Of rows of collective operations, which operation that is, and what stands for it in process 0. */
static void name_operations(const ps_trace *here, const struct lending *asked, ps_loc loc, struct range r,
                            const struct beside *out)
{
        const ps_ops *ops = &here->ops[loc];
        for (ps_op op = r.from; op < r.end; op++) {
                out->operation[op - r.from] = PS_NONE;
                out->link[op - r.from] = ops->link[op];
                if (!is_member(ops, op))
                        continue;
                uint32_t coll = here->members[ops->link[op]].coll;
                out->operation[op - r.from] = here->spread->agreed.number[coll];
                out->link[op - r.from] = asked->stand_in + !here->colls[coll].complete;
        }
}

uint64_t ps_lent_issues(const ps_trace *trace)
{
        uint64_t issues = 0;
        for (int i = 0; i < PS_I_COUNT; i++)
                issues |= (uint64_t)(trace->issues.row[i].count > 0) << i;
        return issues;
}

ps_trace ps_lent_look(const ps_trace *here, uint64_t issues)
{
        ps_trace trace = *here;
        for (int i = 0; i < PS_I_COUNT; i++)
                trace.issues.row[i].count = issues >> i & 1;
        trace.n_paths = 0;
        return trace;
}

/* Of the call that each belongs to. What kinds of calls wait in any case, by their names, process 0 knows. */
static void find_unexplained(const ps_trace *here, const struct lending *asked, ps_loc loc, struct range r,
                             uint8_t *out)
{
        const ps_ops *ops = &here->ops[loc];
        const ps_trace trace = ps_lent_look(here, asked->issues);
        ps_op call = r.from;
        while (call > 0 && ps_op_continues(ops, call))
                call--;
        bool is_unexplained = ps_op_unexplained_why(&trace, (ps_ref){loc, call}) != PS_EXPLAINED;
        for (ps_op op = r.from; op < r.end; op++) {
                if (op > r.from && !ps_op_continues(ops, op))
                        is_unexplained = ps_op_unexplained_why(&trace, (ps_ref){loc, op}) != PS_EXPLAINED;
                out[op - r.from] = is_unexplained;
        }
}

static ps_status settle_pieces(const ps_trace *here, const struct lending *asked, struct parcel *out,
                               ps_error *err)
{
        const ps_pieces *pieces = here->pieces ? &here->pieces[out->loc] : NULL;
        ps_trace moved = *here;
        if (!pieces || !pieces->end)
                return PS_OK;
        moved.clock.repaired = asked->is_moved;
        if (asked->begins)
                PS_TRY(ps_pieces_settle_of(&moved, out->loc, err));
        out->n_pieces = pieces->n;
        out->has_pieces = true;
        out->adds_up = pieces->adds_up != 0;
        return PS_OK;
}

void ps_lent_span(const ps_time *enter, const ps_ops *ops, const ps_span *span, ps_op *first, ps_op *behind)
{
        *first = 0;
        *behind = ops->n;
        if (span)
                *behind = ps_rows_of_span(enter, ops->n, *span, first) + *first;
}

static ps_status describe(struct parcel *out, const ps_trace *here, const struct lending *asked, ps_loc loc,
                          ps_error *err)
{
        const ps_ops *ops = &here->ops[loc];
        memset(out, 0, sizeof(*out)); /* what is between its parts is sent, too */
        out->loc = loc;
        PS_TRY(settle_pieces(here, asked, out, err));
        ps_lent_span(here->measured.enter[loc], ops, asked->has_span ? &asked->span : NULL, &out->first,
                     &out->behind);
        out->range = range_with_neighbours(ops, asked->begins ? out->first : asked->from, asked->at_once);
        return PS_OK;
}

typedef PS_VECTOR(struct parcel) parcels;

/* What a parcel comes to, in rows. */
static uint64_t weight_of(const ps_trace *here, const struct parcel *parcel)
{
        const ps_pieces *pieces = parcel->has_pieces ? &here->pieces[parcel->loc] : NULL;
        const struct range r = parcel->range;
        return UINT64_C(1) + r.end - r.from +
               (pieces ? pieces->end[r.end] - (r.from ? pieces->end[r.from] : 0) : 0);
}

/* The location that is asked for, and those behind it for which there is room. */
static ps_status list_parcels(parcels *out, const ps_trace *here, const struct lending *asked, ps_error *err)
{
        uint64_t sum = 0;
        ps_loc loc = asked->loc;
        do {
                struct parcel parcel;
                PS_TRY(describe(&parcel, here, asked, loc, err));
                sum += weight_of(here, &parcel);
                if (out->n && sum > asked->at_once)
                        return PS_OK;
                if (PS_PUSH(*out, parcel))
                        return PS_NOMEM(err, "locations", out->n);
        } while (asked->begins && ++loc < here->n_locs && ps_share_is_here(here, loc));
        return PS_OK;
}

static size_t count_rows(const parcels *list)
{
        size_t n = 0;
        for (uint32_t i = 0; i < list->n; i++)
                n += list->row[i].range.end - list->row[i].range.from;
        return n;
}

static struct beside next_beside(struct beside beside, struct range r)
{
        const size_t n = r.end - r.from;
        return (struct beside){beside.operation + n, beside.link + n, beside.is_unexplained + n};
}

static void find_beside(const ps_trace *here, const struct lending *asked, const parcels *list,
                        struct beside out)
{
        for (uint32_t i = 0; i < list->n; i++) {
                const struct parcel *parcel = &list->row[i];
                name_operations(here, asked, parcel->loc, parcel->range, &out);
                if (parcel->range.end > parcel->range.from)
                        find_unexplained(here, asked, parcel->loc, parcel->range, out.is_unexplained);
                out = next_beside(out, parcel->range);
        }
}

static ps_status pass_parcels(ps_pass *p, const ps_trace *here, parcels *list, struct beside beside)
{
        for (uint32_t i = 0; i < list->n; i++) {
                struct parcel *parcel = &list->row[i];
                PS_TRY(ps_pass_values(p, parcel, 1, sizeof(*parcel)));
                size_t begin = p->used;
                PS_TRY(ps_lent_pass_rows(p, here, parcel->loc, parcel->range, beside, parcel->has_pieces));
                parcel->bytes = p->used - begin;
                beside = next_beside(beside, parcel->range);
        }
        return PS_OK;
}

static ps_status put_parcels(ps_pass *put, const ps_trace *here, const struct lending *asked, parcels *list,
                             ps_error *err)
{
        PS_TRY(list_parcels(list, here, asked, err));
        const size_t n = count_rows(list);
        uint32_t *room = malloc(n * (2 * sizeof(*room) + 1) + 1);
        struct beside beside = {room, room + n, (uint8_t *)(room + 2 * n)};
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = err};
        if (!room)
                return PS_NOMEM(err, "operations", n);
        find_beside(here, asked, list, beside);
        ps_status status = pass_parcels(&measure, here, list, beside);
        *put = (ps_pass){
                .way = PS_PASS_PUT, .size = measure.used, .bytes = malloc(measure.used + 1), .err = err};
        PS_THEN(status, put->bytes ? pass_parcels(put, here, list, beside) : PS_NOMEM(err, "operations", n));
        free(room);
        return status;
}

void ps_lend_rows(const ps_trace *here, unsigned n_threads, uint8_t *bytes, size_t n)
{
        struct lending asked;
        ps_error err = {0};
        ps_pass put = {.bytes = NULL};
        parcels list = {NULL, 0, 0};
        ps_status status = PS_OK;
        ps_pile nothing;
        (void)n_threads;
        assert(n == sizeof(asked));
        memcpy(&asked, bytes, n);
        if (ps_share_is_here(here, asked.loc))
                status = put_parcels(&put, here, &asked, &list, &err);
        ps_share_gather(here->spread->x, status, &nothing, put.bytes, put.size, &err);
        free(put.bytes);
        free(list.row);
}
