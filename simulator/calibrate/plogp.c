/* plogp.c - PLogP: what was measured at each size, without a formula. */
#include "simulator/calibrate/calibrate.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS_MAX = 1024 };

/* The cells of a kind, thinned out evenly where there are too many. */
static ps_status collect_cells(ps_table *out, const ps_samples *samples, ps_calibrate_class cls,
                               ps_sample_kind kind, ps_error *err)
{
        size_t room = samples->n ? samples->n : 1, n = 0;
        ps_sample_point *points = malloc(room * sizeof(*points));
        ps_fit_cell *cells = malloc(room * sizeof(*cells));
        out->bytes = malloc(POINTS_MAX * sizeof(*out->bytes));
        out->s = malloc(POINTS_MAX * sizeof(*out->s));
        bool has_memory = points && cells && out->bytes && out->s;
        for (size_t i = 0; has_memory && i < samples->n; i++)
                if (samples->row[i].kind == kind && ps_class_has(cls, &samples->row[i]))
                        points[n++] = (ps_sample_point){(double)samples->row[i].bytes, samples->row[i].s};
        uint32_t n_cells = has_memory ? ps_fit_cells(cells, points, n) : 0;
        out->n = n_cells < POINTS_MAX ? n_cells : POINTS_MAX;
        for (uint32_t i = 0; i < out->n; i++) {
                const ps_fit_cell *cell = out->n == n_cells
                                                  ? &cells[i]
                                                  : &cells[(uint64_t)i * (n_cells - 1) / (POINTS_MAX - 1)];
                out->bytes[i] = cell->bytes;
                out->s[i] = cell->fast_s;
        }
        free(points);
        free(cells);
        return has_memory ? PS_OK : PS_NOMEM(err, "samples", room);
}

static double at_size(const ps_fit *fit, double bytes)
{
        return ps_fit_at(&fit->fast, bytes);
}

/* The largest latency that leaves g(bytes) as long as the overheads at each size. */
static double find_latency(const ps_calibration *c, const ps_table *ways)
{
        const ps_fit *fit = c->cls[PS_CLASS_ALL].fit;
        double least = INFINITY;
        for (uint32_t i = 0; i < ways->n; i++) {
                double ends = fmax(at_size(&fit[PS_SAMPLE_SEND], ways->bytes[i]),
                                   at_size(&fit[PS_SAMPLE_RECEIVE], ways->bytes[i]));
                least = fmin(least, ways->s[i] - ends);
        }
        return fmax(least, 0);
}

static void add_table(ps_calibration *c, const char *name, const ps_table *table, const ps_fit *fit)
{
        ps_calibrated *row = ps_calibration_add(c, name, PS_A_SECONDS, table->s[table->n / 2]);
        row->low = row->high = table->s[0];
        for (uint32_t i = 0; i < table->n; i++) {
                row->low = fmin(row->low, table->s[i]);
                row->high = fmax(row->high, table->s[i]);
        }
        row->n_values = table->n;
        row->n_samples = fit->n_samples;
        row->n_sizes = fit->n_sizes;
}

ps_status ps_calibrate_plogp(ps_calibration *c, const ps_samples *samples, ps_error *err)
{
        const ps_fit *fit = c->cls[PS_CLASS_ALL].fit;
        ps_calibrate_class cls =
                c->cls[PS_CLASS_FAR].fit[PS_SAMPLE_ONE_WAY].n_sizes ? PS_CLASS_FAR : PS_CLASS_NEAR;
        ps_machine *m = &c->machine;
        if (!fit[PS_SAMPLE_ONE_WAY].n_sizes)
                c->refusal = ps_calibration_no_way(samples);
        else if (fit[PS_SAMPLE_ONE_WAY].n_sizes < 2)
                c->refusal = "it needs messages of two sizes at least that show their whole way";
        else if (!fit[PS_SAMPLE_SEND].n_sizes || !fit[PS_SAMPLE_RECEIVE].n_sizes)
                c->refusal =
                        "it needs what sending costs and what receiving costs by themselves: there are no "
                        "samples of both ends";
        if (c->refusal)
                return PS_OK;
        PS_TRY(collect_cells(&m->gap_table, samples, cls, PS_SAMPLE_ONE_WAY, err));
        PS_TRY(collect_cells(&m->send_table, samples, PS_CLASS_ALL, PS_SAMPLE_SEND, err));
        PS_TRY(collect_cells(&m->receive_table, samples, PS_CLASS_ALL, PS_SAMPLE_RECEIVE, err));
        m->link.latency_s = find_latency(c, &m->gap_table);
        for (uint32_t i = 0; i < m->gap_table.n; i++)
                m->gap_table.s[i] = fmax(0, m->gap_table.s[i] - m->link.latency_s);
        ps_calibration_add(c, "latency_s", PS_A_SECONDS, m->link.latency_s);
        add_table(c, "gap_table", &m->gap_table, &c->cls[cls].fit[PS_SAMPLE_ONE_WAY]);
        add_table(c, "send_overhead_table", &m->send_table, &fit[PS_SAMPLE_SEND]);
        add_table(c, "receive_overhead_table", &m->receive_table, &fit[PS_SAMPLE_RECEIVE]);
        ps_calibration_note(c, PS_NOTE_PLOGP_SUM);
        return PS_OK;
}
