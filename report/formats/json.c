/* json.c - the report for programs, docs/report.schema.json, and its tables as CSV. */
#include "core/base/text.h"
#include "core/model/focus.h"
#include "report/causes/causes.h"
#include "report/facts/intervals.h"
#include "report/facts/report.h"
#include "report/facts/sensitivity.h"
#include "report/facts/sites.h"
#include "report/formats/next.h"
#include "report/print/compact.h"
#include "report/print/text.h"
#include "report/subjects/info_json.h"

#include <inttypes.h>
#include <string.h>

/* -- patterns and findings -- */

#define RECORD     pattern
#define RECORD_DEF "report/formats/pattern.def"
#define RECORD_IN  ps_report
#define RECORD_IT  ps_report_pattern
#define RECORD_DOC "a pattern, with all that was found of it"
#include "report/print/make_record.def"

static void put_partner_callpath(ps_row *to, const char *key, const ps_report *report,
                                 const ps_report_finding *f)
{
        if (f->partner_path != PS_NONE)
                ps_site_put_callpath(to, key, report, f->partner_path);
        else
                ps_row_null(to, key);
}

static void put_events(ps_row *to, const char *key, const ps_report *report, const ps_report_finding *f)
{
        char room[PS_NEXT_ROOM];
        const size_t n = ps_next_events(report, f, room);

        if (n)
                ps_row_text_and(to, key, report->dump, room, n);
        else
                ps_row_null(to, key);
}

static void put_comment(ps_row *to, const char *key, const ps_report *report, const ps_report_finding *f)
{
        char room[PS_COMMENT_ROOM];

        ps_row_text(to, key, ps_report_comment(report, f, room));
}

static bool is_utf8(const char *text)
{
        for (uint32_t point; *text;) {
                size_t n = ps_text_decode(text, &point);
                if (!n)
                        return false;
                text += n;
        }
        return true;
}

/* As it stands there, so that who has the source may look whether it is still the same line. */
static void put_line_text(ps_row *to, const char *key, const ps_report *report, const ps_source_place *place)
{
        const char *text = ps_sources_line(report->sources, place->file, place->line);

        if (text && is_utf8(text))
                ps_row_exact_text(to, key, text);
        else
                ps_row_null(to, key);
}

/* Of very many locations each has few findings: what tells of them takes more room than time. */
static bool has_many_each(const ps_report *report)
{
        enum { MANY = 64 };
        return report->n_findings / MANY >= report->trace->n_locs;
}

/* What of a location is the same in all its findings of a pattern. */
static uint64_t type_of(const void *in, const void *finding)
{
        const ps_finding *f = ((const ps_report_finding *)finding)->finding;
        return has_many_each(in) ? (uint64_t)f->pattern << 32 | f->location : PS_SAME_AS_NONE;
}

static uint64_t path_of(const void *in, const void *finding)
{
        (void)in;
        return ((const ps_report_finding *)finding)->finding->path;
}

static uint64_t partner_of(const void *in, const void *finding)
{
        const ps_ref partner = ((const ps_report_finding *)finding)->finding->worst.partner;
        return !has_many_each(in) ? PS_SAME_AS_NONE : partner.op == PS_NONE ? PS_NONE : partner.loc;
}

static uint64_t partner_path_of(const void *in, const void *finding)
{
        (void)in;
        return ((const ps_report_finding *)finding)->partner_path;
}

static uint64_t advice_of(const void *in, const void *finding)
{
        (void)in;
        return (uintptr_t)((const ps_report_finding *)finding)->advice;
}

/* Of most findings nobody asked for more than is measured. */
static uint64_t asked_of(const void *in, const void *finding)
{
        const ps_report *report = in;
        const ps_report_finding *f = finding;
        return f->has_gain || f->has_place_gain || f->has_fix_gain || report->blame || f->ignored ||
                               report->settings.baseline
                       ? PS_SAME_AS_NONE
                       : 0;
}

static void fetch_finding(const void *in, const void *finding)
{
        const ps_report *report = in;
        const ps_report_finding *f = finding;
        const ps_ref at = f->finding->worst.at;

        __builtin_prefetch(f->place);
        __builtin_prefetch(f->partner_place);
        __builtin_prefetch(&report->trace->paths[f->finding->path]);
        if (f->finding->worst.later)
                __builtin_prefetch(&report->trace->ops[at.loc].kind[at.op]);
}

static unsigned threads_of(const void *in)
{
        const ps_analysis_options *options = ((const ps_report *)in)->settings.options;
        return options ? options->n_threads : 1;
}

/* Places follow from paths. */
#define RECORD_FETCH   fetch_finding
#define RECORD_THREADS threads_of
#define RECORD_SAME                                                                                          \
        SAME(type, location, type_of), SAME(file, callpath, path_of),                                        \
                SAME(partner_process, partner_location, partner_of),                                         \
                SAME(partner_file, partner_callpath, partner_path_of), SAME(gain_s, new, asked_of),          \
                SAME(advice, advice, advice_of)
#define RECORD     finding
#define RECORD_DEF "report/formats/finding.def"
#define RECORD_IN  ps_report
#define RECORD_IT  ps_report_finding
#define RECORD_DOC "waits or defects of one kind at one call path and location"
#define RECORD_COLUMNS                                                                                       \
        "id,site,type,process,thread,location,file,line,column,line_source,function,callpath,"               \
        "count,lost_s,share,confidence,new,worst_begin_s,worst_lost_s,partner_process,"                      \
        "partner_file,partner_line,comment,advice,gain_s,place_gain_s"
#include "report/print/make_record.def"

/* -- where the time went -- */

#define RECORD     time
#define RECORD_DEF "report/formats/time.def"
#define RECORD_IN  ps_report
#define RECORD_IT  ps_time_info
#define RECORD_DOC "time of one kind"
#include "report/print/make_record.def"

