/* text.c - a document at a terminal: lines that fit its width. */
#include "report/document/text.h"

#include <limits.h>
#include <string.h>

enum { ITEM_INDENT = 4, LABEL_COLUMNS = 13, PURPOSE_COLUMNS = 28 };

/* -- the frame -- */

void ps_doc_begin_lines(ps_doc *doc)
{
        if (doc->needs_blank && doc->is_open)
                ps_output_putc(doc->out, '\n');
        doc->needs_blank = 0;
        doc->is_open = true;
}

static void text_begin(ps_doc *doc, const char *command, const char *what, const char *description)
{
        unsigned columns = ps_text_columns(what);

        (void)command;
        if (!description)
                return;
        ps_doc_begin_lines(doc);
        ps_output_style(doc->out, PS_BOLD);
        ps_text_write(doc->out, what);
        ps_output_style(doc->out, PS_PLAIN);
        if (*description)
                ps_output_puts(doc->out,
                               columns + 2 + ps_text_columns(description) > ps_output_width(doc->out)
                                       ? ":\n  "
                                       : ": ");
        ps_text_write(doc->out, description);
        ps_output_putc(doc->out, '\n');
}

void ps_doc_put_bold_line(ps_doc *doc, const char *text)
{
        ps_doc_begin_lines(doc);
        ps_text_write_styled(doc->out, PS_BOLD, text);
        ps_output_putc(doc->out, '\n');
}

static void text_section(ps_doc *doc, const ps_doc_section *section)
{
        doc->needs_blank = 1;
        doc->indent = section->flags & PS_DOC_UNTITLED ? 0u : (unsigned)PS_DOC_MARGIN;
        if (doc->indent)
                ps_doc_put_bold_line(doc, section->title);
        doc->is_fresh = doc->indent > 0;
}

static void text_end_section(ps_doc *doc)
{
        doc->needs_blank = 1;
}

/* -- blocks -- */

/* Behind the next `between` in it; NULL: there is none. */
static const char *pass(const char *at, const char *end, const char *between)
{
        const char *next = strstr(at, between);

        return next && next < end ? next + strlen(between) : NULL;
}

const char *ps_doc_innermost(ps_doc *doc, const char *at, const char *end, unsigned room)
{
        static const char around[] = "... > ";
        const unsigned more = sizeof(around) - 1;
        const char *next;

        if (ps_doc_marked_columns(at, end) <= room)
                return at;
        ps_output_puts(doc->out, around);
        room -= room > more ? more : room;
        while (ps_doc_marked_columns(at, end) > room && (next = pass(at, end, " > ")))
                at = next;
        while (ps_doc_marked_columns(at, end) > room && (next = pass(at, end, "::")) && !pass(at, end, "<"))
                at = next;
        return at;
}

static void put_path(ps_doc *doc, const char *text)
{
        const char *end = text + strlen(text);

        ps_doc_set_style(doc, PS_DIM);
        text = ps_doc_innermost(doc, text, end, ps_output_width(doc->out) - doc->indent - 1);
        ps_doc_put_marked(doc, text, end, PS_DIM);
        ps_doc_set_style(doc, PS_PLAIN);
        ps_output_putc(doc->out, '\n');
}

static void text_block(ps_doc *doc, ps_doc_kind kind, char *text)
{
        static const struct {
                ps_style style;
                const char *lead;
        } looks[] = {[PS_DOC_NOTE] = {PS_YELLOW, ""},
                     [PS_DOC_ADVICE] = {PS_PLAIN, "-> "},
                     [PS_DOC_HINT] = {PS_DIM, ""},
                     [PS_DOC_POINT] = {PS_PLAIN, "- "},
                     [PS_DOC_HEAD] = {PS_PLAIN, ""}};
        const char *lead = looks[kind].lead ? looks[kind].lead : "";
        unsigned columns = doc->indent;

        doc->needs_blank |= kind == PS_DOC_HEAD;
        ps_doc_begin_lines(doc);
        doc->is_fresh = false;
        if (kind == PS_DOC_HEAD) {
                doc->indent = columns = ITEM_INDENT;
                ps_output_printf(doc->out, "%2u  ", doc->item);
        } else if (kind == PS_DOC_TERM) {
                ps_text_write_label(doc->out, doc->label, LABEL_COLUMNS);
                columns = LABEL_COLUMNS;
        } else {
                ps_output_repeat(doc->out, ' ', doc->indent);
        }
        ps_text_write_styled(doc->out, PS_GREEN, lead);
        if (kind == PS_DOC_PATH)
                put_path(doc, text);
        else
                ps_doc_wrap_all(doc, text, columns + (unsigned)strlen(lead), looks[kind].style);
}

/* The command stands beside its purpose if it fits there, or below it: it is to be copied, so never broken.
 */
static void text_command(ps_doc *doc, const char *purpose, const char *command)
{
        bool is_beside = PS_DOC_MARGIN + PURPOSE_COLUMNS + PS_DOC_GAP + ps_text_columns(command) <=
                         ps_output_width(doc->out);

        ps_doc_begin_lines(doc);
        if (is_beside)
                ps_output_printf(doc->out, "  %-*s  ", PURPOSE_COLUMNS, purpose);
        else
                ps_output_printf(doc->out, "  %s\n      ", purpose);
        ps_text_write(doc->out, command);
        ps_output_putc(doc->out, '\n');
}

static void text_items(ps_doc *doc, int begins)
{
        (void)begins;
        doc->needs_blank = 1;
        doc->indent = ITEM_INDENT;
}

static void text_drawing(ps_doc *doc, const char *title, const char *note)
{
        bool is_beside;

        if (!title)
                return;
        doc->needs_blank |= !doc->is_fresh;
        ps_doc_begin_lines(doc);
        doc->is_fresh = false;
        doc->indent = PS_DOC_MARGIN;
        ps_text_write_styled(doc->out, PS_BOLD, title);
        is_beside = ps_text_columns(title) + PS_DOC_GAP + ps_text_columns(note) <= ps_output_width(doc->out);
        ps_output_puts(doc->out, is_beside ? "  " : "\n  ");
        ps_output_style(doc->out, PS_DIM);
        ps_text_wrap(doc->out, note, PS_DOC_MARGIN, is_beside ? UINT_MAX : ps_output_width(doc->out));
        ps_output_style(doc->out, PS_PLAIN);
        ps_output_putc(doc->out, '\n');
}

const ps_doc_printer ps_doc_text = {.begin = text_begin,
                                    .section = text_section,
                                    .end_section = text_end_section,
                                    .block = text_block,
                                    .command = text_command,
                                    .items = text_items,
                                    .table = ps_doc_text_table,
                                    .row = ps_doc_text_row,
                                    .end_table = ps_doc_text_end_table,
                                    .drawing = text_drawing,
                                    .bar = ps_doc_draw_bar};
