/* parts.h - the steps of a comparison, one file each. */
#ifndef PS_COMPARE_PARTS_H
#define PS_COMPARE_PARTS_H

#include "compare/compare.h"

/* By measured interval the predicted one, PS_NONE: there is none. To be freed. Both runs have intervals. */
ps_status ps_compare_pair_intervals(uint32_t **out, const ps_compare *c, ps_error *err);
/* Pairs the intervals, then says how far they differ. Needs `processor`. */
ps_status ps_compare_intervals(ps_compare *c, ps_error *err);
/* Which processor is which, and what each of them did. */
ps_status ps_compare_pair_processors(ps_compare *c, ps_error *err);
ps_status ps_compare_ranks(ps_compare *c, ps_error *err);
ps_status ps_compare_findings(ps_compare *c, ps_error *err);
/* Of two traces: needs the pairs of intervals and processors. */
ps_status ps_compare_operations(ps_compare *c, ps_error *err);

/* What pairs of operations say of messages: gathered one by one, then told by size. */
typedef struct ps_message_pair {
        uint64_t bytes;
        uint32_t from, to; /* measured processors */
        ps_two time;
} ps_message_pair;
/* They come receiver by receiver. */
ps_status ps_compare_messages(ps_compare *c, const ps_message_pair *pair, uint64_t n, ps_error *err);

/* Do these lengths differ by more than the tolerance, in a direction that it is about? */
bool ps_compare_is_beyond(const ps_compare *c, ps_two lengths);
/* And is that rarer than `level` by chance, or do so few runs not tell? */
bool ps_compare_is_no_chance(const ps_run_sampled *lengths, double level);

/* predicted - measured. A time that one run does not have counts as 0; NAN: neither has it. */
double ps_two_difference(ps_two two);

static inline double *ps_two_at(ps_two *two, int side)
{
        return side == PS_MEASURED ? &two->measured : &two->predicted;
}

#endif
