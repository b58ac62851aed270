/* html.c - a document as a page: see page.h. */
#include "report/document/page.h"
#include "report/document/printer.h"

#include <inttypes.h>
#include <string.h>

enum { DEEPEST = 8 };

static const struct {
        const char *open, *close;
} tags[PS_DOC_LOOKS] = {
        [PS_DOC_PLAIN] = {"", ""},
        [PS_DOC_STRONG] = {"<strong>", "</strong>"},
        [PS_DOC_DIM] = {"<span class=\"dim\">", "</span>"},
        [PS_DOC_NAME] = {"<code>", "</code>"},
        [PS_DOC_COMMAND] = {"<code>", "</code>"},
        [PS_DOC_PLACE] = {"<code>", "</code>"},
        [PS_DOC_MARK] = {"<span class=\"mark\">", "</span>"},
        [PS_DOC_GOOD] = {"<span class=\"good\">", "</span>"},
        [PS_DOC_WARN] = {"<span class=\"warn\">", "</span>"},
        [PS_DOC_BAD] = {"<strong class=\"bad\">", "</strong>"},
};

static void put_run(ps_output *out, const ps_doc_run *run)
{
        if (run->what == PS_MARK_RAW) {
                ps_output_puts(out, run->payload);
                return;
        }
        if (run->what) {
                ps_output_puts(out, run->what == PS_MARK_LINK ? "<a href=\"#" : "<data value=\"");
                ps_html_text(out, run->payload);
                ps_output_puts(out, "\">");
        }
        ps_output_puts(out, tags[run->look].open);
        ps_html_text(out, run->text);
        ps_output_puts(out, tags[run->look].close);
        if (run->what)
                ps_output_puts(out, run->what == PS_MARK_LINK ? "</a>" : "</data>");
}

static void put_runs(ps_output *out, char *text)
{
        ps_doc_run run;

        while (ps_doc_next_run(&text, &run))
                put_run(out, &run);
}

/* -- the frame -- */

static void close_terms(ps_doc *doc)
{
        if (doc->is_open)
                ps_output_puts(doc->out, "</dl>\n");
        doc->is_open = false;
}

static void open_terms(ps_doc *doc)
{
        if (!doc->is_open)
                ps_output_puts(doc->out, "<dl>\n");
        doc->is_open = true;
}

static void begin_page(ps_doc *doc, const char *what, const char *description, bool is_served)
{
        ps_html_begin_page(doc->out, what, is_served);
        ps_output_puts(doc->out, "<header>\n<h1>");
        ps_html_text(doc->out, what);
        ps_output_puts(doc->out, "</h1>\n");
        if (!description || !*description)
                return;
        ps_output_puts(doc->out, "<p>");
        ps_html_text(doc->out, description);
        ps_output_puts(doc->out, "</p>\n");
}

static void html_begin(ps_doc *doc, const char *command, const char *what, const char *description)
{
        (void)command;
        begin_page(doc, what, description, false);
}

static void served_begin(ps_doc *doc, const char *command, const char *what, const char *description)
{
        (void)command;
        begin_page(doc, what, description, true);
}

static void html_contents(ps_doc *doc, const ps_doc_section *sections, unsigned n, const void *subject)
{
        close_terms(doc);
        ps_output_puts(doc->out, "<nav aria-label=\"Sections\">");
        for (unsigned i = 0; i < n; i++)
                if (!sections[i].is_told || sections[i].is_told(subject))
                        ps_output_printf(doc->out, "<a href=\"#%s\">%s</a>", sections[i].id,
                                         sections[i].title);
        ps_output_puts(doc->out, "</nav>\n</header>\n<main>\n");
}

static void html_end(ps_doc *doc)
{
        close_terms(doc);
        ps_html_end_page(doc->out);
}

static void html_section(ps_doc *doc, const ps_doc_section *section)
{
        ps_output_printf(doc->out, "<section id=\"%s\">\n<h2>%s</h2>\n", section->id, section->title);
}

static void html_end_section(ps_doc *doc)
{
        close_terms(doc);
        ps_output_puts(doc->out, "</section>\n");
}

/* -- blocks -- */

static void put_term(ps_doc *doc, const char *term)
{
        open_terms(doc);
        ps_output_puts(doc->out, "<div><dt>");
        ps_html_text(doc->out, term);
        ps_output_puts(doc->out, "</dt><dd>");
}

static void close_item(ps_doc *doc)
{
        close_terms(doc);
        if (doc->is_fresh)
                ps_output_puts(doc->out, "</li>\n");
        doc->is_fresh = false;
}

static void put_head(ps_doc *doc, char *text)
{
        close_item(doc);
        doc->is_fresh = true;
        if (*doc->id)
                ps_output_printf(doc->out, "<li id=\"%s\">\n<h3>", doc->id);
        else
                ps_output_puts(doc->out, "<li>\n<h3>");
        put_runs(doc->out, text);
        if (*doc->id)
                ps_output_printf(doc->out,
                                 " <a class=\"here\" href=\"#%s\" aria-label=\"Link to this place\">#</a>",
                                 doc->id);
        ps_output_puts(doc->out, "</h3>\n");
}

