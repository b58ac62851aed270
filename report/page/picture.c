/* picture.c - see picture.h.
 *
 * All lanes are walked twice: to count how long their stretches are, and, once it is known which of them are
 * worth room of their own, to draw them. Of a part, for which somebody waits, a few lanes are counted for
 * all.
 */
#include "report/page/picture.h"
#include "report/page/own.h"

#include "core/base/memory.h"
#include "patterns/causes/causes.h"
#include "report/causes/causes.h"

#include <stdlib.h>
#include <string.h>

ps_picture_most ps_picture_most_drawn = {.stretches = 1500000,
                                         .waits = 1000000,
                                         .messages = 600000,
                                         .collectives = 100000,
                                         .bins = 16384,
                                         .shares = 12 << 20,
                                         .one_by_one = 300000,
                                         .packed = 12 << 20};
/* Of a part that is on somebody's screen; if it has bins only, there may be more of them. */
static const ps_picture_most most_shown = {.stretches = 60000,
                                           .waits = 30000,
                                           .messages = 4000,
                                           .collectives = 200,
                                           .bins = 2048,
                                           .shares = 3 << 20};
enum { MOST_BINS = 1600, MOST_SHARES = 5 << 20 };

/* Of a page that is served: finer bins than it holds itself, as long as they are few beside the trace. */
enum { FEW_CELLS = 1 << 20, FINEST_CELLS = 1 << 24, FINEST_BINS = 1 << 18 };

/* Of a part, this many lanes at least are counted, and operations, about. */
enum { COUNTED_LANES = 16, COUNTED_OPERATIONS = 20000 };

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
        bool failed;
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

