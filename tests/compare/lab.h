/* lab.h - made-up runs to compare, of which every time is known.
 *
 * In each step all ranks solve() for 100 us, then in exchange() send 8 bytes to the next rank (2 us),
 * calculate for 1 us, and receive from the one before: a message is there 5 us after its send begins, taking
 * it takes 1 us more. Then all meet in a barrier, which ends 3 us after the last one enters. Without anything
 * else a step takes 109 us. In the end all write output() for 20 us. */
#ifndef PS_TESTS_COMPARE_LAB_H
#define PS_TESTS_COMPARE_LAB_H

#include "compare/compare.h"

typedef struct lab_shape {
        uint32_t ranks, steps;       /* 0: 4 of each */
        uint32_t slow_rank, slow_us; /* solve() takes it that much longer in each step */
        uint32_t rotate;             /* what rank r does, does r + rotate */
        int no_output;               /* nobody writes */
        uint32_t extra_sends;        /* to itself; of rank 0, in the last step, 0 us each */
        uint32_t flight_us;          /* instead of 5; 0: 5 */
} lab_shape;

typedef struct lab_run {
        ps_trace *trace;
        ps_analysis *analysis;
        ps_intervals *intervals;
        ps_sources *sources;
        ps_report *report;
        ps_run run;
} lab_run;

/* Dies when it fails. The intervals are solve, exchange and output. */
void lab_run_make(lab_run *out, const lab_shape *shape, unsigned n_threads);
/* The same of a trace, with its intervals by default. */
void lab_run_load(lab_run *out, const char *path);
void lab_run_clear(lab_run *run);

/* The JSON report of the run, and the run that is read from it; the text is the caller's to free. */
char *lab_run_json(const lab_run *run);
void lab_run_saved(ps_run *out, const char *json);

/* What a format writes; the caller's to free. */
char *lab_compare_write(const ps_compare *compare,
                        ps_status (*write)(const ps_compare *, ps_output *, ps_error *));

/* The same but for 1e-12. */
void lab_near(double value, double expected);
ps_compare *lab_compared(const ps_run *a, const ps_run *b, const ps_compare_options *options);
/* All that is told of both sides is the same. */
void lab_expect_no_difference(const ps_compare *c);

#endif
