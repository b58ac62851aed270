/* document.c - see document.h: gathers blocks and rows, and hands them to the printer. */
#include "report/document/printer.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void end(ps_doc *doc, void (*print)(ps_doc *doc))
{
        if (print)
                print(doc);
}

ps_status ps_doc_print(const ps_doc_printer *printer, ps_output *out, ps_doc_writer *writer,
                       const void *subject, ps_error *err)
{
        ps_doc *doc = calloc(1, sizeof(*doc));
        ps_status status = doc ? PS_OK : PS_NOMEM(err, "document", 1);

        if (status == PS_OK) {
                doc->printer = printer;
                doc->out = out;
                status = ps_output_open_memory(&doc->line, PS_WIDTH_DEFAULT, err);
        }
        PS_THEN(status, ps_output_open_memory(&doc->rows, PS_WIDTH_DEFAULT, err));
        if (status == PS_OK) {
                status = writer(doc, subject, err);
                end(doc, printer->end);
        }
        if (status == PS_OK && doc->failed)
                status = PS_NOMEM(err, "document", 1);
        if (doc) {
                ps_output_discard(doc->line);
                ps_output_discard(doc->rows);
        }
        free(doc);
        return status;
}

uint32_t ps_doc_most(const ps_doc *doc, uint32_t asked, uint32_t brief, uint32_t page)
{
        return asked ? asked : doc->printer->is_page ? page : brief;
}

ps_output *ps_doc_page(ps_doc *doc)
{
        return doc->printer->is_page ? doc->out : NULL;
}

bool ps_doc_is_at_terminal(const ps_doc *doc)
{
        return doc->printer == &ps_doc_text;
}

/* -- the frame -- */

void ps_doc_title(ps_doc *doc, const char *command, const char *what, const char *description)
{
        doc->printer->begin(doc, command, what, description);
}

static bool is_told(const ps_doc *doc, const ps_doc_section *section, const void *subject)
{
        return (doc->printer->is_page || !(section->flags & PS_DOC_PAGE_ONLY)) &&
               (!section->is_told || section->is_told(subject));
}

ps_status ps_doc_sections(ps_doc *doc, const ps_doc_section *sections, unsigned n, const void *subject,
                          ps_error *err)
{
        if (doc->printer->contents)
                doc->printer->contents(doc, sections, n, subject);
        for (unsigned i = 0; i < n; i++) {
                if (!is_told(doc, &sections[i], subject))
                        continue;
                doc->title = sections[i].title;
                doc->printer->section(doc, &sections[i]);
                doc->has_last = false;
                PS_TRY(sections[i].put(doc, subject, err));
                end(doc, doc->printer->end_section);
        }
        return PS_OK;
}

/* -- runs -- */

static void put_mark(ps_doc *doc, int what)
{
        ps_output_putc(doc->line, (char)what);
}

static void put_payload(ps_doc *doc, int what, const char *payload)
{
        put_mark(doc, what);
        ps_text_write(doc->line, payload);
        put_mark(doc, PS_MARK_UNIT);
}

void ps_doc_put(ps_doc *doc, ps_doc_look look, const char *text)
{
        if (!*text)
                return;
        put_mark(doc, (int)look);
        ps_text_write(doc->line, text);
        put_mark(doc, PS_MARK_END);
}

/* Text of any length. */
static void put_args(ps_doc *doc, ps_doc_look look, const char *fmt, va_list args)
{
        char room[PS_SENTENCE_ROOM], *text = room;
        va_list again;
        int n;

        va_copy(again, args);
        n = vsnprintf(room, sizeof(room), fmt, args);
        if (n >= (int)sizeof(room) && (text = malloc((size_t)n + 1)))
                vsnprintf(text, (size_t)n + 1, fmt, again);
        va_end(again);
        doc->failed |= !text || n < 0;
        if (text && n >= 0)
                ps_doc_put(doc, look, text);
        if (text != room)
                free(text);
}

void ps_doc_putf(ps_doc *doc, ps_doc_look look, const char *fmt, ...)
{
        va_list args;

        va_start(args, fmt);
        put_args(doc, look, fmt, args);
        va_end(args);
}

static void put_value(ps_doc *doc, ps_doc_look look, double value, const char *text)
{
        char room[PS_NUMBER_ROOM];

        snprintf(room, sizeof(room), "%.12g", value);
        put_payload(doc, PS_MARK_VALUE, room);
        ps_doc_put(doc, look, text);
}

void ps_doc_put_seconds(ps_doc *doc, ps_doc_look look, double seconds)
{
        char room[PS_NUMBER_ROOM];

        if (isnan(seconds)) {
                ps_doc_put(doc, look, "-");
                return;
        }
        ps_text_seconds_short(room, seconds);
        put_value(doc, look, seconds, seconds == 0 ? "0" : room);
}

void ps_doc_put_time(ps_doc *doc, ps_doc_look look, ps_time time)
{
        ps_doc_put_seconds(doc, look, ps_time_seconds(time));
}

