/* run.h - what a run amounts to, as far as it can be compared: made from a trace that was analysed,
 * or from a saved report. Both are brought to whole nanoseconds, so that a trace and its own report agree.
 *
 * Times are seconds. What a report does not tell is NAN, or marked as not known. Names are borrowed: from the
 * report that the run was made of, or from the text of the saved one, which the run keeps. */
#ifndef PS_COMPARE_RUN_H
#define PS_COMPARE_RUN_H

#include "report/facts/report.h"

/* What the time of a processor consists of. The first four are of intervals, too. */
typedef enum ps_part {
        PS_PART_COMPUTE,         /* all but the following, input and output included */
        PS_PART_OVERHEAD,        /* in communication without waiting for a partner */
        PS_PART_P2P_WAIT,        /* for a partner in point-to-point and one-sided operations */
        PS_PART_COLLECTIVE_WAIT, /* in collective ones */
        PS_PART_IDLE,            /* the rest of the run */
        PS_PARTS
} ps_part;
enum { PS_OWN_PARTS = PS_PART_IDLE };

typedef struct ps_part_info {
        const char *key, *title;
} ps_part_info;
extern const ps_part_info ps_parts[PS_PARTS];

/* One processor in one interval. */
typedef struct ps_run_share {
        double execution_s, communication_s;
        double synchronization_s[PS_IC_COUNT];
} ps_run_share;

typedef struct ps_run_interval {
        const char *type, *name, *file; /* never NULL */
        uint32_t line;                  /* 0: none */
        bool has_index;
        int64_t index;
        uint32_t parent, level; /* parents stand first; PS_NONE: the whole run, row 0 */
        double execution_s;     /* with the intervals below */
        /* By processor, without the intervals below once the run is finished; NULL: not known. */
        ps_run_share *share;
        /* Set by ps_run_finish. */
        double sum[PS_OWN_PARTS]; /* of the shares, rounded: the same in whatever order they are added up */
        uint64_t id;              /* the same in another run */
} ps_run_interval;

typedef struct ps_run_pattern {
        const char *id, *title;
        double lost_s; /* without the patterns below */
        uint64_t count;
        bool is_view;
} ps_run_pattern;

/* All findings of one site. */
typedef struct ps_run_site {
        uint64_t site;
        const char *type, *call, *file; /* file: NULL is unknown */
        uint32_t line;                  /* of the finding that lost most; 0: unknown */
        double lost_s;
        uint64_t count;
} ps_run_site;

typedef struct ps_run {
        const char *path, *format, *creator; /* creator: NULL or text */
        const char *trace_path;              /* of what was recorded; `path` may be that of a report of it */
        const char *machine, *formula;       /* of a prediction; NULL: not told */
        const char *machine_source;          /* where its numbers come from; NULL: not told */
        bool is_saved, is_predicted;
        bool is_partial;   /* a part of the trace could not be read */
        double duration_s; /* of the focus */
        double whole_s;    /* of the whole run */
        uint64_t processes, operations, messages;
        uint64_t resolution_hz, violations; /* 0: unknown; none */
        uint32_t n_processors;              /* rows of ps_run_interval.share */
        bool has_shares, has_findings;
        PS_VECTOR(ps_run_interval) intervals; /* empty: not known */
        PS_VECTOR(ps_run_pattern) patterns;   /* sorted by id */
        PS_VECTOR(ps_run_site) sites;         /* sorted by site */
        /* Only of a trace; borrowed. */
        const ps_report *report;
        const ps_trace *trace;
        const ps_timing *timing;
        const ps_intervals *tree;
        ps_loc *location;      /* by processor */
        uint32_t *interval_of; /* by row of the tree: row of `intervals` */
        struct cJSON *json;    /* owns the names of a saved report */
} ps_run;

/* To be cleared, also after a failure. The report has to outlive the run. */
ps_status ps_run_of_report(ps_run *out, const ps_report *report, ps_error *err);
/* The text of a report that ended with a NUL; `path` is told in errors. What is no report is PS_E_INPUT. */
ps_status ps_run_parse(ps_run *out, const char *text, size_t len, const char *path, ps_error *err);
ps_status ps_run_read(ps_run *out, const char *path, ps_error *err);
void ps_run_clear(ps_run *run);

/* For those who make a run. */
ps_status ps_run_add_interval(ps_run *run, const ps_run_interval *row, ps_error *err);
ps_status ps_run_add_pattern(ps_run *run, const ps_run_pattern *row, ps_error *err);
ps_status ps_run_add_site(ps_run *run, const ps_run_site *row, ps_error *err);
/* Sorts, merges the findings of a site, takes the intervals below out of the shares, adds them up, and names
 * intervals. */
ps_status ps_run_finish(ps_run *run, ps_error *err);

/* The id of the first interval of this key below the one with the id `parent`. */
uint64_t ps_run_interval_id(const ps_run_interval *row, uint64_t parent);

/* Whole nanoseconds. */
double ps_run_seconds(double seconds);

typedef struct ps_run_parts {
        double of[PS_OWN_PARTS];
} ps_run_parts;

/* Of one processor in an interval, without those below; PS_PART_IDLE is of the whole run only. */
ps_run_parts ps_run_parts_of(const ps_run_interval *row, uint32_t processor);
/* The mean of a processor, in an interval and in the whole run. NAN: not known. */
double ps_run_mean(const ps_run *run, uint32_t interval, ps_part part);
double ps_run_total(const ps_run *run, ps_part part);

/* "solve (3)", "main heat.f:20". */
enum { PS_RUN_TITLE_ROOM = 200 };
const char *ps_run_title(char room[PS_RUN_TITLE_ROOM], const ps_run *run, uint32_t interval);

#endif
