/* coll_sums.h - what coll_sums.c knows of collective operations, for those who send it to other processes. */
#ifndef PS_PATTERNS_ENGINE_COLL_SUMS_H
#define PS_PATTERNS_ENGINE_COLL_SUMS_H

#include "core/match/agreed.h"
#include "patterns/table/view.h"

struct sum {
        ps_time latest_begin, earliest_end, latest_sender_begin;
        uint32_t latest, latest_sender; /* members */
        uint32_t latest_back;           /* of a nonblocking one: whose completing call begins last */
        uint32_t other;                 /* of an intercommunicator: the sum that the second group looks at */
        ps_time back_came;              /* when that is, as far as the trace has the members */
        ps_time alone;                  /* the root, of some operations of PGAS programs */
        uint8_t is_full;                /* all were in it at one time */
        uint8_t has_payload;
        uint8_t has_others; /* it has several members */
        uint8_t is_of_team; /* it is a barrier of a team, all of whose members the trace has */
        uint8_t is_plain,
                is_plain_pgas; /* all its members are here, of one group, in a PGAS program or not */
        uint8_t asks_alone; /* and those of other processes: `alone` is asked of the one that has the root */
};

/* The call in which a member comes back to complete what it has begun, if that is another one: {PS_NONE,
 * PS_NONE} if not. */
struct coll_back {
        ps_ref ref;
        ps_time came, left; /* when it began, and when the one before it was over, or PS_NEVER_BEGUN: there is
                               none */
};

static const struct coll_back nowhere = {{PS_NONE, PS_NONE}, PS_NEVER_BEGUN, PS_NEVER_BEGUN};

struct ps_coll_sums {
        const ps_trace *trace;
        const ps_timing *timing;
        struct sum *sum;
        /* By member, of prefix operations and those among neighbours: the latest one to wait for, or PS_NONE;
         * and who comes back last of neighbours, and of those of lower ranks where others have members, too.
         * NULL: there are none. */
        uint32_t *predecessor;
        struct coll_back *back;
        /* What is known of operations of which others have members, too; NULL: the trace has all members.
         * Behind those that it has, from this one on, stand some whose rows are in another process: when they
         * began is all that is known. */
        const ps_agreed *agreed;
        uint32_t n_here;
        ps_time *begin;
        /* Of those that were only begun whose return the others may have to wait for, by sum. */
        struct coll_back *shared_back;
        uint32_t *root; /* by operation, while they are put away: its root, else NULL */
};

/* Sums of the members that the trace has. Of operations of which others have members, too, nothing is made of
 * them so far. */
ps_status ps_coll_sums_begin(ps_coll_sums **out, const ps_trace *trace, const ps_timing *timing,
                             const ps_agreed *agreed, unsigned n_threads, ps_error *err);
/* Roots that are elsewhere have no place any more. */
void ps_coll_sums_forget_roots(const ps_coll_sums *sums);
/* Is this one of those? */
static inline bool ps_coll_sums_are_shared(const ps_coll_sums *s, uint32_t coll)
{
        return s->agreed && s->agreed->id[coll] != PS_NONE;
}

/* Its sum, or the other one that it has between two groups; NULL: it has no other one. */
static inline struct sum *ps_coll_sums_at(const ps_coll_sums *s, uint32_t coll, bool is_other)
{
        uint32_t other = s->sum[coll].other;
        return !is_other ? &s->sum[coll] : other != PS_NONE ? &s->sum[other] : NULL;
}

/* Of all members: were not all in it at one time, so that only those who have data for
 * each other count? Then of `earliest_end` it knows the members that the trace has. */
bool ps_coll_sums_narrow(const ps_coll_sums *s, uint32_t coll, bool is_other);
/* Is it only begun by the calls that are its members? */
static inline bool ps_coll_sums_are_begun(const ps_coll_sums *s, uint32_t coll)
{
        ps_ref first = s->trace->members[s->trace->colls[coll].first].ref;
        return s->trace->ops[first.loc].flags[first.op] & PS_OP_NONBLOCKING;
}

/* Is it only begun by its call? */
static inline bool may_come_back(const ps_coll_sums *s, uint32_t member)
{
        ps_ref ref = member < s->n_here ? s->trace->members[member].ref : nowhere.ref;
        return ref.op != PS_NONE && s->trace->ops[ref.loc].flags[ref.op] & PS_OP_NONBLOCKING;
}

__attribute__((always_inline)) static inline struct coll_back ps_coll_sums_back_of(const ps_coll_sums *s,
                                                                                   uint32_t member)
{
        if (!may_come_back(s, member))
                return nowhere;
        ps_ref ref = ps_op_completion(s->trace, s->trace->members[member].ref);
        if (ref.op == PS_NONE)
                return nowhere;
        return (struct coll_back){ref, s->timing->enter[ref.loc][ref.op],
                                  ref.op ? s->timing->leave[ref.loc][ref.op - 1] : PS_NEVER_BEGUN};
}

/* When a member that sends something began; INT64_MIN: it sends nothing. */
ps_time ps_coll_sums_sends_at(const ps_coll_sums *s, uint32_t member);
static inline uint16_t traits_of(const ps_coll *coll)
{
        return ps_kinds[coll->kind].traits;
}

/* When a call began that is a member. Init, Finalize and the barriers of teams have no records inside: there
 * the call counts. */
