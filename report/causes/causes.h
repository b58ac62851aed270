/* causes.h - who made the others wait, in words: the tables `causes`, `delays` and `critical_path`. */
#ifndef PS_REPORT_CAUSES_CAUSES_H
#define PS_REPORT_CAUSES_CAUSES_H

#include "patterns/causes/causes.h"
#include "report/facts/places.h"
#include "simulator/whatif/whatif.h"

/* Where a call path is: a function of the program itself, or a call in one. */
typedef struct ps_cause_place {
        const char *function, *file;
        uint32_t line;
        ps_line_source certainty;
} ps_cause_place;

ps_cause_place ps_cause_place_of(const ps_report *report, ps_path path);

typedef struct ps_told_cause {
        const ps_cause *cause;
        char id[PS_REPORT_ID], site[PS_REPORT_ID];
        uint64_t key;    /* the site */
        ps_proc process; /* PS_NONE: the waiting that nothing explains */
        ps_cause_place at;
        uint8_t is_new; /* not in the baseline */
        /* The trace knows the function from calls in it only; then, where in it the time is, if it knows. */
        uint8_t is_unvisited;
        ps_stretch stretch;
} ps_told_cause;

/* What several locations do too long at one call path, for the same reason; there, alone or longer than the
 * others is one reason. Where a function is known from calls in it only, before the same one of these. */
typedef struct ps_cause_group {
        const ps_told_cause *const *row; /* the largest first */
        uint32_t n;
        ps_why why;
        bool is_partly_alone; /* `why` is longer, and some rows are alone */
        ps_stretch stretch;   /* where in a function that is not entered, of all rows that matter */
        ps_stretch inside;    /* where in a parallel region */
        ps_time waiting, indirect;
        /* See ps_cause_groups_order: it is told before those that do not; what a replay says that it gains.
         */
        bool leads;
        bool is_mendable; /* `promise` is worth it, and more than the most that could be gained */
        ps_time promise;
        /* Of those in which at least one is told (see ps_causes): who waits; how long the first row's
         * location is there in the focus, and the others on average (0: no other one); and how often. */
        uint8_t is_told;
        ps_proc *waiter; /* rising */
        uint32_t n_waiters;
        ps_time own, others;
        ps_time untold; /* of `own`: in calls of which the trace does not tell for whom they waited, if they
                           did */
        uint64_t visits;
} ps_cause_group;

/* So many rows matter beside the first one: people are told of these, and they are mended together. */
uint32_t ps_cause_group_rows(const ps_cause_group *group);

/* How much of a finding's waiting a cause explains. */
typedef struct ps_blamed {
        const ps_told_cause *cause;
        ps_time waiting;
} ps_blamed;

typedef enum ps_fix_kind {
        PS_FIX_BALANCED,   /* the same work, shared out evenly */
        PS_FIX_EVENED,     /* as long as the others at most */
        PS_FIX_SPED_UP,    /* `factor` times as long */
        PS_FIX_REORDERED,  /* received in the order of sending */
        PS_FIX_OVERLAPPED, /* transfers under way while ranks compute; with the factor 0: they cost nothing */
        PS_N_FIXES
} ps_fix_kind;

extern const char *const ps_fix_names[PS_N_FIXES];

/* What the run gains, if somebody mends a cause in one way. With the factor 0 it is no way, but the most that
 * any of them could gain. */
typedef struct ps_cause_fix {
        ps_fix_kind kind;
        uint8_t has_factor;
        double factor;
        uint8_t is_inside; /* of a stretch in a parallel region, not of all that is computed there */
        const char *edit;  /* the word of `predict` that tries it: one of the blame's */
        ps_time gain, run; /* what the run is shorter by, and how long it is then */
} ps_cause_fix;

static inline bool ps_cause_fix_is_bound(const ps_cause_fix *fix)
{
        return fix->has_factor && fix->factor <= 0;
}

typedef struct ps_cause_fixes {
        uint8_t are_known; /* they were computed, though there may be none */
        ps_cause_fix *row; /* the one that applies first comes first */
        uint32_t n;
        const char *why_none; /* in words, if there are none because no replay can tell; else NULL */
} ps_cause_fixes;

