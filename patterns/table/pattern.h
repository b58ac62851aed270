/* pattern.h - a pattern is one row of a table.
 *
 * Rows with a parent refine it: what the parent's formula finds is charged to the first child that fits, and
 * to the parent itself when none does. Each nanosecond is charged to one row only, and a row's total is the
 * sum of its subtree. */
#ifndef PS_PATTERNS_TABLE_PATTERN_H
#define PS_PATTERNS_TABLE_PATTERN_H

#include "patterns/table/formula.h"

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
        PS_ON_UNEXPLAINED,     /* a call that the trace does not explain, after all else was charged */
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
        PS_ON_CHANGE,          /* a call of such a program that waits for a change of its memory */
        PS_ON_LOCK,            /* an acquired lock */
        PS_ON_FORK,            /* a thread that begins its part of a parallel region */
        PS_ON_JOIN,            /* a thread that has ended its part */
        PS_ON_SITE,            /* a place of a PGAS program that communicates, over all threads */
        PS_ON_MASTER,          /* a thread and the master of a PGAS program */
        PS_ON_REGION,          /* a user region, over all locations */
        PS_ON_EXCHANGE,        /* a call that communicates in a program of the DVM system */
        PS_ON_COPIES,          /* a region of such a program in which several processors do the same */
        PS_N_SUBJECTS
} ps_subject;

/* Two receives of one location: one waited although the other, received later, had been sent before it. */
typedef struct ps_order_view {
        bool same_source;
        ps_kind send_kind; /* of the message that was waited for */
        ps_definitions definitions;
} ps_order_view;

/* Kinds as a set: those of messages as they are, those of collectives counted from PS_K_INIT. */
#define PS_MESSAGE_KIND(k)    (UINT64_C(1) << PS_K_##k)
#define PS_COLLECTIVE_KIND(k) (UINT64_C(1) << (PS_K_##k - PS_K_INIT))

/* What must be so for a row to find anything, of what the columns of operations tell at once: the walk asks
 * it before it puts together what a formula looks at. */
enum {
        PS_NEEDS_LATE_FOR_CALL = 1 << 0, /* the message's other end began after the call that waits for it */
        PS_NEEDS_LATE_FOR_POST = 1 << 1, /* the other end began after the own one */
        PS_NEEDS_EPSILON = 1 << 2,       /* the call takes as long as a finding has to */
        PS_NEEDS_UNDER_WAY = 1 << 3, /* the call was not over when the other end began, for all one knows */
        /* Where all that is so, what is lost follows from the columns, too, and no formula has to be asked:
         */
        PS_LOSES_UNTIL_OTHER =
                1 << 4,         /* from the begin of the call to its end, or until the other end began */
        PS_LOSES_REST = 1 << 5, /* what of the call is not charged yet */
        PS_LOSES_CALL = 1 << 6, /* all of it */
        PS_LOSES_UNTIL_RELEASED = 1 << 7 /* from its begin until the lock was given back, or memory written;
                                            in which regions it is so the formula says */
};

/* What a member of a collective operation loses by a row's formula, where the columns tell it and no formula
 * has to be asked. */
typedef enum ps_part_loss {
        PS_PART_UNTOLD,
        PS_PART_WAITS_FOR_ALL,    /* who takes part, until the latest begins */
        PS_PART_WAITS_FOR_WINDOW, /* the same of all, unless somebody has left before */
        PS_PART_WAITS_FOR_ROOT,   /* a receiver, until the root does */
        PS_PART_ROOT_WAITS,       /* the root, until the latest does that sends */
        PS_PART_WAITS_FOR_SENDER, /* a receiver, until the latest of those does that send to it: of lower
                                     rank, or its neighbours */
        PS_PART_WAITS_FOR_NEEDED, /* who takes part, until the latest whose data it needs does */
        PS_PART_COMPLETES         /* who takes part, from when all could leave */
} ps_part_loss;

typedef struct ps_pattern {
        const char *id, *parent, *title, *summary, *advice, *source;
        ps_subject subject;
        unsigned definitions;                       /* PS_BY_* */
        uint64_t send_kinds;                        /* of a message; 0: any */
        uint64_t wait_kinds;                        /* of the call that waits; 0: any */
        uint64_t kinds;                             /* of a collective; 0: any */
        uint64_t further_wait_kinds, further_kinds; /* which Scalasca does not look at */
        const ps_formula *formula;                  /* NULL: the parent's */
        const ps_formula *paper_formula;            /* instead of it in the paper's reading; NULL: the same */
        bool (*is_so)(const ps_order_view *order);  /* PS_ON_ORDER: a further condition; NULL: none */
        uint8_t needs;                              /* PS_NEEDS_* */
        uint8_t own_needs;                          /* further ones of `formula`, not of the paper's */
        uint8_t part;                               /* of a row on collectives: ps_part_loss */
        uint64_t most_bytes;                        /* of a send that it looks at; 0: any */
        uint32_t least;    /* fewer instances than that at one place are no finding */
        uint8_t is_view;   /* a way to look at time that others may charge, too: not added to any sum */
        uint8_t is_defect; /* an error of the program: counts without any loss */
        uint8_t is_guess;  /* the trace cannot prove it: low confidence */
        /* Of PGAS collectives, where otherwise the first row that finds something is charged alone: what this
         * one finds shares no time with what rows before it have found. */
        uint8_t is_apart;
        uint8_t purpose; /* ps_purpose: what a call of a DVM program communicates for; 0: any */
        uint8_t is_work; /* the operation's own time, which does not go away when nobody waits */
} ps_pattern;

/* Is what it finds waiting for others? Otherwise it is an operation's own time, or a view of what others
 * charge. */
static inline bool ps_pattern_waits(const ps_pattern *row)
{
        return !row->is_view && !row->is_defect && !row->is_work && row->subject != PS_ON_COMPLETION &&
               row->subject != PS_ON_FORK && row->subject != PS_ON_JOIN;
}

#endif
