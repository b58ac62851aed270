/* partners.h - what a process knows of those rows of the others that its own are matched with. */
#ifndef PS_CORE_MATCH_PARTNERS_H
#define PS_CORE_MATCH_PARTNERS_H

#include "core/exchange/exchange.h"
#include "core/model/trace.h"

/* Rows that stand for others', in their own locations, and the numbers that these have there. {0}: none. */
typedef struct ps_partners {
        const uint32_t **real; /* by location, by row; NULL: its rows are here */
        void *rows;
        void *by_call; /* room for a number of each call of a location */
} ps_partners;

/* How partners are dealt; 0: plainly. */
enum {
        PS_PARTNERS_NOT_TO_0 = 1 << 0,  /* process 0 has the rows of all */
        PS_PARTNERS_WITH_BYTES = 1 << 1 /* and of sends the length, else 0, is there */
};

/* All messages are matched; the rows of each process of the program are in its owner of ours. Afterwards a
 * partner that is elsewhere has a row of its location here: a kind, the times of its call, when its record
 * was made if it is a send, and the operation that completes it. What else is asked of a partner is not
 * there. `link` of the own rows names that row. Called by all of ours together, who have agreed before that
 * all is well. */
ps_status ps_partners_deal(ps_partners *out, ps_trace *trace, const uint32_t *owner, unsigned how,
                           ps_exchange *x, ps_error *err);
/* What was dealt well; the own rows are as they were. */
void ps_partners_clear(ps_partners *partners, const ps_trace *trace);

/* The partner of an own row of a message, as the whole trace names it. */
static inline ps_ref ps_partners_real(const ps_partners *partners, ps_ref ref)
{
        return ref.op != PS_NONE && partners->real[ref.loc]
                       ? (ps_ref){ref.loc, partners->real[ref.loc][ref.op]}
                       : ref;
}

#endif
