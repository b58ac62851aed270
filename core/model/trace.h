/* trace.h - what a loaded trace is: who matched whom (structure), and when (timing).
 *
 * ps_trace is frozen once loaded. ps_timing holds two columns for each location; the measured run and every
 * prediction are timings of one structure, so that everything that looks at times takes (trace, timing). */
#ifndef PS_CORE_MODEL_TRACE_H
#define PS_CORE_MODEL_TRACE_H

#include "core/model/defs.h"
#include "core/model/issue.h"
#include "core/model/ops.h"

/* One instance of a collective operation: members[first .. first + n), in location order. */
typedef struct ps_coll {
        ps_comm comm; /* always a communicator or team, never a window */
        uint32_t first, n;
        uint32_t root; /* row in members of the root, or PS_NONE */
        uint8_t kind;
        uint8_t complete; /* every member of the communicator is there */
        uint8_t pgas;     /* an operation of a PGAS program: no payload need be recorded */
} ps_coll;

typedef struct ps_member {
        ps_ref ref;
        uint32_t coll; /* the instance */
        uint64_t received;
} ps_member;

/* A node of the call tree; parents have smaller indices than their children. Node 0 is the root, without a
 * region. `site_file`/`site_line` say where in the parent's code the call stands, `frame_*` where in this
 * region's own code the calls below it stand; both 0 when unknown. */
typedef struct ps_path_node {
        ps_path parent;
        ps_region region;
        ps_str site_file;
        uint32_t site_line;
        ps_str frame_file;
        uint32_t frame_line;
} ps_path_node;

/* How one location went through one node, in the measured run. */
typedef struct ps_path_use {
        ps_path path;
        uint64_t visits;
        ps_time inclusive, exclusive;
} ps_path_use;

/* Waiting that is a region of its own, in the trace. It is told by its distance from the latest operation
 * that was begun before it, so that it has a place in every timing: see ps_idle_span. */
typedef struct ps_idle {
        ps_op after;    /* PS_NONE: distances count from the location's first event */
        uint8_t inside; /* the operation goes on: they count from its begin, otherwise from its end */
        ps_time begin, end;
} ps_idle;

typedef struct ps_location_info {
        uint64_t n_events;
        ps_time first, last; /* of its events; first > last when it has none */
        ps_time off;         /* how long the recorder was switched off */
        uint64_t n_teams;    /* teams that begin on it */
        ps_path_use *uses;   /* sorted by path */
        uint32_t n_uses;
        ps_idle *idle; /* in the order in which they end */
        uint32_t n_idle;
} ps_location_info;

/* A nonblocking operation that another thread of the process completed. */
typedef struct ps_foreign {
        ps_ref start, done;
} ps_foreign;

typedef struct ps_span {
        ps_time begin, end;
} ps_span;

/* A call that begins or ends a program. */
typedef struct ps_edge {
        ps_ref at;
        ps_span time;
        ps_path path;
        uint8_t kind;
        bool is_cut; /* it was never left */
} ps_edge;

/* Of a location, in a process that does not have its rows: its calls of Init and Finalize, and where it ends
 * in a call, whose rows are brought then, the requests that are open; in their order. */
typedef struct ps_far {
        ps_edge *edge; /* NULL: it has the rows */
        ps_op *open;
        uint32_t n_edges, n_open;
        bool ends_in_call;
} ps_far;

/* Who never came to the operation of a call in which a location ends: the first of the communicator, or
 * PS_NONE. */
typedef struct ps_absent {
        ps_ref call;
        ps_proc process;
} ps_absent;

/* What times of different processes are worth beside each other. */
typedef enum ps_clock_trust {
        PS_CLOCK_EXACT,   /* the recorder compared the clocks, and nothing contradicts it */
        PS_CLOCK_BOUNDED, /* the trace tells how far their differences may be wrong */
        PS_CLOCK_UNKNOWN  /* it does not */
} ps_clock_trust;

/* A clock that runs fast or slow: its time t stands for t + rate * (t - from). */
typedef struct ps_clock_drift {
        double rate;
        ps_time from; /* the middle of the process's own events */
} ps_clock_drift;

