/* waits.c - every wait of the analysis, with the place among the findings that it belongs to. */
#include "report/page/own.h"

#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/search.h"
#include "patterns/engine/shown.h"

#include <stdlib.h>
#include <string.h>

/* A finding, and where it stands in the report. */
struct placed {
        const ps_finding *finding;
        uint32_t site;
};

/* Kept while waits may be gathered. */
struct ps_lane_gathering {
        const ps_lanes *lanes;
        ps_lanes_of what;
        struct placed *placed; /* sorted as compare_placed does */
        uint32_t n_placed;
        uint8_t *failed; /* by location: no memory */
        /* Of a location whose rows others have: those before `known` are at hand, in lanes->waits. */
        struct shown_reader reader;
        ps_lane_waits pending; /* sorted; none begins before `known` */
        ps_time known, end;    /* where the last one that is at hand ends */
};

static int compare_placed(const void *a, const void *b)
{
        const ps_finding *x = ((const struct placed *)a)->finding, *y = ((const struct placed *)b)->finding;
        PS_ORDER_BY(x->location, y->location);
        PS_ORDER_BY(x->path, y->path);
        return PS_ORDER(x->pattern, y->pattern);
}

static ps_status sort_findings(struct ps_lane_gathering *g, ps_error *err)
{
        const ps_sites *sites = g->lanes->sites;
        uint32_t n = g->lanes->report->n_findings;
        g->placed = ps_memory_zeroed(n + (size_t)1, sizeof(*g->placed));
        if (!g->placed)
                return PS_NOMEM(err, "findings", n);
        for (uint32_t s = 0; s < sites->places.n && s < PS_LANES_PLACES; s++)
                for (uint32_t i = 0; i < sites->places.row[s].n && g->n_placed < n; i++)
                        g->placed[g->n_placed++] =
                                (struct placed){sites->places.row[s].finding[i]->finding, s};
        if (g->n_placed)
                qsort(g->placed, g->n_placed, sizeof(*g->placed), compare_placed);
        return PS_OK;
}

static uint32_t place_of_wait(const struct ps_lane_gathering *g, const struct shown_row *row)
{
        const ps_finding finding = {.pattern = row->pattern, .path = row->path, .location = row->at.loc};
        const struct placed key = {.finding = &finding};
        const struct placed *found =
                g->n_placed ? bsearch(&key, g->placed, g->n_placed, sizeof(key), compare_placed) : NULL;
        return found ? found->site : PS_NONE;
}

/* Coming to a team and going from it is no waiting, but what the time outside of all regions is then. */
static bool is_of_team(const ps_pattern *row)
{
        return row->subject == PS_ON_FORK || row->subject == PS_ON_JOIN;
}

/* Sums over many calls are at no moment, and views are of time that others charge, too. */
static bool is_drawn(const struct ps_lane_gathering *g, const ps_pattern *row)
{
        bool is_sum =
                row->subject == PS_ON_REGION || row->subject == PS_ON_SITE || row->subject == PS_ON_MASTER;
        return !is_sum && !row->is_view && !row->is_defect &&
               (g->what == PS_LANES_OF_PATTERNS || ps_pattern_waits(row) || is_of_team(row));
}

static uint8_t state_of(const ps_pattern *row, uint8_t kind)
{
        if (is_of_team(row))
                return PS_LANE_RUNTIME;
        if (!ps_pattern_waits(row))
                return PS_LANE_STATES;
        if (row->subject == PS_ON_UNEXPLAINED)
                return PS_LANE_UNEXPLAINED;
        return kind < PS_K_COUNT && ps_kinds[kind].cls == PS_C_COLL ? PS_LANE_WAITS_ALL : PS_LANE_WAITS;
}

/* Waiting comes first in a call; what it takes without waiting is its end. */
static ps_time begin_of(const ps_pattern *pattern, const struct shown_row *row)
{
        return pattern->is_work || pattern->subject == PS_ON_COMPLETION ? row->leave - row->lost : row->begin;
}

static bool is_wanted(const struct ps_lane_gathering *g, uint32_t pattern, ps_op op, ps_time lost)
{
        return lost > 0 && op != PS_NONE && is_drawn(g, ps_pattern_at(pattern));
}

/* False: it is not drawn. */
static bool make_wait(ps_lane_wait *out, const struct ps_lane_gathering *g, const struct shown_row *row)
{
        const ps_pattern *pattern = ps_pattern_at(row->pattern);
        bool is_finding = g->what == PS_LANES_OF_PATTERNS || ps_pattern_waits(pattern);
        if (!is_wanted(g, row->pattern, row->at.op, row->lost))
                return false;
        ps_time begin = begin_of(pattern, row);
        *out = (ps_lane_wait){.begin = begin,
                              .end = ps_time_add(begin, row->lost),
                              .partner = row->partner.op == PS_NONE ? PS_NONE : row->partner.loc,
                              .finding = is_finding ? place_of_wait(g, row) : PS_NONE,
                              .pattern = row->pattern,
                              .state = state_of(pattern, row->kind)};
        return true;
}

static void take_instance(void *ctx, const ps_instance *instance, ps_path path)
{
        const struct ps_lane_gathering *g = ctx;
        const ps_report *report = g->lanes->report;
        const ps_ref at = instance->at;
        if (!is_wanted(g, instance->pattern, at.op, instance->lost))
                return;
        const struct shown_row row = {.begin = instance->begin,
                                      .lost = instance->lost,
                                      .leave = report->timing->leave[at.loc][at.op],
                                      .at = at,
                                      .partner = instance->partner,
                                      .path = path,
                                      .pattern = (uint16_t)instance->pattern,
                                      .kind = report->trace->ops[at.loc].kind[at.op]};
        ps_lane_wait wait;
        if (make_wait(&wait, g, &row) && PS_PUSH(g->lanes->waits[at.loc], wait))
                g->failed[at.loc] = 1;
}

