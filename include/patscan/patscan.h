/* patscan.h - the whole interface of libpatscan: traces of parallel programs, what the programs lost in them,
 * why, and how long they would take if something were different.
 *
 *         patscan_trace *trace = NULL;
 *         patscan_analysis *analysis = NULL;
 *         patscan_error err = {0};
 *
 *         if (patscan_open(&trace, "traces.otf2", NULL, &err) == PATSCAN_OK &&
 *             patscan_analyze(&analysis, trace, NULL, &err) == PATSCAN_OK)
 *                 for (size_t i = 0; i < patscan_finding_count(analysis); i++)
 *                         puts(patscan_finding(analysis, i)->comment);
 *         patscan_analysis_free(analysis);
 *         patscan_close(trace);
 *
 * Functions that can fail return a patscan_status and, where a patscan_error is given, leave the reasons in
 * it. What they make comes first, is NULL after a failure, and is the caller's to free; to free NULL does
 * nothing. Options may be NULL, and are read during the call only.
 *
 * A subject is told by its count and its rows. Rows and the texts in them are borrowed and live as long as
 * the handle that they came from; where less is promised, it says so. A row beyond the count, or one for
 * which there is no memory, is NULL, and so is a text that is not known. A time that is not known is a NaN, a
 * line 0, and a number PATSCAN_NONE. Times are seconds since the first event of the run.
 *
 * The library never prints, never exits and keeps no state beside its handles: two threads may work on two
 * handles, or read rows of one. What is made of a handle has to be freed before it. */
#ifndef PATSCAN_PATSCAN_H
#define PATSCAN_PATSCAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PATSCAN_API __attribute__((visibility("default")))
#else
#define PATSCAN_API
#endif

#define PATSCAN_NONE UINT32_MAX /* an index or a number that is not known, or that there is not */

/* == Errors == */

typedef enum patscan_status {
        PATSCAN_OK = 0,
        PATSCAN_E_USAGE = -1,    /* the caller asked for something that cannot be */
        PATSCAN_E_INPUT = -2,    /* the input cannot be read or is corrupt */
        PATSCAN_E_NOMEM = -3,    /* no memory for it */
        PATSCAN_E_OUTPUT = -4,   /* a result cannot be written */
        PATSCAN_E_INTERNAL = -5, /* a defect of patscan itself */
        PATSCAN_E_CANCELLED = -6 /* a callback asked to stop */
} patscan_status;

enum { PATSCAN_ERROR_CAUSES = 6, PATSCAN_ERROR_TEXT = 192 };

/* Lives on the caller's stack; begin with {0}. When more layers fail than there is room for, the outermost
 * cause replaces the last row, so that the innermost reasons are never lost. */
typedef struct patscan_error {
        patscan_status status;
        int n_causes;
        struct {
                const char *file; /* the place in patscan's source, for bug reports */
                int line;
                char text[PATSCAN_ERROR_TEXT];
        } cause[PATSCAN_ERROR_CAUSES]; /* innermost first */
} patscan_error;

/* All causes as one text, "outermost: ...: innermost", cut to `size` bytes; returns `room`. */
PATSCAN_API const char *patscan_error_text(const patscan_error *err, char *room, size_t size);
PATSCAN_API const char *patscan_version(void); /* "0.2.0" */

/* == Options == */

/* Texts are those that the options of the command line of the same names take (`patscan help analyze`), such
 * as "10us" for epsilon; NULL is what holds without the option. A list ends with a NULL. `size` is the size
 * of the struct, which grows at its end in later versions. */
enum { PATSCAN_LIST = 17 };

/* What some of them choose from. */
typedef enum patscan_choices { PATSCAN_CHOICES_REPORT, PATSCAN_CHOICES_MACHINE } patscan_choices;

typedef struct patscan_choice_row {
        const char *name, *summary;
        const char *source; /* of a preset's numbers */
} patscan_choice_row;
PATSCAN_API size_t patscan_choice_count(patscan_choices of);
PATSCAN_API patscan_choice_row patscan_choice(patscan_choices of, size_t i); /* without a name: no more */

