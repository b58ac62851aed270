/* report.c - everything that formats print of an analysis: looked up, named, and summed up once.
 *
 * A finding is known again in a later run by its site: a hash of the pattern, the names along the call path
 * and the name of the file, but of no folder, no line and no time. Saved reports hold these hashes, so they
 * must never change.
 *
 * How sure a finding is:
 *   low     a part of the trace could not be read, the trace cannot prove such a pattern, or the mean wait is
 *           smaller than what the clocks of the processes may differ by;
 *   medium  the mean wait is less than twice that; or the line is only one of several, or unknown; or
 *           definitions of the trace had to be guessed;
 *   high    otherwise. */
#include "report/facts/report.h"
#include "report/facts/verdict.h"

#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/base/text.h"
#include "core/clock/clock.h"
#include "core/load/between.h"
#include "core/model/unexplained.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const ps_confidence_names[PS_CONFIDENCE_HIGH + 1] = {"low", "medium", "high"};
const char *const ps_definitions_names[PS_N_DEFINITIONS] = {"patscan", "scalasca", "paper"};

static ps_time saturating_sum(ps_time a, ps_time b)
{
        ps_time sum;

        return __builtin_add_overflow(a, b, &sum) ? PS_TIME_MAX : sum;
}

double ps_report_share(const ps_report *report, ps_time lost)
{
        return ps_times_share(report->times, lost);
}

/* -- patterns: sums over locations and over the rows below -- */

static bool is_reported(const ps_report *report, uint32_t pattern)
{
        const uint8_t *left_out = report->settings.left_out;
        ps_subject subject = ps_pattern_at(pattern)->subject;

        if (!report->trace->defs.is_dvm && (subject == PS_ON_EXCHANGE || subject == PS_ON_COPIES))
                return false;
        return (ps_pattern_at(pattern)->definitions >> report->analysis->definitions & 1) &&
               !(left_out && left_out[pattern]);
}

static uint32_t pattern_place(const ps_report *report, uint32_t pattern)
{
        for (uint32_t i = 0; i < report->n_patterns; i++)
                if (report->patterns[i].pattern == pattern)
                        return i;
        return PS_NONE;
}

static void add_up_pattern(ps_report_pattern *row, const ps_report_pattern *below, uint32_t n_locs)
{
        row->total = saturating_sum(row->total, below->total);
        row->outside = saturating_sum(row->outside, below->outside);
        row->total_count += below->total_count;
        for (ps_loc l = 0; l < n_locs; l++)
                if (below->by_location[l])
                        row->by_location[l] = saturating_sum(row->by_location[l], below->by_location[l]);
}

/* Rows that are views charge time that others may charge, too: they are in no sum but their own.
 * Rows come with their own sums; parents stand before their children, so that from the last to the first each
 * is complete when it is added to its parent. */
static void total_patterns(ps_report *report)
{
        for (uint32_t i = report->n_patterns; i-- > 0;) {
                ps_report_pattern *row = &report->patterns[i];
                row->share = ps_report_share(report, row->total);
                if (row->parent != PS_NONE)
                        add_up_pattern(&report->patterns[row->parent], row, report->trace->n_locs);
        }
}

/* What of it, and of the rows below it, was lost at each location: with many locations most rows of patterns
 * are found nowhere, and share a column of zeros. Gives the columns of all. */
static ps_time *make_columns(ps_report *report)
{
        const uint32_t n_locs = report->trace->n_locs;
        bool is_found[PS_MAX_PATTERNS] = {false};
        size_t n = 1;
        for (uint32_t i = report->n_patterns; i-- > 0;) {
                const ps_report_pattern *row = &report->patterns[i];
                is_found[i] |= row->count > 0;
                n += is_found[i];
                if (row->parent != PS_NONE)
                        is_found[row->parent] |= is_found[i];
        }
        ps_time *columns = ps_memory_zeroed(n * n_locs + 1, sizeof(*columns)), *next = columns;
        for (uint32_t i = 0; columns && i < report->n_patterns; i++)
                report->patterns[i].by_location = is_found[i] ? next += n_locs : columns;
        return columns;
}

/* Each row's own sums. */
static void sum_patterns(ps_report *report)
{
        const ps_analysis *analysis = report->analysis;
        ps_report_pattern *row_of[PS_MAX_PATTERNS] = {NULL};
        for (uint32_t i = 0; i < report->n_patterns; i++)
                row_of[report->patterns[i].pattern] = &report->patterns[i];
        for (uint32_t i = 0; i < analysis->n_findings; i++) {
                const ps_finding *f = &analysis->findings[i];
                ps_report_pattern *row = row_of[f->pattern];
                if (!row)
                        continue;
                row->lost = row->total = saturating_sum(row->lost, f->lost);
                row->by_location[f->location] = saturating_sum(row->by_location[f->location], f->lost);
        }
}

