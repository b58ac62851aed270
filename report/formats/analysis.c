/* analysis.c - the report of an analysis for people: may it be trusted, how much was lost, in which patterns
 * and intervals, at which places, and what is worth asking next. */
#include "report/formats/analysis.h"
#include "report/facts/focus.h"
#include "report/facts/functions.h"
#include "report/facts/intervals.h"
#include "report/facts/sensitivity.h"
#include "report/facts/verdict.h"
#include "report/formats/html_intervals.h"
#include "report/formats/next.h"
#include "report/page/timeline.h"
#include "report/print/text.h"
#include "report/subjects/profile.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

/* Without an end there are no times to tell of. */
static bool ends(const void *subject)
{
        const ps_report *report = subject;

        return !report->settings.prediction || !report->settings.prediction->deadlock;
}

/* -- prediction -- */

static bool is_prediction(const void *subject)
{
        return ((const ps_report *)subject)->settings.prediction != NULL;
}

/* What is told of fixes is of the focus: how long MPI_Init takes must not hide what they bring. */
static void put_focus_change(ps_doc *doc, const ps_report *report)
{
        const ps_timing *measured = &report->trace->measured;
        ps_time was = ps_focus_length(measured), is = ps_focus_length(report->timing);

        if (report->timing == measured || report->settings.prediction->deadlock || was <= 0 || is == was ||
            (was == measured->duration && is == report->timing->duration))
                return;
        ps_doc_begin_term(doc, "In the focus");
        ps_doc_put_time(doc, PS_DOC_PLAIN, is);
        ps_doc_put(doc, PS_DOC_PLAIN, ", measured ");
        ps_doc_put_time(doc, PS_DOC_PLAIN, was);
        ps_doc_putf(doc, PS_DOC_PLAIN, ": %.2f %% %s", 100 * fabs((double)is / (double)was - 1),
                    is > was ? "longer" : "shorter");
        ps_doc_end(doc);
}

static ps_status put_prediction(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_report *report = subject;

        PS_TRY(ps_prediction_show(doc, report->settings.prediction, report->timing->duration, err));
        put_focus_change(doc, report);
        return PS_OK;
}

/* -- what one has to know before all else -- */

static bool has_cautions(const void *subject)
{
        return ((const ps_report *)subject)->cautions.n > 0;
}

static ps_status put_cautions(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_cautions *cautions = &((const ps_report *)subject)->cautions;

        (void)err;
        for (unsigned i = 0; i < cautions->n; i++) {
                ps_doc_begin(doc, PS_DOC_NOTE);
                ps_doc_put(doc, PS_DOC_WARN, cautions->row[i].text);
                ps_doc_end(doc);
        }
        return PS_OK;
}

/* -- the verdict -- */

/* Whoever reads what was lost has to know how much of it nobody can blame on a wait. */
static void put_unexplained(ps_doc *doc, const ps_times *times)
{
        ps_time unexplained = times->sum[PS_TIME_UNEXPLAINED];

        if (ps_times_share(times, unexplained) < 0.01)
                return;
        ps_doc_put(doc, PS_DOC_PLAIN, ", of which ");
        ps_doc_put_time(doc, PS_DOC_PLAIN, unexplained);
        ps_doc_putf(doc, PS_DOC_PLAIN, " in %s", ps_time_infos[PS_TIME_UNEXPLAINED].title);
}

/* The share is one of what all locations together had. */
static void put_lost(ps_doc *doc, const ps_report *report)
{
        char certain[PS_DOUBT_ROOM];
        ps_doc_look look = ps_doc_loudness(report->total_share);

        ps_doc_begin(doc, PS_DOC_BIG);
        ps_doc_put_share(doc, look == PS_DOC_BAD ? look : PS_DOC_STRONG, report->total_share);
        ps_doc_put(doc, PS_DOC_PLAIN, " of all time was lost: ");
        ps_doc_put_time(doc, PS_DOC_PLAIN, report->total);
        ps_doc_putf(doc, PS_DOC_PLAIN, " of %" PRIu32 " x ", report->times->n_told);
        ps_doc_put_time(doc, PS_DOC_PLAIN, ps_focus_length(report->timing));
        put_unexplained(doc, report->times);
        ps_doc_put(doc, PS_DOC_PLAIN, ".");
        ps_doc_end(doc);
        ps_report_certain(certain, report);
        ps_doc_say(doc, PS_DOC_NOTE, "%s", certain);
}

