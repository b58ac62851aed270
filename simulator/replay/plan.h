/* plan.h - a trace prepared for replay, shared by the replay*.c files and by nothing else.
 *
 * Each row becomes a step of 8 bytes; recorded times are read from the timing's own columns. A message has
 * one number, known to both of its ends, so that nothing is matched or looked up while a scenario runs. */
#ifndef PS_SIMULATOR_REPLAY_PLAN_H
#define PS_SIMULATOR_REPLAY_PLAN_H

#include "simulator/replay/replay.h"

typedef enum step_code {
        STEP_LOCAL, /* takes as long as recorded */
        STEP_SPIN,  /* a call in a loop that asks whether something has happened: no time of its own */
        STEP_FORK,  /* lets threads begin */
        STEP_TEAM,  /* a thread begins */
        STEP_SEND,
        STEP_RECV,
        STEP_PROBE, /* waits for the message that the next step receives */
        STEP_COLLECTIVE,
        STEP_COMPLETE
} step_code;

enum {
        STEP_NONBLOCKING = 1 << 0, /* of SEND, RECV, COLLECTIVE: a COMPLETE step waits for it */
        STEP_MORE = 1 << 1,        /* the next row is a part of the same call */
        STEP_FREE = 1 << 2,        /* of COLLECTIVE: was left before those came for whom it might wait */
        STEP_KEPT = 1 << 3, /* of COLLECTIVE: takes what was recorded beyond waiting on any machine, too */
        STEP_SYNCHRONOUS = 1 << 4, /* of a message: its sender waits */
        STEP_BUFFERED = 1 << 5,    /* of a message: its sender does not wait */
        STEP_IN_A_ROW = 1 << 6     /* of COMPLETE: its operations follow one another */
};

/* arg: SEND, RECV, PROBE: the message; COLLECTIVE: the member; COMPLETE: first in completed[], or the first
 * of its operations if these are in a row; FORK, TEAM: the fork. */
typedef struct step {
        uint32_t arg;
        uint8_t code, flags;
        uint16_t size; /* SEND, RECV, PROBE: index into `sizes`; STEP_SIZE_ODD: it is not there. COMPLETE:
                        * how many, if they are in a row */
} step;

enum { SIZE_CLASSES = 65, STEP_SIZE_ODD = UINT16_MAX };

/* The least that was seen, PS_TIME_MAX: never. `own`: calls that waited for nobody; the others count from the
 * partner's start to the end of the call that waited for it. By the number of bits of the size. */
typedef struct learnt {
        ps_time own[PS_K_COUNT][SIZE_CLASSES];
        ps_time flight[SIZE_CLASSES], release[SIZE_CLASSES], collective[PS_K_COUNT];
        /* Standard sends of fewer bytes than eager_below were seen to end before their receive was posted;
         * from rendezvous_min bytes on (UINT64_MAX: none) they were seen to be held up. */
        uint64_t eager_below, rendezvous_min;
} learnt;

typedef struct replay_fork {
        ps_proc process;
        ps_time over; /* recorded */
        ps_ref at;
} replay_fork;

struct ps_replay {
        const ps_trace *trace;
        const ps_timing *timing;
        step **steps;    /* by location */
        uint64_t *sizes; /* the lengths of messages that there are, in the order in which they turn up */
        uint32_t n_sizes, n_messages;
        replay_fork *forks; /* by process and time */
        uint32_t n_forks;
        ps_time *coll_begin; /* by collective: when the last member entered it */
        learnt least;
        ps_replay_info info;
};

static inline unsigned size_class(uint64_t bytes)
{
        return bytes ? 64 - (unsigned)__builtin_clzll(bytes) : 0;
}

/* For whom a member of a collective operation waits. */
enum role { ROLE_ALL, ROLE_ROOT, ROLE_LOWER_RANKS, ROLE_NOBODY };

static inline enum role role_of(const ps_coll *coll, uint32_t member)
{
        uint16_t traits = ps_kinds[coll->kind].traits;
        if (traits & PS_T_ONE_TO_ALL && coll->root != PS_NONE)
                return member == coll->root ? ROLE_NOBODY : ROLE_ROOT;
        if (traits & PS_T_ALL_TO_ONE && coll->root != PS_NONE)
                return member == coll->root ? ROLE_ALL : ROLE_NOBODY;
        return traits & PS_T_PREFIX ? ROLE_LOWER_RANKS : ROLE_ALL;
}

/* Beside waiting they do work of their own, which no machine file knows of. */
static inline bool is_kept_collective(uint8_t kind)
{
        return kind == PS_K_COMM_MANAGE || (ps_kinds[kind].traits & (PS_T_LIFE | PS_T_RMA | PS_T_TEAM)) != 0;
}

static inline uint64_t step_bytes(const ps_replay *replay, ps_loc location, ps_op op)
{
        return replay->trace->ops[location].bytes[op];
}

/* How many operations a COMPLETE step waits for, and which. */
static inline uint32_t n_completed(const step *s, const ps_ops *ops, ps_op row)
{
        return s->flags & STEP_IN_A_ROW ? s->size : ops->tag[row];
}

static inline ps_op completed_by(const step *s, const ps_ops *ops, uint32_t item)
{
        return s->flags & STEP_IN_A_ROW ? s->arg + item : ops->completed[s->arg + item];
}

/* From how many bytes on standard sends wait for their receivers, as far as the recording tells; UINT64_MAX:
 * none does. */
static inline uint64_t waits_from(const learnt *l)
{
        return l->eager_below > l->rendezvous_min ? l->eager_below : l->rendezvous_min;
}

static inline bool is_held_up(const learnt *l, uint8_t flags, uint64_t bytes)
{
        uint64_t from = waits_from(l);
        return flags & STEP_SYNCHRONOUS || (!(flags & STEP_BUFFERED) && bytes >= from && from < UINT64_MAX);
}

/* When all those had begun for whom the member waits, in the recording; INT64_MIN: nobody, or by rank. */
static inline ps_time awaited_begin(const ps_replay *r, uint32_t member)
{
        uint32_t c = r->trace->members[member].coll;
        const ps_coll *coll = &r->trace->colls[c];
        enum role role = role_of(coll, member);
        if (role == ROLE_ROOT) {
                ps_ref root = r->trace->members[coll->root].ref;
                return r->timing->enter[root.loc][root.op];
        }
        return role == ROLE_ALL ? r->coll_begin[c] : INT64_MIN;
}

/* forks.c */
ps_status ps_replay_find_forks(ps_replay *replay, ps_error *err);

/* learn.c */
ps_status ps_replay_learn(ps_replay *replay, unsigned n_threads, ps_error *err);

#endif
