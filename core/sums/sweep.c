/* sweep.c - see sweep.h.
 *
 * In a window every location is followed on its own, so that memory follows what is there at a time; what
 * changes is put in order of time (changes.h), and counts of states and messages follow from that (states.h,
 * levels.h). Of one moment first what ends is looked at, then what begins: a message is under way from the
 * moment of its send on, to before that of its receive. Who receives a message tells of its end: so none has
 * to be remembered from its send on. */
#include "core/sums/sweep.h"

#include "core/base/vector.h"
#include "core/model/idle.h"
#include "core/sums/queues.h"
#include "core/sums/sweep_calls.h"

#include <stdlib.h>

static inline bool is_away(const ps_sweep *s, ps_loc location)
{
        return s->is_away && s->is_away[location];
}

static bool lacks_memory(ps_sweep *s)
{
        s->status = PS_NOMEM(s->err, "changes", s->changes.order.n);
        return true;
}

/* -- locations -- */

/* Operations that are calls; what begins and ends teams and tasks are moments. */
static uint8_t what_does(const ps_kind_info *kind, unsigned role)
{
        bool blocks = kind->traits & PS_T_BLOCKING;
        if (kind->cls >= PS_C_THREAD && !(kind->cls <= PS_C_LOCK && blocks))
                return 0;
        return (uint8_t)(PS_SWEEP_TAKES_TIME | (blocks || kind->cls == PS_C_COMPLETE ? PS_SWEEP_WAITS : 0) |
                         (kind->cls == PS_C_SEND ? PS_SWEEP_SENDS : 0) | role << PS_SWEEP_ROLE);
}

static inline bool sends(const ps_sweep *s, ps_ref ref)
{
        const ps_ops *ops = &s->trace->ops[ref.loc];
        return s->does[ops->kind[ref.op]] & PS_SWEEP_SENDS && ops->flags[ref.op] & PS_OP_MATCHED;
}

static ps_time waits_until(const ps_sweep *s, ps_ref ref, ps_time leave, ps_received *got)
{
        const ps_span time = {s->timing->enter[ref.loc][ref.op], leave};
        const ps_ops *ops = &s->trace->ops[ref.loc];
        return ps_waits_end(&s->waits, ops, ref.op, time, s->waits.role[ops->kind[ref.op]], got, false,
                            false);
}

static void begin_operation(ps_sweep *s, ps_sweep_track *t, ps_ref ref, ps_time now)
{
        uint8_t does = s->does[s->trace->ops[ref.loc].kind[ref.op]];
        ps_time leave = ps_time_later(s->timing->leave[ref.loc][ref.op], now);
        ps_received got = {0};
        ps_told_change sent;

        if (!(does & PS_SWEEP_TAKES_TIME))
                return;
        t->busy_until = ps_time_later(t->busy_until, leave);
        if (does & PS_SWEEP_WAITS)
                t->idle_until = ps_time_later(t->idle_until, waits_until(s, ref, leave, &got));
        s->is_early |= got.is_early;
        if (got.n && ps_changes_receive(&s->changes, leave, (ps_told_change){got.bytes, ref.loc, got.n}))
                (void)lacks_memory(s);
        if (!sends(s, ref))
                return;
        const ps_ops *ops = &s->trace->ops[ref.loc];
        const ps_sweep_sight sight = ps_sweep_look(s, ref.loc);
        if (ps_levels_tell(&s->levels, now))
                ps_sweep_count_message(s, &sight, ops, ref);
        if (ps_sweep_message(&sight, ops, ref.op, now, &sent))
                ps_changes_send(&s->changes, now, sent);
}

/* Not before what was told, whatever a kept load says. */
static ps_time next_change(const ps_sweep *s, const ps_sweep_track *t, ps_loc loc)
{
        ps_time next = s->timing->duration;

        if (t->next_op < s->trace->ops[loc].n)
                next = ps_time_earlier(next, s->timing->enter[loc][t->next_op]);
        if (t->next_idle < t->n_idle)
                next = ps_time_earlier(next, t->idle[t->next_idle].begin);
        if (t->state == PS_STATE_IDLE)
                next = ps_time_earlier(next, t->idle_until);
        else if (t->state == PS_STATE_OVERHEAD)
                next = ps_time_earlier(next, t->busy_until);
        return ps_time_later(next, t->next);
}

static inline void take_state(ps_sweep *s, ps_sweep_track *t, ps_time now, uint8_t state)
{
        if (state == t->state)
                return;
        t->told[t->state] += ps_sweep_inside(s, t->since, now);
        if (t->row != PS_NONE)
                ps_changes_add(&s->changes, now, ps_state_changes[t->state][state]);
        t->since = now;
        t->state = state;
}