void ps_doc_put_count(ps_doc *doc, ps_doc_look look, uint64_t n)
{
        char room[PS_NUMBER_ROOM];

        ps_text_count(room, n);
        put_value(doc, look, (double)n, room);
}

void ps_doc_put_many(ps_doc *doc, uint64_t n, const char *one, const char *many)
{
        char room[PS_NUMBER_ROOM];

        ps_text_count(room, n);
        ps_doc_putf(doc, PS_DOC_PLAIN, "%s %s", room, n == 1 ? one : many);
}

void ps_doc_put_share(ps_doc *doc, ps_doc_look look, double share)
{
        char room[PS_NUMBER_ROOM];

        if (isnan(share))
                ps_doc_put(doc, look, "-");
        else
                put_value(doc, look, share, ps_text_share(room, share));
}

void ps_doc_put_place(ps_doc *doc, const char *file, uint32_t line)
{
        if (line)
                ps_doc_putf(doc, PS_DOC_PLACE, "%s:%" PRIu32, file, line);
        else
                ps_doc_put(doc, PS_DOC_PLACE, file);
}

void ps_doc_put_link(ps_doc *doc, const char *id, const char *text)
{
        put_payload(doc, PS_MARK_LINK, id);
        ps_doc_put(doc, PS_DOC_PLAIN, *text ? text : id);
}

void ps_doc_put_bar(ps_doc *doc, const ps_doc_part *parts, unsigned n, double whole)
{
        doc->printer->bar(doc, parts, n, whole);
}

ps_doc_look ps_doc_loudness(double share)
{
        return share >= 0.1 ? PS_DOC_BAD : share >= 0.02 ? PS_DOC_WARN : PS_DOC_PLAIN;
}

/* -- blocks -- */

/* What has been gathered. */
static char *take_line(ps_doc *doc, size_t *n)
{
        /* The line is this document's own. NOLINTNEXTLINE(performance-no-int-to-ptr): const goes */
        char *text = (char *)(uintptr_t)ps_output_text(doc->line);

        doc->failed |= !text;
        *n = text ? strlen(text) : 0;
        return text;
}

void ps_doc_begin(ps_doc *doc, ps_doc_kind kind)
{
        doc->kind = kind;
}

void ps_doc_begin_term(ps_doc *doc, const char *term)
{
        snprintf(doc->label, sizeof(doc->label), "%s", term);
        ps_doc_begin(doc, PS_DOC_TERM);
}

void ps_doc_end(ps_doc *doc)
{
        size_t n;
        char *text = take_line(doc, &n);

        if (text)
                doc->printer->block(doc, doc->kind, text);
        ps_output_clear(doc->line);
        doc->last = doc->kind;
        doc->has_last = true;
}

void ps_doc_say(ps_doc *doc, ps_doc_kind kind, const char *fmt, ...)
{
        va_list args;
        size_t n;

        ps_doc_begin(doc, kind);
        va_start(args, fmt);
        put_args(doc, PS_DOC_PLAIN, fmt, args);
        va_end(args);
        if (take_line(doc, &n) && n)
                ps_doc_end(doc);
}

void ps_doc_term(ps_doc *doc, const char *term, ps_doc_look look, const char *text)
{
        ps_doc_begin_term(doc, term);
        ps_doc_put(doc, look, text);
        ps_doc_end(doc);
}

void ps_doc_rest(ps_doc *doc, uint64_t n, const char *one, const char *many, const char *how)
{
        char room[PS_NUMBER_ROOM];

        if (!n)
                return;
        ps_text_count(room, n);
        ps_doc_say(doc, PS_DOC_HINT, "and %s more %s%s%s", room, n == 1 ? one : many, *how ? "; " : "", how);
}

void ps_doc_command(ps_doc *doc, const char *purpose, const char *command)
{
        doc->printer->command(doc, purpose, command);
        doc->last = PS_DOC_TERM;
        doc->has_last = true;
}

void ps_doc_begin_items(ps_doc *doc)
{
        doc->item = 0;
        doc->printer->items(doc, 1);
}

void ps_doc_begin_item(ps_doc *doc, const char *id)
{
        doc->item++;
        snprintf(doc->id, sizeof(doc->id), "%s", id ? id : "");
        ps_doc_begin(doc, PS_DOC_HEAD);
}

void ps_doc_end_items(ps_doc *doc)
{
        doc->printer->items(doc, 0);
}

/* -- tables -- */

static void read_heads(ps_doc_table *table, const char *heads)
{
        char *at = table->heads;

        snprintf(table->heads, sizeof(table->heads), "%s", heads);
        for (table->n_columns = 0; at && table->n_columns < PS_DOC_COLUMNS;) {
                ps_doc_column *c = &table->column[table->n_columns++];
                *c = (ps_doc_column){0};
                for (; *at && strchr("=+?*>", *at); at++) {
                        c->is_number |= *at == '=';
                        c->is_page_only |= *at == '+';
                        c->is_optional |= *at == '?';
                        c->is_wrapped |= *at == '*' || *at == '>';
                        c->is_path |= *at == '>';
                }
                c->head = at;
                at = strchr(at, '|');
                if (at)
                        *at++ = '\0';
        }
}

