/* report.h - the result of an analysis, ready to be written in any format.
 *
 * Formats only print: everything that is looked up, named or worded is here. All text is the report's own,
 * and names from the trace in it are as the trace has them; the formats clean and escape. */
#ifndef PS_REPORT_FACTS_REPORT_H
#define PS_REPORT_FACTS_REPORT_H

#include "core/base/number.h"
#include "core/sums/functions.h"
#include "core/sums/intervals.h"
#include "core/sums/overview.h"
#include "core/sums/profile.h"
#include "patterns/engine/efficiency.h"
#include "patterns/engine/engine.h"
#include "patterns/source/source.h"
#include "report/facts/cautions.h"
#include "report/facts/ignored.h"
#include "report/facts/prediction.h"
#include "report/print/output.h"

enum { PS_REPORT_ID = PS_HEX_BYTES };

typedef enum ps_confidence { PS_CONFIDENCE_LOW, PS_CONFIDENCE_MEDIUM, PS_CONFIDENCE_HIGH } ps_confidence;
extern const char *const ps_confidence_names[PS_CONFIDENCE_HIGH + 1];
extern const char *const ps_definitions_names[PS_N_DEFINITIONS];

typedef struct ps_report_finding {
        const ps_finding *finding;
        const ps_pattern *pattern;
        char id[PS_REPORT_ID];                        /* 16 hex digits: site and process */
        char site[PS_REPORT_ID];                      /* pattern, call path and file: no line, no time */
        uint64_t key;                                 /* the same number */
        const ps_source_place *place, *partner_place; /* partner_place: NULL without a partner */
        ps_path partner_path;                         /* PS_NONE then */
        double share;                                 /* of locations * duration */
        ps_confidence confidence;
        const char *comment; /* instead of what ps_report_comment() says; NULL: nothing */
        const char *advice;
        const char *ignored; /* why nobody wants to hear of it; NULL: it is told */
        uint8_t is_new;      /* not in the baseline */
        uint8_t is_late;     /* its worst call completes others, and had better been made later */
        /* Of its worst call and of its partner's, where that is asked for: ps_completes; and ps_unexplained.
         */
        uint8_t completes, partner_completes, why;
        /* How much shorter the whole run would be without it, and without all that is at its place, in all
         * ranks. What two findings gain together is neither their sum nor at most their sum. */
        uint8_t has_gain, has_place_gain, has_fix_gain;
        ps_time gain, place_gain;
        ps_time fix_gain; /* by the first fix of its largest cause */
} ps_report_finding;

/* A limit that the run must keep, with what was found. */
enum { PS_LIMIT_TOLD = 192 };
typedef enum ps_limit_verdict { PS_LIMIT_KEPT, PS_LIMIT_HIT, PS_LIMIT_UNKNOWN } ps_limit_verdict;
typedef struct ps_report_limit {
        const char *text; /* as it was given */
        char told[PS_LIMIT_TOLD];
        ps_limit_verdict verdict;
} ps_report_limit;

typedef enum ps_rank_by { PS_RANK_BY_LOST, PS_RANK_BY_GAIN } ps_rank_by;

enum { PS_AGAIN_MOST = 14 };

typedef struct ps_report_settings {
        const char *trace_path;
        /* Words that another command needs to look at the run in the same way: "--focus", "whole-run", ... */
        const char *again[PS_AGAIN_MOST];
        unsigned n_again;
        const char *source_root;         /* the first --source-root; NULL: none */
        const char *baseline;            /* NULL: none */
        bool is_predicted;               /* the trace itself is of a simulated run */
        const ps_prediction *prediction; /* what the prediction rests on; NULL: nothing to tell */
        uint32_t top;                    /* how many findings a person is shown; 0: the format's own choice */
        const uint64_t *eager_bytes;     /* the limit that was given; NULL: the times tell */
        const uint8_t *left_out;         /* by pattern: rows that nobody wants to see; NULL: none */
        const ps_intervals *intervals;   /* NULL: none are told */
        uint32_t interval_levels;        /* that are told below the whole run */
        const ps_profile *profile;       /* NULL: no format wants it */
        const ps_analysis_options *options; /* of the analysis: for formats that go through it again */
        const struct ps_report *beside;     /* a run that the timeline shows beside it; NULL: none */
        ps_rank_by rank_by;                 /* see ps_report_rank */
        struct ps_stacks *stacks;        /* what functions locations were in; NULL: the format cannot tell */
        const ps_configured *configured; /* NULL: nothing is */
        const ps_report_limit *limits;   /* judged already */
        unsigned n_limits;
        const char *network; /* that somebody says it ran on: a file or a preset; NULL: nobody does */
        struct ps_timeline **timeline; /* where a page leaves its own for who serves it; NULL: nobody does */
        bool is_extra;                 /* nobody asked for the page: it takes little time rather than room */
} ps_report_settings;

