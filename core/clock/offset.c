/* offset.c - which offsets of clocks are taken, of those that messages and collective operations allow.
 *
 * The uncertainty is the widest interval: within it any offset fits the trace, so no time difference between
 * the clocks of two processes means anything below it. */
#include "core/clock/offset.h"
#include "core/clock/bounds.h"
#include "core/clock/clock.h"
#include "core/clock/graph.h"
#include "core/clock/together.h"
#include <stdlib.h>

enum { ROUNDS = 8 };

static ps_status solve_offsets(ps_bounds *b, const ps_time *wanted, ps_offsets *found, ps_error *err)
{
        size_t n = (size_t)b->graph.n_nodes + 1;
        free(found->offset);
        free(found->width);
        *found = (ps_offsets){.offset = calloc(n, sizeof(ps_time)), .width = calloc(n, sizeof(ps_time))};
        return found->offset && found->width
                       ? ps_graph_solve(&b->graph, wanted, b->trace->defs.processes.n, found, err)
                       : PS_NOMEM(err, "clocks", n);
}

/* Solves until no large instance contradicts the offsets. */
static ps_status settle_offsets(ps_bounds *b, ps_flows *flows, const ps_time *wanted, ps_offsets *found,
                                ps_error *err)
{
        bool more = true;
        ps_status st = solve_offsets(b, wanted, found, err);
        for (int round = 0; st >= 0 && more && !found->unknown && round < ROUNDS; round++)
                if ((st = ps_bounds_refine(b, flows, found, &more, err)) >= 0 && more)
                        st = solve_offsets(b, wanted, found, err);
        return st;
}

/* The smallest part of the way to `found` that satisfies all limits. The limits that hold without any offset
 * hold on the whole way, because the possible offsets are a convex set. */
static double shortest_way(const ps_graph *graph, const ps_offsets *found)
{
        double part = 0;
        for (size_t i = 0; i < graph->n; i++) {
                const ps_limit *limit = &graph->limit[i];
                double slack = (double)limit->slack + (double)found->eased * limit->halves / 2;
                double whole = (double)found->offset[limit->earlier] - (double)found->offset[limit->later];
                if (slack < 0 && whole < 0 && slack / whole > part)
                        part = slack / whole;
        }
        return part < 1 ? part : 1;
}

/* Clocks that somebody synchronised are moved no further than needed, and are taken to be as uncertain as the
 * largest move. */
static void go_shortest_way(ps_trace *trace, const ps_graph *graph, ps_offsets *found)
{
        double part = shortest_way(graph, found);
        for (uint32_t i = 0; i < graph->n_nodes; i++)
                found->offset[i] = (ps_time)((double)found->offset[i] * part);
        for (ps_proc p = 0; p < trace->defs.processes.n; p++) {
                ps_time by = found->offset[p] < 0 ? -found->offset[p] : found->offset[p];
                found->width[p] = by;
        }
}

/* By pair. */
static ps_status find_room(ps_trace *trace, const ps_graph *graph, const ps_offsets *found, ps_error *err)
{
        uint32_t n = trace->defs.processes.n;
        if (!ps_graph_room_is_cheap(graph, n))
                return PS_OK;
        ps_time *room = PS_ARENA_NEW(trace->arena, ps_time, (size_t)n * n);
        int done = room ? ps_graph_room(graph, found, n, room, err) : PS_NOMEM(err, "pairs of clocks", n);
        if (done > 0)
                trace->clock.room = room;
        return done < 0 ? (ps_status)done : PS_OK;
}

/* Of pairs with the first process: no other is worse than two of them together. */
static ps_time find_likely(const ps_trace *trace)
{
        ps_time most = 0;
        uint32_t n = trace->defs.processes.n;
        for (ps_proc a = 0; a < n && (a == 0 || trace->clock.room); a++)
                for (ps_proc b = a + 1; b < n; b++) {
                        ps_time by = ps_clock_pair_uncertainty(trace, a, b);
                        most = by > most ? by : most;
                }
        return trace->clock.room ? most : ps_time_add(most, most);
}

static ps_status publish_offsets(ps_trace *trace, const ps_flows *flows, const ps_offsets *found,
                                 ps_error *err)
{
        uint32_t n = trace->defs.processes.n;
        ps_time *offset = PS_ARENA_NEW(trace->arena, ps_time, n);
        ps_time *width = PS_ARENA_NEW(trace->arena, ps_time, n);
        if (!offset || !width)
                return PS_NOMEM(err, "clock offsets", n);
        for (ps_proc p = 0; p < n; p++) {
                offset[p] = found->offset[p];
                width[p] = found->width[p];
                if (width[p] > trace->clock.uncertainty)
                        trace->clock.uncertainty = width[p];
        }
        trace->clock.offset = offset;
        PS_TRY(ps_clock_apply(trace, flows, offset, err));
        trace->clock.width = width;
        trace->clock.repaired = 1;
        trace->clock.likely = find_likely(trace);
        return PS_OK;
}

