/* sweep.c - the rows as RFC 4180. */
#include "report/facts/sweep.h"
#include "report/print/text.h"

#include <inttypes.h>

static void put_seconds(ps_output *out, double seconds)
{
        ps_output_printf(out, ",%.9f", seconds);
}

static void put_quoted(ps_output *out, const char *text)
{
        static const char *const doubled[PS_ASCII] = {['"'] = "\"\""};
        ps_output_puts(out, ",\"");
        ps_text_write_escaped(out, text, doubled);
        ps_output_putc(out, '"');
}

ps_status ps_sweep_write_csv(const ps_sweep *sweep, ps_output *out, ps_error *err)
{
        (void)err;
        ps_output_puts(out,
                       "grid,processors,duration_s,execution_s,total_s,efficiency,productive_s,lost_s,"
                       "insufficient_parallelism_s,communication_s,synchronization_s,idle_s,load_imbalance_s,"
                       "overlap_s,messages,bytes,best,reason\r\n");
        for (uint32_t i = 0; i < sweep->n; i++) {
                const ps_sweep_row *row = &sweep->row[i];
                const ps_interval_sums *s = &row->sums;
                ps_output_printf(out, "%s,%" PRIu32, row->grid, row->n_processors);
                if (row->reason) {
                        ps_output_repeat(out, ',', 15);
                        put_quoted(out, row->reason);
                        ps_output_puts(out, "\r\n");
                        continue;
                }
                const double before[] = {(double)row->duration * 1e-12, s->execution_s, s->total_s};
                const double after[] = {
                        s->productive_s,          s->lost_s, s->insufficient_s, s->communication_all_s,
                        s->synchronization_all_s, s->idle_s, s->imbalance_s,    s->overlap_all_s};
                for (size_t k = 0; k < sizeof(before) / sizeof(*before); k++)
                        put_seconds(out, before[k]);
                put_seconds(out, s->efficiency);
                for (size_t k = 0; k < sizeof(after) / sizeof(*after); k++)
                        put_seconds(out, after[k]);
                ps_output_printf(out, ",%" PRIu64 ",%" PRIu64 ",%d,\r\n", row->messages, row->bytes,
                                 row->is_best);
        }
        return PS_OK;
}