/* What could not be done as the program asked. At a terminal there was a warning of most. */
static void put_prediction_notes(ps_doc *doc, const ps_prediction *p)
{
        for (uint32_t i = 0; p && i < p->n_notes; i++) {
                if (ps_doc_is_at_terminal(doc) && !p->notes[i].is_quiet)
                        continue;
                ps_doc_begin(doc, PS_DOC_NOTE);
                /* As a warning it goes on behind a colon. */
                ps_doc_putf(doc, PS_DOC_PLAIN, "%c%s", toupper((unsigned char)*p->notes[i].text),
                            p->notes[i].text + 1);
                if (p->notes[i].count) {
                        ps_doc_putf(doc, PS_DOC_PLAIN, ": ");
                        ps_doc_put_many(doc, p->notes[i].count, "time", "times");
                }
                if (p->notes[i].line)
                        ps_doc_putf(doc, PS_DOC_PLAIN, ", first in line %" PRIu64 " of the trace",
                                    p->notes[i].line);
                ps_doc_put(doc, PS_DOC_PLAIN, ".");
                ps_doc_end(doc);
        }
}

/* What the project's configuration has changed. */
static void put_configured(ps_doc *doc, const ps_report *report)
{
        const ps_configured *c = report->settings.configured;
        char lost[PS_NUMBER_ROOM];
        ps_time sum = 0;
        uint32_t n = 0;

        for (uint32_t i = 0; i < report->n_findings; i++) {
                if (!report->findings[i].ignored)
                        continue;
                sum = ps_time_add(sum, report->findings[i].finding->lost);
                n++;
        }
        ps_text_duration(lost, sum);
        if (n)
                ps_doc_say(doc, PS_DOC_NOTE,
                           "%" PRIu32
                           " %s ignored, %s in all, as %s says: not listed here, and not counted in limits.",
                           n, n == 1 ? "finding is" : "findings are", lost, c->file[c->n_files - 1]);
        if (c && c->says)
                ps_doc_say(doc, PS_DOC_NOTE, "Configured: %s.", c->says);
}

static ps_status put_verdict(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_report *report = subject;
        char text[PS_DOUBT_ROOM], useful[PS_DOUBT_ROOM], untold[PS_DOUBT_ROOM];

        (void)err;
        ps_report_useful(useful, report);
        ps_report_untold(untold, report);
        ps_report_focus(text, report);
        ps_doc_say(doc, PS_DOC_P, "%s", text);
        ps_report_apart(text, report);
        ps_doc_say(doc, PS_DOC_NOTE, "%s", text);
        if (!report->trace->n_operations)
                ps_doc_say(doc, PS_DOC_NOTE, "Nothing was analysed: the trace holds no operations.");
        else if (*useful)
                ps_doc_say(doc, PS_DOC_BIG, "%s", useful);
        else if (*untold)
                ps_doc_say(doc, PS_DOC_BIG, "%s", untold);
        else if (!report->n_findings && !report->total && !report->cautions.n)
                ps_doc_say(doc, PS_DOC_BIG, "Nothing was found.");
        else if (!report->total && report->cautions.ending.n_stuck)
                ps_doc_say(doc, PS_DOC_BIG, "What was lost cannot be told: the run did not finish.");
        else
                put_lost(doc, report);
        if (ps_issues_are_partial(&report->trace->issues))
                ps_doc_say(doc, PS_DOC_NOTE, "A part of the trace could not be read: there may be more.");
        ps_report_doubt(text, report);
        if (report->trace->n_operations)
                ps_doc_say(doc, report->uncertainty ? PS_DOC_NOTE : PS_DOC_P, "%s", text);
        put_prediction_notes(doc, report->settings.prediction);
        if (report->cautions.ending.n_stuck)
                ps_doc_say(doc, PS_DOC_NOTE,
                           "All numbers end with the last event of the trace: time spent in calls that never "
                           "ended is in none of them.");
        put_configured(doc, report);
        return PS_OK;
}

