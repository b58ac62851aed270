/* fit.c - see fit.h.
 *
 * With weights 1/T^2 the sum to be made small is that of (1 - a u - b v)^2, u = 1/T, v = bytes/T: a
 * regression of the constant 1 on two columns, for which a handful of sums is enough. Prefix sums of them
 * give the best breakpoint in one pass. */
#include "simulator/calibrate/fit.h"
#include "core/base/radix.h"
#include "core/base/search.h"

#include <math.h>
#include <stdlib.h>

/* A break must explain nearly all that one line leaves, and one line must leave something to explain. */
static const double break_gain = 0.7, break_f = 25, noise = 0.01;

/* Sizes that differ by less are one: a line through them would end anywhere at no bytes. */
static const double one_size = 1.25;

double ps_quantile(const double *sorted, size_t n, double share)
{
        double at = share * (double)(n - 1);
        size_t below = (size_t)at;
        if (below + 1 >= n)
                return sorted[n - 1];
        return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

double ps_fit_at(const ps_fit_line *line, double bytes)
{
        return line->fixed_s + bytes * line->per_byte_s;
}

/* -- samples to cells -- */

static int by_size(const void *a, const void *b)
{
        const ps_sample_point *p = a, *q = b;
        PS_ORDER_BY(p->bytes, q->bytes);
        return PS_ORDER(p->s, q->s);
}

static uint64_t bytes_of(const void *row)
{
        const ps_sample_point *p = row;
        return ps_radix_double(p->bytes);
}

static uint64_t time_of(const void *row)
{
        const ps_sample_point *p = row;
        return ps_radix_double(p->s);
}

static ps_row_number *const size_keys[] = {bytes_of, time_of};

static double quantile_of_points(const ps_sample_point *sorted, size_t n, double share)
{
        double at = share * (double)(n - 1);
        size_t below = (size_t)at, above = below + 1 < n ? below + 1 : below;
        return sorted[below].s + (at - (double)below) * (sorted[above].s - sorted[below].s);
}

uint32_t ps_fit_cells(ps_fit_cell *out, ps_sample_point *points, size_t n)
{
        uint32_t n_cells = 0;
        /* Without memory in place, which takes longer. */
        if (ps_radix_sort(points, n, sizeof(*points), size_keys, 2))
                qsort(points, n, sizeof(*points), by_size);
        for (size_t first = 0, end; first < n; first = end) {
                for (end = first; end < n && points[end].bytes == points[first].bytes;)
                        end++;
                size_t here = end - first;
                out[n_cells++] = (ps_fit_cell){
                        .bytes = points[first].bytes,
                        .fast_s = here < PS_FIT_ENOUGH ? quantile_of_points(&points[first], here, 0.1)
                                                       : points[first].s,
                        .typical_s = quantile_of_points(&points[first], here, 0.5),
                        .n = here};
        }
        return n_cells;
}

/* -- lines -- */

typedef struct sums {
        double n, u, v, uu, uv, vv;
} sums;

static void add_cell(sums *s, double bytes, double time)
{
        double u = 1 / time, v = bytes / time;
        s->n++;
        s->u += u;
        s->v += v;
        s->uu += u * u;
        s->uv += u * v;
        s->vv += v * v;
}

static sums difference(const sums *a, const sums *b)
{
        return (sums){a->n - b->n, a->u - b->u, a->v - b->v, a->uu - b->uu, a->uv - b->uv, a->vv - b->vv};
}

static ps_fit_line through_zero(const sums *s)
{
        return (ps_fit_line){0, s->vv > 0 ? s->v / s->vv : 0, 1};
}

/* The best line whose two values are not negative. */
static ps_fit_line best_line(const sums *s)
{
        double determinant = s->uu * s->vv - s->uv * s->uv;
        ps_fit_line line = {s->u / s->uu, 0, 1};
        if (!(determinant > 1e-12 * s->uu * s->vv))
                return line;
        double fixed = (s->u * s->vv - s->v * s->uv) / determinant;
        double per_byte = (s->v * s->uu - s->u * s->uv) / determinant;
        if (per_byte < 0)
                return line;
        return fixed < 0 ? through_zero(s) : (ps_fit_line){fixed, per_byte, 0};
}

/* What the line leaves: the sum of squares of relative errors. */
static double left_by(const sums *s, const ps_fit_line *line)
{
        double a = line->fixed_s, b = line->per_byte_s;
        double left = s->n - 2 * (a * s->u + b * s->v) + a * a * s->uu + 2 * a * b * s->uv + b * b * s->vv;
        return left > 0 ? left : 0;
}

static sums sum_cells(const ps_fit_cell *cells, uint32_t n, bool is_typical)
{
        sums s = {0};
        for (uint32_t i = 0; i < n; i++)
                add_cell(&s, cells[i].bytes, is_typical ? cells[i].typical_s : cells[i].fast_s);
        return s;
}

/* One size says one thing. */
static ps_fit_line line_of_one(const ps_fit *fit, const sums *s)
{
        return fit->has_per_byte ? (ps_fit_line){0, s->v / s->vv, 0} : (ps_fit_line){s->u / s->uu, 0, 0};
}

static bool is_line(const ps_fit *fit)
{
        return fit->has_fixed && fit->has_per_byte;
}

static ps_fit_line fit_line(const ps_fit *fit, const ps_fit_cell *cells, uint32_t n, bool is_typical)
{
        sums s = sum_cells(cells, n, is_typical);
        return is_line(fit) ? best_line(&s) : line_of_one(fit, &s);
}

/* -- how sure -- */

/* Student's t, two-sided 95 %. */
static double t_quantile(uint32_t freedom)
{
        static const double t[] = {0,     12.706, 4.303, 3.182, 2.776, 2.571, 2.447,
                                   2.365, 2.306,  2.262, 2.228, 2.201, 2.179, 2.160,
                                   2.145, 2.131,  2.120, 2.110, 2.101, 2.093, 2.086};
        uint32_t known = sizeof(t) / sizeof(t[0]) - 1;
        return freedom <= known ? t[freedom] : 1.96 + 2.4 / freedom;
}

static double r_squared(const ps_fit_cell *cells, uint32_t n, double left)
{
        double weights = 0, sum = 0, all = 0;
        for (uint32_t i = 0; i < n; i++) {
                weights += 1 / (cells[i].fast_s * cells[i].fast_s);
                sum += 1 / cells[i].fast_s;
        }
        for (uint32_t i = 0; i < n; i++) {
                double off = 1 - sum / weights / cells[i].fast_s;
                all += off * off;
        }
        return all > 0 ? 1 - left / all : NAN;
}

static void find_limits(ps_fit *fit, const ps_fit_cell *cells)
{
        sums s = sum_cells(cells, fit->n_sizes, 0);
        double determinant = s.uu * s.vv - s.uv * s.uv, left = left_by(&s, &fit->fast);
        fit->fixed_low = fit->fixed_high = fit->per_byte_low = fit->per_byte_high = fit->r_squared = NAN;
        if (!is_line(fit) || fit->n_sizes < 3 || !(determinant > 0))
                return;
        double scale = t_quantile(fit->n_sizes - 2) * sqrt(left / (fit->n_sizes - 2));
        double fixed = scale * sqrt(s.vv / determinant), per_byte = scale * sqrt(s.uu / determinant);
        fit->fixed_low = fmax(0, fit->fast.fixed_s - fixed);
        fit->fixed_high = fit->fast.fixed_s + fixed;
        fit->per_byte_low = fmax(0, fit->fast.per_byte_s - per_byte);
        fit->per_byte_high = fit->fast.per_byte_s + per_byte;
        fit->r_squared = r_squared(cells, fit->n_sizes, left);
}

static ps_status find_spread(ps_fit *fit, const ps_fit_cell *cells, ps_error *err)
{
        double *ratio = malloc(fit->n_sizes * sizeof(*ratio));
        if (!ratio)
                return PS_NOMEM(err, "sizes", fit->n_sizes);
        for (uint32_t i = 0; i < fit->n_sizes; i++)
                ratio[i] = cells[i].typical_s / cells[i].fast_s;
        qsort(ratio, fit->n_sizes, sizeof(*ratio), ps_doubles_compare);
        fit->spread = ps_quantile(ratio, fit->n_sizes, 0.5);
        free(ratio);
        return PS_OK;
}

/* -- breakpoints -- */

/* Cells [0, n) are best divided before the one that is returned; 0: not at all. */
static uint32_t find_break(const ps_fit_cell *cells, uint32_t n)
{
        sums all = sum_cells(cells, n, 0), low = {0};
        ps_fit_line line = best_line(&all);
        double one = left_by(&all, &line), best = INFINITY;
        uint32_t at = 0;
        if (n < 2 * PS_FIT_SEGMENT || one <= noise * noise * n)
                return 0;
        for (uint32_t i = 1; i + PS_FIT_SEGMENT <= n; i++) {
                add_cell(&low, cells[i - 1].bytes, cells[i - 1].fast_s);
                if (i < PS_FIT_SEGMENT)
                        continue;
                sums high = difference(&all, &low);
                ps_fit_line below = best_line(&low), above = best_line(&high);
                double two = left_by(&low, &below) + left_by(&high, &above);
                if (two < best) {
                        best = two;
                        at = i;
                }
        }
        double freedom = n > 4 ? n - 4 : 1, f = (one - best) / 2 / (best / freedom);
        return one - best >= break_gain * one && !(f < break_f) ? at : 0;
}

static void add_segment(ps_fit *fit, const ps_fit_cell *cells, uint32_t n)
{
        ps_fit_segment *segment = &fit->segment[fit->n_segments++];
        *segment = (ps_fit_segment){cells[0].bytes, cells[n - 1].bytes, fit_line(fit, cells, n, 0)};
}

/* Parts the cells and then their parts, `left` times at most; in the order of size. */
static void part_cells(ps_fit *fit, const ps_fit_cell *cells, uint32_t n, uint32_t *left)
{
        uint32_t at = *left ? find_break(cells, n) : 0;
        if (!at) {
                add_segment(fit, cells, n);
                return;
        }
        --*left;
        part_cells(fit, cells, at, left);
        part_cells(fit, cells + at, n - at, left);
}

/* -- the whole -- */

static ps_status fit_cells(ps_fit *fit, const ps_fit_cell *cells, ps_error *err)
{
        uint32_t n = fit->n_sizes, left = PS_FIT_BREAKS;
        bool is_one = cells[n - 1].bytes <= one_size * cells[0].bytes;
        fit->least_bytes = cells[0].bytes;
        fit->most_bytes = cells[n - 1].bytes;
        fit->has_per_byte = !is_one || cells[0].bytes >= PS_FIT_RATE_ONLY;
        fit->has_fixed = !is_one || !fit->has_per_byte;
        fit->fast = fit_line(fit, cells, n, 0);
        fit->typical = fit_line(fit, cells, n, 1);
        find_limits(fit, cells);
        part_cells(fit, cells, n, &left);
        return find_spread(fit, cells, err);
}

ps_status ps_fit_make(ps_fit *out, ps_sample_point *points, size_t n, ps_error *err)
{
        ps_fit_cell *cells = malloc((n ? n : 1) * sizeof(*cells));
        ps_status status = PS_OK;
        *out = (ps_fit){.n_samples = n};
        if (!cells)
                return PS_NOMEM(err, "samples", n);
        out->n_sizes = ps_fit_cells(cells, points, n);
        if (out->n_sizes)
                status = fit_cells(out, cells, err);
        free(cells);
        return status;
}
