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
        PS_ON_RECEIVER,        /* a message, at the call in which its receiver waits for it */
        PS_ON_SENDER,          /* a message, at the call in which its sender waits for it */
        PS_ON_ORDER,           /* only below a row on receivers: one received later was sent earlier */
        PS_ON_PROBE,           /* the message that a Probe waits for */
        PS_ON_READY,           /* a message sent in ready mode, at its send */
        PS_ON_COLLECTIVE,      /* one member's part in a collective operation */
        PS_ON_NONBLOCKING,     /* the same, at the call that completes its nonblocking form */
        PS_ON_COMPLETION,      /* a call that completes messages, after all else was charged */
        PS_ON_SERIES,          /* a series of Tests that complete nothing, up to one that does */
        PS_ON_NEIGHBOURS,      /* a send to somebody and, right behind it, a receive from the same */
        PS_ON_SMALL,           /* a send, for views of many of them at one place */
        PS_ON_ACCESS,          /* a call on windows whose targets must have posted them */
        PS_ON_EXPOSURE,        /* a call that waits for the origins to complete */
        PS_ON_LOCK_HELD,       /* a call on a lock of a window or of a PGAS program */
        PS_ON_PROGRESS,        /* the same, if it waited for no holder: what its target did */
        PS_ON_PGAS_COLLECTIVE, /* like PS_ON_COLLECTIVE, of a PGAS program */
        PS_ON_SPLIT_BARRIER,   /* the call that completes a split barrier */
        PS_ON_PGAS_FENCE,      /* a fence of a PGAS program */
        PS_ON_ATOMIC,          /* an atomic operation of a PGAS program */
        PS_ON_LOCK,            /* an acquired lock */
        PS_ON_FORK,            /* a thread that begins its part of a parallel region */
        PS_ON_JOIN,            /* a thread that has ended its part */
        PS_ON_SITE,            /* a place of a PGAS program that communicates, over all threads */
        PS_ON_MASTER,          /* a thread and the master of a PGAS program */
        PS_ON_REGION,          /* a user region, over all locations */
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
        uint64_t eager_bytes; /* messages up to this size do not wait for their receiver, says the user */
        ps_time tolerance;    /* how far the two clocks may disagree */
} ps_message_view;

/* One member's part in a collective operation, next to what all members did. Times are those of the records
 * that the operation began and ended. */
typedef struct ps_own_part {
        ps_time begin, end;
        int takes_part; /* it synchronises with the others: it has data to send or to wait for, or needs none
                         */
        int is_root, receives;
        ps_sync in_sync, out_sync; /* of a PGAS program */
} ps_own_part;

typedef struct ps_all_parts {
        ps_time latest_begin, earliest_end; /* of those who take part */
        ps_time root_begin;
        ps_time latest_sender_begin;      /* of those who have data for the root */
        ps_time latest_predecessor_begin; /* of those of smaller or the same rank who have data */
        ps_time needed_begin;             /* that of the above which the member has to wait for */
        ps_time alone; /* of a PGAS program: how long the root was inside with nobody else, in a gather or
                        * reduction after the last one had come */
} ps_all_parts;

typedef struct ps_collective_view {
        ps_own_part own;
        ps_all_parts all;
        ps_kind kind;
        int is_pgas;
        ps_ref cause; /* whom the member had to wait for, or {PS_NONE, PS_NONE} */
} ps_collective_view;

/* Two receives of one location: one waited although the other, received later, had been sent before it. */
typedef struct ps_order_view {
        int same_source;
        ps_kind send_kind; /* of the message that was waited for */
        ps_definitions definitions;
} ps_order_view;

typedef struct ps_call_view {
        ps_time enter, leave;           /* of the call, or from the first to the last of a series of them */
        ps_time charged;                /* what other rows already charged to it */
        ps_time released;               /* of a lock: when the one before gave it back */
        ps_time partner_enter;          /* of a one-sided call: when the one that it waits for was begun */
        ps_time transferred;            /* of Win_wait: the end of the last transfer to it, as far as known */
        ps_time tolerance;              /* how far clocks may disagree */
        ps_time gap;                    /* between this call and the one after it */
        ps_time next_enter, next_leave; /* the latter */
        uint64_t bytes, eager_bytes;
        uint32_t n;        /* calls of the series */
        uint32_t messages; /* that the call completes */
        ps_kind kind;      /* of the call */
        ps_kind own_kind;  /* of the operation that it completes */
        int is_critical;   /* of a lock: it guards a critical section of OpenMP */
        int is_openmp;
        int is_pgas, is_transfer;
} ps_call_view;

/* Times that never come: far from all others, but not so far that a difference overflows. */
#define PS_NEVER_BEGUN (INT64_MIN / 2)
#define PS_NEVER_ENDED (INT64_MAX / 2)

