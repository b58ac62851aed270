/* next.c - see next.h. */
#include "report/formats/next.h"
#include "core/base/text.h"
#include "core/model/focus.h"
#include "report/causes/words.h"
#include "report/print/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Are there findings whose line could be told from the source? */
static bool lacks_lines(const ps_report *report)
{
        for (uint32_t i = 0; i < report->n_findings; i++)
                if (report->findings[i].place->certainty == PS_LINE_FUNCTION)
                        return true;
        return false;
}

/* Programs whose calls can be recorded with their lines: those of MPI, once they run. */
bool ps_next_tells_lines(const ps_report *report)
{
        const ps_defs *defs = &report->trace->defs;
        const char *creator = ps_defs_str(defs, defs->creator);

        return !report->settings.is_predicted && strcmp(report->trace->format, "otf2") == 0 &&
               strncmp(creator, "patscan", strlen("patscan")) != 0;
}

/* Whose line nothing can tell: the trace has neither the call's nor that of a function around it. */
static int lacks_sources(const ps_report *report)
{
        for (uint32_t i = 0; i < report->n_findings; i++)
                if (!report->findings[i].place->file)
                        return ps_next_tells_lines(report);
        return 0;
}

static void write_and_free(ps_output *out, char *quoted)
{
        ps_output_puts(out, quoted ? quoted : "");
        free(quoted);
}

static void write_quoted(ps_output *out, const char *word)
{
        write_and_free(out, ps_text_quoted(word));
}

/* NULL when there is no memory; to be discarded. */
static ps_output *command_line(const char *command, const char *path, const char *option)
{
        ps_output *line;

        if (ps_output_open_memory(&line, PS_WIDTH_DEFAULT, NULL) != PS_OK)
                return NULL;
        ps_output_printf(line, "patscan %s", command);
        write_and_free(line, ps_text_quoted_path(path));
        ps_output_puts(line, option);
        return line;
}

static void put_command(ps_doc *doc, const char *purpose, const char *command, const char *argument,
                        const char *option)
{
        ps_output *line = command_line(command, argument, option);
        const char *text = line ? ps_output_text(line) : NULL;

        if (text)
                ps_doc_command(doc, purpose, text);
        if (line)
                ps_output_discard(line);
}

static inline char *add_words(char *at, const char *words)
{
        while (*words)
                *at++ = *words++;
        return at;
}

/* From the microsecond in which it begins to the one in which it is over. */
size_t ps_next_events(const ps_report *report, const ps_report_finding *f, char room[PS_NEXT_ROOM])
{
        const ps_instance *worst = &f->finding->worst;
        const ps_location_def *locations = report->trace->defs.locations.row;
        const ps_time us = 1000 * PS_PS_PER_NS;
        char *at = room;

        if (!report->dump || worst->at.op == PS_NONE)
                return 0;
        ps_proc own = locations[worst->at.loc].process;
        ps_proc partner = worst->partner.op == PS_NONE ? own : locations[worst->partner.loc].process;
        at = add_words(at, " --from ");
        at += ps_text_i64(at, worst->begin / us);
        at = add_words(at, "us --to ");
        at += ps_text_i64(at, (worst->begin + worst->lost) / us + 1);
        at = add_words(at, "us --ranks ");
        at += ps_text_u64(at, own);
        if (partner != own) {
                *at++ = ',';
                at += ps_text_u64(at, partner);
        }
        return (size_t)(at - room);
}

void ps_next_show_events(ps_doc *doc, const ps_report *report, const ps_report_finding *f)
{
        char room[PS_NEXT_ROOM];
        ps_output *line;

        if (!ps_next_events(report, f, room) || ps_output_open_memory(&line, PS_WIDTH_DEFAULT, NULL) != PS_OK)
                return;
        ps_output_puts(line, report->dump);
        ps_output_puts(line, room);
        ps_doc_begin(doc, PS_DOC_P);
        ps_doc_put(doc, PS_DOC_PLAIN, "Its events: ");
        ps_doc_put(doc, PS_DOC_COMMAND, ps_output_text(line) ? ps_output_text(line) : "");
        ps_doc_end(doc);
        ps_output_discard(line);
}

