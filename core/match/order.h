/* order.h - the order in which a process posted its operations, and where a defect came first.
 *
 * MPI knows processes, traces know locations. The rows of a process with several threads are put into one
 * order by the time of their posting; the threads of a process share its clock, so this is no comparison of
 * clocks. The rows of one location always keep their own order. */
#ifndef PS_CORE_MATCH_ORDER_H
#define PS_CORE_MATCH_ORDER_H

#include "core/model/trace.h"

/* The next row of a location that is not handed out yet. */
struct ps_posting {
        ps_time begin;
        ps_ref ref;
};

/* The rows of one class of one process. {0} is a valid start; may be opened again and again. */
typedef struct ps_postings {
        const ps_trace *trace;
        ps_class cls;
        struct ps_posting *heads; /* a heap by (begin, location); locations without rows are not in it */
        uint32_t n, cap;
} ps_postings;

ps_status ps_postings_open(ps_postings *postings, const ps_trace *trace, ps_proc process, ps_class cls,
                           ps_error *err);
void ps_postings_free(ps_postings *postings);

/* Restores the heap after its first head was handed out. */
void ps_postings_advance(ps_postings *postings);

/* The first row of the class at or after `row`, or the number of rows. */
static inline ps_op ps_ops_next(const ps_ops *ops, ps_op row, ps_class cls)
{
        const uint8_t *kind = ops->kind;
        size_t at = row, n = ops->n;
        while (at < n && ps_kinds[kind[at]].cls != cls)
                at++;
        return (ps_op)at;
}

/* 0 at the end. */
static inline bool ps_postings_next(ps_postings *postings, ps_ref *out)
{
        if (!postings->n)
                return false;
        *out = postings->heads[0].ref;
        if (postings->n > 1) {
                ps_postings_advance(postings);
                return true;
        }
        const ps_ops *ops = &postings->trace->ops[out->loc];
        postings->heads[0].ref.op = ps_ops_next(ops, out->op + 1, postings->cls);
        postings->n = postings->heads[0].ref.op < ops->n;
        return true;
}

/* Rows of one location that come one after the other; not all of them are of the class. */
typedef struct ps_posted {
        ps_loc loc;
        ps_op from, end;
} ps_posted;

/* The next of them, as many as there are; 0 at the end. */
static inline bool ps_postings_next_rows(ps_postings *postings, ps_posted *out)
{
        if (!postings->n)
                return false;
        ps_ref first = postings->heads[0].ref;
        *out = (ps_posted){first.loc, first.op, first.op + 1};
        if (postings->n > 1) {
                ps_postings_advance(postings);
        } else {
                out->end = postings->trace->ops[first.loc].n;
                postings->n = 0;
        }
        return true;
}

/* Counts a defect and keeps its first place by (location, row), in whatever order it is met. */
typedef struct ps_tally {
        uint64_t count;
        ps_ref first;
} ps_tally;

void ps_tally_add(ps_tally *tally, ps_ref ref);
void ps_tally_join(ps_tally *tally, const ps_tally *of_later_rows);
void ps_tally_note(const ps_tally *tally, ps_trace *trace, ps_issue_kind kind);

#endif
