/* compare_markdown.c - a comparison for a comment on a pull request: the result, what it consists of, and the
 * intervals that differ most. */
#include "report/print/markdown.h"
#include "report/subjects/compare_words.h"

#include <inttypes.h>
#include <math.h>

enum { ROWS_SHOWN = 10 };

static void put_two(ps_output *out, ps_two two)
{
        char room[PS_NUMBER_ROOM];

        ps_output_printf(out, " | %s", ps_compare_seconds(room, two.measured));
        ps_output_printf(out, " | %s", ps_compare_seconds(room, two.predicted));
        ps_output_printf(out, " | %s", ps_compare_difference(room, two));
}

static void put_heads(ps_output *out, const ps_compare *c, const char *name, const char *more)
{
        ps_output_printf(out, "\n| %s | %s | %s | Difference | %s |\n|---|---:|---:|---:|---:|\n", name,
                         ps_compare_side_title(c, PS_MEASURED), ps_compare_side_title(c, PS_PREDICTED), more);
}

static void put_parts(ps_output *out, const ps_compare *c)
{
        char room[PS_NUMBER_ROOM];

        if (isnan(c->part[0].measured) || isnan(c->part[0].predicted))
                return;
        put_heads(out, c, "Mean of a rank", "Share of it");
        for (int part = 0; part < PS_PARTS; part++) {
                ps_two two = c->part[part];
                ps_output_printf(out, "| %s", ps_parts[part].title);
                put_two(out, two);
                ps_output_printf(out, " | %s |\n",
                                 ps_compare_percent(room, ps_compare_share(c, two.predicted - two.measured)));
        }
}

static void put_intervals(ps_output *out, const ps_compare *c)
{
        uint32_t most = c->options.top ? c->options.top : ROWS_SHOWN;
        char room[PS_NUMBER_ROOM], name[PS_COMPARE_NAME_ROOM];

        if (c->intervals.n < 2)
                return;
        put_heads(out, c, "Interval", "Change");
        for (uint32_t i = 0; i < c->intervals.n && i < most; i++) {
                const ps_compared_interval *row = &c->intervals.row[i];
                ps_output_puts(out, "| ");
                ps_markdown_write_name(out, ps_compare_interval_name(name, c, row));
                put_two(out, row->execution);
                ps_output_printf(out, " | %s |\n", ps_compare_change(room, ps_errors_signed(row->execution)));
        }
        if (c->intervals.n > most)
                ps_output_printf(out, "\nand %" PRIu32 " intervals that differ less.\n",
                                 c->intervals.n - most);
}

ps_status ps_compare_write_markdown(const ps_compare *c, ps_output *out, ps_error *err)
{
        char room[PS_COMPARE_VERDICT_ROOM], note[PS_COMPARE_NOTE_ROOM], m[PS_NUMBER_ROOM], p[PS_NUMBER_ROOM];

        (void)err;
        ps_output_puts(out, "### patscan compare: ");
        ps_markdown_write_name(out, c->run[PS_MEASURED]->path);
        ps_output_puts(out, " and ");
        ps_markdown_write_name(out, c->run[PS_PREDICTED]->path);
        ps_output_printf(out, "\n\n**%s (%s)**: ", ps_compare_difference(m, c->duration),
                         ps_compare_change(p, ps_errors_signed(c->duration)));
        ps_output_printf(out, "%s %s, %s %s. ", ps_compare_side_name(c, PS_MEASURED),
                         ps_compare_seconds(m, c->duration.measured), ps_compare_side_name(c, PS_PREDICTED),
                         ps_compare_seconds(p, c->duration.predicted));
        ps_output_printf(out, "%s\n", ps_compare_verdict(room, c));
        for (unsigned i = 0; ps_compare_note(note, c, i); i++) {
                ps_output_puts(out, "\n> ");
                ps_markdown_write_prose(out, ps_compare_note(note, c, i));
                ps_output_putc(out, '\n');
        }
        put_parts(out, c);
        put_intervals(out, c);
        return PS_OK;
}
