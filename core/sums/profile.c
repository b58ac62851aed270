/* profile.c - see profile.h.
 *
 * The run is cut into windows of time. In each one every location is followed on its own, so that memory
 * follows what is there at a time. States and messages are then looked at in order of time each, since
 * neither needs to know of the other (states.h, levels.h). Of one moment first what ends is looked at, then
 * what begins: a message is under way from the moment of its send on, to before that of its receive. */
#include "core/sums/profile.h"

#include "core/base/map.h"
#include "core/base/vector.h"
#include "core/model/focus.h"
#include "core/model/idle.h"
#include "core/model/waits.h"
#include "core/sums/levels.h"
#include "core/sums/queues.h"
#include "core/sums/states.h"

#include <stdlib.h>
#include <string.h>

/* About so many operations in a window, and at least so many a location. */
enum { WINDOW_OPS = 4096, WINDOW_LOCATION_OPS = 2, PEERS = 4 };

const char *const ps_state_names[PS_STATE_COUNT] = {"busy", "overhead", "idle"};

/* What a location sent to another one, and nobody has been told yet. */
typedef struct peer {
        ps_loc to;
        uint64_t messages, bytes;
} peer;

/* How far a location has been followed. */
typedef struct track {
        ps_span *idle; /* by begin */
        uint32_t n_idle, next_idle;
        ps_op next_op;
        ps_time next;                   /* when something may change */
        ps_time busy_until, idle_until; /* with communication, with waiting */
        ps_time since;                  /* it is in its state */
        uint32_t row;                   /* PS_NONE: no CPU location */
        uint8_t state;
        ps_time told[PS_STATE_COUNT]; /* of what is in the focus */
        peer peers[PEERS];            /* to whom it sent last */
} track;

typedef struct sweep {
        const ps_trace *trace;
        const ps_timing *timing;
        ps_waits waits;
        ps_profile *out;
        track *tracks;
        ps_states states;
        ps_span only; /* what lies in it is in the focus; all else is looked at more closely */
        ps_changes changes;
        ps_levels levels;
        ps_time length; /* of a window */
        ps_map pairs;   /* (from, to): its index */
        size_t cap_pairs;
        ps_status status;
        ps_error *err;
} sweep;

/* Only what is in the focus is told. */
static inline ps_time inside(const sweep *s, ps_time from, ps_time to)
{
        return ps_focus_clip(s->timing->focus, from, to);
}

static inline void add_change(sweep *s, ps_change change)
{
        if (ps_changes_add(&s->changes, change))
                s->status = PS_NOMEM(s->err, "changes", s->changes.n);
}

/* -- messages -- */

/* When the message is received; at the end of the run if that is never known. */
static ps_time received_at(const sweep *s, ps_ref send)
{
        const ps_ops *ops = &s->trace->ops[send.loc];
        ps_ref done = ps_op_completion(s->trace, (ps_ref){ps_op_peer(ops, send.op), ops->link[send.op]});
        ps_time time = done.op == PS_NONE ? s->timing->duration : s->timing->leave[done.loc][done.op];

        return time < s->timing->duration ? time : s->timing->duration;
}

static ps_profile_pair *find_pair(sweep *s, ps_proc from, ps_proc to)
{
        ps_profile *out = s->out;
        ps_time *at = ps_map_at(&s->pairs, from, to, (ps_time)out->n_pairs);

        if (at && ((size_t)*at < out->n_pairs || !PS_APPEND(out->pairs, out->n_pairs, s->cap_pairs,
                                                            (ps_profile_pair){.from = from, .to = to})))
                return &out->pairs[*at];
        s->status = PS_NOMEM(s->err, "pairs of processes", out->n_pairs);
        return NULL;
}

static void tell_peer(sweep *s, ps_loc from, peer *p)
{
        const ps_location_def *locations = s->trace->defs.locations.row;
        uint32_t from_row = s->tracks[from].row, to_row = s->tracks[p->to].row;
        ps_profile_pair *pair =
                p->messages ? find_pair(s, locations[from].process, locations[p->to].process) : NULL;

        if (!pair)
                return;
        pair->messages += p->messages;
        pair->bytes += p->bytes;
        s->out->n_messages += p->messages;
        s->out->n_bytes += p->bytes;
        if (from_row != PS_NONE) {
                s->out->rows[from_row].sent += p->messages;
                s->out->rows[from_row].sent_bytes += p->bytes;
        }
        if (to_row != PS_NONE) {
                s->out->rows[to_row].received += p->messages;
                s->out->rows[to_row].received_bytes += p->bytes;
        }
}

