/* network.c - what of a recorded transfer is due to latency and what to its size, and what becomes of it when
 * either changes. */
#include "core/base/memory.h"
#include "simulator/cost/models.h"
#include "simulator/replay/slots.h"

/* -- what is known before anything is edited -- */

/* Where sizes do not tell, half of the shortest transfer: between nothing and all of it anything may be
 * right, which is for the caller to say. */
static void fit_messages(ps_replay *r)
{
        fitted *flight = &r->least.flight;
        ps_line_fit(flight);
        ps_line_fit(&r->least.release);
        r->info.is_fitted = flight->is_fitted;
        r->info.latency_most = ps_line_least(flight);
        if (!flight->is_fitted)
                flight->latency = (double)r->info.latency_most / 2;
}

/* Kinds that have no line of their own take the latency of messages, and where there are no messages that of
 * the kind that is shortest. */
static void fit_collectives(ps_replay *r)
{
        learnt *l = &r->least;
        ps_time least = PS_TIME_MAX;
        double latency = l->flight.latency;
        bool is_fitted = 0;
        for (int kind = 0; kind < PS_K_COUNT; kind++) {
                fitted *of = &l->collective[kind];
                ps_time own = ps_line_least(of);
                ps_line_fit(of);
                least = own && own < least ? own : least;
                is_fitted |= of->is_fitted;
        }
        if (!r->info.latency_most && least < PS_TIME_MAX) {
                r->info.latency_most = least;
                r->info.is_fitted = is_fitted;
                latency = (double)least / 2;
        }
        for (int kind = 0; kind < PS_K_COUNT; kind++)
                if (!l->collective[kind].is_fitted)
                        l->collective[kind].latency = latency;
        r->info.latency = (ps_time)(latency + 0.5);
        r->info.per_byte = l->flight.per_byte;
}

static ps_status estimate(ps_replay *r, ps_error *err)
{
        r->flight = ps_memory_new(((size_t)r->n_sizes + 1) * 2 * sizeof(*r->flight));
        if (!r->flight)
                return PS_NOMEM(err, "lengths of messages", r->n_sizes);
        r->release = r->flight + r->n_sizes;
        for (uint32_t i = 0; i < r->n_sizes; i++) {
                r->flight[i] = ps_line_estimate(&r->least.flight, r->sizes[i]);
                r->release[i] = ps_line_estimate(&r->least.release, r->sizes[i]);
        }
        for (uint32_t c = 0; c < r->trace->n_colls; c++) {
                const ps_coll *coll = &r->trace->colls[c];
                r->colls[c].estimate =
                        ps_time_times(ps_line_estimate(&r->least.collective[coll->kind], r->colls[c].bytes),
                                      rounds_of(coll->n));
        }
        return PS_OK;
}

ps_status ps_replay_draw_lines(ps_replay *r, ps_error *err)
{
        fit_messages(r);
        fit_collectives(r);
        return estimate(r, err);
}

/* -- what becomes of it -- */

static uint32_t process_of(const run *r, ps_loc loc)
{
        return r->replay->trace->defs.locations.row[loc].process;
}

/* Of one message, in picoseconds. */
typedef struct costs {
        double latency, by_size;
} costs;

static costs costs_on(const run *r, const ps_machine *m, const transfer *t, ps_loc loc)
{
        uint32_t from = process_of(r, t->from), to = process_of(r, loc);
        ps_time latency = ps_machine_latency(m, from, to);
        ps_time by_size = t->is_collective ? 0 : ps_machine_flight(m, from, to, t->bytes) - latency;
        return (costs){(double)latency, by_size > 0 ? (double)by_size : 0};
}

static costs costs_of(const run *r, uint32_t lane, const transfer *t, ps_loc loc)
{
        const ps_machine *divider = r->lane[lane]->divider;
        if (divider)
                return costs_on(r, divider, t, loc);
        return (costs){t->line->latency, t->line->per_byte * (double)t->bytes};
}

/* The latency is behind what the size takes: what a message took longer than both is due to its size, too,
 * and one without bytes is nothing but latency. */
static ps_time latency_in(ps_time time, const costs *one, const transfer *t)
{
        double most = one->latency * t->rounds, left = (double)time - one->by_size * t->rounds;
        double part = left < most ? left : most;
        if (!t->bytes)
                return time;
        return part > 0 ? (ps_time)(part + 0.5) : 0;
}

void ps_replay_divide(const run *r, ps_time *times, ps_time time, const transfer *t, ps_loc loc)
{
        for (uint32_t w = 0; w < r->width; w++) {
                uint32_t lane = w < r->n_lanes ? w : 0;
                const ps_scenario *s = r->lane[lane];
                costs one = costs_of(r, lane, t, loc);
                ps_time latency = latency_in(time, &one, t);
                latency = latency < time ? latency : time;
                times[w] =
                        ps_replay_scaled(latency, s->latency) + ps_replay_scaled(time - latency, s->per_byte);
        }
}
