/* coll_sums.h - what coll_sums.c knows of collective operations, for those who send it to other processes. */
#ifndef PS_PATTERNS_ENGINE_COLL_SUMS_H
#define PS_PATTERNS_ENGINE_COLL_SUMS_H

#include "core/exchange/exchange.h"
#include "patterns/table/view.h"

struct sum {
        ps_time latest_begin, earliest_end, latest_sender_begin;
        uint32_t latest, latest_sender; /* members */
        uint32_t latest_back;           /* of a nonblocking one: whose completing call begins last */
        uint32_t other;                 /* of an intercommunicator: the sum that the second group looks at */
        ps_time alone;                  /* the root, of some operations of PGAS programs */
        uint8_t is_full;                /* all were in it at one time */
        uint8_t has_payload;
};

struct ps_coll_sums {
        const ps_trace *trace;
        const ps_timing *timing;
        struct sum *sum;
        /* By member, of prefix operations and those among neighbours: the latest one to wait for, or PS_NONE;
         * and of neighbours the one whose completing call begins last. NULL: there are none. */
        uint32_t *predecessor, *back;
        /* Members from this one on have their rows in another process: when they began is all that is known.
         */
        uint32_t n_here;
        ps_time *begin;
        /* Of sums that came from another process: what the trace has of the operations then. */
        ps_coll *colls;
        ps_member *members;
};

/* Operations on which a walk elsewhere can be told all in a few numbers: blocking ones in which all, or one
 * of them, is waited for. */
bool ps_coll_sums_are_plain(const ps_trace *trace);
/* When a member began. */
ps_time ps_coll_sums_begin(const ps_coll_sums *s, const ps_coll *coll, uint32_t member);
/* What a process of ours needs to know to walk over the rows that it has (coll_told.c). */
ps_status ps_coll_sums_tell(ps_pile *out, const ps_coll_sums *s, const uint32_t *owner, uint32_t n_ours,
                            ps_error *err);
/* The same there, of what process 0 has told: fills the colls and members of the trace, whose rows are tied
 * to them; they are the sums'. */
ps_status ps_coll_sums_hear(ps_coll_sums **out, ps_trace *trace, const uint32_t *owner, uint32_t rank,
                            const ps_pile *in, ps_error *err);
/* The rows are as they were before. */
void ps_coll_sums_untie(const ps_coll_sums *s);

#endif