static inline void count_message(sweep *s, ps_loc from, ps_loc to, uint64_t bytes)
{
        peer *p = &s->tracks[from].peers[to % PEERS];

        if (p->to != to) {
                tell_peer(s, from, p);
                *p = (peer){.to = to};
        }
        p->messages++;
        p->bytes += bytes;
}

static void begin_message(sweep *s, ps_ref send, ps_time now)
{
        const ps_ops *ops = &s->trace->ops[send.loc];
        ps_change change = {now, ps_op_bytes(ops, send.op), ps_op_peer(ops, send.op), PS_CHANGE_SENT};
        ps_time end = received_at(s, send);

        if (ps_levels_tell(&s->levels, now))
                count_message(s, send.loc, change.to, change.bytes);
        if (end <= now) /* no time, or clocks that disagree */
                return;
        add_change(s, change);
        change.time = end;
        change.kind = PS_CHANGE_RECEIVED;
        if (end < s->timing->duration)
                add_change(s, change);
}

/* -- locations -- */

/* Operations that are calls; what begins and ends teams and tasks are moments. */
static inline bool takes_time(const ps_kind_info *info)
{
        return info->cls < PS_C_THREAD || (info->cls <= PS_C_LOCK && info->traits & PS_T_BLOCKING);
}

static inline void begin_operation(sweep *s, track *t, ps_ref ref, ps_time now)
{
        const ps_ops *ops = &s->trace->ops[ref.loc];
        const ps_kind_info *info = &ps_kinds[ops->kind[ref.op]];

        if (!takes_time(info))
                return;
        t->busy_until = ps_time_later(t->busy_until, s->timing->leave[ref.loc][ref.op]);
        if (info->traits & PS_T_BLOCKING && !(ops->flags[ref.op] & PS_OP_NONBLOCKING))
                t->idle_until = ps_time_later(t->idle_until, ps_waits_end(&s->waits, ref));
        if (info->cls == PS_C_SEND && ops->flags[ref.op] & PS_OP_MATCHED)
                begin_message(s, ref, now);
}

static ps_time next_change(const sweep *s, const track *t, ps_loc loc)
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
        return next;
}

static inline void take_state(sweep *s, track *t, ps_time now, uint8_t state)
{
        if (state == t->state)
                return;
        if (t->since >= s->only.begin && now <= s->only.end)
                t->told[t->state] += now - t->since;
        else
                t->told[t->state] += inside(s, t->since, now);
        t->since = now;
        if (t->row != PS_NONE)
                ps_states_add(&s->states, now - s->changes.window.begin, t->state, state);
        t->state = state;
}

static inline bool has_room(sweep *s)
{
        if (ps_states_room(&s->states))
                s->status = PS_NOMEM(s->err, "changes", s->states.changes.n);
        return s->status == PS_OK;
}

/* The next operations, as long as each is over before anything else of its location begins. */
static void follow_calls(sweep *s, track *t, ps_loc loc)
{
        const ps_time *enter = s->timing->enter[loc], *leave = s->timing->leave[loc];
        ps_time idle = t->next_idle < t->n_idle ? t->idle[t->next_idle].begin : PS_TIME_MAX;
        ps_time end = ps_time_earlier(s->changes.window.end, idle), now = t->next;
        ps_op op = t->next_op, n = s->trace->ops[loc].n;

        if (t->busy_until > now || t->idle_until > now)
                return;
        for (; op + 1 < n && has_room(s); op++) {
                ps_time next = enter[op + 1];
                if (enter[op] > now || next <= now || next < leave[op] || now >= end || leave[op] >= end)
                        break;
                begin_operation(s, t, (ps_ref){loc, op}, now);
                if (t->idle_until > now) {
                        take_state(s, t, now, PS_STATE_IDLE);
                        now = t->idle_until;
                }
                if (t->busy_until > now) {
                        take_state(s, t, now, PS_STATE_OVERHEAD);
                        now = t->busy_until;
                }
                if (next > now)
                        take_state(s, t, now, PS_STATE_BUSY);
                now = ps_time_earlier(next, idle);
        }
        t->next_op = op;
        t->next = now;
}

