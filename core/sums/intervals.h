/* intervals.h - a run as a tree of intervals, and what each processor did in each of them.
 *
 * The tree is that of the DVM system (Predictor: Detailed design, 2000, 2.1 to 2.3): the whole program is the
 * root, an interval that is entered again from the same parent is the same interval. Whoever makes it adds up
 * the processors' shares; everything else follows from them, in one place (ps_intervals_finish), so that a
 * predicted run and a measured one speak the same language. */
#ifndef PS_CORE_SUMS_INTERVALS_H
#define PS_CORE_SUMS_INTERVALS_H

#include "core/base/error.h"
#include "core/base/lookup.h"
#include "core/base/types.h"

typedef enum ps_interval_type {
#define PS_INTERVAL_TYPE(id, key, title) PS_INTERVAL_##id,
#include "core/sums/intervals.def"
#undef PS_INTERVAL_TYPE
        PS_INTERVAL_TYPES
} ps_interval_type;

typedef enum ps_interval_class {
#define PS_INTERVAL_CLASS(id, key, title, letter) PS_IC_##id,
#include "core/sums/intervals.def"
#undef PS_INTERVAL_CLASS
        PS_IC_COUNT
} ps_interval_class;

typedef struct ps_interval_type_info {
        const char *key, *title;
} ps_interval_type_info;

typedef struct ps_interval_class_info {
        const char *key, *title, *letter;
} ps_interval_class_info;

extern const ps_interval_type_info ps_interval_types[PS_INTERVAL_TYPES];
extern const ps_interval_class_info ps_interval_classes[PS_IC_COUNT];

/* One processor's part in one interval, without the intervals below it. */
typedef struct ps_share {
        ps_time cpu, system; /* calculating; in calls of the run-time system */
        ps_time io;          /* in input and output itself */
        /* Of `cpu` and `system`, what is done again by other processors: work that was not shared out. */
        ps_time insufficient_cpu, insufficient_system;
        ps_time communication[PS_IC_COUNT];   /* all time in such operations, waiting included */
        ps_time synchronization[PS_IC_COUNT]; /* of it: until the last partner had begun */
        ps_time variation[PS_IC_COUNT];       /* how much earlier than the last one it was through */
        ps_time overlap[PS_IC_COUNT];         /* while an operation went on and the processor calculated */
} ps_share;

/* Times add up over many processors, more than a ps_time may hold: seconds. */
typedef struct ps_interval_sums {
        double execution_s; /* of the interval; see PS_KNOWS_CLOCKS */
        double total_s;     /* execution_s on all processors */
        double cpu_s, system_s, io_s;
        double insufficient_cpu_s, insufficient_system_s;
        double communication_s[PS_IC_COUNT], synchronization_s[PS_IC_COUNT], variation_s[PS_IC_COUNT],
                overlap_s[PS_IC_COUNT];
        double idle_s, imbalance_s;
        uint64_t count[PS_IC_COUNT]; /* operations */
        /* What follows from the above. Always total_s = productive_s + lost_s. */
        double productive_cpu_s, productive_system_s, productive_s;
        double communication_all_s, synchronization_all_s, variation_all_s, overlap_all_s;
        double insufficient_s, lost_s;
        double efficiency; /* 1 when nothing took any time */
} ps_interval_sums;

/* What makes an interval the same as another one below the same parent. */
typedef struct ps_interval_key {
        ps_interval_type type;
        ps_str name, file; /* of ps_intervals.strings */
        uint32_t line;
        int64_t index; /* the value of the interval's expression */
        bool has_index;
} ps_interval_key;

typedef struct ps_interval {
        ps_interval_key key;
        /* PS_NONE: there is none. Parents stand before their children. */
        uint32_t parent, first_child, last_child, next;
        uint8_t is_part; /* what processors take in it is a part of what they take in its parent; otherwise
                          * PS_KNOWS_CLOCKS says */
        uint32_t level;  /* of the root: 0 */
        uint64_t count;  /* how often it was entered */
        uint64_t operations[PS_IC_COUNT]; /* its own */
        ps_share *share;                  /* by processor; NULL: nobody did anything */
        /* The time it would take if messages cost nothing, as a part of its own; 0: unknown. */
        double transfer;
        /* Set by ps_intervals_finish. */
        ps_time longest, most_work; /* of a processor: execution; cpu and system */
        ps_interval_sums sums;      /* with the intervals below */
} ps_interval;

/* What the maker of the tree can tell; the rest is unknown, not zero. */
enum {
        PS_KNOWS_SYSTEM = 1 << 0,
        PS_KNOWS_IO = 1 << 1,
        PS_KNOWS_INSUFFICIENT = 1 << 2,
        PS_KNOWS_VARIATION = 1 << 3,
        PS_KNOWS_OVERLAP = 1 << 4,
        /* How processors met at the ends of nested intervals: an interval took as long as the processor that
         * was in it longest, intervals below included. Without it the intervals are laid end to end, as the
         * Predictor does: the longest own share, and the execution times of the intervals below. */
        PS_KNOWS_CLOCKS = 1 << 5
};

typedef struct ps_intervals {
        ps_interval *row; /* row[0] is the whole run */
        uint32_t n, cap;
        uint32_t n_processors;
        unsigned known;   /* PS_KNOWS_* */
        unsigned classes; /* bits of the ps_interval_class that there may be */
        ps_arena *arena;
        ps_strings *strings;
        ps_lookup by_key;
        struct ps_interval_span *span; /* [interval][processor]; set by ps_intervals_finish */
} ps_intervals;

/* A tree with its root, which counts as entered once. */
ps_status ps_intervals_new(ps_intervals **out, uint32_t n_processors, unsigned known, unsigned classes,
                           ps_error *err);
void ps_intervals_free(ps_intervals *tree);

/* The interval below `parent`, new if there is none yet; its count goes up by one. */
ps_status ps_intervals_enter(ps_intervals *tree, uint32_t parent, const ps_interval_key *key, uint32_t *out,
                             ps_error *err);
/* The shares of all processors, zero at first. */
ps_status ps_intervals_new_shares(ps_intervals *tree, uint32_t interval, ps_share **out, ps_error *err);
static inline ps_status ps_intervals_shares(ps_intervals *tree, uint32_t interval, ps_share **out,
                                            ps_error *err)
{
        *out = tree->row[interval].share;
        return *out ? PS_OK : ps_intervals_new_shares(tree, interval, out, err);
}

/* Fills all sums. May be called again after more has been added. */
ps_status ps_intervals_finish(ps_intervals *tree, ps_error *err);

/* Sets `transfer` by a tree of the same intervals in which messages cost nothing. */
void ps_intervals_split(ps_intervals *tree, const ps_intervals *ideal);

/* What one processor did in the interval and below it, in the same terms; total_s is its own execution and
 * idle time, and counts are not known. */
void ps_interval_processor(const ps_intervals *tree, uint32_t interval, uint32_t processor,
                           ps_interval_sums *out);

ps_time ps_share_execution(const ps_share *share);

const char *ps_intervals_str(const ps_intervals *tree, ps_str id);

#endif