/* A row of the table of patterns that takes part, also if nothing was found. */
typedef struct ps_report_pattern {
        uint32_t pattern, parent; /* parent: place among these rows, or PS_NONE */
        unsigned depth;           /* 0: no parent */
        const ps_pattern *row;
        uint64_t count, total_count;
        ps_time lost, total; /* lost: charged to this row only; total: with the rows below it */
        ps_time outside;     /* of the focus, and not in these; with the rows below */
        double share;        /* of the total in all time in the focus */
        ps_time *by_location;
} ps_report_pattern;

typedef struct ps_blame ps_blame; /* report/causes/causes.h */

typedef struct ps_report {
        const ps_trace *trace;
        const ps_timing *timing;
        const ps_analysis *analysis;
        ps_sources *sources;
        ps_report_settings settings;
        bool is_predicted;           /* the timing is no measured one */
        ps_report_finding *findings; /* in the analysis' order, or by gain */
        uint32_t n_findings;
        ps_report_pattern *patterns; /* in the table's order: parents before their children */
        uint32_t n_patterns;
        ps_times *times;         /* where all time in the focus went */
        ps_functions *functions; /* in the focus */
        ps_functions
                *between;   /* what of it lies between calls; NULL: no trace of calls alone, or not known */
        ps_time total;      /* what was lost: waiting, and what the trace does not explain */
        double total_share; /* the same as a share */
        ps_overview overview;
        ps_efficiency efficiency;
        const ps_blame *blame; /* who made whom wait; NULL: nobody asked */
        ps_time least;         /* of `total`: what is certain, whatever the clocks leave open */
        ps_time uncertainty; /* how far the clocks of any two processes may well be wrong; 0: none is known */
        ps_cautions cautions;
        const char *dump; /* the command that shows events of the trace; NULL: they are not in it */
        ps_arena *arena;  /* owns what stands above */
} ps_report;

ps_status ps_report_new(ps_report **out, const ps_trace *trace, const ps_timing *timing,
                        const ps_analysis *analysis, ps_sources *sources, const ps_report_settings *settings,
                        ps_error *err);
void ps_report_free(ps_report *report);
/* By ps_report_new(), once the findings are listed: what their rows tell (worst.c). */
ps_status ps_report_look_up(ps_report *report, ps_error *err);
/* The rows of each place's largest finding, and of its partner's, for reports that join them. */
ps_status ps_report_bring_worst(const ps_report *report, ps_error *err);
/* Once gains are known: the findings in the order that the settings ask for. */
void ps_report_rank(ps_report *report);

/* Are these measured times of clocks that had to be aligned? */
bool ps_report_has_doubt(const ps_report *report);

/* Of all time in the focus; 0 when there is none. */
double ps_report_share(const ps_report *report, ps_time lost);

/* Was it a wait for one who had begun a nonblocking operation, and went on with it only as he completed it?
 */
bool ps_report_came_back(const ps_report_finding *finding);

/* What happened, in a sentence or two. Worded when it is asked for, because a report may hold a million of
 * them; lives in `room` or in the report. */
enum { PS_COMMENT_ROOM = 1024 };
const char *ps_report_comment(const ps_report *report, const ps_report_finding *finding,
                              char room[PS_COMMENT_ROOM]);

/* Region names of a call path, outermost first; `room` for `most` of them. Returns how many there are; when
 * they are more than `most`, any larger number, and the outermost are left out. */
uint32_t ps_report_callpath(const ps_report *report, ps_path path, const char **room, uint32_t most);

typedef ps_status ps_report_writer(const ps_report *report, ps_output *out, ps_error *err);

/* Of which operations does it tell more than findings do? Of those on the way to a cause; or of all. */
typedef enum ps_wanted_rows {
        PS_ROWS_FEW,
        PS_ROWS_OF_CAUSES, /* the ways from findings to causes */
        PS_ROWS_IN_TURN    /* all, of one location after the other (core/load/lending.h) */
} ps_wanted_rows;

/* A format: one row of a table. */
typedef struct ps_report_format {
        const char *name, *summary;
        ps_report_writer *write;
        bool wants_profile;
        bool wants_causes;
        ps_wanted_rows wants_rows;
} ps_report_format;

extern const ps_report_format ps_report_formats[];
extern const unsigned ps_report_n_formats;

/* The JSON document; each of its tables may be written as CSV, too. `it` is the report. */
extern const ps_record ps_record_report;

/* The formats, one file each. */
ps_report_writer ps_report_write_text, ps_report_write_json, ps_report_write_json_compact,
        ps_report_write_jsonl, ps_report_write_csv, ps_report_write_markdown, ps_report_write_gcc,
        ps_report_write_codequality, ps_report_write_junit, ps_report_write_html, ps_report_write_sarif;
/* The same for who serves it; settings.timeline answers what it asks for. */
ps_report_writer ps_report_write_served;

#endif
