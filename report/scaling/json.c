/* json.c - how a program scales, for programs: tables of records. */
#include "report/scaling/scaling.h"

#include <math.h>

static const char *const schema_names[] = {"patscan-scale-1"};
static const char *const mode_names[] = {"strong", "weak"};

#define RECORD     scaled_run
#define RECORD_DEF "report/scaling/run.def"
#define RECORD_IN  ps_scaling
#define RECORD_IT  ps_scale_run
#define RECORD_DOC "one run"
#include "report/print/make_record.def"

#define RECORD     scaled_function
#define RECORD_DEF "report/scaling/function.def"
#define RECORD_IN  ps_scaling
#define RECORD_IT  ps_scale_row
#define RECORD_DOC "a call path over all runs"
#include "report/print/make_record.def"

#define RECORD     stay
#define RECORD_DEF "report/scaling/stay.def"
#define RECORD_IN  ps_scaling
#define RECORD_IT  ps_scale_stay
#define RECORD_DOC "an interval in a run"
#include "report/print/make_record.def"

#define RECORD     scaled_interval
#define RECORD_DEF "report/scaling/interval.def"
#define RECORD_IN  ps_scaling
#define RECORD_IT  ps_scale_interval
#define RECORD_DOC "an interval over all runs"
#include "report/print/make_record.def"

#define RECORD     scale_limit
#define RECORD_DEF "report/scaling/limit.def"
#define RECORD_IN  ps_scaling
#define RECORD_IT  ps_scale_limit
#define RECORD_DOC "what stops the program from scaling"
#include "report/print/make_record.def"

#define RECORD     scale_forecast
#define RECORD_DEF "report/scaling/forecast.def"
#define RECORD_IN  ps_scaling
#define RECORD_IT  ps_scale_forecast
#define RECORD_DOC "more locations than were tried"
#include "report/print/make_record.def"

#define RECORD       scaling
#define RECORD_DEF   "report/scaling/scaling.def"
#define RECORD_IT    ps_scaling
#define RECORD_DOC   "What `patscan scale --report json` writes, version 1. Times are seconds of CPU time."
#define RECORD_WRITE ps_scaling_write_json
#define RECORD_STYLE PS_ROW_SPACED
#include "report/print/make_record.def"

/* -- csv: what has a value for each run has a line for each -- */

typedef struct in_run {
        const ps_scale_interval *interval;
        const ps_scale_row *function;
        unsigned run;
} in_run;

#define RECORD     interval_in_run
#define RECORD_DEF "report/scaling/interval_run.def"
#define RECORD_IN  ps_scaling
#define RECORD_IT  in_run
#define RECORD_DOC "an interval in a run"
#include "report/print/make_record.def"

#define RECORD     function_in_run
#define RECORD_DEF "report/scaling/function_run.def"
#define RECORD_IN  ps_scaling
#define RECORD_IT  in_run
#define RECORD_DOC "a call path in a run"
#include "report/print/make_record.def"

static void write_lines(const ps_scaling *s, const ps_record *record, ps_output *out)
{
        ps_row row = {.out = out, .style = PS_ROW_CSV};
        ps_records table = ps_records_open(&row, NULL, record);
        bool are_intervals = record == &ps_record_interval_in_run;
        uint32_t n = are_intervals ? s->intervals.n : s->rows.n;
        for (uint32_t i = 0; i < n && !ps_output_failed(out); i++)
                for (unsigned run = 0; run < s->n; run++) {
                        in_run it = {.run = run};
                        if (are_intervals)
                                it.interval = &s->intervals.row[i];
                        else
                                it.function = &s->rows.row[i];
                        ps_records_row(&table, s, &it);
                }
        ps_records_close(&table);
}

ps_status ps_scaling_write_csv(const ps_scaling *s, const ps_field *table, ps_output *out, ps_error *err)
{
        (void)err;
        const ps_field *runs = ps_record_table(&ps_record_scaling, "runs", 4);
        if (table && table->record == &ps_record_scaled_interval)
                write_lines(s, &ps_record_interval_in_run, out);
        else if (table && table->record == &ps_record_scaled_function)
                write_lines(s, &ps_record_function_in_run, out);
        else
                ps_record_write_csv(out, &ps_record_scaling, table ? table : runs, NULL, s);
        return PS_OK;
}
