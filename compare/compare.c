/* compare.c - a comparison, step by step. */
#include "compare/parts.h"
#include "report/facts/run_name.h"

#include <math.h>
#include <stdlib.h>

double ps_two_difference(ps_two two)
{
        if (isnan(two.measured) && isnan(two.predicted))
                return NAN;
        return (isnan(two.predicted) ? 0 : two.predicted) - (isnan(two.measured) ? 0 : two.measured);
}

/* Shorter times say nothing about a model, because the clocks or the run are too coarse for them. */
static double floor_of(const ps_compare *c)
{
        double floor_s = c->run[PS_MEASURED]->duration_s / 1000;

        for (int side = 0; side < PS_SIDES; side++) {
                uint64_t hz = c->run[side]->resolution_hz;
                if (hz && 1 / (double)hz > floor_s)
                        floor_s = 1 / (double)hz;
        }
        return floor_s;
}

/* A machine file says in words what its numbers were fitted to. */
static bool is_calibration(const ps_run *measured, const ps_run *predicted)
{
        return predicted->machine_source && ps_run_is_named(predicted->machine_source, measured->trace_path);
}

bool ps_compare_is_beyond(const ps_compare *c, ps_two lengths)
{
        double difference = ps_two_difference(lengths),
               measured = isnan(lengths.measured) ? 0 : lengths.measured;

        return (c->options.is_one_sided ? difference : fabs(difference)) > c->options.tolerance * measured;
}

bool ps_compare_is_no_chance(const ps_run_sampled *lengths, double level)
{
        double p = ps_two_difference(lengths->median) > 0 ? lengths->p_longer : lengths->p_shorter;

        return isnan(p) || p <= level;
}

static void compare_totals(ps_compare *c)
{
        const ps_run *m = c->run[PS_MEASURED], *p = c->run[PS_PREDICTED];

        c->duration = (ps_two){m->duration_s, p->duration_s};
        for (int part = 0; part < PS_PARTS; part++)
                c->part[part] = (ps_two){ps_run_total(m, (ps_part)part), ps_run_total(p, (ps_part)part)};
        c->sampled = (ps_run_sampled){c->duration, NAN, NAN};
        if (c->options.samples)
                c->sampled = ps_run_samples_duration(c->options.samples);
        c->total_beyond = ps_compare_is_beyond(c, c->sampled.median);
        c->total_exceeded = c->total_beyond && ps_compare_is_no_chance(&c->sampled, ps_run_samples_level);
        c->is_calibration = is_calibration(m, p);
        c->imbalance = (ps_two){NAN, NAN};
        c->spearman = NAN;
}

static bool has_unmatched(const ps_compare *c)
{
        for (uint32_t i = 0; i < c->intervals.n; i++) {
                const ps_compared_interval *row = &c->intervals.row[i];
                if ((row->row[PS_MEASURED] == PS_NONE || row->row[PS_PREDICTED] == PS_NONE) &&
                    fabs(ps_two_difference(row->execution)) > c->floor_s)
                        return 1;
        }
        return 0;
}

static ps_status compare_all(ps_compare *c, ps_error *err)
{
        const ps_run *m = c->run[PS_MEASURED], *p = c->run[PS_PREDICTED];
        PS_TRY(ps_compare_pair_processors(c, err));

        compare_totals(c);
        if (m->intervals.n && p->intervals.n)
                PS_TRY(ps_compare_intervals(c, err));
        if (m->has_shares && p->has_shares && !c->ranks_differ)
                PS_TRY(ps_compare_ranks(c, err));
        if (m->has_findings && p->has_findings)
                PS_TRY(ps_compare_findings(c, err));
        if (m->trace && p->trace && m->tree && p->tree && !c->ranks_differ)
                PS_TRY(ps_compare_operations(c, err));
        if (!m->intervals.n || !p->intervals.n || !m->has_findings || !p->has_findings || m->is_partial ||
            p->is_partial || c->ranks_differ || has_unmatched(c) ||
            (c->options.samples && c->options.samples->is_partial))
                c->is_partial = true;
        return PS_OK;
}

ps_status ps_compare_new(ps_compare **out, const ps_run *measured, const ps_run *predicted,
                         const ps_compare_options *options, ps_error *err)
{
        ps_compare *c = calloc(1, sizeof(*c));
        ps_status status;

        *out = NULL;
        if (!c)
                return PS_NOMEM(err, "comparison", 1);
        c->run[PS_MEASURED] = measured;
        c->run[PS_PREDICTED] = predicted;
        c->options = *options;
        c->floor_s = floor_of(c);
        status = compare_all(c, err);
        if (status == PS_OK)
                *out = c;
        else
                ps_compare_free(c);
        return status;
}

void ps_compare_free(ps_compare *c)
{
        if (!c)
                return;
        free(c->intervals.row);
        free(c->processor);
        free(c->ranks.row);
        free(c->patterns.row);
        free(c->sites.row);
        free(c->sizes.row);
        free(c);
}

bool ps_compare_is_unusable(const ps_compare *c)
{
        return c->duration.measured <= 0 || c->duration.predicted <= 0;
}
