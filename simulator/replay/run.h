/* run.h - a pass of several scenarios over one plan; private to this folder. * Clocks are vectors: a lane is
 * a scenario. All lanes of a run make the same decisions (who waits for whom), so that one pass over the
 * steps serves them all. */
#ifndef PS_SIMULATOR_REPLAY_RUN_H
#define PS_SIMULATOR_REPLAY_RUN_H

#include "simulator/replay/records.h"

enum { LANES_MAX = 16, LANES_USUALLY = 8, LANES_OFTEN = 12 };

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

typedef struct run_costs {
        ps_time *table;  /* [size][near][part][lane] */
        uint8_t n_near;  /* 1 or 2: also within a node */
        uint8_t by_pair; /* no two pairs of ranks are alike: nothing is tabled */
        ps_time scratch[N_PARTS * LANES_MAX];
        uint64_t odd_bytes; /* what is in `scratch` */
        uint8_t has_odd;
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

typedef struct ps_traffic ps_traffic; /* traffic.c */

typedef struct ps_changes ps_changes; /* changes.h */

/* When a location began the call that it is in, or will begin the next one. */
typedef struct turn {
        ps_time at;
        ps_loc loc;
} turn;

enum { TURNS_AHEAD = 8 };

struct run;
typedef void replay_advance(struct run *r, ps_loc loc); /* runs a location as far as it comes */

typedef struct run {
        const ps_replay *replay;
        const ps_scenario *lane[LANES_MAX];
        uint32_t n_lanes, width; /* scenarios; vectors: 1, 4, 8, 12 or 16 */
        replay_advance *advance; /* for this width */
        uint8_t has_machine, has_unwaited, has_gaps, receives_early, syncs_all;
        uint8_t overlaps;            /* in any lane */
        ps_time moves_up[LANES_MAX]; /* by lane: all bits, or none */
        uint8_t needs_pairs;         /* costs of a message depend on its ends */
        /* In the recorded mode: factors of latency or size; others than nothing for both, or one. Then by
         * lane all bits of what transfers take, or none. */
        uint8_t changes_network, divides_network;
        ps_time keeps_network[LANES_MAX];
        uint8_t all_wait; /* all standard senders wait for their receivers; otherwise those above */
        uint64_t eager_limit;
        uint8_t changes_limit; /* others wait for their receivers than did in the recording */
        double *cpu;           /* [location][lane]; NULL: no computation changes */
        uint16_t *cpu_changes; /* by location: lanes in which all of it does, a bit for each */
        ps_changes *changes;   /* NULL: no region does */
        const uint64_t *const *unwaited[LANES_MAX];
        uint64_t unwaited_now[LANES_MAX];
        run_costs costs;
        cached_cost cache[COST_CACHE];

        records places;    /* by location: place */
        uint32_t *slot_of; /* by message, + 1 */
        records slots;     /* slot */
        uint32_t n_slots, free_slot;
        uint32_t *coll_slot_of; /* by collective, + 1 */
        records colls;          /* coll_slot */
        uint32_t n_colls, free_coll;

        ps_time *gates;    /* [fork][lane] */
        uint8_t *is_open;  /* by fork */
        ps_time *given;    /* [lock][lane]: when it was given back */
        uint8_t *is_given; /* by lock */

        ps_time *late;          /* by process: how much later it begins than the others; NULL: nobody asks */
        ps_loc *ready, *parked; /* a stack; a ring */
        uint32_t n_ready, first_parked, n_parked;
        ps_traffic *traffic; /* NULL: no contention */
        turn *heap;          /* with contention: locations that wait for their turn, the earliest first */
        uint32_t n_heap;
        turn front[TURNS_AHEAD]; /* those before them, in order; a ring */
        uint32_t first_front, n_front;
        ps_time now;
        /* What ended on a link before `now` is forgotten. That is right until something is sent earlier, as
         * by one who does not wait, or inside of another call: then nobody goes on, and all runs once more.
         */
        uint8_t forgets, went_back;
        uint64_t shuffle;
        uint8_t writes;
        ps_timing *timing[LANES_MAX]; /* NULL or what is to be filled */
        const ps_ref *watched;        /* by location and row: operations that the focus follows from */
        ps_span *seen;                /* [of those][lane]: when they are */
        uint32_t n_watched;
        ps_status status;
        ps_error *err;
} run;

static inline place *place_of(const run *r, ps_loc loc)
{
        return record_at(&r->places, loc);
}

static inline ps_time *vector_of(const run *r, ps_loc loc, enum vector v, uint32_t width)
{
        return vector_in(place_of(r, loc), v, width);
}

#endif
