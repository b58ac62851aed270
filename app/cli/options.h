/* options.h - the table of options, and what a command line says by it. */
#ifndef PS_APP_CLI_OPTIONS_H
#define PS_APP_CLI_OPTIONS_H

#include "core/base/error.h"
#include "report/print/output.h"
#include <stdint.h>

enum { PS_ARGUMENTS_MAX = 33, PS_REPORTS_MAX = 8, PS_LIST_MAX = 16, PS_THREADS_MAX = 4096 };

typedef struct ps_report_request {
        const char *text; /* FORMAT[:FILE] */
        unsigned format;  /* its place in the command's list of reports */
        const char *file; /* "-": stdout; never NULL after parsing */
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

struct ps_command;

/* CHOICE fields hold the place among the choices, which are in the order of the enums: ps_dump_format,
 * ps_clock_mode, ps_definitions, ps_color_mode, ps_pipelining, ps_upc_flags, ps_rank_by; `model` is that of
 * ps_cmd_calibrate(). */
typedef struct ps_options {
        const struct ps_command *command;
        int is_implicit; /* no command was named: the first argument is not one */
        const char *arguments[PS_ARGUMENTS_MAX];
        unsigned n_arguments;
        struct {
                ps_report_request row[PS_REPORTS_MAX];
                unsigned n;
        } reports;                                       /* one at least, if the command has any */
        const char *output;                              /* NULL or a file */
        const char *folder;                              /* of the format, or NULL */
        const char *epsilon, *eager, *baseline, *master; /* NULL or as given */
        const char *procs, *grid, *element_bytes, *write, *tolerance, *rank_map;
        const char *max_drift, *gains;
        const char *network, *library, *send_overhead, *receive_overhead, *transport, *op_cost, *unit;
        ps_word_list only, ignore, source_roots, path_maps, fail_on, machines, intervals, distribute;
        unsigned format, clock, definitions, color, pipelining, upc_flags, model, rank_by;
        unsigned threads;        /* 0: one for each processor */
        unsigned top;            /* 0: the format's own choice */
        unsigned interval_level; /* UINT32_MAX: all */
        unsigned strict, allow_partial, json, markdown, all, plan, quiet, verbose, profile, sensitivity;
        unsigned bins;  /* 0: the usual number */
        uint64_t given; /* a bit for each row of the table: what the command line has */
} ps_options;

typedef enum ps_option_type {
        PS_O_FLAG,    /* unsigned: 1 */
        PS_O_NUMBER,  /* unsigned */
        PS_O_COUNT,   /* unsigned, 1 at least: 0 stands for none given */
        PS_O_THREADS, /* the same, up to PS_THREADS_MAX */
        PS_O_TEXT,    /* const char * */
        PS_O_LIST,    /* ps_word_list: may be repeated */
        PS_O_CHOICE,  /* unsigned */
        PS_O_FORMAT,  /* unsigned and `folder`: a choice, and a folder where it is the last one */
        PS_O_REPORT,
        PS_O_HELP, /* switch to the command of this name */
        PS_O_VERSION
} ps_option_type;

typedef struct ps_option {
        const char *name;
        char letter;          /* 0: none */
        const char *argument; /* NULL: none */
        ps_option_type type;
        size_t field; /* offset in ps_options */
        const char *choices, *preset, *help;
        uint32_t commands; /* a bit for each command that has it */
} ps_option;

extern const ps_option ps_option_table[];
extern const unsigned ps_option_count;

/* Points into argv. After a failure options->command is the command that was meant, or NULL. */
ps_status ps_options_parse(ps_options *options, int argc, char *const *argv, ps_error *err);

/* What only the loading and analysis of a measured run looks at. */
#define PS_OPTIONS_OF_TRACES "epsilon|definitions|master|upc-flags|source-root|path-map|interval|clock|strict"
/* What only an analysis looks at. */
#define PS_OPTIONS_OF_ANALYSIS                                                                               \
        "epsilon|definitions|only|ignore|eager|master|source-root|path-map|baseline|top|interval|interval-"  \
        "level"

/* The first one of the options "a|b|c" that was given, or NULL. */
const char *ps_options_given(const ps_options *options, const char *names);
/* PS_E_USAGE if one of them was given: what it asks for is not there, and `reason` says why. What would only
 * change nothing is no error: see ps_message_idle. */
ps_status ps_options_refuse(const ps_options *options, const char *names, const char *reason, ps_error *err);

/* The place of `word` in "a|b|c", or -1. */
int ps_choice_find(const char *choices, const char *word, size_t len);

/* The command that was probably meant, or NULL. */
const char *ps_commands_nearest(const char *word);

#endif
