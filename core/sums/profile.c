/* profile.c - see profile.h.
 *
 * One sweep over the whole run. A heap holds the next change of each location and the end of each message
 * under way, so that memory follows what is there at a time, and the work is that of sorting. Of one moment
 * first what ends is looked at, then what begins: a message is under way from the moment of its send on, to
 * before that of its receive. */
#include "core/sums/profile.h"

#include "core/base/heap.h"
#include "core/base/map.h"
#include "core/base/vector.h"
#include "core/model/focus.h"
#include "core/model/idle.h"
#include "core/model/waits.h"
#include "core/sums/queues.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *const ps_state_names[PS_STATE_COUNT] = {"busy", "overhead", "idle"};

typedef struct moment {
        ps_time time;
        ps_ref send; /* the message that is received; op PS_NONE: the next change of location `loc` */
} moment;

/* How far the sweep has got on a location. */
typedef struct track {
        ps_span *idle; /* by begin */
        uint32_t n_idle, next_idle;
        ps_op next_op;
        ps_time busy_until, idle_until; /* with communication, with waiting */
        uint32_t row;                   /* PS_NONE: no CPU location */
        uint8_t state;
        uint64_t queue, queue_bytes;
        ps_time queue_since; /* up to then its queue is told */
} track;

typedef struct sweep {
        const ps_trace *trace;
        const ps_timing *timing;
        ps_waits waits;
        ps_profile *out;
        track *tracks;
        PS_VECTOR(moment) heap;
        ps_map pairs; /* (from, to): its index */
        size_t cap_pairs;
        ps_time now;
        uint32_t bin;
        uint64_t count[PS_STATE_COUNT]; /* locations in each state now */
        uint64_t messages, bytes;       /* under way now */
        ps_status status;
        ps_error *err;
} sweep;

/* -- the heap -- */

static bool is_earlier_moment(const moment *a, const moment *b)
{
        if (a->time != b->time)
                return a->time < b->time;
        int a_begins = a->send.op == PS_NONE, b_begins = b->send.op == PS_NONE;
        if (a_begins != b_begins)
                return b_begins;
        return a->send.loc != b->send.loc ? a->send.loc < b->send.loc : a->send.op < b->send.op;
}

PS_HEAP(moments, moment, is_earlier_moment)

static void push_moment(sweep *s, moment what)
{
        if (PS_ROOM(s->heap.row, s->heap.n, s->heap.cap))
                s->status = PS_NOMEM(s->err, "moments", s->heap.n);
        else
                moments_rise(s->heap.row, s->heap.n++, what);
}

static void drop_first(sweep *s)
{
        assert(s->heap.n > 0);
        s->heap.n--;
        moments_sink(s->heap.row, s->heap.n, 0, s->heap.row[s->heap.n]);
}

/* -- time goes on -- */

static void fill_bin(const sweep *s, ps_profile_bin *bin, ps_time length)
{
        if (length <= 0)
                return;
        for (int state = 0; state < PS_STATE_COUNT; state++)
                bin->state[state] += (double)s->count[state] * (double)length;
        bin->messages += (double)s->messages * (double)length;
        bin->bytes += (double)s->bytes * (double)length;
        bin->most_messages = s->messages > bin->most_messages ? s->messages : bin->most_messages;
        bin->most_bytes = s->bytes > bin->most_bytes ? s->bytes : bin->most_bytes;
}

/* Only what is in the focus is told. */
static ps_time inside(const sweep *s, ps_time from, ps_time to)
{
        return ps_focus_clip(s->timing->focus, from, to);
}

static void go_on(sweep *s, ps_time time)
{
        ps_profile *out = s->out;
        ps_time told = inside(s, s->now, time);

        for (int state = 0; state < PS_STATE_COUNT && told > 0; state++)
                out->concurrency[state][s->count[state]] += told;
        if (s->now < out->span.begin)
                s->now = time < out->span.begin ? time : out->span.begin;
        while (s->now < time && s->bin < out->n_bins) {
                ps_profile_bin *bin = &out->bins[s->bin];
                ps_time end = time < bin->end ? time : bin->end;
                fill_bin(s, bin, inside(s, s->now, end));
                s->now = end;
                if (end < bin->end)
                        break;
                s->bin++;
        }
        s->now = time > s->now ? time : s->now;
}

/* -- messages -- */

/* The queue of a location has been as long as it is since `queue_since`. */
static void fill_queue(const sweep *s, track *t)
{
        if (t->row != PS_NONE)
                ps_queues_fill(s->out, s->timing->focus, t->row, (ps_span){t->queue_since, s->now}, t->queue,
                               t->queue_bytes);
        t->queue_since = s->now;
}

static void raise(ps_peak *peak, uint64_t value, ps_time at)
{
        if (value > peak->value)
                *peak = (ps_peak){value, at};
}

static track *receiver_of(sweep *s, ps_ref send)
{
        return &s->tracks[s->trace->ops[send.loc].peer[send.op]];
}

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
        const track *from = &s->tracks[send.loc], *to = receiver_of(s, send);

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

