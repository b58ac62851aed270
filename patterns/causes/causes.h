/* causes.h - who made the others wait, and by what: the costs of delays, and the critical path.
 *
 * A wait has two sides: the location that waited (`mine` in this folder) and the one that ended the wait
 * (`his`), by a send, by posting a receive or by coming last. Before that the two had last waited for each
 * other at the wait's opening; what each side did from there up to its call is its window.
 *
 * In the call paths in which the one who ended the wait was longer than the one who waited, it has an excess:
 * that is what delayed it. Each of these paths is charged with a share of the wait (its direct cost). As far
 * as the one who ended the wait had waited itself, the wait is the heir of those waits: that share goes on to
 * whoever ended them (the indirect cost).
 *
 * All of it is whole picoseconds: the waits of a family are exactly its direct costs, its indirect costs and
 * what nothing explains. */
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
/* The sink of ps_analyse; it may be called for several locations at once. */
void ps_wait_log_add(void *log, const ps_instance *instance, ps_path path);
/* Does it keep what this pattern finds? */
bool ps_wait_log_keeps(const ps_wait_log *log, uint32_t pattern);
/* What it has of a location, as the analysis told it; of `least` and `later` it knows nothing. */
void ps_wait_log_tell(const ps_wait_log *log, const ps_trace *trace, ps_loc loc,
                      void (*sink)(void *ctx, const ps_instance *instance, ps_path path), void *ctx);

/* -- the costs of delays -- */

typedef struct ps_delay_options {
        ps_definitions definitions;
        ps_time begin, end; /* the focus: waits are cut at its ends */
        unsigned n_threads;
} ps_delay_options;

/* By family and location. The costs are those of the one who delays, all else is of the one who waits. */
typedef enum ps_delay_term {
        PS_DELAYED_WAIT,
        PS_DELAYED_SHORT,       /* the direct costs, of those who ended the waits */
        PS_DELAYED_LONG,        /* the indirect costs, of those who made the ones that ended the waits wait */
        PS_DELAYED_PROPAGATING, /* the part of the waits that made others wait in turn */
        PS_DELAYED_TERMINAL,    /* the part that made nobody wait */
        PS_DELAYED_DIRECT,      /* what the excess of the one who ended the wait explains */
        PS_DELAYED_INDIRECT,    /* what his waits explain */
        PS_DELAYED_UNEXPLAINED, /* nobody ended the wait, or clocks contradict; with what such waits inherited
                                 */
        PS_N_DELAYED
} ps_delay_term;

/* What a location did too long at a call path. */
typedef struct ps_delay_cost {
        ps_loc location;
        ps_path path;
        ps_time direct, indirect;
        double excess;           /* over those who waited for it, on average, in all */
        ps_time in_order, locks; /* of `direct`: waits for messages in wrong order; for locks */
        uint8_t is_alone;        /* none of those who waited did anything there meanwhile */
} ps_delay_cost;

typedef struct ps_delays {
        ps_time begin, end, length; /* of the focus; length: of all of its spans */
        uint32_t n_locs;
        ps_time (*sum)[PS_N_DELAYS][PS_N_DELAYED]; /* by location: see ps_delayed */
        ps_delay_cost *cost;                       /* by location, then path */
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

/* Of the waits in `log`, which was filled by an analysis of this timing by these definitions. Trace, timing
 * and log must outlive it. */
ps_status ps_delays_new(ps_delays **out, const ps_trace *trace, const ps_timing *timing,
                        const ps_wait_log *log, const ps_delay_options *options, ps_error *err);
/* Gives back the memory that only the critical path needs: none is asked for any more. */
void ps_delays_forget_times(ps_delays *delays);
void ps_delays_free(ps_delays *delays);

/* -- the way to who is to blame -- */

/* A wait, and who ended it: {PS_NONE, PS_NONE}: nobody knows. */
typedef struct ps_delay_step {
        ps_ref at, by;
        ps_time begin, end;
} ps_delay_step;

/* From the wait in the call `at` on: as long as waits of the one who ended it explain more than what he did
 * himself, the longest of those. Returns how many steps there are. */
uint32_t ps_delays_chain(const ps_delays *delays, ps_ref at, ps_delay_step *steps, uint32_t most);

/* -- causes -- */

typedef enum ps_why {
        PS_WHY_LONGER,     /* it takes longer than those who waited do there */
        PS_WHY_ALONE,      /* none of those who waited does it */
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

typedef struct ps_critical_row {
        ps_path path;
        ps_time time;         /* on the critical path */
        ps_time imbalance;    /* more than what locations take there on average, without waits; 0: not more */
        ps_time *by_location; /* of `time` */
} ps_critical_row;

/* Where it is meanwhile. */
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
} ps_critical;

ps_status ps_critical_new(ps_critical **out, const ps_delays *delays, ps_error *err);
void ps_critical_free(ps_critical *critical);

#endif
