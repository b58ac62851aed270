/* prediction.h - what a predicted time rests on: every report of one tells it. */
#ifndef PS_REPORT_FACTS_PREDICTION_H
#define PS_REPORT_FACTS_PREDICTION_H

#include "core/base/types.h"
#include "report/document/document.h"
#include "report/print/output.h"
#include "report/print/record.h"
#include "simulator/whatif/outcome.h"

/* What could not be done as the program asked. */
typedef struct ps_prediction_note {
        const char *text;
        uint64_t count;
        uint64_t line;    /* of the trace, of the first one; 0: none */
        uint8_t is_quiet; /* no warning told it */
} ps_prediction_note;

/* A call that waits for the next one of the list, and the last one for the first. */
typedef struct ps_stuck_call {
        ps_proc process;
        uint32_t thread;
        const char *call, *file; /* NULL: unknown */
        uint32_t line;           /* 0: unknown */
        ps_proc partner;         /* whom it waits for; PS_NONE: nobody is known */
} ps_stuck_call;

typedef struct ps_deadlock {
        uint32_t n_locations; /* that never come to their end */
        bool is_circle;
        ps_stuck_call *call;
        uint32_t n_calls;
} ps_deadlock;

typedef struct ps_prediction {
        const char *machine;         /* its name */
        const char *formula;         /* its costs, with their values */
        const char *source;          /* where they come from, as the machine's file says; NULL: it does not */
        const char *grid;            /* "2x2"; NULL: there is none, or several */
        const struct ps_machine *on; /* NULL: as recorded, or none that the page could draw */
        const char *asked;           /* with a grid: the machine as it was asked for */
        const ps_prediction_note *notes;
        uint32_t n_notes;
        /* Of a replay; NULL and 0 otherwise. */
        const char *const *edits;
        uint32_t n_edits;
        const ps_drift *drift;
        const char *worst_interval; /* of the drift: its title; NULL: there are none */
        const ps_deadlock *deadlock;
        const ps_sensitivity *sensitivity;
        /* If what was recorded does not tell how long the edited run is: it is in between. */
        uint8_t has_range;
        ps_time least, most;
} ps_prediction;

/* What reports for people say of it: terms. `predicted`: how long the run takes; 0: one of many. */
ps_status ps_prediction_show(ps_doc *doc, const ps_prediction *prediction, ps_time predicted, ps_error *err);
/* "rank 0 waits in MPI_Send (a.c:12) for rank 1; rank 1 waits in ..."; without a circle all who wait in the
 * same way together. To be freed; NULL: no memory. */
char *ps_deadlock_text(const ps_deadlock *deadlock);
extern const ps_record ps_record_prediction;

#endif
