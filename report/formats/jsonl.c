/* jsonl.c - every single wait, a line each: for whoever wants to count, draw or search for himself.
 *
 * There may be as many as there are operations. They are never held: the analysis runs a second time, and
 * each instance is written as it is found. Rows that ask for several instances at one place have findings
 * only where there were so many; the others are left out here, too. The first line says what the rest is
 * about. */
#include "report/facts/report.h"
#include "report/facts/sites.h"
#include "report/print/row.h"

#include <stdlib.h>

typedef struct stream {
        const ps_report *report;
        ps_output *out;
        ps_error *err;
        ps_status status;
        const ps_finding **found; /* of rows that ask for several instances; sorted */
        uint32_t n_found;
} stream;

static int compare_found(const void *a, const void *b)
{
        const ps_finding *x = *(const ps_finding *const *)a, *y = *(const ps_finding *const *)b;

        if (x->pattern != y->pattern)
                return x->pattern < y->pattern ? -1 : 1;
        if (x->path != y->path)
                return x->path < y->path ? -1 : 1;
        return (x->location > y->location) - (x->location < y->location);
}

static ps_status collect_found(stream *s, ps_error *err)
{
        const ps_report *report = s->report;

        s->found = malloc(report->n_findings * sizeof(*s->found) + 1);
        if (!s->found)
                return PS_NOMEM(err, "findings", report->n_findings);
        for (uint32_t i = 0; i < report->n_findings; i++)
                if (report->findings[i].pattern->least > 1)
                        s->found[s->n_found++] = report->findings[i].finding;
        qsort(s->found, s->n_found, sizeof(*s->found), compare_found);
        return PS_OK;
}

static int is_told(const stream *s, const ps_instance *instance, ps_path path)
{
        const uint8_t *left_out = s->report->settings.left_out;
        const ps_finding finding = {.pattern = instance->pattern, .path = path, .location = instance->at.loc};
        const ps_finding *key = &finding;

        if (left_out && left_out[instance->pattern])
                return 0;
        return ps_pattern_at(instance->pattern)->least <= 1 ||
               bsearch(&key, s->found, s->n_found, sizeof(*s->found), compare_found);
}

/* All other lines are waits. */
static void put_cautions(ps_row *row, const ps_cautions *cautions)
{
        ps_row_open(row, "issues", '[');
        for (unsigned i = 0; i < cautions->n; i++) {
                ps_row_open(row, NULL, '{');
                ps_row_text(row, "kind", cautions->row[i].kind);
                ps_row_u64(row, "count", cautions->row[i].count);
                ps_row_text(row, "text", cautions->row[i].text);
                ps_row_close(row, '}');
        }
        ps_row_close(row, ']');
}

static void put_head(const ps_report *report, ps_output *out)
{
        const ps_trace *trace = report->trace;
        ps_row row = {.out = out};

        ps_row_open(&row, NULL, '{');
        ps_row_text(&row, "schema", "patscan-findings-1");
        ps_row_open(&row, "tool", '{');
        ps_row_text(&row, "name", "patscan");
        ps_row_text(&row, "version", ps_version());
        ps_row_close(&row, '}');
        ps_row_open(&row, "trace", '{');
        ps_row_text(&row, "path", report->settings.trace_path);
        ps_row_text(&row, "format", trace->format);
        ps_row_u64(&row, "processes", trace->defs.processes.n);
        ps_row_u64(&row, "locations", trace->n_locs);
        ps_row_time(&row, "duration_s", report->timing->duration);
        ps_row_close(&row, '}');
        ps_row_text(&row, "timing", report->is_predicted ? "predicted" : "measured");
        ps_row_time(&row, "epsilon_s", report->analysis->epsilon);
        put_cautions(&row, &report->cautions);
        ps_row_close(&row, '}');
        ps_output_putc(out, '\n');
}

static void put_partner(ps_row *row, const ps_report *report, ps_ref partner, const ps_source_place *place)
{
        ps_proc process = ps_site_process(report, partner);

        ps_row_known(u64, row, "partner_process", process, process != PS_NONE);
        ps_row_known(u64, row, "partner_location", partner.loc, process != PS_NONE);
        ps_row_text(row, "partner_file", place ? place->file : NULL);
        ps_row_known(u64, row, "partner_line", place->line, place && place->line);
}

static void put_instance(const stream *s, const ps_instance *instance, ps_path path,
                         const ps_source_place *place, const ps_source_place *partner_place)
{
        const ps_location_def *location = &s->report->trace->defs.locations.row[instance->at.loc];
        ps_row row = {.out = s->out};

        ps_row_open(&row, NULL, '{');
        ps_row_text(&row, "type", ps_pattern_at(instance->pattern)->id);
        ps_row_u64(&row, "location", instance->at.loc);
        ps_row_u64(&row, "process", location->process);
        ps_row_u64(&row, "thread", location->thread);
        ps_row_time(&row, "begin_s", instance->begin);
        ps_row_time(&row, "lost_s", instance->lost);
        ps_row_text(&row, "call", ps_site_call(s->report, path));
        ps_row_text(&row, "file", place->file);
        ps_row_known(u64, &row, "line", place->line, place->line);
        ps_row_text(&row, "line_source", ps_line_source_names[place->certainty]);
        ps_row_text(&row, "function", place->function);
        put_partner(&row, s->report, instance->partner, partner_place);
        ps_row_close(&row, '}');
        ps_output_putc(s->out, '\n');
}

static void write_instance(void *ctx, const ps_instance *instance, ps_path path)
{
        stream *s = ctx;
        const ps_report *report = s->report;
        const ps_source_place *place, *partner_place = NULL;
        ps_ref partner = instance->partner;

        if (s->status || ps_output_failed(s->out) || !is_told(s, instance, path))
                return;
        s->status = ps_sources_of(report->sources, path, &place, s->err);
        if (!s->status && ps_site_process(report, partner) != PS_NONE)
                s->status = ps_sources_of(report->sources, report->trace->ops[partner.loc].path[partner.op],
                                          &partner_place, s->err);
        if (!s->status)
                put_instance(s, instance, path, place, partner_place);
}

ps_status ps_report_write_jsonl(const ps_report *report, ps_output *out, ps_error *err)
{
        stream s = {.report = report, .out = out, .err = err};
        ps_analysis_options options;
        ps_analysis *again = NULL;
        ps_status status;

        if (!report->settings.options)
                return PS_FAIL(err, PS_E_INTERNAL, "the analysis cannot be repeated: format=jsonl");
        status = collect_found(&s, err);
        if (status)
                return status;
        options = *report->settings.options;
        options.sink = write_instance;
        options.sink_ctx = &s;
        put_head(report, out);
        status = ps_analyse(&again, report->trace, report->timing, &options, err);
        ps_analysis_free(again);
        free(s.found);
        return status ? status : s.status;
}
