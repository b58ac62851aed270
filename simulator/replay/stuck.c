/* stuck.c - who waits for whom when nobody can go on.
 *
 * Each location that is stuck waits for one other at least; following one of them each ends in a circle, or
 * at a location that is through and will never do what is waited for. */
#include "simulator/replay/slots.h"

#include <stdlib.h>

static ps_op awaited_operation(const run *r, ps_loc loc)
{
        const place *p = place_of(r, loc);
        const ps_ops *ops = &r->replay->trace->ops[loc];
        const step *s = &r->replay->steps[loc][p->item_row];
        if (s->code == STEP_COMPLETE)
                return completed_by(s, ops, p->item_row, p->item);
        return s->code == STEP_PROBE ? p->item_row + 1 : p->item_row;
}

static bool has_begun(const run *r, ps_ref ref)
{
        const place *p = place_of(r, ref.loc);
        if (ref.op < p->row)
                return 1;
        if (p->is_done || p->stage != IN_CALL)
                return p->is_done;
        ps_op row = p->row;
        while (row < ref.op && r->replay->steps[ref.loc][row].flags & STEP_MORE)
                row++;
        return row == ref.op;
}

/* Does a location that waits in a collective operation wait for that member? */
static bool waits_for(const run *r, ps_loc loc, uint32_t member)
{
        const ps_trace *trace = r->replay->trace;
        const ps_coll *coll = &trace->colls[trace->members[member].coll];
        uint32_t own = trace->ops[loc].link[awaited_operation(r, loc)];
        bool is_by_rank = ps_replay_goes_by_rank(r, coll) && !ps_replay_is_of_messages(r, coll);
        return !is_by_rank || ps_replay_ranks_awaits(r, coll, own, member);
}

/* The location that has to go on first, or PS_NONE. */
static ps_loc awaited_location(const run *r, ps_loc loc)
{
        const ps_trace *trace = r->replay->trace;
        const place *p = place_of(r, loc);
        if (p->wait == WAIT_SEND || p->wait == WAIT_POST)
                return ps_op_peer(&trace->ops[loc], awaited_operation(r, loc));
        if (p->wait == WAIT_NOTHING)
                return PS_NONE;
        if (p->wait == WAIT_FORK)
                return r->replay->forks[p->awaited].at.loc;
        if (p->wait == WAIT_LOCK)
                return r->replay->locks[p->awaited].by.loc;
        const ps_coll *coll = &trace->colls[p->awaited];
        if (p->wait == WAIT_ROOT)
                return trace->members[coll->root].ref.loc;
        for (uint32_t m = coll->first; m < coll->first + coll->n; m++)
                if (!has_begun(r, trace->members[m].ref) && waits_for(r, loc, m))
                        return trace->members[m].ref.loc;
        return PS_NONE;
}

/* A location in the circle that hangs together with `from`; PS_NONE: it ends elsewhere. `seen` by location:
 * the walk that came by, walks count from 1. */
static ps_loc follow(const run *r, ps_loc from, uint32_t *seen)
{
        ps_loc at = from;
        while (at != PS_NONE && !place_of(r, at)->is_done && !seen[at]) {
                seen[at] = from + 1;
                at = awaited_location(r, at);
        }
        return at != PS_NONE && !place_of(r, at)->is_done && seen[at] == from + 1 ? at : PS_NONE;
}

static ps_loc find_start(const run *r, uint32_t *seen, bool *is_circle)
{
        ps_loc first = PS_NONE;
        for (ps_loc loc = 0; loc < r->replay->trace->n_locs; loc++) {
                if (place_of(r, loc)->is_done)
                        continue;
                ps_loc found = follow(r, loc, seen);
                first = first == PS_NONE ? loc : first;
                if (found != PS_NONE) {
                        *is_circle = 1;
                        return found;
                }
        }
        *is_circle = 0;
        return first;
}

ps_status ps_replay_find_cycle(ps_replayed *out, const run *r, ps_error *err)
{
        uint32_t n_locs = r->replay->trace->n_locs, *seen = calloc((size_t)n_locs + 1, sizeof(*seen));
        bool is_circle;
        out->cycle = malloc(((size_t)n_locs + 1) * sizeof(*out->cycle));
        if (!seen || !out->cycle) {
                free(seen);
                return PS_NOMEM(err, "locations", n_locs);
        }
        ps_loc start = find_start(r, seen, &is_circle), at = start;
        do {
                out->cycle[out->n_cycle++] = (ps_ref){at, place_of(r, at)->row};
                at = is_circle ? awaited_location(r, at) : start;
        } while (at != start);
        out->is_circle = (uint8_t)is_circle;
        free(seen);
        return PS_OK;
}
