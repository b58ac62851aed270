/* message.c - messages hold names from traces and paths from anywhere, so that all are cleaned. */
#include "app/cli/message.h"
#include "app/cli/limited.h"
#include "app/cli/progress.h"
#include "report/print/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_color(const ps_asked_terminal *terminal)
{
        const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

        if (terminal->color != PS_COLOR_AUTO)
                return terminal->color == PS_COLOR_ALWAYS;
        return isatty(STDERR_FILENO) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

static void say(const ps_asked_terminal *terminal, const char *color, const char *title, const char *text)
{
        if (ps_limited_was_said())
                return;
        char *clean = ps_text_clean(text);

        ps_progress_hide();
        if (has_color(terminal))
                fprintf(stderr, "patscan: %s%s\033[0m%s\n", color, title, clean ? clean : "");
        else
                fprintf(stderr, "patscan: %s%s\n", title, clean ? clean : "");
        free(clean);
}

void ps_message_error(const ps_asked_terminal *terminal, const ps_error *err)
{
        if (!err->n_causes)
                say(terminal, "\033[31m", "error: ", "for an unknown reason");
        for (int i = err->n_causes - 1; i >= 0; i--) {
                char text[PS_ERROR_TEXT + 128];
                int outermost = i == err->n_causes - 1;
                if (terminal->verbose)
                        snprintf(text, sizeof(text), "%s [%s:%d]", err->cause[i].text, err->cause[i].file,
                                 err->cause[i].line);
                else
                        snprintf(text, sizeof(text), "%s", err->cause[i].text);
                say(terminal, outermost ? "\033[31m" : "", outermost ? "error: " : "  because: ", text);
        }
}

void ps_message_print(const ps_asked_terminal *terminal, ps_message_kind kind, const char *text)
{
        static const struct {
                const char *color, *title;
        } forms[] = {[PS_MESSAGE_WARNING] = {"\033[33m", "warning: "},
                     [PS_MESSAGE_LIMIT] = {"\033[31m", "limit exceeded: "},
                     [PS_MESSAGE_NOTE] = {"", ""}};
        say(terminal, forms[kind].color, forms[kind].title, text);
}

void ps_message_idle(const ps_options *options, const char *names, const char *reason)
{
        const char *name = ps_options_given(options, names);
        if (name)
                ps_message_warn(&options->terminal, "--%s has no effect here: %s", name, reason);
}
