/* loading.h - how a trace is loaded, and what one amounts to. */
#ifndef PS_CORE_MODEL_LOADING_H
#define PS_CORE_MODEL_LOADING_H

#include "core/base/error.h"
#include <stdint.h>

/* How times that contradict causality are treated. */
typedef enum ps_clock_mode {
        PS_CLOCK_AUTO,  /* repair only what is impossible as it stands */
        PS_CLOCK_AS_IS, /* never change a time */
        PS_CLOCK_REPAIR /* always estimate the offsets of the ranks' clocks */
} ps_clock_mode;

/* What the numbers of upc_flag_t mean in a trace that has nothing better: each of UPC's compilers has its
 * own. */
typedef enum ps_upc_flags {
        PS_UPC_FLAGS_UNKNOWN, /* numbers tell nothing */
        PS_UPC_FLAGS_NEW,     /* IN: ALL 1, MY 2, NO 4; OUT: ALL 8, MY 16, NO 32 */
        PS_UPC_FLAGS_OLD,     /* IN: NO 1, MY 2, ALL 16; OUT: NO 4, MY 8, ALL 32 */
        PS_UPC_FLAGS_MTU      /* as the old ones, but both ALL are 0 */
} ps_upc_flags;

typedef struct ps_load_options {
        unsigned n_threads; /* 0: one for each processor, where that is worth it */
        int strict;         /* the first issue of the trace becomes an error */
        ps_clock_mode clock;
        /* Called now and then from the calling thread; an answer other than 0 cancels the load. May be NULL.
         */
        int (*progress)(void *ctx, uint64_t done_bytes, uint64_t total_bytes);
        void *progress_ctx;
        ps_upc_flags upc_flags;
        const struct ps_piece_options *pieces; /* what is computed between calls is kept; NULL: it is not */
        const struct ps_focus_wish *focus;     /* the part of the run that is told of; NULL: the whole run */
        uint64_t memory;              /* the limit that was asked for (core/base/blocks.h); 0: none was */
        struct ps_exchange *exchange; /* with processes that read a part of it; NULL: there are none */
        uint64_t portion_bytes;       /* each location is read in a few portions of so many bytes at least; 0:
                                       * those that are worth it, by as many threads */
        bool rows_may_stay;         /* with the processes that read them, if nothing of the trace forbids it:
                                     * see ps_share_bring() */
        uint64_t rows_travel_below; /* but where the trace has fewer operations, all rows are wanted */
        const char *rows_wanted;    /* what for, in a few words */
        int call_stacks;            /* where to find them in the file is kept, for pages */
} ps_load_options;

typedef struct ps_trace ps_trace;

/* Reads, matches and freezes the trace at `path` (a file, or a folder that holds one archive). */
ps_status ps_trace_load(ps_trace **out, const char *path, const ps_load_options *options, ps_error *err);
void ps_trace_close(ps_trace *trace);

#endif
