/* text.c - a document at a terminal: lines that fit its width, tables whose columns are as wide as what is in
 * them. A table is kept until it ends, or until so much of it is there that its first rows may speak for all.
 */
#include "report/document/printer.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
        MARGIN = 2,
        ITEM_INDENT = 4,
        LABEL_COLUMNS = 13,
        PURPOSE_COLUMNS = 28,
        GAP = 2,
        NAME_LEAST = 13,
        NAME_FAIR = 32,
        WORDS_LEAST = 24,
        CAPTION_MOST = 34,
        ROWS_KEPT = 1000
};

static const ps_style styles[PS_DOC_LOOKS] = {
        [PS_DOC_STRONG] = PS_BOLD, [PS_DOC_DIM] = PS_DIM,    [PS_DOC_PLACE] = PS_CYAN,
        [PS_DOC_MARK] = PS_BOLD,   [PS_DOC_GOOD] = PS_GREEN, [PS_DOC_WARN] = PS_YELLOW,
        [PS_DOC_BAD] = PS_RED};

static const char cell_ends[] = {PS_MARK_CELL, PS_MARK_NOTE, '\0'};

/* -- marked text */

/* Behind marks and what goes with them. */
static const char *skip_marks(const char *at, const char *end)
{
        while (at < end && (unsigned char)*at < ' ')
                if (*at == PS_MARK_VALUE || *at == PS_MARK_LINK)
                        at += strcspn(at, (const char[]){PS_MARK_UNIT, '\0'});
                else
                        at++;
        return at;
}

static size_t visible_length(const char *at, const char *end)
{
        size_t n = 0;

        while (at + n < end && (unsigned char)at[n] >= ' ')
                n++;
        return n;
}

static unsigned columns_of(const char *at, const char *end)
{
        unsigned columns = 0;

        while ((at = skip_marks(at, end)) < end) {
                size_t n = visible_length(at, end);
                columns += ps_text_columns_before(at, at + n);
                at += n;
        }
        return columns;
}

/* Nothing when it is so already. */
static void set_style(ps_doc *doc, ps_style style)
{
        if (style == doc->style)
                return;
        if (doc->style != PS_PLAIN)
                ps_output_style(doc->out, PS_PLAIN);
        if (style != PS_PLAIN)
                ps_output_style(doc->out, style);
        doc->style = style;
}

static void read_marks(ps_doc *doc, const char *at, const char *end)
{
        for (; at < end; at++) {
                if (*at == PS_MARK_VALUE || *at == PS_MARK_LINK)
                        at += strcspn(at, (const char[]){PS_MARK_UNIT, '\0'});
                else if (*at != PS_MARK_END)
                        doc->run = *at < PS_DOC_LOOKS ? styles[(unsigned char)*at] : PS_PLAIN;
                else
                        doc->run = PS_PLAIN;
        }
}

static void put_marked(ps_doc *doc, const char *at, const char *end, ps_style base)
{
        while (at < end) {
                const char *text = skip_marks(at, end);
                size_t n = visible_length(text, end);
                read_marks(doc, at, text);
                if (n)
                        set_style(doc, doc->run != PS_PLAIN ? doc->run : base);
                ps_output_write(doc->out, text, n);
                at = text + n;
        }
}

/* Up to the blank that ends the word, or the words that belong together. */
static size_t word_length(const char *text, const char *end)
{
        const char *word = skip_marks(text, end), *blank = memchr(word, ' ', (size_t)(end - word));

        if (!blank)
                return (size_t)(end - text);
        if (blank > word && ps_text_belongs(word, (size_t)(blank - word), blank + 1)) {
                const char *next = memchr(blank + 1, ' ', (size_t)(end - blank - 1));
                blank = next ? next : end;
        }
        return (size_t)(blank - text);
}

/* Lines that begin at `indent`, where the output is, and end before `width`. */
static void wrap(ps_doc *doc, const char *text, const char *end, unsigned indent, unsigned width,
                 ps_style base)
{
        unsigned at = indent;

        while (text < end) {
                size_t n = word_length(text, end);
                unsigned columns = columns_of(text, text + n);
                if (at > indent && at + 1 + columns >= width) {
                        ps_output_putc(doc->out, '\n');
                        ps_output_repeat(doc->out, ' ', indent);
                        at = indent;
                } else if (at > indent) {
                        ps_output_putc(doc->out, ' ');
                        at++;
                }
                put_marked(doc, text, text + n, base);
                at += columns;
                text += n;
                text += text < end;
        }
        set_style(doc, PS_PLAIN);
}

