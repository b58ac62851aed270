/* same.h - the same load of an archive whether records are folded where they are decoded or go through
 * batches. What differs ends the test. */
#ifndef PS_TESTS_READER_OTF2_SAME_H
#define PS_TESTS_READER_OTF2_SAME_H

#include "tests/support/tracegen.h"

enum { PORTION_BYTES = 128 /* so that even what is small is folded in portions */ };

void expect_same(const char *path);
/* Any byte of the first location's events, made another one, and all that follows a byte, cut off. Frees it.
 */
void expect_same_damaged(ps_gen *g);

#endif
