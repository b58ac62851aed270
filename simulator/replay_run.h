/* replay_run.h - a pass of several scenarios over one plan, shared by the replay*.c files and by nothing
 * else.
 *
 * Clocks are vectors: a lane is a scenario. All lanes of a run make the same decisions (who waits for whom),
 * so that one pass over the steps serves them all. */
#ifndef PS_SIMULATOR_REPLAY_RUN_H
#define PS_SIMULATOR_REPLAY_RUN_H

#include "simulator/replay_plan.h"

enum { LANES_MAX = 8 };

/* What a message costs, in each lane. RELEASE: from the start of a rendezvous until its sender is free. */
enum part {
        PART_SEND,
        PART_FLIGHT,
        PART_RECEIVE,
        PART_HANDSHAKE,
        PART_RELEASE,
        PART_GAP,
        PART_LATENCY,
        N_PARTS
};

/* Vectors of a location: the end of its last call, the begin of the present one, the end of the present one
 * as far as it is known, the partner that came last; the end of the last call that may wait; when the next
 * send may begin. */
enum vector { V_CLOCK, V_BEGIN, V_END, V_LATEST, V_SYNC, V_PORT, N_VECTORS };

enum stage { COMPUTING, AT_CALL, IN_CALL };

enum wait { WAIT_NOTHING, WAIT_SEND, WAIT_POST, WAIT_ALL, WAIT_ROOT, WAIT_FORK };

typedef struct place {
        ps_op row, item_row;     /* the call's first; the one whose partners are waited for */
        uint32_t item;           /* of a COMPLETE row */
        uint32_t sent, may_send; /* messages that nobody received yet; before others run */
        uint32_t awaited;        /* message or collective */
        uint8_t wait;            /* enum wait */
        uint8_t stage, spinning, kept, is_done;
        uint8_t latest_is_collective;
        ps_time recorded;         /* the end of the last call, or the begin of the first spinning one */
        ps_time latest;           /* recorded begin of the partner that came last */
        ps_time latest_least;     /* what is left after that, at least */
        ps_time latest_latencies; /* of it */
        ps_time let_go; /* recorded begin of a receiver that held up the call, and does not any more */
} place;

/* A message under way. Vectors: when it is ready or, once it is known, arrives; when its receive was posted
 * or, once it is known, its sender is free. */
typedef struct slot {
        ps_time recorded[2]; /* begin of the send and of the receive */
        ps_loc from, waiter;
        uint32_t next_free;
        uint8_t has[2]; /* a send, a receive */
        uint8_t left;   /* calls that will still look at it */
} slot;

/* A collective operation under way. Vectors: the latest begin, the root's, the cost; where it is needed, each
 * member's begin, turned into its end when all are there. */
typedef struct coll_slot {
        ps_time recorded_root;
        uint32_t n_in, n_out, next_free;
        uint8_t root_in;
        ps_time *members;
} coll_slot;

typedef struct run_costs {
        ps_time *table;  /* [size][near][part][lane] */
        uint8_t n_near;  /* 1 or 2: also within a node */
        uint8_t by_pair; /* no two pairs of ranks are alike: nothing is tabled */
        ps_time scratch[N_PARTS * LANES_MAX];
        uint32_t *node[LANES_MAX]; /* by process; NULL: each its own */
} run_costs;

typedef struct cached_cost {
        ps_comm comm;
        uint32_t root, n;
        uint64_t bytes;
        uint8_t kind, used;
        ps_time cost[LANES_MAX], own[LANES_MAX]; /* all of it; what sending its part costs a member */
} cached_cost;

enum { COST_CACHE = 64 };

typedef struct ps_traffic ps_traffic; /* replay_traffic.c */

typedef struct ps_changes ps_changes; /* replay_changes.h */

/* When a location began the call that it is in, or will begin the next one. */
typedef struct turn {
        ps_time at;
        ps_loc loc;
} turn;

typedef struct run {
        const ps_replay *replay;
        const ps_scenario *lane[LANES_MAX];
        uint32_t n_lanes, width; /* scenarios; vectors: 1, 4 or 8 */
        uint8_t has_machine, has_factors, has_unwaited, has_gaps, receives_early, syncs_all, overlaps;
        uint8_t needs_pairs;     /* costs of a message depend on its ends */
        uint8_t changes_network; /* a factor of latency or size in the recorded mode */
        uint8_t all_wait;        /* all standard senders wait for their receivers; otherwise those above */
        uint64_t eager_limit;
        uint8_t changes_limit; /* others wait for their receivers than did in the recording */
        double *cpu;           /* [location][lane]; NULL: no computation changes */
        ps_changes *changes;   /* NULL: no region does */
        const uint64_t *const *unwaited[LANES_MAX];
        uint64_t unwaited_now[LANES_MAX];
        run_costs costs;
        cached_cost cache[COST_CACHE];

        place *places;
        ps_time *vectors;  /* [location][vector][lane] */
        uint32_t *slot_of; /* by message, + 1 */
        slot *slots;
        ps_time *slot_vectors; /* [slot][2][lane] */
        uint32_t n_slots, cap_slots, free_slot;
        uint32_t *coll_slot_of; /* by collective, + 1 */
        uint32_t *member_of;    /* by process; all PS_NONE while it is not used */
        coll_slot *colls;
        ps_time *coll_vectors; /* [slot][3][lane] */
        uint32_t n_colls, cap_colls, free_coll;

        ps_time *gates;   /* [fork][lane] */
        uint8_t *is_open; /* by fork */

        ps_loc *ready, *parked; /* a stack; a ring */
        uint32_t n_ready, first_parked, n_parked;
        ps_traffic *traffic; /* NULL: no contention */
        turn *heap;          /* with contention: locations that can run, the earliest first */
        uint32_t n_heap;
        uint8_t has_yielded; /* the location that ran last waits for its turn */
        ps_time now;
        uint8_t is_in_order; /* nothing is sent before `now` any more */
        uint64_t shuffle;
        uint8_t writes;
        ps_timing *timing[LANES_MAX]; /* NULL or what is to be filled */
        ps_status status;
        ps_error *err;
} run;

static inline ps_time *vector_of(const run *r, ps_loc loc, enum vector v, uint32_t width)
{
        return r->vectors + ((size_t)loc * N_VECTORS + v) * width;
}

#endif
