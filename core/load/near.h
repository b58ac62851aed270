/* near.h - what each of several processes does with the rows that it has read, before they travel. */
#ifndef PS_CORE_LOAD_NEAR_H
#define PS_CORE_LOAD_NEAR_H

#include "core/load/folding.h"

/* Matches messages, and counts which of them contradict causality, together with the other processes. */
ps_status ps_near_match(struct ps_folding *f, ps_error *err);
/* In the end process 0 knows the counts of all. */
ps_status ps_near_count(struct ps_folding *f);

#endif