static inline ps_time begin_at(const ps_coll_sums *s, const ps_coll *coll, ps_ref ref)
{
        return traits_of(coll) & (PS_T_LIFE | PS_T_TEAM) ? s->timing->enter[ref.loc][ref.op]
                                                         : ps_op_record_begin(s->trace, s->timing, ref);
}

static inline ps_time begin_of(const ps_coll_sums *s, const ps_coll *coll, uint32_t member)
{
        return member >= s->n_here ? s->begin[member - s->n_here]
                                   : begin_at(s, coll, s->trace->members[member].ref);
}

static inline ps_time begin_or_never(const ps_coll_sums *s, const ps_coll *coll, uint32_t member)
{
        return member == PS_NONE ? PS_NEVER_BEGUN : begin_of(s, coll, member);
}

/* When one that is here ended. */
static inline ps_time end_at(const ps_coll_sums *s, const ps_coll *coll, ps_ref ref)
{
        if (s->trace->ops[ref.loc].flags[ref.op] & PS_OP_NONBLOCKING) {
                ps_ref wait = ps_op_completion(s->trace, ref);
                return wait.op == PS_NONE ? PS_NEVER_ENDED : s->timing->leave[wait.loc][wait.op];
        }
        return traits_of(coll) & (PS_T_LIFE | PS_T_TEAM) ? s->timing->leave[ref.loc][ref.op]
                                                         : ps_op_record_end(s->trace, s->timing, ref);
}

static inline ps_time end_of(const ps_coll_sums *s, const ps_coll *coll, uint32_t member)
{
        return end_at(s, coll, s->trace->members[member].ref);
}

/* Recorders of PGAS programs may know no sizes: there the operation itself says who has data. */
static inline uint64_t sent_by(const ps_coll_sums *s, const ps_coll *coll, uint32_t member)
{
        if (coll->pgas)
                return !(traits_of(coll) & PS_T_ALL_TO_ONE) || member != coll->root;
        ps_ref ref = s->trace->members[member].ref;
        return ps_op_bytes(&s->trace->ops[ref.loc], ref.op);
}

static inline uint64_t received_by(const ps_coll_sums *s, const ps_coll *coll, uint32_t member)
{
        if (coll->pgas)
                return 1;
        return s->trace->members[member].received;
}

static inline bool needs_no_payload(const ps_coll *coll)
{
        return coll->pgas || (traits_of(coll) & (PS_T_BARRIER | PS_T_LIFE | PS_T_RMA)) != 0;
}

/* Does the member synchronise with others? */
static inline bool ps_coll_takes_part(const ps_coll_sums *s, const ps_coll *coll, const struct sum *sum,
                                      uint32_t member)
{
        if (needs_no_payload(coll))
                return true;
        if (!(traits_of(coll) & PS_T_ALL_TO_ALL))
                return sum->has_payload;
        if (!sent_by(s, coll, member) && !received_by(s, coll, member))
                return false;
        return sum->is_full || member == sum->latest ||
               (received_by(s, coll, member) && begin_of(s, coll, member) < sum->latest_begin);
}

/* Do the columns of its calls tell both, as nearly always? */
static inline bool has_part_columns(const ps_coll_sums *s, const ps_coll *coll)
{
        return s->timing == &s->trace->measured && !(traits_of(coll) & (PS_T_LIFE | PS_T_TEAM));
}

static inline void find_part_times(const ps_coll_sums *s, const ps_coll *coll, bool has_columns, ps_ref ref,
                                   ps_time *begin, ps_time *end)
{
        const ps_ops *ops = &s->trace->ops[ref.loc];
        const uint32_t pre = ops->pre[ref.op], post = ops->post[ref.op];
        if (has_columns && pre != UINT32_MAX && post != UINT32_MAX &&
            !(ops->flags[ref.op] & PS_OP_NONBLOCKING)) {
                *begin = s->timing->enter[ref.loc][ref.op] + pre;
                *end = s->timing->leave[ref.loc][ref.op] - post;
        } else {
                *begin = begin_at(s, coll, ref);
                *end = end_at(s, coll, ref);
        }
}

/* Whom the member has to wait for, by the sort of the operation, which is none of a PGAS program. */
static inline uint32_t ps_coll_needed_member(const ps_coll_sums *s, const ps_coll *coll,
                                             const struct sum *sum, uint32_t member)
{
        uint16_t traits = traits_of(coll);
        if (traits & PS_T_ONE_TO_ALL)
                return coll->root;
        if (traits & PS_T_ALL_TO_ONE)
                return member == coll->root ? sum->latest_sender : PS_NONE;
        if (traits & (PS_T_PREFIX | PS_T_SPARSE))
                return s->predecessor ? s->predecessor[member] : PS_NONE;
        return sum->latest;
}

/* coll_alone.c: is it asked how long the root of it was alone, as far as that is here? Where all members are,
 * how long that was; -1: no memory. And of those that others have members of, as far as they ask for it: by
 * all together, who have agreed before that all is well, and do so afterwards. */
bool ps_coll_sums_ask_alone(const ps_coll_sums *s, const ps_coll *coll);
int ps_coll_sums_find_alone(const ps_coll_sums *s, const ps_coll *coll, struct sum *sum);
ps_status ps_coll_sums_find_alone_together(const ps_coll_sums *s, ps_exchange *x, ps_error *err);

#endif