static uint64_t sum_of_buckets(const uint64_t count[BUCKETS])
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
        uint32_t n_bins = d->p->levels.n_bins;
        double width = (double)(d->p->span.end - d->p->span.begin) / n_bins;
        double at = (double)(s->begin - d->p->span.begin), end = (double)(s->end - d->p->span.begin);
        for (uint32_t bin = (uint32_t)(at / width); bin < n_bins && at < end; bin++) {
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

/* How many levels of finer bins a page that is served can have, and its own. */
static unsigned count_levels(const ps_picture *p)
{
        const ps_report *report = p->lanes->report;
        uint64_t most = 2 * report->trace->n_operations;
        unsigned n = 1;
        most = most < FEW_CELLS ? FEW_CELLS : most > FINEST_CELLS ? FINEST_CELLS : most;
        if (p->is_part || !report->settings.timeline)
                return n;
        while (n < PS_LEVELS_MOST && p->n_bins << n <= FINEST_BINS &&
               ((uint64_t)p->n_bins << n) * p->n_lanes <= most)
                n++;
        return n;
}

static ps_status make_shares(struct drawing *d, ps_error *err)
{
        ps_picture *p = d->p;
        p->n_bins = p->most->bins;
        while (p->n_bins > 1 && (uint64_t)p->n_bins * p->n_lanes * PS_LANE_STATES > p->most->shares)
                p->n_bins /= 2;
        PS_TRY(ps_levels_make(&p->levels, p->n_lanes, p->n_bins, count_levels(p), err));
        p->shares = p->levels.level[p->levels.n - 1];
        d->filled = ps_memory_zeroed(p->levels.n_bins, PS_LANE_STATES * sizeof(*d->filled));
        return d->filled ? PS_OK : PS_NOMEM(err, "bins of a page", p->levels.n_bins);
}

/* Each of so many lanes is counted. */
static uint32_t choose_step(const ps_picture *p)
{
        uint64_t n = 0;
        ps_op first;
        for (uint32_t lane = 0; p->is_part && lane < p->n_lanes; lane++)
                n += ps_lanes_operations(p->lanes, p->location[lane], p->span, &first);
        uint64_t step = n / COUNTED_OPERATIONS + 1, most = p->n_lanes / COUNTED_LANES + 1;
        return (uint32_t)(step < most ? step : most);
}

static ps_status walk_lane(const ps_picture *p, uint32_t lane, ps_lane_sink *sink, void *ctx, ps_error *err)
{
        return ps_lanes_walk_span(p->lanes, p->location[lane], p->span, sink, ctx, err);
}

static ps_status count_stretches(struct drawing *d, ps_error *err)
{
        ps_picture *p = d->p;
        uint32_t step = choose_step(p);
        for (uint32_t lane = 0; lane < p->n_lanes; lane += step)
                PS_TRY(walk_lane(p, lane, count_stretch, d, err));
        for (unsigned i = 0; step > 1 && i < BUCKETS; i++) {
                d->waits[i] *= step;
                d->others[i] *= step;
        }
        return PS_OK;
}

static ps_status draw_lanes(struct drawing *d, ps_error *err)
{
        ps_picture *p = d->p;
        PS_TRY(count_stretches(d, err));
        if (sum_of_buckets(d->waits) + sum_of_buckets(d->others) > p->most->stretches) {
                d->least_wait = choose_least(d->waits, p->most->waits);
                d->least_other = choose_least(d->others, (p->most->stretches - p->most->waits) / 2);
                PS_TRY(make_shares(d, err));
        }
        for (uint32_t lane = 0; lane < p->n_lanes; lane++) {
                d->lane = lane;
                p->first[lane] = p->stretches.n;
                PS_TRY(walk_lane(p, lane, draw_stretch, d, err));
                end_mixed(d);
                if (d->filled)
                        ps_levels_keep(&p->levels, lane, d->filled);
        }
        p->first[p->n_lanes] = p->stretches.n;
        return d->failed ? PS_NOMEM(err, "stretches of a page", p->stretches.n) : PS_OK;
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

static ps_status take_flows(ps_picture *p, ps_error *err)
{
        const ps_profile *profile = p->lanes->report->settings.profile;
        bool is_whole = !p->messages_left_out && p->messages.n <= p->most->one_by_one;
        if (!profile || profile->span.end <= profile->span.begin || is_whole ||
            profile->n_pairs > PS_PAGE_PAIRS)
                return PS_OK;
        return ps_flows_make(&p->flows, p->lanes->report, err);
}

ps_status ps_picture_make(ps_picture *out, const ps_lanes *lanes, const ps_picture_most *most, ps_error *err)
{
        ps_time duration = lanes->report->timing->duration;
        *out = (ps_picture){.lanes = lanes, .most = most, .span = {0, duration}};
        choose_tick(out, duration);
        PS_TRY(make_picture_room(out, err));
        choose_lanes(out);
        PS_TRY(fill_picture(out, err));
        PS_TRY(take_flows(out, err));
        return take_steps(out, err);
}

/* -- a part -- */

static ps_span span_of_part(const ps_picture *whole, const ps_picture_part *part)
{
        bool is_end = part->end >= whole->end;
        return (ps_span){part->begin * whole->tick, is_end ? whole->span.end : part->end * whole->tick};
}

uint64_t ps_picture_operations(const ps_picture *whole, const ps_picture_part *part)
{
        uint64_t n = 0;
        ps_op first;
        for (uint32_t i = 0; i < part->n_lanes; i++)
                n += ps_lanes_operations(whole->lanes, whole->location[part->lane[i]],
                                         span_of_part(whole, part), &first);
        return n;
}

ps_status ps_picture_make_part(ps_picture *out, const ps_picture *whole, const ps_picture_part *part,
                               ps_error *err)
{
        size_t n_locs = whole->lanes->report->trace->n_locs;
        *out = (ps_picture){.lanes = whole->lanes,
                            .most = &most_shown,
                            .span = span_of_part(whole, part),
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

/* The finest level whose bins of the part a screen can show; the last one: the page has those. */
static unsigned choose_level(const ps_levels *levels, double share, uint32_t n_lanes)
{
        unsigned k = 0;
        while (k + 1 < levels->n &&
               (ps_levels_bins(levels, k) * share > MOST_BINS ||
                ps_levels_bins(levels, k) * share * n_lanes * PS_LANE_STATES > MOST_SHARES))
                k++;
        return k;
}

ps_status ps_picture_make_bins(ps_picture *out, ps_picture_bins *from_to, const ps_picture *whole,
                               const ps_picture_part *part, ps_error *err)
{
        const ps_levels *levels = &whole->levels;
        double end = whole->end;
        unsigned k = choose_level(levels, (part->end - part->begin) / end, part->n_lanes);
        *out = (ps_picture){.lanes = whole->lanes, .is_part = true, .n_lanes = part->n_lanes};
        if (k + 1 >= levels->n)
                return PS_OK;
        uint32_t n_bins = ps_levels_bins(levels, k), first = (uint32_t)(part->begin / end * n_bins),
                 behind = (uint32_t)(part->end / end * n_bins) + 1;
        behind = behind < n_bins ? behind : n_bins;
        *from_to = (ps_picture_bins){end / n_bins * first, end / n_bins * behind};
        out->n_bins = behind - first;
        PS_TRY(ps_levels_make(&out->levels, part->n_lanes, out->n_bins, 1, err));
        out->shares = out->levels.level[0];
        size_t row = (size_t)out->n_bins * PS_LANE_STATES;
        for (uint32_t i = 0; i < part->n_lanes; i++)
                memcpy(out->levels.level[0] + i * row,
                       levels->level[k] + ((size_t)part->lane[i] * n_bins + first) * PS_LANE_STATES, row);
        return PS_OK;
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
        ps_levels_clear(&p->levels);
        ps_flows_clear(&p->flows);
        free(p->is_used);
        *p = (ps_picture){0};
}
