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
        ps_time alone;                  /* the root, of some operations of PGAS programs */
        uint8_t is_full;                /* all were in it at one time */
        uint8_t has_payload;
        uint8_t has_others; /* it has several members */
};

struct ps_coll_sums {
        const ps_trace *trace;
        const ps_timing *timing;
        struct sum *sum;
        /* By member, of prefix operations and those among neighbours: the latest one to wait for, or PS_NONE;
         * and of neighbours the one whose completing call begins last. NULL: there are none. */
        uint32_t *predecessor, *back;
        /* What is known of operations of which others have members, too; NULL: the trace has all members.
         * Behind those that it has, from this one on, stand some whose rows are in another process: when they
         * began is all that is known. */
        const ps_agreed *agreed;
        uint32_t n_here;
        ps_time *begin;
};

/* Sums of the members that the trace has. Of operations of which others have members, too, nothing is made of
 * them so far. */
ps_status ps_coll_sums_begin(ps_coll_sums **out, const ps_trace *trace, const ps_timing *timing,
                             const ps_agreed *agreed, unsigned n_threads, ps_error *err);
/* Is this one of those? */
bool ps_coll_sums_are_shared(const ps_coll_sums *s, uint32_t coll);
/* Of all members, between no groups: were not all in it at one time, so that only those who have data for
 * each other count? Then of `earliest_end` it knows the members that the trace has. */
bool ps_coll_sums_narrow(const ps_coll_sums *s, uint32_t coll);
/* When a member began. */
ps_time ps_coll_sums_begin_of(const ps_coll_sums *s, const ps_coll *coll, uint32_t member);

/* coll_told.c: the sums of all members for the rows that are here, by all processes that have some of a
 * trace, together, who have agreed before that all is well. */
ps_status ps_coll_sums_together(ps_coll_sums **out, const ps_trace *trace, unsigned n_threads, ps_error *err);

#endif
