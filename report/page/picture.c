/* picture.c - see picture.h.
 *
 * All lanes are walked twice: to count how long their stretches are, and, once it is known which of them are
 * worth room of their own, to draw them. */
#include "report/page/picture.h"
#include "report/page/own.h"

#include "core/base/memory.h"
#include "patterns/causes/causes.h"
#include "report/causes/causes.h"

#include <stdlib.h>
#include <string.h>

ps_picture_most ps_picture_most_drawn = {.stretches = 1500000,
                                         .waits = 1000000,
                                         .messages = 1000000,
                                         .collectives = 100000,
                                         .bins = 16384,
                                         .shares = 12 << 20};
/* Of a part that is on somebody's screen. */
static const ps_picture_most most_shown = {.stretches = 60000,
                                           .waits = 30000,
                                           .messages = 4000,
                                           .collectives = 1000,
                                           .bins = 2048,
                                           .shares = 3 << 20};

/* -- how fine it is -- */

/* Whole nanoseconds are enough, unless a run is so short that they are not. */
static void choose_tick(ps_picture *p, ps_time duration)
{
        p->tick = duration < 100000 * PS_PS_PER_NS ? 1 : PS_PS_PER_NS;
        if (duration / p->tick >= UINT32_MAX)
                p->tick = duration / (UINT32_MAX - 1) + 1;
        p->end = (uint32_t)(duration / p->tick);
        p->end += !p->end;
}

/* Two bits behind the first one: stretches of a bucket differ by less than a fifth of an octave. */
enum { BUCKETS = 256, PATHS_MOST = 20000 };

static unsigned bucket_of(ps_time length)
{
        uint64_t n = (uint64_t)length;
        unsigned bits = 63U - (unsigned)__builtin_clzll(n | 4);
        return bits * 4 + (unsigned)(n >> (bits - 2) & 3);
}

struct drawing {
        ps_picture *p;
        uint32_t lane;
        uint64_t waits[BUCKETS], others[BUCKETS]; /* how many are that long */
        unsigned least_wait, least_other;         /* buckets from which on they are drawn */
        ps_lane_stretch mixed;                    /* under way; end 0: none is */
        double *filled;                           /* of the lane: [bin][state], what is mixed */
        int failed;
};

/* What a finding tells of, or somebody waited for. */
static bool is_wait(const ps_lane_stretch *s)
{
        return s->finding != PS_NONE || s->state == PS_LANE_WAITS || s->state == PS_LANE_WAITS_ALL;
}

static void count_stretch(void *ctx, const ps_lane_stretch *s)
{
        struct drawing *d = ctx;
        if (s->begin == s->end)
                return;
        (is_wait(s) ? d->waits : d->others)[bucket_of(s->end - s->begin)]++;
}

/* The longest that there is room for. */
static unsigned choose_least(const uint64_t count[BUCKETS], uint64_t most)
{
        unsigned bucket = BUCKETS;
        for (uint64_t n = 0; bucket > 0 && n + count[bucket - 1] <= most;)
                n += count[--bucket];
        return bucket;
}

static uint64_t sum_of(const uint64_t count[BUCKETS])
{
        uint64_t sum = 0;
        for (unsigned i = 0; i < BUCKETS; i++)
                sum += count[i];
        return sum;
}

/* -- stretches -- */

void ps_picture_use_path(ps_picture *p, ps_path path)
{
        const ps_path_node *paths = p->lanes->report->trace->paths;
        if (p->n_used >= PATHS_MOST)
                return;
        for (; !p->is_used[path]; path = paths[path].parent, p->n_used++)
                p->is_used[path] = 1;
}

static void draw(struct drawing *d, const ps_lane_stretch *s, uint8_t state)
{
        ps_picture *p = d->p;
        uint32_t begin = ps_picture_tick(p, s->begin);
        bool is_first = p->stretches.n == p->first[d->lane];
        ps_drawn drawn = {.begin = is_first ? ps_picture_tick(p, p->span.begin) : begin,
                          .path = s->path,
                          .partner = s->partner == PS_NONE ? PS_NONE : p->lane_of[s->partner],
                          .finding = s->finding,
                          .state = state};
        if (!is_first && p->stretches.row[p->stretches.n - 1].begin == begin) /* shorter than a tick */
                p->stretches.n--;
        ps_picture_use_path(p, s->path);
        d->failed |= PS_PUSH(p->stretches, drawn);
}

