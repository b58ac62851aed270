/* text_table.c - a table at a terminal: columns that are as wide as what is in them. It is kept until it
 * ends, or until so much of it is there that its first rows may speak for all. */
#include "report/document/text.h"

#include <stdio.h>
#include <string.h>

enum { NAME_LEAST = 13, NAME_FAIR = 32, WORDS_LEAST = 24, CAPTION_MOST = 34, ROWS_KEPT = 1000 };

static const char cell_ends[] = {PS_MARK_CELL, PS_MARK_NOTE, '\0'};

typedef struct layout {
        unsigned columns[PS_DOC_COLUMNS]; /* 0: not shown */
        unsigned last;                    /* the last one that is */
        bool has_heads, has_caption;      /* caption: as the first head */
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

static void measure_columns(layout *l, const ps_doc *doc, const char *rows, const char *rows_end)
{
        const ps_doc_table *t = &doc->table;
        const char *end;

        for (unsigned c = 0; c < t->n_columns; c++)
                l->columns[c] = ps_text_columns(c || !l->has_caption ? t->column[c].head
                                                                     : t->caption + PS_DOC_MARGIN);
        for (; rows < rows_end; rows = row_end(rows) + 1) {
                const char *at = rows + 1;
                for (unsigned c = 0; c < t->n_columns && next_cell(at, &end); c++, at = after_cell(end)) {
                        unsigned here = ps_doc_marked_columns(at, end) + (c ? 0 : 2 * ((unsigned)*rows - 1));
                        l->columns[c] = here > l->columns[c] ? here : l->columns[c];
                }
        }
        for (unsigned c = 0; c < t->n_columns; c++)
                if (t->column[c].is_page_only)
                        l->columns[c] = 0;
}

static unsigned total_width(layout *l, unsigned n)
{
        unsigned sum = PS_DOC_MARGIN;

        for (unsigned c = 0; c < n; c++)
                if (l->columns[c]) {
                        sum += l->columns[c] + (c ? PS_DOC_GAP : 0);
                        l->last = c;
                }
        return sum;
}

/* Takes from `columns` what is too much, down to `least`. */
static void shrink_column(unsigned *columns, unsigned least, unsigned sum, unsigned width)
{
        unsigned much = sum > width ? sum - width : 0;

        if (*columns > least)
                *columns = *columns - least > much ? *columns - much : least;
}

/* Words wrap, long names get lines of their own, columns that one can do without go, and then shorter names
 * follow. */
static void fit_columns(layout *l, const ps_doc_table *t, unsigned width)
{
        unsigned sum = total_width(l, t->n_columns);

        if (sum <= width)
                return;
        if (t->column[l->last].is_wrapped)
                shrink_column(&l->columns[l->last], WORDS_LEAST, sum, width);
        shrink_column(&l->columns[0], NAME_FAIR, total_width(l, t->n_columns), width);
        for (unsigned c = t->n_columns; c > 1 && total_width(l, t->n_columns) > width; c--)
                if (t->column[c - 1].is_optional)
                        l->columns[c - 1] = 0;
        shrink_column(&l->columns[0], NAME_LEAST, total_width(l, t->n_columns), width);
}

/* `columns` wide, but at the end of a line no longer than it has to be. */
static void put_cell(ps_doc *doc, const layout *l, unsigned c, const char *at, const char *end,
                     unsigned begin)
{
        unsigned used = ps_doc_marked_columns(at, end),
                 blanks = l->columns[c] > used ? l->columns[c] - used : 0;
        const ps_doc_column *column = &doc->table.column[c];

        if (column->is_number)
                ps_output_repeat(doc->out, ' ', blanks);
        if (c == l->last && column->is_path)
                at = ps_doc_innermost(doc, at, end, l->columns[c]);
        if (c == l->last && column->is_wrapped)
                ps_doc_wrap(doc, at, end, begin, begin + l->columns[c] + 1, PS_PLAIN);
        else
                ps_doc_put_marked(doc, at, end, doc->depth ? PS_DIM : PS_PLAIN);
        if (!column->is_number && c < l->last)
                ps_output_repeat(doc->out, ' ', blanks);
}

/* A name that is too long for its column has a line of its own. */
static void put_first(ps_doc *doc, const layout *l, const char *at, const char *end)
{
        unsigned indent = 2 * doc->depth, used = ps_doc_marked_columns(at, end);

        ps_output_repeat(doc->out, ' ', PS_DOC_MARGIN + indent);
        if (doc->table.column[0].is_number || !l->last) {
                put_cell(doc, l, 0, at, end, PS_DOC_MARGIN);
                return;
        }
        ps_doc_put_marked(doc, at, end, doc->depth ? PS_DIM : PS_PLAIN);
        used += indent;
        if (used > l->columns[0]) {
                ps_output_putc(doc->out, '\n');
                ps_output_repeat(doc->out, ' ', PS_DOC_MARGIN);
                used = 0;
        }
        ps_output_repeat(doc->out, ' ', l->columns[0] - used);
}

/* Whether nothing but empty cells follows. */
static bool is_last(const char *at)
{
        const char *end = at ? at + strcspn(at, (const char[]){PS_MARK_NOTE, '\0'}) : NULL;

        return !at || ps_doc_marked_columns(at, end) == 0;
}

static void put_text_row(ps_doc *doc, const layout *l, const char *row)
{
        const char *at = row + 1, *end = at, *note;
        unsigned begin = PS_DOC_MARGIN + l->columns[0];

        doc->depth = (unsigned)*row - 1;
        next_cell(at, &end);
        put_first(doc, l, at, end);
        at = after_cell(end);
        for (unsigned c = 1; next_cell(at, &end) && c < doc->table.n_columns; c++, at = after_cell(end)) {
                if (!l->columns[c] || is_last(at))
                        continue;
                ps_output_repeat(doc->out, ' ', PS_DOC_GAP);
                put_cell(doc, l, c, at, end, begin + PS_DOC_GAP);
                begin += PS_DOC_GAP + l->columns[c];
        }
        ps_doc_set_style(doc, PS_PLAIN);
        ps_output_putc(doc->out, '\n');
        note = strchr(row, PS_MARK_NOTE);
        if (note && note[1]) {
                ps_output_repeat(doc->out, ' ', (size_t)2 * PS_DOC_MARGIN);
                ps_doc_wrap_all(doc, note + 1, 2 * PS_DOC_MARGIN, PS_DIM);
        }
}

/* The last column that has one. */
static unsigned last_head(const ps_doc_table *t, const layout *l)
{
        unsigned last = t->n_columns - 1;

        while (last && (!l->columns[last] || !*t->column[last].head))
                last--;
        return last;
}

/* At a terminal heads begin in lower case, as the words that they are. */
static void put_heads(const ps_doc *doc, const layout *l)
{
        const ps_doc_table *t = &doc->table;
        unsigned used = 0, last = last_head(t, l);

        ps_output_style(doc->out, PS_BOLD);
        for (unsigned c = 0; c <= last; c++) {
                char head[PS_DOC_HEADS_ROOM];
                unsigned columns = l->columns[c] + (c ? 0 : PS_DOC_MARGIN), here;
                if (!l->columns[c])
                        continue;
                snprintf(head, sizeof(head), "%s", c || !l->has_caption ? t->column[c].head : t->caption);
                if (c && *head >= 'A' && *head <= 'Z' && head[1] >= 'a')
                        *head = (char)(*head - 'A' + 'a');
                here = ps_text_columns(head);
                ps_output_repeat(doc->out, ' ', c ? PS_DOC_GAP : l->has_caption ? 0 : PS_DOC_MARGIN);
                columns -= c || l->has_caption ? 0 : PS_DOC_MARGIN;
                used = columns > here ? columns - here : 0;
                ps_output_repeat(doc->out, ' ', t->column[c].is_number ? used : 0);
                ps_output_puts(doc->out, head);
                ps_output_repeat(doc->out, ' ', t->column[c].is_number || c == last ? 0 : used);
        }
        ps_output_style(doc->out, PS_PLAIN);
        ps_output_putc(doc->out, '\n');
}

void ps_doc_text_table(ps_doc *doc)
{
        doc->needs_blank |= !doc->is_fresh;
        ps_output_clear(doc->rows);
}

/* The rows that are kept. */
static void put_rows(ps_doc *doc, bool is_first)
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
        l.has_caption =
                l.has_heads && columns > PS_DOC_MARGIN && columns <= CAPTION_MOST && !t->column[0].is_number;
        measure_columns(&l, doc, rows, rows + n);
        if (l.has_caption && l.columns[0] + PS_DOC_MARGIN == columns &&
            total_width(&l, t->n_columns) > ps_output_width(doc->out)) { /* for its sake */
                l.has_caption = false;
                measure_columns(&l, doc, rows, rows + n);
        }
        fit_columns(&l, t, ps_output_width(doc->out));
        if (t->order == PS_DOC_GRID && total_width(&l, t->n_columns) > ps_output_width(doc->out))
                return;
        ps_doc_begin_lines(doc);
        doc->is_fresh = false;
        if (is_first && l.has_heads && !l.has_caption && columns)
                ps_doc_put_bold_line(doc, t->caption);
        if (is_first && l.has_heads)
                put_heads(doc, &l);
        for (const char *row = rows; row < rows + n; row = row_end(row) + 1)
                put_text_row(doc, &l, row);
        ps_output_clear(doc->rows);
}

void ps_doc_text_row(ps_doc *doc, char *cells, size_t n)
{
        unsigned depth = doc->depth < 60 ? doc->depth : 60;

        ps_output_putc(doc->rows, (char)(depth + 1));
        ps_output_write(doc->rows, cells, n + 1);
        if (doc->n_rows % ROWS_KEPT == ROWS_KEPT - 1)
                put_rows(doc, doc->n_rows < ROWS_KEPT);
}

void ps_doc_text_end_table(ps_doc *doc)
{
        put_rows(doc, doc->n_rows <= ROWS_KEPT);
        doc->indent = doc->indent ? doc->indent : (unsigned)PS_DOC_MARGIN; /* of what is said of it */
}
