/* merge.c - see merge.h.
 *
 * Each location has a number for what comes next there: when, whether a message begins with it, and which
 * location it is; so that of one moment what ends comes before what begins. The one with the least number
 * goes on until another one's is less. Mostly it makes some short calls then, between which nothing else
 * happens: of such a call it only matters how long it takes. */
#include "core/sums/merge.h"

#include "core/sums/sweep_calls.h"

#define INLINE static inline __attribute__((always_inline))

enum {
        MOST = 8,          /* locations */
        BEGINS = MOST,     /* in a number: behind the location */
        TIME = 2 * BEGINS, /* what a number counts a picosecond as */
        MANY_OPS = 64      /* have been followed before something odd came */
};

static const int64_t never = INT64_MAX;

/* What comes next. */
typedef enum stage {
        CALLS,  /* it begins an operation */
        WAITS,  /* it ceases to wait */
        WORKS,  /* it leaves a call */
        STANDS, /* what has to be looked at more closely */
        STOOD   /* the same, and it has not gone on from there */
} stage;

typedef struct walker {
        const ps_time *enter, *leave;
        const uint8_t *kind;
        const ps_ops *ops;
        ps_pairs_calls sent;
        ps_time begin, end; /* since then it is in its state, if not busy; and when its call is over */
        ps_time idle, in_overhead;
        uint64_t got_bytes; /* when its call is over */
        uint32_t got;
        ps_op op; /* the next one */
        ps_op first;
        ps_loc loc;
        stage stage;
} walker;

typedef struct merge {
        ps_sweep *s;
        ps_states_count count;
        ptrdiff_t step; /* of a cell, to that with one more in communication */
        ps_time odd;    /* then the first one has to be looked at more closely */
        int64_t limit;  /* nothing from this number on, */
        int64_t fence;  /* or from here on before something else is done */
        int64_t others; /* the least number but for that of who goes on */
        ps_levels levels;
        ps_waits waits;
        bool is_early;
        uint8_t does[PS_K_COUNT];
        _Alignas(32) int64_t number[MOST];
        walker *walker_of[MOST];
        walker walkers[MOST];
} merge;

INLINE int64_t lesser(int64_t a, int64_t b)
{
        return a < b ? a : b;
}

typedef int64_t four __attribute__((vector_size(32)));
typedef int64_t two __attribute__((vector_size(16)));

/* `is_wide`: where a register holds four of them. */
INLINE int64_t least(const int64_t *number, bool is_wide)
{
        if (is_wide) {
                const four a = *(const four *)number, b = *(const four *)(number + 4), is_more = a > b,
                           less = (a & ~is_more) | (b & is_more);
                const two c = {less[0], less[1]}, d = {less[2], less[3]}, is_more_2 = c > d,
                          less_2 = (c & ~is_more_2) | (d & is_more_2);
                return lesser(less_2[0], less_2[1]);
        }
        int64_t out = number[0];
        for (unsigned i = 1; i < MOST; i++)
                out = lesser(out, number[i]);
        return out;
}

INLINE ps_time time_of(int64_t number)
{
        return (ps_time)((uint64_t)number / TIME);
}

/* Nobody goes on behind that. */
static __attribute__((noinline)) int64_t stand(merge *m, walker *w, ps_time now)
{
        w->stage = STANDS;
        m->odd = ps_time_earlier(m->odd, now);
        m->fence = lesser(m->fence, m->odd * TIME);
        return never;
}

/* Has the operation to be looked at more closely? */
INLINE bool is_odd(const walker *w, ps_op op, ps_span time, unsigned does)
{
        return time.end > w->enter[op + 1] ||
               (time.end <= time.begin &&
                (time.end < time.begin || does & (PS_SWEEP_SENDS | PS_SWEEP_WAITS)));
}

/* It comes to an operation when others have gone on. */
INLINE int64_t come_to(merge *m, walker *w, ps_op op, ps_time begin)
{
        w->op = op;
        w->stage = CALLS;
        if (begin >= m->odd)
                return never;
        const int64_t number = begin * TIME + w->loc;
        if (!(m->does[w->kind[op]] & PS_SWEEP_SENDS))
                return number;
        if (is_odd(w, op, (ps_span){begin, w->leave[op]}, PS_SWEEP_SENDS))
                return stand(m, w, begin);
        return number + BEGINS;
}

/* Counts are other ones from now on, in a cell so far from here. */
INLINE void move(merge *m, ptrdiff_t step, ps_time now)
{
        uint64_t *cell = m->count.cell;
        *cell += (uint64_t)now;
        cell += step;
        *cell -= (uint64_t)now;
        m->count.cell = cell;
}

