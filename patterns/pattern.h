/* pattern.h - a pattern is one row of a table.
 *
 * Its formula is written once, with PS_MESSAGE_FORMULA or one of its like: the macro makes both the function
 * that the engine calls and the text that the manual, `explain` and the reports print, so that code and
 * manual cannot differ. Epsilon is the engine's; a formula only says what was lost.
 *
 * Rows with a parent refine it: what the parent's formula finds is charged to the first child that fits, and
 * to the parent itself when none does. Each nanosecond is charged to one row only, and a row's total is the
 * sum of its subtree. */
#ifndef PS_PATTERNS_PATTERN_H
#define PS_PATTERNS_PATTERN_H

#include "core/trace.h"

/* Three readings of the same waits; each row says in which of them it takes part. */
typedef enum ps_definitions {
        PS_DEFINITIONS_PATSCAN,
        PS_DEFINITIONS_SCALASCA, /* exactly the metrics of Scalasca 2.6 */
        PS_DEFINITIONS_PAPER,    /* the predicates of the paper behind the MPI and UPC patterns, as printed */
        PS_N_DEFINITIONS
} ps_definitions;

enum {
        PS_BY_PATSCAN = 1 << PS_DEFINITIONS_PATSCAN,
        PS_BY_SCALASCA = 1 << PS_DEFINITIONS_SCALASCA,
        PS_BY_PAPER = 1 << PS_DEFINITIONS_PAPER,
        PS_BY_ALL = PS_BY_PATSCAN | PS_BY_SCALASCA | PS_BY_PAPER
};

/* What a row is asked about, and with which view. */
typedef enum ps_subject {
        PS_ON_RECEIVER,    /* a message, at the call in which its receiver waits for it */
        PS_ON_SENDER,      /* a message, at the call in which its sender waits for it */
        PS_ON_ORDER,       /* only below a row on receivers: one received later was sent earlier */
        PS_ON_COLLECTIVE,  /* one member's part in a collective operation */
        PS_ON_NONBLOCKING, /* the same, at the call that completes its nonblocking form */
        PS_ON_COMPLETION,  /* what is left of a call that completes requests */
        PS_N_SUBJECTS
} ps_subject;

/* One end of a message. `post` is the call that sends or begins to receive, `wait` the call in which its
 * caller waits for it: the same if it blocks. Times are those of the calls' begin and end. */
typedef struct ps_side {
        ps_ref post, wait;
        ps_time enter, leave;           /* of post */
        ps_time wait_enter, wait_leave; /* of wait; PS_NEVER_ENDED when nobody ever waits for it */
        ps_kind kind, wait_kind;
} ps_side;

typedef struct ps_message_view {
        ps_side send, recv;
        uint64_t bytes;
        ps_time tolerance; /* how far the two clocks may disagree */
} ps_message_view;

/* One member's part in a collective operation, next to what all members did. Times are those of the records
 * that the operation began and ended. */
typedef struct ps_own_part {
        ps_time begin, end;
        int takes_part; /* it synchronises with the others: it has data to send or to wait for, or needs none
                         */
        int is_root, receives;
} ps_own_part;

typedef struct ps_all_parts {
        ps_time latest_begin, earliest_end; /* of those who take part */
        ps_time root_begin;
        ps_time latest_sender_begin;      /* of those who have data for the root */
        ps_time latest_predecessor_begin; /* of those of smaller or the same rank who have data */
        ps_time needed_begin;             /* that of the above which the member has to wait for */
} ps_all_parts;

typedef struct ps_collective_view {
        ps_own_part own;
        ps_all_parts all;
        ps_kind kind;
        ps_ref cause; /* whom the member had to wait for, or {PS_NONE, PS_NONE} */
} ps_collective_view;

/* Two receives of one location: `delayed` waited, although `earlier` had been sent before it. */
typedef struct ps_order_view {
        int same_source;
} ps_order_view;

typedef struct ps_completion_view {
        ps_time enter, leave;
        ps_time charged; /* what other rows already charged to this call */
} ps_completion_view;

/* Times that never come: far from all others, but not so far that a difference overflows. */
#define PS_NEVER_BEGUN (INT64_MIN / 2)
#define PS_NEVER_ENDED (INT64_MAX / 2)

/* Words that formulas use. */
static inline ps_time earlier(ps_time a, ps_time b)
{
        return a < b ? a : b;
}

static inline ps_time later(ps_time a, ps_time b)
{
        return a > b ? a : b;
}

typedef struct ps_formula {
        const char *condition, *loss;
        ps_time (*message)(const ps_message_view *m);
        ps_time (*collective)(const ps_collective_view *c);
        ps_time (*completion)(const ps_completion_view *c);
} ps_formula;

#define PS_FORMULA_(field, name, view, unpack, if_, lost)                                                    \
        static ps_time name##_loss(const view *v_)                                                           \
        {                                                                                                    \
                unpack return (if_) ? (lost) : 0;                                                            \
        }                                                                                                    \
        static const ps_formula name = {.condition = #if_, .loss = #lost, .field = name##_loss}

/* In these, `send` and `recv` are ps_sides; */
#define PS_MESSAGE_FORMULA(name, if_, lost)                                                                  \
        PS_FORMULA_(message, name, ps_message_view, const ps_side send = v_->send;                           \
                    const ps_side recv = v_->recv; const ps_time tolerance = v_->tolerance; (void)send;      \
                    (void)recv; (void)tolerance;, if_, lost)
/* in these, `own` and `all` are those of the view; */
#define PS_COLLECTIVE_FORMULA(name, if_, lost)                                                               \
        PS_FORMULA_(collective, name, ps_collective_view, const ps_own_part own = v_->own;                   \
                    const ps_all_parts all = v_->all; (void)own; (void)all;, if_, lost)
/* in these, `call` is. */
#define PS_COMPLETION_FORMULA(name, if_, lost)                                                               \
        PS_FORMULA_(completion, name, ps_completion_view, const ps_completion_view call = *v_;, if_, lost)

/* Kinds as a set: those of messages as they are, those of collectives counted from PS_K_INIT. */
#define PS_MESSAGE_KIND(k)    (UINT64_C(1) << PS_K_##k)
#define PS_COLLECTIVE_KIND(k) (UINT64_C(1) << (PS_K_##k - PS_K_INIT))

typedef struct ps_pattern {
        const char *id, *parent, *title, *summary, *advice, *source;
        ps_subject subject;
        unsigned definitions;                     /* PS_BY_* */
        uint64_t send_kinds;                      /* of a message; 0: any */
        uint64_t wait_kinds;                      /* of the call that waits; 0: any */
        uint64_t kinds;                           /* of a collective; 0: any */
        uint64_t own_wait_kinds, own_kinds;       /* further ones in patscan's own reading */
        const ps_formula *formula;                /* NULL: the parent's */
        int (*is_so)(const ps_order_view *order); /* PS_ON_ORDER: a further condition; NULL: none */
} ps_pattern;

#endif
