/* options.h - the table of options, and what a command line says by it. */
#ifndef PS_APP_CLI_OPTIONS_H
#define PS_APP_CLI_OPTIONS_H

#include "library/run/asked.h"
#include "library/run/quantity.h"

typedef enum ps_option_type {
        PS_O_FLAG,    /* unsigned: 1 */
        PS_O_NUMBER,  /* unsigned */
        PS_O_COUNT,   /* unsigned, 1 at least: 0 stands for none given */
        PS_O_THREADS, /* the same, up to PS_THREADS_MAX */
        PS_O_TEXT,    /* const char * */
        PS_O_MAYBE,   /* the same, and "" without a value, which only stands behind "=" */
        PS_O_LIST,    /* ps_word_list: may be repeated */
        PS_O_REST,   /* unsigned: how many words, the command's name among them, stand before its value, which
                      * is one of the arguments itself */
        PS_O_CHOICE, /* unsigned */
        PS_O_FORMAT, /* ps_asked_dump: a choice, and a folder where it is the last one */
        PS_O_REPORT, /* ps_asked_reports */
        PS_O_HELP,   /* switch to the command of this name */
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

/* Has the command an option of this name? */
bool ps_options_has(const ps_options *options, const char *name);
/* As if it stood on the command line. */
ps_status ps_options_set(ps_options *options, const char *name, const char *value, ps_error *err);
/* The first one of the options "a|b|c" that was given, or NULL. */
const char *ps_options_given(const ps_options *options, const char *names);
/* One more than was asked for; `format` and `file` are borrowed. There must be room for it. */
ps_status ps_options_add_report(ps_options *options, const char *format, const char *file, ps_error *err);
/* PS_E_USAGE if one of them was given: what it asks for is not there, and `reason` says why. What would only
 * change nothing is no error: see ps_message_idle. */
ps_status ps_options_refuse(const ps_options *options, const char *names, const char *reason, ps_error *err);

/* The command that was probably meant, or NULL. */
const char *ps_commands_nearest(const char *word);

#endif
