/* analysis_rows.c - what an analysis has found. */
#include "library/api/handle.h"
#include "report/facts/intervals.h"
#include "report/facts/sites.h"

enum { PATTERNS, FINDINGS, CAUSES, DELAYS, CRITICALS, STEPS, FUNCTIONS, INTERVALS, TIMES, LIMITS };

static const ps_report *report_of(const void *handle)
{
        return ((const patscan_analysis *)handle)->w.report;
}

/* As the JSON report: null where there is no time at all. */
static double share_of(const ps_report *report, double share)
{
        return ps_report_share(report, 1) > 0 ? share : ps_made_rows_seconds(0, false);
}

/* -- patterns -- */

static size_t count_patterns(const void *handle)
{
        return report_of(handle)->n_patterns;
}

static int fill_pattern(void *row, const void *handle, size_t i, ps_arena *arena)
{
        const ps_report *report = report_of(handle);
        const ps_report_pattern *of = &report->patterns[i];

        (void)arena;
        *(patscan_pattern_row *)row = (patscan_pattern_row){
                .id = of->row->id,
                .parent = of->parent == PS_NONE ? NULL : report->patterns[of->parent].row->id,
                .title = of->row->title,
                .count = of->count,
                .lost_s = ps_time_seconds(of->lost),
                .total_s = ps_time_seconds(of->total),
                .share = share_of(report, of->share)};
        return 0;
}

PS_ROWS(pattern, patterns, PATTERNS, patscan_analysis)

/* -- findings -- */

static size_t count_findings(const void *handle)
{
        return report_of(handle)->n_findings;
}

static int fill_finding(void *row, const void *handle, size_t i, ps_arena *arena)
{
        const ps_report *report = report_of(handle);
        const ps_report_finding *of = &report->findings[i];
        const ps_finding *f = of->finding;
        const ps_source_place *partner = of->partner_place;
        const ps_location_def *location = &report->trace->defs.locations.row[f->location];
        char room[PS_COMMENT_ROOM];
        const char *comment = ps_made_rows_copy(arena, ps_report_comment(report, of, room));

        *(patscan_finding_row *)row =
                (patscan_finding_row){.id = of->id,
                                      .site = of->site,
                                      .type = of->pattern->id,
                                      .process = location->process,
                                      .thread = location->thread,
                                      .location = f->location,
                                      .callpath = f->path,
                                      .file = ps_made_rows_text(of->place->file),
                                      .line = of->place->line,
                                      .line_source = ps_line_source_names[of->place->certainty],
                                      .function = ps_made_rows_text(of->place->function),
                                      .confidence = ps_confidence_names[of->confidence],
                                      .count = f->count,
                                      .lost_s = ps_time_seconds(f->lost),
                                      .share = share_of(report, of->share),
                                      .worst_begin_s = ps_time_seconds(f->worst.begin),
                                      .worst_lost_s = ps_time_seconds(f->worst.lost),
                                      .partner_process = ps_site_process(report, f->worst.partner),
                                      .partner_file = partner ? ps_made_rows_text(partner->file) : NULL,
                                      .partner_line = partner ? partner->line : 0,
                                      .gain_s = ps_made_rows_seconds(of->gain, of->has_gain),
                                      .fix_gain_s = ps_made_rows_seconds(of->fix_gain, of->has_fix_gain),
                                      .ignored = of->ignored,
                                      .comment = comment,
                                      .advice = of->advice};
        return comment ? 0 : -1;
}

PS_ROWS(finding, findings, FINDINGS, patscan_analysis)

/* -- causes -- */

static size_t count_causes(const void *handle)
{
        const ps_blame *blame = report_of(handle)->blame;

        return blame ? blame->causes->n : 0;
}

static int fill_cause(void *row, const void *handle, size_t i, ps_arena *arena)
{
        const ps_report *report = report_of(handle);
        const ps_blame *blame = report->blame;
        const ps_told_cause *of = &blame->told[i];
        const ps_cause *cause = of->cause;
        const ps_cause_fixes *fixes = blame->fixes ? &blame->fixes[i] : NULL;
        const ps_cause_fix *fix = fixes && fixes->n ? fixes->row : NULL;
        bool is_known = cause->location != PS_NONE;

        (void)arena;
        *(patscan_cause_row *)row = (patscan_cause_row){
                .id = of->id,
                .site = of->site,
                .process = of->process,
                .location = cause->location,
                .callpath = cause->path,
                .function = ps_made_rows_text(of->at.function),
                .file = ps_made_rows_text(of->at.file),
                .line = of->at.line,
                .line_source = ps_line_source_names[of->at.certainty],
                .why = is_known ? ps_why_names[cause->why] : NULL,
                .excess_s = ps_made_rows_seconds(cause->excess, is_known),
                .waiting_s = ps_time_seconds(cause->direct + cause->indirect),
                .direct_s = ps_made_rows_seconds(cause->direct, is_known),
                .indirect_s = ps_made_rows_seconds(cause->indirect, is_known),
                .share = share_of(report, ps_report_share(report, cause->direct + cause->indirect)),
                .fix = fix ? fix->edit : NULL,
                .fix_gain_s = ps_made_rows_seconds(fix ? fix->gain : 0, fix != NULL),
                .fix_run_s = ps_made_rows_seconds(fix ? fix->run : 0, fix != NULL)};
        return 0;
}

