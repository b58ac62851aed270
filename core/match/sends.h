/* sends.h - all sends, sorted by who receives them. */
#ifndef PS_CORE_MATCH_SENDS_H
#define PS_CORE_MATCH_SENDS_H

#include "core/model/trace.h"

/* Those to receiver r are row[begin[r] .. begin[r + 1]), by sender and order of posting. */
typedef struct ps_sends {
        size_t *begin;
        ps_ref *row;
        uint64_t n_ends;   /* rows, also receives, that should find another one */
        ps_proc **by_call; /* by location and call: who is at the other end */
} ps_sends;

/* On several threads where that is worth it; `asked` as in ps_parallel_ranges(). `out` is to be freed,
 * whatever comes of it. */
ps_status ps_sends_sort(ps_sends *out, const ps_trace *trace, uint32_t asked, unsigned n_threads,
                        ps_error *err);
void ps_sends_free(ps_sends *sends);

#endif
