/* merge.c - see merge.h.
 *
 * Each location has a number for what comes next there: when, whether a message begins with it, and which
 * location it is; so that of one moment what ends comes before what begins. The one with the least number
 * goes on until another one's is less. Mostly it makes some short calls then, between which nothing else
 * happens: of such a call it only matters how long it takes. */
#include "core/sums/merge.h"

#include "core/sums/sweep_calls.h"
#include "core/sums/turns.h"

#define INLINE static inline __attribute__((always_inline))

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

INLINE int64_t lesser(int64_t a, int64_t b)
{
        return a < b ? a : b;
}

INLINE ps_time time_of(int64_t number)
{
        return (ps_time)((uint64_t)number / TIME);
}

/* Nobody goes on behind that. */
INLINE int64_t stand(merge *m, ps_time now)
{
        m->odd = ps_time_earlier(m->odd, now);
        m->fence = lesser(m->fence, m->odd * TIME);
        return never;
}

/* What takes no time may be followed by more at that moment: all of it is looked at, before anybody begins
 * something then. */
INLINE bool has_odd_moment(const merge *m, const walker *w, uint64_t op, ps_time now)
{
        for (; w->enter[op] <= now; op++) {
                const ps_time end = w->leave[op];
                const bool takes_none =
                        end == now && m->does[w->ops.kind[op]] & (PS_SWEEP_SENDS | PS_SWEEP_WAITS);
                if (end < now || end > w->enter[op + 1] || takes_none)
                        return true;
        }
        return false;
}

/* What is known: calls tell all of messages; and operations are in turn, see are_in_turn(). */
typedef struct known {
        bool is_plain, in_turn;
} known;

/* Has the operation, or another one at that moment, to be looked at more closely? */
INLINE bool is_odd(const merge *m, const walker *w, uint64_t op, ps_time begin, known all)
{
        if (all.in_turn)
                return false;
        const ps_time end = w->leave[op];
        return end > w->enter[op + 1] || (end <= begin && has_odd_moment(m, w, op, begin));
}

/* It comes to an operation when others have gone on. */
INLINE int64_t come_to(merge *m, walker *w, uint64_t op, ps_time begin, known all)
{
        w->op = op;
        if (!all.in_turn && begin >= m->odd)
                return never;
        return is_odd(m, w, op, begin, all) ? stand(m, begin) : begin * TIME + CALLS + w->loc;
}

/* Counts are other ones from now on, in a cell so far from here. */
INLINE void move(merge *m, ptrdiff_t step, ps_time now)
{
        uint64_t *cell = m->cell;
        *cell += (uint64_t)now;
        cell += step;
        *cell -= (uint64_t)now;
        m->cell = cell;
}

INLINE void send(merge *m, const walker *w, uint64_t op, ps_time now, bool is_plain)
{
        const uint32_t call = w->ops.call[op];
        if (is_plain)
                w->sent.sent[call]++;
        else
                ps_pairs_count(&m->s->pairs, w->sent, &w->ops, (ps_ref){w->loc, (ps_op)op});
        ps_levels_rise(&m->levels, is_plain ? w->ops.calls[call].peer : ps_op_peer(&w->ops, (ps_op)op),
                       is_plain ? w->ops.calls[call].bytes : ps_op_bytes(&w->ops, (ps_op)op), now, true);
}

INLINE void receive(merge *m, walker *w, ps_time now)
{
        if (!w->got.n)
                return;
        ps_levels_fall(&m->levels, (ps_told_change){w->got.bytes, w->loc, w->got.n}, now);
        w->got.n = 0;
}

/* In a call; returns the number at which it is left. */
INLINE int64_t begin_work(walker *w, ps_time now, ps_time end)
{
        w->begin = now;
        return end * TIME + WORKS + w->loc;
}

/* The call goes on when others do. */
INLINE int64_t begin_call(merge *m, walker *w, uint64_t op, ps_span time)
{
        w->end = time.end;
        w->op = op + 1;
        move(m, m->step, time.begin);
        return begin_work(w, time.begin, time.end);
}

INLINE int64_t begin_wait(merge *m, walker *w, uint64_t op, ps_span time, ps_time ready)
{
        move(m, 1, time.begin);
        w->begin = time.begin;
        w->end = time.end;
        w->op = op + 1;
        w->ready = ready;
        return ready * TIME + w->loc;
}

