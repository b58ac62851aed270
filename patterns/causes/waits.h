/* waits.h - the waits of a run and what is known of each, shared by the files of this folder. */
#ifndef PS_PATTERNS_CAUSES_WAITS_H
#define PS_PATTERNS_CAUSES_WAITS_H

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/search.h"
#include "patterns/causes/causes.h"
#include "patterns/causes/sums.h"

/* Products of two times. */
__extension__ typedef unsigned __int128 ps_wide_time;

/* a * b / c, rounded down; b <= c or the result fits anyhow. */
static inline ps_time share_of(ps_time a, ps_time b, ps_time c)
{
        uint64_t product;
        if (!__builtin_mul_overflow((uint64_t)a, (uint64_t)b, &product))
                return (ps_time)(product / (uint64_t)c);
        return (ps_time)((ps_wide_time)a * (ps_wide_time)b / (ps_wide_time)c);
}

/* On one side of a wait, the call in which its two locations had last waited for each other. */
struct opening {
        ps_op op;      /* PS_NONE: nowhere before */
        uint32_t wait; /* the location's first wait from there on */
};

/* `via` of a meeting that is no wait: the begin of a thread's part of a team, or no call at all. */
#define NO_WAIT PS_NONE

/* What that call was. */
struct meeting {
        uint32_t via; /* the wait that it was; of a collective operation the location's member; or NO_WAIT */
        uint32_t is_group;
};

/* There are many, and all are kept to the end: 64 bytes each. */
struct waiting {
        ps_time end;     /* inside the focus */
        uint64_t before; /* of all waits before it, of any location, the sum: see length_of(), begin_of() */
        union {
                struct {
                        struct opening waiter, causer; /* until its excess is found */
                };
                struct {
                        ps_time excess, waited; /* of the causer during its window: how much longer it was,
                                                   and how long it waited */
                };
        };
        ps_ref by; /* the call that ended it; PS_NONE: nobody knows */
        ps_loc loc;
        ps_op op; /* the call that waited */
        /* The waits of the causer that it inherits from: first .. behind - 1. If it is cut, a part of the
         * first one lies before the window. */
        uint32_t first, behind;
        uint32_t part; /* of the excess, if there is one: in the causer's list, the largest first */
        uint8_t family, pattern;
        bool is_caused, is_cut; /* is_caused: it has a causer */
};

/* The part of an excess that is in one call path. It is packed because each wait has several. */
struct __attribute__((packed, aligned(4))) part {
        ps_time time;
        uint32_t cost : 31; /* number of a cost of the causer, as they were found */
        uint32_t is_last : 1;
};

/* Of all waits that a location ended, one after the other. */
struct parts_of {
        struct part *row;
        uint32_t n, cap;
};

/* Before about `n` more are found: large pages that wait for somebody become theirs (core/base/memory.h),
 * from byte `filled` on, up to which that was done; or from where the last one found ends, if more were found
 * than expected: what they lie in must stay. Returns how far it is done then. */
static inline size_t look_ahead(const struct parts_of *parts, uint32_t n, size_t filled)
{
        const size_t size = sizeof(*parts->row), found = parts->n * size,
                     from = filled < found ? found : filled,
                     end = (parts->cap - parts->n > n ? parts->n + n : parts->cap) * size;
        ps_blocks_look();
        if (end <= from)
                return from;
        ps_memory_fill_next(parts->row, from, end, parts->cap * size);
        return end;
}

/* What one location computes and waits: see own.c. */
struct timeline {
        ps_time first, last;
        uint32_t wait, n_waits; /* its waits: wait .. wait + n_waits, in the order of time */
        const ps_ops *ops;
        const ps_time *enter, *leave;
        const ps_time *end; /* by operation: when it ends, or the next one begins, whichever is earlier */
        ps_time *cut_end;   /* that, where some differ from `leave`: see ps_own_row() */
        const ps_pieces *pieces; /* NULL: there are none */
        bool calls_are_whole;    /* where ends are cut: only of rows of one call, of which the last has all of
                                    its time */
        bool are_measured;       /* each gap but the outer two is the sum of its pieces */
        bool counts; /* only then its waits are charged to anybody; others pass on what heirs passed to them
                      */
        ps_op plain_ops,
                plain_length; /* windows shorter than that may be plain, of so many operations; or 0 */
        /* By operation: what is exclusively its own, without waiting. NULL: operations come one after the
         * other, and waits lie in their own, so that it is found where it is asked for. */
        ps_time *own;
        struct cut *cut; /* gaps that belong to a wait of a call around them */
        uint32_t n_cuts, cap_cuts;
        ps_op longest;     /* the most operations that two sides of a wait are compared over */
        uint64_t long_ops; /* in all windows that are long */
        ps_op finalize;    /* its last MPI_Finalize, or PS_NONE */
        ps_path *path_of;  /* by number of a call: the first path of the same names as its own */
        ps_path *path;     /* all call paths in which it ever is; NULL: no sums are kept */
        ps_time *snapshot; /* by `path`: sums of all before every `step`-th operation */
        uint32_t n_paths, step, n_snapshots;
};

enum { NOT_ODD, ODD_ORDER, ODD_LOCK, N_ODD };

