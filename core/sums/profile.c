/* profile.c - see profile.h.
 *
 * The run is cut into windows of time. In each one every location is followed on its own, and what changes is
 * put in order, so that memory follows what is there at a time, and no change is compared with all locations.
 * Of one moment first what ends is looked at, then what begins: a message is under way from the moment of its
 * send on, to before that of its receive. */
#include "core/sums/profile.h"

#include "core/base/map.h"
#include "core/base/vector.h"
#include "core/model/focus.h"
#include "core/model/idle.h"
#include "core/model/waits.h"
#include "core/sums/levels.h"
#include "core/sums/queues.h"

#include <stdlib.h>
#include <string.h>

/* About so many operations in a window, and at least so many a location. */
enum { WINDOW_OPS = 4096, WINDOW_LOCATION_OPS = 2 };

const char *const ps_state_names[PS_STATE_COUNT] = {"busy", "overhead", "idle"};

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
        ps_time told[PS_STATE_COUNT]; /* of what lies in the only span of the focus */
} track;

typedef struct sweep {
        const ps_trace *trace;
        const ps_timing *timing;
        ps_waits waits;
        ps_profile *out;
        track *tracks;
        ps_changes changes;
        ps_levels levels;
        ps_span only;   /* what lies in it is told; all else is looked at more closely */
        ps_time length; /* of a window */
        ps_map pairs;   /* (from, to): its index */
        size_t cap_pairs;
        ps_status status;
        ps_error *err;
} sweep;

/* Only what is in the focus is told. */
static ps_time inside(const sweep *s, ps_time from, ps_time to)
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
        ps_ref recv = ps_op_partner(s->trace, send), done = ps_op_completion(s->trace, recv);
        ps_time time = done.op == PS_NONE ? s->timing->duration : s->timing->leave[done.loc][done.op];

        return time < s->timing->duration ? time : s->timing->duration;
}

static void count_pair(sweep *s, ps_ref send, uint64_t bytes)
{
        const ps_location_def *locations = s->trace->defs.locations.row;
        ps_proc from = locations[send.loc].process,
                to = locations[s->trace->ops[send.loc].peer[send.op]].process;
        ps_profile *out = s->out;
        ps_time *at = ps_map_at(&s->pairs, from, to, (ps_time)out->n_pairs);

        if (!at || ((size_t)*at == out->n_pairs && PS_APPEND(out->pairs, out->n_pairs, s->cap_pairs,
                                                             (ps_profile_pair){.from = from, .to = to}))) {
                s->status = PS_NOMEM(s->err, "pairs of processes", out->n_pairs);
                return;
        }
        out->pairs[*at].messages++;
        out->pairs[*at].bytes += bytes;
}

static void count_message(sweep *s, ps_ref send, uint64_t bytes)
{
        ps_profile_row *rows = s->out->rows;
        const track *from = &s->tracks[send.loc], *to = &s->tracks[s->trace->ops[send.loc].peer[send.op]];

        s->out->n_messages++;
        s->out->n_bytes += bytes;
        if (from->row != PS_NONE) {
                rows[from->row].sent++;
                rows[from->row].sent_bytes += bytes;
        }
        if (to->row != PS_NONE) {
                rows[to->row].received++;
                rows[to->row].received_bytes += bytes;
        }
        count_pair(s, send, bytes);
}

