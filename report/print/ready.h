/* ready.h - texts that many rows of a table have in common, ready to be copied: of findings, all that their
 * call path tells. */
#ifndef PS_REPORT_PRINT_READY_H
#define PS_REPORT_PRINT_READY_H

#include "report/print/output.h"

/* {0} holds nothing, and keeps nothing. */
typedef struct ps_ready {
        struct ps_ready_text *slot;
        char *text;
        size_t n_slots, n_texts, n_bytes, size;
} ps_ready;

/* Makes room for texts of n rows, or for some of them; without memory nothing is kept. */
void ps_ready_open(ps_ready *ready, size_t n);
void ps_ready_free(ps_ready *ready);

/* Writes the text that was kept under this number `of` something; false: there is none. */
bool ps_ready_put(const ps_ready *ready, ps_output *out, const void *of, uint64_t key);
/* It will be asked for soon: where it is kept is fetched, and later it itself. */
void ps_ready_fetch(const ps_ready *ready, const void *of, uint64_t key);
void ps_ready_fetch_text(const ps_ready *ready, const void *of, uint64_t key);
/* Keeps one that is not there yet, as long as there is room. */
void ps_ready_keep(ps_ready *ready, const void *of, uint64_t key, const char *text, size_t n);

#endif
