/* document.c - a redistribution for people: what moves, the matrix if there is room for it, the load of
 * the processors, and the time on each machine. */
#include "report/document/document.h"
#include "report/print/text.h"
#include "report/redistribution/redistribution.h"

#include <inttypes.h>
#include <stdio.h>

enum { MATRIX_MOST = 60, SIZES_BRIEF = 8, SIZES_PAGE = 1000 };

static const char *const kind_names[] = {"*", "cyclic", "block", "dvm-block"};

const char *ps_redist_format_text(char room[PS_REDIST_FORMAT_ROOM], const ps_redist_format *format)
{
        int n = snprintf(room, PS_REDIST_FORMAT_ROOM, "%s", kind_names[format->kind]);

        if (format->kind == PS_REDIST_CYCLIC)
                n += snprintf(room + n, PS_REDIST_FORMAT_ROOM - (size_t)n, "(%" PRIu64 ")", format->block);
        if (format->axis)
                snprintf(room + n, PS_REDIST_FORMAT_ROOM - (size_t)n, "@%u", format->axis);
        return room;
}

/* -- what is asked, and what moves -- */

static void put_side(ps_doc *doc, const ps_redist *r, ps_redist_side side)
{
        const ps_redist_grid *grid = &r->grid[side];
        char room[PS_REDIST_FORMAT_ROOM];

        ps_doc_begin_term(doc, side == PS_REDIST_SOURCE ? "From" : "To");
        for (unsigned d = 0; d < r->spec.n_dims; d++)
                ps_doc_putf(doc, PS_DOC_PLAIN, "%s%s", d ? "," : "",
                            ps_redist_format_text(room, &r->spec.format[side][d]));
        ps_doc_put(doc, PS_DOC_PLAIN, " on ");
        for (unsigned a = 0; a < grid->n_axes && grid->n_axes > 1; a++)
                ps_doc_putf(doc, PS_DOC_PLAIN, "%" PRIu32 "%s", grid->size[a],
                            a + 1 < grid->n_axes ? "x" : " = ");
        ps_doc_put_many(doc, grid->procs, "processor", "processors");
        ps_doc_end(doc);
}

static ps_status put_moves(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_redist *r = ((const ps_redist_report *)subject)->redist;
        const ps_redist_sums *sums = &r->sums;
        char room[PS_NUMBER_ROOM];

        (void)err;
        put_side(doc, r, PS_REDIST_SOURCE);
        put_side(doc, r, PS_REDIST_DESTINATION);
        ps_doc_begin_term(doc, "Moves");
        ps_doc_put_many(doc, sums->elements, "element", "elements");
        ps_doc_put(doc, PS_DOC_PLAIN, " in ");
        ps_doc_put_many(doc, sums->messages, "message", "messages");
        ps_doc_put(doc, PS_DOC_PLAIN, ", ");
        ps_doc_put_many(doc, sums->bytes, "byte", "bytes");
        ps_doc_end(doc);
        ps_doc_begin_term(doc, "Stays");
        ps_doc_put_many(doc, sums->local_elements, "element", "elements");
        ps_text_percent(room, sums->local_elements, sums->elements + sums->local_elements);
        ps_doc_putf(doc, PS_DOC_PLAIN, " (%s)", room);
        ps_doc_end(doc);
        return PS_OK;
}

/* -- the matrix -- */

static bool has_matrix(const void *subject)
{
        const ps_redist *r = ((const ps_redist_report *)subject)->redist;

        return r->grid[PS_REDIST_SOURCE].procs <= MATRIX_MOST &&
               r->grid[PS_REDIST_DESTINATION].procs <= MATRIX_MOST;
}

static size_t put_transfers_row(ps_doc *doc, const ps_redist *r, uint32_t source, size_t at)
{
        ps_doc_row(doc, 0);
        ps_doc_cellf(doc, PS_DOC_PLAIN, "from %" PRIu32, source);
        for (uint32_t q = 0; q < r->grid[PS_REDIST_DESTINATION].procs; q++) {
                const ps_redist_transfer *t = &r->transfers.row[at];
                bool is_here = at < r->transfers.n && t->source == source && t->destination == q;
                if (is_here)
                        ps_doc_cellf(doc, source == q ? PS_DOC_DIM : PS_DOC_PLAIN, "%" PRIu64, t->elements);
                else
                        ps_doc_cell(doc, PS_DOC_DIM, ".");
                at += (size_t)is_here;
        }
        return at;
}

static ps_status put_matrix(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_redist *r = ((const ps_redist_report *)subject)->redist;
        char heads[8 * (MATRIX_MOST + 1)] = "Rank";
        size_t n = 4, at = 0;

        (void)err;
        for (uint32_t q = 0; q < r->grid[PS_REDIST_DESTINATION].procs; q++)
                n += (size_t)snprintf(heads + n, sizeof(heads) - n, "|=to %" PRIu32, q);
        ps_doc_begin_table(doc, PS_DOC_GRID, "Elements of the array", heads);
        for (uint32_t p = 0; p < r->grid[PS_REDIST_SOURCE].procs; p++)
                at = put_transfers_row(doc, r, p, at);
        ps_doc_end_table(doc);
        return PS_OK;
}

