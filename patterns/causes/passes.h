/* passes.h - what is found of waits, one pass after the other, in the order of delays.c and of
 * docs/CAUSES.md.
 */
#ifndef PS_PATTERNS_CAUSES_PASSES_H
#define PS_PATTERNS_CAUSES_PASSES_H

#include "patterns/causes/waits.h"

/* delays.c: the costs of delays before anything is known of them. To be freed, also after a failure. */
ps_status ps_delays_begin(ps_delays **out, const ps_trace *trace, const ps_timing *timing,
                          const ps_delay_options *options, ps_error *err);

/* waits.c: the log's waits, by location and call, cut at the ends of the focus. Clears all sums. */
ps_status ps_waits_order(struct delaying *d, ps_wait_log *log, size_t more, ps_error *err);

/* ended.c: fills d->ended and d->ending, of locations whose rows are here. */
ps_status ps_waits_list_ended(struct delaying *d, ps_error *err);
void ps_waits_forget_ended(struct delaying *d);

/* membership.c: fills `of`, by member of an operation: once, because all the others ask for it. */
enum { WAITS_FOR_ALL = 1, TAKES_PART = 2 };
ps_status ps_memberships_find(uint8_t *of, const struct delaying *d, ps_error *err);
/* opening.c: where two locations last waited for each other. Of each wait both openings and, in `first` and
 * `behind`, the waits of the causer from its opening on. The waits that each location ended are listed. */
ps_status ps_openings_find(struct delaying *d, ps_error *err);

/* excess.c: what the causer of each wait did longer than the waiter. Fills excess, waited, first, behind,
 * is_cut and parts of all waits, d->heirs, and the direct costs. From then on no rows are asked any more. */
ps_status ps_excess_charge(struct delaying *d, ps_error *err);

/* turns.c: puts all waits in an order in which each comes after its heirs, d->order; fills the sums of what
 * is inherited, and the indirect costs. Heirs for which there is no such order, because clocks contradict
 * each other, inherit nothing: their ranges become empty. */
ps_status ps_turns_take(struct delaying *d, ps_error *err);
/* inherit.c, after that: the sums of what the waits of each location are by themselves; of locations whose
 * rows are here. */
ps_status ps_inherit_add_up(struct delaying *d, ps_error *err);

#endif
