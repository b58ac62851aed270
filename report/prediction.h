/* prediction.h - what a predicted time rests on: every report of one tells it. */
#ifndef PS_REPORT_PREDICTION_H
#define PS_REPORT_PREDICTION_H

#include "report/json_row.h"
#include "report/output.h"

/* What could not be done as the program asked. */
typedef struct ps_prediction_note {
        const char *text;
        uint64_t count;
        uint64_t line; /* of the trace, of the first one; 0: none */
} ps_prediction_note;

typedef struct ps_prediction {
        const char *machine; /* its name */
        const char *formula; /* its costs, with their values */
        const char *grid;    /* "2x2"; NULL: there is none, or several */
        const ps_prediction_note *notes;
        uint32_t n_notes;
} ps_prediction;

/* Lines for people. */
ps_status ps_prediction_write_text(const ps_prediction *prediction, ps_output *out, ps_error *err);
/* The members of an object: machine, formula, grid, notes. */
void ps_prediction_write_json(const ps_prediction *prediction, ps_json_row *row);

#endif
