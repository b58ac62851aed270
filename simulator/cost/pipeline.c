/* pipeline.c - a message that takes several hops through a grid of transputers, in portions of S bytes.
 *
 * With p = ceil(B / S) portions over l hops it takes TS (l + p - 1) + TB (S (l - 1) + B): the last, smaller
 * portion included. The three ways differ in the S that they choose. */
#include "simulator/cost/exchange.h"

#include <math.h>

typedef struct pipe {
        double start_s, byte_s; /* TS, TB */
        double hops;
        uint64_t bytes;
} pipe;

static uint64_t portions(const pipe *p, uint64_t s)
{
        return p->bytes / s + (p->bytes % s != 0);
}

/* The part of the cost that depends on the choice: `count` portions, the largest of `s` bytes. */
static double varying(const pipe *p, double count, double s)
{
        return p->start_s * count + p->byte_s * (p->hops - 1) * s;
}

static double varying_of(const pipe *p, uint64_t s)
{
        return varying(p, (double)portions(p, s), (double)s);
}

/* The size at which the formula has its minimum when sizes may be fractions. */
static uint64_t ideal_size(const pipe *p)
{
        double s = sqrt(p->start_s * (double)p->bytes / (p->byte_s * (p->hops - 1)));
        if (!(s < (double)p->bytes)) /* also when a byte costs nothing */
                return p->bytes;
        return s < 1 ? 1 : (uint64_t)s;
}

/* Tries smaller portions until they cost more. While the number of portions stays the same, smaller ones cost
 * less. */
static double walk_down(const pipe *p)
{
        uint64_t s = ideal_size(p);
        double best = varying_of(p, s);
        while (s > 1 && p->start_s > 0 && varying_of(p, s - 1) <= best) {
                uint64_t count = portions(p, s - 1);
                s = p->bytes / count + (p->bytes % count != 0);
                best = varying_of(p, s);
        }
        return best;
}

/* From the ideal `x` to one side. `by_size`: x is a size, else a number of portions. With fractions the cost
 * is convex and never above the true one, so that nothing better comes once it reaches the best one. The
 * ideal itself is rounded: the first step may still lead towards it. */
static double best_beside(const pipe *p, int by_size, uint64_t x, int up, double best)
{
        for (bool is_first = true;; is_first = false, x = up ? x + 1 : x - 1) {
                double other = (double)p->bytes / (double)x;
                double bound = by_size ? varying(p, other, (double)x) : varying(p, (double)x, other);
                double found = by_size ? varying_of(p, x) : varying(p, (double)x, (double)portions(p, x));
                if (found < best)
                        best = found;
                if ((bound >= best && !is_first) || x == (up ? p->bytes : 1))
                        return best;
        }
}

/* Over sizes or numbers of portions, whichever are fewer: some fourth root of the bytes. */
static double best_of_all(const pipe *p)
{
        uint64_t s = ideal_size(p), count = portions(p, s), x = s < count ? s : count;
        double best = varying_of(p, s);
        best = best_beside(p, s < count, x, 1, best);
        return best_beside(p, s < count, x, 0, best);
}

ps_time ps_pipeline_time(const ps_link *link, uint32_t hops, uint64_t bytes, ps_pipelining pipelining)
{
        pipe p = {link->latency_s, 1 / link->bandwidth_bytes_per_s, hops, bytes};
        double chosen;
        if (hops == 0 || bytes == 0)
                return 0;
        if (hops == 1)
                chosen = varying(&p, 1, (double)bytes);
        else if (pipelining == PS_PIPELINING_CODE)
                chosen = varying_of(&p, ideal_size(&p));
        else
                chosen = pipelining == PS_PIPELINING_DOCUMENT ? walk_down(&p) : best_of_all(&p);
        return ps_time_of_seconds(chosen + p.start_s * (p.hops - 1) + p.byte_s * (double)bytes);
}