typedef struct ps_clock_info {
        ps_clock_trust trust;
        uint64_t violations; /* in the times as recorded */
        uint64_t message_violations, collective_violations;
        ps_time worst;         /* the largest of them */
        uint8_t repaired;      /* offsets were estimated */
        uint8_t corrected;     /* small violations were moved away locally */
        uint8_t infeasible;    /* no constant offsets explain the times */
        uint64_t moved;        /* times changed by the local correction */
        uint64_t left;         /* violations that are still there */
        ps_time uncertainty;   /* the widest of the intervals */
        const ps_time *offset; /* by process: what was added; NULL when not repaired */
        /* By process: how wide the interval of possible offsets is, seen from the smallest process that it
         * hangs together with. PS_TIME_MAX: open on one side. */
        const ps_time *width;
        /* The offset of process b may be larger by room[a * n + b], next to that of process a. NULL: there
         * are too many pairs, then the widths of both added up. */
        const ps_time *room;
        /* By pair, as room: how far the difference may well be wrong; NULL: as far as it can. */
        const ps_time *error;
        /* By process: how its clock runs, next to the others; what is added is the offset and this. NULL: the
         * trace shows no drift. */
        const ps_clock_drift *drift;
        /* By pair, as room: how far the clocks may have drifted apart in the run all the same; NULL:
         * wander_most. */
        const ps_time *wander;
        ps_time wander_most;
        ps_time likely; /* the largest uncertainty of a pair: ps_clock_pair_uncertainty */
} ps_clock_info;

/* What the drift of process p adds to a time of its clock. */
static inline ps_time ps_clock_drifted(const ps_clock_drift *drift, ps_proc p, ps_time t)
{
        return drift ? (ps_time)(drift[p].rate * (double)ps_time_sub(t, drift[p].from)) : 0;
}

/* What a recorded time of process p became, where offsets were estimated. */
static inline ps_time ps_clock_repaired(const ps_clock_info *clock, ps_proc p, ps_time t)
{
        return ps_time_add(ps_time_add(t, clock->offset[p]), ps_clock_drifted(clock->drift, p, t));
}

typedef struct ps_focus ps_focus; /* core/model/focus.h */

/* When each operation began and ended. */
typedef struct ps_timing {
        ps_time **enter, **leave; /* [location][operation] */
        ps_time duration;
        const ps_location_info
                *info;         /* by location, at these times (core/views/retime.h); NULL: the trace's own */
        const ps_focus *focus; /* the part that is told of; NULL: the whole run */
} ps_timing;

typedef struct ps_pieces ps_pieces; /* core/model/pieces.h */
struct ps_stack_places;             /* core/model/stack_places.h */
struct ps_spread;                   /* core/load/share.h */

struct ps_trace {
        ps_defs defs;
        const char *format;
        uint32_t n_locs;
        ps_ops *ops;            /* by location */
        ps_location_info *info; /* by location */
        ps_pieces *pieces;      /* by location; NULL: nobody asked for them, or there are too many */
        ps_path_node *paths;
        uint32_t n_paths;
        ps_coll *colls;
        uint32_t n_colls;
        ps_member *members;
        uint32_t n_members;
        ps_foreign *foreign; /* sorted by start */
        uint32_t n_foreign;
        uint64_t n_events, n_operations, n_messages;
        uint64_t *events_by_code; /* n: ps_defs.codes.n; NULL: it was made of no events */
        ps_timing measured;
        ps_clock_info clock;
        ps_issues issues;
        ps_arena *arena;                      /* owns all of the above */
        struct ps_stack_places *stack_places; /* by location; NULL: nobody asked for them */
        ps_far *far;                          /* by location; NULL: it has all rows */
        ps_absent *absent;                    /* likewise, by call: of operations that lack members */
        uint32_t n_absent;
        struct ps_spread *spread; /* who else has rows of it; NULL: nobody */
        void *mapped;             /* the file that columns lie in, for munmap(); NULL: in none */
        size_t mapped_bytes;      /* 0: it is a block, for free() */
        uint8_t *mapped_pages;    /* a bit for each page of it: is it there? NULL: all are */
};