/* What is worth knowing of a trace or an analysis. */
typedef enum patscan_message_kind {
        PATSCAN_MESSAGE_WARNING,
        PATSCAN_MESSAGE_LIMIT, /* a limit was exceeded */
        PATSCAN_MESSAGE_NOTE
} patscan_message_kind;

typedef void patscan_listener(void *ctx, patscan_message_kind kind, const char *text);

/* Bytes of a trace, or parts of an analysis; called now and then from the calling thread. Not 0: cancels. */
typedef int patscan_progress(void *ctx, uint64_t done, uint64_t total);

typedef struct patscan_open_options {
        size_t size;
        unsigned threads;  /* 0: one for each processor */
        int strict;        /* the first issue of the trace becomes an error */
        int allow_partial; /* what could be read is enough for limits and verdicts */
        int lean;          /* less memory: what was computed between calls is not kept by visit, so that
                              causes and edits of regions are estimated from sums */
        int call_stacks;   /* kept for the page that patscan_report() writes as "html" */
        int for_programs; /* what records a program rather than a run (DVM) is read to be predicted: the focus
                             is of the predicted run */
        const char *clock, *upc_flags;
        const char *definitions;               /* the choice of the clock and of the focus follows from it */
        const char *focus, *from, *to, *ranks; /* the part of the run that is told of */
        const char *cache; /* a folder that keeps what reading gave for the next time; "": the usual one */
        patscan_progress *progress;
        void *progress_ctx;
        patscan_listener *listener; /* of this trace and of all that is made of it */
        void *listener_ctx;
        const char *memory; /* what the whole process may use, such as "512M": large blocks lie in a file in
                               $TMPDIR, the working directory or /var/tmp then; NULL: as before, at first all
                               that is free */
} patscan_open_options;

/* A finding that nobody wants to hear of: in no limit, and not told to people. */
typedef struct patscan_ignored {
        const char *site, *reason;
        const char *from; /* the file that says so */
} patscan_ignored;

typedef struct patscan_analyze_options {
        size_t size;
        unsigned top;             /* findings that people are shown; 0: as many as suit the format */
        unsigned interval_levels; /* that are told, the whole run among them; 0: all */
        const char *epsilon, *definitions, *eager, *master, *baseline, *causes, *gains, *rank_by, *network;
        const char *only[PATSCAN_LIST], *ignore[PATSCAN_LIST]; /* ids of patterns */
        const char *source_root[PATSCAN_LIST], *path_map[PATSCAN_LIST];
        const char *interval[PATSCAN_LIST];
        const char *fail_on[PATSCAN_LIST];
        const char *reports[PATSCAN_LIST]; /* the formats that will be asked for; none: any */
        const patscan_ignored *ignored;
        size_t n_ignored;
        const char *config[PATSCAN_LIST]; /* files that options were taken from, as reports tell */
        const char *config_says;          /* what options these have changed */
        patscan_progress *progress;
        void *progress_ctx;
} patscan_analyze_options;

/* As exit codes of the program have it. */
typedef enum patscan_verdict {
        PATSCAN_VERDICT_OK = 0,
        PATSCAN_VERDICT_EXCEEDED = 1, /* a limit or a tolerance */
        PATSCAN_VERDICT_PARTIAL = 4   /* nothing was analysed, or only a part, or a limit cannot be trusted */
} patscan_verdict;

/* == Traces == */

typedef struct patscan_trace patscan_trace;

/* Reads, matches and freezes the trace at `path`: a file, or a folder that holds one archive. */
PATSCAN_API patscan_status patscan_open(patscan_trace **out, const char *path,
                                        const patscan_open_options *options, patscan_error *err);
PATSCAN_API void patscan_close(patscan_trace *trace);

typedef struct patscan_summary_row {
        const char *path, *format, *creator;
        uint64_t processes, locations, events, operations, messages, collectives, issues;
        double duration_s;                 /* from the first event to the last one */
        double focus_begin_s, focus_end_s; /* the part of the run that is told of */
        uint64_t clock_resolution_hz, clock_violations;
        const char *clock_trust; /* "exact", "bounded" or "unknown" */
        patscan_verdict verdict; /* was all of it read? */
} patscan_summary_row;

PATSCAN_API const patscan_summary_row *patscan_summary(const patscan_trace *trace);

