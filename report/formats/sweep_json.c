/* sweep_json.c - a sweep over grids for programs: a row a line, in the words of the intervals of a report. */
#include "report/facts/sweep.h"
#include "report/subjects/info_json.h"

static void put_sums(ps_row *row, const ps_interval_sums *s)
{
        ps_row_share(row, "execution_s", s->execution_s);
        ps_row_share(row, "total_s", s->total_s);
        ps_row_share(row, "efficiency", s->efficiency);
        ps_row_share(row, "productive_s", s->productive_s);
        ps_row_share(row, "productive_cpu_s", s->productive_cpu_s);
        ps_row_share(row, "productive_sys_s", s->productive_system_s);
        ps_row_share(row, "io_s", s->io_s);
        ps_row_share(row, "lost_s", s->lost_s);
        ps_row_share(row, "insufficient_parallelism_s", s->insufficient_s);
        ps_row_share(row, "communication_s", s->communication_all_s);
        ps_row_share(row, "synchronization_s", s->synchronization_all_s);
        ps_row_share(row, "time_variation_s", s->variation_all_s);
        ps_row_share(row, "overlap_s", s->overlap_all_s);
        ps_row_share(row, "idle_s", s->idle_s);
        ps_row_share(row, "load_imbalance_s", s->imbalance_s);
}

static void put_row(ps_row *row, const ps_sweep_row *of)
{
        ps_row_open(row, NULL, '{');
        ps_row_text(row, "grid", of->grid);
        ps_row_u64(row, "processors", of->n_processors);
        ps_row_text(row, "reason", of->reason);
        ps_row_bool(row, "best", of->is_best);
        if (!of->reason) {
                ps_row_time(row, "duration_s", of->duration);
                put_sums(row, &of->sums);
                ps_row_u64(row, "messages", of->messages);
                ps_row_u64(row, "bytes", of->bytes);
        }
        ps_row_close(row, '}');
}

ps_status ps_sweep_write_json(const ps_sweep *sweep, ps_output *out, ps_error *err)
{
        ps_row row = {.out = out};

        (void)err;
        ps_row_open_lines(&row, NULL, '{');
        ps_row_text(&row, "schema", "patscan-sweep-1");
        ps_record_put_tool(&row, "tool");
        ps_row_text(&row, "trace", sweep->trace_path);
        ps_record_put(&row, "prediction", &ps_record_prediction, NULL, sweep->prediction);
        ps_row_open_lines(&row, "grids", '[');
        for (uint32_t i = 0; i < sweep->n; i++)
                put_row(&row, &sweep->row[i]);
        ps_row_close(&row, ']');
        ps_row_close(&row, '}');
        ps_output_putc(out, '\n');
        return PS_OK;
}