/* PS_NONE: there is no such location. */
static inline ps_proc ps_trace_process(const ps_trace *trace, ps_loc location)
{
        return location < trace->n_locs ? trace->defs.locations.row[location].process : PS_NONE;
}

/* NULL: the rows are here. */
static inline const ps_far *ps_trace_far(const ps_trace *trace, ps_loc location)
{
        return trace->far && trace->far[location].edge ? &trace->far[location] : NULL;
}

/* Is its last call never left? */
static inline bool ps_trace_ends_in_call(const ps_trace *trace, ps_loc location)
{
        const ps_ops *ops = &trace->ops[location];
        const ps_far *far = ps_trace_far(trace, location);
        return far ? far->ends_in_call : ops->n && ops->flags[ops->n - 1] & PS_OP_TRUNCATED;
}

/* What is entered last on a call path; NULL: nothing (the root), or nothing that is known. */
static inline const ps_region_def *ps_path_region(const ps_trace *trace, ps_path path)
{
        ps_region region = path < trace->n_paths ? trace->paths[path].region : PS_NONE;
        return region < trace->defs.regions.n ? &trace->defs.regions.row[region] : NULL;
}

/* Its name; "": it has none. */
static inline const char *ps_path_region_name(const ps_trace *trace, ps_path path)
{
        const ps_region_def *region = ps_path_region(trace, path);
        return region ? ps_defs_str(&trace->defs, region->name) : "";
}

/* What is known of the location as a whole, in that timing. */
static inline const ps_location_info *ps_timing_info(const ps_trace *trace, const ps_timing *timing,
                                                     ps_loc location)
{
        return timing->info ? &timing->info[location] : &trace->info[location];
}

/* A trace with empty definitions, to be loaded; ps_trace_close() frees it. */
ps_status ps_trace_new(ps_trace **out, const char *format, ps_error *err);

/* -- operations in which not all wait for all -- */

/* Of `member_of` below, which is room of the caller's: by process, and by location in teams. */
static inline size_t ps_coll_room(const ps_trace *trace)
{
        uint32_t processes = trace->defs.processes.n, locations = trace->defs.locations.n;
        return (processes > locations ? processes : locations) + (size_t)1;
}

/* The first process of the communicator that is no member of the operation; PS_NONE: there is none, or
 * members are no processes of one group. */
ps_proc ps_coll_absent(const ps_trace *trace, const ps_coll *coll);

/* `visit` gets the members in the order of ranks, as prefix operations have them: members themselves are
 * sorted by location. Who has no rank in the communicator is not visited. */
void ps_coll_visit_ranks(const ps_trace *trace, const ps_coll *coll, uint32_t *member_of,
                         void (*visit)(void *ctx, uint32_t member), void *ctx);

/* Do only neighbours wait for each other in it, and does the trace tell who they are? */
static inline bool ps_coll_is_near(const ps_trace *trace, const ps_coll *coll)
{
        return ps_kinds[coll->kind].traits & PS_T_SPARSE && trace->defs.comms.row[coll->comm].n_near;
}

/* Does the trace tell it of any communicator? */
static inline bool ps_trace_tells_neighbours(const ps_trace *trace)
{
        return trace->defs.near_lists.n > 0;
}

/* Of such an operation: `visit` gets each member and another one whose data it needs, in the order
 * of ranks. */
void ps_coll_visit_near(const ps_trace *trace, const ps_coll *coll, uint32_t *member_of,
                        void (*visit)(void *ctx, uint32_t member, uint32_t needed), void *ctx);

/* What `member_of` holds after either: the member of that rank, or PS_NONE. */
uint32_t ps_coll_member(const ps_trace *trace, const ps_coll *coll, const uint32_t *member_of, uint32_t rank);

/* -- what is asked of nearly each operation -- */