/* What one thread of a process computes outside of all parallel regions, on the critical path. Nobody waits
 * for it, so that it is no cause. */
typedef struct ps_serial {
        ps_time all;
        ps_time spared; /* the most that becomes shorter if all threads of the process share it out */
        ps_time most;   /* of all: in `path` */
        ps_path path;
} ps_serial;

/* What was found; {0}: nobody asked. */
struct ps_blame {
        ps_delays *delays;
        ps_causes *causes;
        ps_critical *critical;
        ps_serial serial;
        bool are_compared;            /* with a baseline that has causes */
        ps_told_cause *told;          /* by row of `causes` */
        ps_cause_group *group;        /* see ps_cause_groups_order; without what nothing explains */
        uint32_t n_groups, *group_of; /* by row of `causes`; PS_NONE: none */
        ps_time most_waiting;         /* of a group */
        const ps_told_cause **order;  /* what the groups point into */
        /* Ids of the findings of all causes that are told, one after the other; \"\": the report leaves it
         * out. */
        char (*finding)[PS_REPORT_ID];
        uint32_t n_findings;
        ps_blamed *blamed;     /* of all findings, one after the other */
        uint32_t *first;       /* by finding of the analysis: where its own begin; one more at the end */
        ps_cause_fixes *fixes; /* by row of `causes`; NULL: nobody asked. Who fills it allocates it */
        /* Words that were tried. All causes of a group share those for it, which may name every other rank.
         */
        char **edit;
        uint32_t n_edits;
};

typedef struct ps_blame_options {
        unsigned n_threads;
        bool takes_log;    /* nobody needs the log any more */
        bool tells_chains; /* a report tells the ways to causes */
} ps_blame_options;

/* Of the waits in `log`, in this timing, and once the report is there. `blame` must outlive the report; to be
 * cleared, also after a failure. */
ps_status ps_blame_find(ps_blame *blame, const ps_trace *trace, const ps_timing *timing, ps_wait_log *log,
                        const ps_analysis *analysis, const ps_blame_options *options, ps_error *err);
ps_status ps_blame_tell(ps_blame *blame, ps_report *report, ps_error *err);
void ps_blame_clear(ps_blame *blame);

/* Fills told, group, group_of and order; ps_blame_tell does so. */
ps_status ps_cause_groups_make(ps_blame *blame, const ps_report *report, ps_error *err);
void ps_cause_groups_clear(ps_blame *blame);
/* They are by waiting. Once fixes are computed, those that gain something take turns by how much that is;
 * those that no replay can mend, such as locks, stay between them where they are, and those that gain nothing
 * come behind. */
void ps_cause_groups_order(ps_blame *blame, const ps_report *report);
/* Not so little waiting that only who asks for all is told of it. */
bool ps_cause_is_large(const ps_report *report, const ps_cause_group *group);

/* Is what the report is about so short a part of the run, and so little waiting, that nothing in it is worth
 * mending? Then how long a location waits is told. */
bool ps_causes_are_trifling(ps_time *waiting, const ps_report *report);

/* What a group explains of the findings of a place; the largest comes first. Returns how many there are. */
typedef struct ps_group_share {
        uint32_t group;
        ps_time waiting;
} ps_group_share;

unsigned ps_cause_shares_of(ps_group_share out[PS_CAUSES_TOLD], const ps_report *report,
                            const ps_report_place *place);

extern const ps_record ps_record_cause, ps_record_delay, ps_record_delay_row, ps_record_critical_path,
        ps_record_blamed, ps_record_fix;

/* The values of these keys; null where nobody asked. */
void ps_causes_put(ps_row *to, const char *key, const ps_report *report);
void ps_delays_put(ps_row *to, const char *key, const ps_report *report);
void ps_blamed_put(ps_row *to, const char *key, const ps_report *report, const ps_finding *finding);
void ps_critical_put(ps_row *to, const char *key, const ps_report *report);

#endif
