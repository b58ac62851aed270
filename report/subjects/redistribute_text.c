/* redistribute_text.c - a redistribution for people: what moves, the matrix if it fits, the load of the
 * processors, and the time on each machine. */
#include "report/print/text.h"
#include "report/subjects/redistribute.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
        LABEL_COLUMNS = 13,
        MATRIX_ROWS_MAX = 64,
        SIZES_MAX = 8,
        LOAD_COLUMNS = 18,
        TIME_COLUMNS = 9,
        NAME_COLUMNS_MAX = 32
};

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

static void put_many(ps_output *out, uint64_t n, const char *one)
{
        char room[PS_NUMBER_ROOM];

        ps_text_count(room, n);
        ps_output_printf(out, "%s %s%s", room, one, n == 1 ? "" : "s");
}

static void put_array(ps_output *out, const ps_redist *r)
{
        ps_text_write_label(out, "Array", LABEL_COLUMNS);
        ps_text_write(out, r->spec.name);
        for (unsigned d = 0; d < r->spec.n_dims; d++)
                ps_output_printf(out, "%c%" PRIu64, d ? ',' : '(', r->spec.extent[d]);
        ps_output_puts(out, "), an element has ");
        put_many(out, r->spec.element_bytes, "byte");
        ps_output_putc(out, '\n');
}

static void put_side(ps_output *out, const ps_redist *r, ps_redist_side side)
{
        const ps_redist_grid *grid = &r->grid[side];
        char room[PS_REDIST_FORMAT_ROOM];

        ps_text_write_label(out, side == PS_REDIST_SOURCE ? "From" : "To", LABEL_COLUMNS);
        for (unsigned d = 0; d < r->spec.n_dims; d++)
                ps_output_printf(out, "%s%s", d ? "," : "",
                                 ps_redist_format_text(room, &r->spec.format[side][d]));
        ps_output_puts(out, " on ");
        for (unsigned a = 0; a < grid->n_axes && grid->n_axes > 1; a++)
                ps_output_printf(out, "%" PRIu32 "%s", grid->size[a], a + 1 < grid->n_axes ? "x" : " = ");
        put_many(out, grid->procs, "processor");
        ps_output_putc(out, '\n');
}

static void put_sums(ps_output *out, const ps_redist *r)
{
        const ps_redist_sums *sums = &r->sums;
        char room[PS_NUMBER_ROOM];

        ps_text_write_label(out, "Moves", LABEL_COLUMNS);
        put_many(out, sums->elements, "element");
        ps_output_puts(out, " in ");
        put_many(out, sums->messages, "message");
        ps_output_puts(out, ", ");
        put_many(out, sums->bytes, "byte");
        ps_output_putc(out, '\n');
        ps_text_write_label(out, "Stays", LABEL_COLUMNS);
        put_many(out, sums->local_elements, "element");
        ps_text_percent(room, sums->local_elements, sums->elements + sums->local_elements);
        ps_output_printf(out, " (%s)\n", room);
}

static unsigned columns_of(uint64_t n)
{
        char room[PS_NUMBER_ROOM];

        return (unsigned)ps_text_u64(room, n);
}

/* Columns of a cell, with the blanks before it; 0: the matrix does not fit. */
static unsigned cell_columns(const ps_output *out, const ps_redist *r)
{
        uint32_t procs = r->grid[PS_REDIST_DESTINATION].procs;
        unsigned columns = columns_of(procs);

        if (r->grid[PS_REDIST_SOURCE].procs > MATRIX_ROWS_MAX || procs > MATRIX_ROWS_MAX)
                return 0;
        for (size_t i = 0; i < r->transfers.n; i++) {
                unsigned here = columns_of(r->transfers.row[i].elements);
                columns = here > columns ? here : columns;
        }
        columns += 2;
        return LABEL_COLUMNS + columns * procs <= ps_output_width(out) ? columns : 0;
}

static size_t put_row(ps_output *out, const ps_redist *r, uint32_t source, size_t at, unsigned columns)
{
        ps_output_printf(out, "  from %-*" PRIu32, LABEL_COLUMNS - 7, source);
        for (uint32_t q = 0; q < r->grid[PS_REDIST_DESTINATION].procs; q++) {
                const ps_redist_transfer *t = &r->transfers.row[at];
                int is_here = at < r->transfers.n && t->source == source && t->destination == q;
                ps_output_style(out, is_here && source != q ? PS_PLAIN : PS_DIM);
                if (is_here)
                        ps_output_printf(out, "%*" PRIu64, (int)columns, t->elements);
                else
                        ps_output_printf(out, "%*s", (int)columns, ".");
                ps_output_style(out, PS_PLAIN);
                at += (size_t)is_here;
        }
        ps_output_putc(out, '\n');
        return at;
}

static void put_matrix(ps_output *out, const ps_redist *r)
{
        unsigned columns = cell_columns(out, r);
        size_t at = 0;

        if (!columns)
                return;
        ps_text_write_heading(out, "Elements of the array");
        ps_output_printf(out, "  to   %*s", LABEL_COLUMNS - 7, "");
        for (uint32_t q = 0; q < r->grid[PS_REDIST_DESTINATION].procs; q++)
                ps_output_printf(out, "%*" PRIu32, (int)columns, q);
        ps_output_putc(out, '\n');
        for (uint32_t p = 0; p < r->grid[PS_REDIST_SOURCE].procs; p++)
                at = put_row(out, r, p, at, columns);
}

