/* json.c - the report for programs, docs/report.schema.json.
 *
 * A report may hold a million findings, so they are written one by one, each on a line of its own; only what
 * is small goes through a cJSON tree. */
#include "report/facts/intervals.h"
#include "report/facts/report.h"
#include "report/facts/sensitivity.h"
#include "report/print/json_row.h"
#include "report/subjects/info_json.h"

/* Deeper call paths lose their outermost regions. */
enum { CALLPATH_MOST = 256 };

/* -- patterns and findings */

/* An element of `patterns`. */
static void write_pattern(ps_json_row *row, const ps_report *report, const ps_report_pattern *pattern)
{
        double whole = ps_report_share(report, 1);

        ps_row_open(row, NULL, '{');
        ps_row_text(row, "id", pattern->row->id);
        ps_row_text(row, "parent",
                    pattern->parent == PS_NONE ? NULL : report->patterns[pattern->parent].row->id);
        ps_row_text(row, "title", pattern->row->title);
        ps_row_u64(row, "count", pattern->count);
        ps_row_u64(row, "total_count", pattern->total_count);
        ps_row_time(row, "lost_s", pattern->lost);
        ps_row_time(row, "total_s", pattern->total);
        ps_row_known(share, row, "share", pattern->share, whole > 0);
        ps_row_bool(row, "is_view", pattern->row->is_view);
        ps_row_bool(row, "is_defect", pattern->row->is_defect);
        ps_row_open(row, "by_location", '[');
        for (ps_loc l = 0; l < report->trace->n_locs; l++)
                ps_row_time(row, NULL, pattern->by_location[l]);
        ps_row_close(row, ']');
        ps_row_close(row, '}');
}

static void put_callpath(ps_json_row *row, const char *key, const ps_report *report, ps_path path)
{
        const char *names[CALLPATH_MOST];
        uint32_t n = ps_report_callpath(report, path, names, CALLPATH_MOST);

        ps_row_open(row, key, '[');
        if (n > CALLPATH_MOST) {
                names[0] = "...";
                n = CALLPATH_MOST;
        }
        for (uint32_t i = 0; i < n; i++)
                ps_row_text(row, NULL, names[i]);
        ps_row_close(row, ']');
}

static void put_place(ps_json_row *row, const ps_source_place *place)
{
        ps_row_text(row, "file", place->file);
        ps_row_known(u64, row, "line", place->line, place->line);
        ps_row_known(u64, row, "column", place->column, place->column);
        ps_row_known(u64, row, "column_end", place->column_end, place->column_end);
        ps_row_text(row, "line_source", ps_line_source_names[place->certainty]);
        ps_row_open(row, "candidates", '[');
        for (uint32_t i = 0; i < place->n_candidates; i++)
                ps_row_u64(row, NULL, place->candidates[i]);
        ps_row_close(row, ']');
        ps_row_text(row, "function", place->function);
}

static void put_worst(ps_json_row *row, const ps_report *report, const ps_report_finding *f)
{
        const ps_instance *worst = &f->finding->worst;
        const ps_trace *trace = report->trace;
        ps_ref partner = worst->partner;
        const ps_source_place *place = f->partner_place;
        int known = partner.op != PS_NONE;

        ps_row_open(row, "worst", '{');
        ps_row_time(row, "begin_s", worst->begin);
        ps_row_time(row, "lost_s", worst->lost);
        ps_row_known(time, row, "later_s", worst->later, worst->later);
        ps_row_known(u64, row, "partner_process", trace->defs.locations.row[partner.loc].process, known);
        ps_row_known(u64, row, "partner_location", partner.loc, known);
        ps_row_text(row, "partner_file", place ? place->file : NULL);
        ps_row_known(u64, row, "partner_line", place->line, place && place->line);
        ps_row_text(row, "partner_line_source", place ? ps_line_source_names[place->certainty] : NULL);
        if (known)
                put_callpath(row, "partner_callpath", report, trace->ops[partner.loc].path[partner.op]);
        else
                ps_row_null(row, "partner_callpath");
        ps_row_close(row, '}');
}

/* An element of `findings`. */
static void write_finding(ps_json_row *row, const ps_report *report, const ps_report_finding *f)
{
        const ps_defs *defs = &report->trace->defs;
        const ps_finding *finding = f->finding;
        const ps_location_def *location = &defs->locations.row[finding->location];
        char comment[PS_COMMENT_ROOM];

        ps_row_open(row, NULL, '{');
        ps_row_text(row, "id", f->id);
        ps_row_text(row, "site", f->site);
        ps_row_text(row, "type", f->pattern->id);
        ps_row_text(row, "node", ps_defs_str(defs, defs->processes.row[location->process].node));
        ps_row_u64(row, "process", location->process);
        ps_row_u64(row, "thread", location->thread);
        ps_row_u64(row, "location", finding->location);
        put_place(row, f->place);
        put_callpath(row, "callpath", report, finding->path);
        ps_row_u64(row, "count", finding->count);
        ps_row_time(row, "lost_s", finding->lost);
        ps_row_known(share, row, "share", f->share, ps_report_share(report, 1) > 0);
        ps_row_text(row, "confidence", ps_confidence_names[f->confidence]);
        put_worst(row, report, f);
        ps_row_known(time, row, "gain_s", f->gain, f->has_gain);
        ps_row_known(time, row, "place_gain_s", f->place_gain, f->has_place_gain);
        ps_row_known(bool, row, "is_new", f->is_new, report->settings.baseline);
        ps_row_text(row, "comment", ps_report_comment(report, f, comment));
        ps_row_text(row, "advice", f->advice);
        ps_row_close(row, '}');
}

