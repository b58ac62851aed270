/* jsonl.c - every single wait, a line each: for whoever wants to count, draw or search for himself.
 *
 * There may be as many as there are operations. They are never held: the analysis runs a second time, and
 * instances are written as they are found, some at a time, because where their partners stand may have to be
 * asked of other processes. Rows that ask for several instances at one place have findings only where there
 * were so many; the others are left out here, too. The first line says what the rest is about. */
#include "core/base/search.h"
#include "core/load/lending.h"
#include "report/facts/report.h"
#include "report/facts/sites.h"
#include "report/print/record_rows.h"

#include <stdlib.h>

enum { HELD = 1 << 15 };

struct held {
        ps_instance instance;
        ps_path path;
};

typedef struct stream {
        struct held held[HELD];
        ps_ref partner[HELD]; /* of those that have one, in their order, and their call paths */
        int64_t path[HELD];
        uint32_t n_held;
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

static ps_status find_partners(stream *s)
{
        const ps_report *report = s->report;
        size_t n = 0;
        for (uint32_t i = 0; i < s->n_held; i++)
                if (ps_site_process(report, s->held[i].instance.partner) != PS_NONE)
                        s->partner[n++] = s->held[i].instance.partner;
        return ps_loan_facts(s->path, PS_LOAN_PATH, report->trace, report->timing, s->partner, n, s->err);
}

static ps_status write_line(const stream *s, const struct held *held, const int64_t **partner)
{
        const ps_report *report = s->report;
        wait told = {.instance = &held->instance, .path = held->path};
        PS_TRY(ps_sources_of(report->sources, held->path, &told.place, s->err));
        if (ps_site_process(report, held->instance.partner) != PS_NONE)
                PS_TRY(ps_sources_of(report->sources, (ps_path) * (*partner)++, &told.partner_place, s->err));
        put_line(s->out, &ps_record_wait, report, &told);
        return PS_OK;
}

static ps_status write_held(stream *s)
{
        const int64_t *partner = s->path;
        PS_TRY(find_partners(s));
        for (uint32_t i = 0; i < s->n_held; i++)
                PS_TRY(write_line(s, &s->held[i], &partner));
        s->n_held = 0;
        return PS_OK;
}

static void take_instance(void *ctx, const ps_instance *instance, ps_path path)
{
        stream *s = ctx;
        if (s->status != PS_OK || ps_output_failed(s->out) || !is_told(s, instance, path))
                return;
        s->held[s->n_held++] = (struct held){*instance, path};
        if (s->n_held == HELD)
                s->status = write_held(s);
}

static ps_status write_waits(stream *s)
{
        const ps_report *report = s->report;
        ps_analysis_options options = *report->settings.options;
        ps_analysis *again = NULL;
        PS_TRY(collect_found(s, s->err));
        options.sink = take_instance;
        options.sink_ctx = s;
        put_line(s->out, &ps_record_head, NULL, report);
        PS_TRY(ps_analyse(&again, report->trace, report->timing, &options, s->err));
        ps_analysis_free(again);
        PS_THEN(s->status, write_held(s));
        return s->status;
}

ps_status ps_report_write_jsonl(const ps_report *report, ps_output *out, ps_error *err)
{
        if (!report->settings.options)
                return PS_FAIL(err, PS_E_INTERNAL, "the analysis cannot be repeated: format=jsonl");
        stream *s = calloc(1, sizeof(*s));
        if (!s)
                return PS_NOMEM(err, "waits", HELD);
        s->report = report;
        s->out = out;
        s->err = err;
        ps_status status = write_waits(s);
        free(s->found);
        free(s);
        return status;
}