PS_ROWS(cause, causes, CAUSES, patscan_analysis)

/* -- delays: of each family its sum, then what is of each location -- */

static size_t rows_of_family(const patscan_analysis *a)
{
        return (size_t)a->w.report->trace->n_locs + 1;
}

static size_t count_delays(const void *handle)
{
        const patscan_analysis *a = handle;

        return a->n_families * rows_of_family(a);
}

static int fill_delay(void *row, const void *handle, size_t i, ps_arena *arena)
{
        const patscan_analysis *a = handle;
        const ps_delays *delays = a->w.report->blame->delays;
        size_t location = i % rows_of_family(a);
        ps_delay_family family = a->family[i / rows_of_family(a)];
        double s[PS_N_DELAYED];

        (void)arena;
        for (ps_delay_term t = 0; t < PS_N_DELAYED; t++)
                s[t] = ps_time_seconds(location ? ps_delayed(delays, family, t, (ps_loc)(location - 1))
                                                : ps_delayed_all(delays, family, t));
        *(patscan_delay_row *)row = (patscan_delay_row){.family = ps_delay_names[family],
                                                        .wait_s = s[PS_DELAYED_WAIT],
                                                        .short_s = s[PS_DELAYED_SHORT],
                                                        .long_s = s[PS_DELAYED_LONG],
                                                        .propagating_s = s[PS_DELAYED_PROPAGATING],
                                                        .terminal_s = s[PS_DELAYED_TERMINAL],
                                                        .direct_s = s[PS_DELAYED_DIRECT],
                                                        .indirect_s = s[PS_DELAYED_INDIRECT],
                                                        .unexplained_s = s[PS_DELAYED_UNEXPLAINED]};
        return 0;
}

static const ps_row_source delays = {DELAYS, sizeof(patscan_delay_row), count_delays, fill_delay};

size_t patscan_delay_count(const patscan_analysis *a)
{
        return a->n_families;
}

const patscan_delay_row *patscan_delay(const patscan_analysis *a, size_t i)
{
        return i < a->n_families ? ps_made_rows_get(a->rows, &delays, a, i * rows_of_family(a)) : NULL;
}

const patscan_delay_row *patscan_delay_at(const patscan_analysis *a, size_t i, size_t location)
{
        return i < a->n_families && location < a->w.report->trace->n_locs
                       ? ps_made_rows_get(a->rows, &delays, a, i * rows_of_family(a) + 1 + location)
                       : NULL;
}

/* -- the critical path -- */

static size_t count_criticals(const void *handle)
{
        const ps_blame *blame = report_of(handle)->blame;

        return blame ? blame->critical->n : 0;
}

static int fill_critical(void *row, const void *handle, size_t i, ps_arena *arena)
{
        const ps_report *report = report_of(handle);
        const ps_critical *critical = report->blame->critical;
        const ps_critical_row *of = &critical->row[i];
        ps_cause_place at = ps_cause_place_of(report, of->path);

        (void)arena;
        *(patscan_critical_row *)row = (patscan_critical_row){
                .callpath = of->path,
                .function = ps_made_rows_text(at.function),
                .file = ps_made_rows_text(at.file),
                .line = at.line,
                .time_s = ps_time_seconds(of->time),
                .share = critical->length > 0 ? (double)of->time / (double)critical->length
                                              : ps_made_rows_seconds(0, false),
                .imbalance_s = ps_time_seconds(of->imbalance)};
        return 0;
}

PS_ROWS(critical, criticals, CRITICALS, patscan_analysis)

double patscan_critical_at_s(const patscan_analysis *a, size_t i, size_t location)
{
        bool is_known = i < count_criticals(a) && location < a->w.report->trace->n_locs;

        return ps_made_rows_seconds(is_known ? a->w.report->blame->critical->row[i].by_location[location] : 0,
                                    is_known);
}

static size_t count_steps(const void *handle)
{
        const ps_blame *blame = report_of(handle)->blame;

        return blame ? blame->critical->n_steps : 0;
}