void ps_doc_begin_table(ps_doc *doc, ps_doc_order order, const char *caption, const char *heads)
{
        doc->table.order = order;
        doc->table.caption = caption;
        read_heads(&doc->table, heads);
        doc->has_row = false;
        doc->n_rows = 0;
        doc->printer->table(doc);
}

static void end_row(ps_doc *doc)
{
        size_t n;
        char *cells;

        if (!doc->has_row)
                return;
        cells = take_line(doc, &n);
        if (cells)
                doc->printer->row(doc, cells, n);
        ps_output_clear(doc->line);
        doc->n_rows++;
}

void ps_doc_end_table(ps_doc *doc)
{
        end_row(doc);
        doc->has_row = false;
        end(doc, doc->printer->end_table);
        doc->has_last = false;
}

void ps_doc_row(ps_doc *doc, unsigned depth)
{
        end_row(doc);
        doc->has_row = true;
        doc->depth = depth;
        doc->id[0] = '\0';
        doc->has_last = false; /* no cell yet */
}

void ps_doc_row_id(ps_doc *doc, const char *id)
{
        snprintf(doc->id, sizeof(doc->id), "%s", id);
}

void ps_doc_cell_begin(ps_doc *doc)
{
        if (doc->has_last)
                put_mark(doc, PS_MARK_CELL);
        doc->has_last = true;
}

void ps_doc_row_note(ps_doc *doc)
{
        put_mark(doc, PS_MARK_NOTE);
}

void ps_doc_cell(ps_doc *doc, ps_doc_look look, const char *text)
{
        ps_doc_cell_begin(doc);
        ps_doc_put(doc, look, text);
}

void ps_doc_cellf(ps_doc *doc, ps_doc_look look, const char *fmt, ...)
{
        va_list args;

        ps_doc_cell_begin(doc);
        va_start(args, fmt);
        put_args(doc, look, fmt, args);
        va_end(args);
}

void ps_doc_cell_time(ps_doc *doc, ps_time time)
{
        ps_doc_cell_begin(doc);
        ps_doc_put_time(doc, PS_DOC_PLAIN, time);
}

void ps_doc_cell_seconds(ps_doc *doc, double seconds)
{
        ps_doc_cell_begin(doc);
        ps_doc_put_seconds(doc, PS_DOC_PLAIN, seconds);
}

void ps_doc_cell_count(ps_doc *doc, uint64_t n)
{
        ps_doc_cell_begin(doc);
        ps_doc_put_count(doc, PS_DOC_PLAIN, n);
}

void ps_doc_cell_share(ps_doc *doc, double share)
{
        ps_doc_cell_begin(doc);
        ps_doc_put_share(doc, PS_DOC_PLAIN, share);
}

/* -- for printers -- */

void ps_doc_draw_bar(ps_doc *doc, const ps_doc_part *parts, unsigned n, double whole)
{
        enum { COLUMNS = 20 };
        static const char *const shades[] = {"\xe2\x96\x88", "\xe2\x96\x93", "\xe2\x96\x92", "\xe2\x96\x91"};
        char bar[4 * COLUMNS + 1] = "", *end = bar;
        double sum = 0;
        unsigned used = 0;

        for (unsigned i = 0; i < n && whole > 0; i++)
                for (sum += parts[i].value; used < COLUMNS && used + .5 < sum / whole * COLUMNS; used++)
                        end = stpcpy(end, shades[i % 4]);
        if (!used && sum > 0) { /* little, but not nothing */
                end = stpcpy(end, shades[0]);
                used++;
        }
        for (; used < COLUMNS; used++)
                end = stpcpy(end, " ");
        ps_doc_put(doc, PS_DOC_PLAIN, bar);
}

bool ps_doc_next_run(char **at, ps_doc_run *run)
{
        char *end;

        *run = (ps_doc_run){0};
        if (!**at)
                return false;
        if (**at == PS_MARK_VALUE || **at == PS_MARK_LINK || **at == PS_MARK_RAW) {
                run->what = *(*at)++;
                run->payload = *at;
                end = strchr(*at, PS_MARK_UNIT);
                *end = '\0';
                *at = end + 1;
                if (run->what == PS_MARK_RAW)
                        return true;
        }
        run->look = (ps_doc_look)(unsigned char)**at;
        (*at)++;
        run->text = *at;
        end = strchr(*at, PS_MARK_END);
        *end = '\0';
        *at = end + 1;
        return true;
}

char *ps_doc_next_cell(char **at)
{
        char *cell = *at, *end = cell ? strchr(cell, PS_MARK_CELL) : NULL;

        if (end)
                *end = '\0';
        *at = end ? end + 1 : NULL;
        return cell;
}

char *ps_doc_cut_note(char *cells)
{
        char *note = strchr(cells, PS_MARK_NOTE);

        if (!note)
                return NULL;
        *note = '\0';
        return note[1] ? note + 1 : NULL;
}