/* What is wrong with the trace itself: a row for each kind that was found. */
typedef struct patscan_issue_row {
        const char *kind, *text;
        uint64_t count;
        uint32_t location; /* of the first one */
        const char *file;
        uint64_t offset; /* in the file, in bytes or lines; UINT64_MAX: unknown */
} patscan_issue_row;
PATSCAN_API size_t patscan_issue_count(const patscan_trace *trace);
PATSCAN_API const patscan_issue_row *patscan_issue(const patscan_trace *trace, size_t i);

typedef struct patscan_process_row {
        const char *name, *node;
        uint32_t locations;
} patscan_process_row;
PATSCAN_API size_t patscan_process_count(const patscan_trace *trace);
PATSCAN_API const patscan_process_row *patscan_process(const patscan_trace *trace, size_t i);

/* Threads, mostly. */
typedef struct patscan_location_row {
        const char *name;
        const char *type; /* "cpu", "metric" or "accelerator" */
        uint32_t process, thread;
        uint64_t events, operations;
        double first_s, last_s; /* its events */
} patscan_location_row;
PATSCAN_API size_t patscan_location_count(const patscan_trace *trace);
PATSCAN_API const patscan_location_row *patscan_location(const patscan_trace *trace, size_t i);

/* Functions, loops, calls: what is entered and left. */
typedef struct patscan_region_row {
        const char *name, *file;
        uint32_t line, line_end;
        const char *kind; /* of the operation that a call of it is; NULL: none */
} patscan_region_row;
PATSCAN_API size_t patscan_region_count(const patscan_trace *trace);
PATSCAN_API const patscan_region_row *patscan_region(const patscan_trace *trace, size_t i);

/* The tree of calls; parents stand before their children. */
typedef struct patscan_callpath_row {
        uint32_t parent; /* a call path; of row 0, which is outside of all regions: none */
        uint32_t region;
        const char *name; /* of the region; "" in row 0 */
        const char *file; /* where the call stands, if the trace tells */
        uint32_t line, depth;
} patscan_callpath_row;
PATSCAN_API size_t patscan_callpath_count(const patscan_trace *trace);
PATSCAN_API const patscan_callpath_row *patscan_callpath(const patscan_trace *trace, size_t i);

/* There may be hundreds of millions of the rows of the next three, so that they are made as they are asked
 * for: a row lives until the same thread has asked for PATSCAN_ROWS_KEPT others of its kind. */
enum { PATSCAN_ROWS_KEPT = 16 };

/* A call that communicates or synchronizes, or a part of one. */
typedef struct patscan_operation_row {
        const char *kind;
        uint32_t location, callpath;
        double begin_s, end_s;
        uint32_t peer;           /* the location of the partner of a message */
        uint32_t peer_operation; /* its row there */
        uint32_t tag;            /* of a message */
        uint32_t collective;     /* the row of the collective operation that it is a part of */
        uint32_t completed_by;   /* of what does not block: the operation of its location that ended it */
        uint64_t bytes;          /* of a message, or what a collective sent */
        int is_part;             /* the call has a row before it */
} patscan_operation_row;

/* In the order in which they were begun. */
PATSCAN_API size_t patscan_operation_count(const patscan_trace *trace, size_t location);
PATSCAN_API const patscan_operation_row *patscan_operation(const patscan_trace *trace, size_t location,
                                                           size_t i);

typedef struct patscan_message_row {
        uint32_t sender, receiver; /* locations */
        uint32_t send, receive;    /* operations there */
        uint32_t tag;
        uint64_t bytes;
        double send_s, receive_s; /* when the send was begun, and when the receive was over */
} patscan_message_row;

/* By sender, in the order in which they were sent; those that were received, too. */
PATSCAN_API size_t patscan_message_count(const patscan_trace *trace);
PATSCAN_API const patscan_message_row *patscan_message(const patscan_trace *trace, size_t i);

typedef struct patscan_collective_row {
        const char *kind;
        uint32_t members;
        uint32_t root; /* its location; none: there is no root, or it is not known */
        int complete;  /* all members are in the trace */
        uint64_t sent_bytes, received_bytes;
        double first_begin_s, last_begin_s, last_end_s;
} patscan_collective_row;
PATSCAN_API size_t patscan_collective_count(const patscan_trace *trace);
PATSCAN_API const patscan_collective_row *patscan_collective(const patscan_trace *trace, size_t i);