/* The mean, with a decimal if it is none. */
static void mean_text(char room[PS_NUMBER_ROOM], uint64_t sum, uint32_t n)
{
        uint64_t whole = sum / n, tenths = (sum % n * 10 + n / 2) / n;
        size_t used = ps_text_count(room, whole + tenths / 10);

        if (tenths % 10)
                snprintf(room + used, PS_NUMBER_ROOM - used, ".%u", (unsigned)(tenths % 10));
}

static void put_load(ps_output *out, const char *label, uint64_t least, uint64_t sum, uint32_t procs,
                     uint64_t most)
{
        char room[PS_NUMBER_ROOM];

        ps_output_printf(out, "  %-20s", label);
        ps_text_count(room, least);
        ps_output_printf(out, "%*s", LOAD_COLUMNS, room);
        mean_text(room, sum, procs);
        ps_output_printf(out, "%*s", LOAD_COLUMNS, room);
        ps_text_count(room, most);
        ps_output_printf(out, "%*s\n", LOAD_COLUMNS, room);
}

static void put_loads(ps_output *out, const ps_redist_report *report)
{
        const ps_redist *r = report->redist;
        static const char *const labels[][PS_REDIST_SIDES] = {{"sends elements", "receives elements"},
                                                              {"sends messages", "receives messages"}};

        ps_output_putc(out, '\n');
        ps_output_style(out, PS_BOLD);
        ps_output_printf(out, "%-22s%*s%*s%*s\n", "A processor", LOAD_COLUMNS, "least", LOAD_COLUMNS, "mean",
                         LOAD_COLUMNS, "most");
        ps_output_style(out, PS_PLAIN);
        for (unsigned side = 0; side < PS_REDIST_SIDES; side++) {
                const ps_redist_load *load = &report->loads->side[side];
                uint32_t procs = r->grid[side].procs;
                put_load(out, labels[0][side], load->least_elements, r->sums.elements, procs,
                         load->most_elements);
                put_load(out, labels[1][side], load->least_messages, r->sums.messages, procs,
                         load->most_messages);
        }
}

static void put_sizes(ps_output *out, const ps_redist_report *report)
{
        const ps_redist_loads *loads = report->loads;
        uint32_t n = loads->n_sizes < SIZES_MAX ? loads->n_sizes : SIZES_MAX;

        if (!report->redist->sums.messages)
                return;
        ps_text_write_heading(out, "Sizes of messages");
        for (uint32_t i = 0; i < n; i++) {
                ps_output_puts(out, "  ");
                put_many(out, loads->size[i].messages, "message");
                ps_output_puts(out, " of ");
                put_many(out, loads->size[i].elements, "element");
                ps_output_putc(out, '\n');
        }
        if (n < loads->n_sizes)
                ps_output_printf(out, "  and %" PRIu32 " other sizes\n", loads->n_sizes - n);
        if (loads->has_more_sizes)
                ps_output_printf(out, "  more than %d sizes\n", PS_REDIST_SIZES_MAX);
}

/* The formula has names of a file in it, and may be long. */
static ps_status put_machine(ps_output *out, const ps_redist_machine *machine, unsigned names, ps_error *err)
{
        char room[PS_NUMBER_ROOM], *formula = ps_text_clean(machine->formula);

        if (!formula)
                return PS_NOMEM(err, "formula", 1);
        ps_text_duration(room, machine->time);
        ps_output_printf(out, "  %*s  ", TIME_COLUMNS, room);
        ps_text_write_padded(out, machine->name, names);
        ps_output_puts(out, "  ");
        ps_output_style(out, PS_DIM);
        ps_text_wrap(out, formula, 2 + TIME_COLUMNS + 2 + names + 2, ps_output_width(out));
        ps_output_style(out, PS_PLAIN);
        ps_output_putc(out, '\n');
        free(formula);
        return PS_OK;
}

static ps_status put_machines(ps_output *out, const ps_redist_report *report, ps_error *err)
{
        unsigned names = 0;
        ps_status status = PS_OK;

        if (report->n_machines)
                ps_text_write_heading(out, "Time");
        for (unsigned i = 0; i < report->n_machines; i++) {
                unsigned here = ps_text_columns(report->machines[i].name);
                names = here > names ? here : names;
        }
        names = names < NAME_COLUMNS_MAX ? names : NAME_COLUMNS_MAX;
        for (unsigned i = 0; i < report->n_machines && !status; i++)
                status = put_machine(out, &report->machines[i], names, err);
        return status;
}

ps_status ps_redist_write_text(const ps_redist_report *report, ps_output *out, ps_error *err)
{
        put_array(out, report->redist);
        put_side(out, report->redist, PS_REDIST_SOURCE);
        put_side(out, report->redist, PS_REDIST_DESTINATION);
        put_sums(out, report->redist);
        put_matrix(out, report->redist);
        put_loads(out, report);
        put_sizes(out, report);
        return put_machines(out, report, err);
}
