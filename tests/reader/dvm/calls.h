/* calls.h - a test of single calls of Lib-DVM: they follow a program with template bb (4 x 6) and arrays
 * a1, b1 of doubles. */
#ifndef PS_TESTS_READER_DVM_CALLS_H
#define PS_TESTS_READER_DVM_CALLS_H

#include "tests/reader/dvm/lab.h"

/* Set up and tear down a test. */
int dvm_calls_begin(void **state);
int dvm_calls_end(void **state);
#define DVM_TEST(name) TEST_BETWEEN(name, dvm_calls_begin, dvm_calls_end)

/* A call of 0.5 s, 0.25 s after the one before. */
void dvm_calls_add(const char *name, const char *params, const char *results);
/* The same, at once and in no time, in another line. */
void dvm_calls_add_at(int line, const char *name, const char *params, const char *results);
/* Ends the program and reads it. */
ps_dvm *dvm_calls_read(void);

/* Fails unless the array holds these n ints. */
void dvm_calls_expect(const int64_t *array, uint32_t n, ...);

#endif
