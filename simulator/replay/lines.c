/* lines.c - the least that transfers of each size took, and the straight line below that.
 *
 * What was seen is never shorter than the transfer: something else may have held it up. So the line is the
 * one that comes closest from below: the edge of the convex hull that has the mean of the sizes on it. */
#include "simulator/replay/plan.h"

#include <stdlib.h>

/* Sizes that are closer together tell nothing apart. */
enum { FITTED_RATIO = 4 };

void ps_line_clear(fitted *of)
{
        *of = (fitted){0};
        for (int i = 0; i < SIZE_CLASSES; i++)
                of->seen[i].time = PS_TIME_MAX;
}

static bool is_better(const sample *a, const sample *b)
{
        return a->time != b->time ? a->time < b->time : a->time < PS_TIME_MAX && a->bytes > b->bytes;
}

static void keep_better(sample *at, sample other)
{
        if (is_better(&other, at))
                *at = other;
}

void ps_line_add(fitted *of, uint64_t bytes, ps_time time)
{
        keep_better(&of->seen[size_class(bytes)], (sample){bytes, time});
}

void ps_line_merge(fitted *into, const fitted *from)
{
        for (int i = 0; i < SIZE_CLASSES; i++)
                keep_better(&into->seen[i], from->seen[i]);
}

/* Does b lie on or above the line from a to c? */
static bool is_above(const sample *a, const sample *b, const sample *c)
{
        double by = (double)(b->time - a->time) * ((double)c->bytes - (double)a->bytes);
        return by >= (double)(c->time - a->time) * ((double)b->bytes - (double)a->bytes);
}

/* Corners of the lower hull, in the order of sizes. */
static int find_hull(const fitted *of, sample hull[SIZE_CLASSES], double *mean)
{
        int n = 0, n_seen = 0;
        *mean = 0;
        for (int i = 0; i < SIZE_CLASSES; i++) {
                if (of->seen[i].time == PS_TIME_MAX)
                        continue;
                *mean += (double)of->seen[i].bytes;
                n_seen++;
                while (n > 1 && is_above(&hull[n - 2], &hull[n - 1], &of->seen[i]))
                        n--;
                hull[n++] = of->seen[i];
        }
        *mean /= n_seen ? n_seen : 1;
        return n;
}

/* Neither latency nor bandwidth can be below nothing. */
static void draw_line(fitted *of, const sample *a, const sample *b)
{
        double slope = (double)(b->time - a->time) / ((double)b->bytes - (double)a->bytes);
        double start = (double)a->time - slope * (double)a->bytes;
        of->per_byte = slope > 0 ? slope : 0;
        of->latency = slope > 0 ? start : (double)b->time;
        if (of->latency < 0) {
                of->per_byte = (double)b->time / (double)b->bytes;
                of->latency = 0;
        }
}

void ps_line_fit(fitted *of)
{
        sample hull[SIZE_CLASSES];
        double mean;
        int n = find_hull(of, hull, &mean), edge = 1;
        of->is_fitted = n > 1 && hull[n - 1].bytes / FITTED_RATIO >= (hull[0].bytes ? hull[0].bytes : 1);
        if (!of->is_fitted)
                return;
        while (edge + 1 < n && (double)hull[edge].bytes < mean)
                edge++;
        draw_line(of, &hull[edge - 1], &hull[edge]);
}

/* Within a fiftieth, in each class that both have. */
bool ps_line_agrees(const fitted *a, const fitted *b)
{
        bool agrees = false;
        for (int i = 0; i < SIZE_CLASSES; i++) {
                ps_time x = a->seen[i].time, y = b->seen[i].time;
                if (x == PS_TIME_MAX || y == PS_TIME_MAX)
                        continue;
                if (llabs(x - y) > x / 50)
                        return false;
                agrees = true;
        }
        return agrees;
}

ps_time ps_line_least(const fitted *of)
{
        ps_time least = PS_TIME_MAX;
        for (int i = 0; i < SIZE_CLASSES; i++)
                least = of->seen[i].time < least ? of->seen[i].time : least;
        return least == PS_TIME_MAX ? 0 : least;
}

/* A message takes at least what a shorter one does. */
ps_time ps_line_estimate(const fitted *of, uint64_t bytes)
{
        int at = (int)size_class(bytes);
        if (of->is_fitted && of->seen[at].time == PS_TIME_MAX)
                return (ps_time)(of->latency + of->per_byte * (double)bytes + 0.5);
        while (at >= 0 && of->seen[at].time == PS_TIME_MAX)
                at--;
        if (at < 0)
                return ps_line_least(of);
        double more = of->is_fitted ? of->per_byte * ((double)bytes - (double)of->seen[at].bytes) : 0;
        double time = (double)of->seen[at].time + more;
        return time > 0 ? (ps_time)(time + 0.5) : 0;
}
