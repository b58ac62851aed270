/* folding.h - the stage of a load in which locations are read and folded. */
#ifndef PS_CORE_LOAD_FOLDING_H
#define PS_CORE_LOAD_FOLDING_H

#include "core/clock/apart.h"
#include "core/fold/fold.h"
#include "core/match/agreed.h"
#include "core/match/match.h"
#include "core/model/format.h"
#include "core/model/trace.h"

#include <stdatomic.h>

/* What a worker uses again for each location. */
struct ps_fold_scratch {
        ps_row_pool *pool;
        ps_batch batch;
        uint64_t *events_by_code; /* of all that have ended */
};

/* What there was to match, and to send for it: here, or, in process 0 in the end, of all. */
struct ps_near_counts {
        uint64_t matched, crossing; /* messages that are received here; of them, sent elsewhere */
        uint64_t left;              /* rows here that fit nobody */
        uint64_t match_bytes, all_bytes;
        /* Of messages that are received here, and collective operations, if they agree. */
        ps_clock_tally contradictions;
};

/* What tells whether process 0 can do without rows: see away.c. */
struct ps_away_known {
        uint64_t bytes; /* of columns that process 0 does not have */
        uint64_t operations;
        uint64_t shaky; /* locations of whose computations another process could not tell all */
        ps_clock_tally contradictions;
        ps_agreed_wrong wrong;
};

struct ps_folding {
        ps_trace *trace;
        const ps_reader_class *format;
        const ps_load_options *options;
        ps_load_options own; /* those with as many threads as are worth it: `options`, once they are known */
        ps_reader *reader;
        ps_builder **builders;           /* by location */
        ps_loc *order;                   /* the locations that are read here, largest first */
        uint32_t n_order, n_portioned;   /* the first of them are read on several threads each */
        struct ps_fold_scratch *scratch; /* by worker */
        unsigned n_workers;
        uint8_t *in_focus; /* by region: its visits are what the focus is; NULL: no region's are */
        uint64_t total_bytes, most_bytes; /* most: of a location */
        uint64_t small_bytes;             /* of theirs, that no limit of memory can do without */
        atomic_uint_fast64_t done_bytes;
        uint32_t *owner; /* by process of the program: which of ours reads it; NULL: this one reads all */
        const char *path;
        ps_path **map;              /* by location: see ps_builder_settle; those that no builder has yet */
        ps_time zero;               /* the first event of all, by the recorder's clock */
        uint64_t print;             /* of what tells the trace from others, where several processes read it */
        struct ps_near_counts near; /* where rows are matched before they travel */
        ps_slacks slacks;           /* where they are matched here */
        ps_agreed agreed;           /* collective operations, where several processes read it */
        struct ps_away_known known; /* in process 0: of all */
        const char *rows_wanted;    /* what for, if they travel */
        ps_match_lonely lonely;     /* likewise: rows that find nobody */
        ps_lonely other_comms;      /* and messages whose ends have two communicators */
        ps_clock_mended mended;     /* in process 0, if it is_mended: clocks, before rows travel */
        ps_span *lasting;           /* by location, where clocks were mended: when it begins and ends now */
        bool is_mended;
        bool rows_are_away; /* in process 0: it does without those of the others */
};

/* What is to be read here, and whether the limit of memory will do for it. */
ps_status ps_folding_prepare(struct ps_folding *f, ps_error *err);
/* Reads it; before ps_folding_end more builders may come from elsewhere. */
ps_status ps_folding_run(struct ps_folding *f, ps_error *err);
ps_status ps_folding_end(struct ps_folding *f, ps_error *err);
/* Adds what others have counted. */
void ps_folding_count(struct ps_folding *f, const uint64_t *events_by_code);
/* A builder that will keep what is asked for. */
ps_status ps_folding_builder(struct ps_folding *f, ps_loc location, ps_row_pool *pool, ps_error *err);
/* Reads what is left of a stream, or up to its limit. */
ps_status ps_folding_stream(struct ps_folding *f, ps_stream *stream, ps_batch *batch, ps_builder *builder,
                            unsigned worker, ps_error *err);
ps_status ps_folding_progress(struct ps_folding *f, unsigned worker, ps_error *err);
void ps_folding_clear(struct ps_folding *f);

/* portions.c: how many of the locations, the largest first, are worth several threads each. */
uint32_t ps_folding_count_portioned(const struct ps_folding *f);
/* Folds what of one can be folded so; its stream and its builder are where to go on. */
ps_status ps_folding_portions(struct ps_folding *f, ps_loc location, ps_stream *stream, ps_error *err);

#endif
