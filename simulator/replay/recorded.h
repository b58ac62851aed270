/* recorded.h - how long a call takes that keeps what it took in the recording, beyond waiting: a part
 * of engine.c, in which all of it becomes one function for each width.
 *
 * Without changes nothing moves, to the picosecond, by induction over the calls in the order in which they
 * are run. (1) A call begins when it did: the clock stands at the recorded end of the call before it, what
 * was recorded between them is added (it may be negative), and lower bounds are only taken where they held in
 * the recording. (2) What a partner is told is the begin of a call, together with that begin as recorded:
 * both are the same. (3) The end is the greatest of sums "begin of somebody + how much longer it took", of
 * which none is more than up to the recorded end, and one is all of it. It rests on two things that every
 * trace has: no call ends before it begins, and the rows of one call have the same times. */
#ifndef PS_SIMULATOR_REPLAY_RECORDED_H
#define PS_SIMULATOR_REPLAY_RECORDED_H

#include "simulator/replay/vectors.h"

#define COLD __attribute__((noinline, cold))

/* When the call began, in the recording: who asked in vain before has waited since then. */
static ps_time begun_at(const place *p)
{
        return p->spinning ? p->recorded : p->enter[p->row];
}

static bool is_unwaited(const uint64_t *bits, const step *steps, ps_op row)
{
        uint64_t found = 0;
        do {
                found |= bits[row / 64] >> (row & 63) & 1;
        } while (steps[row++].flags & STEP_MORE);
        return found != 0;
}

/* In which lanes a call waits for nobody. */
static const uint64_t *unwaited_now(run *r, const place *p, ps_loc loc)
{
        for (uint32_t w = 0; w < r->width; w++) {
                const uint64_t *const *of = r->unwaited[w];
                r->unwaited_now[w] = of && of[loc] && is_unwaited(of[loc], p->steps, p->row);
        }
        return r->unwaited_now;
}

/* A partner, whose part began at `recorded` and now at times[]; at least `least` passes after that. */
ALWAYS_INLINE void note_partner(run *r, place *p, ps_time recorded, const ps_time *times, ps_time least,
                                ps_time latencies, bool is_collective, uint32_t width)
{
        ps_time *end = vector_in(p, V_END, width), *latest = vector_in(p, V_LATEST, width);
        bool is_later = recorded > p->latest;
        ps_time begun = is_later ? p->latest : recorded, rest = is_later ? p->latest_least : least;
        if (begun != INT64_MIN) {
                ps_time over = p->leave[p->row];
                const ps_time *from = is_later ? latest : times;
                ps_time rests[LANES_MAX];
                ps_replay_rests(r, rests, rest < over - begun ? rest : over - begun,
                                is_later ? p->latest_latencies : latencies, width);
                max_into(end, from, rests, width);
        }
        if (!is_later)
                return;
        copy(latest, times, width);
        p->latest = recorded;
        p->latest_least = least;
        p->latest_latencies = latencies;
        p->latest_is_collective = (uint8_t)is_collective;
}

/* Another eager limit than the recording's: nobody is waited for any more, ... */
COLD static void let_go(const run *r, place *p, ps_loc loc, ps_op row)
{
        const ps_ops *ops = &r->replay->trace->ops[loc];
        p->let_go = later(p->let_go, r->replay->timing->enter[ops->peer[row]][ops->link[row]]);
}

/* ... or a receiver is, whom the call did not wait for. */
COLD static void begin_to_wait(const run *r, place *p, const ps_time *release, ps_time least)
{
        ps_time rests[LANES_MAX], *end = vector_in(p, V_END, r->width);
        ps_replay_rests(r, rests, least, r->replay->info.latency, r->width);
        max_into(end, release, rests, r->width);
}

/* What the call took beyond waiting, in the recording, and what follows the partner that came last. */
ALWAYS_INLINE void end_as_recorded(run *r, place *p, ps_loc loc, ps_time *clock, uint32_t width)
{
        const ps_replay *replay = r->replay;
        const ps_ops *ops = &replay->trace->ops[loc];
        ps_time begun = begun_at(p);
        ps_time over = p->leave[p->row], own = over - begun;
        ps_time rests[LANES_MAX];
        const ps_time *begin = vector_in(p, V_BEGIN, width), *end = vector_in(p, V_END, width);
        if (p->latest == INT64_MIN && !r->changes_limit) {
                add_constant(clock, begin, own, width);
                return;
        }
        bool has_waited =
                later(p->latest, p->let_go) > begun || (p->latest_is_collective && p->latest == begun);
        if (has_waited) {
                ps_time least = replay->least.own[ops->kind[p->row]][size_class(ops->bytes[p->row])];
                own = p->latest_is_collective ? 0 : least < own ? least : own;
        }
        if (p->latest == INT64_MIN) {
                add_constant(clock, begin, own, width);
                max_with(clock, end, width);
                return;
        }
        ps_time after = over - p->latest;
        if (!has_waited || p->let_go > p->latest)
                after = p->latest_least < after ? p->latest_least : after;
        ps_replay_rests(r, rests, after, p->latest_latencies, width);
        add_constant(clock, begin, own, width);
        const ps_time *latest = vector_in(p, V_LATEST, width);
        if (r->has_unwaited) {
                const uint64_t *unwaited = unwaited_now(r, p, loc);
                for (uint32_t w = 0; w < width; w++)
                        if (!unwaited[w])
                                clock[w] = later(clock[w], later(end[w], latest[w] + rests[w]));
                        else if (p->latest_is_collective && has_waited)
                                clock[w] += later(0, rests[w]);
        } else {
                max_with(clock, end, width);
                max_into(clock, latest, rests, width);
        }
}

#endif
