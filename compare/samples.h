/* samples.h - several runs a side: do their lengths differ by more than those of runs of one program do
 * anyway? */
#ifndef PS_COMPARE_SAMPLES_H
#define PS_COMPARE_SAMPLES_H

#include "compare/errors.h"
#include "compare/run.h"

typedef enum ps_run_role { PS_MEASURED, PS_PREDICTED, PS_SIDES } ps_run_role;

/* With fewer runs a side any order of the lengths may be chance; how many runs there may be in all. */
enum { PS_SAMPLES_LEAST = 3, PS_SAMPLES_MOST = 32 };
extern const double ps_run_samples_level; /* what is rarer than that is no chance */

typedef struct ps_run_sample_interval {
        uint64_t id; /* of ps_run_interval */
        double execution_s;
} ps_run_sample_interval;

/* What is kept of a run. */
typedef struct ps_run_sample {
        const char *path;
        double duration_s, whole_s;
        uint64_t processes;
        PS_VECTOR(ps_run_sample_interval) intervals; /* sorted by id */
} ps_run_sample;

typedef struct ps_run_samples {
        ps_run_sample row[PS_SIDES][PS_SAMPLES_MOST];
        uint32_t n[PS_SIDES];
        bool is_partial; /* a part of one of them could not be read */
} ps_run_samples;

/* What all runs say of one length. Without the test: NAN. */
typedef struct ps_run_sampled {
        ps_two median;
        double p_longer, p_shorter; /* how likely it is that the second side is so much longer by chance */
} ps_run_sampled;

/* Adds a run; `path` is borrowed. PS_E_USAGE: another number of processes than the runs of its side have. */
ps_status ps_run_samples_add(ps_run_samples *samples, ps_run_role side, const ps_run *run, ps_error *err);
void ps_run_samples_clear(ps_run_samples *samples);

bool ps_run_samples_tell_noise(const ps_run_samples *samples); /* NULL: one run a side */
/* The run of a side whose length is the median; of two in the middle the shorter one. */
uint32_t ps_run_samples_middle(const ps_run_samples *samples, ps_run_role side);

ps_run_sampled ps_run_samples_duration(const ps_run_samples *samples);
/* Of intervals by their ids; a run that does not have one took no time there. 0: neither has. */
ps_run_sampled ps_run_samples_interval(const ps_run_samples *samples, const uint64_t id[PS_SIDES]);

/* The exact test of Mann and Whitney, one-sided: how likely the values of `b` stand as far behind those of
 * `a` by chance, equal ones being at the mean of their places. PS_SAMPLES_MOST in all at most. */
double ps_rank_test(const double *a, uint32_t n_a, const double *b, uint32_t n_b);

#endif
