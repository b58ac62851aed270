/* merge_walk.h - how each location goes on when it is its turn: a part of merge.c, which has it in a loop.
 */
#ifndef PS_CORE_SUMS_MERGE_WALK_H
#define PS_CORE_SUMS_MERGE_WALK_H

#include "core/sums/sweep_calls.h"
#include "core/sums/turns.h"

#define PS_MERGE_INLINE static inline __attribute__((always_inline))

enum {
        MOST = PS_TURNS,  /* locations */
        WORKS = MOST,     /* in a number, behind the location: it leaves a call, and does not cease to wait */
        CALLS = 2 * MOST, /* it begins one, behind all that ends at that moment */
        TIME = 4 * MOST,  /* what a number counts a picosecond as */
        MANY_OPS = 64     /* have been followed before something odd came */
};

static const int64_t never = PS_TURNS_NEVER;

/* Where it is, or was when others went on. */
typedef enum stage {
        HAS_TO_CALL, /* with the next operation, or it stands there */
        WAITING,     /* in a call */
        WORKING,     /* the same */
        STANDING     /* it has not gone on from where it was */
} stage;

typedef struct walker {
        ps_received got; /* when its call is over; else nothing */
        const ps_time *enter, *leave;
        ps_ops ops;
        ps_pairs_calls sent;
        ps_time begin, end; /* since then it is in its state, if not busy; and when its call is over */
        ps_time ready;      /* until then it waits */
        ps_time idle, in_overhead;
        uint64_t op; /* the next one */
        ps_op first;
        ps_loc loc;
        stage stage;
        ps_time rests_at;                /* the next one of these begins then */
        const ps_span *rest, *last_rest; /* when it is idle between calls: only if that is looked for */
} walker;

typedef struct merge {
        ps_sweep *s;
        uint64_t *cell;       /* of ps_states_count */
        ptrdiff_t step, back; /* of a cell, to that with one more in communication, or with one less */
        ps_time odd;          /* then the first one has to be looked at more closely */
        int64_t limit;        /* nothing from this number on, */
        int64_t fence;        /* or from here on before something else is done */
        ps_levels levels;
        ps_waits waits;
        uint8_t does[PS_K_COUNT];
        ps_turns turns;
        walker *walker_of[MOST];
        walker walkers[MOST];
} merge;

PS_MERGE_INLINE int64_t lesser(int64_t a, int64_t b)
{
        return a < b ? a : b;
}

PS_MERGE_INLINE ps_time time_of(int64_t number)
{
        return (ps_time)((uint64_t)number / TIME);
}

/* Nobody goes on behind that. */
PS_MERGE_INLINE int64_t stand(merge *m, ps_time now)
{
        m->odd = ps_time_earlier(m->odd, now);
        m->fence = lesser(m->fence, m->odd * TIME);
        return never;
}

/* What is known: calls tell all of messages; operations are in turn, as of ps_sweep_turns; and some may be
 * twins; and some are idle between calls, again and again. */
typedef struct known {
        bool is_plain, in_turn, has_twins, has_rests;
} known;

/* The next operation from this one on. Where threads are idle between teams, many rows are none: such rows
 * change nothing, whenever they are. The last row is never passed. */
PS_MERGE_INLINE uint64_t next_op(const merge *m, const walker *w, uint64_t op, known all)
{
        while (all.has_rests && !m->does[w->ops.kind[op]] && op + 1 < w->ops.n)
                op++;
        return op;
}

/* Is it idle before that operation? */
PS_MERGE_INLINE bool rests_before(const walker *w, uint64_t op, known all)
{
        return all.has_rests && w->rests_at < w->enter[op];
}

/* When it goes on from being busy. */
PS_MERGE_INLINE ps_time next_begin(const walker *w, uint64_t op, known all)
{
        return rests_before(w, op, all) ? w->rests_at : w->enter[op];
}

/* Does it matter although it takes no time? Its messages have to come in order. */
PS_MERGE_INLINE bool matters(unsigned does)
{
        const unsigned need = does >> PS_SWEEP_ROLE & PS_WAITS_ROLE;
        return does & PS_SWEEP_SENDS || need == PS_WAITS_FOR_SENDER || need == PS_WAITS_FOR_COMPLETED;
}

/* What takes no time may be followed by more at that moment: all of it is looked at, before anybody begins
 * something then. */
PS_MERGE_INLINE bool has_odd_moment(const merge *m, const walker *w, uint64_t op, ps_time now, known all)
{
        for (uint64_t next; w->enter[op] <= now; op = next) {
                next = next_op(m, w, op + 1, all);
                const ps_time end = w->leave[op];
                const bool is_odd = end == now && matters(m->does[w->ops.kind[op]]);
                if (end < now || end > next_begin(w, next, all) || is_odd)
                        return true;
        }
        return false;
}