static int fill_critical_step(void *row, const void *handle, size_t i, ps_arena *arena)
{
        const ps_critical *critical = report_of(handle)->blame->critical;
        const ps_critical_step *of = &critical->step[critical->n_steps - 1 - i];

        (void)arena;
        *(patscan_critical_step_row *)row = (patscan_critical_step_row){
                of->location, ps_time_seconds(of->begin), ps_time_seconds(of->end)};
        return 0;
}

PS_ROWS(critical_step, steps, STEPS, patscan_analysis)

/* -- functions -- */

static size_t count_functions(const void *handle)
{
        return report_of(handle)->functions->n;
}

static int fill_function(void *row, const void *handle, size_t i, ps_arena *arena)
{
        const ps_report *report = report_of(handle);
        const ps_function *of = &report->functions->row[i];
        const ps_region_def *region = ps_path_region(report->trace, of->path);
        const ps_defs *defs = &report->trace->defs;
        bool is_visited = of->least_process != PS_NONE;

        (void)arena;
        *(patscan_function_row *)row = (patscan_function_row){
                .callpath = of->path,
                .function = region ? ps_made_rows_text(ps_defs_str(defs, region->name)) : NULL,
                .file = region ? ps_made_rows_text(ps_defs_str(defs, region->file)) : NULL,
                .line = region ? region->line : 0,
                .count = of->visits,
                .exclusive_s = ps_time_seconds(of->exclusive),
                .inclusive_s = ps_time_seconds(of->inclusive),
                .waiting_s = ps_time_seconds(of->waiting),
                .share = report->times->all > 0 ? ps_times_share(report->times, of->exclusive)
                                                : ps_made_rows_seconds(0, false),
                .min_s = ps_made_rows_seconds(of->least, is_visited),
                .max_s = ps_made_rows_seconds(of->most, is_visited),
                .min_process = of->least_process,
                .max_process = of->most_process};
        return 0;
}

PS_ROWS(function, functions, FUNCTIONS, patscan_analysis)

/* -- intervals -- */

static size_t count_intervals(const void *handle)
{
        const ps_intervals *tree = report_of(handle)->settings.intervals;

        return tree ? tree->n : 0;
}

static int fill_interval(void *row, const void *handle, size_t i, ps_arena *arena)
{
        const ps_intervals *tree = report_of(handle)->settings.intervals;
        const ps_interval *of = &tree->row[i];
        const ps_interval_sums *sums = &of->sums;

        (void)arena;
        *(patscan_interval_row *)row =
                (patscan_interval_row){.parent = of->parent,
                                       .level = of->level,
                                       .type = ps_interval_types[of->key.type].key,
                                       .name = ps_made_rows_text(ps_intervals_str(tree, of->key.name)),
                                       .file = ps_made_rows_text(ps_intervals_str(tree, of->key.file)),
                                       .line = of->key.line,
                                       .count = of->count,
                                       .execution_s = sums->execution_s,
                                       .total_s = sums->total_s,
                                       .efficiency = sums->efficiency,
                                       .productive_s = sums->productive_s,
                                       .lost_s = sums->lost_s,
                                       .communication_s = sums->communication_all_s,
                                       .idle_s = sums->idle_s,
                                       .load_imbalance_s = sums->imbalance_s,
                                       .synchronization_s = sums->synchronization_all_s};
        return 0;
}

PS_ROWS(interval, intervals, INTERVALS, patscan_analysis)

/* -- times and limits -- */

static size_t count_times(const void *handle)
{
        size_t n = 0;

        while (ps_times_nth(report_of(handle)->times, n) < PS_TIME_KINDS)
                n++;
        return n;
}

static int fill_time(void *row, const void *handle, size_t i, ps_arena *arena)
{
        const ps_times *times = report_of(handle)->times;
        const ps_time_kind kind = ps_times_nth(times, i);

        (void)arena;
        *(patscan_time_row *)row =
                (patscan_time_row){.kind = ps_time_infos[kind].key,
                                   .time_s = ps_time_seconds(times->sum[kind]),
                                   .share = times->all > 0 ? ps_times_share(times, times->sum[kind])
                                                           : ps_made_rows_seconds(0, false)};
        return 0;
}

PS_ROWS(time, times, TIMES, patscan_analysis)

static size_t count_limits(const void *handle)
{
        return report_of(handle)->settings.n_limits;
}

static int fill_limit(void *row, const void *handle, size_t i, ps_arena *arena)
{
        static const char *const verdicts[] = {
                [PS_LIMIT_KEPT] = "kept", [PS_LIMIT_HIT] = "exceeded", [PS_LIMIT_UNKNOWN] = "unknown"};
        const ps_report_limit *of = &report_of(handle)->settings.limits[i];

        (void)arena;
        *(patscan_limit_row *)row = (patscan_limit_row){of->text, of->told, verdicts[of->verdict]};
        return 0;
}

PS_ROWS(limit, limits, LIMITS, patscan_analysis)
