/* orders.h - the clocks of a trace whose rows several processes have: process 0 estimates as ever, and what
 * it asks of all rows each process answers of its own. */
#ifndef PS_CORE_CLOCK_ORDERS_H
#define PS_CORE_CLOCK_ORDERS_H

#include "core/base/pass.h"
#include "core/clock/bounds.h"
#include "core/clock/flow.h"
#include "core/clock/vicinity.h"

typedef enum ps_clock_order_kind {
        PS_CLOCK_BOUNDS,
        PS_CLOCK_CONTRADICTED,
        PS_CLOCK_LIMITS,
        PS_CLOCK_RELEASES,
        PS_CLOCK_APPLY,
        PS_CLOCK_COUNT,
        PS_CLOCK_VIOLATED,
        PS_CLOCK_VICINITY,
        PS_CLOCK_MOVE,
        PS_CLOCK_ORDERS
} ps_clock_order_kind;

/* When a row begins or ends from now on. */
typedef struct ps_moved_time {
        ps_ref ref;
        ps_time time;
        uint8_t is_leave;
} ps_moved_time;

typedef struct ps_clock_order {
        ps_clock_order_kind kind;
        const ps_clock_drift *drift; /* by process: of the flows, or their middles alone; NULL: none */
        const ps_time *offset;       /* by process; NULL: none */
        ps_time eased, span;
        const ps_candidate *candidate;
        uint32_t n_candidates, first_node; /* of the first candidate */
        bool fits;                         /* no message contradicts the offsets */
        const ps_suspect *suspect;
        const ps_moved_time *moved;
        uint32_t n_suspects, n_moved;
} ps_clock_order;

/* By process 0: the others begin, and so should it. */
ps_status ps_clock_ask(const ps_flows *flows, const ps_clock_order *order, ps_error *err);
/* By all, whatever became of it: process 0 takes what each of the others puts. */
ps_status ps_clock_collect(const ps_flows *flows, ps_status status, ps_status (*pass)(ps_pass *p, void *what),
                           void *what, ps_error *err);

/* What the others do until nothing more is asked. */
void ps_clock_follow(ps_flows *flows);
/* Nothing more is asked. */
void ps_clock_dismiss(const ps_flows *flows);

/* What the others do: bounds.c, together.c, apply.c, clock.c, shift.c. */
typedef ps_status ps_clock_server(ps_flows *flows, const ps_clock_order *order, ps_error *err);
ps_clock_server ps_bounds_serve, ps_contradicted_serve, ps_limits_serve, ps_together_serve, ps_apply_serve,
        ps_count_serve, ps_violated_serve, ps_vicinity_serve, ps_move_serve;

#endif