static inline bool has_room(ps_sweep *s)
{
        return s->status == PS_OK && !(ps_changes_room(&s->changes) && lacks_memory(s));
}

/* Do rows come that begin and end together? */
static inline bool has_twin(const ps_sweep *s, const ps_sweep_track *t, ps_loc loc)
{
        const ps_time *enter = s->timing->enter[loc] + t->next_op,
                      *leave = s->timing->leave[loc] + t->next_op;
        return t->next_op + 1 < s->trace->ops[loc].n && enter[0] == enter[1] && leave[0] == leave[1];
}

static void follow_calls(ps_sweep *s, ps_sweep_track *t, ps_loc loc)
{
        ps_time idle = t->next_idle < t->n_idle ? t->idle[t->next_idle].begin : PS_TIME_MAX;
        ps_time end = ps_time_earlier(s->changes.window.end, idle);

        if (t->busy_until > t->next || t->idle_until > t->next || t->row == PS_NONE || !has_room(s))
                return;
        take_state(s, t, t->next, PS_STATE_BUSY);
        do {
                while (t->next_op < s->trace->ops[loc].n && has_room(s) &&
                       ps_sweep_follow_calls(s, t, loc, end)) {
                }
        } while (has_twin(s, t, loc) && has_room(s) && ps_sweep_follow_twins(s, t, loc, end));
        t->next = next_change(s, t, loc);
}

/* What may change next is looked at. */
static void follow(ps_sweep *s, ps_sweep_track *t, ps_loc loc)
{
        const ps_time *enter = s->timing->enter[loc];
        ps_time now = t->next;

        for (; t->next_op < s->trace->ops[loc].n && enter[t->next_op] <= now && has_room(s); t->next_op++)
                begin_operation(s, t, (ps_ref){loc, t->next_op}, now);
        for (; t->next_idle < t->n_idle && t->idle[t->next_idle].begin <= now; t->next_idle++)
                t->idle_until = ps_time_later(t->idle_until, t->idle[t->next_idle].end);
        uint8_t state = t->idle_until > now   ? PS_STATE_IDLE
                        : t->busy_until > now ? PS_STATE_OVERHEAD
                                              : PS_STATE_BUSY;
        if (has_room(s))
                take_state(s, t, now, state);
        t->next = next_change(s, t, loc);
}

/* When the run is over, all is begun that has not been. */
static void end_location(ps_sweep *s, ps_loc loc)
{
        ps_sweep_track *t = &s->tracks[loc];

        for (; t->next_op < s->trace->ops[loc].n && has_room(s); t->next_op++) {
                begin_operation(s, t, (ps_ref){loc, t->next_op}, s->timing->duration);
                s->changes.order.n = 0; /* nobody is told what changes then */
        }
        t->told[t->state] += ps_sweep_inside(s, t->since, s->timing->duration);
        t->told[PS_STATE_BUSY] = ps_sweep_inside(s, 0, s->timing->duration) - t->told[PS_STATE_OVERHEAD] -
                                 t->told[PS_STATE_IDLE];
        for (int state = 0; state < PS_STATE_COUNT && t->row != PS_NONE; state++)
                s->out->rows[t->row].state[state] = t->told[state];
}

/* -- windows -- */

/* How many operations and regions of waiting begin before `end`: more than `most` when it is more. About: see
 * PS_BISECT. */
static uint64_t begin_before(const ps_sweep *s, ps_time end, uint32_t most)
{
        uint64_t n = 0;
        const uint32_t share = most / (s->trace->n_locs + 1) * 2; /* mostly a location has less of them */
        for (ps_loc loc = 0; loc < s->trace->n_locs && n <= most; loc++) {
                if (is_away(s, loc))
                        continue;
                const ps_sweep_track *t = &s->tracks[loc];
                const ps_time *enter = s->timing->enter[loc];
                ps_op op = t->next_op, last = s->trace->ops[loc].n;
                uint32_t idle = t->next_idle, last_idle = t->n_idle;
                if (last - op > share && enter[op + share] >= end)
                        last = op + share;
                last = last - op > most ? op + most + 1 : last;
                PS_BISECT(op, last, i, enter[i] < end);
                PS_SEARCH(idle, last_idle, i, t->idle[i].begin < end);
                n += (op - t->next_op) + (idle - t->next_idle);
        }
        return n;
}

bool ps_sweep_has_room(const ps_sweep *s, ps_time length, uint64_t n)
{
        return n + s->trace->n_locs <= ps_changes_most(length);
}

