/* flow.h - what cannot have ended before something else began, in messages and collective operations.
 *
 * Both are told as a flow: a list of steps of which some give and some take. A step that takes cannot be over
 * before every step that gives and stands earlier in the list has begun. A message is two steps. A barrier is
 * all members giving, then all members taking; in a prefix operation, member by member, each takes, then
 * gives. What counts is that data had to flow: a member without data to give or to take is left out, because
 * no library is bound to make it wait. */
#ifndef PS_CORE_CLOCK_FLOW_H
#define PS_CORE_CLOCK_FLOW_H

#include "core/base/error.h"
#include "core/clock/apart.h"

typedef struct ps_step {
        ps_ref ref;   /* the operation; where it takes it has a completion */
        ps_time time; /* of the record: that it began, or that it ended */
        ps_proc process;
        uint32_t order; /* of a part of a flow: by this all parts are put in order */
        uint8_t takes;
} ps_step;

/* That no call waited for a step and for nothing else. */
#define PS_STAY_UNKNOWN INT64_MIN

typedef struct ps_flow {
        ps_step *step; /* borrowed, until the next flow is asked for */
        uint32_t n, n_gives;
        const ps_coll *of;   /* of what kind it is, on which communicator; NULL: a message */
        const ps_time *stay; /* where its rows are in several processes: by step, ps_flow_stay() */
} ps_flow;

/* A message as the columns tell of nearly all at a glance: when its records were written. */
typedef struct ps_message_times {
        ps_loc sender;
        ps_ref recv;
        ps_time sent, received;
} ps_message_times;

/* `coll` is the instance, or PS_NONE for a message; with `stay`, its number among all. */
typedef ps_status (*ps_flow_visitor)(void *ctx, const ps_flow *flow, uint32_t coll, ps_error *err);
typedef ps_status (*ps_message_visitor)(void *ctx, const ps_message_times *message, ps_error *err);

/* Which calls are open around which, by location, as far as that was asked for (vicinity.c). */
typedef struct ps_nesting {
        uint32_t **parents; /* by row, plus 1; NULL: no call is inside of another one */
        uint8_t *is_known;
} ps_nesting;

typedef struct ps_flows {
        const ps_trace *trace;
        const ps_timing *timing;
        const ps_clock_drift *drift; /* by process: what to add to the times; NULL: nothing */
        const ps_clock_apart *apart; /* who else has rows; NULL: nobody */
        ps_step *step;               /* room for the longest flow */
        uint32_t *member_of;         /* scratch, see ps_coll_visit_ranks() */
        ps_message_visitor message; /* shown messages that need no flow, where there are no drifts; NULL: they
                                     * are flows as all others */
        ps_nesting nesting;
} ps_flows;

ps_status ps_flows_init(ps_flows *flows, const ps_trace *trace, const ps_timing *timing, ps_error *err);
void ps_flows_free(ps_flows *flows);

/* Of the message that `recv`, any row, receives: n is 0 when it is none or its end is unknown. */
ps_flow ps_flow_message(ps_flows *flows, ps_ref recv);
/* Of an instance; n is 0 when nobody had to wait. */
ps_flow ps_flow_coll(ps_flows *flows, uint32_t coll);
/* What the members that are here add to it, where others have some. */
ps_flow ps_flow_part(ps_flows *flows, uint32_t coll);

/* How long the call took in which the process waited for this end of a message, or this member, and for
 * nothing else. */
ps_time ps_flow_stay(const ps_trace *trace, ps_ref ref);
/* That call; op PS_NONE: none. */
ps_ref ps_flow_call(const ps_trace *trace, ps_ref ref);

/* Of an instance of which other processes may have members: does a member that is here give, in a flow of
 * all that give before all that take? */
bool ps_flow_gives(const ps_trace *trace, const ps_coll *coll, uint32_t member);
bool ps_flow_takes(const ps_trace *trace, const ps_coll *coll, uint32_t member);

/* The same of an operation in which each waits for those of lower ranks. */
bool ps_flow_passes_on(const ps_trace *trace, const ps_coll *coll, uint32_t member);
bool ps_flow_waits_for_lower(const ps_trace *trace, const ps_coll *coll, uint32_t member);

enum { PS_FLOWS_ALL, PS_FLOWS_SUSPECT };

/* Shows all messages, in the order of their receives, and all instances. What is plainly possible
 * is left out when only suspects are wanted: nearly all. Of rows that several processes have, all call it
 * together, and what fails fails in all. */
ps_status ps_flows_visit(ps_flows *flows, int which, ps_flow_visitor visit, void *ctx, ps_error *err);

/* All instances alone. */
ps_status ps_flows_visit_colls(ps_flows *flows, ps_flow_visitor visit, void *ctx, ps_error *err);

/* dealt.c: those that have members in several processes, but of communicators with no more than `few`
 * members; each is put together in one process, which shows it. Who has failed before says so: all have then.
 */
ps_status ps_flows_visit_dealt(ps_flows *flows, uint32_t few, ps_status status, ps_flow_visitor visit,
                               void *ctx, ps_error *err);

/* That of this number; PS_NONE: it has no members here. */
uint32_t ps_flows_find_dealt(const ps_flows *flows, uint32_t number);

/* All of that, but for those that are dealt, in parts, which several threads may share, each with flows of
 * its own. */
uint32_t ps_flows_n_parts(const ps_trace *trace);
ps_status ps_flows_visit_part(ps_flows *flows, int which, uint32_t part, ps_flow_visitor visit, void *ctx,
                              ps_error *err);

#endif