/* Offsets that a damaged trace calls for may be so large that times shifted by them are no numbers any more.
 */
static bool are_sane(const ps_offsets *found, uint32_t n)
{
        const ps_time limit = PS_TIME_MAX / 8; /* 13 days: what a reader lets times be away from zero */
        for (uint32_t p = 0; p < n; p++)
                if (found->offset[p] > limit || found->offset[p] < -limit)
                        return false;
        return true;
}

/* The constraints again, of times without these drifts. */
static ps_status gather_without(const ps_clock_drift *drift, ps_bounds *b, ps_flows *flows, ps_trace *trace,
                                ps_offsets *found, ps_error *err)
{
        flows->drift = trace->clock.drift = drift;
        ps_bounds_free(b);
        *b = (ps_bounds){.trace = trace};
        ps_status st = ps_bounds_gather(b, flows, NULL, err);
        return st < 0 ? st : settle_offsets(b, flows, NULL, found, err);
}

/* Where calls that end together do so. Drifts under which the times contradict themselves more are none. */
static ps_status estimate(ps_together *seen, ps_bounds *b, ps_flows *flows, ps_trace *trace,
                          ps_offsets *found, ps_error *err)
{
        ps_time eased = found->eased;
        seen->wish = eased > PS_CLOCK_NOISE ? PS_DRIFT_WANTED : PS_DRIFT_IF_EVIDENT;
        ps_status st = ps_together_estimate(seen, flows, trace->arena, err);
        if (st < 0 || !seen->drifts)
                return st;
        st = gather_without(seen->drift, b, flows, trace, found, err);
        if (st < 0 || (!found->unknown && found->eased <= eased))
                return st;
        seen->wish = PS_DRIFT_NONE;
        st = gather_without(NULL, b, flows, trace, found, err);
        return st < 0 ? st : ps_together_estimate(seen, flows, trace->arena, err);
}

/* From the middle of what is possible to where calls that end together do so. */
static ps_status agree(ps_bounds *b, ps_flows *flows, ps_trace *trace, ps_offsets *found, ps_error *err)
{
        uint32_t n = trace->defs.processes.n;
        ps_together seen = {.offset = PS_ARENA_NEW(trace->arena, ps_time, n),
                            .drift = PS_ARENA_NEW(trace->arena, ps_clock_drift, n)};
        if (!seen.offset || !seen.drift)
                return PS_NOMEM(err, "clock offsets", n);
        for (ps_proc p = 0; p < n; p++)
                seen.offset[p] = found->offset[p];
        ps_status st = estimate(&seen, b, flows, trace, found, err);
        if (st >= 0)
                st = settle_offsets(b, flows, seen.offset, found, err);
        if (st >= 0 && !found->unknown)
                st = find_room(trace, &b->graph, found, err);
        trace->clock.error = seen.error;
        trace->clock.wander = seen.wander;
        trace->clock.wander_most = seen.wander_most;
        return st;
}

static void forget_clock(ps_clock_info *clock)
{
        clock->room = clock->error = clock->wander = NULL;
        clock->drift = NULL;
        clock->wander_most = 0;
}

/* With these offsets alone each time is shifted as its process is, so that pairs tell of all messages. */
static bool fits_messages(const ps_bounds *b)
{
        const ps_clock_info *clock = &b->trace->clock;
        bool fits = !b->contradicts_itself && !clock->drift;
        for (size_t i = 0; i < b->pairs.cap && fits; i++) {
                const ps_map_row *row = &b->pairs.row[i];
                fits = row->a == PS_NONE ||
                       ps_time_add(row->value, clock->offset[row->b] - clock->offset[row->a]) >= 0;
        }
        return fits;
}

ps_status ps_clock_offset(ps_trace *trace, ps_flows *flows, const ps_slacks *slacks, ps_time hopeless,
                          int gently, bool *fits, ps_error *err)
{
        ps_bounds b = {.trace = trace};
        ps_offsets found = {0};
        ps_status st = ps_bounds_gather(&b, flows, slacks, err);
        if (st >= 0)
                st = settle_offsets(&b, flows, NULL, &found, err);
        if (st >= 0 && !found.unknown && !gently)
                st = agree(&b, flows, trace, &found, err);
        if (st < 0)
                goto out;
        int usable = !found.unknown && are_sane(&found, trace->defs.processes.n);
        trace->clock.infeasible = !usable || found.eased > 0;
        if (!usable || found.eased >= hopeless) {
                forget_clock(&trace->clock);
                goto out;
        }
        if (gently)
                go_shortest_way(trace, &b.graph, &found);
        st = publish_offsets(trace, flows, &found, err);
        *fits = st >= 0 && fits_messages(&b);
out:
        flows->drift = NULL;
        free(found.offset);
        free(found.width);
        ps_bounds_free(&b);
        return st;
}
