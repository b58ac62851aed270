/* load.h - how a redistribution falls on the processors, and the sizes of its messages. */
#ifndef PS_SIMULATOR_REDISTRIBUTE_LOAD_H
#define PS_SIMULATOR_REDISTRIBUTE_LOAD_H

#include "simulator/redistribute/redistribute.h"

enum { PS_REDIST_SIZES_MAX = 64 };

/* Over the processors of one side's grid: what they send as sources, or receive as destinations. */
typedef struct ps_redist_load {
        uint64_t least_elements, most_elements;
        uint64_t least_messages, most_messages;
} ps_redist_load;

typedef struct ps_redist_size {
        uint64_t elements, messages;
} ps_redist_size;

typedef struct ps_redist_loads {
        ps_redist_load side[PS_REDIST_SIDES];
        /* The sizes of messages, the largest first; n_sizes is 0 also when there are more than fit. */
        ps_redist_size size[PS_REDIST_SIZES_MAX];
        uint32_t n_sizes;
        bool has_more_sizes;
} ps_redist_loads;

ps_status ps_redist_loads_find(ps_redist_loads *out, const ps_redist *redist, ps_error *err);

#endif
