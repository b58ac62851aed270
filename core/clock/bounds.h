/* bounds.h - how messages and collective operations bound the differences of clocks. */
#ifndef PS_CORE_CLOCK_BOUNDS_H
#define PS_CORE_CLOCK_BOUNDS_H

#include "core/base/map.h"
#include "core/base/vector.h"
#include "core/clock/flow.h"
#include "core/clock/graph.h"
#include "core/clock/slack.h"

enum { PS_KNOWN_PAIRS = 512 };

/* A large collective operation; the less it costs, the more it promises. */
typedef struct ps_candidate {
        double cost;
        uint32_t coll; /* as its flow is named to a visitor */
        uint32_t home; /* the process that has all its members; PS_NONE: none */
        ps_comm comm;
} ps_candidate;

/* A pair of processes as it stands in the map. */
struct ps_known_pair {
        ps_proc gives, takes; /* the latter plus one; 0: none is known */
        ps_time tightest;
};

typedef struct ps_bounds {
        const ps_trace *trace;
        ps_map pairs; /* (earlier, later) -> slack */
        struct ps_known_pair known[PS_KNOWN_PAIRS];
        bool contradicts_itself; /* some process does: no offset helps */
        struct ps_kept *kept;    /* by communicator; NULL: none */
        ps_graph graph;
} ps_bounds;

/* `slacks` of all messages, without drifts; NULL: nobody knows. */
ps_status ps_bounds_gather(ps_bounds *b, ps_flows *flows, const ps_slacks *slacks, ps_error *err);
/* Adds the large instances that the offsets contradict, beyond what cannot be helped. *more: there are any.
 */
ps_status ps_bounds_refine(ps_bounds *b, ps_flows *flows, const ps_offsets *found, bool *more, ps_error *err);
void ps_bounds_free(ps_bounds *b);

#endif
