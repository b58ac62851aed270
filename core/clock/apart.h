/* apart.h - the clocks of a trace whose rows several processes have. */
#ifndef PS_CORE_CLOCK_APART_H
#define PS_CORE_CLOCK_APART_H

#include "core/clock/clock.h"
#include "core/exchange/exchange.h"

/* All of them see to its flows together: each to messages that are received there, and to a part of the
 * instances that have members in several. */
typedef struct ps_clock_apart {
        ps_exchange *x;
        const uint32_t *id;    /* by instance: its number among all; PS_NONE: nobody else has members of it */
        const uint32_t *dealt; /* the instances that have one, which is also their order */
        uint32_t n_dealt, n_all;
        const uint8_t *is_whole; /* by communicator: all its members are in the trace, each once */
        const uint32_t *const
                *real;   /* by location, by row: of those that stand for others, which these are */
        uint64_t n_rows; /* of all; in process 0 */
        unsigned n_threads;
} ps_clock_apart;

/* What has become of clocks and times before anybody has all rows. */
typedef struct ps_clock_mended {
        ps_clock_info clock;
        ps_clock_tally left; /* of what contradicts causality; in: as it was counted */
        const ps_time *last; /* by location: when it ends then; NULL: as all of its times were moved */
} ps_clock_mended;

/* Are times to be moved, as all that was counted asks for? */
bool ps_clock_wants_mending(const ps_trace *trace, ps_clock_mode mode, const ps_clock_tally *counted);

/* By all together, who have agreed before that all is well: estimates the offsets and moves times, as `mode`
 * asks for. `trace` holds those of this process, and of the others what messages need to know
 * (core/match/partners.h); in process 0 first and last times of all locations, too, and only there `out` is
 * told. Who agrees in the end is the caller. */
ps_status ps_clock_mend_apart(ps_clock_mended *out, ps_trace *trace, ps_clock_mode mode,
                              const ps_clock_apart *apart, ps_error *err);

#endif