static void put_times(ps_row *to, const char *key, const ps_report *report)
{
        ps_time_kind kind;

        ps_row_open(to, key, '[');
        for (size_t n = 0; (kind = ps_times_nth(report->times, n)) < PS_TIME_KINDS; n++)
                ps_record_put(to, NULL, &ps_record_time, report, &ps_time_infos[kind]);
        ps_row_close(to, ']');
}

static void fetch_function(const void *in, const void *function)
{
        const ps_report *report = in;
        __builtin_prefetch(&report->trace->paths[((const ps_function *)function)->path]);
}

#define RECORD_FETCH   fetch_function
#define RECORD_THREADS threads_of
#define RECORD         function
#define RECORD_DEF     "report/formats/function.def"
#define RECORD_IN      ps_report
#define RECORD_IT      ps_function
#define RECORD_DOC     "a call path of the program"
#include "report/print/make_record.def"

static const ps_functions none;

static const ps_functions *between_of(const ps_report *report)
{
        return report->between ? report->between : &none;
}

#define RECORD     between
#define RECORD_DEF "report/formats/between.def"
#define RECORD_IN  ps_report
#define RECORD_IT  ps_function
#define RECORD_DOC "what is computed between calls"
#include "report/print/make_record.def"

/* -- the rest -- */

static const char *const schema_names[] = {PS_REPORT_SCHEMA},
                         *const timing_names[] = {"measured", "predicted"},
                         *const rank_names[] = {[PS_RANK_BY_LOST] = "lost", [PS_RANK_BY_GAIN] = "gain"};

static void put_left_out(ps_row *to, const char *key, const ps_report *report)
{
        const uint8_t *left_out = report->settings.left_out;
        const ps_pattern *pattern;

        ps_row_open(to, key, '[');
        for (uint32_t p = 0; left_out && (pattern = ps_pattern_at(p)); p++)
                if (left_out[p])
                        ps_row_text(to, NULL, pattern->id);
        ps_row_close(to, ']');
}

static void put_told(ps_row *to, const char *key, const ps_report *report)
{
        const ps_defs *defs = &report->trace->defs;
        const ps_focus *focus = report->timing->focus;

        if (!focus || !focus->is_told) {
                ps_row_null(to, key);
                return;
        }
        ps_row_open(to, key, '[');
        for (ps_proc p = 0; p < defs->processes.n; p++) {
                const ps_process_def *process = &defs->processes.row[p];
                if (process->n_locs && focus->is_told[defs->by_process[process->first]])
                        ps_row_u64(to, NULL, p);
        }
        ps_row_close(to, ']');
}

#define RECORD     settings
#define RECORD_DEF "report/formats/settings.def"
#define RECORD_IT  ps_report
#define RECORD_DOC "what was asked for"
#include "report/print/make_record.def"

static void put_trace(ps_row *to, const char *key, const ps_report *report)
{
        const ps_prediction *prediction = report->settings.prediction;

        ps_info_put_trace(to, key,
                          &(ps_info){.path = report->settings.trace_path,
                                     .trace = report->trace,
                                     .overview = &report->overview,
                                     .ending = &report->cautions.ending,
                                     .crowding = &report->cautions.crowding,
                                     .timing = report->timing,
                                     .never_ends = prediction && prediction->deadlock});
}

static void put_intervals(ps_row *to, const char *key, const ps_report *report)
{
        if (report->settings.intervals)
                ps_intervals_put(to, key, report->settings.intervals, report->settings.interval_levels);
        else
                ps_row_null(to, key);
}

#define RECORD     report
#define RECORD_DEF "report/formats/report.def"
#define RECORD_IT  ps_report
#define RECORD_DOC                                                                                           \
        "What `patscan TRACE --report json` writes, version 1. Keys may be added in later versions; these "  \
        "stay. Times are seconds, with nanoseconds; what is not known is null."
#define RECORD_WRITE ps_report_write_json
#define RECORD_STYLE PS_ROW_SPACED
#include "report/print/make_record.def"

ps_status ps_report_write_json_compact(const ps_report *report, ps_output *out, ps_error *err)
{
        return ps_compact_write(out, PS_REPORT_COMPACT, &ps_record_report, report, err);
}

/* What is wrong with the run or its trace has rows behind the findings, because there are no comments in such
 * a table: with a type that no pattern has, a count and a comment, but no id and no time. */
static void put_caution(ps_output *out, const ps_caution *c)
{
        static const char *const escapes[PS_ASCII] = {['"'] = "\"\""};
        const char *column = ps_record_finding.columns;

        for (;;) {
                size_t n = strcspn(column, ",");
                if (n == strlen("type") && strncmp(column, "type", n) == 0) {
                        ps_output_puts(out, c->kind);
                } else if (n == strlen("count") && strncmp(column, "count", n) == 0) {
                        ps_output_printf(out, "%" PRIu64, c->count);
                } else if (n == strlen("comment") && strncmp(column, "comment", n) == 0) {
                        ps_output_putc(out, '"');
                        ps_text_write_escaped(out, c->text, escapes);
                        ps_output_putc(out, '"');
                }
                if (!column[n])
                        break;
                ps_output_putc(out, ',');
                column += n + 1;
        }
        ps_output_puts(out, "\r\n");
}

ps_status ps_report_write_csv(const ps_report *report, ps_output *out, ps_error *err)
{
        (void)err;
        ps_records_put(&(ps_row){.out = out, .style = PS_ROW_CSV}, NULL, &ps_record_finding, report,
                       report->findings, report->n_findings, sizeof(*report->findings));
        for (unsigned i = 0; i < report->cautions.n; i++)
                put_caution(out, &report->cautions.row[i]);
        return PS_OK;
}
