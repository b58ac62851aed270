/* samples.h - DVM traces as text: a writer for one's own, and three whole ones.
 *
 *   Gauss    three steps of an elimination on 10 x 11 floats, cut along the first axis; the pivot row is read
 *            through a buffer of remote elements. Step i takes 0.009 * (9 - i) * (10 - i) / 90 s.
 *   Jacobi   two iterations on 8 x 8 doubles cut along both axes, each an interval (line 20, expression 1): a
 *            loop of 0.0036 s with a reduction, 0.00012 s of getlen_ while it is under way, and a loop of
 *            0.0072 s after an exchange of shadow edges.
 *   Realign  a loop of 0.004 s over half of 16 x 16, realign of the second array by columns, the loop again.
 *
 * All other times are 0; the program ends 1 us after its last call. What fails aborts with a message. */
#ifndef PS_TESTS_SIMULATOR_DVM_SAMPLES_H
#define PS_TESTS_SIMULATOR_DVM_SAMPLES_H

#include <stddef.h>

/* Text that grows; {0} is an empty one. `text` is NUL-terminated and the caller's to free. */
typedef struct dvm_text {
        char *text;
        size_t n, cap;
} dvm_text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void dvm_put(dvm_text *t, const char *format, ...);

/* What stands before the first call; what ends the trace. */
void dvm_begin(dvm_text *t);
void dvm_end(dvm_text *t);

/* A call: seconds before it, seconds in it, its line in t.cdv, and its parameter lines, each ended by \n
 * ("" for none). */
void dvm_call(dvm_text *t, const char *name, double before, double in, int line, const char *params,
              const char *results);

/* A machine, a template bb of n1 x n2 distributed on its first n_axes axes, and the arrays a1 (and b1), of
 * the template's size with edges of width 1, aligned with it. */
void dvm_setup(dvm_text *t, int n1, int n2, int n_axes, int n_arrays, int element_bytes);

/* A loop cc over array `letter` as it lies, rows and columns from `first` to `last`. */
void dvm_map_loop(dvm_text *t, char letter, int line, const int first[2], const int last[2]);

/* The whole traces; the caller's to free. */
char *dvm_sample_gauss(void);
char *dvm_sample_jacobi(void);
char *dvm_sample_realign(void);

void dvm_write(const char *path, const char *text, size_t n);
void dvm_write_gzip(const char *path, const char *text, size_t n);

#endif