/* -- loads -- */

static void put_load(ps_doc *doc, const char *label, uint64_t least, uint64_t sum, uint32_t procs,
                     uint64_t most)
{
        uint64_t whole = sum / procs, tenths = (sum % procs * 10 + procs / 2) / procs;

        ps_doc_row(doc, 0);
        ps_doc_cell(doc, PS_DOC_PLAIN, label);
        ps_doc_cell_count(doc, least);
        ps_doc_cell_begin(doc);
        ps_doc_put_count(doc, PS_DOC_PLAIN, whole + tenths / 10);
        if (tenths % 10)
                ps_doc_putf(doc, PS_DOC_PLAIN, ".%u", (unsigned)(tenths % 10));
        ps_doc_cell_count(doc, most);
}

static ps_status put_loads(ps_doc *doc, const void *subject, ps_error *err)
{
        static const char *const labels[][PS_REDIST_SIDES] = {{"sends elements", "receives elements"},
                                                              {"sends messages", "receives messages"}};
        const ps_redist_report *report = subject;
        const ps_redist *r = report->redist;

        (void)err;
        ps_doc_begin_table(doc, PS_DOC_TABLE, "A processor", "Load|=Least|=Mean|=Most");
        for (unsigned side = 0; side < PS_REDIST_SIDES; side++) {
                const ps_redist_load *load = &report->loads->side[side];
                uint32_t procs = r->grid[side].procs;
                put_load(doc, labels[0][side], load->least_elements, r->sums.elements, procs,
                         load->most_elements);
                put_load(doc, labels[1][side], load->least_messages, r->sums.messages, procs,
                         load->most_messages);
        }
        ps_doc_end_table(doc);
        return PS_OK;
}

/* -- sizes -- */

static bool has_messages(const void *subject)
{
        return ((const ps_redist_report *)subject)->redist->sums.messages > 0;
}

static ps_status put_sizes(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_redist_loads *loads = ((const ps_redist_report *)subject)->loads;
        uint32_t n = ps_doc_most(doc, 0, SIZES_BRIEF, SIZES_PAGE);

        (void)err;
        n = loads->n_sizes < n ? loads->n_sizes : n;
        for (uint32_t i = 0; i < n; i++) {
                ps_doc_begin(doc, PS_DOC_P);
                ps_doc_put_many(doc, loads->size[i].messages, "message", "messages");
                ps_doc_put(doc, PS_DOC_PLAIN, " of ");
                ps_doc_put_many(doc, loads->size[i].elements, "element", "elements");
                ps_doc_end(doc);
        }
        ps_doc_rest(doc, loads->n_sizes - n, "size", "sizes", "");
        if (loads->has_more_sizes)
                ps_doc_say(doc, PS_DOC_HINT, "more than %d sizes", PS_REDIST_SIZES_MAX);
        return PS_OK;
}

/* -- times -- */

static bool has_machines(const void *subject)
{
        return ((const ps_redist_report *)subject)->n_machines > 0;
}

static ps_status put_times(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_redist_report *report = subject;

        (void)err;
        ps_doc_begin_table(doc, PS_DOC_TABLE, "Time", "Machine|=Time|*Cost");
        for (unsigned i = 0; i < report->n_machines; i++) {
                ps_doc_row(doc, 0);
                ps_doc_cell(doc, PS_DOC_PLAIN, report->machines[i].name);
                ps_doc_cell_time(doc, report->machines[i].time);
                ps_doc_cell(doc, PS_DOC_DIM, report->machines[i].formula);
        }
        ps_doc_end_table(doc);
        return PS_OK;
}

static const ps_doc_section sections[] = {
        {"moves", "What moves", PS_DOC_UNTITLED, NULL, put_moves},
        {"matrix", "From each to each", PS_DOC_UNTITLED, has_matrix, put_matrix},
        {"loads", "Load of a processor", PS_DOC_UNTITLED, NULL, put_loads},
        {"sizes", "Sizes of messages", 0, has_messages, put_sizes},
        {"times", "Time", PS_DOC_UNTITLED, has_machines, put_times},
};

static ps_status write_redistribution(ps_doc *doc, const void *subject, ps_error *err)
{
        enum { ROOM = 256 };
        const ps_redist_spec *spec = &((const ps_redist_report *)subject)->redist->spec;
        char array[ROOM], element[PS_NUMBER_ROOM], what[2 * PS_NUMBER_ROOM];
        int n = snprintf(array, ROOM, "%.100s", spec->name);

        for (unsigned d = 0; d < spec->n_dims && n < ROOM; d++)
                n += snprintf(array + n, (size_t)(ROOM - n), "%c%" PRIu64 "%s", d ? ',' : '(',
                              spec->extent[d], d + 1 < spec->n_dims ? "" : ")");
        ps_text_count(element, spec->element_bytes);
        snprintf(what, sizeof(what), "an element has %s byte%s", element,
                 spec->element_bytes == 1 ? "" : "s");
        ps_doc_title(doc, "redistribute", array, what);
        return ps_doc_sections(doc, sections, sizeof(sections) / sizeof(*sections), subject, err);
}

PS_DOC_FORMATS(ps_redist_write, ps_redist_report, write_redistribution)