/* Nothing else happens from its begin to its end. */
INLINE void pass_call(merge *m, walker *w, ps_time length)
{
        m->cell[0] -= (uint64_t)length;
        m->cell[m->step] += (uint64_t)length;
        w->in_overhead += length;
}

/* Operations from this one on, of which the first one begins now, up to one that others go on in. */
INLINE int64_t call(merge *m, walker *w, uint64_t op, ps_time begin, ps_time until, known all)
{
        do {
                const unsigned does = m->does[w->ops.kind[op]];
                const ps_span time = {begin, w->leave[op]};
                if (does & PS_SWEEP_SENDS && w->ops.flags[op] & PS_OP_MATCHED)
                        send(m, w, op, begin, all.is_plain);
                if (does & PS_SWEEP_WAITS) {
                        const ps_time ready =
                                ps_waits_end(&m->waits, &w->ops, (ps_op)op, time, does >> PS_SWEEP_ROLE,
                                             &w->got, all.is_plain, true);
                        if (ready > begin)
                                return begin_wait(m, w, op, time, ready);
                        if (time.end > until)
                                return begin_call(m, w, op, time);
                        pass_call(m, w, time.end - begin);
                        receive(m, w, time.end);
                } else if (does) {
                        if (time.end > until)
                                return begin_call(m, w, op, time);
                        pass_call(m, w, time.end - begin);
                }
                begin = w->enter[++op];
                if (begin >= until)
                        return come_to(m, w, op, begin, all);
        } while (!is_odd(m, w, op, begin, all));
        w->op = op;
        return stand(m, begin);
}

INLINE int64_t cease_to_wait(merge *m, walker *w, ps_time now)
{
        w->idle += now - w->begin;
        move(m, m->step - 1, now);
        return begin_work(w, now, w->end);
}

INLINE void leave(merge *m, walker *w, ps_time now)
{
        w->in_overhead += now - w->begin;
        move(m, m->back, now);
        receive(m, w, now);
}

/* What has that number, and all that comes before `until`. Returns where it goes on. */
INLINE int64_t go_on(merge *m, walker *w, int64_t number, ps_time until, known all)
{
        ps_time now = time_of(number);
        if (!(number & CALLS)) {
                if (!(number & WORKS)) {
                        const int64_t next = cease_to_wait(m, w, now);
                        if (w->end > until)
                                return next;
                        now = w->end;
                }
                leave(m, w, now);
                now = w->enter[w->op];
                if (now >= until)
                        return come_to(m, w, w->op, now, all);
        }
        return call(m, w, w->op, now, until, all);
}

static int64_t first_later(const ps_changes *c)
{
        return c->n_later ? lesser(c->later->time, never / TIME) * TIME : never;
}

/* Of messages that end behind the window in which that was seen. */
static void receive_later(merge *m)
{
        const ps_later_change later = ps_changes_take_later(&m->s->changes);
        ps_levels_fall(&m->levels, later.received, later.time);
}

/* Nothing is left to be done before the fence. Is there more behind it? */
static __attribute__((noinline)) bool pass_fence(merge *m)
{
        const ps_changes *c = &m->s->changes;
        const int64_t limit = lesser(m->limit, m->odd * TIME);
        if (limit <= first_later(c))
                return false;
        receive_later(m);
        m->fence = lesser(limit, first_later(c));
        return true;
}

/* All numbers less than the limit. */
PS_TURNS_TARGET INLINE void go(merge *m, known all)
{
        ps_turns o = m->turns;
        do {
                for (int64_t number; (number = ps_turns_first(&o)) < m->fence;) {
                        const ps_time until = time_of(lesser(ps_turns_second(&o), m->fence));
                        walker *w = m->walker_of[number & (MOST - 1)];
                        ps_turns_replace_first(&o, go_on(m, w, number, until, all));
                }
        } while (pass_fence(m));
        m->turns = o;
}

PS_TURNS_TARGET static void go_any(merge *m)
{
        go(m, (known){false, false});
}

PS_TURNS_TARGET static void go_plain(merge *m)
{
        go(m, (known){true, false});
}

PS_TURNS_TARGET static void go_in_turn(merge *m)
{
        go(m, (known){true, true});
}