static void wrap_all(ps_doc *doc, const char *text, unsigned indent, ps_style base)
{
        wrap(doc, text, text + strlen(text), indent, ps_output_width(doc->out), base);
        ps_output_putc(doc->out, '\n');
}

/* -- the frame */

/* Whatever is printed comes after the blank line that somebody has asked for. */
static void begin_lines(ps_doc *doc)
{
        if (doc->needs_blank && doc->is_open)
                ps_output_putc(doc->out, '\n');
        doc->needs_blank = 0;
        doc->is_open = 1;
}

static void begin(ps_doc *doc, const char *command, const char *what, const char *description)
{
        unsigned columns = ps_text_columns(what);

        (void)command;
        if (!description)
                return;
        begin_lines(doc);
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

static void contents(ps_doc *doc, const ps_doc_section *sections, unsigned n, const void *subject)
{
        (void)doc;
        (void)sections;
        (void)n;
        (void)subject;
}

static void end(ps_doc *doc)
{
        (void)doc;
}

static void put_bold_line(ps_doc *doc, const char *text)
{
        begin_lines(doc);
        ps_text_write_styled(doc->out, PS_BOLD, text);
        ps_output_putc(doc->out, '\n');
}

static void section(ps_doc *doc, const ps_doc_section *section)
{
        doc->needs_blank = 1;
        doc->indent = section->flags & PS_DOC_UNTITLED ? 0u : (unsigned)MARGIN;
        if (doc->indent)
                put_bold_line(doc, section->title);
        doc->is_fresh = doc->indent > 0;
}

static void end_section(ps_doc *doc)
{
        doc->needs_blank = 1;
}

/* -- blocks */

/* As many of the innermost names as fit into the line. */
static void put_path(ps_doc *doc, const char *text)
{
        const char *end = text + strlen(text), *next;
        unsigned room = ps_output_width(doc->out) - doc->indent - 1;

        set_style(doc, PS_DIM);
        if (columns_of(text, end) > room)
                ps_output_puts(doc->out, "... > ");
        else
                room += 6;
        while (columns_of(text, end) + 6 > room && (next = strstr(text, " > ")))
                text = next + 3;
        put_marked(doc, text, end, PS_DIM);
        set_style(doc, PS_PLAIN);
        ps_output_putc(doc->out, '\n');
}

static void block(ps_doc *doc, ps_doc_kind kind, char *text)
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
        begin_lines(doc);
        doc->is_fresh = 0;
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
                wrap_all(doc, text, columns + (unsigned)strlen(lead), looks[kind].style);
}

/* The command stands beside its purpose if it fits there, or below it: it is to be copied, so never broken.
 */
static void command(ps_doc *doc, const char *purpose, const char *command)
{
        int is_beside =
                MARGIN + PURPOSE_COLUMNS + GAP + ps_text_columns(command) <= ps_output_width(doc->out);

        begin_lines(doc);
        if (is_beside)
                ps_output_printf(doc->out, "  %-*s  ", PURPOSE_COLUMNS, purpose);
        else
                ps_output_printf(doc->out, "  %s\n      ", purpose);
        ps_text_write(doc->out, command);
        ps_output_putc(doc->out, '\n');
}

static void items(ps_doc *doc, int begins)
{
        (void)begins;
        doc->needs_blank = 1;
        doc->indent = ITEM_INDENT;
}

/* -- tables */

typedef struct layout {
        unsigned columns[PS_DOC_COLUMNS]; /* 0: not shown */
        unsigned last;                    /* the last one that is */
        int has_heads, has_caption;       /* caption: as the first head */
} layout;

static const char *row_end(const char *row)
{
        return row + strlen(row);
}

/* The cell that ends at *end. */
static const char *next_cell(const char *at, const char **end)
{
        if (!at)
                return NULL;
        *end = at + strcspn(at, cell_ends);
        return at;
}

static const char *after_cell(const char *end)
{
        return *end == PS_MARK_CELL ? end + 1 : NULL;
}

static void measure(layout *l, const ps_doc *doc, const char *rows, const char *rows_end)
{
        const ps_doc_table *t = &doc->table;
        const char *end;

        for (unsigned c = 0; c < t->n_columns; c++)
                l->columns[c] =
                        ps_text_columns(c || !l->has_caption ? t->column[c].head : t->caption + MARGIN);
        for (; rows < rows_end; rows = row_end(rows) + 1) {
                const char *at = rows + 1;
                for (unsigned c = 0; c < t->n_columns && next_cell(at, &end); c++, at = after_cell(end)) {
                        unsigned here = columns_of(at, end) + (c ? 0 : 2 * ((unsigned)*rows - 1));
                        l->columns[c] = here > l->columns[c] ? here : l->columns[c];
                }
        }
        for (unsigned c = 0; c < t->n_columns; c++)
                if (t->column[c].is_page_only)
                        l->columns[c] = 0;
}