/* One that is as long as the last one, if as much happens in it as there may in most of it. */
static const double FULL = 0.85;
ps_time ps_sweep_window_end(ps_sweep *s, ps_time now, uint32_t most, uint64_t *n)
{
        ps_time left = s->timing->duration - now;
        const double n_last = (double)s->changes.expected + 1, more = FULL * most / n_last;
        const double length = (double)s->length * (more < 2 ? more : 2);
        s->length = length < (double)left ? (ps_time)length + 1 : left;
        for (;; s->length /= 2) {
                uint64_t begin = begin_before(s, now + s->length, most);
                s->changes.expected = (uint32_t)begin;
                *n = begin + s->changes.n_later;
                if (s->length <= 1 || (begin <= most && ps_sweep_has_room(s, s->length, *n)))
                        return now + s->length;
        }
}

/* Rows of many locations are read a few at a time, which no processor foresees. */
static void fetch_rows(const ps_sweep *s, ps_loc loc)
{
        enum { AHEAD = 4, ROWS = 8, WINDOW_ROWS = 32 };
        const ps_loc next = loc + AHEAD;
        if (next >= s->trace->n_locs || is_away(s, next))
                return;
        const ps_ops *ops = &s->trace->ops[next];
        const ps_time *enter = s->timing->enter[next], *leave = s->timing->leave[next];
        ps_op op = s->tracks[next].next_op, last = ops->n - op < WINDOW_ROWS ? ops->n : op + WINDOW_ROWS;
        if (op == last)
                return;
        __builtin_prefetch(&ops->kind[op]);
        __builtin_prefetch(&ops->flags[op]);
        for (ps_op row = op; row < last; row += ROWS) {
                __builtin_prefetch(&enter[row]);
                __builtin_prefetch(&leave[row]);
        }
        for (; op < last; op += 2 * ROWS) {
                __builtin_prefetch(&ops->call[op]);
                __builtin_prefetch(&ops->link[op]);
                __builtin_prefetch(&ops->tag[op]);
                __builtin_prefetch(&ops->done[op]);
        }
}

ps_status ps_sweep_follow(ps_sweep *s, ps_time end)
{
        bool is_short = ps_changes_open(&s->changes, end);
        s->length = end - s->changes.window.begin;
        for (ps_loc loc = 0; loc < s->trace->n_locs && !is_short; loc++) {
                fetch_rows(s, loc);
                while (!is_away(s, loc) && s->tracks[loc].next < end && has_room(s)) {
                        follow_calls(s, &s->tracks[loc], loc);
                        if (s->tracks[loc].next < end && has_room(s))
                                follow(s, &s->tracks[loc], loc);
                }
                is_short = !has_room(s);
        }
        if (s->status == PS_OK && is_short)
                (void)lacks_memory(s);
        return s->status;
}

ps_status ps_sweep_add_up(ps_sweep *s)
{
        if (!ps_changes_sort(&s->changes))
                ps_states_go(&s->states, &s->changes);
        else
                (void)lacks_memory(s);
        return s->status;
}

/* Of what is received in an operation of another thread that thread does not tell. */
static void receive_elsewhere(ps_sweep *s)
{
        for (uint32_t i = 0; i < s->trace->n_foreign && s->status == PS_OK; i++) {
                ps_ref start = s->trace->foreign[i].start, done = s->trace->foreign[i].done;
                ps_ref sent = ps_op_partner(s->trace, start);
                if (is_away(s, start.loc))
                        continue;
                bool is_receive = ps_kinds[s->trace->ops[start.loc].kind[start.op]].cls == PS_C_RECV;
                if (!is_receive || sent.op == PS_NONE)
                        continue;
                if (s->timing->enter[sent.loc][sent.op] >= s->timing->leave[done.loc][done.op]) {
                        s->is_early = true;
                        continue;
                }
                ps_told_change got = {ps_op_bytes(&s->trace->ops[sent.loc], sent.op), start.loc, 1};
                if (ps_changes_receive(&s->changes, s->timing->leave[done.loc][done.op], got))
                        (void)lacks_memory(s);
        }
}

/* -- all of it -- */

static ps_status make_rows(ps_sweep *s, ps_error *err)
{
        ps_profile *out = s->out;
        uint32_t n = s->trace->n_locs;

        out->rows = calloc(n + (size_t)1, sizeof(*out->rows));
        s->tracks = calloc(n + (size_t)1, sizeof(*s->tracks));
        s->levels.queue = calloc(n + (size_t)1, sizeof(*s->levels.queue));
        if (!out->rows || !s->tracks || !s->levels.queue)
                return PS_NOMEM(err, "locations", n);
        for (ps_loc loc = 0; loc < n; loc++) {
                bool is_cpu = ps_focus_tells(s->trace, s->timing, loc);
                s->tracks[loc].row = s->levels.queue[loc].row = is_cpu ? out->n_rows : PS_NONE;
                if (is_cpu)
                        out->rows[out->n_rows++].location = loc;
                if (!is_away(s, loc))
                        PS_TRY(ps_idle_times(&s->tracks[loc].idle, &s->tracks[loc].n_idle, s->trace,
                                             s->timing, loc, err));
        }
        for (int state = 0; state < PS_STATE_COUNT; state++) {
                out->concurrency[state] = calloc(out->n_rows + (size_t)1, sizeof(ps_time));
                if (!out->concurrency[state])
                        return PS_NOMEM(err, "locations", out->n_rows);
        }
        return PS_OK;
}

