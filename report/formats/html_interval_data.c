/* html_interval_data.c - the numbers of all intervals in a page, of which its script makes what is asked for:
 * docs/HTML.md has the format. */
#include "report/document/page.h"
#include "report/formats/html_intervals.h"

#include <inttypes.h>
#include <string.h>

static void put_quoted_text(ps_output *out, const char *text)
{
        ps_output_putc(out, ',');
        ps_html_script_text(out, text);
}

static void put_or_same(ps_output *out, const char *text, bool is_same)
{
        if (is_same)
                ps_output_puts(out, ",0");
        else
                put_quoted_text(out, text);
}

void ps_html_data_number(ps_output *out, double value)
{
        if (value == 0)
                ps_output_puts(out, ",0");
        else
                ps_output_printf(out, ",%.12g", value);
}

static void put_numbers(ps_output *out, const ps_intervals *tree, const ps_interval_sums *sums)
{
        for (unsigned f = 0; f < PS_HTML_FIELDS; f++)
                if (ps_interval_knows(tree, ps_html_fields[f].field))
                        ps_html_data_number(out, ps_interval_value(sums, ps_html_fields[f].field));
        for (unsigned c = 0; c < PS_IC_COUNT; c++)
                for (unsigned o = 0; o < PS_HTML_OPERATIONS && tree->classes >> c & 1; o++)
                        if (!ps_html_operations[o].known || tree->known & ps_html_operations[o].known)
                                ps_html_data_number(out,
                                                    ps_html_operation_value(sums, &ps_html_operations[o], c));
}

static void put_expression(ps_output *out, const ps_intervals *tree, uint32_t interval)
{
        const ps_interval_key *key = &tree->row[interval].key;
        const char *name = ps_intervals_str(tree, key->name);

        ps_html_script_escape(out, name);
        if (key->has_index)
                ps_output_printf(out, "%s%" PRId64, *name ? ", " : "", key->index);
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
        put_expression(out, tree, page->row[number]);
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

        for (uint32_t n = 0; n < page->n && !ps_output_failed(out); n++) {
                if (!(page->told[n] & PS_HTML_DETAILED))
                        continue;
                ps_output_printf(out, "%s\"%" PRIu32 "\":", between, n);
                PS_TRY(ps_html_processors_write(page, n, out, err));
                between = ",\n";
        }
        return PS_OK;
}

/* What the numbers are: an anchor, a title, and why it is not known. */
static void put_names(const ps_intervals *tree, ps_output *out)
{
        ps_output_puts(out, "],\n\"fields\":[");
        for (unsigned f = 0; f < PS_HTML_FIELDS; f++) {
                const ps_interval_field *field = ps_html_fields[f].field;
                ps_output_printf(out, "%s[\"%s\",\"%s\",%d", f ? "," : "", field->anchor, field->title,
                                 ps_html_fields[f].is_part);
                if (!ps_interval_knows(tree, field))
                        put_quoted_text(out, ps_html_reason(field->known));
                ps_output_putc(out, ']');
        }
        ps_output_puts(out, "],\n\"operations\":[");
        for (unsigned o = 0; o < PS_HTML_OPERATIONS; o++) {
                const ps_html_operation *operation = &ps_html_operations[o];
                ps_output_printf(out, "%s[\"%s\",\"%s\",0", o ? "," : "", operation->anchor,
                                 operation->title);
                if (operation->known && !(tree->known & operation->known))
                        put_quoted_text(out, ps_html_reason(operation->known));
                ps_output_putc(out, ']');
        }
        ps_output_puts(out, "],\n\"classes\":[");
        for (unsigned c = 0, n = 0; c < PS_IC_COUNT; c++)
                if (tree->classes >> c & 1)
                        ps_output_printf(out, "%s[\"%s\",\"%s\"]", n++ ? "," : "",
                                         ps_interval_classes[c].letter, ps_interval_classes[c].title);
}

ps_status ps_html_interval_data_write(const ps_html_intervals *page, ps_output *out, ps_error *err)
{
        ps_status status;

        ps_output_printf(out,
                         "<script type=\"application/json\" id=\"interval-data\">{\"count\":%" PRIu32
                         ",\"types\":[0",
                         page->tree->n_processors);
        for (int type = 0; type < PS_INTERVAL_TYPES; type++)
                put_quoted_text(out, ps_interval_types[type].title);
        put_names(page->tree, out);
        ps_output_puts(out, "],\n\"intervals\":[");
        for (uint32_t n = 0; n < page->n && !ps_output_failed(out); n++)
                put_interval(out, page, n);
        ps_output_puts(out, "],\n\"processors\":{");
        status = put_processors(out, page, err);
        ps_output_puts(out, "}}</script>\n");
        return status;
}
