/* lab.h - DVM traces that are written and read at once. What fails unexpectedly aborts with a message. */
#ifndef PS_TESTS_READER_DVM_LAB_H
#define PS_TESTS_READER_DVM_LAB_H

#include "reader/dvm/dvm.h"
#include "tests/simulator/dvm/samples.h"

/* Reads the text as a file of its own, and checks the result (dvm_check). */
ps_dvm *dvm_read_text(const char *text);
ps_dvm *dvm_read_bytes(const char *text, size_t n, int packed, int tolerant);
/* The innermost cause when reading fails, which it has to; the caller's to free. */
char *dvm_read_failure(const char *text);

/* The k-th call (from 0) of the function. */
const ps_dvm_call *dvm_nth(const ps_dvm *dvm, const char *name, unsigned k);

/* NULL when both hold the same; else what is not. */
const char *dvm_difference(const ps_dvm *a, const ps_dvm *b);

#endif
