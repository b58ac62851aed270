/* machines.h - machines for tests: from a text, and the one of the worked examples of LMO. */
#ifndef PS_TESTS_MACHINES_H
#define PS_TESTS_MACHINES_H

#include "simulator/machine/file.h"

/* Times in tests read as microseconds. */
#define PS_US(us) ((ps_time)((us)*1e6 + 0.5))

/* Any of the three forms; fails the test when it cannot be read. */
ps_machine *machine_of(const char *text);
/* Fails the test unless `text` is refused and the innermost cause contains each of the `n` words. */
void expect_refused(const char *text, const char *const *words, int n);

/* Four processors: C = 50 60 40 80 us, t = 4 5 3 8 ns/B, M1 = 4096, M2 = 65536. */
extern const char lmo_example[];

#endif