/* -- the rest */

static ps_status put_head(const ps_report *report, ps_output *out, ps_error *err)
{
        ps_json json = {0};
        cJSON *root = ps_json_root(&json);
        ps_info info = {.path = report->settings.trace_path,
                        .trace = report->trace,
                        .overview = &report->overview,
                        .timing = report->timing,
                        .never_ends = report->settings.prediction && report->settings.prediction->deadlock};

        ps_json_text(&json, root, "schema", "patscan-report-1");
        ps_info_add_tool(&json, root);
        ps_info_add_trace(&json, root, &info);
        return ps_json_finish_members(&json, out, err);
}

static ps_status put_issues(const ps_report *report, ps_output *out, ps_error *err)
{
        ps_json json = {0};

        ps_info_add_issues(&json, ps_json_root(&json), report->trace);
        return ps_json_finish_members(&json, out, err);
}

/* Sizes of which some waited and larger ones did not tell of no limit. */
static void put_eager(ps_json_row *row, const ps_report *report)
{
        const ps_analysis *analysis = report->analysis;
        const uint64_t *used = report->settings.eager_bytes;
        int agree = analysis->eager_max < analysis->rendezvous_min;

        ps_row_open(row, "eager_bytes", '{');
        ps_row_known(u64, row, "used", *used, used);
        ps_row_known(u64, row, "inferred_min", analysis->eager_max, agree && analysis->eager_max);
        ps_row_known(u64, row, "inferred_max", analysis->rendezvous_min,
                     agree && analysis->rendezvous_min != UINT64_MAX);
        ps_row_close(row, '}');
}

static void put_settings(ps_json_row *row, const ps_report *report)
{
        const uint8_t *left_out = report->settings.left_out;
        const ps_pattern *pattern;

        ps_row_open(row, "settings", '{');
        ps_row_time(row, "epsilon_s", report->analysis->epsilon);
        put_eager(row, report);
        ps_row_text(row, "definitions", ps_definitions_names[report->analysis->definitions]);
        ps_row_text(row, "baseline", report->settings.baseline);
        ps_row_text(row, "rank_by", report->settings.rank_by == PS_RANK_BY_GAIN ? "gain" : "lost");
        ps_row_open(row, "left_out", '[');
        for (uint32_t p = 0; left_out && (pattern = ps_pattern_at(p)); p++)
                if (left_out[p])
                        ps_row_text(row, NULL, pattern->id);
        ps_row_close(row, ']');
        ps_row_close(row, '}');
}

static void put_rows(const ps_report *report, ps_output *out)
{
        const char *between = "\n";

        ps_output_puts(out, "\"patterns\": [");
        for (uint32_t i = 0; i < report->n_patterns; i++, between = ",\n") {
                ps_output_puts(out, between);
                write_pattern(&(ps_json_row){.out = out}, report, &report->patterns[i]);
        }
        ps_output_puts(out, "\n],\n\"findings\": [");
        between = "\n";
        for (uint32_t i = 0; i < report->n_findings && !ps_output_failed(out); i++, between = ",\n") {
                ps_output_puts(out, between);
                write_finding(&(ps_json_row){.out = out}, report, &report->findings[i]);
        }
        ps_output_puts(out, "\n],\n");
}

/* What only a replay can tell is null. */
static void put_efficiency(ps_json_row *row, const ps_report *report)
{
        const ps_efficiency *e = &report->efficiency;

        if (!e->is_known) {
                ps_output_puts(row->out, "null");
                return;
        }
        ps_row_open(row, NULL, '{');
        ps_row_share(row, "parallel", e->parallel);
        ps_row_share(row, "load_balance", e->load_balance);
        ps_row_share(row, "communication", e->communication);
        ps_row_known(share, row, "serialization", e->serialization, e->is_split);
        ps_row_known(share, row, "transfer", e->transfer, e->is_split);
        ps_row_close(row, '}');
}

static void put_prediction(const ps_report *report, ps_output *out)
{
        ps_json_row row = {.out = out};

        if (!report->settings.prediction)
                return;
        ps_row_open(&row, "prediction", '{');
        ps_prediction_write_json(report->settings.prediction, &row);
        ps_row_close(&row, '}');
        ps_output_puts(out, ",\n");
        if (!report->settings.prediction->sensitivity)
                return;
        row.n = 0;
        ps_sensitivity_write_json(report->settings.prediction->sensitivity, &row);
        ps_output_puts(out, ",\n");
}

ps_status ps_report_write_json(const ps_report *report, ps_output *out, ps_error *err)
{
        ps_status status;

        ps_output_puts(out, "{\n");
        status = put_head(report, out, err);
        ps_output_puts(out, ",\n");
        put_settings(&(ps_json_row){.out = out}, report);
        ps_output_printf(out, ",\n\"timing\": \"%s\",\n", report->is_predicted ? "predicted" : "measured");
        put_prediction(report, out);
        put_rows(report, out);
        if (status == PS_OK)
                status = put_issues(report, out, err);
        ps_output_puts(out, ",\n\"efficiency\": ");
        put_efficiency(&(ps_json_row){.out = out}, report);
        ps_output_puts(out, ",\n\"intervals\": ");
        if (report->settings.intervals)
                ps_intervals_write_json(report->settings.intervals, report->settings.interval_levels,
                                        &(ps_json_row){.out = out}, NULL);
        else
                ps_output_puts(out, "null");
        ps_output_puts(out, "\n}\n");
        return status;
}
