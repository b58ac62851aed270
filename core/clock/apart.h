/* apart.h - the clocks of a trace whose rows several processes have. */
#ifndef PS_CORE_CLOCK_APART_H
#define PS_CORE_CLOCK_APART_H

#include "core/clock/clock.h"
#include "core/exchange/exchange.h"

/* All of them see to its flows together: each to messages that are received there, and to a part of the
 * instances that have members in several. */
typedef struct ps_clock_apart {
        ps_exchange *x;
        const uint32_t *id; /* by instance: its number among all; PS_NONE: nobody else has members of it */
        uint32_t n_all;
        unsigned n_threads;
} ps_clock_apart;

/* What has become of clocks and times before anybody has all rows. */
typedef struct ps_clock_mended {
        ps_clock_info clock;
        ps_clock_tally left; /* of what contradicts causality; in: as it was counted */
} ps_clock_mended;

/* Are offsets to be estimated, as all that was counted asks for? */
bool ps_clock_wants_offsets(const ps_trace *trace, ps_clock_mode mode, const ps_clock_tally *counted);
/* Are single times to be moved then? That needs all rows in one process. */
bool ps_clock_wants_shifts(ps_clock_mode mode, const ps_clock_tally *left);

/* By all together, who have agreed before that all is well: estimates the offsets and moves the times of all
 * rows. `trace` holds those of this process, and of the others what messages need to know
 * (core/match/partners.h); in process 0 first and last times of all locations, too, and only there `out` is
 * told. Who agrees in the end is the caller. */
ps_status ps_clock_mend_apart(ps_clock_mended *out, ps_trace *trace, ps_clock_mode mode,
                              const ps_clock_apart *apart, ps_error *err);

#endif
