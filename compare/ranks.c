/* ranks.c - which processor is which, and what each of them did in the two runs. */
#include "compare/parts.h"

#include <math.h>
#include <stdlib.h>

/* -- pairs -- */

static ps_status take_map(ps_compare *c, uint32_t n_measured, uint32_t n_predicted, ps_error *err)
{
        const ps_compare_options *o = &c->options;
        uint8_t *taken = calloc((size_t)n_predicted + 1, 1);
        ps_status status = taken ? PS_OK : PS_NOMEM(err, "ranks", n_predicted);

        for (uint32_t i = 0; i < o->n_processors && status == PS_OK; i++) {
                uint32_t to = o->processors[i];
                if (to == PS_NONE)
                        continue;
                if (i >= n_measured || to >= n_predicted || taken[to])
                        status = PS_FAIL(
                                err, PS_E_USAGE,
                                "two ranks cannot be paired: measured=%u, of=%u, predicted=%u, of=%u%s", i,
                                n_measured, to, n_predicted,
                                to < n_predicted && taken[to] ? ", paired twice" : "");
                else
                        c->processor[i] = to;
                if (to < n_predicted)
                        taken[to] = 1;
        }
        free(taken);
        return status;
}

static bool are_all_paired(const ps_compare *c, uint32_t n_measured, uint32_t n_predicted)
{
        for (uint32_t i = 0; i < n_measured; i++)
                if (c->processor[i] == PS_NONE)
                        return 0;
        return n_measured == n_predicted;
}

ps_status ps_compare_pair_processors(ps_compare *c, ps_error *err)
{
        const ps_run *m = c->run[PS_MEASURED], *p = c->run[PS_PREDICTED];
        uint32_t n = m->n_processors;
        bool are_known = m->has_shares && p->has_shares;
        ps_status status = PS_OK;

        c->processor = malloc(((size_t)n + 1) * sizeof(*c->processor));
        if (!c->processor)
                return PS_NOMEM(err, "ranks", n);
        for (uint32_t i = 0; i < n; i++)
                c->processor[i] = !c->options.processors && n == p->n_processors ? i : PS_NONE;
        if (c->options.processors)
                status = take_map(c, n, p->n_processors, err);
        else
                c->ranks_differ = are_known ? n != p->n_processors : m->processes != p->processes;
        if (are_known && !are_all_paired(c, n, p->n_processors))
                c->is_partial = true;
        return status;
}

/* -- what they did -- */

static ps_run_parts parts_of_rank(const ps_run *run, uint32_t processor)
{
        ps_run_parts sum = {{0}};

        for (uint32_t i = 0; i < run->intervals.n; i++) {
                const ps_run_parts parts = ps_run_parts_of(&run->intervals.row[i], processor);
                for (int part = 0; part < PS_OWN_PARTS; part++)
                        sum.of[part] += parts.of[part];
        }
        return sum;
}

static void fill_rank(const ps_compare *c, ps_compared_rank *row)
{
        for (int side = 0; side < PS_SIDES; side++) {
                const ps_run_parts sum = parts_of_rank(c->run[side], row->processor[side]);
                *ps_two_at(&row->compute, side) = sum.of[PS_PART_COMPUTE];
                *ps_two_at(&row->work, side) = sum.of[PS_PART_COMPUTE] + sum.of[PS_PART_OVERHEAD];
                *ps_two_at(&row->wait, side) = sum.of[PS_PART_P2P_WAIT] + sum.of[PS_PART_COLLECTIVE_WAIT];
        }
}

static double imbalance_of(const ps_run *run)
{
        double sum = 0, longest = 0;

        for (uint32_t p = 0; p < run->n_processors; p++) {
                double compute = parts_of_rank(run, p).of[PS_PART_COMPUTE];
                sum += compute;
                longest = compute > longest ? compute : longest;
        }
        return sum > 0 ? longest * run->n_processors / sum - 1 : NAN;
}

ps_status ps_compare_ranks(ps_compare *c, ps_error *err)
{
        uint32_t n = c->run[PS_MEASURED]->n_processors;
        ps_two *work = malloc(((size_t)n + 1) * sizeof(*work));

        c->ranks.row = calloc((size_t)n + 1, sizeof(*c->ranks.row));
        if (!c->ranks.row || !work) {
                free(work);
                return PS_NOMEM(err, "ranks", n);
        }
        for (uint32_t i = 0; i < n; i++) {
                if (c->processor[i] == PS_NONE)
                        continue;
                ps_compared_rank *row = &c->ranks.row[c->ranks.n];
                *row = (ps_compared_rank){.processor = {i, c->processor[i]}};
                fill_rank(c, row);
                work[c->ranks.n++] = row->work;
        }
        c->rank_errors = ps_errors_of(work, c->ranks.n, c->floor_s);
        for (uint32_t i = 0; i < c->ranks.n; i++)
                work[i] = c->ranks.row[i].compute;
        ps_status status = ps_errors_spearman(&c->spearman, work, c->ranks.n, err);
        for (int side = 0; side < PS_SIDES; side++)
                *ps_two_at(&c->imbalance, side) = imbalance_of(c->run[side]);
        free(work);
        return status;
}