static void begin_message(sweep *s, ps_ref send, ps_time now)
{
        const ps_ops *ops = &s->trace->ops[send.loc];
        ps_change change = {now, ops->bytes[send.op], ops->peer[send.op], PS_CHANGE_SENT, 0, 0};
        ps_time end = received_at(s, send);

        if (ps_levels_tell(&s->levels, now))
                count_message(s, send, change.bytes);
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
static bool takes_time(uint8_t kind)
{
        const ps_kind_info *info = &ps_kinds[kind];

        return info->cls < PS_C_THREAD || (info->cls <= PS_C_LOCK && info->traits & PS_T_BLOCKING);
}

static void begin_operation(sweep *s, track *t, ps_ref ref, ps_time now)
{
        const ps_ops *ops = &s->trace->ops[ref.loc];
        uint8_t kind = ops->kind[ref.op];
        ps_time leave = s->timing->leave[ref.loc][ref.op], waits;

        if (!takes_time(kind))
                return;
        t->busy_until = leave > t->busy_until ? leave : t->busy_until;
        waits = ps_waits_end(&s->waits, ref);
        t->idle_until = waits > t->idle_until ? waits : t->idle_until;
        if (ps_kinds[kind].cls == PS_C_SEND && ops->flags[ref.op] & PS_OP_MATCHED)
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

static void tell_state(const sweep *s, const track *t, ps_time now)
{
        if (t->row != PS_NONE)
                s->out->rows[t->row].state[t->state] += inside(s, t->since, now);
}

static inline void take_state(sweep *s, track *t, ps_loc loc, ps_time now, uint8_t state)
{
        if (state == t->state)
                return;
        if (t->since >= s->only.begin && now <= s->only.end)
                t->told[t->state] += now - t->since;
        else
                tell_state(s, t, now);
        if (t->row != PS_NONE)
                add_change(s, (ps_change){now, 0, loc, PS_CHANGE_STATE, t->state, state});
        t->since = now;
        t->state = state;
}

/* The next operation, when it is over before anything else of its location begins: true if it is. */
static bool follow_call(sweep *s, track *t, ps_loc loc)
{
        const ps_time *enter = s->timing->enter[loc], *leave = s->timing->leave[loc];
        ps_op op = t->next_op;
        ps_time now = t->next;

        if (op + 1 >= s->trace->ops[loc].n || enter[op] > now || enter[op + 1] <= now ||
            enter[op + 1] < leave[op] || t->busy_until > now || t->idle_until > now ||
            (t->next_idle < t->n_idle && t->idle[t->next_idle].begin <= leave[op]) ||
            leave[op] >= s->changes.window.end)
                return false;
        begin_operation(s, t, (ps_ref){loc, op}, now);
        t->next_op++;
        if (t->idle_until > now)
                take_state(s, t, loc, now, PS_STATE_IDLE);
        if (t->busy_until > ps_time_later(now, t->idle_until))
                take_state(s, t, loc, ps_time_later(now, t->idle_until), PS_STATE_OVERHEAD);
        now = ps_time_later(now, t->busy_until);
        t->next = enter[op + 1];
        if (t->next > now)
                take_state(s, t, loc, now, PS_STATE_BUSY);
        if (t->next_idle < t->n_idle)
                t->next = ps_time_earlier(t->next, t->idle[t->next_idle].begin);
        return true;
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
        take_state(s, t, loc, now, state);
        t->next = next_change(s, t, loc);
}

/* When the run is over, all is begun that has not been. */
static void end_location(sweep *s, ps_loc loc)
{
        track *t = &s->tracks[loc];

        for (; t->next_op < s->trace->ops[loc].n; t->next_op++)
                begin_operation(s, t, (ps_ref){loc, t->next_op}, s->timing->duration);
        tell_state(s, t, s->timing->duration);
        for (int state = 0; state < PS_STATE_COUNT && t->row != PS_NONE; state++)
                s->out->rows[t->row].state[state] += t->told[state];
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
                s->levels.count[PS_STATE_BUSY] += (uint64_t)is_cpu;
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

/* Do no more operations begin before `end` than a window may hold? */
static bool is_enough(const sweep *s, ps_time end, uint32_t most)
{
        uint32_t n = 0;
        for (ps_loc loc = 0; loc < s->trace->n_locs && n <= most; loc++) {
                const ps_time *enter = s->timing->enter[loc];
                for (ps_op op = s->tracks[loc].next_op;
                     op < s->trace->ops[loc].n && enter[op] < end && n <= most; op++)
                        n++;
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
        s->length = s->length < left / 2 ? s->length * 2 : left;
        while (s->length > 1 && !is_enough(s, now + s->length, most))
                s->length = s->length / 2;
        return now + s->length;
}

static void run_window(sweep *s, ps_time end)
{
        if (ps_changes_open(&s->changes, end))
                s->status = PS_NOMEM(s->err, "changes", s->changes.n);
        for (ps_loc loc = 0; loc < s->trace->n_locs; loc++)
                while (s->tracks[loc].next < end && s->status == PS_OK)
                        if (!follow_call(s, &s->tracks[loc], loc))
                                follow(s, &s->tracks[loc], loc);
        if (s->status == PS_OK && ps_changes_sort(&s->changes))
                s->status = PS_NOMEM(s->err, "changes", s->changes.n);
        if (s->status == PS_OK)
                ps_levels_go(&s->levels, &s->changes);
}

static void run_sweep(sweep *s)
{
        const ps_focus *focus = s->timing->focus;

        s->only = focus && focus->n_spans != 1 ? (ps_span){0, -1} : s->out->span;
        s->length = s->timing->duration;
        for (ps_time now = 0; now < s->timing->duration && s->status == PS_OK; now = s->changes.window.end)
                run_window(s, window_end(s, now));
        for (ps_loc loc = 0; loc < s->trace->n_locs && s->status == PS_OK; loc++)
                end_location(s, loc);
        if (s->status == PS_OK)
                ps_levels_end(&s->levels, s->trace->n_locs);
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
        s.levels.out = s.out;
        s.levels.focus = timing->focus;
        s.levels.run = (ps_span){0, timing->duration};
        status = ps_waits_make(&s.waits, trace, timing, err);
        PS_THEN(status, make_bins(s.out, n_bins, err));
        s.levels.bin = s.out->bins;
        s.levels.bins_end = s.out->bins + s.out->n_bins;
        PS_THEN(status, make_rows(&s, err));
        if (has_queues)
                PS_THEN(status, ps_queues_make(s.out, err));
        if (status == PS_OK) {
                run_sweep(&s);
                status = s.status;
        }
        finish_profile(&s);
        for (ps_loc loc = 0; s.tracks && loc < trace->n_locs; loc++)
                free(s.tracks[loc].idle);
        free(s.tracks);
        free(s.levels.queue);
        ps_changes_free(&s.changes);
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
