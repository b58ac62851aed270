/* html_interval_data.c - the intervals of a page that has no room for a section for each: as JSON, of which
 * the page's script makes the section that is asked for after the model of that of the whole run.
 *
 * {"types": [0, TITLE..], "intervals": [[LEVEL, TYPE, COUNT, LINE, EXPRESSION, TITLE, FILE, MOSTLY,
 * NUMBER..]..], "processors": {"N": [[TITLE, NUMBER..]..]}}
 *
 * Intervals are in the order of the tree. Their numbers are in the order of the cells of the whole run that
 * have a value, those of processors in the order of their columns, which is the same as far as it goes. For a
 * text there is 0 when it is the same as in the interval before, for a title when it is the expression. */
#include "report/formats/html_intervals.h"
#include "report/print/html.h"

#include <inttypes.h>
#include <string.h>

/* Nothing in it ends the element, and it is well-formed XML, too. */
static const char *const escapes[PS_ASCII] = {
        ['"'] = "\\\"", ['\\'] = "\\\\", ['<'] = "\\u003c", ['>'] = "\\u003e", ['&'] = "\\u0026"};

static void put_escaped(ps_output *out, const char *text)
{
        ps_text_write_escaped(out, text, escapes);
}

static void put_text(ps_output *out, const char *text)
{
        ps_output_puts(out, ",\"");
        put_escaped(out, text);
        ps_output_putc(out, '"');
}

static void put_or_same(ps_output *out, const char *text, int is_same)
{
        if (is_same)
                ps_output_puts(out, ",0");
        else
                put_text(out, text);
}

void ps_html_data_number(ps_output *out, double value)
{
        if (value == 0)
                ps_output_puts(out, ",0");
        else
                ps_output_printf(out, ",%.12g", value);
}

static void put_field(ps_output *out, const ps_intervals *tree, const ps_interval_sums *sums,
                      const ps_interval_field *field)
{
        if (ps_interval_knows(tree, field))
                ps_html_data_number(out, ps_interval_value(sums, field));
}

static void put_numbers(ps_output *out, const ps_intervals *tree, const ps_interval_sums *sums)
{
        for (unsigned r = 0; r < PS_HTML_ROWS; r++) {
                put_field(out, tree, sums, ps_html_rows[r].whole);
                for (unsigned p = 0; p < PS_HTML_PARTS && ps_html_rows[r].part[p]; p++)
                        put_field(out, tree, sums, ps_html_rows[r].part[p]);
        }
        for (unsigned c = 0; c < PS_IC_COUNT; c++) {
                if (!(tree->classes >> c & 1))
                        continue;
                ps_output_printf(out, ",%" PRIu64, sums->count[c]);
                ps_html_data_number(out, sums->communication_s[c]);
                ps_html_data_number(out, sums->synchronization_s[c]);
                if (tree->known & PS_KNOWS_VARIATION)
                        ps_html_data_number(out, sums->variation_s[c]);
                if (tree->known & PS_KNOWS_OVERLAP)
                        ps_html_data_number(out, sums->overlap_s[c]);
        }
}

static void put_interval(ps_output *out, const ps_html_intervals *page, uint32_t number)
{
        const ps_intervals *tree = page->tree;
        const ps_interval *i = &tree->row[page->row[number]],
                          *before = number ? &tree->row[page->row[number - 1]] : NULL;
        const char *mostly = ps_interval_main_loss(&i->sums);
        char title[PS_INTERVAL_TITLE_ROOM];

        ps_interval_title(title, tree, page->row[number]);
        ps_output_printf(out, "%s[%" PRIu32 ",%d,%" PRIu64 ",%" PRIu32 ",\"", number ? ",\n" : "", i->level,
                         i->key.type + 1, i->count, i->key.line);
        ps_html_interval_expression(out, tree, page->row[number], put_escaped);
        ps_output_putc(out, '"');
        put_or_same(out, title, !i->key.has_index && !strcmp(title, ps_intervals_str(tree, i->key.name)));
        put_or_same(out, ps_intervals_str(tree, i->key.file), before && before->key.file == i->key.file);
        put_or_same(out, mostly, before && !strcmp(mostly, ps_interval_main_loss(&before->sums)));
        put_numbers(out, tree, &i->sums);
        ps_output_putc(out, ']');
}

static ps_status put_processors(ps_output *out, const ps_html_intervals *page, ps_error *err)
{
        const char *between = "";
        ps_status status = PS_OK;

        for (uint32_t n = 0; n < page->n && status == PS_OK && !ps_output_failed(out); n++) {
                if (!(page->told[n] & PS_HTML_DETAILED))
                        continue;
                ps_output_printf(out, "%s\"%" PRIu32 "\":", between, n);
                status = ps_html_processors_write_data(page, n, out, err);
                between = ",\n";
        }
        return status;
}

ps_status ps_html_interval_data_write(const ps_html_intervals *page, ps_output *out, ps_error *err)
{
        ps_status status;

        ps_output_puts(out, "<script type=\"application/json\" id=\"interval-data\">{\"types\":[0");
        for (int type = 0; type < PS_INTERVAL_TYPES; type++)
                put_text(out, ps_interval_types[type].title);
        ps_output_puts(out, "],\n\"intervals\":[");
        for (uint32_t n = 0; n < page->n && !ps_output_failed(out); n++)
                put_interval(out, page, n);
        ps_output_puts(out, "],\n\"processors\":{");
        status = put_processors(out, page, err);
        ps_output_puts(out, "}}</script>\n");
        return status;
}
