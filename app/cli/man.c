/* man.c - the manual page, in the macros of man(7). It has no date, so that it only changes when a table
 * does. */
#include "app/cli/help.h"
#include "simulator/whatif/whatif.h"

#include <string.h>

/* Text of the tables as roff: hyphens are minus signs, and no line begins with a control character. */
static void put_roff(ps_output *out, const char *text, size_t len)
{
        if (len && (text[0] == '.' || text[0] == '\''))
                ps_output_puts(out, "\\&");
        for (size_t i = 0; i < len; i++) {
                if (text[i] == '-')
                        ps_output_puts(out, "\\-");
                else if (text[i] == '\\')
                        ps_output_puts(out, "\\e");
                else if (text[i] == '~')
                        ps_output_puts(out, "\\(ti");
                else
                        ps_output_putc(out, text[i]);
        }
}

static void put_line(ps_output *out, const char *text)
{
        put_roff(out, text, strlen(text));
        ps_output_putc(out, '\n');
}

static void put_styled(ps_output *out, char font, const char *text)
{
        ps_output_printf(out, "\\f%c", font);
        put_roff(out, text, strlen(text));
        ps_output_puts(out, "\\fR");
}

static void put_paragraphs(ps_output *out, const char *text)
{
        while (*text) {
                size_t n = strcspn(text, "\n");
                int example = text[0] == ' ';
                ps_output_puts(out, example ? ".PP\n.RS 4\n.EX\n" : ".PP\n");
                put_roff(out, text + example, n - (size_t)example);
                ps_output_puts(out, example ? "\n.EE\n.RE\n" : "\n");
                text += n + (text[n] == '\n');
        }
}

static void put_edits(ps_output *out)
{
        for (unsigned i = 0; i < ps_n_edit_rows; i++) {
                ps_output_puts(out, ".TP\n\\fB");
                put_roff(out, ps_edit_rows[i].form, strlen(ps_edit_rows[i].form));
                ps_output_puts(out, "\\fR\n");
                put_roff(out, ps_edit_rows[i].help, strlen(ps_edit_rows[i].help));
                ps_output_putc(out, '\n');
        }
}

static void put_command(ps_output *out, const ps_command *command)
{
        ps_output_puts(out, ".SS \"");
        put_roff(out, command->name, strlen(command->name));
        if (command->argument)
                ps_output_printf(out, command->least ? " %s" : " [%s]", command->argument);
        ps_output_puts(out, "\"\n");
        put_paragraphs(out, command->text);
        if (command->traits & PS_TAKES_EDITS)
                put_edits(out);
}

static void put_word(void *ctx, const char *word, size_t len)
{
        ps_output_puts(ctx, " \\fB");
        put_roff(ctx, word, len);
        ps_output_puts(ctx, "\\fR");
}

static void put_users(ps_output *out, const ps_option *option)
{
        if (ps_option_is_general(option))
                return;
        ps_output_puts(out, "Used by:");
        for (int i = 0; i < PS_CMD_COUNT; i++)
                if (option->commands & ps_command_bit(&ps_commands[i]))
                        put_word(out, ps_commands[i].name, strlen(ps_commands[i].name));
        ps_output_puts(out, ".\n");
}

static void put_option(ps_output *out, const ps_option *option)
{
        char letter[3] = {'-', option->letter, '\0'};

        ps_output_puts(out, ".TP\n");
        if (option->letter) {
                put_styled(out, 'B', letter);
                ps_output_puts(out, ", ");
        }
        ps_output_puts(out, "\\fB\\-\\-\\fR");
        put_styled(out, 'B', option->name);
        if (option->argument) {
                if (option->type != PS_O_MAYBE)
                        ps_output_putc(out, ' ');
                put_styled(out, 'I', option->argument);
        }
        ps_output_putc(out, '\n');
        put_roff(out, option->help, strlen(option->help));
        ps_output_puts(out, ".\n");
        if (option->choices) {
                ps_output_puts(out, "Values:");
                ps_choice_each(option->choices, put_word, out);
                ps_output_puts(out, ".\n");
        }
        if (option->preset) {
                ps_output_puts(out, "Default: ");
                put_roff(out, option->preset, strlen(option->preset));
                ps_output_puts(out, ".\n");
        }
        put_users(out, option);
}

static void put_synopsis(ps_output *out)
{
        const ps_command *preset = ps_command_default();

        ps_output_puts(out, ".SH SYNOPSIS\n\\fBpatscan\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.br\n");
        ps_output_printf(out, "\\fBpatscan\\fR \\fI%s\\fR [\\fIOPTION\\fR]...\n", preset->argument);
        ps_output_puts(out, ".SH DESCRIPTION\n");
        ps_output_printf(out, "\\fBpatscan\\fR %s.\n", ps_tagline);
        ps_output_printf(out,
                         "A first argument that is no command is the \\fI%s\\fR of \\fBpatscan %s\\fR.\n",
                         preset->argument, preset->name);
        ps_output_puts(out, "Results go to the standard output, messages to the standard error.\n");
}

void ps_man_write(ps_output *out)
{
        ps_output_printf(out, ".TH PATSCAN 1 \"\" \"patscan %s\"\n.SH NAME\npatscan \\- ", patscan_version());
        put_line(out, ps_tagline);
        put_synopsis(out);
        ps_output_puts(out, ".SH COMMANDS\n");
        for (int i = 0; i < PS_CMD_COUNT; i++)
                put_command(out, &ps_commands[i]);
        ps_output_puts(out, ".SH OPTIONS\n");
        for (unsigned i = 0; i < ps_option_count; i++)
                put_option(out, &ps_option_table[i]);
        ps_output_puts(out, ".SH \"EXIT STATUS\"\n");
        for (int code = 0; code < PS_EXIT_COUNT; code++) {
                ps_output_printf(out, ".TP\n\\fB%d\\fR\n", code);
                put_line(out, ps_exit_meanings[code]);
        }
        ps_output_puts(out, ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\n");
        put_line(out,
                 "If it is set and not empty, there are no colours unless --color=always asks for them.");
        ps_output_puts(out, ".TP\n\\fBCOLUMNS\\fR\n");
        put_line(out, "How wide text is, from 40 to 160; without it as wide as the terminal, or 80.");
}
