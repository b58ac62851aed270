/* chain.h - from one wait to who is to blame, a step at a time. */
#ifndef PS_PATTERNS_CAUSES_CHAIN_H
#define PS_PATTERNS_CAUSES_CHAIN_H

#include "patterns/causes/waits.h"

/* A wait on the way, and where the next one is, if the way goes on: the longest of the waits first ..
 * behind - 1 of the location that ended it. */
struct link {
        ps_delay_step step;
        uint32_t first, behind;
        bool is_there, goes_on;
};

/* The longest wait of the location in this call, if there is one in the focus. */
struct link ps_link_at(const struct delaying *d, ps_ref at);
/* The longest one of those that were named. */
struct link ps_link_between(const struct delaying *d, uint32_t first, uint32_t behind);

#endif
