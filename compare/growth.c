/* growth.c - see growth.h. The square of a difference counts relative to the cost: neither do the large runs
 * hide the small ones, nor the small ones what all comes to. */
#include "compare/growth.h"

#include <math.h>

/* A law is clearly nearer when it leaves so much less of the squares; what differs less from its mean is
 * constant: runs are not measured more exactly. */
static const double clearly = 4, steady = 0.05;

/* Costs below this part of their mean count as if they were so large: a run that hardly has them must not
 * decide. */
static const double least_weight = 0.1;

const char *const ps_growth_names[PS_GROWTH_LAWS] = {
#define PS_GROWTH_LAW(id, name, formula) name,
#include "compare/growth_laws.def"
#undef PS_GROWTH_LAW
};

const char *const ps_growth_trusts[PS_GROWTH_HIGH + 1] = {"unknown", "low", "medium", "high"};

static double law_at(ps_growth_law law, double p)
{
        switch (law) {
#define PS_GROWTH_LAW(id, name, formula)                                                                     \
        case PS_GROWTH_##id:                                                                                 \
                return formula;
#include "compare/growth_laws.def"
#undef PS_GROWTH_LAW
        case PS_GROWTH_LAWS:
                break;
        }
        return 0;
}

double ps_growth_at(const ps_growth *growth, double p)
{
        return growth->a + growth->b * law_at(growth->law, p);
}

static double mean_of(const double *cost, unsigned n)
{
        double sum = 0;
        for (unsigned i = 0; i < n; i++)
                sum += cost[i];
        return sum / n;
}

/* Least squares with weights 1 / cost; a line that would fall, or begin below zero, goes through what is
 * allowed. */
static ps_growth fit_law(ps_growth_law law, const double *p, const double *cost, unsigned n)
{
        double w = 0, x = 0, y = 0, xx = 0, xy = 0;
        double floor = least_weight * mean_of(cost, n);
        if (!(floor > 0)) /* nothing costs nothing */
                return (ps_growth){.law = law, .r_squared = NAN};
        for (unsigned i = 0; i < n; i++) {
                double weight = 1 / fmax(cost[i], floor), f = law_at(law, p[i]);
                w += weight;
                x += weight * f;
                y += weight * cost[i];
                xx += weight * f * f;
                xy += weight * f * cost[i];
        }
        double determinant = w * xx - x * x;
        ps_growth g = {.law = law, .a = y / w, .r_squared = NAN};
        if (law == PS_GROWTH_CONSTANT || !(determinant > 0))
                return g;
        g.b = fmax(0, (w * xy - x * y) / determinant);
        g.a = (y - g.b * x) / w;
        if (g.a < 0)
                g = (ps_growth){.law = law, .b = xy / xx, .r_squared = NAN};
        return g;
}

static double left_by(const ps_growth *g, const double *p, const double *cost, unsigned n)
{
        double sum = 0, floor = least_weight * mean_of(cost, n);
        for (unsigned i = 0; i < n; i++)
                sum += pow(cost[i] - ps_growth_at(g, p[i]), 2) / fmax(cost[i], floor);
        return sum;
}

static bool is_steady(const double *cost, unsigned n)
{
        double mean = mean_of(cost, n);
        for (unsigned i = 0; i < n; i++)
                if (fabs(cost[i] - mean) > steady * mean)
                        return false;
        return true;
}

/* Two parameters of three points leave one to tell a law by: that is never much. */
static ps_growth_trust trust_of(double best, double next, unsigned n)
{
        if (n < 3)
                return PS_GROWTH_UNKNOWN;
        if (n == 3 || next < clearly * best)
                return PS_GROWTH_LOW;
        return n >= 5 && next > clearly * clearly * best ? PS_GROWTH_HIGH : PS_GROWTH_MEDIUM;
}

ps_growth ps_growth_fit(const double *p, const double *cost, unsigned n)
{
        ps_growth best = fit_law(PS_GROWTH_CONSTANT, p, cost, n);
        if (is_steady(cost, n)) {
                best.trust = n < 3 ? PS_GROWTH_UNKNOWN : n == 3 ? PS_GROWTH_LOW : PS_GROWTH_MEDIUM;
                return best;
        }
        double whole = left_by(&best, p, cost, n), left = whole, next = INFINITY;
        for (int law = PS_GROWTH_LOG; law < PS_GROWTH_LAWS; law++) {
                ps_growth other = fit_law((ps_growth_law)law, p, cost, n);
                double rest = left_by(&other, p, cost, n);
                bool is_nearer = rest < left;
                next = fmin(is_nearer ? left : rest, next);
                if (is_nearer) {
                        best = other;
                        left = rest;
                }
        }
        best.r_squared = n > 2 && whole > 0 ? 1 - left / whole : NAN;
        best.trust = trust_of(left, next, n);
        return best;
}
