/* redistribute_json.c - a redistribution for programs: docs/REDISTRIBUTION.md. Written row by row, because
 * transfers and their plans may be many. */
#include "report/print/row.h"
#include "report/subjects/info_json.h"
#include "report/subjects/redistribute.h"
#include "simulator/redistribute/plan.h"

#include <string.h>

static void put_side(ps_row *row, const ps_redist *r, ps_redist_side side)
{
        const ps_redist_grid *grid = &r->grid[side];
        char room[PS_REDIST_FORMAT_ROOM];

        ps_row_open(row, side == PS_REDIST_SOURCE ? "source" : "destination", '{');
        ps_row_u64(row, "processors", grid->procs);
        ps_row_open(row, "grid", '[');
        for (unsigned a = 0; a < grid->n_axes; a++)
                ps_row_u64(row, NULL, grid->size[a]);
        ps_row_close(row, ']');
        ps_row_open(row, "formats", '[');
        for (unsigned d = 0; d < r->spec.n_dims; d++)
                ps_row_text(row, NULL, ps_redist_format_text(room, &r->spec.format[side][d]));
        ps_row_close(row, ']');
        ps_row_close(row, '}');
}

static void put_array(ps_row *row, const ps_redist *r)
{
        ps_row_open(row, "array", '{');
        ps_row_text(row, "name", r->spec.name);
        ps_row_open(row, "extents", '[');
        for (unsigned d = 0; d < r->spec.n_dims; d++)
                ps_row_u64(row, NULL, r->spec.extent[d]);
        ps_row_close(row, ']');
        ps_row_u64(row, "element_bytes", r->spec.element_bytes);
        ps_row_close(row, '}');
        for (unsigned side = 0; side < PS_REDIST_SIDES; side++)
                put_side(row, r, (ps_redist_side)side);
}

static void put_load(ps_row *row, const char *key, const ps_redist_load *load)
{
        ps_row_open(row, key, '{');
        ps_row_u64(row, "least_elements", load->least_elements);
        ps_row_u64(row, "most_elements", load->most_elements);
        ps_row_u64(row, "least_messages", load->least_messages);
        ps_row_u64(row, "most_messages", load->most_messages);
        ps_row_close(row, '}');
}

static void put_sizes(ps_row *row, const ps_redist_loads *loads)
{
        if (loads->has_more_sizes) {
                ps_row_null(row, "sizes");
                return;
        }
        ps_row_open(row, "sizes", '[');
        for (uint32_t i = 0; i < loads->n_sizes; i++) {
                ps_row_open(row, NULL, '{');
                ps_row_u64(row, "elements", loads->size[i].elements);
                ps_row_u64(row, "messages", loads->size[i].messages);
                ps_row_close(row, '}');
        }
        ps_row_close(row, ']');
}

static void put_machines(ps_row *row, const ps_redist_report *report)
{
        const ps_redist_machine *first = report->machines;

        ps_row_known(time, row, "time_s", first->time, report->n_machines && report->were_asked_for);
        ps_row_set_lines(row, 0);
        ps_row_open(row, "machines", '[');
        for (unsigned i = 0; i < report->n_machines; i++) {
                ps_row_open(row, NULL, '{');
                ps_row_text(row, "name", report->machines[i].name);
                ps_row_text(row, "formula", report->machines[i].formula);
                ps_row_time(row, "time_s", report->machines[i].time);
                ps_row_close(row, '}');
        }
        ps_row_close(row, ']');
        ps_row_set_lines(row, 1);
}

/* Lines of what belongs together. */
static void put_sums(ps_row *row, const ps_redist_report *report)
{
        const ps_redist_sums *sums = &report->redist->sums;

        ps_row_u64(row, "messages", sums->messages);
        ps_row_set_lines(row, 0);
        ps_row_u64(row, "elements", sums->elements);
        ps_row_u64(row, "bytes", sums->bytes);
        ps_row_u64(row, "local_elements", sums->local_elements);
        ps_row_known(u64, row, "largest_message_elements", sums->largest, sums->messages);
        ps_row_set_lines(row, 1);
        put_load(row, "sends", &report->loads->side[PS_REDIST_SOURCE]);
        ps_row_set_lines(row, 0);
        put_load(row, "receives", &report->loads->side[PS_REDIST_DESTINATION]);
        put_sizes(row, report->loads);
        ps_row_set_lines(row, 1);
        put_machines(row, report);
}

static size_t put_matrix_row(ps_row *row, const ps_redist *r, uint32_t source, size_t at)
{
        ps_row_open(row, NULL, '[');
        for (uint32_t q = 0; q < r->grid[PS_REDIST_DESTINATION].procs; q++) {
                const ps_redist_transfer *t = &r->transfers.row[at];
                int is_here = at < r->transfers.n && t->source == source && t->destination == q;
                ps_row_u64(row, NULL, is_here ? t->elements : 0);
                at += (size_t)is_here;
        }
        ps_row_close(row, ']');
        return at;
}

