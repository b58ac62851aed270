/* pictures.c - what a page's script draws: numbers of all runs, of what lies ahead, and of intervals. */
#include "report/document/page.h"
#include "report/scaling/scaling.h"

#include <inttypes.h>
#include <math.h>

enum { INTERVALS_MOST = 200 };

static void put_numbers(ps_output *out, const double *value, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (isfinite(value[i]))
                        ps_output_printf(out, ",%.9g", value[i]);
                else
                        ps_output_puts(out, ",null");
}

/* [processes, seconds, speed-up, and the factors] */
static void put_point(ps_output *out, uint64_t locations, double duration, double speedup,
                      const ps_scale_factors *f)
{
        const double value[] = {duration,         speedup,         f->global,
                                f->parallel,      f->load_balance, f->communication,
                                f->serialization, f->transfer,     f->computation_scalability};
        ps_output_printf(out, "[%" PRIu64, locations);
        put_numbers(out, value, sizeof(value) / sizeof(*value));
        ps_output_putc(out, ']');
}

static void put_interval(ps_output *out, const ps_scaling *s, const ps_scale_interval *row)
{
        ps_output_puts(out, "{\"name\":");
        ps_html_script_text(out, row->lap->title);
        ps_output_puts(out, ",\"runs\":[");
        for (unsigned i = 0; i < s->n; i++) {
                ps_output_puts(out, i ? "," : "");
                put_point(out, s->run[i].locations, row->stay[i].is_there ? row->stay[i].duration_s : NAN,
                          row->stay[i].speedup, &row->stay[i].factors);
        }
        ps_output_puts(out, "]}");
}

ps_status ps_scaling_put_pictures(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_scaling *s = subject;
        ps_output *out = ps_doc_page(doc);
        (void)err;
        if (!out)
                return PS_OK;
        ps_output_puts(
                out, "<div id=\"scaling-pictures\" class=\"grid\"></div>\n<script type=\"application/json\" "
                     "id=\"scaling-data\">{\"runs\":[");
        for (unsigned i = 0; i < s->n; i++) {
                ps_output_puts(out, i ? "," : "");
                put_point(out, s->run[i].locations, s->run[i].duration_s, s->run[i].speedup,
                          &s->run[i].factors);
        }
        ps_output_puts(out, "],\"ahead\":[");
        for (int i = 0; i < PS_SCALE_AHEAD; i++) {
                ps_output_printf(out, "%s[%" PRIu64, i ? "," : "", s->ahead[i].locations);
                put_numbers(out, (const double[]){s->ahead[i].duration_s, s->ahead[i].speedup}, 2);
                ps_output_putc(out, ']');
        }
        ps_output_puts(out, "],\"intervals\":[");
        for (uint32_t i = 0; i < s->intervals.n && i < INTERVALS_MOST; i++) {
                ps_output_puts(out, i ? ",\n" : "\n");
                put_interval(out, s, &s->intervals.row[i]);
        }
        ps_output_puts(out, "]}</script>\n");
        return PS_OK;
}
