/* targets.h - what an edit would be about that mends a cause: the place that it names. */
#ifndef PS_LIBRARY_GAINS_TARGETS_H
#define PS_LIBRARY_GAINS_TARGETS_H

#include "report/causes/causes.h"

typedef struct ps_target {
        char *name;              /* NULL: none can be named; owned */
        uint32_t n_there, n_all; /* locations that are there, and all */
        uint32_t n_late;         /* those of the cause */
        const char *why_none;    /* why there is no name, in a sentence that goes on */
} ps_target;

ps_status ps_target_find(ps_target *out, const ps_trace *trace, const ps_cause_group *group, ps_error *err);

/* Is nearly all that the location computes outside of the functions that are known? */
bool ps_target_is_all(const ps_trace *trace, ps_loc loc);

/* "@3,5-7": of n ranks those that are marked. Owned; NULL: no memory. */
char *ps_target_ranks(const uint8_t *is_in, uint32_t n);

#endif
