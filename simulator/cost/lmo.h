/* lmo.h - scatter and gather along flat and binomial trees for every model, and how the parameters of LMO
 * come from round trips ("CPM: A software tool for Communication Performance Modelling"). */
#ifndef PS_SIMULATOR_COST_LMO_H
#define PS_SIMULATOR_COST_LMO_H

#include "simulator/cost/machine.h"

uint64_t ps_lmo_triples(uint32_t n);
/* The place of 0 <= i < j < k < n in lexicographic order. */
uint64_t ps_lmo_triple_index(uint32_t n, uint32_t i, uint32_t j, uint32_t k);

/* Round trips in seconds, without data and with `bytes`. Pairs: [i * n + j], symmetric. Triples: three times
 * [ps_lmo_triple_index()], for each member the one-to-two operation of which it is the root, i, j, k. A
 * triple that was not measured has NAN; each processor must be in one that was. */
typedef struct ps_lmo_times {
        uint32_t n;
        double bytes;
        const double *pair_empty, *pair_full, *triple_empty, *triple_full;
} ps_lmo_times;

/* Noise may make a parameter negative: it becomes 0 (a rate: infinite), and is counted here. */
typedef struct ps_lmo_doubts {
        uint32_t n_clamped;    /* parameters that came out negative */
        const char *parameter; /* the first kind of them: "processing_s", ...; NULL: none */
} ps_lmo_doubts;

/* Allocates the tables of `out`; ps_lmo_clear() frees them. Thresholds are left 0. */
ps_status ps_lmo_estimate(ps_lmo *out, ps_lmo_doubts *doubts, const ps_lmo_times *times, ps_error *err);
ps_status ps_lmo_alloc(ps_lmo *out, uint32_t n, ps_error *err);
void ps_lmo_clear(ps_lmo *lmo);

/* Flat scatters of two sizes to two numbers of processors: s[size][number], bytes[0] < bytes[1]. */
typedef struct ps_hlmo_times {
        double bytes[2];
        uint32_t n[2];
        double s[2][2];
} ps_hlmo_times;

/* Sets the parameters of an HLMO machine. */
ps_status ps_hlmo_estimate(ps_machine *out, ps_lmo_doubts *doubts, const ps_hlmo_times *times, ps_error *err);

#endif
