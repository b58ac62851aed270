/* excess.h - what the one who ended a wait did longer than the one who waited. */
#ifndef PS_PATTERNS_CAUSES_EXCESS_H
#define PS_PATTERNS_CAUSES_EXCESS_H

#include "patterns/causes/own.h"

/* By call path, since the two last waited for each other. */
struct excess {
        struct sums mine, his;
        ps_path *path;
        ps_time *time; /* by `path`: his less mine, where it is more than nothing */
        ps_time *part; /* see ps_excess_deal */
        uint32_t n;
        ps_time sum;
        uint32_t largest; /* of path[] */
};

ps_status ps_excess_new(struct excess *x, const ps_trace *trace, ps_error *err);
void ps_excess_free(struct excess *x);

/* Of a wait that somebody ended, as ps_excess_charge found it: path, time, n, sum and largest. */
void ps_excess_recall(struct excess *x, const struct delaying *d, const struct waiting *w);

/* Shares a sum out among the paths, in proportion: what divisions leave belongs to the largest. */
void ps_excess_deal(struct excess *x, ps_time sum);

/* What of a wait that somebody ended is explained. */
struct split ps_split_of(const struct delaying *d, const struct waiting *w);

/* Fills excess, waited, first, behind, cut and parts of all waits, and the direct costs. */
ps_status ps_excess_charge(struct delaying *d, ps_error *err);
/* The indirect costs, once it is known what was inherited. */
ps_status ps_excess_charge_inherited(struct delaying *d, ps_error *err);

#endif