static void put_matrix(ps_row *row, const ps_redist *r)
{
        size_t at = 0;

        if (r->grid[PS_REDIST_SOURCE].procs > PS_REDIST_MATRIX_MAX ||
            r->grid[PS_REDIST_DESTINATION].procs > PS_REDIST_MATRIX_MAX) {
                ps_row_null(row, "matrix");
                return;
        }
        ps_row_open_lines(row, "matrix", '[');
        for (uint32_t p = 0; p < r->grid[PS_REDIST_SOURCE].procs; p++)
                at = put_matrix_row(row, r, p, at);
        ps_row_close(row, ']');
}

static void put_transfers(ps_row *row, const ps_redist *r)
{
        ps_row_open_lines(row, "transfers", '[');
        for (size_t i = 0; i < r->transfers.n && !ps_output_failed(row->out); i++) {
                const ps_redist_transfer *t = &r->transfers.row[i];
                ps_row_open(row, NULL, '[');
                ps_row_u64(row, NULL, t->source);
                ps_row_u64(row, NULL, t->destination);
                ps_row_u64(row, NULL, t->elements);
                ps_row_close(row, ']');
        }
        ps_row_close(row, ']');
}

/* -- the plan -- */

static void put_runs(ps_row *row, const char *key, const ps_redist_runs *runs)
{
        ps_row_open(row, key, '[');
        for (size_t i = 0; i < runs->n; i++) {
                const ps_redist_run *run = &runs->row[i];
                ps_row_open(row, NULL, '[');
                ps_row_u64(row, NULL, run->first);
                ps_row_u64(row, NULL, run->length);
                ps_row_u64(row, NULL, run->stride);
                ps_row_u64(row, NULL, run->count);
                ps_row_close(row, ']');
        }
        ps_row_close(row, ']');
}

static void put_parts(ps_row *row, const char *key, const ps_redist_part *parts, unsigned n_dims)
{
        ps_row_open(row, key, '[');
        for (unsigned d = 0; d < n_dims; d++) {
                ps_row_open(row, NULL, '{');
                put_runs(row, "runs", &parts[d].cycle);
                ps_row_u64(row, "period", parts[d].period);
                ps_row_u64(row, "repeats", parts[d].repeats);
                put_runs(row, "rest", &parts[d].rest);
                ps_row_close(row, '}');
        }
        ps_row_close(row, ']');
}

static void put_shapes(ps_row *row, const ps_redist *r, ps_redist_side side)
{
        uint64_t shape[PS_REDIST_DIMS];

        ps_row_open(row, side == PS_REDIST_SOURCE ? "source_shapes" : "destination_shapes", '[');
        for (uint32_t p = 0; p < r->grid[side].procs; p++) {
                ps_redist_local_shape(shape, r, side, p);
                ps_row_open(row, NULL, '[');
                for (unsigned d = 0; d < r->spec.n_dims; d++)
                        ps_row_u64(row, NULL, shape[d]);
                ps_row_close(row, ']');
        }
        ps_row_close(row, ']');
}

static void put_plan_row(ps_row *row, const ps_redist *r, const ps_redist_transfer *t,
                         const ps_redist_plan *plan)
{
        ps_row_open(row, NULL, '{');
        ps_row_u64(row, "source", t->source);
        ps_row_u64(row, "destination", t->destination);
        ps_row_u64(row, "elements", t->elements);
        put_parts(row, "gather", plan->part[PS_REDIST_SOURCE], r->spec.n_dims);
        put_parts(row, "scatter", plan->part[PS_REDIST_DESTINATION], r->spec.n_dims);
        ps_row_close(row, '}');
}

static ps_status put_plan(ps_row *row, const ps_redist *r, ps_error *err)
{
        ps_redist_plan plan = {0};
        ps_status status = PS_OK;

        ps_row_open_lines(row, "plan", '{');
        put_shapes(row, r, PS_REDIST_SOURCE);
        put_shapes(row, r, PS_REDIST_DESTINATION);
        ps_row_open_lines(row, "transfers", '[');
        for (size_t i = 0; i < r->transfers.n && status == PS_OK && !ps_output_failed(row->out); i++) {
                status = ps_redist_plan_transfer(&plan, r, &r->transfers.row[i], err);
                if (status == PS_OK)
                        put_plan_row(row, r, &r->transfers.row[i], &plan);
        }
        ps_row_close(row, ']');
        ps_row_close(row, '}');
        ps_redist_plan_free(&plan);
        return status;
}

ps_status ps_redist_write_json(const ps_redist_report *report, ps_output *out, ps_error *err)
{
        ps_row row = {.out = out};
        ps_status status = PS_OK;

        ps_row_open_lines(&row, NULL, '{');
        ps_row_text(&row, "schema", "patscan-redistribute-1");
        ps_record_put_tool(&row, "tool");
        put_array(&row, report->redist);
        put_sums(&row, report);
        put_matrix(&row, report->redist);
        put_transfers(&row, report->redist);
        if (report->with_plan)
                status = put_plan(&row, report->redist, err);
        else
                ps_row_null(&row, "plan");
        ps_row_close(&row, '}');
        ps_output_putc(out, '\n');
        return status;
}
