/* engine.h - runs the table of patterns over a trace and one of its timings. */
#ifndef PS_PATTERNS_ENGINE_ENGINE_H
#define PS_PATTERNS_ENGINE_ENGINE_H

#include "core/sums/apart.h"
#include "core/sums/times.h"
#include "patterns/table/pattern.h"

enum { PS_MAX_PATTERNS = 128, PS_EAGER_DEFAULT = 65536 };

/* The table: families in a fixed order, parents before their children. */
unsigned ps_pattern_count(void);
const ps_pattern *ps_pattern_at(uint32_t pattern); /* NULL beyond the end */
/* Its index, or PS_NONE. */
uint32_t ps_pattern_find(const char *id);
/* The index of a row's parent, or PS_NONE. */
uint32_t ps_pattern_parent(uint32_t pattern);
/* The formula of a row or of the nearest ancestor that has one; NULL for groups. */
const ps_formula *ps_pattern_formula(uint32_t pattern);

/* One manifestation, as it is found. */
typedef struct ps_instance {
        uint32_t pattern;
        ps_ref at;      /* the operation that lost the time */
        ps_ref partner; /* whom it waited for, or {PS_NONE, PS_NONE} */
        ps_time begin, lost;
        ps_time least; /* what was lost for certain, whatever the clocks leave open; not more than lost */
        ps_time later; /* of the worst instance of a finding: the call would have lost nothing if it had been
                          made so much later; 0: unknown */
} ps_instance;

typedef struct ps_analysis_options {
        ps_definitions definitions;
        ps_time epsilon; /* negative: chosen from the trace's clock; 0 in Scalasca's reading, which has none
                          */
        unsigned n_threads;
        uint64_t eager_bytes; /* only for the paper's definitions, which ask the size; 0: PS_EAGER_DEFAULT */
        uint32_t master; /* if has_master: a rank that is the master of the others, instead of looking for one
                          */
        uint8_t has_master;
        uint8_t off[PS_MAX_PATTERNS]; /* rows that must not be evaluated */
        uint8_t in_full;    /* rows are asked of each call, also where columns tell what they would say */
        uint32_t range_ops; /* each location is walked in a few ranges of so many operations at least; 0:
                               large ones only */
        /* Called for every instance, in an order that depends on the trace only; NULL: nobody wants them. */
        void (*sink)(void *ctx, const ps_instance *instance, ps_path path);
        void *sink_ctx;
        const uint8_t *sink_wants; /* by pattern: its instances; others may be left out; NULL: all */
        uint8_t sink_is_shared;    /* it may be called for several locations at once, of each in order. Where
                                      rows are elsewhere one that is not apart is called after the walk, without
                                      `least` */
        bool sink_is_apart;   /* it hears of what this process finds alone, while it walks; each other one
                                 keeps its own (patterns/engine/shown.h) for whoever asks for it */
        unsigned sink_walk;   /* the work in which the others do so (patterns/engine/works.h); 0: that of
                                 walks that everybody may ask for what was kept */
        ps_coll_sums **colls; /* what it has summed up of collective operations goes there, put away where
                                 rows are elsewhere (works.h); NULL: nobody wants it */
        /* Called now and then from the calling thread: operations that are done, of all. An answer other than
         * 0 cancels. NULL: nobody wants to know. */
        int (*progress)(void *ctx, uint64_t done, uint64_t total);
        void *progress_ctx;
} ps_analysis_options;

/* What one thread of a PGAS program moves at one of its places: a row on places says it. */
typedef struct ps_place_sums {
        ps_loc location;
        ps_path path;
        uint64_t ops, all_ops; /* here, and at all places of the thread */
        uint64_t bytes;        /* in all; 0: the trace does not tell */
        uint64_t largest;      /* at once */
} ps_place_sums;

/* All instances of one pattern at one call path of one location. */
typedef struct ps_finding {
        uint32_t pattern;
        ps_loc location;
        ps_path path;
        uint64_t count;
        ps_time lost;      /* inside the focus */
        ps_time least;     /* of it: what is certain, whatever the clocks leave open */
        ps_instance worst; /* the first of the largest ones */
} ps_finding;

typedef struct ps_analysis {
        ps_definitions definitions;
        ps_time epsilon;
        uint32_t n_locs;
        ps_finding *findings; /* sorted: lost descending, pattern's id, location, begin of the worst, path */
        uint32_t n_findings;
        uint64_t count[PS_MAX_PATTERNS];  /* by pattern, exclusive */
        ps_time outside[PS_MAX_PATTERNS]; /* likewise: what was lost outside of the focus */
        ps_time *waiting;                 /* by call path: in it alone, of the locations that are told of */
        uint8_t *apart;                   /* by process: it takes no part (core/sums/apart.h); NULL: all do */
        ps_time *awaited; /* by process: how long the others waited for it; behind the last: for nobody known
                           */
        ps_time_moves *moves; /* by location: what of its time was waiting, however short each wait was */
        /* Of waits that are shorter than the clocks of the two ranks concerned may well be wrong by, and so
         * stand nowhere else: how many there seem to be, and what they seem to have lost. */
        uint64_t doubtful_count;
        ps_time doubtful;
        ps_time hidden; /* of what calls took without waiting: so much more may have been waiting, as far as
                         * clocks can tell */
        /* What the sends tell of the limit up to which they do not wait for their receiver: the largest
         * message that did not, the smallest that did. 0 and UINT64_MAX: nothing was seen. */
        uint64_t eager_max, rendezvous_min;
        ps_place_sums *places; /* of the findings on places: sorted by location and path */
        uint32_t n_places, places_cap;
        uint64_t typical_bytes; /* the median of what is largest at each place */
} ps_analysis;

ps_status ps_analyse(ps_analysis **out, const ps_trace *trace, const ps_timing *timing,
                     const ps_analysis_options *options, ps_error *err);
void ps_analysis_free(ps_analysis *analysis);

/* NULL: nothing was found of this place. */
const ps_place_sums *ps_analysis_place(const ps_analysis *analysis, ps_loc location, ps_path path);

/* The epsilon that is used when none is given: the larger of 1 us and twice the clock's resolution. Waits for
 * another process then also have to be as long as the clocks of the two may well be wrong by. */
ps_time ps_analysis_epsilon(const ps_trace *trace);

#endif