/* The same as below where another thread completed it, and of a distance that does not fit into 32 bits. */
ps_ref ps_op_completion_elsewhere(const ps_trace *trace, ps_ref start);
ps_time ps_op_wide_distance(const ps_ops *ops, ps_op op, bool is_post);

/* Is it over only in another operation? */
static inline bool ps_op_goes_on(const ps_ops *ops, ps_op op)
{
        const ps_kind_info *kind = &ps_kinds[ops->kind[op]];
        if (kind->cls == PS_C_COLL)
                return ops->flags[op] & PS_OP_NONBLOCKING;
        return (kind->cls == PS_C_SEND || kind->cls == PS_C_RECV || kind->cls == PS_C_RMA) &&
               !(kind->traits & PS_T_BLOCKING);
}

/* The operation in which `ref` is over for its caller: itself, or the one that completed it, or {PS_NONE,
 * PS_NONE} when a nonblocking operation was never completed. */
static inline ps_ref ps_op_completion(const ps_trace *trace, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        if (!ps_op_goes_on(ops, ref.op))
                return ref;
        if (ops->flags[ref.op] & PS_OP_ELSEWHERE)
                return ps_op_completion_elsewhere(trace, ref);
        ps_op done = ops->done[ref.op];
        return (ps_ref){done == PS_NONE ? PS_NONE : ref.loc, done};
}

/* A send or receive that was begun and is never completed. */
static inline bool ps_op_is_open(const ps_trace *trace, ps_ref ref)
{
        ps_class cls = ps_kinds[trace->ops[ref.loc].kind[ref.op]].cls;
        return (cls == PS_C_SEND || cls == PS_C_RECV) && ps_op_completion(trace, ref).op == PS_NONE;
}

/* The partner of a matched send or receive; {PS_NONE, PS_NONE} otherwise. */
static inline ps_ref ps_op_partner(const ps_trace *trace, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        ps_class cls = ps_kinds[ops->kind[ref.op]].cls;
        if (!(ops->flags[ref.op] & PS_OP_MATCHED) || (cls != PS_C_SEND && cls != PS_C_RECV))
                return (ps_ref){PS_NONE, PS_NONE};
        return (ps_ref){ps_op_peer(ops, ref.op), ops->link[ref.op]};
}

/* When the operation's first record (of a send: that it was sent; of a collective: that it began) and its
 * last one (that it was received, that it ended) were written. The recorder writes them a little after the
 * call is entered and a little before it is left; kept as distances: those are the same in any timing.
 * Of calls that are shorter than that in another timing than the measured one, they are inside, and the last
 * one not before the first. */
static inline ps_time ps_op_record_begin(const ps_trace *trace, const ps_timing *timing, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        uint32_t narrow = ops->pre[ref.op];
        ps_time begin = timing->enter[ref.loc][ref.op] +
                        (narrow != UINT32_MAX ? narrow : ps_op_wide_distance(ops, ref.op, false));
        ps_time limit = timing == &trace->measured ? begin : timing->leave[ref.loc][ref.op];
        return begin < limit ? begin : limit;
}

/* The latter of any operation. */
ps_time ps_op_record_end_far(const ps_trace *trace, const ps_timing *timing, ps_ref ref);

/* Most are over in their own call. */
static inline ps_time ps_op_record_end(const ps_trace *trace, const ps_timing *timing, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        uint32_t post = ops->post[ref.op];
        return timing == &trace->measured && post != UINT32_MAX && !ps_op_goes_on(ops, ref.op)
                       ? timing->leave[ref.loc][ref.op] - post
                       : ps_op_record_end_far(trace, timing, ref);
}

/* How many of a location's `n` operations, whose begins these are, begin in the span, or are under way where
 * it begins: `*first` is the first one of them. */
uint32_t ps_rows_of_span(const ps_time *enter, uint32_t n, ps_span span, ps_op *first);

/* When an idle region begins and ends; not after the operation that it is inside of, or the next one begins.
 */
ps_span ps_idle_span(const ps_trace *trace, const ps_timing *timing, ps_loc location, const ps_idle *idle);

#endif
