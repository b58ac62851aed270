/* lending.h - rows that stay in the processes that have read them, lent to process 0: those of one location
 * after the other for as long as somebody goes through them, some at a time, single facts of some, and
 * members of collective operations a block at a time. Where this process has all rows it answers the same
 * calls itself. */
#ifndef PS_CORE_LOAD_LENDING_H
#define PS_CORE_LOAD_LENDING_H

#include "core/model/pieces.h"
#include "core/model/trace.h"

/* -- a location -- */

typedef struct ps_loan {
        const ps_trace *trace;
        ps_loc loc;
        ps_op first, behind;  /* the rows that were wanted */
        ps_op from, end;      /* those of them that are at hand */
        struct ps_lent *lent; /* NULL: the rows are this process's own, all of them */
} ps_loan;

/* So many rows are borrowed at a time: of one location, or of several that have no more together. */
extern ps_op ps_loan_at_once;

/* What whoever goes through locations, best in their order, holds of those that are next. */
typedef struct ps_loans ps_loans;

ps_status ps_loans_new(ps_loans **out, ps_error *err);
void ps_loans_free(ps_loans *loans);

/* By process 0: until it is returned, which it has to be in any case, and before the next one is taken, the
 * trace has the first ones of the rows of the location that begin in the span, or are under way where it
 * begins; of all, where that is NULL. It has what is computed before and behind each, too, and the rows
 * beside them. What else a trace knows of rows it does not know of these: members of their collective
 * operations, what they completed, nor their partners' rows. */
ps_status ps_loan_take(ps_loan *out, ps_loans *loans, const ps_trace *trace, const ps_timing *timing,
                       ps_loc loc, const ps_span *span, ps_error *err);
/* The same of another row, and of those from there on: the others are not at hand any more. */
ps_status ps_loan_move(ps_loan *loan, ps_op op, ps_error *err);
static inline ps_status ps_loan_reach(ps_loan *loan, ps_op op, ps_error *err)
{
        return op >= loan->from && op < loan->end ? PS_OK : ps_loan_move(loan, op, err);
}
void ps_loan_return(ps_loan *loan);
static inline bool ps_loan_is_away(const ps_loan *loan)
{
        return loan->lent != NULL;
}
/* The number of the collective operation that a matched row is of, as one process counts them. */
uint32_t ps_loan_operation(const ps_loan *loan, ps_op op);
/* Does the trace not explain how long the call of the row took (core/model/unexplained.h)? */
bool ps_loan_is_unexplained(const ps_loan *loan, ps_op op);

/* -- single facts -- */

typedef enum ps_loan_fact {
        PS_LOAN_PATH,       /* its call path */
        PS_LOAN_RECORD_END, /* ps_op_record_end() */
        PS_LOAN_COMPLETES,  /* ps_op_completes() */
        PS_LOAN_WHY,        /* ps_op_unexplained_why(), if it is of no PGAS program */
        PS_LOAN_FACTS
} ps_loan_fact;

/* By process 0: of each of these rows, wherever they are. */
ps_status ps_loan_facts(int64_t *out, ps_loan_fact what, const ps_trace *trace, const ps_timing *timing,
                        const ps_ref *rows, size_t n, ps_error *err);

/* -- messages -- */

typedef struct ps_loan_message {
        ps_ref send, receive;
        ps_time sent, received;
        uint64_t bytes;
        uint32_t tag;
} ps_loan_message;

typedef struct ps_loan_senders {
        const ps_loc *location; /* NULL: the first ones */
        uint32_t n;
        const ps_span *span; /* of their rows; NULL: all */
} ps_loan_senders;

/* By process 0: of all messages that are sent there, in their order, until an answer is false. */
ps_status ps_loan_messages(const ps_trace *trace, const ps_timing *timing, const ps_loan_senders *senders,
                           bool (*visit)(void *ctx, const ps_loan_message *message), void *ctx,
                           ps_error *err);

/* -- collective operations -- */

typedef struct ps_loan_member {
        uint32_t operation; /* its number */
        ps_comm comm;
        ps_ref ref;
        ps_span time; /* in it: of a nonblocking one up to the call that completed it */
        ps_path path;
        uint8_t kind, complete, is_root;
} ps_loan_member;

/* By process 0: of all operations, in their order, and the members of each in the order of locations, until
 * an answer is false. */
ps_status ps_loan_members(const ps_trace *trace, const ps_timing *timing,
                          bool (*visit)(void *ctx, const ps_loan_member *member), void *ctx, ps_error *err);

/* Of one that this process has, by its place in the trace. */
bool ps_loan_members_of(const ps_trace *trace, const ps_timing *timing, uint32_t coll,
                        bool (*visit)(void *ctx, const ps_loan_member *member), void *ctx);

/* What the others do then. */
void ps_lend_rows(const ps_trace *here, unsigned n_threads, uint8_t *asked, size_t n);
void ps_lend_facts(const ps_trace *here, unsigned n_threads, uint8_t *asked, size_t n);
void ps_lend_members(const ps_trace *here, unsigned n_threads, uint8_t *asked, size_t n);

#endif
