/* merge.h - few locations followed in order of time, as long as what they do is plain: calls one after the
 * other. So nothing has to be put in order: a part of sweep.h. */
#ifndef PS_CORE_SUMS_MERGE_H
#define PS_CORE_SUMS_MERGE_H

#include "core/sums/sweep.h"

/* Can any part of the run be followed so? It is found out, too, whether operations are in turn. */
bool ps_merge_can(ps_sweep *sweep);
/* From where the last window ended, up to where something has to be looked at more closely: the window ends
 * there. -1 when there is no memory. */
int ps_merge_follow(ps_sweep *sweep);

#endif