/* -- where the time went -- */

static bool has_times(const void *subject)
{
        return ends(subject) && ((const ps_report *)subject)->times->all > 0;
}

/* -- causes -- */

static bool has_causes(const void *subject)
{
        return ends(subject) && ps_analysis_has_causes(subject);
}

static bool has_critical(const void *subject)
{
        return ends(subject) && ps_analysis_has_critical(subject);
}

/* -- efficiencies -- */

static bool has_efficiency(const void *subject)
{
        const ps_efficiency *e = &((const ps_report *)subject)->efficiency;

        return ends(subject) && (e->is_known || e->is_untold);
}

/* What the POP project asks to look at is below 80 %. */
static void put_factor(ps_doc *doc, unsigned depth, const char *name, double share)
{
        ps_doc_row(doc, depth);
        ps_doc_cell(doc, PS_DOC_PLAIN, name);
        ps_doc_cell_share(doc, share);
        ps_doc_cell(doc, share < 0.8 ? PS_DOC_WARN : PS_DOC_GOOD, share < 0.8 ? "look here" : "good");
}

static void put_untold_factor(ps_doc *doc, const char *name)
{
        ps_doc_row(doc, 2);
        ps_doc_cell(doc, PS_DOC_PLAIN, name);
        ps_doc_cell(doc, PS_DOC_PLAIN, "-");
        ps_doc_cell(doc, PS_DOC_PLAIN, "cannot be told");
}

static ps_status put_efficiency(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_efficiency *e = &((const ps_report *)subject)->efficiency;

        (void)err;
        if (!e->is_known) {
                ps_doc_say(doc, PS_DOC_NOTE, "Efficiencies (POP) cannot be told either.");
                return PS_OK;
        }
        ps_doc_begin_table(doc, PS_DOC_TREE, "Efficiencies (POP)", "Efficiency|=Share|Rating");
        put_factor(doc, 0, "Parallel", e->parallel);
        put_factor(doc, 1, "Load balance", e->load_balance);
        put_factor(doc, 1, "Communication", e->communication);
        if (e->is_split) {
                put_factor(doc, 2, "Serialization", e->serialization);
                put_factor(doc, 2, "Transfer", e->transfer);
        } else if (e->is_untold) {
                put_untold_factor(doc, "Serialization");
                put_untold_factor(doc, "Transfer");
        }
        ps_doc_end_table(doc);
        return PS_OK;
}

/* -- functions -- */

static bool has_functions(const void *subject)
{
        return ends(subject) && ((const ps_report *)subject)->functions->n > 0;
}

static ps_status put_functions(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_report *report = subject;

        (void)err;
        ps_functions_show(doc, report->trace, report->times, report->functions, report->between,
                          ps_doc_most(doc, report->settings.top, 5, 100));
        return PS_OK;
}

/* -- patterns -- */

static bool is_found(const void *subject)
{
        return ends(subject) && ((const ps_report *)subject)->n_findings;
}

static void put_pattern(ps_doc *doc, const ps_report_pattern *row)
{
        ps_doc_row(doc, row->depth);
        ps_doc_cell(doc, PS_DOC_PLAIN, row->row->title);
        ps_doc_cell_begin(doc);
        ps_doc_put_share(doc, row->depth ? PS_DOC_PLAIN : ps_doc_loudness(row->share), row->share);
        ps_doc_cell_time(doc, row->total);
        ps_doc_cell_count(doc, row->total_count);
        ps_doc_cell_begin(doc);
        ps_doc_put_bar(doc, &(ps_doc_part){"loss", "lost", row->share}, 1, 1);
}

static void put_tree(ps_doc *doc, const ps_report *report, uint32_t parent, ps_pattern_sort sort)
{
        for (uint32_t i = PS_NONE; (i = ps_report_next_pattern(report, parent, i, sort)) != PS_NONE;) {
                put_pattern(doc, &report->patterns[i]);
                put_tree(doc, report, i, sort);
        }
}

