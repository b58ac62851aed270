/* engine.c - runs the steps of a location until it has to wait for another one.
 *
 * A call begins: what it sends, posts or enters is made known. Then one after the other of those that it
 * waits for is looked at; where one is not there yet the location stops, and goes on at the same place when
 * it is woken. All times are maxima of sums of what others have made known, so that they do not depend on the
 * order in which locations run.
 *
 * Recorded times of partners travel with their messages: from them a call finds out how long it waited in the
 * recording and what it took beyond that.
 */
#include "simulator/replay/begin.h"

/* Messages that a location may send before others get a turn: that limits the messages under way, and so the
 * memory. */
enum { SENDS_AT_A_TIME = 128 };

/* -- what a call waits for -- */

/* On a machine: the call goes on at `time` at the earliest, and what comes after that. */
ALWAYS_INLINE void go_on_at(run *r, place *p, ps_loc loc, const ps_time *time, const ps_time *before,
                            const ps_time *after, uint32_t width)
{
        ps_time *end = vector_in(p, V_END, width);
        if (before)
                add_to(end, before, width);
        if (r->has_unwaited) {
                const uint64_t *unwaited = unwaited_now(r, p, loc);
                for (uint32_t w = 0; w < width; w++)
                        end[w] = unwaited[w] ? end[w] : ps_time_later(end[w], time[w]);
        } else {
                max_with(end, time, width);
        }
        if (after)
                add_to(end, after, width);
        check_range(r, end, width);
}

ALWAYS_INLINE transfer way_of(const run *r, ps_loc from, uint64_t bytes, bool is_whole)
{
        return (transfer){&r->replay->least.flight, bytes, 1, from, 0, is_whole};
}

/* How long a message of that size takes, as far as others tell. */
static ps_time flight_of(const ps_replay *replay, uint16_t size, uint64_t bytes)
{
        return size == STEP_SIZE_ODD ? ps_line_estimate(&replay->least.flight, bytes) : replay->flight[size];
}

static ps_time release_of(const ps_replay *replay, uint16_t size, uint64_t bytes)
{
        return size == STEP_SIZE_ODD ? ps_replay_release(&replay->least, bytes) : replay->release[size];
}

/* When the message began to move, in the recording. */
ALWAYS_INLINE ps_time started(const run *r, const place *p, const slot *m, ps_op row, const step *s,
                              uint64_t bytes)
{
        if (!is_held_up(&r->replay->least, s->flags, bytes))
                return m->recorded[0];
        return ps_time_later(m->recorded[0], m->has[1] ? m->recorded[1] : p->enter[row]);
}

ALWAYS_INLINE void complete_message(run *r, place *p, ps_loc loc, ps_op row, const step *s, uint32_t at,
                                    uint32_t width)
{
        const slot *m = slot_at(r, at);
        uint64_t bytes = received_bytes(r, loc, row, s->size);
        const ps_time *arrival = slot_vector(m, 0, width);
        if (p->kept) {
                transfer way = way_of(r, m->from, bytes, 1);
                note_transfer(r, p, loc, started(r, p, m, row, s, bytes), arrival,
                              flight_of(r->replay, s->size, bytes), &way, width);
        } else {
                const ps_time *receive =
                        part_of(ps_replay_costs(r, m->from, loc, s->size, bytes), PART_RECEIVE, width);
                go_on_at(r, p, loc, arrival, r->receives_early ? receive : NULL,
                         r->receives_early ? NULL : receive, width);
        }
}

/* Each returns 0 when the location has to stop. */

ALWAYS_INLINE int await_message(run *r, place *p, ps_loc loc, ps_op row, const step *s, uint32_t width)
{
        uint32_t at = ps_replay_slot(r, s->arg);
        if (at == PS_NONE)
                return 0;
        slot *m = slot_at(r, at);
        if (!m->has[0])
                return ps_replay_wait(p, WAIT_SEND, s->arg, &m->waiter[0], loc);
        complete_message(r, p, loc, row, s, at, width);
        ps_replay_slot_done(r, s->arg, at);
        return 1;
}

