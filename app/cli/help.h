/* help.h - texts that are made from the tables of commands and options. */
#ifndef PS_APP_CLI_HELP_H
#define PS_APP_CLI_HELP_H

#include "app/cli/commands.h"

void ps_man_write(ps_output *out);

/* Calls visit(ctx, word, length) for each word of "a|b|c". */
void ps_choice_each(const char *choices, void (*visit)(void *ctx, const char *word, size_t len), void *ctx);

/* The values that the option may have with this command, as "a|b|c", or NULL when anything goes. */
const char *ps_option_choices(const ps_option *option, const ps_command *command);
/* Is it an option that every command has? */
bool ps_option_is_general(const ps_option *option);

extern const char ps_tagline[];

/* Prints a text that only needs the tables: opens the output, writes, commits. */
ps_status ps_help_print(const ps_options *options, void (*write)(ps_output *out), ps_error *err);

#endif