static ps_status put_patterns(ps_doc *doc, const void *subject, ps_error *err)
{
        static const char *const captions[PS_PATTERN_SORTS] = {
                [PS_PATTERNS_DVM] = "Lost, as the DVM system counts (communication with its waiting)",
                [PS_PATTERNS_WAIT] = "Waiting in",
                [PS_PATTERNS_WORK] = "Other time inside calls",
                [PS_PATTERNS_VIEW] = "Other views of the same time (in no sum)"};

        (void)err;
        for (ps_pattern_sort sort = 0; sort < PS_PATTERN_SORTS; sort++) {
                if (ps_report_next_pattern(subject, PS_NONE, PS_NONE, sort) == PS_NONE)
                        continue;
                ps_doc_begin_table(doc, PS_DOC_TREE, captions[sort],
                                   "Pattern|=Share|=Time|=Count|+of all time");
                put_tree(doc, subject, PS_NONE, sort);
                ps_doc_end_table(doc);
        }
        return PS_OK;
}

/* -- intervals -- */

static bool has_intervals(const void *subject)
{
        const ps_intervals *tree = ((const ps_report *)subject)->settings.intervals;

        return tree && ends(subject);
}

static ps_status put_intervals(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_report_settings *s = &((const ps_report *)subject)->settings;

        if (ps_doc_page(doc))
                return ps_html_intervals_show(doc, s->intervals, s->interval_levels, err);
        if (s->intervals->n > 1 || s->intervals->known & PS_KNOWS_INSUFFICIENT)
                ps_intervals_show(doc, s->intervals, s->interval_levels);
        return PS_OK;
}

/* -- what the length of the run depends on -- */

static bool has_sensitivity(const void *subject)
{
        return is_prediction(subject) && ends(subject) &&
               ((const ps_report *)subject)->settings.prediction->sensitivity;
}

static ps_status put_sensitivity(ps_doc *doc, const void *subject, ps_error *err)
{
        (void)err;
        ps_sensitivity_show(doc, ((const ps_report *)subject)->settings.prediction->sensitivity);
        return PS_OK;
}

/* -- issues -- */

static bool has_issues(const void *subject)
{
        return ps_issues_total(&((const ps_report *)subject)->trace->issues) > 0;
}

static ps_status put_issues(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_trace *trace = ((const ps_report *)subject)->trace;

        (void)err;
        ps_doc_begin_table(doc, PS_DOC_TABLE, "", "=Times|*Issue|+First in");
        for (int kind = 0; kind < PS_I_COUNT; kind++) {
                const ps_issue *issue = &trace->issues.row[kind];
                if (!issue->count)
                        continue;
                ps_doc_row(doc, 0);
                ps_doc_cell_count(doc, issue->count);
                ps_doc_cell(doc, PS_DOC_PLAIN, ps_issue_infos[kind].text);
                ps_doc_cell_begin(doc);
                if (issue->file)
                        ps_doc_put(doc, PS_DOC_NAME, ps_defs_str(&trace->defs, issue->file));
                if (issue->file && issue->offset != UINT64_MAX)
                        ps_doc_putf(doc, PS_DOC_PLAIN, ":%" PRIu64, issue->offset);
        }
        ps_doc_end_table(doc);
        return PS_OK;
}

/* -- the run over time -- */

static bool has_profile(const void *subject)
{
        return ((const ps_report *)subject)->settings.profile && ends(subject);
}

static ps_status put_profile(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_report *report = subject;

        return ps_profile_show(doc, report->settings.profile, report->trace, NULL, NULL, err);
}

/* -- settings -- */

static void put_left_out(ps_doc *doc, const uint8_t *left_out)
{
        unsigned n = 0;

        for (uint32_t p = 0; ps_pattern_at(p); p++)
                if (left_out[p]) {
                        if (!n)
                                ps_doc_begin_term(doc, "Left out");
                        ps_doc_putf(doc, PS_DOC_PLAIN, "%s%s", n++ ? ", " : "", ps_pattern_at(p)->id);
                }
        if (n)
                ps_doc_end(doc);
}