ALWAYS_INLINE int await_receiver(run *r, place *p, ps_loc loc, ps_op row, const step *s, uint32_t width)
{
        uint64_t bytes = message_bytes(r, loc, row, s->size);
        bool may_differ = r->changes_limit && p->kept;
        bool was_held_up = !may_differ || is_held_up(&r->replay->least, s->flags, bytes);
        if (!waits_for_receiver(r, s, bytes)) {
                p->is_let_go |= may_differ && was_held_up;
                return 1;
        }
        uint32_t at = ps_replay_slot(r, s->arg);
        if (at == PS_NONE)
                return 0;
        slot *m = slot_at(r, at);
        if (!m->has[1])
                return ps_replay_wait(p, WAIT_POST, s->arg, &m->waiter[1], loc);
        const ps_time *release = slot_vector(m, 1, width);
        transfer way = way_of(r, ps_op_peer(p->ops, row), bytes, 0);
        ps_time estimate = release_of(r->replay, s->size, bytes);
        if (!was_held_up)
                begin_to_wait(r, p, loc, release, estimate, &way);
        else if (p->kept)
                note_transfer(r, p, loc, ps_time_later(m->recorded[0], m->recorded[1]), release, estimate,
                              &way, width);
        else
                go_on_at(r, p, loc, release, NULL, NULL, width);
        ps_replay_slot_done(r, s->arg, at);
        return 1;
}

/* A message that is received next: its first byte is enough. */
ALWAYS_INLINE int await_envelope(run *r, place *p, ps_loc loc, ps_op row, const step *s, uint32_t width)
{
        uint32_t at = ps_replay_slot(r, s->arg);
        if (at == PS_NONE)
                return 0;
        slot *m = slot_at(r, at);
        if (!m->has[0])
                return ps_replay_wait(p, WAIT_SEND, s->arg, &m->waiter[0], loc);
        uint64_t bytes = received_bytes(r, loc, row + 1, s->size);
        ps_time known[LANES_MAX];
        copy(known, slot_vector(m, 0, width), width);
        if (p->kept) {
                transfer way = way_of(r, m->from, 0, 1);
                note_transfer(r, p, loc, m->recorded[0], known, ps_line_estimate(&r->replay->least.flight, 0),
                              &way, width);
                return 1;
        }
        const ps_time *costs = ps_replay_costs(r, m->from, loc, s->size, bytes);
        int waits = waits_for_receiver(r, s, bytes);
        for (uint32_t w = 0; waits && w < width; w++)
                known[w] += costs[PART_LATENCY * width + w];
        go_on_at(r, p, loc, known, NULL, NULL, width);
        return 1;
}

/* A member of a collective operation that keeps its time. */
ALWAYS_INLINE void take_collective(run *r, place *p, ps_loc loc, const step *s, ps_time recorded,
                                   const ps_time *times, uint32_t width)
{
        const ps_replay *replay = r->replay;
        uint32_t index = replay->trace->members[s->arg].coll;
        const ps_coll *coll = &replay->trace->colls[index];
        transfer way = {&replay->least.collective[coll->kind],
                        replay->colls[index].bytes,
                        is_kept_collective(coll->kind) ? 0 : rounds_of(coll->n),
                        loc,
                        1,
                        replay->least.collective[coll->kind].is_fitted};
        if (coll->n > 1)
                way.from = replay->trace->members[s->arg == coll->first ? s->arg + 1 : coll->first].ref.loc;
        if (recorded != INT64_MIN) {
                note_transfer(r, p, loc, recorded, times, replay->colls[index].estimate, &way, width);
        } else if (p->latest == INT64_MIN && way.rounds && coll->n > 1) {
                p->has_sent = true;
                p->way = way;
        }
}

ALWAYS_INLINE int await_collective(run *r, place *p, ps_loc loc, const step *s, uint32_t width)
{
        ps_time recorded, times[LANES_MAX];
        /* A broken trace may complete what was not begun before, or twice. */
        if (!r->coll_slot_of[r->replay->trace->members[s->arg].coll])
                return 1;
        enum wait wait = ps_replay_look_at(r, s, times, &recorded);
        if (wait != WAIT_NOTHING)
                return ps_replay_wait(p, wait, r->replay->trace->members[s->arg].coll, NULL, loc);
        if (p->kept)
                take_collective(r, p, loc, s, recorded, times, width);
        else
                go_on_at(r, p, loc, times, NULL, NULL, width);
        ps_replay_leave(r, s->arg);
        return 1;
}

COLD static int await_lock(run *r, place *p, ps_loc loc, const step *s)
{
        const ps_handover *lock = &r->replay->locks[s->arg];
        const transfer way = {.from = lock->by.loc};
        if (!r->is_given[s->arg])
                return ps_replay_wait(p, WAIT_LOCK, s->arg, NULL, loc);
        note_transfer(r, p, loc, lock->until, &r->given[(size_t)s->arg * r->width], 0, &way, r->width);
        return 1;
}

