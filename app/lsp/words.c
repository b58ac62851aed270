/* words.c - see words.h. Texts of reports are cleaned where they are printed; numbers in them are anybody's.
 */
#include "app/lsp/words.h"

#include "patterns/engine/engine.h"
#include "report/print/text.h"
#include "report/subjects/manual.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const ps_pattern *pattern_of(const ps_line_mark *mark)
{
        return mark->type ? ps_pattern_at(ps_pattern_find(mark->type)) : NULL;
}

const char *ps_mark_title(const ps_line_mark *mark)
{
        const ps_pattern *pattern = pattern_of(mark);
        return pattern ? pattern->title : mark->type ? mark->type : "Lost time";
}

bool ps_mark_is_defect(const ps_line_mark *mark)
{
        const ps_pattern *pattern = pattern_of(mark);
        return pattern && pattern->is_defect;
}

/* -- numbers -- */

static void put_seconds(ps_output *out, double seconds)
{
        char room[PS_NUMBER_ROOM];
        ps_text_seconds_short(room, seconds);
        ps_output_puts(out, room);
}

static void put_share(ps_output *out, double share)
{
        char room[PS_NUMBER_ROOM];
        ps_output_puts(out, ps_text_share(room, share));
}

/* -- sentences -- */

static void put_ranks(ps_output *out, const ps_line_mark *mark)
{
        if (mark->process == PS_NONE)
                return;
        ps_output_printf(out, " on rank %" PRIu32, mark->process);
        if (mark->n_ranks > 1)
                ps_output_printf(out, " and %" PRIu32 " more", mark->n_ranks - 1);
}

static void put_loss(ps_output *out, const ps_line_mark *mark)
{
        put_seconds(out, mark->lost_s);
        ps_output_puts(out, " lost (");
        put_share(out, mark->share);
        ps_output_printf(out, ") in %" PRIu64 " call%s", mark->count, mark->count == 1 ? "" : "s");
        put_ranks(out, mark);
}

/* What to say where the line is not the one that was measured. */
static const char *doubt_of(const ps_line_mark *mark)
{
        if (mark->state == PS_MARK_STALE)
                return mark->line_text ? "The line has changed since the run: this may be out of date."
                                       : "The file has changed since the report: this may be out of date.";
        if (!mark->line)
                return "The report does not tell the line.";
        if (mark->line_source && strcmp(mark->line_source, "function") == 0)
                return "The call is somewhere in this function.";
        if (mark->line_source && strcmp(mark->line_source, "candidates") == 0)
                return "It may also be another call of that name in this function.";
        return NULL;
}

void ps_mark_say(ps_output *out, const ps_marks *marks, const ps_line_mark *mark)
{
        const ps_mark_cause *cause = ps_marks_cause(marks, mark->cause);
        const char *doubt = doubt_of(mark);
        ps_text_write(out, ps_mark_title(mark));
        ps_output_puts(out, ": ");
        put_loss(out, mark);
        ps_output_putc(out, '.');
        if (mark->comment) {
                ps_output_putc(out, ' ');
                ps_text_write(out, mark->comment);
        }
        if (cause && cause->comment) {
                ps_output_puts(out, " Mostly because of this: ");
                ps_text_write(out, cause->comment);
        }
        if (doubt)
                ps_output_printf(out, " %s", doubt);
}

void ps_mark_say_line(ps_output *out, const ps_line_mark *mark, uint32_t n)
{
        double lost = 0;
        for (uint32_t i = 0; i < n; i++)
                lost += mark[i].lost_s;
        put_seconds(out, lost);
        ps_output_puts(out, " lost");
}

/* -- what would help -- */

static const struct fix_words {
        const char *kind;
        double factor; /* NAN: whatever */
        const char *words;
} fix_words[] = {{"balanced", NAN, "if shared out evenly"},
                 {"evened", NAN, "if no rank took longer here than the others"},
                 {"sped-up", 0.75, "if this took three quarters of its time"},
                 {"sped-up", 0.5, "if this took half of its time"},
                 {"sped-up", 0, "at most, if this took no time"},
                 {"sped-up", NAN, "if this were faster"},
                 {"reordered", NAN, "if received in the order of sending"},
                 {"overlapped", 0, "at most, if no message of the program cost anything"},
                 {"overlapped", NAN, "at most, if transfers went on while ranks compute"}};

static const char *words_of(const ps_mark_fix *fix)
{
        for (size_t i = 0; i < sizeof(fix_words) / sizeof(*fix_words); i++) {
                const struct fix_words *row = &fix_words[i];
                if (strcmp(row->kind, fix->kind) == 0 && (isnan(row->factor) || row->factor == fix->factor))
                        return row->words;
        }
        return "if mended";
}

static bool has_gain(const ps_mark_cause *cause)
{
        return cause && cause->fix.kind && cause->fix.gain_s > 0;
}

