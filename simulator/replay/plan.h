/* plan.h - a trace prepared for replay; private to this folder. * Each row becomes a step of 8 bytes;
 * recorded times are read from the timing's own columns. A message has one number, known to both of its ends,
 * so that nothing is matched or looked up while a scenario runs. */
#ifndef PS_SIMULATOR_REPLAY_PLAN_H
#define PS_SIMULATOR_REPLAY_PLAN_H

#include "core/sums/handovers.h"
#include "simulator/replay/replay.h"

typedef enum step_code {
        STEP_LOCAL, /* takes as long as recorded */
        STEP_SPIN,  /* a call in a loop that asks whether something has happened: no time of its own */
        STEP_FORK,  /* lets threads begin */
        STEP_TEAM,  /* a thread begins */
        STEP_LOCK,  /* waits for a lock */
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
        STEP_IN_A_ROW = 1 << 6,    /* of COMPLETE: its operations follow one another */
        STEP_GIVES = 1 << 7        /* of LOCAL, LOCK: gives a lock back for which others wait */
};

/* arg: SEND, RECV, PROBE: the message; COLLECTIVE: the member; COMPLETE: the first of its operations if
 * these are in a row; FORK, TEAM: the fork; LOCK: the lock. */
typedef struct step {
        uint32_t arg;
        uint8_t code, flags;
        uint16_t size; /* SEND, RECV, PROBE: index into `sizes`; STEP_SIZE_ODD: it is not there. COMPLETE:
                        * how many, if they are in a row */
} step;

/* A call that begins a message, and nothing else, for which another one waits: it waits for nobody, and is
 * nearly half of all calls. */
static inline bool is_post(const step *s)
{
        return (s->flags & (STEP_NONBLOCKING | STEP_MORE)) == STEP_NONBLOCKING &&
               (s->code == STEP_SEND || s->code == STEP_RECV);
}

enum { SIZE_CLASSES = 65, STEP_SIZE_ODD = UINT16_MAX };

/* The shortest transfer that was seen, of so many bytes; time: PS_TIME_MAX: none was. */
typedef struct sample {
        uint64_t bytes;
        ps_time time;
} sample;

/* Transfers by the number of bits of the size, and the line below them: latency + bytes * per_byte. */
typedef struct fitted {
        sample seen[SIZE_CLASSES];
        double latency, per_byte; /* in picoseconds; see is_fitted */
        bool is_fitted;           /* there were sizes enough to tell one from the other */
} fitted;

/* What calls and transfers took at least, PS_TIME_MAX: never seen, and 0 once all are known. A transfer is
 * what a call took after it and its partner had begun, without `own`. */
typedef struct learnt {
        /* By kind: calls for which everything was there; any, after it and its partners had begun. */
        ps_time own[PS_K_COUNT], after[PS_K_COUNT];
        /* By size, too: calls whose partners had begun before them, but may not have been through. */
        ps_time begun[PS_K_COUNT][SIZE_CLASSES];
        /* Collective operations: of one of ceil(log2 n) messages. */
        fitted flight, release, collective[PS_K_COUNT];
        fitted met; /* messages that were on their way before their receiver came, if they were sent at once
                     */
        fitted likely; /* messages that began last of several, and were there last, unless others took longer
                        * than ever */
        fitted of_root[PS_K_COUNT]; /* one to all: what the root took, as above */
        /* From a partner's begin to the end of the call that needs it, waiting for anything else included. */
        ps_time until_received[SIZE_CLASSES], until_left[PS_K_COUNT][SIZE_CLASSES];
        /* Standard sends of fewer bytes than eager_below were seen to end before their receive was posted;
         * from rendezvous_min bytes on (UINT64_MAX: none) they were seen to be held up. */
        uint64_t eager_below, rendezvous_min;
        uint64_t open_below; /* `rendezvous_min` before there were votes; 0: nothing is open */
        /* By size: messages that were there as if they had waited for their receivers, the shortest of them,
         * messages that were not, and the longest of those. */
        uint64_t late[SIZE_CLASSES], late_least[SIZE_CLASSES], early[SIZE_CLASSES], early_most[SIZE_CLASSES];
        ps_time in_calls, in_transfers; /* what calls took in all; of that, waiting and transfers */
} learnt;