ALWAYS_INLINE int await_operation(run *r, place *p, ps_loc loc, ps_op row, const step *s, uint32_t width)
{
        switch (s->code) {
        case STEP_SEND:
                return await_receiver(r, p, loc, row, s, width);
        case STEP_RECV:
                return await_message(r, p, loc, row, s, width);
        case STEP_COLLECTIVE:
                return await_collective(r, p, loc, s, width);
        case STEP_PROBE:
                return await_envelope(r, p, loc, row, s, width);
        case STEP_LOCK:
                return await_lock(r, p, loc, s);
        default:
                return 1;
        }
}

ALWAYS_INLINE int await_row(run *r, place *p, ps_loc loc, const step *steps, uint32_t width)
{
        ps_op row = p->item_row;
        const ps_ops *ops = &r->replay->trace->ops[loc];
        const step *s = &steps[row];
        if (s->code != STEP_COMPLETE)
                return s->flags & STEP_NONBLOCKING || await_operation(r, p, loc, row, s, width);
        for (uint32_t n = n_completed(s, ops, row); p->item < n; p->item++) {
                ps_op op = completed_by(s, ops, row, p->item);
                if (!await_operation(r, p, loc, op, &steps[op], width))
                        return 0;
        }
        p->item = 0;
        return 1;
}

/* -- a call ends -- */

/* May the call wait for others? Nonblocking operations cannot be moved before it. */
static bool may_wait(const step *s)
{
        return s->code >= STEP_LOCK && !(s->flags & STEP_NONBLOCKING);
}

/* Mostly a call is one row. */
ALWAYS_INLINE bool write_one(const run *r, const place *p, ps_loc loc, ps_op end, bool was_spinning)
{
        if (end != p->row + 1 || was_spinning)
                return false;
        r->timing[0]->enter[loc][p->row] = vector_in(p, V_BEGIN, 1)[0];
        r->timing[0]->leave[loc][p->row] = vector_in(p, V_CLOCK, 1)[0];
        return true;
}

ALWAYS_INLINE void leave_call(run *r, place *p, ps_loc loc, const step *first, uint32_t width)
{
        ps_op end = p->item_row + 1;
        bool was_spinning = p->spinning && first->code != STEP_SPIN;
        p->recorded = first->code == STEP_SPIN ? begun_at(p) : p->over[p->row];
        p->spinning = first->code == STEP_SPIN;
        if (r->overlaps && may_wait(first))
                copy(vector_in(p, V_SYNC, width), vector_in(p, V_CLOCK, width), width);
        if (r->writes && !(width == 1 && write_one(r, p, loc, end, was_spinning)))
                ps_replay_write(r, loc, p->row, end, was_spinning);
        if (__builtin_expect(end > p->watched, 0))
                ps_replay_watch(r, p, loc, end);
        p->row = end;
        p->stage = COMPUTING;
}

/* What spins takes no time of its own. */
ALWAYS_INLINE void end_call(run *r, place *p, ps_loc loc, const step *steps, uint32_t width)
{
        ps_time *clock = vector_in(p, V_CLOCK, width);
        const step *first = &steps[p->row];
        if (!p->kept) /* and in range */
                copy(clock, vector_in(p, V_END, width), width);
        else if (first->code == STEP_SPIN)
                copy(clock, vector_in(p, V_BEGIN, width), width);
        else
                end_as_recorded(r, p, loc, clock, width);
        if (p->kept)
                check_range(r, clock, width);
        if (__builtin_expect(first->code == STEP_FORK, 0))
                ps_replay_open_gate(r, first->arg, clock);
        if (__builtin_expect(first->code <= STEP_LOCK && first->flags & STEP_GIVES, 0))
                ps_replay_give_locks(r, (ps_ref){loc, p->row}, clock);
        leave_call(r, p, loc, first, width);
}

ALWAYS_INLINE void post(run *r, place *p, ps_loc loc, const step *s, uint32_t width)
{
        const ps_op row = p->row;
        ps_time *clock = vector_in(p, V_CLOCK, width), *end = vector_in(p, V_END, width);
        const ps_time *begin = vector_in(p, V_BEGIN, width);
        if (r->has_machine)
                copy(end, begin, width);
        begin_row(r, p, loc, row, s, width);
        if (r->has_machine)
                copy(clock, end, width);
        else
                add_constant(clock, begin, p->leave[row] - begun_at(p), width);
        check_range(r, clock, width);
        p->item_row = row;
        leave_call(r, p, loc, s, width);
}

/* -- a location -- */

