/* commands.h - the table of commands. */
#ifndef PS_APP_CLI_COMMANDS_H
#define PS_APP_CLI_COMMANDS_H

#include "app/cli/options.h"

typedef enum ps_command_id {
#define PS_COMMAND(id, ...) PS_CMD_##id,
#include "app/cli/commands.def"
#undef PS_COMMAND
        PS_CMD_COUNT
} ps_command_id;

typedef enum ps_exit {
#define PS_EXIT(id, code, meaning) PS_EXIT_##id = code,
#include "app/cli/exit.def"
#undef PS_EXIT
} ps_exit;

typedef enum ps_command_trait {
        PS_IS_DEFAULT = 1 << 0,   /* a first argument that names no command is one of this command */
        PS_TAKES_STDIN = 1 << 1,  /* an argument that is - means what comes through the standard input */
        PS_TAKES_EDITS = 1 << 2,  /* arguments behind the first one are edits of a prediction */
        PS_MAKES_FILE = 1 << 3,   /* what it writes to --output is the trace or the machine that it makes */
        PS_RUNS_PROGRAM = 1 << 5, /* its arguments are a program and what that is given */
        PS_FINDS_CONFIG = 1 << 6, /* it reads the configuration itself, once it knows of which folder */
        PS_TELLS_BESIDE = 1 << 4  /* a report comes unasked only if --output leaves it the standard output */
} ps_command_trait;

typedef struct ps_command {
        const char *name;
        /* On PS_OK, *code is how the program ends; it comes as PS_EXIT_OK. */
        ps_status (*run)(const ps_options *options, ps_exit *code, ps_error *err);
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

ps_status ps_cmd_analyze(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_info(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_dump(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_compare(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_calibrate(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_bmf(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_predict(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_redistribute(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_record(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_run(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_view(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_lsp(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_patterns(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_explain(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_scale(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_cost(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_machines(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_formats(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_completion(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_man(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_print_config(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_help(const ps_options *options, ps_exit *code, ps_error *err);
ps_status ps_cmd_version(const ps_options *options, ps_exit *code, ps_error *err);

#endif