static void html_block(ps_doc *doc, ps_doc_kind kind, char *text)
{
        static const char *const opens[] = {[PS_DOC_P] = "<p>",
                                            [PS_DOC_BIG] = "<p class=\"big\">",
                                            [PS_DOC_NOTE] = "<p class=\"warning\">",
                                            [PS_DOC_PATH] = "<p class=\"path\">",
                                            [PS_DOC_ADVICE] = "<p class=\"advice\">",
                                            [PS_DOC_POINT] = "<p class=\"point\">",
                                            [PS_DOC_HINT] = "<p class=\"rest\">"};

        if (kind == PS_DOC_TERM) {
                put_term(doc, doc->label);
                put_runs(doc->out, text);
                ps_output_puts(doc->out, "</dd></div>\n");
        } else if (kind == PS_DOC_HEAD) {
                put_head(doc, text);
        } else {
                close_terms(doc);
                ps_output_puts(doc->out, opens[kind]);
                put_runs(doc->out, text);
                ps_output_puts(doc->out, "</p>\n");
        }
}

static void html_command(ps_doc *doc, const char *purpose, const char *command)
{
        put_term(doc, purpose);
        ps_output_puts(doc->out, "<code>");
        ps_html_text(doc->out, command);
        ps_output_puts(doc->out, "</code></dd></div>\n");
}

static void html_items(ps_doc *doc, int begins)
{
        close_item(doc);
        ps_output_puts(doc->out, begins ? "<ol class=\"findings\">\n" : "</ol>\n");
}

/* -- tables -- */

static void html_table(ps_doc *doc)
{
        const ps_doc_table *t = &doc->table;

        const char *caption = t->caption && *t->caption ? t->caption : doc->title ? doc->title : "";
        bool is_said = doc->title && !strcmp(caption, doc->title);

        close_terms(doc);
        ps_html_open_table(doc->out, t->order == PS_DOC_TABLE ? "sort" : "tree", caption, is_said);
        ps_output_puts(doc->out, "<tr>");
        for (unsigned c = 0; c < t->n_columns; c++)
                ps_output_printf(doc->out, "<th scope=\"col\"%s>%s</th>",
                                 t->column[c].is_number ? " class=\"n\"" : "", t->column[c].head);
        ps_output_puts(doc->out, "</tr></thead>\n<tbody>\n");
}

static void put_first(ps_doc *doc)
{
        unsigned depth = doc->depth < DEEPEST ? doc->depth : DEEPEST;

        if (*doc->id)
                ps_output_printf(doc->out, "<tr id=\"%s\">", doc->id);
        else
                ps_output_puts(doc->out, "<tr>");
        if (doc->table.column[0].is_number)
                ps_output_puts(doc->out, "<th scope=\"row\" class=\"n\">");
        else if (depth)
                ps_output_printf(doc->out, "<th scope=\"row\" class=\"d%u\">", depth);
        else
                ps_output_puts(doc->out, "<th scope=\"row\">");
}

static void html_row(ps_doc *doc, char *cells, size_t n)
{
        char *cell, *note = ps_doc_cut_note(cells);

        (void)n;
        put_first(doc);
        for (unsigned c = 0; (cell = ps_doc_next_cell(&cells)); c++) {
                if (c)
                        ps_output_puts(doc->out,
                                       doc->table.column[c].is_number ? "<td class=\"n\">" : "<td>");
                put_runs(doc->out, cell);
                if (!c && note) {
                        ps_output_puts(doc->out, "<div class=\"note\">");
                        put_runs(doc->out, note);
                        ps_output_puts(doc->out, "</div>");
                }
                ps_output_puts(doc->out, c ? "</td>" : "</th>");
        }
        ps_output_puts(doc->out, "</tr>\n");
}

static void html_end_table(ps_doc *doc)
{
        ps_html_end_table(doc->out);
}

/* What a bar of one part shows stands beside it. */
static void bar(ps_doc *doc, const ps_doc_part *parts, unsigned n, double whole)
{
        ps_output_putc(doc->line, PS_MARK_RAW);
        ps_html_bar(doc->line, parts, n, whole, n == 1);
        ps_output_putc(doc->line, PS_MARK_UNIT);
}

const ps_doc_printer ps_doc_html = {
        1,          html_begin,   html_contents, html_end,   html_section, html_end_section,
        html_block, html_command, html_items,    html_table, html_row,     html_end_table,
        NULL,       bar};

const ps_doc_printer ps_doc_served = {
        1,          served_begin, html_contents, html_end,   html_section, html_end_section,
        html_block, html_command, html_items,    html_table, html_row,     html_end_table,
        NULL,       bar};