struct delaying {
        const ps_trace *trace;
        const ps_timing *timing;
        ps_delay_options options;
        ps_coll_sums *colls;
        ps_span whole;       /* the focus, if it is one */
        const ps_span *span; /* of the focus; no window begins before the span that its wait is in */
        uint32_t n_spans;
        struct waiting *wait; /* by location, in the order of calls; behind them one that is none */
        uint32_t n_waits, cap_waits;
        uint32_t *first; /* by location, and behind them: its first wait, where all are here; more is in
                            `line`, but whoever goes from wait to wait asks for no more than that */
        uint8_t odd[PS_MAX_PATTERNS]; /* ODD_ORDER: waits for a message in wrong order; ODD_LOCK: for a lock
                                       */
        struct meeting (*meeting)[2]; /* by wait: of the waiter, of the causer. Only Scalasca asks */
        struct same_paths same;
        uint8_t *is_idle; /* by path: waiting that is a region of its own, which nobody is known to end */
        struct timeline *line; /* by location */
        bool has_rows;         /* some have a cut_end */
        /* The waits that a location ended, by its operations: ended[ending[loc] .. ending[loc + 1]). */
        uint32_t *ended, *ending;
        struct parts_of *parts; /* by location */
        uint32_t *heirs;        /* by wait, of how many that were explained here it is the last one that they
                                   inherit from; until their turns */
        uint32_t *order;        /* all waits, each after its heirs */
        uint8_t *asks; /* by wait of all, how often is read later what its location has passed on with it: see
                          forward.h */
        uint32_t *costs;   /* by location: where its own begin in out->cost */
        ps_time *earliest; /* see ps_starts_prepare */
        ps_delays *out;
        struct apart *apart; /* other processes have rows, too: see apart.h; NULL: all are here */
};

static inline bool is_scalasca(const struct delaying *d)
{
        return d->options.definitions == PS_DEFINITIONS_SCALASCA;
}

/* The first span that ends later, or the only one. */
static inline uint32_t span_after(const struct delaying *d, ps_time time)
{
        uint32_t low = 0;
        if (d->n_spans == 1)
                return 0;
        PS_SEARCH(low, d->n_spans, middle, d->span[middle].end <= time);
        return low;
}

static inline ps_time length_of(const struct waiting *w)
{
        return (ps_time)(w[1].before - w->before);
}

static inline ps_time begin_of(const struct waiting *w)
{
        return w->end - length_of(w);
}

/* Does it inherit from waits of its causer? Nobody's inherit nothing. */
static inline bool inherits(const struct waiting *w)
{
        return w->first < w->behind;
}

/* How long the location waited in its waits first .. behind - 1. */
static inline ps_time waited_between(const struct delaying *d, uint32_t first, uint32_t behind)
{
        return (ps_time)(d->wait[behind].before - d->wait[first].before);
}

/* Divides a whole in proportion to `a` and `b`, and returns the share of `a`. What the division leaves over
 * goes to the larger of the two. */
static inline ps_time part_of(ps_time whole, ps_time a, ps_time b)
{
        return a <= b ? share_of(whole, a, a + b) : whole - share_of(whole, b, a + b);
}

/* What of a wait the excess of the causer explains, and what the waits of the causer do. */
struct split {
        ps_time direct, indirect;
};

/* Scalasca does not look whether a wait in a collective operation is longer than what could explain it. */
static inline bool is_bounded(const struct delaying *d, const struct waiting *w)
{
        return !is_scalasca(d) || w->family == PS_DELAY_LATE_SENDER || w->family == PS_DELAY_LATE_RECEIVER;
}

/* Of a wait that has a causer. Mostly it is shorter than what explains it, and often the causer did not wait.
 */
static inline struct split ps_split_of(const struct delaying *d, const struct waiting *w)
{
        const ps_time length = length_of(w), all = w->excess + w->waited;
        const bool is_less = length < all || (all > 0 && !is_bounded(d, w));
        const ps_time explained = is_less ? length : later(0, all);
        if (!w->waited)
                return (struct split){explained, 0};
        const ps_time direct = explained == all ? w->excess : part_of(explained, w->excess, w->waited);
        return (struct split){direct, explained - direct};
}

/* Do the shares of all parts of an excess in a sum take no more than 64 bits to find? */
static inline bool are_shares_short(ps_time excess, ps_time sum)
{
        uint64_t product;
        return !__builtin_mul_overflow((uint64_t)excess, (uint64_t)sum, &product);
}

/* `sum` is divided in proportion to the parts of a wait's excess: returns the share of a part other than the
 * largest one, which gets the rest. `are_short`: as above, which is asked once for all parts. */
static inline ps_time share_of_part(ps_time excess, ps_time sum, const struct part *part, bool are_short)
{
        if (sum == excess)
                return part->time;
        if (are_short)
                return (ps_time)((uint64_t)sum * (uint64_t)part->time / (uint64_t)excess);
        return share_of(sum, part->time, excess);
}

static inline ps_time *sum_at(const ps_delays *out, unsigned family, ps_delay_term term, ps_loc loc)
{
        return &out->sum[loc][family][term];
}

/* By process of ours, how many of the waits at most were ended by whom it has. */
void ps_waits_count_causers(uint64_t *n, const ps_wait_log *log, const uint32_t *owner);
/* What the analysis that filled the log has summed up of collective operations; who asks again sums it up. */
ps_status ps_wait_log_take_colls(ps_coll_sums **out, ps_wait_log *log, const struct delaying *d,
                                 ps_error *err);
/* The same where each process has its own rows, by all of them together. */
ps_status ps_wait_log_take_colls_together(ps_coll_sums **out, ps_wait_log *log, const struct delaying *d,
                                          ps_error *err);

#endif
