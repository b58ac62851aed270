/* lent.h - what is for the program alone: the events of a predicted run, because OTF2 archives are written by
 * a library that libpatscan does without; and processes that share the reading of a trace. */
#ifndef PS_LIBRARY_API_LENT_H
#define PS_LIBRARY_API_LENT_H

#include "core/views/replayed_source.h"
#include "patscan/patscan.h"

typedef struct ps_lent {
        const ps_defs *defs; /* frozen */
        ps_source source;
        ps_replayed_source *replayed; /* to be freed by ps_replayed_source_free(), also after a failure */
} ps_lent;

/* Of a prediction of one run, before it is analysed. */
ps_status ps_prediction_lend(ps_lent *out, const patscan_prediction *prediction, ps_error *err);
/* With whom a trace is read, and whether their rows may stay with them, since all that is asked for goes
 * without: see ps_load_options. */
typedef struct ps_opening {
        struct ps_exchange *exchange; /* NULL: there is one process */
        uint64_t rows_stay_from;      /* operations; UINT64_MAX: they do not */
        const char *rows_wanted;      /* what for, of fewer operations */
        bool are_borrowed;            /* while reports are written: others are needed until then */
} ps_opening;

/* patscan_open() with others. */
ps_status ps_open_shared(patscan_trace **out, const char *path, const patscan_open_options *options,
                         const ps_opening *how, ps_error *err);
/* patscan_analyze_check(), and for `how`, if it is not NULL, which rows are needed. */
ps_status ps_analyze_check(const patscan_analyze_options *options, int *lean, ps_opening *how, ps_error *err);

#endif