INLINE void send(merge *m, const walker *w, ps_op op, ps_time now, bool is_plain)
{
        const ps_ops *ops = w->ops;
        const uint32_t call = ops->call[op];
        if (is_plain)
                w->sent.sent[call]++;
        else
                ps_pairs_count(&m->s->pairs, w->sent, ops, (ps_ref){w->loc, op});
        ps_levels_rise(&m->levels, is_plain ? ops->calls[call].peer : ps_op_peer(ops, op),
                       is_plain ? ops->calls[call].bytes : ps_op_bytes(ops, op), now, true);
}

INLINE void receive(merge *m, const walker *w, ps_time now)
{
        if (w->got)
                ps_levels_fall(&m->levels, (ps_told_change){w->got_bytes, w->loc, w->got}, now);
}

/* In a call; returns the number at which it is left. */
INLINE int64_t begin_work(merge *m, walker *w, ps_time now)
{
        m->count.in_overhead -= (uint64_t)now;
        w->begin = now;
        w->stage = WORKS;
        return w->end * TIME + w->loc;
}

/* What is received when the call is over is noted. Returns until when it waits. */
INLINE ps_time wait_until(merge *m, walker *w, ps_op op, ps_span time, bool is_plain)
{
        ps_received got = {0};
        const ps_time ready = ps_waits_end(&m->waits, w->ops, op, time, &got, is_plain);
        m->is_early |= got.is_early;
        w->got = got.n;
        w->got_bytes = got.bytes;
        return ready;
}

/* The call goes on when others do. */
INLINE int64_t begin_call(merge *m, walker *w, ps_op op, ps_span time)
{
        w->end = time.end;
        w->op = op + 1;
        move(m, m->step, time.begin);
        return begin_work(m, w, time.begin);
}

INLINE int64_t begin_wait(merge *m, walker *w, ps_op op, ps_span time, ps_time ready)
{
        move(m, 1, time.begin);
        m->count.idle -= (uint64_t)time.begin;
        w->begin = time.begin;
        w->end = time.end;
        w->op = op + 1;
        w->stage = WAITS;
        return ready * TIME + w->loc;
}

/* Nothing else happens from its begin to its end. */
INLINE void pass_call(merge *m, walker *w, ps_time length)
{
        m->count.cell[0] -= (uint64_t)length;
        m->count.cell[m->step] += (uint64_t)length;
        m->count.in_overhead += (uint64_t)length;
        w->in_overhead += length;
}

/* Operations from this one on, of which the first one begins now, up to one that others go on in. */
INLINE int64_t call(merge *m, walker *w, ps_op op, ps_time begin, ps_time until, bool is_plain)
{
        do {
                const unsigned does = m->does[w->kind[op]];
                const ps_span time = {begin, w->leave[op]};
                if (is_odd(w, op, time, does)) {
                        w->op = op;
                        return stand(m, w, begin);
                }
                if (does & PS_SWEEP_WAITS) {
                        if (does & PS_SWEEP_SENDS && w->ops->flags[op] & PS_OP_MATCHED)
                                send(m, w, op, begin, is_plain);
                        const ps_time ready = wait_until(m, w, op, time, is_plain);
                        if (ready > begin)
                                return begin_wait(m, w, op, time, ready);
                        if (time.end >= until)
                                return begin_call(m, w, op, time);
                        pass_call(m, w, time.end - begin);
                        receive(m, w, time.end);
                } else if (does) {
                        if (does & PS_SWEEP_SENDS && w->ops->flags[op] & PS_OP_MATCHED)
                                send(m, w, op, begin, is_plain);
                        if (time.end >= until) {
                                w->got = 0;
                                return begin_call(m, w, op, time);
                        }
                        pass_call(m, w, time.end - begin);
                }
                begin = w->enter[++op];
        } while (begin < until);
        return come_to(m, w, op, begin);
}

INLINE int64_t cease_to_wait(merge *m, walker *w, ps_time now)
{
        w->idle += now - w->begin;
        m->count.idle += (uint64_t)now;
        move(m, m->step - 1, now);
        return begin_work(m, w, now);
}

INLINE void leave(merge *m, walker *w)
{
        const ps_time now = w->end;
        w->in_overhead += now - w->begin;
        m->count.in_overhead += (uint64_t)now;
        move(m, -m->step, now);
        receive(m, w, now);
}

