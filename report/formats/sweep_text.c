/* sweep_text.c - a sweep over grids for people: a table, the best row marked. */
#include "report/facts/sweep.h"
#include "report/facts/verdict.h"
#include "report/print/text.h"

#include <inttypes.h>
#include <string.h>

enum { TIME_COLUMNS = 11, SHARE_COLUMNS = 9, GRID_COLUMNS_MIN = 4 };

static void put_time(ps_output *out, double seconds)
{
        char room[PS_NUMBER_ROOM];
        double ps = seconds * 1e12;
        ps_text_duration(room, ps < (double)PS_TIME_MAX ? (ps_time)(ps + .5) : PS_TIME_MAX);
        ps_output_printf(out, "%*s", TIME_COLUMNS, room);
}

static void put_share(ps_output *out, double part, double whole)
{
        char room[PS_NUMBER_ROOM];
        ps_output_printf(out, "%*s", SHARE_COLUMNS, ps_text_share(room, whole > 0 ? part / whole : 0));
}

static void put_row(ps_output *out, const ps_sweep_row *row, int columns)
{
        const ps_interval_sums *s = &row->sums;
        ps_output_style(out, row->is_best ? PS_GREEN : row->reason ? PS_DIM : PS_PLAIN);
        ps_output_printf(out, "%c %-*s %5" PRIu32, row->is_best ? '*' : ' ', columns, row->grid,
                         row->n_processors);
        if (row->reason) {
                ps_output_puts(out, "  ");
                ps_text_write(out, row->reason);
        } else {
                put_time(out, s->execution_s);
                put_time(out, s->total_s);
                put_share(out, s->efficiency, 1);
                put_share(out, s->insufficient_s, s->total_s);
                put_share(out, s->communication_all_s, s->total_s);
                put_share(out, s->idle_s, s->total_s);
        }
        ps_output_style(out, PS_PLAIN);
        ps_output_putc(out, '\n');
}

ps_status ps_sweep_write_text(const ps_sweep *sweep, ps_output *out, ps_error *err)
{
        size_t columns = GRID_COLUMNS_MIN;
        int has_best = 0;

        ps_output_style(out, PS_BOLD);
        ps_text_write(out, sweep->trace_path);
        ps_output_style(out, PS_PLAIN);
        ps_output_printf(out, ": %" PRIu32 " grid%s (predicted)\n\n", sweep->n, sweep->n == 1 ? "" : "s");
        ps_status status = ps_prediction_write_text(sweep->prediction, 0, out, err);
        for (uint32_t i = 0; i < sweep->n; i++) {
                size_t n = strlen(sweep->row[i].grid);
                columns = n > columns ? n : columns;
                has_best |= sweep->row[i].is_best;
        }
        ps_output_putc(out, '\n');
        ps_output_style(out, PS_BOLD);
        ps_output_printf(out, "  %-*s procs%*s%*s%*s%*s%*s%*s\n", (int)columns, "grid", TIME_COLUMNS,
                         "execution", TIME_COLUMNS, "total", SHARE_COLUMNS, "useful", SHARE_COLUMNS,
                         "repeated", SHARE_COLUMNS, "comm.", SHARE_COLUMNS, "idle");
        ps_output_style(out, PS_PLAIN);
        for (uint32_t i = 0; i < sweep->n; i++)
                put_row(out, &sweep->row[i], (int)columns);
        ps_output_puts(out, has_best
                                    ? "\n* the least execution time. Shares are of the total: all processors "
                                      "together.\n  What is repeated is insufficient parallelism.\n"
                                    : "\nThe program can run on none of these grids.\n");
        return status;
}
