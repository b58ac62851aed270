/* jsonl.c - every single wait, a line each: for whoever wants to count, draw or search for himself.
 *
 * There may be as many as there are operations. They are never held: the analysis runs a second time, and
 * each instance is written as it is found. Rows that ask for several instances at one place have findings
 * only where there were so many; the others are left out here, too. The first line says what the rest is
 * about. */
#include "core/base/search.h"
#include "report/facts/report.h"
#include "report/facts/sites.h"
#include "report/print/record_rows.h"

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

        PS_ORDER_BY(x->pattern, y->pattern);
        PS_ORDER_BY(x->path, y->path);
        return PS_ORDER(x->location, y->location);
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

static bool is_told(const stream *s, const ps_instance *instance, ps_path path)
{
        const uint8_t *left_out = s->report->settings.left_out;
        const ps_finding finding = {.pattern = instance->pattern, .path = path, .location = instance->at.loc};
        const ps_finding *key = &finding;

        if (left_out && left_out[instance->pattern])
                return 0;
        return ps_pattern_at(instance->pattern)->least <= 1 ||
               bsearch(&key, s->found, s->n_found, sizeof(*s->found), compare_found);
}

/* -- lines -- */

static const char *const head_names[] = {"patscan-findings-1"}, *const timings[] = {"measured", "predicted"};

#define RECORD     caution
#define RECORD_DEF "report/formats/caution.def"
#define RECORD_IT  ps_caution
#define RECORD_DOC "what is wrong with the run or its trace"
#include "report/print/make_record.def"

#define RECORD     head
#define RECORD_DEF "report/formats/head.def"
#define RECORD_IT  ps_report
#define RECORD_DOC "what the rest is about"
#include "report/print/make_record.def"

typedef struct wait {
        const ps_instance *instance;
        ps_path path;
        const ps_source_place *place, *partner_place; /* of the partner: NULL: there is none */
} wait;

#define RECORD     wait
#define RECORD_DEF "report/formats/wait.def"
#define RECORD_IN  ps_report
#define RECORD_IT  wait
#define RECORD_DOC "a single wait"
#include "report/print/make_record.def"

static void put_line(ps_output *out, const ps_record *record, const ps_report *report, const void *it)
{
        ps_record_put(&(ps_row){.out = out}, NULL, record, report, it);
        ps_output_putc(out, '\n');
}

static void write_instance(void *ctx, const ps_instance *instance, ps_path path)
{
        stream *s = ctx;
        const ps_report *report = s->report;
        wait told = {.instance = instance, .path = path};
        ps_ref partner = instance->partner;

        if (s->status != PS_OK || ps_output_failed(s->out) || !is_told(s, instance, path))
                return;
        s->status = ps_sources_of(report->sources, path, &told.place, s->err);
        if (ps_site_process(report, partner) != PS_NONE)
                PS_THEN(s->status, ps_sources_of(report->sources,
                                                 ps_op_path(&report->trace->ops[partner.loc], partner.op),
                                                 &told.partner_place, s->err));
        if (s->status == PS_OK)
                put_line(s->out, &ps_record_wait, report, &told);
}

ps_status ps_report_write_jsonl(const ps_report *report, ps_output *out, ps_error *err)
{
        stream s = {.report = report, .out = out, .err = err};
        ps_analysis_options options;
        ps_analysis *again = NULL;

        if (!report->settings.options)
                return PS_FAIL(err, PS_E_INTERNAL, "the analysis cannot be repeated: format=jsonl");
        PS_TRY(collect_found(&s, err));
        options = *report->settings.options;
        options.sink = write_instance;
        options.sink_ctx = &s;
        put_line(out, &ps_record_head, NULL, report);
        ps_status status = ps_analyse(&again, report->trace, report->timing, &options, err);
        ps_analysis_free(again);
        free(s.found);
        return status != PS_OK ? status : s.status;
}