static ps_status put_settings(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_report *report = subject;
        const ps_report_settings *s = &report->settings;

        (void)err;
        ps_doc_term(doc, "Trace", PS_DOC_PLAIN, s->trace_path ? s->trace_path : "");
        ps_doc_term(doc, "Format", PS_DOC_PLAIN, report->trace->format ? report->trace->format : "");
        ps_doc_term(doc, "Timing", PS_DOC_PLAIN, report->is_predicted ? "predicted" : "measured");
        ps_doc_term(doc, "Definitions", PS_DOC_PLAIN, ps_definitions_names[report->analysis->definitions]);
        ps_doc_begin_term(doc, "Epsilon");
        ps_doc_put_time(doc, PS_DOC_PLAIN, report->analysis->epsilon);
        ps_doc_end(doc);
        if (s->eager_bytes) {
                ps_doc_begin_term(doc, "Eager limit in bytes");
                ps_doc_put_count(doc, PS_DOC_PLAIN, *s->eager_bytes);
                ps_doc_end(doc);
        }
        if (s->baseline)
                ps_doc_term(doc, "Baseline", PS_DOC_PLAIN, s->baseline);
        if (s->left_out)
                put_left_out(doc, s->left_out);
        ps_doc_term(doc, "Written by", PS_DOC_PLAIN, "patscan " PS_VERSION);
        return PS_OK;
}

/* -- what to ask next -- */

static bool has_next(const void *subject)
{
        return ends(subject) && ps_next_has(subject);
}

static ps_status put_next(ps_doc *doc, const void *subject, ps_error *err)
{
        (void)err;
        ps_next_show(doc, subject);
        return PS_OK;
}

static const ps_doc_section sections[] = {
        {"prediction", "Prediction", PS_DOC_UNTITLED, is_prediction, put_prediction},
        {"cautions", "Before all else", PS_DOC_UNTITLED, has_cautions, put_cautions},
        {"verdict", "Verdict", PS_DOC_UNTITLED, ends, put_verdict},
        {"run", "Timeline", PS_DOC_PAGE_ONLY, ps_timeline_is_told, ps_timeline_put},
        {"time", "Where the time went", PS_DOC_UNTITLED, has_times, ps_analysis_put_times},
        {"causes", "Causes", 0, has_causes, ps_analysis_put_causes},
        {"efficiency", "Efficiencies", PS_DOC_UNTITLED, has_efficiency, put_efficiency},
        {"patterns", "Patterns", PS_DOC_UNTITLED, is_found, put_patterns},
        {"intervals", "Intervals", PS_DOC_UNTITLED, has_intervals, put_intervals},
        {"functions", "Functions", PS_DOC_UNTITLED, has_functions, put_functions},
        {"critical", "Critical path", PS_DOC_UNTITLED, has_critical, ps_analysis_put_critical},
        {"findings", "Where", 0, is_found, ps_analysis_put_places},
        {"sensitivity", "Sensitivity", PS_DOC_UNTITLED, has_sensitivity, put_sensitivity},
        {"issues", "What is wrong with the trace itself", 0, has_issues, put_issues},
        {"profile", "Over time", PS_DOC_PAGE_ONLY, has_profile, put_profile},
        {"settings", "Settings", PS_DOC_PAGE_ONLY, NULL, put_settings},
        {"next", "Next", 0, has_next, put_next},
};

static ps_status write_analysis(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_report *report = subject;
        char what[PS_DOUBT_ROOM];

        ps_report_describe(what, report);
        ps_doc_title(doc, "", report->settings.trace_path ? report->settings.trace_path : "", what);
        return ps_doc_sections(doc, sections, sizeof(sections) / sizeof(*sections), subject, err);
}

PS_DOC_FORMATS(ps_report_write, ps_report, write_analysis)
PS_DOC_FORMAT(ps_report_write, ps_report, write_analysis, served)
