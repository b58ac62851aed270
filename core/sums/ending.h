/* ending.h - did the run come to its end, or does the trace end while processes wait for what never came? */
#ifndef PS_CORE_SUMS_ENDING_H
#define PS_CORE_SUMS_ENDING_H

#include "core/model/trace.h"

#include <stdbool.h>

/* A process that is in a call as the trace ends, and what the call waits for is not in the trace. */
typedef struct ps_stuck {
        ps_proc process;
        ps_ref at;       /* the first row of the call */
        ps_proc partner; /* whom it waits for; PS_NONE: the trace does not tell */
} ps_stuck;

/* A process that never came to its Finalize and waits in no call. */
typedef struct ps_cut_off {
        ps_proc process;
        ps_ref last; /* its last call; {PS_NONE, PS_NONE}: it made none */
        bool is_abort;
} ps_cut_off;

typedef struct ps_ending {
        bool is_finished; /* the trace shows that every process came to its end */
        bool is_known;    /* 0: a part of the trace is missing, and what never came may have been in it */
        ps_stuck *stuck;  /* by process; none where nothing is known */
        uint32_t n_stuck;
        uint32_t *circle; /* places in `stuck`: each waits for the next one, the last one for the first */
        uint32_t n_circle;
        ps_cut_off *cut_off; /* by process; likewise */
        uint32_t n_cut_off;
} ps_ending;

/* `out` is given back with ps_ending_clear(), also after a failure. */
ps_status ps_ending_find(ps_ending *out, const ps_trace *trace, ps_error *err);
void ps_ending_clear(ps_ending *ending);

#endif
