/* schedule.h - collective operations as the messages of an algorithm: what each member sends and receives, in
 * which order. Nothing here knows a machine; meeting.h tells when the messages come. */
#ifndef PS_SIMULATOR_COST_SCHEDULE_H
#define PS_SIMULATOR_COST_SCHEDULE_H

#include "core/base/error.h"
#include "core/base/types.h"
#include "core/model/kinds.h"

#include <stdbool.h>

typedef enum ps_algorithm {
#define PS_ALGORITHM(id, name, walk, doc) PS_ALGORITHM_##id,
#include "simulator/cost/algorithms.def"
#undef PS_ALGORITHM
        PS_N_ALGORITHMS
} ps_algorithm;

enum { PS_STAGES_MAX = 2 };

/* One or two algorithms, one after the other. Bytes are the whole vector (broadcast, reductions, scan) or the
 * block of one member (the others). */
typedef struct ps_stage {
        ps_algorithm algorithm;
        uint64_t bytes, segment; /* of a pipeline, in which they travel; 0: all at once */
} ps_stage;

typedef struct ps_schedule {
        uint32_t n, root; /* members, and the place of the root among them */
        uint32_t n_stages;
        ps_stage stage[PS_STAGES_MAX];
} ps_schedule;

/* The largest power of two that is not above n; 1 for 0. */
static inline uint32_t ps_power_within(uint32_t n)
{
        uint32_t power = 1;
        while (power <= n / 2)
                power *= 2;
        return power;
}

typedef enum ps_library { PS_LIBRARY_OPENMPI, PS_LIBRARY_MPICH, PS_N_LIBRARIES } ps_library;

/* What a library does for so many members and bytes; kinds that are no exchange of data have barriers. */
ps_schedule ps_schedule_of_library(ps_library library, ps_kind kind, uint32_t n, uint32_t root,
                                   uint64_t bytes);
/* One algorithm for all sizes. `is_flat`, `is_ring`: rather than what is usual. */
ps_schedule ps_schedule_usual(ps_kind kind, uint32_t n, uint32_t root, uint64_t bytes, bool is_flat,
                              bool is_ring);

/* So many messages that an operation is not worth being played: its pattern is regular, and
 * ps_schedule_time() (collectives.h) tells its length. */
bool ps_schedule_is_wide(const ps_schedule *schedule);

enum {
        PS_LEG_SENDS = 1 << 0,
        PS_LEG_LAST = 1 << 1,  /* of a round: all that was begun in it is over before the next one */
        PS_LEG_EARLY = 1 << 2, /* a receive that was posted when the operation began */
        PS_LEG_LATE = 1 << 3,  /* a send that is waited for at the end of the operation */
        PS_LEG_NEXT = 1 << 4   /* a receive that is waited for in the next round */
};

/* A message that a member sends or receives. */
typedef struct ps_leg {
        uint64_t bytes;
        uint32_t peer; /* place among the members */
        uint16_t flags;
        uint16_t unused;
} ps_leg;

typedef struct ps_legs {
        ps_leg *row;
        uint32_t n, cap;
        bool has_failed; /* there was no memory */
} ps_legs;

/* Appends what the member does, in order. */
ps_status ps_schedule_legs(ps_legs *legs, const ps_schedule *schedule, uint32_t member, ps_error *err);

#endif