/* Does it only call one after the other from here on, for some time? */
static bool can_go(const walker *w, ps_time odd)
{
        return w->op + 1 < w->ops.n && w->end < odd && w->enter[w->op] >= w->end;
}

static int64_t begin(merge *m, ps_loc loc)
{
        const ps_sweep *s = m->s;
        const ps_sweep_track *t = &s->tracks[loc];
        const ps_ops *ops = &s->trace->ops[loc];
        walker *w = m->walker_of[loc] = &m->walkers[loc];
        ps_time odd = s->timing->duration;
        *w = (walker){.enter = s->timing->enter[loc],
                      .leave = s->timing->leave[loc],
                      .ops = *ops,
                      .sent = s->pairs.calls[loc],
                      .loc = loc,
                      .op = t->next_op,
                      .first = t->next_op,
                      .begin = t->since,
                      .end = t->next};
        if (ops->n)
                odd = ps_time_earlier(odd, w->enter[ops->n - 1]);
        if (t->next_idle < t->n_idle)
                odd = ps_time_earlier(odd, t->idle[t->next_idle].begin);
        if (t->state != PS_STATE_BUSY)
                w->end = t->state == PS_STATE_IDLE ? ps_time_later(t->busy_until, t->idle_until)
                                                   : t->busy_until;
        if (!can_go(w, odd)) {
                (void)stand(m, t->next);
                w->stage = STANDING;
                return never;
        }
        m->odd = ps_time_earlier(m->odd, odd);
        if (t->state == PS_STATE_BUSY)
                return come_to(m, w, w->op, w->enter[w->op], (known){false, false});
        w->ready = t->idle_until;
        return (t->state == PS_STATE_IDLE ? w->ready * TIME : w->end * TIME + WORKS) + loc;
}

/* From the numbers. */
static void tell_stages(merge *m)
{
        int64_t number[MOST];
        memcpy(number, &m->turns, sizeof(number));
        for (walker *w = m->walkers; w < m->walkers + MOST; w++)
                if (w->stage != STANDING)
                        w->stage = HAS_TO_CALL;
        for (unsigned i = 0; i < MOST && number[i] < never; i++)
                if (!(number[i] & CALLS))
                        m->walker_of[number[i] & (MOST - 1)]->stage = number[i] & WORKS ? WORKING : WAITING;
}

static void begin_all(merge *m)
{
        int64_t number[MOST];
        for (ps_loc loc = 0; loc < MOST; loc++) {
                const int64_t next = loc < m->s->trace->n_locs ? begin(m, loc) : never;
                ps_loc at = loc;
                for (; at > 0 && number[at - 1] > next; at--)
                        number[at] = number[at - 1];
                number[at] = next;
        }
        memcpy(&m->turns, number, sizeof(number));
        tell_stages(m);
}

/* What somebody else goes on with. */
static int end(const merge *m, ps_loc loc)
{
        ps_sweep *s = m->s;
        ps_sweep_track *t = &s->tracks[loc];
        const walker *w = &m->walkers[loc];
        if (w->stage == STANDING)
                return 0;
        t->told[PS_STATE_IDLE] += w->idle;
        t->told[PS_STATE_OVERHEAD] += w->in_overhead;
        t->next_op = (ps_op)w->op;
        t->state = w->stage == WAITING   ? PS_STATE_IDLE
                   : w->stage == WORKING ? PS_STATE_OVERHEAD
                                         : PS_STATE_BUSY;
        t->next = t->state == PS_STATE_BUSY ? w->enter[w->op] : w->stage == WAITING ? w->ready : w->end;
        if (t->next_idle < t->n_idle)
                t->next = ps_time_earlier(t->next, t->idle[t->next_idle].begin);
        if (t->state == PS_STATE_BUSY)
                return 0;
        t->since = w->begin;
        t->busy_until = w->end;
        if (t->state == PS_STATE_IDLE)
                t->idle_until = w->ready;
        return w->got.n ? ps_changes_receive(&s->changes, w->end,
                                             (ps_told_change){w->got.bytes, loc, w->got.n})
                        : 0;
}

/* Does each operation take time, and end before the next one begins? */
PS_TURNS_TARGET static bool are_in_turn(const ps_time *enter, const ps_time *leave, ps_op n)
{
        enum { AT_ONCE = 4096 };
        for (ps_op op = 0; op + 1 < n;) {
                const ps_op end = n - 1 - op < AT_ONCE ? n - 1 : op + AT_ONCE;
                int64_t is_odd = 0;
                for (; op < end; op++)
                        is_odd |= (leave[op] <= enter[op]) | (leave[op] > enter[op + 1]);
                if (is_odd)
                        return false;
        }
        return true;
}