static void put_gain(ps_output *out, const ps_mark_cause *cause)
{
        put_seconds(out, cause->fix.gain_s);
        ps_output_printf(out, " shorter %s", words_of(&cause->fix));
}

const ps_mark_cause *ps_mark_cause_in(const ps_marks *marks, const ps_mark_function *function)
{
        const ps_mark_cause *found = NULL;
        for (uint32_t i = 0; i < marks->n_causes; i++) {
                const ps_mark_cause *cause = &marks->cause[i];
                if (cause->file == function->file && cause->function &&
                    strcmp(cause->function, function->name) == 0 &&
                    (!found || cause->waiting_s > found->waiting_s))
                        found = cause;
        }
        return found;
}

void ps_mark_say_function(ps_output *out, const ps_marks *marks, const ps_mark_function *function)
{
        const ps_mark_cause *cause = ps_mark_cause_in(marks, function);
        double share = marks->all_s > 0 ? function->waiting_s / marks->all_s : 0;
        const char *between = "";
        if (share >= 0.0005) {
                put_share(out, share);
                ps_output_puts(out, " lost");
                between = ", ";
        }
        if (cause && cause->share >= 0.0005) {
                ps_output_printf(out, "%smakes others wait ", between);
                put_seconds(out, cause->waiting_s);
                between = ", ";
        }
        if (has_gain(cause) && cause->fix.gain_s >= 0.001 * marks->duration_s) {
                ps_output_puts(out, between);
                put_gain(out, cause);
                between = ", ";
        }
        if (*between && cause && cause->process != PS_NONE)
                ps_output_printf(out, "%sworst on rank %" PRIu32, between, cause->process);
}

/* -- at length -- */

static void put_prose(ps_output *out, const char *text)
{
        static const char *const escapes[PS_ASCII] = {
                ['*'] = "\\*", ['`'] = "\\`", ['<'] = "&lt;", ['['] = "\\[", [']'] = "\\]", ['\\'] = "\\\\"};
        ps_text_write_escaped(out, text, escapes);
}

static void put_paragraph(ps_output *out, const char *label, const char *text)
{
        if (!text || !*text)
                return;
        ps_output_printf(out, "\n\n%s", label);
        put_prose(out, text);
}

/* The word may hold anything but the quote that ends it. */
static void put_command(ps_output *out, const ps_marks *marks, const ps_mark_fix *fix)
{
        if (!fix->edit || !marks->trace || strchr(fix->edit, '\'') || strchr(marks->trace, '\''))
                return;
        ps_output_puts(out, "\n\n```sh\npatscan predict '");
        ps_text_write(out, marks->trace);
        ps_output_puts(out, "' '");
        ps_text_write(out, fix->edit);
        ps_output_puts(out, "'\n```");
}

static void put_cause(ps_output *out, const ps_marks *marks, const ps_mark_cause *cause)
{
        put_paragraph(out, "**Why:** ", cause->comment);
        put_paragraph(out, "", cause->advice);
        if (!has_gain(cause))
                return;
        ps_output_puts(out, "\n\n**What it would bring:** ");
        put_gain(out, cause);
        ps_output_putc(out, '.');
        put_command(out, marks, &cause->fix);
}

void ps_mark_explain_cause(ps_output *out, const ps_marks *marks, const ps_mark_cause *cause)
{
        ps_output_puts(out, "**Makes others wait: ");
        put_seconds(out, cause->waiting_s);
        ps_output_puts(out, "**");
        put_cause(out, marks, cause);
}

void ps_mark_explain(ps_output *out, const ps_marks *marks, const ps_line_mark *mark)
{
        const ps_pattern *pattern = pattern_of(mark);
        const ps_formula *formula = pattern ? ps_pattern_formula(ps_pattern_find(mark->type)) : NULL;
        const ps_mark_cause *cause = ps_marks_cause(marks, mark->cause);
        const char *doubt = doubt_of(mark);
        ps_output_puts(out, "**");
        put_prose(out, ps_mark_title(mark));
        ps_output_puts(out, "**: ");
        put_loss(out, mark);
        ps_output_putc(out, '.');
        put_paragraph(out, "", mark->comment);
        if (cause)
                put_cause(out, marks, cause);
        put_paragraph(out, "**What to do:** ", mark->advice);
        put_paragraph(out, "", doubt);
        if (pattern)
                put_paragraph(out, "", pattern->summary);
        if (formula) {
                ps_output_puts(out, "\n\nLost: ");
                ps_manual_write_words(out, formula->loss);
                ps_output_puts(out, "; if ");
                ps_manual_write_words(out, formula->condition);
                ps_output_putc(out, '.');
        }
        if (mark->dump)
                ps_output_printf(out, "\n\nIts events: `%s`", mark->dump);
}
