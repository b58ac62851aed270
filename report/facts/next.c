/* next.c - see next.h. */
#include "report/facts/next.h"
#include "report/print/text.h"

#include <string.h>

/* Are there findings whose line could be told from the source? */
static int lacks_lines(const ps_report *report)
{
        for (uint32_t i = 0; i < report->n_findings; i++)
                if (report->findings[i].place->certainty == PS_LINE_FUNCTION)
                        return 1;
        return 0;
}

/* As a shell wants it: in quotes, unless it can do without. */
static void write_quoted(ps_output *out, const char *word)
{
        static const char plain[] =
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-=:@%,";
        static const char *const escapes[PS_ASCII] = {['\''] = "'\\''"};
        int needs_quotes = !*word || word[strspn(word, plain)];

        ps_output_puts(out, needs_quotes ? "'" : "");
        ps_text_write_escaped(out, word, escapes);
        ps_output_puts(out, needs_quotes ? "'" : "");
}

/* The command stands beside its purpose if it fits there, or below it: it is to be copied, so never broken.
 */
static void put_command(ps_output *out, const char *purpose, const char *command, const char *argument,
                        const char *option)
{
        enum { PURPOSE_COLUMNS = 28 };
        ps_output *line;
        const char *text;

        if (ps_output_open_memory(&line, PS_WIDTH_DEFAULT, NULL) != PS_OK)
                return;
        ps_output_printf(line, "patscan %s", command);
        write_quoted(line, argument);
        ps_output_puts(line, option);
        text = ps_output_text(line);
        if (!text || 2 + PURPOSE_COLUMNS + 2 + ps_text_columns(text) > ps_output_width(out))
                ps_output_printf(out, "  %s\n      ", purpose);
        else
                ps_output_printf(out, "  %-*s  ", PURPOSE_COLUMNS, purpose);
        ps_output_printf(out, "%s\n", text ? text : "");
        ps_output_discard(line);
}

/* Of a factor of the efficiency that is smaller one wants to know what it costs. */
#define WORTH_ASKING 0.95

/* A simulated run leaves no trace to go on with. */
static void put_trace_commands(ps_output *out, const ps_report *report)
{
        const char *path = report->settings.trace_path ? report->settings.trace_path : "TRACE";
        const ps_efficiency *e = &report->efficiency;

        if (e->is_known && e->load_balance < WORTH_ASKING)
                put_command(out, "if ranks computed equally", "predict ", path,
                            " --machine recorded balance");
        if (e->is_split && e->transfer < WORTH_ASKING)
                put_command(out, "if messages cost nothing", "predict ", path,
                            " --machine recorded ideal-network");
        if (lacks_lines(report))
                put_command(out, "lines from sources below DIR", "", path, " --source-root DIR");
        put_command(out, "the report for programs", "", path, " --report json:report.json");
        put_command(out, "the trace itself", "info ", path, "");
}

void ps_next_write_text(const ps_report *report, ps_output *out)
{
        uint32_t explained = 0;
        int has_trace = !report->settings.is_predicted;

        while (explained < report->n_findings && report->findings[explained].pattern->is_view)
                explained++;
        if (!has_trace && explained == report->n_findings)
                return;
        ps_text_write_heading(out, "Next");
        if (explained < report->n_findings)
                put_command(out, "what such a pattern means", "explain ",
                            report->findings[explained].pattern->id, "");
        if (has_trace)
                put_trace_commands(out, report);
}
