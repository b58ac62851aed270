/* commands.h - the table of commands. */
#ifndef PS_APP_CLI_COMMANDS_H
#define PS_APP_CLI_COMMANDS_H

#include "app/cli/options.h"
#include "library/run/exit.h"

typedef enum ps_command_id {
#define PS_COMMAND(id, ...) PS_CMD_##id,
#include "app/cli/commands.def"
#undef PS_COMMAND
        PS_CMD_COUNT
} ps_command_id;

typedef enum ps_command_trait {
        PS_IS_DEFAULT = 1 << 0,   /* a first argument that names no command is one of this command */
        PS_TAKES_STDIN = 1 << 1,  /* an argument that is - means what comes through the standard input */
        PS_TAKES_EDITS = 1 << 2,  /* arguments behind the first one are edits of a prediction */
        PS_MAKES_FILE = 1 << 3,   /* what it writes to --output is the trace or the machine that it makes */
        PS_RUNS_PROGRAM = 1 << 5, /* its arguments are a program and what that is given */
        PS_FINDS_CONFIG = 1 << 6, /* it reads the configuration itself, once it knows of which folder */
        PS_ON_MANY = 1 << 7,      /* patscan-mpi does it, too */
        PS_TELLS_BESIDE = 1 << 4  /* a report comes unasked only if --output leaves it the standard output */
} ps_command_trait;

/* On PS_OK, *code is how the program ends; it comes as PS_EXIT_OK. */
typedef ps_status ps_command_function(const ps_options *options, ps_exit *code, ps_error *err);

typedef struct ps_command {
        const char *name;
        ps_command_function *run;
        unsigned traits;      /* ps_command_trait */
        const char *argument; /* NULL: it takes none */
        unsigned least, most;
        const char *completes, *reports, *summary, *text;
} ps_command;

extern const ps_command ps_commands[PS_CMD_COUNT];
extern const char *const ps_exit_meanings[]; /* by ps_exit */
enum { PS_EXIT_COUNT = PS_EXIT_INTERNAL + 1 };

const ps_command *ps_command_find(const char *name); /* NULL: no such command */
const ps_command *ps_command_default(void);
/* The bit of the command in ps_option.commands. */
uint32_t ps_command_bit(const ps_command *command);
ps_exit ps_exit_of(ps_status status);

#define PS_COMMAND(id, name, function, ...) ps_command_function function;
#include "app/cli/commands.def"
#undef PS_COMMAND

#endif
