/* help.c - --help, and the small commands that print what the tables say. */
#include "app/cli/help.h"
#include "reader/reader.h"
#include "report/print/row.h"
#include "report/print/text.h"
#include "simulator/whatif/whatif.h"

#include <stdio.h>
#include <string.h>

enum { OPTION_INDENT = 2, HELP_INDENT = 28, HELP_CHOICES = 50, HELP_WIDTH_MAX = 100 };

const char ps_tagline[] = "finds where parallel programs lose time, from traces of runs";

static unsigned help_width(const ps_output *out)
{
        unsigned width = ps_output_width(out);

        return width < HELP_WIDTH_MAX ? width : HELP_WIDTH_MAX;
}

void ps_choice_each(const char *choices, void (*visit)(void *ctx, const char *word, size_t len), void *ctx)
{
        for (;;) {
                size_t n = strcspn(choices, "|");
                visit(ctx, choices, n);
                if (!choices[n])
                        return;
                choices += n + 1;
        }
}

const char *ps_option_choices(const ps_option *option, const ps_command *command)
{
        return option->type == PS_O_REPORT && command ? command->reports : option->choices;
}

bool ps_option_is_general(const ps_option *option)
{
        return option->commands == UINT32_MAX;
}

/* A term, and its explanation beside it or, if it is long, below it. */
static void put_entry(ps_output *out, const char *term, const char *text)
{
        unsigned at = OPTION_INDENT + (unsigned)strlen(term);

        ps_output_printf(out, "%*s%s", OPTION_INDENT, "", term);
        if (at + 2 > HELP_INDENT) {
                ps_output_putc(out, '\n');
                at = 0;
        }
        ps_output_repeat(out, ' ', HELP_INDENT - at);
        ps_text_wrap(out, text, HELP_INDENT, help_width(out));
        ps_output_putc(out, '\n');
}

/* Of a long list each word may begin a line. */
static int put_choices(char *room, size_t size, const char *choices)
{
        bool is_long = strlen(choices) > HELP_CHOICES;
        int n = snprintf(room, size, " (%s)", choices);
        for (char *at = room; is_long && (at = strchr(at, '|')) && (size_t)n + 1 < size; at += 2, n++) {
                memmove(at + 2, at + 1, strlen(at));
                at[0] = ',';
                at[1] = ' ';
        }
        return n;
}

static void put_option(ps_output *out, const ps_option *option, const ps_command *command)
{
        const char *choices = ps_option_choices(option, command);
        char term[64], text[640];
        int n = option->letter ? snprintf(term, sizeof(term), "-%c, --%s", option->letter, option->name)
                               : snprintf(term, sizeof(term), "    --%s", option->name);

        if (option->argument)
                snprintf(term + n, sizeof(term) - (size_t)n, "%s%s", option->type == PS_O_MAYBE ? "" : " ",
                         option->argument);
        n = snprintf(text, sizeof(text), "%s", option->help);
        if (choices)
                n += put_choices(text + n, sizeof(text) - (size_t)n, choices);
        if (option->preset)
                snprintf(text + n, sizeof(text) - (size_t)n, " [default: %s]", option->preset);
        put_entry(out, term, text);
}

static void put_options(ps_output *out, const ps_command *command, int general)
{
        const char *heading = general ? "General options:" : "Options:";

        for (unsigned i = 0; i < ps_option_count; i++) {
                const ps_option *option = &ps_option_table[i];
                if (ps_option_is_general(option) != general ||
                    !(general || (option->commands & ps_command_bit(command))))
                        continue;
                if (heading)
                        ps_text_write_heading(out, heading);
                heading = NULL;
                put_option(out, option, command);
        }
}

static void put_exit_codes(ps_output *out)
{
        ps_text_write_heading(out, "Exit codes:");
        for (int code = 0; code < PS_EXIT_COUNT; code++) {
                ps_output_printf(out, "  %d  ", code);
                ps_text_wrap(out, ps_exit_meanings[code], 5, help_width(out));
                ps_output_putc(out, '\n');
        }
}

/* Bytes of the next word of a command; what is in quotes stays together, and an option with its value. */
static size_t shell_word(const char *text)
{
        size_t n = 0;

        for (int quoted = 0; text[n] && (quoted || text[n] != ' '); n++)
                quoted ^= text[n] == '\'';
        return text[0] == '-' && text[n] && text[n + 1] != '-' ? n + 1 + shell_word(text + n + 1) : n;
}

/* A command that is too long goes on behind a backslash, as a shell reads it. */
static void put_example(ps_output *out, const char *text)
{
        enum { FURTHER = 6 };
        size_t at = OPTION_INDENT;

        ps_output_repeat(out, ' ', OPTION_INDENT);
        while (*text) {
                size_t n = shell_word(text);
                if (at > OPTION_INDENT && at + 1 + n + 2 > help_width(out)) {
                        ps_output_puts(out, " \\\n");
                        ps_output_repeat(out, ' ', FURTHER);
                        at = FURTHER;
                } else if (at > OPTION_INDENT) {
                        ps_output_putc(out, ' ');
                        at++;
                }
                ps_output_write(out, text, n);
                at += n;
                text += n + (text[n] == ' ');
        }
        ps_output_putc(out, '\n');
}