static ps_status collect_patterns(ps_report *report, ps_error *err)
{
        const ps_analysis *analysis = report->analysis;
        const unsigned n = ps_pattern_count();
        report->patterns = PS_ARENA_NEW(report->arena, ps_report_pattern, n);
        if (!report->patterns)
                return PS_NOMEM(err, "patterns", n);
        for (uint32_t p = 0; p < n; p++) {
                if (!is_reported(report, p))
                        continue;
                uint32_t parent = pattern_place(report, ps_pattern_parent(p));
                report->patterns[report->n_patterns++] = (ps_report_pattern){
                        .pattern = p,
                        .parent = parent,
                        .depth = parent == PS_NONE ? 0 : report->patterns[parent].depth + 1,
                        .row = ps_pattern_at(p),
                        .count = analysis->count[p],
                        .total_count = analysis->count[p],
                        .outside = analysis->outside[p]};
        }
        ps_time *columns = make_columns(report);
        if (!columns || ps_arena_adopt(report->arena, columns) != 0)
                return PS_NOMEM(err, "patterns", n);
        sum_patterns(report);
        total_patterns(report);
        return PS_OK;
}

/* -- findings -- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
        return ps_hash_pair(hash, ps_hash_bytes(text, strlen(text)));
}

/* Without what depends on lines: Score-P writes "!$omp parallel @a.c:33". */
static uint64_t hash_region(uint64_t hash, const char *name)
{
        const char *at = name[0] == '!' ? strstr(name, " @") : NULL;

        return ps_hash_pair(hash, ps_hash_bytes(name, at ? (size_t)(at - name) : strlen(name)));
}

/* Folders differ from machine to machine, and with --source-root. */
static uint64_t hash_file(uint64_t hash, const char *file)
{
        return hash_text(hash, file ? ps_file_name(file) : "");
}

/* By path: of the names along it. */
static uint64_t *hash_paths(const ps_trace *trace)
{
        uint64_t *hash = ps_memory_new(trace->n_paths * sizeof(*hash) + 1);

        for (ps_path p = 0; hash && p < trace->n_paths; p++) {
                const ps_path_node *node = &trace->paths[p];
                const ps_defs *defs = &trace->defs;
                hash[p] = p && node->region < defs->regions.n
                                  ? hash_region(hash[node->parent],
                                                ps_defs_str(defs, defs->regions.row[node->region].name))
                                  : 0;
        }
        return hash;
}

/* Did the reader have to make up what names and communicators mean? */
static bool has_guesses(const ps_issues *issues)
{
        return issues->row[PS_I_LOCAL_DEFS_MISSING].count || issues->row[PS_I_DEF_UNKNOWN].count ||
               issues->row[PS_I_DEF_INVALID].count || issues->row[PS_I_COMM_IGNORED].count;
}

static ps_time clock_uncertainty(const ps_clock_info *clock)
{
        ps_time uncertainty = clock->repaired ? clock->likely : 0;

        return clock->left && clock->worst > uncertainty ? clock->worst : uncertainty;
}

bool ps_report_has_doubt(const ps_report *report)
{
        return report->timing == &report->trace->measured && report->trace->clock.repaired;
}

/* How far the clocks of those concerned may well be wrong. */
static ps_time doubt_of(const ps_report *report, const ps_finding *finding)
{
        const ps_trace *trace = report->trace;
        ps_ref partner = finding->worst.partner;

        if (!trace->clock.repaired || trace->clock.left || partner.op == PS_NONE)
                return report->uncertainty;
        return ps_clock_pair_uncertainty(trace, trace->defs.locations.row[finding->location].process,
                                         trace->defs.locations.row[partner.loc].process);
}

static ps_confidence judge_finding(const ps_report *report, const ps_report_finding *f)
{
        const ps_issues *issues = &report->trace->issues;
        ps_time mean = f->finding->lost / (ps_time)f->finding->count;
        ps_time doubt = doubt_of(report, f->finding);

        if (mean < doubt || ps_issues_are_partial(issues) || f->pattern->is_guess)
                return PS_CONFIDENCE_LOW;
        if (mean / 2 < doubt || f->finding->least < f->finding->lost / 2 ||
            f->place->certainty < PS_LINE_UNIQUE_CALL || has_guesses(issues))
                return PS_CONFIDENCE_MEDIUM;
        return PS_CONFIDENCE_HIGH;
}