/* What may change next is looked at. */
static void follow(sweep *s, track *t, ps_loc loc)
{
        const ps_time *enter = s->timing->enter[loc];
        ps_time now = t->next;

        for (; t->next_op < s->trace->ops[loc].n && enter[t->next_op] <= now; t->next_op++)
                begin_operation(s, t, (ps_ref){loc, t->next_op}, now);
        for (; t->next_idle < t->n_idle && t->idle[t->next_idle].begin <= now; t->next_idle++)
                t->idle_until = ps_time_later(t->idle_until, t->idle[t->next_idle].end);
        uint8_t state = t->idle_until > now   ? PS_STATE_IDLE
                        : t->busy_until > now ? PS_STATE_OVERHEAD
                                              : PS_STATE_BUSY;
        take_state(s, t, now, state);
        t->next = next_change(s, t, loc);
}

/* When the run is over, all is begun that has not been. */
static void end_location(sweep *s, ps_loc loc)
{
        track *t = &s->tracks[loc];

        for (; t->next_op < s->trace->ops[loc].n; t->next_op++)
                begin_operation(s, t, (ps_ref){loc, t->next_op}, s->timing->duration);
        for (unsigned i = 0; i < PEERS; i++)
                tell_peer(s, loc, &t->peers[i]);
        t->told[t->state] += inside(s, t->since, s->timing->duration);
        for (int state = 0; state < PS_STATE_COUNT && t->row != PS_NONE; state++)
                s->out->rows[t->row].state[state] = t->told[state];
}

/* -- the profile -- */

static ps_status make_rows(sweep *s, ps_error *err)
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
                PS_TRY(ps_idle_times(&s->tracks[loc].idle, &s->tracks[loc].n_idle, s->trace, s->timing, loc,
                                     err));
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

/* Do no more operations begin before `end` than a window may hold? About: see PS_BISECT. */
static bool is_enough(const sweep *s, ps_time end, uint32_t most)
{
        uint64_t n = 0;
        for (ps_loc loc = 0; loc < s->trace->n_locs && n <= most; loc++) {
                const ps_time *enter = s->timing->enter[loc];
                ps_op first = s->tracks[loc].next_op, op = first, last = s->trace->ops[loc].n;
                last = last - first > most ? first + most + 1 : last;
                PS_BISECT(op, last, i, enter[i] < end);
                n += op - first;
        }
        return n <= most;
}

/* Where the window ends that begins now: one that is about as long as the last one. */
static ps_time window_end(sweep *s, ps_time now)
{
        ps_time left = s->timing->duration - now;
        uint32_t most = s->trace->n_locs < WINDOW_OPS / WINDOW_LOCATION_OPS
                                ? WINDOW_OPS
                                : s->trace->n_locs * WINDOW_LOCATION_OPS;
        left = ps_time_earlier(left, (ps_time)1 << PS_STATES_LONGEST_BITS);
        s->length = s->length < left / 2 ? s->length * 2 : left;
        while (s->length > 1 && !is_enough(s, now + s->length, most))
                s->length = s->length / 2;
        return now + s->length;
}

static void run_window(sweep *s, ps_time end)
{
        bool is_short = ps_changes_open(&s->changes, end);
        for (ps_loc loc = 0; loc < s->trace->n_locs && !is_short; loc++) {
                uint32_t first = s->states.changes.n;
                while (s->tracks[loc].next < end && has_room(s)) {
                        follow_calls(s, &s->tracks[loc], loc);
                        if (s->tracks[loc].next < end && has_room(s))
                                follow(s, &s->tracks[loc], loc);
                }
                is_short = !has_room(s) || ps_states_close(&s->states, first);
        }
        if (s->status == PS_OK &&
            (is_short || ps_changes_sort(&s->changes) || ps_states_go(&s->states, s->changes.window)))
                s->status = PS_NOMEM(s->err, "changes", s->changes.n);
        if (s->status == PS_OK)
                ps_levels_go(&s->levels, &s->changes);
}