static int compare_waits(const void *a, const void *b)
{
        const ps_lane_wait *x = a, *y = b;
        PS_ORDER_BY(x->begin, y->begin);
        return PS_ORDER(x->end, y->end);
}

static void sort_waits(ps_lane_waits *waits)
{
        if (waits->n)
                qsort(waits->row, waits->n, sizeof(*waits->row), compare_waits);
}

/* What overlaps is cut to where the one before it ends, at `*end`. False: nothing is left of it. */
static bool cut_wait(ps_lane_wait *wait, ps_time *end)
{
        wait->begin = wait->begin > *end ? wait->begin : *end;
        if (wait->begin >= wait->end)
                return false;
        *end = wait->end;
        return true;
}

/* In order of time. */
static ps_status settle_waits(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        const struct ps_lane_gathering *g = ctx;
        ps_lane_waits *waits = &g->lanes->waits[loc];
        uint32_t n = 0;
        ps_time end = 0;
        (void)worker;
        if (g->failed[loc])
                return PS_NOMEM(err, "waits", waits->n);
        sort_waits(waits);
        for (uint32_t i = 0; i < waits->n; i++) {
                ps_lane_wait wait = waits->row[i];
                if (cut_wait(&wait, &end))
                        waits->row[n++] = wait;
        }
        waits->n = n;
        return PS_OK;
}

static ps_analysis_options listen(struct ps_lane_gathering *g)
{
        ps_analysis_options options = *g->lanes->report->settings.options;
        options.sink = take_instance;
        options.sink_ctx = g;
        options.sink_is_shared = 1;
        options.sink_is_apart = true; /* of those of others when somebody looks at their rows */
        return options;
}

ps_status ps_lanes_gather_waits(ps_lanes *lanes, ps_lanes_of what, ps_error *err)
{
        const ps_report *report = lanes->report;
        uint32_t n_locs = report->trace->n_locs;
        struct ps_lane_gathering *g = lanes->gathering = calloc(1, sizeof(*g));
        ps_analysis *again = NULL;
        if (!g)
                return PS_NOMEM(err, "locations", n_locs);
        *g = (struct ps_lane_gathering){
                .lanes = lanes, .what = what, .failed = ps_memory_zeroed(n_locs + (size_t)1, 1)};
        PS_TRY(g->failed ? sort_findings(g, err) : PS_NOMEM(err, "locations", n_locs));
        const ps_analysis_options options = listen(g);
        PS_TRY(ps_analyse(&again, report->trace, report->timing, &options, err));
        ps_analysis_free(again);
        return ps_parallel_for(options.n_threads, n_locs, settle_waits, g, err);
}

/* -- of a location whose rows others have -- */

static void drop_first(ps_lane_waits *waits, uint32_t n)
{
        waits->n -= n;
        if (n)
                memmove(waits->row, waits->row + n, waits->n * sizeof(*waits->row));
}

void ps_lanes_begin_waits(const ps_lanes *lanes, ps_loc location)
{
        struct ps_lane_gathering *g = lanes->gathering;
        lanes->waits[location].n = g->pending.n = 0;
        g->known = INT64_MIN;
        g->end = 0;
        ps_shown_begin(&g->reader, lanes->report->trace, location);
}

void ps_lanes_end_waits(const ps_lanes *lanes, ps_loc location)
{
        free(lanes->waits[location].row);
        lanes->waits[location] = (ps_lane_waits){NULL, 0, 0};
}

/* As they were found, in whatever order. */
static ps_status fetch_block(struct ps_lane_gathering *g, ps_error *err)
{
        const struct shown_row *row = NULL;
        ps_lane_wait wait;
        size_t n;
        PS_TRY(ps_shown_next(&g->reader, &row, &n, err));
        for (size_t i = 0; i < n; i++)
                if (make_wait(&wait, g, &row[i]) && PS_PUSH(g->pending, wait))
                        return PS_NOMEM(err, "waits", g->pending.n);
        g->known = g->reader.is_over ? PS_TIME_MAX : g->reader.least;
        sort_waits(&g->pending);
        return PS_OK;
}

/* Those before which none can come any more. */
static ps_status settle_first(struct ps_lane_gathering *g, ps_lane_waits *waits, ps_error *err)
{
        uint32_t n = 0;
        for (; n < g->pending.n && (g->reader.is_over || g->pending.row[n].begin < g->known); n++) {
                ps_lane_wait wait = g->pending.row[n];
                if (cut_wait(&wait, &g->end) && PS_PUSH(*waits, wait))
                        return PS_NOMEM(err, "waits", waits->n);
        }
        drop_first(&g->pending, n);
        return PS_OK;
}

ps_status ps_lanes_fetch_waits(const ps_lanes *lanes, ps_loc location, ps_time now, ps_time until,
                               uint32_t *next, ps_error *err)
{
        struct ps_lane_gathering *g = lanes->gathering;
        ps_lane_waits *waits = &lanes->waits[location];
        while (!g->reader.is_over && g->known < until) {
                uint32_t n = 0;
                while (n < waits->n && waits->row[n].end <= now)
                        n++;
                drop_first(waits, n);
                *next = 0;
                PS_TRY(fetch_block(g, err));
                PS_TRY(settle_first(g, waits, err));
        }
        return PS_OK;
}

void ps_lanes_forget_waits(ps_lanes *lanes)
{
        if (lanes->gathering) {
                ps_shown_stop(&lanes->gathering->reader);
                free(lanes->gathering->pending.row);
                free(lanes->gathering->placed);
                free(lanes->gathering->failed);
        }
        free(lanes->gathering);
        lanes->gathering = NULL;
}