typedef struct replay_fork {
        ps_proc process;
        ps_time over; /* recorded */
        ps_ref at;
} replay_fork;

/* Of a collective operation. */
typedef struct replay_coll {
        ps_time begin;    /* recorded, of the last member */
        uint64_t bytes;   /* ps_replay_coll_bytes() */
        ps_time estimate; /* how long it takes after that, as far as others tell */
} replay_coll;

/* Of a member of an operation in which not all wait for all. */
typedef struct replay_rank {
        ps_time begin; /* recorded, of the last one that it waits for; INT64_MIN: of nobody */
        uint32_t
                rank; /* PS_NONE: it is of another operation, or of one among neighbours that lacks members */
} replay_rank;

struct ps_replay {
        const ps_trace *trace;
        const ps_timing *timing;
        ps_time **over; /* by location, and row: as place.over, with one before the first; NULL, or one of it:
                           when calls are left */
        step **steps;   /* by location */
        uint64_t *sizes; /* the lengths of messages that there are, in the order in which they turn up */
        uint32_t n_sizes, n_messages;
        replay_fork *forks; /* by process and time */
        uint32_t n_forks;
        ps_handover *locks; /* by the call that gives them back */
        uint32_t n_locks;
        ps_time *flight,
                *release; /* by size: what is estimated of messages that nobody was seen to wait for */
        replay_coll *colls;
        replay_rank *ranks;        /* by member; NULL: none has one */
        bool has_kind[PS_K_COUNT]; /* are there operations of it, or such that many take part in? */
        learnt least;
        ps_replay_info info;
};

static inline unsigned size_class(uint64_t bytes)
{
        return ps_binary_digits(bytes);
}

/* For whom a member of a collective operation waits. */
enum role { ROLE_ALL, ROLE_ROOT, ROLE_LOWER_RANKS, ROLE_NEIGHBOURS, ROLE_NOBODY };

static inline enum role role_of(const ps_coll *coll, uint32_t member)
{
        uint16_t traits = ps_kinds[coll->kind].traits;
        if (traits & PS_T_ONE_TO_ALL && coll->root != PS_NONE)
                return member == coll->root ? ROLE_NOBODY : ROLE_ROOT;
        if (traits & PS_T_ALL_TO_ONE && coll->root != PS_NONE)
                return member == coll->root ? ROLE_ALL : ROLE_NOBODY;
        if (traits & PS_T_SPARSE)
                return ROLE_NEIGHBOURS;
        return traits & PS_T_PREFIX ? ROLE_LOWER_RANKS : ROLE_ALL;
}

/* Beside waiting they do work of their own, which no machine file knows of. */
static inline bool is_kept_collective(uint8_t kind)
{
        const uint16_t kept = PS_T_LIFE | PS_T_RMA | PS_T_TEAM | PS_T_SPARSE;
        return kind == PS_K_COMM_MANAGE || (ps_kinds[kind].traits & kept) != 0;
}

static inline uint64_t step_bytes(const ps_replay *replay, ps_loc location, ps_op op)
{
        return ps_op_bytes(&replay->trace->ops[location], op);
}

/* How many operations a COMPLETE step waits for, and which. */
static inline uint32_t n_completed(const step *s, const ps_ops *ops, ps_op row)
{
        return s->flags & STEP_IN_A_ROW ? s->size : ps_op_tag(ops, row);
}

