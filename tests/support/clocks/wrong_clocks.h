/* wrong_clocks.h - programs whose clocks are wrong. */
#ifndef PS_TESTS_WRONG_CLOCKS_H
#define PS_TESTS_WRONG_CLOCKS_H

#include "tests/support/tracegen.h"

#include <stdbool.h>

enum { WRONG_CLOCKS_MOST = 70 };

struct wrong_crowd {
        uint32_t ranks, rounds;
        uint64_t apart; /* between rounds, in ns */
        int64_t ppm;    /* the most */
        bool synchronised;
};

/* Closed; the caller's to free. Random programs, in which each clock has a zero of its own. */
ps_gen *wrong_clocks_skewed(uint64_t seed);
ps_gen *wrong_clocks_crowd(const struct wrong_crowd *c, uint64_t seed);
ps_gen *wrong_clocks_noisy(uint32_t n, uint64_t seed);

#endif
