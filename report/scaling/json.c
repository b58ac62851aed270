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
#define RECORD_IN    void
#define RECORD_IT    ps_scaling
#define RECORD_DOC   "What `patscan scale --report json` writes, version 1. Times are seconds of CPU time."
#define RECORD_WRITE ps_scaling_write_json
#define RECORD_STYLE PS_ROW_SPACED
#include "report/print/make_record.def"

/* The runs; limits and functions have another number of columns. */
ps_status ps_scaling_write_csv(const ps_scaling *s, ps_output *out, ps_error *err)
{
        (void)err;
        ps_record_write_csv(out, &ps_record_scaling, ps_record_table(&ps_record_scaling, "runs", 4), NULL, s);
        return PS_OK;
}
