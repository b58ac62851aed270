/* dealt.h - rows of a large table that several threads write, each a few of them at a time: what is written
 * is the same, in the same order. */
#ifndef PS_REPORT_PRINT_DEALT_H
#define PS_REPORT_PRINT_DEALT_H

#include "report/print/record.h"

/* n rows in an array in C, `size` bytes each, and where they belong. */
typedef struct ps_dealt {
        const ps_record *record;
        const void *in, *first;
        size_t n, size;
} ps_dealt;

/* How many threads are worth while for them; 1: this one. */
unsigned ps_dealt_threads(const ps_dealt *rows, const ps_row *to);
/* Writes the rows up to `end`, through what `to` has ready. */
void ps_dealt_put_range(const ps_dealt *rows, ps_records *table, size_t from, size_t end);
/* Writes all to the array that `to` has opened; false: there is no memory for that, and nothing is written.
 */
bool ps_dealt_put(const ps_dealt *rows, ps_row *to, unsigned n_threads);

#endif