ALWAYS_INLINE void finish_location(run *r, place *p, ps_loc loc, uint32_t width)
{
        ps_time last = r->replay->trace->info[loc].last;
        ps_op n = p->n;
        p->is_done = true;
        if (last > p->recorded) {
                compute(r, p, loc, n, last - p->recorded, width);
                copy(vector_in(p, V_CLOCK, width), vector_in(p, V_BEGIN, width), width);
        }
}

/* May a message begin to move with this call? */
static bool moves_messages(const run *r, const place *p, ps_loc loc)
{
        ps_op row = p->row;
        const step *s;
        do {
                s = &p->steps[row];
                if (s->code == STEP_SEND || s->code == STEP_COLLECTIVE ||
                    (s->code == STEP_RECV && waits_for_receiver(r, s, received_bytes(r, loc, row, s->size))))
                        return true;
                row++;
        } while (s->flags & STEP_MORE);
        return false;
}

/* Whether others should run first. */
static bool yields(run *r, place *p, ps_loc loc, const step *s)
{
        if (r->traffic)
                return moves_messages(r, p, loc) && ps_replay_is_too_early(r, loc);
        if (s->code != STEP_SEND)
                return false;
        p->sent = 0;
        return ps_replay_park(r, loc);
}

ALWAYS_INLINE void advance(run *r, ps_loc loc, uint32_t width)
{
        place *p = place_of(r, loc);
        const step *steps = p->steps;
        ps_op n = p->n;
        p->wait = WAIT_NOTHING;
        while (p->row < n && r->status == PS_OK) {
                if (p->stage == COMPUTING && !come_to_call(r, p, loc, width))
                        return;
                if (p->stage == AT_CALL) {
                        const step *s = &steps[p->row];
                        if ((r->traffic || p->sent >= SENDS_AT_A_TIME) && yields(r, p, loc, s))
                                return;
                        if (is_post(s) && !r->traffic) {
                                post(r, p, loc, s, width);
                                continue;
                        }
                        begin_call(r, p, loc, steps, width);
                }
                for (;; p->item_row++) {
                        if (!await_row(r, p, loc, steps, width))
                                return;
                        if (!(steps[p->item_row].flags & STEP_MORE))
                                break;
                }
                end_call(r, p, loc, steps, width);
        }
        if (r->status == PS_OK)
                finish_location(r, p, loc, width);
}

/* Lanes are worth as much as the registers that hold them: two or four for eight, twice as many for all. */
static void advance_1(run *r, ps_loc loc)
{
        advance(r, loc, 1);
}

static void advance_4(run *r, ps_loc loc)
{
        advance(r, loc, 4);
}

static void advance_8(run *r, ps_loc loc)
{
        advance(r, loc, LANES_USUALLY);
}

static void advance_12(run *r, ps_loc loc)
{
        advance(r, loc, LANES_OFTEN);
}

static void advance_16(run *r, ps_loc loc)
{
        advance(r, loc, LANES_MAX);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void advance_8_avx2(run *r, ps_loc loc)
{
        advance(r, loc, LANES_USUALLY);
}

__attribute__((target("avx2"))) static void advance_12_avx2(run *r, ps_loc loc)
{
        advance(r, loc, LANES_OFTEN);
}

__attribute__((target("avx2"))) static void advance_16_avx2(run *r, ps_loc loc)
{
        advance(r, loc, LANES_MAX);
}

__attribute__((target("avx512f,avx512vl"))) static void advance_8_avx512(run *r, ps_loc loc)
{
        advance(r, loc, LANES_USUALLY);
}

__attribute__((target("avx512f,avx512vl"))) static void advance_12_avx512(run *r, ps_loc loc)
{
        advance(r, loc, LANES_OFTEN);
}

__attribute__((target("avx512f,avx512vl"))) static void advance_16_avx512(run *r, ps_loc loc)
{
        advance(r, loc, LANES_MAX);
}

static replay_advance *widest(uint32_t width)
{
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
                return width == LANES_MAX     ? advance_16_avx512
                       : width == LANES_OFTEN ? advance_12_avx512
                                              : advance_8_avx512;
        if (__builtin_cpu_supports("avx2"))
                return width == LANES_MAX     ? advance_16_avx2
                       : width == LANES_OFTEN ? advance_12_avx2
                                              : advance_8_avx2;
        return width == LANES_MAX ? advance_16 : width == LANES_OFTEN ? advance_12 : advance_8;
}
#else
static replay_advance *widest(uint32_t width)
{
        return width == LANES_MAX ? advance_16 : width == LANES_OFTEN ? advance_12 : advance_8;
}
#endif

replay_advance *ps_replay_advance_of(uint32_t width)
{
        return width == 1 ? advance_1 : width == 4 ? advance_4 : widest(width);
}
