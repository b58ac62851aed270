/* asked.h - what is asked of patscan, by groups: a command line fills them in, or a program through
 * patscan.h.
 */
#ifndef PS_LIBRARY_RUN_ASKED_H
#define PS_LIBRARY_RUN_ASKED_H

#include "core/model/loading.h"
#include "report/facts/ignored.h"
#include "report/print/output.h"
#include <stdint.h>

enum {
        PS_OPTIONS_MAX = 128,
        PS_ARGUMENTS_MAX = 33,
        PS_REPORTS_MAX = 32,
        PS_REPORT_NAME = 40,
        PS_LIST_MAX = 16,
        PS_THREADS_MAX = 4096
};

typedef struct ps_report_request {
        const char *text;                 /* FORMAT[:FILE] */
        char name[PS_REPORT_NAME];        /* FORMAT */
        unsigned format;                  /* its place in the command's list of reports */
        const struct ps_field *table;     /* of csv.NAME; NULL: the format's own */
        const struct ps_record *document; /* that has the table */
        const char *file;                 /* "-": stdout; never NULL after parsing */
} ps_report_request;

typedef enum ps_dump_format {
        PS_DUMP_TEXT,
        PS_DUMP_JSONL,
        PS_DUMP_PICL,
        PS_DUMP_PICL_THESIS,
        PS_DUMP_OTF2
} ps_dump_format;

typedef struct ps_word_list {
        const char *row[PS_LIST_MAX];
        unsigned n;
} ps_word_list;

/* -- what is asked for, by what belongs together. What is not asked for is NULL or 0; a choice is its place
 * among the option's choices, which are in the order of the enum that is named. -- */

#define PS_CLOCK_CHOICES       "auto|as-is|repair"
#define PS_UPC_FLAGS_CHOICES   "unknown|new|old|mtu"
#define PS_DEFINITIONS_CHOICES "patscan|scalasca|paper"
#define PS_RANK_BY_CHOICES     "lost|gain"
#define PS_PIPELINING_CHOICES  "exact|code|document"

/* How a trace is read, and on how many threads all is done. */
typedef struct ps_asked_load {
        int (*progress)(void *ctx, uint64_t done_bytes, uint64_t total_bytes); /* as in ps_load_options */
        void *progress_ctx;
        unsigned threads;   /* 0: one for each processor */
        unsigned clock;     /* ps_clock_mode */
        bool clock_is_told; /* otherwise the definitions choose it */
        unsigned upc_flags; /* ps_upc_flags */
        unsigned strict;
        const char *memory;           /* a size: core/base/blocks.h */
        const char *cache;            /* the folder; "": the usual one */
        struct ps_exchange *exchange; /* as in ps_load_options */
} ps_asked_load;

/* Which part of the run is told of, and whose. */
typedef struct ps_asked_focus {
        const char *focus, *from, *to, *ranks;
} ps_asked_focus;

/* Which waits are looked for. */
typedef struct ps_asked_analysis {
        const char *epsilon, *eager, *master;
        unsigned definitions; /* ps_definitions */
        ps_word_list only, ignore;
        int (*progress)(void *ctx, uint64_t done, uint64_t total); /* as in ps_analysis_options */
        void *progress_ctx;
} ps_asked_analysis;

/* Where source files are. */
typedef struct ps_asked_source {
        ps_word_list roots, maps;
} ps_asked_source;

/* What is written, where to, and how much of it. */
typedef struct ps_asked_reports {
        ps_report_request row[PS_REPORTS_MAX]; /* one at least, if the command has any */
        unsigned n;
        bool has_page;  /* is one of them a page for browsers? */
        bool are_open;  /* any may be asked for later */
        bool has_extra; /* a page that nobody asked for */
        const char *output;
        unsigned top;     /* 0: the format's own choice */
        unsigned rank_by; /* ps_rank_by */
        ps_word_list intervals;
        unsigned interval_level; /* UINT32_MAX: all */
} ps_asked_reports;

