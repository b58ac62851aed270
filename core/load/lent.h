/* lent.h - rows of locations on their way from whoever has them to process 0: see lending.h. */
#ifndef PS_CORE_LOAD_LENT_H
#define PS_CORE_LOAD_LENT_H

#include "core/base/pass.h"
#include "core/model/trace.h"

/* What process 0 asks for. */
struct lending {
        ps_loc loc;
        bool begins; /* a loan: with the first row of the span */
        ps_op from, at_once;
        uint32_t stand_in; /* see ps_agreed: in process 0 */
        bool is_moved;     /* times are not those that were recorded */
        bool has_span;
        ps_span span;
        uint64_t issues; /* a bit for each sort that the whole trace has */
};

/* The rows at hand, and those beside them. */
struct range {
        ps_op from, end;
};

/* What it hears of a location, before so many bytes of its rows. */
struct parcel {
        uint64_t bytes;
        ps_loc loc;
        uint32_t n_pieces;
        ps_op first, behind;
        struct range range;
        bool has_pieces, adds_up;
};

/* What stands beside rows, by row. */
struct beside {
        uint32_t *operation; /* see ps_loan_operation */
        uint32_t *link;      /* as process 0 is to have it */
        uint8_t *is_unexplained;
};

/* `beside` is that of the first of the rows of the range. */
ps_status ps_lent_pass_rows(ps_pass *p, const ps_trace *trace, ps_loc loc, struct range r,
                            struct beside beside, bool has_pieces);
/* Which sorts of issues the whole trace has, and the trace of one who looks at its rows as if it knew. */
uint64_t ps_lent_issues(const ps_trace *trace);
ps_trace ps_lent_look(const ps_trace *here, uint64_t issues);
/* The rows of the span, or all. */
void ps_lent_span(const ps_time *enter, const ps_ops *ops, const ps_span *span, ps_op *first, ps_op *behind);

#endif