static bool are_all_in_turn(const ps_sweep *s)
{
        for (ps_loc loc = 0; loc < s->trace->n_locs; loc++)
                if (!are_in_turn(s->timing->enter[loc], s->timing->leave[loc], s->trace->ops[loc].n))
                        return false;
        return true;
}

bool ps_merge_can(ps_sweep *s)
{
        if (!ps_turns_can() || !s->is_causal || s->levels.tells_queues || !s->states.both ||
            s->trace->n_locs > MOST || s->timing->duration >= never / TIME)
                return false;
        for (ps_loc loc = 0; loc < s->trace->n_locs; loc++)
                if (s->trace->ops[loc].n && s->tracks[loc].row == PS_NONE)
                        return false;
        s->are_in_turn = are_all_in_turn(s);
        return true;
}

/* The times at which locations were no longer so, less those at which they became so. */
static ps_states_count count(const merge *m)
{
        ps_states_count count = {0};
        for (const walker *w = m->walkers; w < m->walkers + m->s->trace->n_locs; w++) {
                count.idle += (uint64_t)w->idle - (w->stage == WAITING ? (uint64_t)w->begin : 0);
                count.in_overhead +=
                        (uint64_t)w->in_overhead - (w->stage == WORKING ? (uint64_t)w->begin : 0);
        }
        return count;
}

static bool is_early(const merge *m)
{
        for (const walker *w = m->walkers; w < m->walkers + m->s->trace->n_locs; w++)
                if (w->got.is_early)
                        return true;
        return false;
}

/* Up to a stop, or to what is odd. Returns where that is. */
static ps_time go_to_stop(merge *m, ps_time stop)
{
        ps_sweep *s = m->s;
        const ps_time now = ps_time_earlier(stop, m->odd);
        const ps_states_count before = count(m);
        m->cell = ps_states_open(&s->states).cell;
        m->levels = s->levels;
        m->limit = now * TIME + (now < m->odd && now < s->timing->duration ? CALLS : 0);
        m->fence = lesser(m->limit, first_later(&s->changes));
        (!m->waits.is_plain ? go_any : s->are_in_turn ? go_in_turn : go_plain)(m);
        tell_stages(m);
        s->levels = m->levels;
        const ps_time reached = ps_time_earlier(stop, m->odd);
        ps_states_count after = count(m);
        after = (ps_states_count){m->cell, after.in_overhead - before.in_overhead, after.idle - before.idle};
        ps_states_close(&s->states, &after, reached);
        return reached;
}

/* Bins and parts of the focus one after the other. Returns where that ends. */
static ps_time go_to(merge *m, ps_time last)
{
        for (;;) {
                const ps_time reached = go_to_stop(m, ps_time_earlier(ps_states_stop(&m->s->states), last));
                if (reached == last || reached == m->odd || is_early(m))
                        return reached;
                ps_states_pass(&m->s->states);
        }
}

int ps_merge_follow(ps_sweep *s)
{
        const ps_time from = s->changes.window.end, last = ps_time_earlier(s->timing->duration, s->only.end);
        const ptrdiff_t step = (ptrdiff_t)s->out->n_rows + 1;
        merge m = {.s = s, .step = step, .back = -step, .odd = PS_TIME_MAX / TIME, .waits = s->waits};
        if (from < s->only.begin || from >= last)
                return 0;
        memcpy(m.does, s->does, sizeof(m.does));
        begin_all(&m);
        const ps_time now = go_to(&m, last);
        s->is_early |= is_early(&m);
        s->changes.window = (ps_span){from, now};
        uint64_t n = 0;
        int lacks = 0;
        for (ps_loc loc = 0; loc < s->trace->n_locs && !lacks; loc++) {
                lacks = end(&m, loc);
                n += m.walkers[loc].op - m.walkers[loc].first;
        }
        /* What is odd is looked at a few operations long. */
        if (n > MANY_OPS)
                s->length = (ps_time)((double)(now - from) / (double)n * s->trace->n_locs) + 1;
        return lacks;
}