/* == Analyses == */

typedef struct patscan_analysis patscan_analysis;

/* Says what is wrong with options, before a trace is read for them; a baseline is looked at later. `*lean`,
 * where it is given: a lean trace is enough. */
PATSCAN_API patscan_status patscan_analyze_check(const patscan_analyze_options *options, int *lean,
                                                 patscan_error *err);
/* The patterns of waiting, who caused them, and what fixes gain. */
PATSCAN_API patscan_status patscan_analyze(patscan_analysis **out, const patscan_trace *trace,
                                           const patscan_analyze_options *options, patscan_error *err);
PATSCAN_API void patscan_analysis_free(patscan_analysis *analysis);

/* The rows below hold what the JSON report has under the same names: see docs/report.schema.json. */
typedef struct patscan_pattern_row {
        const char *id, *parent, *title;
        uint64_t count;
        double lost_s, total_s, share; /* total_s and share: with the rows below it */
} patscan_pattern_row;
PATSCAN_API size_t patscan_pattern_count(const patscan_analysis *analysis);
PATSCAN_API const patscan_pattern_row *patscan_pattern(const patscan_analysis *analysis, size_t i);

typedef struct patscan_finding_row {
        const char *id, *site, *type;
        uint32_t process, thread, location, callpath;
        const char *file;
        uint32_t line;
        const char *line_source, *function, *confidence;
        uint64_t count;
        double lost_s, share, worst_begin_s, worst_lost_s;
        uint32_t partner_process;
        const char *partner_file;
        uint32_t partner_line;
        double gain_s, fix_gain_s;
        const char *ignored; /* the reason, where a configuration ignores it */
        const char *comment, *advice;
} patscan_finding_row;
PATSCAN_API size_t patscan_finding_count(const patscan_analysis *analysis);
PATSCAN_API const patscan_finding_row *patscan_finding(const patscan_analysis *analysis, size_t i);

typedef struct patscan_cause_row {
        const char *id, *site;
        uint32_t process, location, callpath;
        const char *function, *file;
        uint32_t line;
        const char *line_source, *why;
        double excess_s, waiting_s, direct_s, indirect_s, share;
        const char *fix;              /* the edit that mends it best; NULL: none is known */
        double fix_gain_s, fix_run_s; /* what that gains, and how long the focus is then */
} patscan_cause_row;
PATSCAN_API size_t patscan_cause_count(const patscan_analysis *analysis);
PATSCAN_API const patscan_cause_row *patscan_cause(const patscan_analysis *analysis, size_t i);

/* Waits of one family, and what made them: the costs are of those who delay, all else is of those who wait.
 * Direct and indirect parts are told wait by wait, so that some of them may rest on waits that are not
 * explained. */
typedef struct patscan_delay_row {
        const char *family; /* such as "late-sender" */
        double wait_s;
        double short_s;                   /* the direct costs: of those who ended the waits */
        double long_s;                    /* the indirect ones: of those who made these wait */
        double propagating_s, terminal_s; /* of wait_s: what delayed others, and the rest */
        double direct_s, indirect_s;      /* of wait_s: by what the one who ended it did too long, and by what
                                             that one waited */
        double unexplained_s;             /* wait_s less short_s and long_s: nobody is charged with it */
} patscan_delay_row;
PATSCAN_API size_t patscan_delay_count(const patscan_analysis *analysis);
PATSCAN_API const patscan_delay_row *patscan_delay(const patscan_analysis *analysis, size_t i);
/* What of row i is of one location. */
PATSCAN_API const patscan_delay_row *patscan_delay_at(const patscan_analysis *analysis, size_t i,
                                                      size_t location);

/* The critical path, which nobody waits on: the call paths that it goes through, the longest first. */
typedef struct patscan_critical_row {
        uint32_t callpath;
        const char *function, *file;
        uint32_t line;
        double time_s, share; /* of it */
        double imbalance_s;   /* more than what locations take there on average, without waits */
} patscan_critical_row;
PATSCAN_API size_t patscan_critical_count(const patscan_analysis *analysis);
PATSCAN_API const patscan_critical_row *patscan_critical(const patscan_analysis *analysis, size_t i);
/* What of time_s is of one location. */
PATSCAN_API double patscan_critical_at_s(const patscan_analysis *analysis, size_t i, size_t location);