/* Does the next row begin and end with this one, which takes time, as those of one call do? Of both it only
 * matters what they do, and what they wait for. */
PS_MERGE_INLINE bool has_twin(const walker *w, uint64_t op, known all)
{
        return all.has_twins && w->enter[op + 1] == w->enter[op] && w->leave[op + 1] == w->leave[op];
}

/* Has the operation, or another one at that moment, to be looked at more closely? */
PS_MERGE_INLINE bool is_odd(const merge *m, const walker *w, uint64_t op, ps_time begin, known all)
{
        if (all.in_turn)
                return false;
        const ps_time end = w->leave[op];
        if (end <= begin)
                return has_odd_moment(m, w, op, begin, all);
        while (has_twin(w, op, all))
                op++;
        return end > next_begin(w, next_op(m, w, op + 1, all), all);
}

/* What is there in it, or goes on behind it. */
PS_MERGE_INLINE bool is_odd_rest(const walker *w, uint64_t op)
{
        const ps_span *next = w->rest + 1;
        return w->rest->end > w->enter[op] || (next < w->last_rest && w->rest->end > next->begin);
}

/* The next one that takes time. */
PS_MERGE_INLINE void look_for_rest(walker *w)
{
        while (w->rest < w->last_rest && w->rest->end <= w->rest->begin)
                w->rest++;
        w->rests_at = w->rest < w->last_rest ? w->rest->begin : PS_TIME_MAX;
}

/* It comes to an operation, or is idle before that, when others have gone on. */
PS_MERGE_INLINE int64_t come_to(merge *m, walker *w, uint64_t op, ps_time begin, known all)
{
        w->op = op;
        if (!all.in_turn && begin >= m->odd)
                return never;
        const bool stands = rests_before(w, op, all) ? is_odd_rest(w, op) : is_odd(m, w, op, begin, all);
        return stands ? stand(m, begin) : begin * TIME + CALLS + w->loc;
}

/* Counts are other ones from now on, in a cell so far from here. */
PS_MERGE_INLINE void move(merge *m, ptrdiff_t step, ps_time now)
{
        uint64_t *cell = m->cell;
        *cell += (uint64_t)now;
        cell += step;
        *cell -= (uint64_t)now;
        m->cell = cell;
}

PS_MERGE_INLINE void send(merge *m, const walker *w, uint64_t op, ps_time now, bool is_plain)
{
        const uint32_t call = w->ops.call[op];
        if (is_plain)
                w->sent.sent[call]++;
        else
                ps_pairs_count(&m->s->pairs, w->sent, &w->ops, (ps_ref){w->loc, (ps_op)op});
        ps_levels_rise(&m->levels, is_plain ? w->ops.calls[call].peer : ps_op_peer(&w->ops, (ps_op)op),
                       is_plain ? w->ops.calls[call].bytes : ps_op_bytes(&w->ops, (ps_op)op), now, true);
}

PS_MERGE_INLINE void receive(merge *m, walker *w, ps_time now)
{
        if (!w->got.n)
                return;
        ps_levels_fall(&m->levels, (ps_told_change){w->got.bytes, w->loc, w->got.n}, now);
        w->got.n = 0;
}

/* In a call; returns the number at which it is left. */
PS_MERGE_INLINE int64_t begin_work(walker *w, ps_time now, ps_time end)
{
        w->begin = now;
        return end * TIME + WORKS + w->loc;
}

/* The call goes on when others do. */
PS_MERGE_INLINE int64_t begin_call(merge *m, walker *w, uint64_t op, ps_span time, known all)
{
        w->end = time.end;
        w->op = next_op(m, w, op + 1, all);
        move(m, m->step, time.begin);
        return begin_work(w, time.begin, time.end);
}

PS_MERGE_INLINE int64_t begin_wait(merge *m, walker *w, uint64_t op, ps_span time, ps_time ready, known all)
{
        move(m, 1, time.begin);
        w->begin = time.begin;
        w->end = time.end;
        w->op = next_op(m, w, op + 1, all);
        w->ready = ready;
        return ready * TIME + w->loc;
}

/* It is idle before that operation, as in a call that waits all the time. */
PS_MERGE_INLINE int64_t rest(merge *m, walker *w, uint64_t op)
{
        w->op = op;
        if (is_odd_rest(w, op))
                return stand(m, w->rests_at);
        const ps_span time = *w->rest++;
        look_for_rest(w);
        move(m, 1, time.begin);
        w->begin = time.begin;
        w->end = w->ready = time.end;
        return time.end * TIME + w->loc;
}

