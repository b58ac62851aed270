/* lab.h - samples and tables with known parameters behind them. */
#ifndef PS_TESTS_SIMULATOR_CALIBRATE_LAB_H
#define PS_TESTS_SIMULATOR_CALIBRATE_LAB_H

#include "simulator/calibrate/calibrate.h"
#include "simulator/cost/lmo.h"
#include "tests/support/tracegen.h"

/* A generator that is the same on every machine. */
double calib_uniform(uint64_t *state); /* [0, 1) */
double calib_exponential(uint64_t *state, double mean);
double calib_normal(uint64_t *state);

void calib_near(const char *file, int line, double value, double expected, double relative);
#define NEAR(value, expected, relative) calib_near(__FILE__, __LINE__, value, expected, relative)

/* A run that takes a step at a time, far enough apart. Nanoseconds. */
typedef struct calib_run {
        ps_gen *g;
        uint64_t now, random;
} calib_run;

uint64_t calib_jitter(calib_run *r, double ns); /* 1 % more on average */
/* At the sender: 2 us + 0.1 ns/B. */
uint64_t calib_sending(calib_run *r, uint64_t bytes);

/* The samples of a loaded trace, each message and sample accounted for. */
ps_samples calib_samples(const ps_trace *trace);
ps_samples calib_samples_of(calib_run *r); /* ends the run */
/* A machine that was not refused, and one of its rows. */
ps_calibration calib_fitted(const ps_samples *samples, ps_model model);
const ps_calibrated *calib_row(const ps_calibration *c, const char *name);

/* Four processors as in tests/support/machines.h: C, t, L, 1/b. */
typedef struct calib_lmo {
        uint32_t n;
        const double *c, *t, *l, *inverse; /* l, inverse: [i * n + j] */
} calib_lmo;
extern const calib_lmo calib_worked;

/* The text of its table of round trips without data and with each of the sizes, all triples; each time has
 * normal noise of this relative size. The caller's to free. */
char *calib_table(const calib_lmo *lmo, const double *sizes, int n_sizes, double noise, uint64_t *state);

ps_rtt_table *calib_parsed(const char *text); /* dies when it cannot be read */

#endif
