/* network.c - what of a recorded transfer is due to latency and what to its size, and what becomes of it when
 * either changes. */
#include "core/base/memory.h"
#include "simulator/cost/models.h"
#include "simulator/replay/slots.h"

/* -- what is known before anything is edited -- */

/* Does the operation send, in one direction, one message of the full length for each doubling of the members?
 */
static bool is_like_messages(int kind)
{
        return kind == PS_K_BARRIER || kind == PS_K_BCAST || kind == PS_K_REDUCE || kind == PS_K_ALLREDUCE;
}

/* With what was seen otherwise, if that tells sizes apart. */
static void try_with(fitted *flight, const fitted *other)
{
        fitted both = *flight;
        if (flight->is_fitted)
                return;
        ps_line_merge(&both, other);
        ps_line_fit(&both);
        if (both.is_fitted)
                *flight = both;
}

/* Messages that somebody waited for tell most; then those that were on their way; then collective operations;
 * then messages that should have been there last. A root that was seen to leave with the others tells as much
 * as they do. */
static void fit_flights(learnt *l)
{
        fitted meetings;
        ps_line_clear(&meetings);
        for (int kind = 0; kind < PS_K_COUNT; kind++) {
                if (ps_line_agrees(&l->collective[kind], &l->of_root[kind]))
                        ps_line_merge(&l->collective[kind], &l->of_root[kind]);
                if (is_like_messages(kind))
                        ps_line_merge(&meetings, &l->collective[kind]);
        }
        ps_line_fit(&l->flight);
        try_with(&l->flight, &l->met);
        try_with(&l->flight, &meetings);
        try_with(&l->flight, &l->likely);
}

/* What a receiver waits longer than the sender, if that is the smaller part: data that have left are under
 * way for so long. */
static void guess_by_release(fitted *flight, const fitted *release)
{
        for (int i = 0; i < SIZE_CLASSES; i++) {
                const sample *there = &flight->seen[i], *gone = &release->seen[i];
                if (there->time == PS_TIME_MAX || there->bytes != gone->bytes ||
                    gone->time <= there->time / 2 || gone->time >= there->time)
                        continue;
                flight->latency = (double)(there->time - gone->time);
                flight->per_byte = (double)gone->time / (double)gone->bytes;
                flight->is_fitted = true;
                return;
        }
}

/* Where sizes do not tell, anything from nothing to all of the shortest transfer may be the latency, which is
 * for the caller to say: what senders tell, or half of it. */
static void fit_messages(ps_replay *r)
{
        fitted *flight = &r->least.flight;
        const fitted *seen[] = {flight, &r->least.met, &r->least.likely};
        fit_flights(&r->least);
        ps_line_fit(&r->least.release);
        r->info.is_fitted = flight->is_fitted;
        r->info.latency_most = 0;
        for (size_t i = 0; i < sizeof(seen) / sizeof(*seen) && !r->info.latency_most; i++)
                r->info.latency_most = ps_line_least(seen[i]);
        if (!flight->is_fitted)
                guess_by_release(flight, &r->least.release);
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

/* Of a size that no sender was seen to wait for: with or without the bytes, as those of other sizes. */
ps_time ps_replay_release(const learnt *l, uint64_t bytes)
{
        ps_time by_size = (ps_time)(l->flight.per_byte * (double)bytes + 0.5);
        if (l->release.seen[size_class(bytes)].time < PS_TIME_MAX || !l->flight.is_fitted)
                return ps_line_estimate(&l->release, bytes);
        for (int i = 0; i < SIZE_CLASSES; i++) {
                const sample *s = &l->release.seen[i];
                if (s->time < PS_TIME_MAX && (double)s->time < l->flight.per_byte * (double)s->bytes / 2)
                        return 0;
        }
        return by_size;
}

ps_status ps_replay_estimate(ps_replay *r, ps_error *err)
{
        r->flight = ps_memory_new(((size_t)r->n_sizes + 1) * 2 * sizeof(*r->flight));
        if (!r->flight)
                return PS_NOMEM(err, "lengths of messages", r->n_sizes);
        r->release = r->flight + r->n_sizes;
        for (uint32_t i = 0; i < r->n_sizes; i++) {
                r->flight[i] = ps_line_estimate(&r->least.flight, r->sizes[i]);
                r->release[i] = ps_replay_release(&r->least, r->sizes[i]);
        }
        for (uint32_t c = 0; c < r->trace->n_colls; c++) {
                const ps_coll *coll = &r->trace->colls[c];
                const fitted *of = &r->least.collective[coll->kind];
                if (is_like_messages(coll->kind) && !ps_line_least(of))
                        of = &r->least.flight;
                r->colls[c].estimate =
                        ps_time_times(ps_line_estimate(of, r->colls[c].bytes), rounds_of(coll->n));
        }
        return PS_OK;
}

void ps_replay_draw_lines(ps_replay *r)
{
        fit_messages(r);
        fit_collectives(r);
}

/* -- what becomes of it -- */

/* Of one message, in picoseconds. */
typedef struct costs {
        double latency, by_size;
} costs;

static costs costs_on(const run *r, const ps_machine *m, const transfer *t, ps_loc loc)
{
        uint32_t from = ps_trace_process(r->replay->trace, t->from),
                 to = ps_trace_process(r->replay->trace, loc);
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

/* A message that took longer than it should took longer in both parts alike. Where only the latency is known,
 * or a sender may be free before the message is there, the latency is behind what the size takes. */
static double latency_in(ps_time time, const costs *one, const transfer *t, bool is_told)
{
        double latency = one->latency * t->rounds, by_size = one->by_size * t->rounds,
               left = (double)time - by_size;
        if (!t->bytes)
                return (double)time;
        if (t->is_whole && is_told && latency + by_size > 0)
                return (double)time * latency / (latency + by_size);
        left = left < latency ? left : latency;
        return left > 0 ? left : 0;
}

void ps_replay_divide(const run *r, ps_time *times, ps_time time, const transfer *t, ps_loc loc)
{
        for (uint32_t w = 0; w < r->width; w++) {
                uint32_t lane = w < r->n_lanes ? w : 0;
                const ps_scenario *s = r->lane[lane];
                costs one = costs_of(r, lane, t, loc);
                ps_time latency =
                        (ps_time)(latency_in(time, &one, t, s->divider || t->line->is_fitted) + 0.5);
                latency = latency < time ? latency : time;
                times[w] =
                        ps_replay_scaled(latency, s->latency) + ps_replay_scaled(time - latency, s->per_byte);
        }
}