static ps_status find_places(ps_report *report, ps_report_finding *f, ps_error *err)
{
        const ps_finding *finding = f->finding;
        ps_ref partner = finding->worst.partner;
        PS_TRY(ps_sources_of(report->sources, finding->path, &f->place, err));
        if (partner.op == PS_NONE)
                return PS_OK;
        return ps_sources_of(report->sources, f->partner_path, &f->partner_place, err);
}

/* NULL: it is told. */
static const char *reason_of(const ps_report *report, const char *site)
{
        const ps_configured *c = report->settings.configured;
        const ps_ignored *row = c ? ps_ignored_find(c->ignored, c->n_ignored, site) : NULL;

        return row ? row->reason : NULL;
}

static void add_finding(ps_report *report, const ps_finding *finding)
{
        const ps_pattern *pattern = ps_pattern_at(finding->pattern);

        report->findings[report->n_findings++] = (ps_report_finding){.finding = finding,
                                                                     .pattern = pattern,
                                                                     .partner_path = PS_NONE,
                                                                     .advice = pattern->advice,
                                                                     .why = PS_EXPLAINED};
}

static ps_status name_finding(ps_report *report, ps_report_finding *f, const uint64_t *path_hash,
                              ps_error *err)
{
        const ps_finding *finding = f->finding;

        PS_TRY(find_places(report, f, err));
        f->key = hash_file(hash_text(path_hash[finding->path], f->pattern->id), f->place->file);
        ps_number_print_hex(f->site, f->key);
        ps_number_print_hex(
                f->id, ps_hash_pair(f->key, report->trace->defs.locations.row[finding->location].process));
        f->ignored = reason_of(report, f->site);
        f->share = ps_report_share(report, finding->lost);
        f->confidence = judge_finding(report, f);
        f->is_late = finding->worst.later && f->completes != PS_COMPLETES_NONE;
        if (!f->pattern->is_view)
                report->least = saturating_sum(report->least, finding->least);
        return PS_OK;
}

static bool is_left_out(const ps_report *report, const ps_finding *finding)
{
        const uint8_t *left_out = report->settings.left_out;
        return left_out && left_out[finding->pattern];
}

static ps_status collect_findings(ps_report *report, ps_error *err)
{
        const ps_analysis *analysis = report->analysis;
        uint64_t *path_hash = hash_paths(report->trace);
        ps_status status = PS_OK;

        report->findings = ps_memory_new(analysis->n_findings * sizeof(*report->findings) + 1);
        if (!report->findings || !path_hash)
                status = PS_NOMEM(err, "findings", analysis->n_findings);
        for (uint32_t i = 0; i < analysis->n_findings && status == PS_OK; i++)
                if (!is_left_out(report, &analysis->findings[i]))
                        add_finding(report, &analysis->findings[i]);
        PS_THEN(status, ps_report_look_up(report, err));
        for (uint32_t i = 0; i < report->n_findings && status == PS_OK; i++)
                status = name_finding(report, &report->findings[i], path_hash, err);
        free(path_hash);
        return status;
}

/* -- where the time went -- */

/* Where work that was not shared out is lost, too, intervals tell what was lost: idle time, communication and
 * that, in the time that they take end to end. */
static void sum_lost(ps_report *report)
{
        const ps_intervals *tree = report->settings.intervals;

        if (tree && tree->known & PS_KNOWS_INSUFFICIENT) {
                const ps_interval_sums *sums = &tree->row[0].sums;
                double lost = sums->lost_s * (double)PS_PS_PER_S;

                report->total = lost < (double)PS_TIME_MAX / 2 ? (ps_time)llround(lost) : PS_TIME_MAX;
                report->total_share = 1 - sums->efficiency;
                return;
        }
        report->total = ps_times_lost(report->times);
        report->total_share = ps_times_share(report->times, report->total);
}

static ps_status find_between(ps_report *report, ps_error *err)
{
        ps_between between;
        ps_status status = ps_between_find(&between, report->trace, report->timing, err);
        PS_THEN(status, ps_functions_between(&report->between, report->trace, report->timing, &between, err));
        ps_between_clear(&between);
        return status;
}

