/* intervals.c - which interval of one run is which of the other, how far they differ, and what of the
 * total difference each has part in. */
#include "compare/parts.h"
#include "core/base/search.h"

#include <math.h>
#include <stdlib.h>

/* -- pairs -- */

static void add_compared_row(ps_compare *c, uint32_t measured, uint32_t predicted)
{
        ps_compared_interval *row = &c->intervals.row[c->intervals.n++];

        *row = (ps_compared_interval){.row = {measured, predicted}, .worst = PS_NONE};
        if (measured != PS_NONE && predicted != PS_NONE)
                c->interval_matches.both++;
        else
                c->interval_matches.only[measured == PS_NONE ? PS_PREDICTED : PS_MEASURED]++;
}

static ps_status pair_up(ps_compare *c, ps_error *err)
{
        const ps_run *m = c->run[PS_MEASURED], *p = c->run[PS_PREDICTED];
        uint8_t *taken = calloc((size_t)p->intervals.n + 1, 1);
        uint32_t *match = NULL;
        ps_status status = ps_compare_pair_intervals(&match, c, err);

        c->intervals.row = calloc((size_t)m->intervals.n + p->intervals.n + 1, sizeof(*c->intervals.row));
        if (status == PS_OK && (!taken || !c->intervals.row))
                status = PS_NOMEM(err, "intervals", m->intervals.n);
        for (uint32_t i = 0; i < m->intervals.n && status == PS_OK; i++) {
                add_compared_row(c, i, match[i]);
                if (match[i] != PS_NONE)
                        taken[match[i]] = 1;
        }
        for (uint32_t i = 0; i < p->intervals.n && status == PS_OK; i++)
                if (!taken[i])
                        add_compared_row(c, PS_NONE, i);
        free(taken);
        free(match);
        return status;
}

/* -- differences -- */

static double work_of(const ps_run_interval *row, uint32_t processor)
{
        const ps_run_parts parts = ps_run_parts_of(row, processor);
        return parts.of[PS_PART_COMPUTE] + parts.of[PS_PART_OVERHEAD];
}

static double mean_of(const ps_run *run, uint32_t row, ps_part a, ps_part b)
{
        return row == PS_NONE ? NAN : ps_run_mean(run, row, a) + ps_run_mean(run, row, b);
}

static const ps_run_interval *interval_on_side(const ps_compare *c, const ps_compared_interval *i,
                                               ps_run_role side)
{
        return i->row[side] == PS_NONE ? NULL : &c->run[side]->intervals.row[i->row[side]];
}

/* A processor that the other run does not have takes no part. */
static void find_worst(const ps_compare *c, ps_compared_interval *i)
{
        const ps_run_interval *m = interval_on_side(c, i, PS_MEASURED),
                              *p = interval_on_side(c, i, PS_PREDICTED);

        for (uint32_t at = 0; at < c->run[PS_MEASURED]->n_processors; at++) {
                if (c->processor[at] == PS_NONE)
                        continue;
                ps_two work = {m ? work_of(m, at) : 0, p ? work_of(p, c->processor[at]) : 0};
                double size = fabs(ps_two_difference(work));
                if (i->worst != PS_NONE && size <= i->weight)
                        continue;
                i->worst = at;
                i->worst_work = work;
                i->weight = size;
        }
}

static void sample(const ps_compare *c, ps_compared_interval *i)
{
        const ps_run_interval *m = interval_on_side(c, i, PS_MEASURED),
                              *p = interval_on_side(c, i, PS_PREDICTED);
        const uint64_t id[PS_SIDES] = {m ? m->id : 0, p ? p->id : 0};

        i->sampled = (ps_run_sampled){i->execution, NAN, NAN};
        if (c->options.samples)
                i->sampled = ps_run_samples_interval(c->options.samples, id);
}

/* Of the whole run the total tells. */
static void judge_interval(const ps_compare *c, ps_compared_interval *i)
{
        double m = isnan(i->execution.measured) ? 0 : i->execution.measured;

        sample(c, i);
        i->is_below = m < c->floor_s || !(i->execution.predicted >= c->floor_s);
        i->is_beyond = i->row[PS_MEASURED] != 0 && fabs(ps_two_difference(i->sampled.median)) > c->floor_s &&
                       ps_compare_is_beyond(c, i->sampled.median);
}

/* Of many intervals one is more likely to differ by chance than a given one. */
static void count_exceeded(ps_compare *c)
{
        uint32_t n = 0;

        for (uint32_t i = 0; i < c->intervals.n; i++)
                n += c->intervals.row[i].row[PS_MEASURED] != 0 && !c->intervals.row[i].is_below;
        c->level = n ? ps_run_samples_level / n : ps_run_samples_level;
        for (uint32_t i = 0; i < c->intervals.n; i++) {
                ps_compared_interval *row = &c->intervals.row[i];
                row->is_exceeded = row->is_beyond && ps_compare_is_no_chance(&row->sampled, c->level);
                c->intervals_beyond += row->is_beyond;
                c->intervals_exceeded += row->is_exceeded;
        }
}