static ps_status run_sweep(sweep *s)
{
        s->levels.out = s->out;
        ps_stops_begin(&s->levels.stops, s->out, s->timing);
        PS_TRY(ps_states_begin(&s->states, s->out, s->timing, s->err));
        s->only = s->timing->focus && s->timing->focus->n_spans != 1 ? (ps_span){0, -1} : s->out->span;
        s->length = s->timing->duration;
        for (ps_time now = 0; now < s->timing->duration && s->status == PS_OK; now = s->changes.window.end)
                run_window(s, window_end(s, now));
        for (ps_loc loc = 0; loc < s->trace->n_locs && s->status == PS_OK; loc++)
                end_location(s, loc);
        PS_TRY(s->status);
        ps_states_end(&s->states);
        ps_levels_end(&s->levels, s->trace->n_locs);
        return PS_OK;
}

static int by_pair(const void *a, const void *b)
{
        const ps_profile_pair *x = a, *y = b;

        return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                                  : (x->to > y->to) - (x->to < y->to);
}

/* Sums over time become averages. */
static void finish_profile(const sweep *s)
{
        ps_profile *out = s->out;
        for (uint32_t i = 0; i < out->n_bins; i++) {
                ps_profile_bin *bin = &out->bins[i];
                bin->inside = inside(s, bin->begin, bin->end);
                double length =
                        bin->inside > 0 ? (double)bin->inside : 1; /* between two spans of the focus */
                for (int state = 0; state < PS_STATE_COUNT; state++)
                        bin->state[state] /= length;
                bin->messages /= length;
                bin->bytes /= length;
        }
        ps_queues_finish(s->out, s->timing->focus);
        if (out->n_pairs)
                qsort(out->pairs, out->n_pairs, sizeof(*out->pairs), by_pair);
}

static ps_status make_profile(ps_profile **out, const ps_trace *trace, const ps_timing *timing,
                              uint32_t n_bins, bool has_queues, ps_error *err)
{
        sweep s = {.trace = trace, .timing = timing, .err = err};
        ps_status status;

        *out = NULL;
        s.out = calloc(1, sizeof(*s.out));
        if (!s.out)
                return PS_NOMEM(err, "profile", 1);
        s.out->duration = ps_focus_length(timing);
        s.out->span = ps_focus_hull(timing);
        status = ps_waits_make(&s.waits, trace, timing, err);
        PS_THEN(status, make_bins(s.out, n_bins, err));
        PS_THEN(status, make_rows(&s, err));
        if (has_queues)
                PS_THEN(status, ps_queues_make(s.out, err));
        PS_THEN(status, run_sweep(&s));
        finish_profile(&s);
        for (ps_loc loc = 0; s.tracks && loc < trace->n_locs; loc++)
                free(s.tracks[loc].idle);
        free(s.tracks);
        free(s.levels.queue);
        ps_changes_free(&s.changes);
        ps_states_free(&s.states);
        ps_map_free(&s.pairs);
        ps_waits_free(&s.waits);
        if (status != PS_OK)
                ps_profile_free(s.out);
        else
                *out = s.out;
        return status;
}

ps_status ps_profile_make(ps_profile **out, const ps_trace *trace, const ps_timing *timing, uint32_t n_bins,
                          ps_error *err)
{
        return make_profile(out, trace, timing, n_bins ? n_bins : PS_PROFILE_BINS, false, err);
}

ps_status ps_profile_make_fine(ps_profile **out, const ps_trace *trace, const ps_timing *timing,
                               ps_error *err)
{
        return make_profile(out, trace, timing, PS_PROFILE_BINS_FINE, true, err);
}

void ps_profile_free(ps_profile *profile)
{
        if (!profile)
                return;
        for (int state = 0; state < PS_STATE_COUNT; state++)
                free(profile->concurrency[state]);
        free(profile->rows);
        free(profile->bins);
        free(profile->queue);
        free(profile->queue_bytes);
        free(profile->pairs);
        free(profile);
}