static unsigned total(layout *l, unsigned n)
{
        unsigned sum = MARGIN;

        for (unsigned c = 0; c < n; c++)
                if (l->columns[c]) {
                        sum += l->columns[c] + (c ? GAP : 0);
                        l->last = c;
                }
        return sum;
}

/* Takes from `columns` what is too much, down to `least`. */
static void shrink(unsigned *columns, unsigned least, unsigned sum, unsigned width)
{
        unsigned much = sum > width ? sum - width : 0;

        if (*columns > least)
                *columns = *columns - least > much ? *columns - much : least;
}

/* Words wrap, long names get lines of their own, columns that one can do without go, and then shorter names
 * follow. */
static void fit(layout *l, const ps_doc_table *t, unsigned width)
{
        unsigned sum = total(l, t->n_columns);

        if (sum <= width)
                return;
        if (t->column[l->last].is_wrapped)
                shrink(&l->columns[l->last], WORDS_LEAST, sum, width);
        shrink(&l->columns[0], NAME_FAIR, total(l, t->n_columns), width);
        for (unsigned c = t->n_columns; c > 1 && total(l, t->n_columns) > width; c--)
                if (t->column[c - 1].is_optional)
                        l->columns[c - 1] = 0;
        shrink(&l->columns[0], NAME_LEAST, total(l, t->n_columns), width);
}

/* `columns` wide, but at the end of a line no longer than it has to be. */
static void put_cell(ps_doc *doc, const layout *l, unsigned c, const char *at, const char *end,
                     unsigned begin)
{
        unsigned used = columns_of(at, end), blanks = l->columns[c] > used ? l->columns[c] - used : 0;
        const ps_doc_column *column = &doc->table.column[c];

        if (column->is_number)
                ps_output_repeat(doc->out, ' ', blanks);
        if (c == l->last && column->is_wrapped)
                wrap(doc, at, end, begin, begin + l->columns[c] + 1, PS_PLAIN);
        else
                put_marked(doc, at, end, doc->depth ? PS_DIM : PS_PLAIN);
        if (!column->is_number && c < l->last)
                ps_output_repeat(doc->out, ' ', blanks);
}

/* A name that is too long for its column has a line of its own. */
static void put_first(ps_doc *doc, const layout *l, const char *at, const char *end)
{
        unsigned indent = 2 * doc->depth, used = columns_of(at, end);

        ps_output_repeat(doc->out, ' ', MARGIN + indent);
        if (doc->table.column[0].is_number || !l->last) {
                put_cell(doc, l, 0, at, end, MARGIN);
                return;
        }
        put_marked(doc, at, end, doc->depth ? PS_DIM : PS_PLAIN);
        used += indent;
        if (used > l->columns[0]) {
                ps_output_putc(doc->out, '\n');
                ps_output_repeat(doc->out, ' ', MARGIN);
                used = 0;
        }
        ps_output_repeat(doc->out, ' ', l->columns[0] - used);
}

/* Whether nothing but empty cells follows. */
static int is_last(const char *at)
{
        const char *end = at ? at + strcspn(at, (const char[]){PS_MARK_NOTE, '\0'}) : NULL;

        return !at || columns_of(at, end) == 0;
}

static void put_row(ps_doc *doc, const layout *l, const char *row)
{
        const char *at = row + 1, *end = at, *note;
        unsigned begin = MARGIN + l->columns[0];

        doc->depth = (unsigned)*row - 1;
        next_cell(at, &end);
        put_first(doc, l, at, end);
        at = after_cell(end);
        for (unsigned c = 1; next_cell(at, &end) && c < doc->table.n_columns; c++, at = after_cell(end)) {
                if (!l->columns[c] || is_last(at))
                        continue;
                ps_output_repeat(doc->out, ' ', GAP);
                put_cell(doc, l, c, at, end, begin + GAP);
                begin += GAP + l->columns[c];
        }
        set_style(doc, PS_PLAIN);
        ps_output_putc(doc->out, '\n');
        note = strchr(row, PS_MARK_NOTE);
        if (note && note[1]) {
                ps_output_repeat(doc->out, ' ', (size_t)2 * MARGIN);
                wrap_all(doc, note + 1, 2 * MARGIN, PS_DIM);
        }
}