/* What decides how the program ends. */
typedef struct ps_asked_limits {
        ps_word_list fail_on;
        const char *baseline, *tolerance;
        unsigned allow_partial;
} ps_asked_limits;

/* On which machine. */
typedef struct ps_asked_machine {
        ps_word_list names;
        const char *network, *procs, *grid;
        unsigned pipelining; /* ps_pipelining */
        bool pipelining_is_told;
        unsigned model; /* as ps_cmd_calibrate() has them */
} ps_asked_machine;

typedef struct ps_asked_predict {
        const char *gains, *causes, *max_drift, *write;
        unsigned sensitivity, redo_order;
        ps_word_list distribute;
} ps_asked_predict;

typedef struct ps_asked_bmf {
        const char *library, *send_overhead, *receive_overhead, *transport, *op_cost, *unit;
} ps_asked_bmf;

typedef struct ps_asked_redistribute {
        const char *element_bytes;
        unsigned plan;
} ps_asked_redistribute;

typedef struct ps_asked_scale {
        unsigned weak;
} ps_asked_scale;

typedef struct ps_asked_cost {
        const char *bytes;
} ps_asked_cost;

typedef struct ps_asked_compare {
        const char *rank_map;
        unsigned words_before; /* the second side; 0: none told */
} ps_asked_compare;

typedef struct ps_asked_info {
        unsigned profile, bins, functions; /* bins 0: the usual number */
} ps_asked_info;

typedef struct ps_asked_dump {
        unsigned format;    /* ps_dump_format */
        const char *folder; /* of the format */
        ps_word_list types;
} ps_asked_dump;

/* What is recorded of a run. */
typedef struct ps_asked_record {
        const char *length, *max_size, *buffer, *unwind, *sample;
} ps_asked_record;

typedef struct ps_asked_view {
        const char *port;
        unsigned keep;
} ps_asked_view;

typedef struct ps_asked_lsp {
        const char *page;
} ps_asked_lsp;

/* Of what the program tells about itself. */
typedef struct ps_asked_manual {
        unsigned json, markdown, all;
        const char *commit; /* that the program was built from */
} ps_asked_manual;

typedef enum ps_message_kind { PS_MESSAGE_WARNING, PS_MESSAGE_LIMIT, PS_MESSAGE_NOTE } ps_message_kind;

/* What a terminal shows, and who hears what is said beside the results. */
typedef struct ps_asked_terminal {
        unsigned color; /* ps_color_mode */
        unsigned quiet, verbose;
        void (*tell)(const struct ps_asked_terminal *terminal, ps_message_kind kind, const char *text);
        void *ctx; /* of `tell` */
} ps_asked_terminal;

struct ps_command;

typedef struct ps_options {
        const struct ps_command *command;
        bool is_implicit; /* no command was named: the first argument is not one */
        const char *arguments[PS_ARGUMENTS_MAX];
        unsigned n_arguments;
        bool given[PS_OPTIONS_MAX]; /* for each row of the table: does the command line have it? */
        char *const *program;       /* of a command that runs one: its words; NULL: none */
        ps_asked_load load;
        ps_asked_focus focus;
        ps_asked_analysis analysis;
        ps_asked_source source;
        ps_asked_reports reports;
        ps_asked_limits limits;
        ps_asked_machine machine;
        ps_asked_predict predict;
        ps_asked_bmf bmf;
        ps_asked_redistribute redistribute;
        ps_asked_scale scale;
        ps_asked_cost cost;
        ps_asked_compare compare;
        ps_asked_info info;
        ps_asked_dump dump;
        ps_asked_record record;
        ps_asked_view view;
        ps_asked_lsp lsp;
        ps_asked_manual manual;
        ps_asked_terminal terminal;
        unsigned no_config;
        ps_configured configured; /* by files of the project and the person */
} ps_options;

#endif
