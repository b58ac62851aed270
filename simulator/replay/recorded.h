/* recorded.h - how long a call takes that keeps what it took in the recording, beyond waiting: a part
 * of engine.c, in which all of it becomes one function for each width.
 *
 * A call takes its own time after it has begun and the last transfer that it needs is there. Which one that
 * was is estimated; it took what is left of the call. If all were there, as far as is known, the call took
 * longer for a reason that is counted as a transfer that began with it.
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

/* When the call began, in the recording: who asked too early has waited since then. */
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

/* What the call takes itself, at most. */
static ps_time own_time(const run *r, const place *p, ps_loc loc)
{
        ps_time least = r->replay->least.own[r->replay->trace->ops[loc].kind[p->row]];
        ps_time took = p->leave[p->row] - begun_at(p);
        return least < took ? least : took;
}

/* A transfer, which started at `recorded` and now at times[] and takes about as long as `estimate`. What was
 * there before another one took no longer than that leaves room for. */
ALWAYS_INLINE void note_transfer(run *r, place *p, ps_loc loc, ps_time recorded, const ps_time *times,
                                 ps_time estimate, const transfer *way, uint32_t width)
{
        ps_time *end = vector_in(p, V_END, width), *latest = vector_in(p, V_LATEST, width);
        bool is_first = p->latest == INT64_MIN,
             is_later = is_first || recorded + estimate > p->latest + p->estimate;
        if (!is_first) {
                ps_time start = is_later ? p->latest : recorded, time = is_later ? p->estimate : estimate;
                ps_time room = p->leave[p->row] - own_time(r, p, loc) - start, takes[LANES_MAX];
                ps_replay_transfer_times(r, takes, time < room ? time : room, is_later ? &p->way : way, loc,
                                         width);
                max_into(end, is_later ? latest : times, takes, width);
        }
        if (!is_later)
                return;
        copy(latest, times, width);
        p->latest = recorded;
        p->estimate = estimate;
        p->way = *way;
}

/* Another eager limit than the recording's: a receiver is waited for whom the call did not wait for. */
COLD static void begin_to_wait(const run *r, place *p, ps_loc loc, const ps_time *release, ps_time estimate,
                               const transfer *way)
{
        ps_time takes[LANES_MAX], *end = vector_in(p, V_END, r->width), own = own_time(r, p, loc);
        ps_replay_transfer_times(r, takes, estimate, way, loc, r->width);
        for (uint32_t w = 0; w < r->width; w++)
                end[w] = ps_time_later(end[w], release[w] + takes[w] - own);
}

/* The transfers that a call needs are there, whatever it is. */
COLD static void end_unwaited(run *r, const place *p, ps_loc loc, const ps_time *takes, ps_time *clock)
{
        const ps_ops *ops = &r->replay->trace->ops[loc];
        const ps_time *begin = vector_in(p, V_BEGIN, r->width);
        ps_time begun = begun_at(p), took = p->leave[p->row] - begun;
        bool is_member = p->way.is_collective,
             has_waited = p->latest > begun || (is_member && p->latest == begun);
        ps_time least = r->replay->least.begun[ops->kind[p->row]][size_class(ps_op_bytes(ops, p->row))];
        ps_time own = !has_waited ? took : is_member ? 0 : least < took ? least : took;
        const uint64_t *unwaited = unwaited_now(r, p, loc);
        for (uint32_t w = 0; w < r->width; w++)
                if (unwaited[w])
                        clock[w] =
                                begin[w] + own + (is_member && has_waited ? ps_time_later(0, takes[w]) : 0);
}

/* A call that waits for nobody: what it does for others, or all of it, is its own. */
ALWAYS_INLINE void end_alone(run *r, place *p, ps_loc loc, ps_time *clock, uint32_t width)
{
        const ps_time *begin = vector_in(p, V_BEGIN, width), *end = vector_in(p, V_END, width);
        ps_time took = p->leave[p->row] - begun_at(p);
        ps_time own = p->is_let_go || p->has_sent ? own_time(r, p, loc) : took;
        copy(clock, begin, width);
        max_with(clock, end, width);
        for (uint32_t w = 0; w < width; w++)
                clock[w] += own;
        if (p->has_sent) {
                ps_time takes[LANES_MAX];
                ps_replay_transfer_times(r, takes, took - own, &p->way, loc, width);
                add_to(clock, takes, width);
        }
}

/* What the call took itself, in the recording, and what the transfer that was there last did. */
ALWAYS_INLINE void end_as_recorded(run *r, place *p, ps_loc loc, ps_time *clock, uint32_t width)
{
        if (p->latest == INT64_MIN) {
                end_alone(r, p, loc, clock, width);
                return;
        }
        ps_time begun = begun_at(p), over = p->leave[p->row], own = own_time(r, p, loc);
        ps_time there = p->latest + p->estimate, time = p->estimate, more = 0,
                room = over - ps_time_later(begun, p->latest);
        const ps_time *begin = vector_in(p, V_BEGIN, width), *end = vector_in(p, V_END, width);
        ps_time takes[LANES_MAX], mores[LANES_MAX];
        own = ps_time_later(0, own < room ? own : room);
        if (p->is_let_go)
                time = time < over - own - p->latest ? time : over - own - p->latest;
        else if (p->latest >= begun || there > begun)
                time = over - own - p->latest;
        else
                more = over - own - begun;
        ps_replay_transfer_times(r, takes, time, &p->way, loc, width);
        ps_replay_transfer_times(r, mores, more, &p->way, loc, width);
        add_parts(clock, begin, mores, width);
        max_with(clock, end, width);
        max_into(clock, vector_in(p, V_LATEST, width), takes, width);
        for (uint32_t w = 0; w < width; w++)
                clock[w] += own;
        if (r->has_unwaited)
                end_unwaited(r, p, loc, takes, clock);
}

#endif