static void begin_message(sweep *s, ps_ref send)
{
        uint64_t bytes = s->trace->ops[send.loc].bytes[send.op];
        ps_time end = received_at(s, send);
        track *to = receiver_of(s, send);

        bool is_told = s->now >= s->out->span.begin && s->now <= s->out->span.end;
        if (is_told)
                count_message(s, send, bytes);
        if (end <= s->now) /* no time, or clocks that disagree */
                return;
        fill_queue(s, to);
        s->messages++;
        s->bytes += bytes;
        to->queue++;
        to->queue_bytes += bytes;
        if (is_told) {
                raise(&s->out->messages, s->messages, s->now);
                raise(&s->out->bytes, s->bytes, s->now);
        }
        if (is_told && to->row != PS_NONE) {
                raise(&s->out->rows[to->row].queue, to->queue, s->now);
                raise(&s->out->rows[to->row].queue_bytes, to->queue_bytes, s->now);
        }
        push_moment(s, (moment){end, send});
}

static void end_message(sweep *s, ps_ref send)
{
        uint64_t bytes = s->trace->ops[send.loc].bytes[send.op];
        track *to = receiver_of(s, send);

        fill_queue(s, to);
        s->messages--;
        s->bytes -= bytes;
        to->queue--;
        to->queue_bytes -= bytes;
}

/* -- locations -- */

/* Operations that are calls; what begins and ends teams and tasks are moments. */
static bool takes_time(uint8_t kind)
{
        const ps_kind_info *info = &ps_kinds[kind];

        return info->cls < PS_C_THREAD || (info->cls <= PS_C_LOCK && info->traits & PS_T_BLOCKING);
}

static void begin_operation(sweep *s, track *t, ps_ref ref)
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
                begin_message(s, ref);
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

/* Its moment is the first one of the heap, and becomes the next one: messages that begin end later. */
static void change(sweep *s, ps_loc loc)
{
        track *t = &s->tracks[loc];
        const ps_time *enter = s->timing->enter[loc];

        bool is_over = s->now >= s->timing->duration;

        for (; t->next_op < s->trace->ops[loc].n && (is_over || enter[t->next_op] <= s->now); t->next_op++)
                begin_operation(s, t, (ps_ref){loc, t->next_op});
        for (; t->next_idle < t->n_idle && t->idle[t->next_idle].begin <= s->now; t->next_idle++)
                if (t->idle[t->next_idle].end > t->idle_until)
                        t->idle_until = t->idle[t->next_idle].end;
        uint8_t state = t->idle_until > s->now   ? PS_STATE_IDLE
                        : t->busy_until > s->now ? PS_STATE_OVERHEAD
                                                 : PS_STATE_BUSY;
        if (t->row != PS_NONE) {
                s->count[t->state]--;
                s->count[state]++;
        }
        t->state = state;
        ps_time next = next_change(s, t, loc);
        if (t->row != PS_NONE)
                s->out->rows[t->row].state[state] += inside(s, s->now, next);
        if (is_over)
                drop_first(s);
        else
                moments_sink(s->heap.row, s->heap.n, 0, (moment){next, {loc, PS_NONE}});
}

/* -- the profile -- */

static ps_status make_rows(sweep *s, ps_error *err)
{
        ps_profile *out = s->out;
        uint32_t n = s->trace->n_locs;

        out->rows = calloc(n + (size_t)1, sizeof(*out->rows));
        s->tracks = calloc(n + (size_t)1, sizeof(*s->tracks));
        if (!out->rows || !s->tracks)
                return PS_NOMEM(err, "locations", n);
        for (ps_loc loc = 0; loc < n; loc++) {
                bool is_cpu = ps_focus_tells(s->trace, s->timing, loc);
                s->tracks[loc].row = is_cpu ? out->n_rows : PS_NONE;
                if (is_cpu)
                        out->rows[out->n_rows++].location = loc;
                s->count[PS_STATE_BUSY] += (uint64_t)is_cpu;
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

static void run_sweep(sweep *s)
{
        for (ps_loc loc = 0; loc < s->trace->n_locs; loc++)
                push_moment(s, (moment){0, {loc, PS_NONE}});
        while (s->heap.n && s->status == PS_OK) {
                moment next = s->heap.row[0];
                ps_time time = ps_time_earlier(next.time, s->timing->duration);
                if (time > s->now)
                        go_on(s, time);
                if (next.send.op == PS_NONE) {
                        change(s, next.send.loc);
                } else {
                        drop_first(s);
                        end_message(s, next.send);
                }
        }
        go_on(s, s->timing->duration);
        for (ps_loc loc = 0; loc < s->trace->n_locs; loc++)
                fill_queue(s, &s->tracks[loc]);
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
        if (status == PS_OK) {
                run_sweep(&s);
                status = s.status;
        }
        finish_profile(&s);
        for (ps_loc loc = 0; s.tracks && loc < trace->n_locs; loc++)
                free(s.tracks[loc].idle);
        free(s.tracks);
        free(s.heap.row);
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