/* On top of what the prediction that is told rests on. To be discarded; NULL when there is no memory. */
static ps_output *prediction_line(const ps_report *report, const char *edit)
{
        const char *path = report->settings.trace_path ? report->settings.trace_path : "TRACE";
        const ps_prediction *p = report->settings.prediction;
        ps_output *line = command_line("predict ", path, " ");

        if (!line)
                return NULL;
        for (uint32_t i = 0; p && i < p->n_edits; i++) {
                write_quoted(line, p->edits[i]);
                ps_output_putc(line, ' ');
        }
        write_quoted(line, edit);
        if (p && p->machine && strcmp(p->machine, "recorded") != 0) {
                ps_output_puts(line, " --machine ");
                write_quoted(line, p->asked ? p->asked : p->machine);
        }
        if (p && p->grid)
                ps_output_printf(line, " --grid %s", p->grid);
        for (unsigned i = 0; i < report->settings.n_again; i++) {
                ps_output_putc(line, ' ');
                write_quoted(line, report->settings.again[i]);
        }
        return line;
}

void ps_next_show_prediction(ps_doc *doc, const ps_report *report, const char *edit)
{
        ps_output *line = prediction_line(report, edit);

        ps_doc_begin(doc, PS_DOC_P);
        ps_doc_put(doc, PS_DOC_PLAIN, "Try it: ");
        ps_doc_put(doc, PS_DOC_COMMAND, line && ps_output_text(line) ? ps_output_text(line) : "");
        ps_doc_end(doc);
        if (line)
                ps_output_discard(line);
}

/* Of a factor of the efficiency that is smaller one wants to know what it costs. */
#define WORTH_ASKING 0.95

/* A simulated run leaves no trace to go on with. */
static void put_trace_commands(ps_doc *doc, const ps_report *report)
{
        const char *path = report->settings.trace_path ? report->settings.trace_path : "TRACE";
        const ps_efficiency *e = &report->efficiency;
        const ps_blame *blame = report->blame;
        const ps_cause_fix *fix =
                blame && blame->n_groups ? ps_cause_first_fix(report, &blame->group[0]) : NULL;
        bool gains = fix && ps_cause_is_mended_by(fix, ps_focus_length(report->timing));
        ps_output *line = gains ? prediction_line(report, fix->edit) : NULL;

        if (report->trace->n_operations && !report->is_predicted)
                put_command(doc, "see it in a browser", "view ", path, "");
        if (line && ps_output_text(line))
                ps_doc_command(doc, "if the first cause were mended", ps_output_text(line));
        if (line)
                ps_output_discard(line);
        if (!gains && e->is_known && e->load_balance < WORTH_ASKING)
                put_command(doc, "if ranks computed equally", "predict ", path,
                            " --machine recorded balance");
        if (e->is_split && e->transfer < WORTH_ASKING)
                put_command(doc, "if messages cost nothing", "predict ", path, " --machine ideal");
        if (lacks_lines(report))
                put_command(doc, "lines from sources below DIR", "", path, " --source-root DIR");
        if (lacks_sources(report))
                ps_doc_command(doc, "lines: compile with -g", "patscan record -- mpirun ./app");
        put_command(doc, "the report for programs", "", path, " --report json:report.json");
        put_command(doc, "the trace itself", "info ", path, "");
}

static uint32_t first_explained(const ps_report *report)
{
        uint32_t i = 0;

        while (i < report->n_findings && report->findings[i].pattern->is_view &&
               report->findings[i].pattern->subject != PS_ON_EXCHANGE)
                i++;
        return i;
}

bool ps_next_has(const ps_report *report)
{
        return !report->settings.is_predicted || first_explained(report) < report->n_findings;
}

void ps_next_show(ps_doc *doc, const ps_report *report)
{
        uint32_t explained = first_explained(report);

        if (!report->settings.is_predicted)
                put_trace_commands(doc, report);
        if (explained < report->n_findings)
                put_command(doc, "what such a pattern means", "explain ",
                            report->findings[explained].pattern->id, "");
}