/* The same over time: on which location it is from when to when. */
typedef struct patscan_critical_step_row {
        uint32_t location;
        double begin_s, end_s;
} patscan_critical_step_row;
PATSCAN_API size_t patscan_critical_step_count(const patscan_analysis *analysis);
PATSCAN_API const patscan_critical_step_row *patscan_critical_step(const patscan_analysis *analysis,
                                                                   size_t i);

typedef struct patscan_function_row {
        uint32_t callpath;
        const char *function, *file;
        uint32_t line;
        uint64_t count;
        double exclusive_s, inclusive_s, waiting_s, share, min_s, max_s;
        uint32_t min_process, max_process;
} patscan_function_row;
PATSCAN_API size_t patscan_function_count(const patscan_analysis *analysis);
PATSCAN_API const patscan_function_row *patscan_function(const patscan_analysis *analysis, size_t i);

/* Row 0 is the whole run; parents stand before their children. */
typedef struct patscan_interval_row {
        uint32_t parent, level;
        const char *type, *name, *file;
        uint32_t line;
        uint64_t count;
        double execution_s, total_s, efficiency, productive_s, lost_s, communication_s, idle_s,
                load_imbalance_s, synchronization_s;
} patscan_interval_row;
PATSCAN_API size_t patscan_interval_count(const patscan_analysis *analysis);
PATSCAN_API const patscan_interval_row *patscan_interval(const patscan_analysis *analysis, size_t i);

/* Where all time in the focus went: the rows add up to it. */
typedef struct patscan_time_row {
        const char *kind;
        double time_s, share;
} patscan_time_row;
PATSCAN_API size_t patscan_time_count(const patscan_analysis *analysis);
PATSCAN_API const patscan_time_row *patscan_time(const patscan_analysis *analysis, size_t i);

typedef struct patscan_efficiency_row {
        double duration_s; /* of the focus */
        double lost_s;     /* by all locations */
        double parallel, load_balance, communication, serialization, transfer;
} patscan_efficiency_row;

PATSCAN_API const patscan_efficiency_row *patscan_efficiency(const patscan_analysis *analysis);

/* The limits of fail_on. */
typedef struct patscan_limit_row {
        const char *text, *told; /* as it was given; what was found */
        const char *verdict;     /* "kept", "exceeded" or "unknown" */
} patscan_limit_row;
PATSCAN_API size_t patscan_limit_count(const patscan_analysis *analysis);
PATSCAN_API const patscan_limit_row *patscan_limit(const patscan_analysis *analysis, size_t i);

/* Tells the listener the reasons; a limit that cannot be trusted, or of what was read in part, is not kept.
 */
PATSCAN_API patscan_verdict patscan_judge(const patscan_analysis *analysis);

/* == Reports == */

/* Takes n bytes of a report; other than 0 ends it with PATSCAN_E_OUTPUT. */
typedef int patscan_write(void *ctx, const char *bytes, size_t n);

typedef struct patscan_report_options {
        size_t size;
        unsigned width; /* of text, in columns; 0: 80 */
        int color;      /* text has the colours of a terminal */
} patscan_report_options;

/* In one of the formats of --report, such as "json", "html", or "csv.causes". */
PATSCAN_API patscan_status patscan_report(const patscan_analysis *analysis, const char *format,
                                          const patscan_report_options *options, patscan_write *write,
                                          void *ctx, patscan_error *err);

typedef struct patscan_info_options {
        size_t size;
        int profile;         /* with the run over time, and who sends to whom */
        unsigned bins;       /* of the profile; 0: the usual number */
        int functions;       /* with the profile of functions */
        const char *network; /* with the load of its links */
} patscan_info_options;

/* What a trace holds: "text", "json", "csv", "html" or "markdown". */
PATSCAN_API patscan_status patscan_info(const patscan_trace *trace, const char *format,
                                        const patscan_info_options *options,
                                        const patscan_report_options *how, patscan_write *write, void *ctx,
                                        patscan_error *err);

#ifdef __cplusplus
}
#endif

#include <patscan/predict.h>

#endif
