/* records.h - what a run keeps of a location, a message and a collective operation: records with
 * vectors behind them. Each begins with a line of the cache, so that what is needed together is waited for
 * once. */
#ifndef PS_SIMULATOR_REPLAY_RECORDS_H
#define PS_SIMULATOR_REPLAY_RECORDS_H

#include "simulator/cost/meeting.h"
#include "simulator/replay/plan.h"

enum { CACHE_LINE = 64 };

typedef struct records {
        void *row;
        size_t size, head; /* of a record; before its vectors */
        uint32_t cap;
} records;

static inline void *record_at(const records *of, uint32_t i)
{
        return (unsigned char *)of->row + i * of->size;
}

/* The bytes before the vectors, so that these do not cross more lines than they have to. */
static inline size_t record_head(size_t bytes, uint32_t width)
{
        size_t vector = width * sizeof(ps_time), most = vector < CACHE_LINE ? vector : CACHE_LINE;
        return (bytes + most - 1) & ~(most - 1);
}

/* Vectors of a location: the end of its last call, the begin of the present one, the end of the present one
 * as far as it is known, the partner that came last; the end of the last call that may wait; when the next
 * send may begin. */
enum vector { V_CLOCK, V_BEGIN, V_END, V_LATEST, V_SYNC, V_PORT, N_VECTORS };

enum stage { COMPUTING, AT_CALL, IN_CALL };

enum wait { WAIT_NOTHING, WAIT_SEND, WAIT_POST, WAIT_ALL, WAIT_ROOT, WAIT_FORK, WAIT_LOCK };

/* What a partner's part in a call takes, to be told apart by ps_replay_divide(). */
typedef struct transfer {
        const fitted *line;
        uint64_t bytes;
        uint32_t rounds; /* that follow one another; 0: the network has no part in it */
        ps_loc from;
        bool is_collective;
        bool is_whole; /* the line is of such transfers, latency and all */
} transfer;

/* Where a location is. What each call looks at comes first; its vectors follow (see record_head). */
typedef struct place {
        const step *steps; /* its rows */
        const ps_time *enter, *leave;
        const ps_time *over;    /* by row: when the computation behind it begins */
        ps_time recorded;       /* the end of the last call, or the begin of the first spinning one */
        ps_op row, item_row, n; /* the call's first; the one whose partners are waited for; the end */
        uint32_t item;          /* of a COMPLETE row */
        uint32_t sent;          /* messages, since others ran */
        ps_op watched;          /* the next row that is watched; PS_NONE: none is */
        uint8_t wait;           /* enum wait */
        uint8_t stage, spinning, kept, is_done;
        uint32_t awaited; /* message, collective, fork or lock */
        const ps_ops *ops;
        ps_time latest;   /* recorded start of the transfer that is there last, as far as is known */
        ps_time estimate; /* how long it takes */
        transfer way;     /* it */
        bool is_let_go;   /* a receiver held up the call, and does not any more */
        bool has_sent;    /* `way` is what the call does for others, and nothing is waited for */
} place;

/* A message under way. Its vectors: when it is ready or, once it is known, arrives; when its receive was
 * posted or, once it is known, its sender is free. */
typedef struct slot {
        ps_time recorded[2];    /* begin of the send and of the receive */
        ps_loc from, waiter[2]; /* waiter: for the send or the arrival, for the receive or the release */
        uint32_t next_free;
        uint8_t has[2]; /* a send, a receive; or when the message is through, once both are there */
        uint8_t left;   /* calls that will still look at it */
} slot;

/* A rank's part in an operation in which not all wait for all. */
typedef struct rank_part {
        ps_loc waiter; /* its location, while it waits for another one */
        bool has_begun;
        /* Among neighbours: */
        uint32_t member;         /* once it has begun */
        uint32_t n_sends, first; /* messages that it sends, and the first that it gets */
        uint32_t looked_at;      /* of its neighbours: so many have begun */
        uint32_t waiting, next;  /* ranks, or PS_NONE: the first one that waits for it; the next of those that
                                    wait for the same one as it does */
} rank_part;

/* A collective operation under way. Its vectors: the latest begin, and the root's. Where not all wait for all
 * there are begins by rank instead, and a meeting where it is made of messages. */
typedef struct coll_slot {
        ps_time recorded_root;
        uint32_t n_in, n_out, next_free;
        uint8_t root_in;
        uint32_t n_there; /* of ranks in a row, from the first on: they have begun */
        ps_time *begins;
        rank_part *ranks;
        uint32_t *sent; /* on machines, of each message among neighbours: so many are sent before it */
        ps_meeting *meeting;
} coll_slot;

static inline ps_time *vector_in(const place *p, enum vector v, uint32_t width)
{
        // NOLINTNEXTLINE(performance-no-int-to-ptr): const goes, and the alignment is that of a cache line
        return (ps_time *)((uintptr_t)p + record_head(sizeof(place), width)) + (size_t)v * width;
}

#endif
