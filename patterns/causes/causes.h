/* causes.h - who made the others wait, and by what: the costs of delays, and the critical path.
 *
 * A wait has two sides: the waiter is the location that waited, the causer is the one that ended the wait, by
 * a send, by posting a receive or by coming last. The wait's opening is the call in which the two had last
 * waited for each other before. What each side did from the opening up to its own call is its window.
 *
 * Where the causer spent more time in a call path during its window than the waiter did during its own, it
 * has an excess: that is what delayed it. Each of these call paths is charged with a share of the wait (its
 * direct cost). If the causer itself had waited during its window, the wait inherits from those waits, and is
 * called an heir of each: it passes a share of its cost on to them, that is to their causers (the indirect
 * cost).
 *
 * All of it is in whole picoseconds, and adds up: the waits of a family are exactly its direct costs, its
 * indirect costs and what nothing explains. */
#ifndef PS_PATTERNS_CAUSES_CAUSES_H
#define PS_PATTERNS_CAUSES_CAUSES_H

#include "patterns/engine/engine.h"

typedef enum ps_delay_family {
#define PS_DELAY_FAMILY(id, name, scalasca) PS_DELAY_##id,
#include "patterns/causes/families.def"
#undef PS_DELAY_FAMILY
        PS_N_DELAYS
} ps_delay_family;

extern const char *const ps_delay_names[PS_N_DELAYS];

/* -- the waits of an analysis -- */

typedef struct ps_wait_log ps_wait_log;

ps_status ps_wait_log_new(ps_wait_log **out, const ps_trace *trace, ps_error *err);
void ps_wait_log_free(ps_wait_log *log);
/* Makes the log the sink of ps_analyse, for several locations at once. */
void ps_wait_log_listen(ps_wait_log *log, ps_analysis_options *how);
/* Does it keep what this pattern finds, and still has it? */
bool ps_wait_log_keeps(const ps_wait_log *log, uint32_t pattern);
/* Gives the sink each wait of a location, as the analysis found it, but without `least` and `later`. */
void ps_wait_log_tell(const ps_wait_log *log, const ps_trace *trace, ps_loc loc,
                      void (*sink)(void *ctx, const ps_instance *instance, ps_path path), void *ctx);

/* -- the costs of delays -- */

typedef struct ps_delay_options {
        ps_definitions definitions;
        ps_time begin, end; /* the focus: waits are cut at its ends */
        unsigned n_threads;
        bool takes_log;    /* the log is empty then, and its memory free while costs are found */
        bool keeps_chains; /* ps_delays_chain() will be asked of findings */
} ps_delay_options;

/* Times by family and location: costs are counted at the causer, all else at the waiter. */
typedef enum ps_delay_term {
        PS_DELAYED_WAIT,
        PS_DELAYED_SHORT,       /* the direct costs */
        PS_DELAYED_LONG,        /* the indirect costs, of the causers of inherited waits */
        PS_DELAYED_PROPAGATING, /* the part of the waits that made others wait in turn */
        PS_DELAYED_TERMINAL,    /* the part that made nobody wait */
        PS_DELAYED_DIRECT,      /* what the excess of the causer explains */
        PS_DELAYED_INDIRECT,    /* what the waits of the causer explain */
        PS_DELAYED_UNEXPLAINED, /* the causer is not known, or clocks contradict each other; also what heirs
                                   passed on to such waits */
        PS_N_DELAYED
} ps_delay_term;

/* What a location did too long at a call path. */
typedef struct ps_delay_cost {
        ps_loc location;
        ps_path path;
        ps_time direct, indirect;
        double excess;           /* over its waiters: their average for each visit, in all */
        ps_time in_order, locks; /* of `direct`: for messages in wrong order; for locks */
        uint8_t is_alone;        /* no waiter was in this call path during its window */
} ps_delay_cost;

typedef struct ps_delays {
        ps_time begin, end, length; /* of the focus; length: of all of its spans */
        uint32_t n_locs;
        ps_time (*sum)[PS_N_DELAYS][PS_N_DELAYED]; /* by location: see ps_delayed */
        ps_delay_cost *cost;                       /* by location, as they were found */
        uint32_t n_costs;
        struct delaying *of; /* what it was made from */
} ps_delays;