/* Paragraphs of the command's text that are examples, or those that are not. */
static void put_paragraphs(ps_output *out, const char *text, int examples)
{
        const char *heading = examples ? "Examples:" : NULL;

        while (*text) {
                size_t n = strcspn(text, "\n");
                char line[1024];
                snprintf(line, sizeof(line), "%.*s", (int)n, text);
                if (examples && line[0] == ' ') {
                        if (heading)
                                ps_text_write_heading(out, heading);
                        heading = NULL;
                        put_example(out, line + 1);
                } else if (!examples && line[0] != ' ') {
                        ps_output_putc(out, '\n');
                        ps_text_wrap(out, line, 0, help_width(out));
                        ps_output_putc(out, '\n');
                }
                text += n + (text[n] == '\n');
        }
}

static void put_edits(ps_output *out)
{
        ps_text_write_heading(out, "Edits:");
        for (unsigned i = 0; i < ps_n_edit_rows; i++)
                put_entry(out, ps_edit_rows[i].form, ps_edit_rows[i].help);
}

static const char *argument_text(const ps_command *command, char *room, size_t size)
{
        const char *argument = command->argument ? command->argument : "";

        if (!command->argument)
                snprintf(room, size, "%s", command->name);
        else
                snprintf(room, size, command->least ? "%s %s" : "%s [%s]", command->name, argument);
        return room;
}

static void write_command_help(ps_output *out, const ps_command *command, const char *program)
{
        char term[64];

        if (command->traits & PS_RUNS_PROGRAM) /* what follows the program is the program's */
                ps_output_printf(out, "Usage: %s %s [OPTION]... %s\n", program, command->name,
                                 command->argument);
        else
                ps_output_printf(out, "Usage: %s %s [OPTION]...\n", program,
                                 argument_text(command, term, sizeof(term)));
        if (command->traits & PS_IS_DEFAULT)
                ps_output_printf(out, "       %s %s [OPTION]...\n", program, command->argument);
        put_paragraphs(out, command->text, 0);
        if (command->traits & PS_TAKES_EDITS)
                put_edits(out);
        put_options(out, command, 0);
        put_options(out, command, 1);
        put_paragraphs(out, command->text, 1);
        put_exit_codes(out);
}

/* `traits`: those that a command must have to be told of. */
static void write_general_help(ps_output *out, const char *program, unsigned traits)
{
        const ps_command *preset = ps_command_default();
        char term[64];

        ps_output_style(out, PS_BOLD);
        ps_output_printf(out, "%s %s", program, patscan_version());
        ps_output_style(out, PS_PLAIN);
        ps_output_printf(out, " - %s\n\n", ps_tagline);
        ps_output_printf(out, "Usage: %s COMMAND [OPTION]...\n", program);
        ps_output_printf(out, "       %s %s [OPTION]...    the same as \"%s %s %s\"\n", program,
                         preset->argument, program, preset->name, preset->argument);
        ps_text_write_heading(out, "Commands:");
        for (int i = 0; i < PS_CMD_COUNT; i++)
                if ((ps_commands[i].traits & traits) == traits)
                        put_entry(out, argument_text(&ps_commands[i], term, sizeof(term)),
                                  ps_commands[i].summary);
        put_options(out, NULL, 1);
        ps_output_printf(out, "\n\"%s help COMMAND\" explains a command and its own options.\n", program);
}

/* `command` NULL: the program as a whole. */
static void write_help(ps_output *out, const ps_command *command, bool is_on_many)
{
        unsigned traits = is_on_many ? PS_ON_MANY : 0;
        const char *program =
                is_on_many && (!command || command->traits & PS_ON_MANY) ? "patscan-mpi" : "patscan";
        if (command)
                write_command_help(out, command, program);
        else
                write_general_help(out, program, traits);
}

static ps_status open_output(ps_output **out, const ps_options *options, ps_error *err)
{
        return ps_output_open(out, options->reports.output ? options->reports.output : "-",
                              (ps_color_mode)options->terminal.color, err);
}

ps_status ps_help_print(const ps_options *options, void (*write)(ps_output *out), ps_error *err)
{
        ps_output *out;

        PS_TRY(open_output(&out, options, err));
        write(out);
        return ps_output_commit(out, err);
}

ps_status ps_cmd_help(const ps_options *options, ps_exit *code, ps_error *err)
{
        const char *name = options->n_arguments ? options->arguments[0] : NULL;
        const ps_command *command = name ? ps_command_find(name) : NULL;
        const char *near = name && !command ? ps_commands_nearest(name) : NULL;
        ps_output *out;

        (void)code;
        if (near)
                return PS_FAIL(err, PS_E_USAGE, "no such command \"%s\": did you mean %s?", name, near);
        if (name && !command)
                return PS_FAIL(err, PS_E_USAGE, "no such command \"%s\"", name);
        PS_TRY(open_output(&out, options, err));
        write_help(out, command, options->load.exchange != NULL);
        return ps_output_commit(out, err);
}

ps_status ps_cmd_man(const ps_options *options, ps_exit *code, ps_error *err)
{
        (void)code;
        return ps_help_print(options, ps_man_write, err);
}

static void write_formats(ps_output *out)
{
        for (unsigned i = 0; i < ps_reader_n_classes; i++)
                ps_output_printf(out, "%-8s  %s\n", ps_reader_classes[i]->name,
                                 ps_reader_classes[i]->summary);
}

ps_status ps_cmd_formats(const ps_options *options, ps_exit *code, ps_error *err)
{
        (void)code;
        return ps_help_print(options, write_formats, err);
}
