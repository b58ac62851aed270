/* markdown.c - a document for a comment on a pull request, as GitHub reads it. */
#include "report/print/markdown.h"
#include "report/document/printer.h"

#include <ctype.h>
#include <string.h>

enum { CAPTION_MOST = 34 };

/* Names that are addressed, issues, smileys and emphasis are made of these, but not of each of them. */
static bool is_harmless(char before, char c, char next)
{
        return strchr("!{}>", c) || (c == ':' && !isalpha((unsigned char)next) && next != '/') ||
               (c == '#' && !isalnum((unsigned char)next)) ||
               (c == '_' && isalnum((unsigned char)before) && isalnum((unsigned char)next));
}

static void put_prose(ps_output *out, const char *text)
{
        for (char before = ' '; *text; before = *text++) {
                const char *escape = is_harmless(before, *text, text[1]) ? NULL : ps_markdown_escape(*text);
                if (escape)
                        ps_output_puts(out, escape);
                else
                        ps_output_putc(out, *text);
        }
}

static void put_runs(ps_output *out, char *text)
{
        static const char bold[PS_DOC_LOOKS] = {[PS_DOC_STRONG] = 1, [PS_DOC_MARK] = 1, [PS_DOC_BAD] = 1};
        ps_doc_run run;

        while (ps_doc_next_run(&text, &run)) {
                const char *around = bold[run.look] ? "**" : "";
                if (run.look == PS_DOC_NAME || run.look == PS_DOC_COMMAND || run.look == PS_DOC_PLACE) {
                        ps_markdown_write_name(out, run.text);
                        continue;
                }
                ps_output_puts(out, around);
                put_prose(out, run.text);
                ps_output_puts(out, around);
        }
}

/* A blank line before it, unless it goes on with a list. */
static void begin_block(ps_doc *doc, bool is_listed)
{
        if (doc->is_open && !(is_listed && doc->has_last && doc->last == PS_DOC_TERM))
                ps_output_putc(doc->out, '\n');
        doc->is_open = true;
        ps_output_repeat(doc->out, ' ', doc->indent);
}

static void markdown_begin(ps_doc *doc, const char *command, const char *what, const char *description)
{
        ps_output_printf(doc->out, "### patscan%s%s: ", *command ? " " : "", command);
        ps_markdown_write_name(doc->out, what);
        ps_output_putc(doc->out, '\n');
        doc->is_open = true;
        if (!description || !*description)
                return;
        ps_output_putc(doc->out, '\n');
        put_prose(doc->out, description);
        ps_output_putc(doc->out, '\n');
}

static void markdown_section(ps_doc *doc, const ps_doc_section *section)
{
        doc->has_last = false;
        if (section->flags & PS_DOC_UNTITLED)
                return;
        begin_block(doc, 0);
        ps_output_printf(doc->out, "#### %s\n", section->title);
}

/* -- blocks -- */

static void markdown_block(ps_doc *doc, ps_doc_kind kind, char *text)
{
        if (kind == PS_DOC_HEAD)
                doc->indent = 0;
        begin_block(doc, kind == PS_DOC_TERM);
        if (kind == PS_DOC_HEAD) {
                ps_output_printf(doc->out, "%u. ", doc->item);
                doc->indent = 3;
        } else if (kind == PS_DOC_TERM) {
                ps_output_puts(doc->out, "- ");
                put_prose(doc->out, doc->label);
                ps_output_puts(doc->out, ": ");
        } else if (kind == PS_DOC_POINT) {
                ps_output_puts(doc->out, "- ");
        } else if (kind == PS_DOC_NOTE) {
                ps_output_puts(doc->out, "> ");
        } else if (kind == PS_DOC_ADVICE) {
                ps_output_puts(doc->out, "\xe2\x86\x92 ");
        }
        put_runs(doc->out, text);
        ps_output_putc(doc->out, '\n');
}

static void markdown_command(ps_doc *doc, const char *purpose, const char *command)
{
        begin_block(doc, 1);
        ps_output_printf(doc->out, "- %s: ", purpose);
        ps_markdown_write_name(doc->out, command);
        ps_output_putc(doc->out, '\n');
}

static void markdown_items(ps_doc *doc, int begins)
{
        (void)begins;
        doc->indent = 0;
}

/* -- tables -- */

static void markdown_table(ps_doc *doc)
{
        const ps_doc_table *t = &doc->table;
        const char *caption = t->caption ? t->caption : "";
        bool is_head = *caption && strlen(caption) <= CAPTION_MOST && !t->column[0].is_number;

        if (*caption && !is_head) {
                begin_block(doc, 0);
                ps_output_printf(doc->out, "%s:\n", caption);
        }
        begin_block(doc, 0);
        ps_output_putc(doc->out, '|');
        for (unsigned c = 0; c < t->n_columns; c++)
                if (!t->column[c].is_page_only)
                        ps_output_printf(doc->out, " %s |", c || !is_head ? t->column[c].head : caption);
        ps_output_puts(doc->out, "\n|");
        for (unsigned c = 0; c < t->n_columns; c++)
                if (!t->column[c].is_page_only)
                        ps_output_puts(doc->out, t->column[c].is_number ? "---:|" : "---|");
        ps_output_putc(doc->out, '\n');
}

static void markdown_row(ps_doc *doc, char *cells, size_t n)
{
        char *cell, *note = ps_doc_cut_note(cells);

        (void)n;
        ps_output_putc(doc->out, '|');
        for (unsigned c = 0; (cell = ps_doc_next_cell(&cells)); c++) {
                if (doc->table.column[c].is_page_only)
                        continue;
                ps_output_putc(doc->out, ' ');
                for (unsigned d = 0; !c && d < doc->depth; d++)
                        ps_output_puts(doc->out, "&nbsp;&nbsp;");
                put_runs(doc->out, cell);
                if (!c && note) {
                        ps_output_puts(doc->out, "<br>");
                        put_runs(doc->out, note);
                }
                ps_output_puts(doc->out, " |");
        }
        ps_output_putc(doc->out, '\n');
}

static void markdown_drawing(ps_doc *doc, const char *title, const char *note)
{
        if (!title) {
                ps_output_puts(doc->out, "```\n");
                return;
        }
        begin_block(doc, 0);
        ps_output_printf(doc->out, "%s: %s\n\n```\n", title, note);
        doc->has_last = false;
}

const ps_doc_printer ps_doc_markdown = {.begin = markdown_begin,
                                        .section = markdown_section,
                                        .block = markdown_block,
                                        .command = markdown_command,
                                        .items = markdown_items,
                                        .table = markdown_table,
                                        .row = markdown_row,
                                        .drawing = markdown_drawing,
                                        .bar = ps_doc_draw_bar};