static inline ps_time ps_delayed(const ps_delays *d, ps_delay_family family, ps_delay_term term,
                                 ps_loc location)
{
        return d->sum[location][family][term];
}

static inline ps_time ps_delayed_all(const ps_delays *d, ps_delay_family family, ps_delay_term term)
{
        ps_time sum = 0;
        for (ps_loc loc = 0; loc < d->n_locs; loc++)
                sum += ps_delayed(d, family, term, loc);
        return sum;
}

struct ps_critical;

/* The costs of the waits in `log`, which an analysis of the same timing by the same definitions has filled,
 * and the critical path. Trace and timing must outlive the costs. */
ps_status ps_delays_new(ps_delays **out, struct ps_critical **path, const ps_trace *trace,
                        const ps_timing *timing, ps_wait_log *log, const ps_delay_options *options,
                        ps_error *err);
void ps_delays_free(ps_delays *delays);

/* -- the way to who is to blame -- */

/* A wait, and the call that ended it; {PS_NONE, PS_NONE}: it is not known. */
typedef struct ps_delay_step {
        ps_ref at, by;
        ps_time begin, end;
} ps_delay_step;

enum { PS_CHAIN_MOST = 4 };

/* From the wait in the call `at` to who is to blame: as long as the causer's own waits explain more of a wait
 * than what the causer did, the longest of them is the next step. Returns how many steps there are, of which
 * it tells no more. Where other processes have rows it knows of the worst waits of findings only, and only if
 * that was asked for. */
uint32_t ps_delays_chain(const ps_delays *delays, ps_ref at, ps_delay_step steps[PS_CHAIN_MOST]);
/* There the rows of these calls are in process 0, too, from now on; after ps_causes_new(). */
ps_status ps_delays_bring_chains(const ps_delays *delays, const ps_trace *trace, ps_error *err);

/* -- causes -- */

typedef enum ps_why {
        PS_WHY_LONGER,     /* it takes longer there than the waiters do */
        PS_WHY_ALONE,      /* none of the waiters does it */
        PS_WHY_LATE_ORDER, /* they wait for messages in wrong order */
        PS_WHY_TRANSFER,   /* a call of a library */
        PS_WHY_LOCK,       /* it holds a lock */
        PS_WHY_START,      /* it begins late */
        PS_N_WHYS
} ps_why;

extern const char *const ps_why_names[PS_N_WHYS];

/* Of a finding, how much of its waiting a cause explains. */
typedef struct ps_caused {
        uint32_t finding; /* of the analysis */
        ps_time waiting;
} ps_caused;

typedef struct ps_cause {
        ps_loc location; /* PS_NONE: the waiting that nothing explains */
        ps_path path;
        ps_why why;
        ps_time excess, direct, indirect;
        /* Of the largest causes only: who waits because of it, directly or because others do. */
        uint8_t is_told;
        ps_proc *processes; /* rising */
        ps_time *waits;     /* by `processes`: how long */
        uint32_t n_processes;
        ps_caused *findings; /* by waiting, descending */
        uint32_t n_findings;
} ps_cause;

typedef struct ps_causes {
        ps_cause *row; /* by waiting, descending */
        uint32_t n;
        ps_time waiting; /* of all rows */
} ps_causes;

enum { PS_CAUSES_TOLD = 16 };

/* `analysis` is the one that filled the log. */
ps_status ps_causes_new(ps_causes **out, const ps_delays *delays, const ps_analysis *analysis, ps_error *err);
void ps_causes_free(ps_causes *causes);

/* -- the critical path -- */

struct ps_arena;

typedef struct ps_critical_row {
        ps_path path;
        ps_time time;      /* on the critical path */
        ps_time imbalance; /* `time` less what a location takes there on average, without waits; at least 0 */
        ps_time *by_location; /* of `time` */
} ps_critical_row;

/* From `begin` to `end` the path is on this location. */
typedef struct ps_critical_step {
        ps_loc location;
        ps_time begin, end;
} ps_critical_step;

typedef struct ps_critical {
        ps_time length;       /* the sum of all rows: that of the focus */
        ps_critical_row *row; /* by time, descending, then path */
        uint32_t n;
        ps_critical_step *step; /* from the end of the run backward */
        uint32_t n_steps, cap_steps;
        struct ps_arena *times; /* those of all rows, by location */
} ps_critical;

void ps_critical_free(ps_critical *critical);

#endif