/* Nothing else happens from its begin to its end. */
PS_MERGE_INLINE void pass_call(merge *m, walker *w, ps_time length)
{
        m->cell[0] -= (uint64_t)length;
        m->cell[m->step] += (uint64_t)length;
        w->in_overhead += length;
}

/* What a row of a call does when that begins. Returns until when it waits, if it may. */
PS_MERGE_INLINE ps_time begin_row(merge *m, const walker *w, uint64_t op, ps_span time, unsigned does,
                                  ps_received *got, known all)
{
        if (does & PS_SWEEP_SENDS && w->ops.flags[op] & PS_OP_MATCHED)
                send(m, w, op, time.begin, all.is_plain);
        if (!(does & PS_SWEEP_WAITS))
                return time.begin;
        return ps_waits_end(&m->waits, &w->ops, (ps_op)op, time, does >> PS_SWEEP_ROLE, got, all.is_plain,
                            true);
}

/* The same of a further row, with what those before it have received. */
PS_MERGE_INLINE ps_time begin_twin(merge *m, walker *w, uint64_t op, ps_span time, unsigned does, known all)
{
        ps_received got = {.is_early = w->got.is_early};
        const ps_time ready = begin_row(m, w, op, time, does, &got, all);
        got.n += w->got.n;
        got.bytes += w->got.n ? w->got.bytes : 0;
        w->got = got;
        return ready;
}

/* Operations from this one on, of which the first one begins now, up to one that others go on in. */
PS_MERGE_INLINE int64_t call(merge *m, walker *w, uint64_t op, ps_time begin, ps_time until, known all)
{
        do {
                const ps_span time = {begin, w->leave[op]};
                unsigned does = m->does[w->ops.kind[op]];
                ps_time ready = begin_row(m, w, op, time, does, &w->got, all);
                for (; has_twin(w, op, all); op++) {
                        const unsigned too = m->does[w->ops.kind[op + 1]];
                        ready = ps_time_later(ready, begin_twin(m, w, op + 1, time, too, all));
                        does |= too;
                }
                if (does & PS_SWEEP_WAITS) {
                        if (ready > begin)
                                return begin_wait(m, w, op, time, ready, all);
                        if (time.end > until)
                                return begin_call(m, w, op, time, all);
                        pass_call(m, w, time.end - begin);
                        receive(m, w, time.end);
                } else if (does) {
                        if (time.end > until)
                                return begin_call(m, w, op, time, all);
                        pass_call(m, w, time.end - begin);
                }
                op = next_op(m, w, op + 1, all);
                begin = next_begin(w, op, all);
                if (begin >= until)
                        return come_to(m, w, op, begin, all);
                if (rests_before(w, op, all))
                        return rest(m, w, op);
        } while (!is_odd(m, w, op, begin, all));
        w->op = op;
        return stand(m, begin);
}

PS_MERGE_INLINE int64_t cease_to_wait(merge *m, walker *w, ps_time now)
{
        w->idle += now - w->begin;
        move(m, m->step - 1, now);
        return begin_work(w, now, w->end);
}

PS_MERGE_INLINE void leave(merge *m, walker *w, ps_time now)
{
        w->in_overhead += now - w->begin;
        move(m, m->back, now);
        receive(m, w, now);
}

/* Both at once, as idle times end. */
PS_MERGE_INLINE void leave_waiting(merge *m, walker *w, ps_time now)
{
        w->idle += now - w->begin;
        move(m, -1, now);
        receive(m, w, now);
}

/* What has that number, and all that comes before `until`. Returns where it goes on. */
PS_MERGE_INLINE int64_t go_on(merge *m, walker *w, int64_t number, ps_time until, known all)
{
        ps_time now = time_of(number);
        if (!(number & CALLS)) {
                if (all.has_rests && !(number & WORKS) && w->end == now) {
                        leave_waiting(m, w, now);
                } else {
                        if (!(number & WORKS)) {
                                const int64_t next = cease_to_wait(m, w, now);
                                if (w->end > until)
                                        return next;
                                now = w->end;
                        }
                        leave(m, w, now);
                }
                now = next_begin(w, w->op, all);
                if (now >= until || (!rests_before(w, w->op, all) && is_odd(m, w, w->op, now, all)))
                        return come_to(m, w, w->op, now, all);
        }
        if (rests_before(w, w->op, all))
                return rest(m, w, w->op);
        return call(m, w, w->op, now, until, all);
}

#endif
