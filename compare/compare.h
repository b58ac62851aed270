/* compare.h - two runs side by side: a measured and a predicted one, or one and a later one.
 *
 * The total difference is taken apart into what processors did, on average: each part of each interval has
 * its share in it, and idle time the rest, so that the parts add up to it. Formats only print. */
#ifndef PS_COMPARE_COMPARE_H
#define PS_COMPARE_COMPARE_H

#include "compare/samples.h"
#include "compare/scale.h"

/* How many are in both runs, and in one of them only. */
typedef struct ps_matches {
        uint64_t both, only[PS_SIDES];
} ps_matches;

/* A row of either run has PS_NONE where the other has no such row, and NAN for its times. */
typedef struct ps_compared_interval {
        uint32_t row[PS_SIDES];
        ps_two execution; /* intervals below included */
        ps_two work;      /* without them and without waiting, mean of a processor */
        ps_two wait;
        uint32_t worst;    /* the measured processor whose work differs most; PS_NONE: not known */
        ps_two worst_work; /* of it */
        double weight;     /* the table is sorted by it: |difference| of the worst processor's work */
        uint64_t unmatched[PS_SIDES]; /* operations */
        ps_run_sampled sampled;       /* the same of all runs */
        bool is_below;                /* shorter than the resolution in a run */
        bool is_beyond;               /* differs by more than the tolerance */
        bool is_exceeded;             /* and not by chance, as far as the runs tell */
} ps_compared_interval;

typedef struct ps_compared_rank {
        uint32_t processor[PS_SIDES];
        ps_two compute, work, wait;
} ps_compared_rank;

typedef struct ps_compared_pattern {
        const ps_run_pattern *row[PS_SIDES]; /* NULL: the run does not tell of it */
        ps_two lost;
} ps_compared_pattern;

typedef struct ps_compared_site {
        const ps_run_site *row[PS_SIDES];
        ps_two lost;
} ps_compared_site;

/* Messages of least_bytes to most_bytes, in the measured run. */
typedef struct ps_compared_size {
        uint64_t least_bytes, most_bytes, n;
        ps_two median;
        ps_errors errors;
        uint32_t worst_from,
                worst_to; /* measured processors, of the largest log error; PS_NONE: there is none */
        ps_two worst;
} ps_compared_size;

/* A part of the total difference. */
typedef struct ps_contribution {
        uint32_t interval; /* of the table; PS_NONE: of none */
        ps_part part;
        double difference_s;
} ps_contribution;
enum { PS_CONTRIBUTIONS = 8 };

/* Operations, of two traces. */
typedef struct ps_compared_operations {
        bool is_known;
        ps_matches matches;
        uint32_t by_differences, by_counts; /* ranks whose sequences are not the same */
        /* The first operation that is reached at another time than in the measured run, by more than a
         * hundredth of it, counted from each run's first common operation. Both are in its focus. */
        bool parts_ways;
        uint32_t at_processor, at_interval;
        const char *at_call;
        ps_two at;
} ps_compared_operations;

typedef struct ps_compare_options {
        double tolerance;              /* a share; NAN: there is none */
        bool is_one_sided;             /* only what takes longer exceeds it; otherwise any difference does */
        const ps_run_samples *samples; /* all runs, if there are several a side; the two that are compared are
                                        * those in the middle. NULL: there are no others */
        const ps_scaling *scaling;  /* of runs on different numbers of processes; NULL: they are on as many */
        const uint32_t *processors; /* by measured processor the predicted one, or PS_NONE; NULL: the same */
        uint32_t n_processors;
        uint32_t top; /* rows of a table that people are shown */
} ps_compare_options;

typedef struct ps_compare {
        const ps_run *run[PS_SIDES];
        ps_compare_options options;
        double floor_s; /* the resolution: of the clocks, or a thousandth of the measured run */
        ps_two duration, part[PS_PARTS];
        PS_VECTOR(ps_compared_interval) intervals;
        ps_matches interval_matches;
        ps_errors interval_errors;         /* of work and wait of an interval, mean of a processor */
        uint32_t *processor;               /* by measured processor; PS_NONE */
        PS_VECTOR(ps_compared_rank) ranks; /* empty: not known */
        ps_errors rank_errors;             /* of their work */
        ps_two imbalance;                  /* longest / mean calculating time - 1 */
        double spearman;
        bool ranks_differ;                       /* and nobody told which is which */
        PS_VECTOR(ps_compared_pattern) patterns; /* largest difference first; only what was found */
        PS_VECTOR(ps_compared_site) sites;
        ps_matches site_matches;
        ps_contribution contribution[PS_CONTRIBUTIONS]; /* largest first */
        unsigned n_contributions;
        ps_compared_operations operations;
        PS_VECTOR(ps_compared_size) sizes;
        ps_errors message_errors;
        bool is_calibration;    /* the machine's numbers come from the measured run */
        bool is_partial;        /* only a part could be compared */
        ps_run_sampled sampled; /* the lengths of all runs */
        double level;           /* of intervals: the more there are, the rarer chance has to be */
        /* How many differ by more than the tolerance, and of these those that do so by more than chance. */
        bool total_beyond, total_exceeded;
        uint64_t intervals_beyond, intervals_exceeded;
} ps_compare;

/* The runs have to outlive it. PS_E_USAGE: the ranks that `options` pair are not those of the runs. */
ps_status ps_compare_new(ps_compare **out, const ps_run *measured, const ps_run *predicted,
                         const ps_compare_options *options, ps_error *err);
void ps_compare_free(ps_compare *compare);

/* Neither run took any time: there is nothing to say. */
bool ps_compare_is_unusable(const ps_compare *compare);

#endif
