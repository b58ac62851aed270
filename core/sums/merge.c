/* merge.c - see merge.h.
 *
 * Each location has a number for what comes next there: when, whether a message begins with it, and which
 * location it is; so that of one moment what ends comes before what begins. The one with the least number
 * goes on until another one's is less. Mostly it makes some short calls then, between which nothing else
 * happens: of such a call it only matters how long it takes. */
#include "core/sums/merge.h"

#include "core/sums/merge_walk.h"

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
PS_TURNS_TARGET PS_MERGE_INLINE void go(merge *m, known all)
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

/* By what is known. */
#define GO(is_plain, in_turn, has_twins)                                                                     \
        PS_TURNS_TARGET static void go_##is_plain##in_turn##has_twins(merge *m)                              \
        {                                                                                                    \
                go(m, (known){is_plain, in_turn, has_twins, false});                                         \
        }
GO(0, 0, 0)
GO(0, 0, 1)
GO(0, 1, 0)
GO(0, 1, 1)
GO(1, 0, 0)
GO(1, 0, 1)
GO(1, 1, 0)
GO(1, 1, 1)
PS_TURNS_TARGET static void go_with_rests(merge *m)
{
        go(m, (known){.has_twins = true, .has_rests = true});
}
#undef GO

static void (*const go_by[2][2][2])(merge *m) = {{{go_000, go_001}, {go_010, go_011}},
                                                 {{go_100, go_101}, {go_110, go_111}}};

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
        const ps_time last = ops->n ? s->timing->enter[loc][ops->n - 1] : 0;
        ps_time odd = ps_time_earlier(s->timing->duration, last);
        const known all = {.has_twins = s->turns.has_twins, .has_rests = s->has_rests};
        *w = (walker){.enter = s->timing->enter[loc],
                      .leave = s->timing->leave[loc],
                      .ops = *ops,
                      .sent = s->pairs.calls[loc],
                      .loc = loc,
                      .op = t->next_op,
                      .first = t->next_op,
                      .begin = t->since,
                      .end = t->next,
                      .rest = t->idle + t->next_idle,
                      .last_rest = t->idle + t->n_idle};
        if (t->state != PS_STATE_BUSY)
                w->end = t->state == PS_STATE_IDLE ? ps_time_later(t->busy_until, t->idle_until)
                                                   : t->busy_until;
        look_for_rest(w);
        if (w->op < w->ops.n)
                w->op = next_op(m, w, w->op, all);
        if (w->rests_at < PS_TIME_MAX && (!s->has_rests || w->rests_at < w->end))
                odd = ps_time_earlier(odd, w->rests_at);
        if (last >= never / TIME || !can_go(w, odd)) { /* of a kept load it may be any time */
                (void)stand(m, t->next);
                w->stage = STANDING;
                return never;
        }
        m->odd = ps_time_earlier(m->odd, odd);
        if (t->state == PS_STATE_BUSY)
                return come_to(m, w, w->op, next_begin(w, w->op, all), all);
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
        t->next_idle = (uint32_t)(w->rest - t->idle);
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

/* The same of all that have no twin behind them; some may have. */
PS_TURNS_TARGET static ps_sweep_turns look_for_twins(const ps_time *enter, const ps_time *leave, ps_op n)
{
        int64_t is_odd = 0, has_twins = 0;
        for (ps_op op = 0; op + 1 < n; op++) {
                const int64_t differs = (enter[op] ^ enter[op + 1]) | (leave[op] ^ leave[op + 1]);
                has_twins |= (leave[op] > enter[op]) & (differs == 0);
                is_odd |= (leave[op] <= enter[op]) | ((leave[op] > enter[op + 1]) & (differs != 0));
        }
        return (ps_sweep_turns){!is_odd, has_twins};
}

static ps_sweep_turns turns_of_all(const ps_sweep *s)
{
        ps_sweep_turns all = {true, false};
        for (ps_loc loc = 0; loc < s->trace->n_locs; loc++) {
                const ps_time *enter = s->timing->enter[loc], *leave = s->timing->leave[loc];
                if (are_in_turn(enter, leave, s->trace->ops[loc].n))
                        continue;
                const ps_sweep_turns one = look_for_twins(enter, leave, s->trace->ops[loc].n);
                all.in_turn &= one.in_turn;
                all.has_twins |= one.has_twins;
        }
        return all;
}

/* Are they idle so often that it is worth while not to look more closely each time? */
static bool rest_often(const ps_sweep *s)
{
        enum { RARE = 1024, ONCE = 2 }; /* before it begins and behind its end */
        uint64_t n = 0;
        for (ps_loc loc = 0; loc < s->trace->n_locs; loc++)
                n += s->tracks[loc].n_idle;
        return n > s->trace->n_locs * (uint64_t)ONCE + s->trace->n_operations / RARE;
}

bool ps_merge_can(ps_sweep *s)
{
        if (!ps_turns_can() || !s->is_causal || s->levels.tells_queues || !s->states.both ||
            s->trace->n_locs > MOST || s->timing->duration >= never / TIME)
                return false;
        for (ps_loc loc = 0; loc < s->trace->n_locs; loc++)
                if (s->trace->ops[loc].n && s->tracks[loc].row == PS_NONE)
                        return false;
        s->turns = turns_of_all(s);
        s->has_rests = rest_often(s);
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
        (s->has_rests ? go_with_rests : go_by[m->waits.is_plain][s->turns.in_turn][s->turns.has_twins])(m);
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
