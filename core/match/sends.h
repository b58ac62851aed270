/* sends.h - all sends, sorted by who receives them: first how many each gets, then those of some at a time.
 */
#ifndef PS_CORE_MATCH_SENDS_H
#define PS_CORE_MATCH_SENDS_H

#include "core/model/trace.h"

/* What one process sends to another one in a communicator. */
typedef struct ps_pair {
        ps_proc from, to;
        ps_comm comm;
        uint32_t next;     /* the one with the same receiver and the next sender, or PS_NONE */
        uint32_t back;     /* which of its receiver's pairs is the other way; PS_NONE: none */
        size_t begin, end; /* its rows */
} ps_pair;

/* Of a call, instead of a pair: its record is of no message; nobody is known at the other end. */
#define PS_PAIR_NO_MESSAGE PS_NONE
#define PS_PAIR_NOBODY     (PS_NONE - 1)

/* Those to receiver r are begin[r] .. begin[r + 1], by sender, communicator and order of posting. Of the
 * receivers that are at hand they stand in `row`, the one of number `first_row` first. */
typedef struct ps_sends {
        const ps_trace *trace;
        size_t *begin;
        ps_op *row;
        ps_loc *loc; /* of each row; NULL: no process has more than one location */
        size_t first_row, n_rows;
        struct ps_sends_part *part; /* of the rows, each for a thread */
        uint32_t n_parts;
        uint64_t n_ends;    /* rows, also receives, that should find another one */
        ps_pair *pair;      /* those in which a process sends or may receive stand together: */
        uint32_t *first;    /* by process; behind the last one, how many there are */
        uint32_t *incoming; /* by process: the first of which there are sends to it, or PS_NONE */
        uint32_t **by_call; /* by location and call: which of the pairs of its process, counted from there */
} ps_sends;

/* On several threads where that is worth it; `asked` as in ps_parallel_ranges(). `comm_mask`: how far
 * communicators count. `out` is to be freed, whatever comes of it. No receiver is at hand then. */
ps_status ps_sends_count(ps_sends *out, const ps_trace *trace, uint32_t comm_mask, uint32_t asked,
                         unsigned n_threads, ps_error *err);
/* Receivers before `end` are at hand, from *first on: as many as get `most` sends, but at least one. To be
 * called for the last ones first, for each once. */
ps_status ps_sends_bring(ps_sends *sends, ps_proc *first, ps_proc end, size_t most, unsigned n_threads,
                         ps_error *err);
void ps_sends_free(ps_sends *sends);

#endif
