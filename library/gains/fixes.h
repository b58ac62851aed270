/* fixes.h - what the run gains if causes of waiting are mended. */
#ifndef PS_LIBRARY_GAINS_FIXES_H
#define PS_LIBRARY_GAINS_FIXES_H

#include "library/gains/removals.h"
#include "report/causes/causes.h"
#include "simulator/whatif/whatif.h"

typedef struct ps_fixes_options {
        uint32_t most; /* so many causes; those of one call path and reason are one */
        uint8_t all;   /* of each all fixes; otherwise the one that applies first, and the most it can gain */
        unsigned n_threads;
        ps_removals_source found; /* that found the waits */
} ps_fixes_options;

/* Fills in report->blame's fixes, and what findings gain by those of their largest cause. `n_tried`: how many
 * replays that took. */
ps_status ps_fixes_put(ps_report *report, ps_blame *blame, const ps_replays *replays,
                       const ps_fixes_options *options, uint32_t *n_tried, ps_error *err);

#endif