static void end_mixed(struct drawing *d)
{
        if (d->mixed.end)
                draw(d, &d->mixed, PS_LANE_MIXED);
        d->mixed.end = 0;
}

static void mix(struct drawing *d, const ps_lane_stretch *s)
{
        ps_left_out *out = is_wait(s) ? &d->p->waits_left_out : &d->p->mixed;
        if (!d->mixed.end)
                d->mixed = (ps_lane_stretch){
                        .begin = s->begin, .path = s->path, .partner = PS_NONE, .finding = PS_NONE};
        d->mixed.end = s->end;
        out->n++;
        out->time = ps_time_add(out->time, s->end - s->begin);
        if (d->p->lanes->report->settings.timeline) /* somebody will ask for what is in it */
                ps_picture_use_path(d->p, s->path);
}

static void fill_bins(struct drawing *d, const ps_lane_stretch *s)
{
        double width = (double)(d->p->span.end - d->p->span.begin) / d->p->n_bins;
        double at = (double)(s->begin - d->p->span.begin), end = (double)(s->end - d->p->span.begin);
        for (uint32_t bin = (uint32_t)(at / width); bin < d->p->n_bins && at < end; bin++) {
                double until = (bin + 1) * width < end ? (bin + 1) * width : end;
                d->filled[(size_t)bin * PS_LANE_STATES + s->state] += until - at;
                at = until;
        }
}

static void draw_stretch(void *ctx, const ps_lane_stretch *s)
{
        struct drawing *d = ctx;
        if (s->begin == s->end)
                return;
        if (bucket_of(s->end - s->begin) < (is_wait(s) ? d->least_wait : d->least_other)) {
                fill_bins(d, s);
                mix(d, s);
                return;
        }
        end_mixed(d);
        draw(d, s, (uint8_t)s->state);
}

static void keep_shares(struct drawing *d)
{
        size_t n = (size_t)d->p->n_bins * PS_LANE_STATES;
        for (size_t bin = 0; bin < n; bin += PS_LANE_STATES) {
                double sum = 0;
                for (size_t i = bin; i < bin + PS_LANE_STATES; i++)
                        sum += d->filled[i];
                for (size_t i = bin; i < bin + PS_LANE_STATES && sum > 0; i++)
                        d->p->shares[d->lane * n + i] = (uint8_t)(d->filled[i] / sum * 255 + 0.5);
        }
        memset(d->filled, 0, n * sizeof(*d->filled));
}

static ps_status make_shares(struct drawing *d, ps_error *err)
{
        ps_picture *p = d->p;
        p->n_bins = p->most->bins;
        while (p->n_bins > 1 && (uint64_t)p->n_bins * p->n_lanes * PS_LANE_STATES > p->most->shares)
                p->n_bins /= 2;
        p->shares = ps_memory_zeroed(p->n_lanes, (size_t)p->n_bins * PS_LANE_STATES);
        d->filled = ps_memory_zeroed(p->n_bins, PS_LANE_STATES * sizeof(*d->filled));
        return p->shares && d->filled ? PS_OK : PS_NOMEM(err, "lanes of a page", p->n_lanes);
}

static ps_status draw_lanes(struct drawing *d, ps_error *err)
{
        ps_picture *p = d->p;
        ps_status status = PS_OK;
        for (uint32_t lane = 0; lane < p->n_lanes; lane++)
                ps_lanes_walk_span(p->lanes, p->location[lane], p->span, count_stretch, d);
        if (sum_of(d->waits) + sum_of(d->others) > p->most->stretches) {
                d->least_wait = choose_least(d->waits, p->most->waits);
                d->least_other = choose_least(d->others, (p->most->stretches - p->most->waits) / 2);
                status = make_shares(d, err);
        }
        for (uint32_t lane = 0; status == PS_OK && lane < p->n_lanes; lane++) {
                d->lane = lane;
                p->first[lane] = p->stretches.n;
                ps_lanes_walk_span(p->lanes, p->location[lane], p->span, draw_stretch, d);
                end_mixed(d);
                if (d->filled)
                        keep_shares(d);
        }
        p->first[p->n_lanes] = p->stretches.n;
        return status == PS_OK && d->failed ? PS_NOMEM(err, "stretches of a page", p->stretches.n) : status;
}

/* -- the rest -- */