static void fill_interval(ps_compare *c, ps_compared_interval *i)
{
        for (int side = 0; side < PS_SIDES; side++) {
                const ps_run *run = c->run[side];
                uint32_t row = i->row[side];
                double execution = row == PS_NONE ? NAN : run->intervals.row[row].execution_s;
                double work = mean_of(run, row, PS_PART_COMPUTE, PS_PART_OVERHEAD);
                double wait = mean_of(run, row, PS_PART_P2P_WAIT, PS_PART_COLLECTIVE_WAIT);
                *ps_two_at(&i->execution, side) = execution;
                *ps_two_at(&i->work, side) = work;
                *ps_two_at(&i->wait, side) = wait;
        }
        if (c->run[PS_MEASURED]->has_shares && c->run[PS_PREDICTED]->has_shares)
                find_worst(c, i);
        if (i->worst == PS_NONE)
                i->weight = fabs(isnan(ps_two_difference(i->work)) ? ps_two_difference(i->execution)
                                                                   : ps_two_difference(i->work));
        judge_interval(c, i);
}

static uint64_t interval_place(const ps_compared_interval *i)
{
        return i->row[PS_MEASURED] != PS_NONE ? i->row[PS_MEASURED]
                                              : (uint64_t)i->row[PS_PREDICTED] + PS_NONE;
}

static int compare_rows(const void *a, const void *b)
{
        const ps_compared_interval *x = a, *y = b;
        double d = fabs(ps_two_difference(x->execution)), e = fabs(ps_two_difference(y->execution));

        PS_ORDER_BY(y->weight, x->weight);
        PS_ORDER_BY(e, d);
        return PS_ORDER(interval_place(x), interval_place(y));
}

/* -- what the total difference consists of -- */

static void contribute(ps_compare *c, ps_contribution one)
{
        unsigned at = c->n_contributions;

        /* Times are whole nanoseconds: a part of one is what a mean leaves. */
        if (isnan(one.difference_s) || fabs(one.difference_s) < 1e-9)
                return;
        while (at && fabs(one.difference_s) > fabs(c->contribution[at - 1].difference_s))
                at--;
        if (at == PS_CONTRIBUTIONS)
                return;
        c->n_contributions += c->n_contributions < PS_CONTRIBUTIONS;
        for (unsigned i = c->n_contributions - 1; i > at; i--)
                c->contribution[i] = c->contribution[i - 1];
        c->contribution[at] = one;
}

static double mean_at(const ps_compare *c, const ps_compared_interval *i, ps_run_role side, ps_part part)
{
        return i->row[side] == PS_NONE ? 0 : ps_run_mean(c->run[side], i->row[side], part);
}

static void find_contributions(ps_compare *c)
{
        for (uint32_t i = 0; i < c->intervals.n; i++)
                for (int part = 0; part < PS_OWN_PARTS; part++) {
                        const ps_compared_interval *row = &c->intervals.row[i];
                        double difference = mean_at(c, row, PS_PREDICTED, (ps_part)part) -
                                            mean_at(c, row, PS_MEASURED, (ps_part)part);
                        contribute(c, (ps_contribution){i, (ps_part)part, difference});
                }
        contribute(c, (ps_contribution){PS_NONE, PS_PART_IDLE, ps_two_difference(c->part[PS_PART_IDLE])});
}

/* Of both runs, as a processor spent it: times of nested intervals do not overlap. */
static ps_status find_errors(ps_compare *c, ps_error *err)
{
        ps_two *own = malloc(((size_t)c->intervals.n + 1) * sizeof(*own));

        if (!own)
                return PS_NOMEM(err, "intervals", c->intervals.n);
        for (uint32_t i = 0; i < c->intervals.n; i++) {
                const ps_compared_interval *row = &c->intervals.row[i];
                own[i] = (ps_two){row->work.measured + row->wait.measured,
                                  row->work.predicted + row->wait.predicted};
        }
        c->interval_errors = ps_errors_of(own, c->intervals.n, c->floor_s);
        free(own);
        return PS_OK;
}

ps_status ps_compare_intervals(ps_compare *c, ps_error *err)
{
        PS_TRY(pair_up(c, err));
        for (uint32_t i = 0; i < c->intervals.n; i++)
                fill_interval(c, &c->intervals.row[i]);
        count_exceeded(c);
        if (c->intervals.n)
                qsort(c->intervals.row, c->intervals.n, sizeof(*c->intervals.row), compare_rows);
        find_contributions(c);
        return find_errors(c, err);
}
