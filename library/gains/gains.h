/* gains.h - how much shorter the whole run would be without a finding. */
#ifndef PS_LIBRARY_GAINS_GAINS_H
#define PS_LIBRARY_GAINS_GAINS_H

#include "library/gains/removals.h"

/* How many findings --gains asks for; `otherwise` without it. AUTO: ps_gains_unasked knows. */
enum { PS_GAINS_USUAL = 64 };
#define PS_GAINS_AUTO (UINT32_MAX - 1)
ps_status ps_gains_parse(uint32_t *out, const char *text, uint32_t otherwise, ps_error *err);

/* How many of them tell their gain without being asked: the answer takes milliseconds. */
uint32_t ps_gains_unasked(uint64_t n_operations, uint64_t n_findings);

/* Fills in the gains of the first `most` findings and of their places. `removed` is what the edited run
 * leaves out already, or NULL; `source` found the findings. */
ps_status ps_gains_put(ps_report *report, const ps_replays *replays, const ps_unwaited *removed,
                       const ps_removals_source *source, uint32_t most, ps_error *err);

#endif