static ps_status make_picture_room(ps_picture *p, ps_error *err)
{
        const ps_trace *trace = p->lanes->report->trace;
        uint32_t n_locs = trace->n_locs;
        p->location = ps_memory_zeroed(n_locs + (size_t)1, sizeof(*p->location));
        p->lane_of = ps_memory_zeroed(n_locs + (size_t)1, sizeof(*p->lane_of));
        p->first = ps_memory_zeroed(n_locs + (size_t)2, sizeof(*p->first));
        p->is_used = ps_memory_zeroed(trace->n_paths + (size_t)1, 1);
        if (!p->location || !p->lane_of || !p->first || !p->is_used)
                return PS_NOMEM(err, "lanes of a page", n_locs);
        p->is_used[0] = 1;
        return PS_OK;
}

static void choose_lanes(ps_picture *p)
{
        const ps_report *report = p->lanes->report;
        for (ps_loc loc = 0; loc < report->trace->n_locs; loc++) {
                bool is_told = ps_focus_tells(report->trace, report->timing, loc);
                p->lane_of[loc] = is_told ? p->n_lanes : PS_NONE;
                if (is_told)
                        p->location[p->n_lanes++] = loc;
        }
}

static ps_status take_steps(ps_picture *p, ps_error *err)
{
        const ps_blame *blame = p->lanes->report->blame;
        const ps_critical *critical = blame ? blame->critical : NULL;
        for (uint32_t i = critical ? critical->n_steps : 0; i-- > 0;) {
                const ps_critical_step *step = &critical->step[i];
                ps_drawn_step drawn = {ps_picture_tick(p, step->begin), ps_picture_tick(p, step->end),
                                       p->lane_of[step->location]};
                if (drawn.lane != PS_NONE && PS_PUSH(p->steps, drawn))
                        return PS_NOMEM(err, "steps of the critical path", p->steps.n);
        }
        return PS_OK;
}

static ps_status fill_picture(ps_picture *p, ps_error *err)
{
        struct drawing d = {.p = p};
        ps_status status = draw_lanes(&d, err);
        PS_THEN(status, ps_picture_take_messages(p, err));
        PS_THEN(status, ps_picture_take_collectives(p, err));
        free(d.filled);
        return status;
}

ps_status ps_picture_make(ps_picture *out, const ps_lanes *lanes, ps_error *err)
{
        ps_time duration = lanes->report->timing->duration;
        *out = (ps_picture){.lanes = lanes, .most = &ps_picture_most_drawn, .span = {0, duration}};
        choose_tick(out, duration);
        PS_TRY(make_picture_room(out, err));
        choose_lanes(out);
        PS_TRY(fill_picture(out, err));
        return take_steps(out, err);
}

/* -- a part -- */

static ps_span span_of(const ps_picture *whole, const ps_picture_part *part)
{
        bool is_end = part->end >= whole->end;
        return (ps_span){part->begin * whole->tick, is_end ? whole->span.end : part->end * whole->tick};
}

uint64_t ps_picture_operations(const ps_picture *whole, const ps_picture_part *part)
{
        uint64_t n = 0;
        ps_op first;
        for (uint32_t i = 0; i < part->n_lanes; i++)
                n += ps_lanes_operations(whole->lanes, whole->location[part->lane[i]], span_of(whole, part),
                                         &first);
        return n;
}

ps_status ps_picture_make_part(ps_picture *out, const ps_picture *whole, const ps_picture_part *part,
                               ps_error *err)
{
        size_t n_locs = whole->lanes->report->trace->n_locs;
        *out = (ps_picture){.lanes = whole->lanes,
                            .most = &most_shown,
                            .span = span_of(whole, part),
                            .is_part = true,
                            .tick = whole->tick,
                            .end = whole->end,
                            .n_lanes = part->n_lanes};
        PS_TRY(make_picture_room(out, err));
        memcpy(out->lane_of, whole->lane_of, n_locs * sizeof(*out->lane_of));
        for (uint32_t i = 0; i < part->n_lanes; i++)
                out->location[i] = whole->location[part->lane[i]];
        return fill_picture(out, err);
}

void ps_picture_clear(ps_picture *p)
{
        free(p->location);
        free(p->lane_of);
        free(p->first);
        free(p->stretches.row);
        free(p->messages.row);
        free(p->collectives.row);
        free(p->steps.row);
        free(p->shares);
        free(p->is_used);
        *p = (ps_picture){0};
}
