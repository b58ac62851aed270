/* start.h - from when to when the two sides of a wait are compared. */
#ifndef PS_PATTERNS_CAUSES_START_H
#define PS_PATTERNS_CAUSES_START_H

#include "patterns/causes/own.h"

struct window {
        ps_time begin, end;
        struct near near;
};

/* Since the two last waited for each other, up to where each entered his call. */
void ps_windows_of(const struct delaying *d, const struct waiting *w, struct window *mine,
                   struct window *his);

/* Fills first, behind, cut and waited: the waits of the one who ended it inside of his window. */
void ps_window_inherit(const struct delaying *d, struct waiting *w, const struct window *his);

/* Scalasca asks of a late broadcast when the first of those who waited for it left: by instance, in
 * d->earliest. */
ps_status ps_starts_prepare(struct delaying *d, ps_error *err);

#endif