static ps_status make_bins(ps_profile *out, uint32_t n, ps_error *err)
{
        n = n < PS_PROFILE_BINS_MAX ? n : PS_PROFILE_BINS_MAX;
        ps_time length = out->span.end - out->span.begin;
        n = (ps_time)n <= length ? n : (uint32_t)length;
        out->bins = calloc(n + (size_t)1, sizeof(*out->bins));
        if (!out->bins)
                return PS_NOMEM(err, "bins", n);
        out->n_bins = n;
        for (uint32_t i = 0; i < n; i++) {
                out->bins[i].begin = out->span.begin + ps_bin_begin(length, n, i);
                out->bins[i].end = out->span.begin + ps_bin_begin(length, n, i + 1);
        }
        return PS_OK;
}

static ps_status make_levels(ps_sweep *s, ps_error *err)
{
        s->levels.out = s->out;
        s->levels.focus = s->timing->focus;
        s->levels.tells_queues = s->out->n_queue_bins > 0;
        PS_TRY(ps_states_begin(&s->states, s->out, s->timing, s->trace->n_operations, &s->levels, err));
        PS_TRY(ps_pairs_begin(&s->pairs, s->trace, &s->levels, err));
        for (int kind = 0; kind < PS_K_COUNT; kind++)
                s->does[kind] = what_does(&ps_kinds[kind], s->waits.role[kind]);
        s->only = s->timing->focus && s->timing->focus->n_spans != 1 ? (ps_span){0, -1} : s->out->span;
        s->length = s->timing->duration;
        receive_elsewhere(s);
        return s->status;
}

ps_status ps_sweep_begin(ps_sweep *s, uint32_t n_bins, bool has_queues)
{
        s->out = calloc(1, sizeof(*s->out));
        if (!s->out)
                return PS_NOMEM(s->err, "profile", 1);
        s->out->duration = ps_focus_length(s->timing);
        s->out->span = ps_focus_hull(s->timing);
        PS_TRY(make_bins(s->out, n_bins, s->err));
        PS_TRY(make_rows(s, s->err));
        if (has_queues)
                PS_TRY(ps_queues_make(s->out, s->err));
        return make_levels(s, s->err);
}

ps_status ps_sweep_end_locations(ps_sweep *s)
{
        for (ps_loc loc = 0; loc < s->trace->n_locs && s->status == PS_OK; loc++)
                if (!is_away(s, loc))
                        end_location(s, loc);
        if (s->status == PS_OK && ps_pairs_tell_all(&s->pairs))
                s->status = PS_NOMEM(s->err, "pairs of processes", s->out->n_pairs);
        return s->status;
}

/* Sums over time become averages. */
static void finish_profile(const ps_sweep *s)
{
        ps_profile *out = s->out;
        for (uint32_t i = 0; i < out->n_bins; i++) {
                ps_profile_bin *bin = &out->bins[i];
                bin->inside = ps_sweep_inside(s, bin->begin, bin->end);
                double length =
                        bin->inside > 0 ? (double)bin->inside : 1; /* between two spans of the focus */
                for (int state = 0; state < PS_STATE_COUNT; state++)
                        bin->state[state] /= length;
                bin->messages /= length;
                bin->bytes /= length;
        }
        ps_queues_finish(s->out, s->timing->focus);
}

static void clear(ps_sweep *s)
{
        for (ps_loc loc = 0; s->tracks && loc < s->trace->n_locs; loc++)
                free(s->tracks[loc].idle);
        free(s->tracks);
        free(s->levels.queue);
        ps_changes_free(&s->changes);
        ps_states_free(&s->states);
        ps_pairs_free(&s->pairs);
}

ps_status ps_sweep_end(ps_profile **out, ps_sweep *s, ps_status status)
{
        *out = NULL;
        if (status == PS_OK && ps_pairs_sort(&s->pairs))
                status = PS_NOMEM(s->err, "pairs of processes", s->out->n_pairs);
        if (status == PS_OK) {
                ps_states_end(&s->states);
                ps_levels_end(&s->levels, s->timing->duration, s->trace->n_locs);
                finish_profile(s);
                *out = s->out;
        } else {
                ps_profile_free(s->out);
        }
        clear(s);
        return status;
}