static ps_status collect_times(ps_report *report, ps_error *err)
{
        const ps_analysis *analysis = report->analysis;
        PS_TRY(ps_times_make(&report->times, report->trace, report->timing, analysis->moves, err));

        PS_TRY(ps_functions_make(&report->functions, report->trace, report->timing, analysis->waiting, err));
        PS_TRY(find_between(report, err));
        sum_lost(report);
        report->efficiency = ps_efficiency_of(report->times, ps_focus_length(report->timing));
        return PS_OK;
}

/* Where clocks do not tell what was lost, they do not tell waiting from transfer; and a length that may be
 * wrong by more than a hundredth is no measure for anything. */
static void doubt_efficiency(ps_report *report)
{
        ps_efficiency *e = &report->efficiency;
        char text[PS_DOUBT_ROOM];

        ps_report_untold(text, report);
        e->is_untold = *text != '\0';
        if (e->is_untold && report->uncertainty > ps_focus_length(report->timing) / 100)
                e->is_known = false;
}

/* Quoted once: each finding has such a command. */
static ps_status word_dump(ps_report *report, ps_error *err)
{
        static const char command[] = "patscan dump ";
        const char *path = report->settings.trace_path;
        if (report->is_predicted || !path)
                return PS_OK;
        char *quoted = ps_text_quoted_path(path);
        size_t n = quoted ? strlen(quoted) + 1 : 0;
        char *dump = quoted ? ps_arena_room(report->arena, sizeof(command) + n) : NULL;
        if (dump) {
                memcpy(dump, command, sizeof(command));
                memcpy(dump + sizeof(command) - 1, quoted, n);
        }
        free(quoted);
        report->dump = dump;
        return dump ? PS_OK : PS_NOMEM(err, "report", n);
}

ps_status ps_report_new(ps_report **out, const ps_trace *trace, const ps_timing *timing,
                        const ps_analysis *analysis, ps_sources *sources, const ps_report_settings *settings,
                        ps_error *err)
{
        ps_report *report = calloc(1, sizeof(*report));
        ps_status status;

        *out = NULL;
        if (!report)
                return PS_NOMEM(err, "report", 1);
        *report = (ps_report){.trace = trace,
                              .timing = timing,
                              .analysis = analysis,
                              .sources = sources,
                              .settings = *settings,
                              .is_predicted = settings->is_predicted || timing != &trace->measured,
                              .uncertainty = clock_uncertainty(&trace->clock),
                              .arena = ps_arena_new()};
        status = report->arena ? ps_overview_collect(&report->overview, trace, err)
                               : PS_NOMEM(err, "report", 1);
        PS_THEN(status, collect_times(report, err));
        PS_THEN(status, ps_cautions_find(&report->cautions, trace, sources, !settings->prediction,
                                         report->arena, err));
        PS_THEN(status, collect_patterns(report, err));
        PS_THEN(status, collect_findings(report, err));
        PS_THEN(status, word_dump(report, err));
        if (status == PS_OK)
                doubt_efficiency(report);
        if (status != PS_OK)
                ps_report_free(report);
        else
                *out = report;
        return status;
}

/* Those whose gain is not known come last; among equals the order stays. */
static int compare_gains(const void *a, const void *b)
{
        const ps_report_finding *x = a, *y = b;

        if (x->has_fix_gain != y->has_fix_gain)
                return x->has_fix_gain ? -1 : 1;
        if (x->has_fix_gain)
                PS_ORDER_BY(y->fix_gain, x->fix_gain);
        return PS_ORDER(x->finding, y->finding);
}

void ps_report_rank(ps_report *report)
{
        if (report->settings.rank_by == PS_RANK_BY_GAIN)
                qsort(report->findings, report->n_findings, sizeof(*report->findings), compare_gains);
}

void ps_report_free(ps_report *report)
{
        if (!report)
                return;
        ps_cautions_clear(&report->cautions);
        ps_overview_clear(&report->overview);
        ps_times_free(report->times);
        ps_functions_free(report->functions);
        ps_functions_free(report->between);
        ps_arena_free(report->arena);
        free(report->findings);
        free(report);
}

uint32_t ps_report_callpath(const ps_report *report, ps_path path, const char **room, uint32_t most)
{
        const ps_trace *trace = report->trace;
        uint32_t n = 0, at;

        for (ps_path p = path; p && n <= most; p = trace->paths[p].parent)
                n++;
        at = n < most ? n : most;
        for (ps_path p = path; p && at; p = trace->paths[p].parent)
                room[--at] = ps_path_region_name(trace, p);
        return n;
}