/* What a formula answers when its condition does not hold. */
#define PS_NOT_SO (-1)

/* Words that formulas use. */
static inline ps_time earlier(ps_time a, ps_time b)
{
        return a < b ? a : b;
}

static inline ps_time later(ps_time a, ps_time b)
{
        return a > b ? a : b;
}

/* A user region at one location, next to all locations that ever enter it. Exclusive times. */
typedef struct ps_region_view {
        ps_time own, mean, most;
        uint32_t n; /* locations */
} ps_region_view;

/* One thread at a place that communicates, next to all of them. */
typedef struct ps_site_view {
        uint64_t ops, all_ops;     /* of the thread, here and anywhere */
        uint64_t largest, typical; /* bytes at once, here and at most places */
        ps_time own, mean, most;
        uint32_t n; /* threads that come here */
} ps_site_view;

/* What a thread that seems to be the master and the others waited for each other. */
typedef struct ps_master_view {
        ps_time own;          /* of this thread */
        ps_time waits;        /* of the master for others */
        ps_time workers_wait; /* of the others for the master, on average */
        ps_time duration;     /* of the run */
        int is_master;
} ps_master_view;

typedef struct ps_formula {
        const char *condition, *loss;
        ps_time (*message)(const ps_message_view *m);
        ps_time (*collective)(const ps_collective_view *c);
        ps_time (*call)(const ps_call_view *c);
        ps_time (*region)(const ps_region_view *r);
        ps_time (*site)(const ps_site_view *s);
        ps_time (*master)(const ps_master_view *m);
} ps_formula;

#define PS_FORMULA_(field, name, view, unpack, if_, lost, if_text, lost_text)                                \
        static ps_time name##_loss(const view *v_)                                                           \
        {                                                                                                    \
                unpack return (if_) ? (lost) : PS_NOT_SO;                                                    \
        }                                                                                                    \
        static const ps_formula name = {.condition = if_text, .loss = lost_text, .field = name##_loss}

/* In these, `send` and `recv` are ps_sides, and `bytes`, `eager_bytes` and `tolerance` are known; */
#define PS_MESSAGE_FORMULA(name, if_, lost)                                                                  \
        PS_FORMULA_(message, name, ps_message_view, const ps_side send = v_->send;                           \
                    const ps_side recv = v_->recv; const ps_time tolerance = v_->tolerance;                  \
                    const uint64_t bytes = v_->bytes; const uint64_t eager_bytes = v_->eager_bytes;          \
                    (void)send; (void)recv; (void)tolerance; (void)bytes; (void)eager_bytes;                 \
                    , if_, lost, #if_, #lost)
/* in these, `own` and `all` are those of the view; */
#define PS_COLLECTIVE_FORMULA(name, if_, lost)                                                               \
        PS_FORMULA_(collective, name, ps_collective_view, const ps_own_part own = v_->own;                   \
                    const ps_all_parts all = v_->all; (void)own; (void)all;, if_, lost, #if_, #lost)
/* in these, `call` is. */
#define PS_CALL_FORMULA(name, if_, lost)                                                                     \
        PS_FORMULA_(call, name, ps_call_view, const ps_call_view call = *v_;, if_, lost, #if_, #lost)

/* in these, `region` is. */
#define PS_REGION_FORMULA(name, if_, lost)                                                                   \
        PS_FORMULA_(region, name, ps_region_view, const ps_region_view region = *v_;, if_, lost, #if_, #lost)

/* in these, `site` is, */
#define PS_SITE_FORMULA(name, if_, lost)                                                                     \
        PS_FORMULA_(site, name, ps_site_view, const ps_site_view site = *v_;, if_, lost, #if_, #lost)
/* and in these `master`. */
#define PS_MASTER_FORMULA(name, if_, lost)                                                                   \
        PS_FORMULA_(master, name, ps_master_view, const ps_master_view master = *v_;, if_, lost, #if_, #lost)

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
        const ps_formula *paper_formula;          /* instead of it in the paper's reading; NULL: the same */
        int (*is_so)(const ps_order_view *order); /* PS_ON_ORDER: a further condition; NULL: none */
        uint32_t least;                           /* fewer instances than that at one place are no finding */
        uint8_t is_view;   /* a way to look at time that others may charge, too: not added to any sum */
        uint8_t is_defect; /* an error of the program: counts without any loss */
        uint8_t is_guess;  /* the trace cannot prove it: low confidence */
        /* Of PGAS collectives, where otherwise the first row that finds something is charged alone: what this
         * one finds shares no time with what rows before it have found. */
        uint8_t is_apart;
        uint8_t is_work; /* the operation's own time, which does not go away when nobody waits */
} ps_pattern;

#endif
