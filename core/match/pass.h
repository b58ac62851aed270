/* pass.h - in messages.c: matches what is not matched yet. */
#ifndef PS_CORE_MATCH_PASS_H
#define PS_CORE_MATCH_PASS_H

#include "core/base/error.h"
#include "core/clock/slack.h"

/* What one of the threads does while the others match. */
typedef struct ps_match_beside {
        ps_status (*work)(void *ctx, ps_error *err);
        void *ctx;
} ps_match_beside;

/* Communicators count as far as the mask says: 0 for not at all. *left is how many rows found nobody.
 * `slacks` tell of those that are matched now. NULL: nobody asks for these; else the caller frees their rows.
 * `beside`: NULL: there is nothing else to do. */
ps_status ps_match_pass(ps_trace *trace, uint32_t comm_mask, unsigned n_threads,
                        const ps_match_beside *beside, ps_slacks *slacks, uint64_t *left, ps_error *err);

#endif