/* What comes now, and all that comes before `until`. Returns where it goes on. */
INLINE int64_t go_on(merge *m, walker *w, ps_time now, ps_time until, bool is_plain)
{
        bool works = w->stage == WORKS;
        if (w->stage == WAITS) {
                const int64_t number = cease_to_wait(m, w, now);
                if (w->end >= until)
                        return number;
                works = true;
        }
        if (works) {
                leave(m, w);
                now = w->enter[w->op];
                if (now >= until)
                        return come_to(m, w, w->op, now);
        }
        return call(m, w, w->op, now, until, is_plain);
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
INLINE void go(merge *m, bool is_plain, bool is_wide)
{
        int64_t number = least(m->number, is_wide);
        for (;;) {
                if (number >= m->fence) {
                        if (!pass_fence(m))
                                return;
                        continue;
                }
                walker *w = m->walker_of[number & (MOST - 1)];
                m->number[number & (MOST - 1)] = never;
                m->others = least(m->number, is_wide);
                const int64_t next =
                        go_on(m, w, time_of(number), time_of(lesser(m->others, m->fence)), is_plain);
                m->number[w->loc] = next;
                number = lesser(m->others, next);
        }
}

static void go_any(merge *m)
{
        go(m, false, false);
}

static void go_plain(merge *m)
{
        go(m, true, false);
}

/* The least number is found in a few steps where a register holds four of them. */
#if defined(__x86_64__)
__attribute__((target("avx2"))) static void go_plain_avx2(merge *m)
{
        go(m, true, true);
}

static bool is_wide(void)
{
        return __builtin_cpu_supports("avx2");
}
#else
static void go_plain_avx2(merge *m)
{
        go_plain(m);
}

static bool is_wide(void)
{
        return false;
}
#endif

/* Does it only call one after the other from here on, for some time? */
static bool can_go(const walker *w, ps_time odd)
{
        return w->op + 1 < w->ops->n && w->end < odd && w->enter[w->op] >= w->end;
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
                      .kind = ops->kind,
                      .ops = ops,
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
                (void)stand(m, w, t->next);
                w->stage = STOOD;
                return never;
        }
        m->odd = ps_time_earlier(m->odd, odd);
        if (t->state == PS_STATE_BUSY)
                return come_to(m, w, w->op, w->enter[w->op]);
        w->stage = t->state == PS_STATE_IDLE ? WAITS : WORKS;
        return (w->stage == WAITS ? t->idle_until : w->end) * TIME + loc;
}

/* What somebody else goes on with. */
static int end(const merge *m, ps_loc loc)
{
        ps_sweep *s = m->s;
        ps_sweep_track *t = &s->tracks[loc];
        const walker *w = &m->walkers[loc];
        if (w->stage == STOOD)
                return 0;
        t->told[PS_STATE_IDLE] += w->idle;
        t->told[PS_STATE_OVERHEAD] += w->in_overhead;
        t->next_op = w->op;
        t->state = w->stage == WAITS ? PS_STATE_IDLE : w->stage == WORKS ? PS_STATE_OVERHEAD : PS_STATE_BUSY;
        t->next = t->state == PS_STATE_BUSY ? w->enter[w->op] : time_of(m->number[loc]);
        if (t->next_idle < t->n_idle)
                t->next = ps_time_earlier(t->next, t->idle[t->next_idle].begin);
        if (t->state == PS_STATE_BUSY)
                return 0;
        t->since = w->begin;
        t->busy_until = w->end;
        if (t->state == PS_STATE_IDLE)
                t->idle_until = time_of(m->number[loc]);
        return w->got ? ps_changes_receive(&s->changes, w->end, (ps_told_change){w->got_bytes, loc, w->got})
                      : 0;
}

bool ps_merge_can(const ps_sweep *s)
{
        if (!s->is_causal || s->levels.tells_queues || !s->states.both || s->trace->n_locs > MOST ||
            s->timing->duration >= never / TIME)
                return false;
        for (ps_loc loc = 0; loc < s->trace->n_locs; loc++)
                if (s->trace->ops[loc].n && s->tracks[loc].row == PS_NONE)
                        return false;
        return true;
}

/* Bins and parts of the focus one after the other. Returns where that ends. */
static ps_time go_to(merge *m, ps_time last)
{
        ps_sweep *s = m->s;
        for (;;) {
                const ps_time stop = ps_time_earlier(ps_states_stop(&s->states), last);
                const ps_time now = ps_time_earlier(stop, m->odd);
                m->count = ps_states_open(&s->states);
                m->levels = s->levels;
                m->limit = now * TIME + (now < m->odd && now < s->timing->duration ? BEGINS : 0);
                m->fence = lesser(m->limit, first_later(&s->changes));
                (!m->waits.is_plain ? go_any : is_wide() ? go_plain_avx2 : go_plain)(m);
                s->levels = m->levels;
                const ps_time reached = ps_time_earlier(stop, m->odd);
                ps_states_close(&s->states, &m->count, reached);
                if (reached == last || reached == m->odd || m->is_early)
                        return reached;
                ps_states_pass(&s->states);
        }
}

int ps_merge_follow(ps_sweep *s)
{
        const ps_time from = s->changes.window.end, last = ps_time_earlier(s->timing->duration, s->only.end);
        merge m = {
                .s = s, .step = (ptrdiff_t)s->out->n_rows + 1, .odd = PS_TIME_MAX / TIME, .waits = s->waits};
        if (from < s->only.begin || from >= last)
                return 0;
        memcpy(m.does, s->does, sizeof(m.does));
        for (ps_loc loc = 0; loc < MOST; loc++)
                m.number[loc] = loc < s->trace->n_locs ? begin(&m, loc) : never;
        const ps_time now = go_to(&m, last);
        s->is_early |= m.is_early;
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