static inline ps_op completed_by(const step *s, const ps_ops *ops, ps_op row, uint32_t item)
{
        return s->flags & STEP_IN_A_ROW ? s->arg + item : ps_op_completed(ops, row, item);
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

/* Is it not known yet whether the message that the operation sends or receives waited for its receiver? */
static inline bool is_of_open_size(const ps_replay *r, ps_loc loc, ps_op op)
{
        uint64_t bytes = ps_op_bytes(&r->trace->ops[loc], op);
        return !(r->steps[loc][op].flags & (STEP_SYNCHRONOUS | STEP_BUFFERED)) &&
               bytes >= r->least.eager_below && bytes < r->least.rendezvous_min;
}

static inline ps_time recorded_begin(const ps_replay *r, ps_ref ref)
{
        return r->timing->enter[ref.loc][ref.op];
}

/* When all those had begun for whom the member waits, in the recording; INT64_MIN: nobody. */
static inline ps_time awaited_begin(const ps_replay *r, uint32_t member)
{
        uint32_t c = r->trace->members[member].coll;
        const ps_coll *coll = &r->trace->colls[c];
        enum role role = role_of(coll, member);
        if (role == ROLE_ROOT) {
                ps_ref root = r->trace->members[coll->root].ref;
                return r->timing->enter[root.loc][root.op];
        }
        if (role == ROLE_NEIGHBOURS || role == ROLE_LOWER_RANKS)
                return r->ranks[member].begin;
        return role == ROLE_ALL ? r->colls[c].begin : INT64_MIN;
}

/* forks.c */
ps_status ps_replay_find_forks(ps_replay *replay, ps_error *err);

/* locks.c */
ps_status ps_replay_find_locks(ps_replay *replay, ps_error *err);

/* ranks.c */
ps_status ps_replay_find_ranks(ps_replay *replay, ps_error *err);

static inline bool has_rank(const ps_replay *r, uint32_t member)
{
        return r->ranks && r->ranks[member].rank != PS_NONE;
}

/* costs.c */
uint64_t ps_replay_coll_bytes(const ps_trace *trace, const ps_coll *coll);

/* How many messages follow one another in a collective operation of n members, in the shortest algorithm. */
static inline uint32_t rounds_of(uint32_t n)
{
        return n > 1 ? size_class(n - 1) : 1;
}

/* learn.c. On machines only calls that keep their time (STEP_KEPT) are asked what the recording shows: what
 * they take themselves. */
ps_status ps_replay_learn(ps_replay *replay, unsigned n_threads, ps_error *err);
ps_status ps_replay_learn_kept(ps_replay *replay, unsigned n_threads, ps_error *err);

/* learnt.c */
static inline void ps_keep_least(ps_time *at, ps_time time)
{
        if (time >= 0 && time < *at)
                *at = time;
}

void ps_learnt_clear(learnt *l);
void ps_learnt_clear_times(learnt *l);
void ps_learnt_clear_transfers(learnt *l);
/* Several, as far as there is anything of a kind. */
void ps_learnt_clear_all(learnt *of, size_t n, const bool *has_kind);
void ps_learnt_merge_all(learnt *into, const learnt *from, size_t n, const bool *has_kind);

/* votes.c: one location's messages of open sizes; whether more of them wait than was known; what is taken for
 * granted where nothing tells. */
void ps_replay_vote(const ps_replay *replay, learnt *least, ps_loc loc, ps_op from, ps_op end);
bool ps_votes_settle(learnt *least);
void ps_votes_assume(learnt *least);

/* network.c */
void ps_replay_draw_lines(ps_replay *replay);
ps_time ps_replay_release(const learnt *l, uint64_t bytes); /* an estimate */
ps_status ps_replay_estimate(ps_replay *replay, ps_error *err);

/* lines.c */
void ps_line_clear(fitted *of);
void ps_line_add(fitted *of, uint64_t bytes, ps_time time);
void ps_line_merge(fitted *into, const fitted *from);
void ps_line_fit(fitted *of);
/* Was something seen of the same sizes, and did it take the same? */
bool ps_line_agrees(const fitted *a, const fitted *b);
/* The most that the latency can be. */
ps_time ps_line_least(const fitted *of);
/* How long one of that size takes, at least; what was never seen takes no time. */
ps_time ps_line_estimate(const fitted *of, uint64_t bytes);

#endif