/* At a terminal heads begin in lower case, as the words that they are. */
static void put_heads(const ps_doc *doc, const layout *l)
{
        const ps_doc_table *t = &doc->table;
        unsigned used = 0;

        ps_output_style(doc->out, PS_BOLD);
        for (unsigned c = 0; c < t->n_columns; c++) {
                char head[PS_DOC_HEADS_ROOM];
                unsigned columns = l->columns[c] + (c ? 0 : MARGIN), here;
                if (!l->columns[c])
                        continue;
                snprintf(head, sizeof(head), "%s", c || !l->has_caption ? t->column[c].head : t->caption);
                if (c && *head >= 'A' && *head <= 'Z' && head[1] >= 'a')
                        *head = (char)(*head - 'A' + 'a');
                here = ps_text_columns(head);
                ps_output_repeat(doc->out, ' ', c ? GAP : l->has_caption ? 0 : MARGIN);
                columns -= c || l->has_caption ? 0 : MARGIN;
                used = columns > here ? columns - here : 0;
                ps_output_repeat(doc->out, ' ', t->column[c].is_number ? used : 0);
                ps_output_puts(doc->out, head);
                ps_output_repeat(doc->out, ' ', t->column[c].is_number || c == l->last ? 0 : used);
        }
        ps_output_style(doc->out, PS_PLAIN);
        ps_output_putc(doc->out, '\n');
}

static void table(ps_doc *doc)
{
        doc->needs_blank |= !doc->is_fresh;
        ps_output_clear(doc->rows);
}

/* The rows that are kept. */
static void put_rows(ps_doc *doc, int is_first)
{
        ps_doc_table *t = &doc->table;
        layout l = {0};
        unsigned columns = t->caption ? ps_text_columns(t->caption) : 0;
        size_t n = ps_output_gathered(doc->rows);
        const char *rows = ps_output_text(doc->rows);

        if (!rows || (!n && !is_first)) {
                doc->failed |= !rows;
                return;
        }
        l.has_heads = t->caption != NULL;
        l.has_caption = l.has_heads && columns > MARGIN && columns <= CAPTION_MOST && !t->column[0].is_number;
        measure(&l, doc, rows, rows + n);
        if (l.has_caption && l.columns[0] + MARGIN == columns &&
            total(&l, t->n_columns) > ps_output_width(doc->out)) { /* for its sake */
                l.has_caption = 0;
                measure(&l, doc, rows, rows + n);
        }
        fit(&l, t, ps_output_width(doc->out));
        if (t->order == PS_DOC_GRID && total(&l, t->n_columns) > ps_output_width(doc->out))
                return;
        begin_lines(doc);
        doc->is_fresh = 0;
        if (is_first && l.has_heads && !l.has_caption && columns)
                put_bold_line(doc, t->caption);
        if (is_first && l.has_heads)
                put_heads(doc, &l);
        for (const char *row = rows; row < rows + n; row = row_end(row) + 1)
                put_row(doc, &l, row);
        ps_output_clear(doc->rows);
}

static void row(ps_doc *doc, char *cells, size_t n)
{
        unsigned depth = doc->depth < 60 ? doc->depth : 60;

        ps_output_putc(doc->rows, (char)(depth + 1));
        ps_output_write(doc->rows, cells, n + 1);
        if (doc->n_rows % ROWS_KEPT == ROWS_KEPT - 1)
                put_rows(doc, doc->n_rows < ROWS_KEPT);
}

static void end_table(ps_doc *doc)
{
        put_rows(doc, doc->n_rows <= ROWS_KEPT);
        doc->indent = doc->indent ? doc->indent : (unsigned)MARGIN; /* of what is said of it */
}

static void drawing(ps_doc *doc, const char *title, const char *note)
{
        int is_beside;

        if (!title)
                return;
        doc->needs_blank |= !doc->is_fresh;
        begin_lines(doc);
        doc->is_fresh = 0;
        doc->indent = MARGIN;
        ps_text_write_styled(doc->out, PS_BOLD, title);
        is_beside = ps_text_columns(title) + GAP + ps_text_columns(note) <= ps_output_width(doc->out);
        ps_output_puts(doc->out, is_beside ? "  " : "\n  ");
        ps_output_style(doc->out, PS_DIM);
        ps_text_wrap(doc->out, note, MARGIN, is_beside ? UINT_MAX : ps_output_width(doc->out));
        ps_output_style(doc->out, PS_PLAIN);
        ps_output_putc(doc->out, '\n');
}

const ps_doc_printer ps_doc_text = {0,       begin, contents, end, section,   end_section, block,
                                    command, items, table,    row, end_table, drawing,     ps_doc_draw_bar};
