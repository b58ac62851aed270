/* pieces.h - what a location computes between its operations: in which call paths, and in which visits of
 * them.
 *
 * Gap k of a location lies before its operation k: from the end of operation k - 1, or the first event, to
 * the operation's begin. The last one ends with the last event. An operation that begins before the one
 * before it has ended has none. The pieces of a gap add up to its time, to the picosecond: where clocks are
 * corrected, so are the pieces.
 *
 * They are kept only if they are asked for, because they follow the length of the trace: one for each call
 * path that the location was in between two operations, or two where a visit ends in which it was before and
 * others begin. Visits of a path that begin in the same gap are put together. */
#ifndef PS_CORE_MODEL_PIECES_H
#define PS_CORE_MODEL_PIECES_H

#include "core/model/trace.h"

typedef struct ps_piece {
        ps_time time;    /* 0 where a visit begins with something else */
        ps_path path;    /* PS_NONE: the recorder was switched off */
        uint32_t begins; /* visits of the path that begin with it; 0: the last one goes on */
} ps_piece;

/* Of one location. */
struct ps_pieces {
        uint32_t *end; /* by gap: behind its last piece */
        ps_piece *piece;
        uint32_t n;
        uint8_t adds_up; /* to the gaps as they were recorded; else perhaps not */
};

/* Of a location, unless somebody says otherwise: 1 GiB. */
enum { PS_PIECES_MOST = 1 << 26 };

struct ps_piece_options {
        uint32_t most; /* pieces of a location; if one has more, none are kept */
};

static inline ps_time ps_gap(const ps_trace *trace, const ps_timing *timing, ps_loc loc, ps_op k)
{
        ps_time from = k ? timing->leave[loc][k - 1] : trace->info[loc].first;
        ps_time to = k < trace->ops[loc].n ? timing->enter[loc][k] : trace->info[loc].last;
        return to > from ? ps_time_sub(to, from) : 0;
}

/* What joins a team is so many operations. */
enum { PS_JOINS = 2 };

static inline bool ps_is_joined(uint8_t kind)
{
        return kind == PS_K_THREAD_JOIN || kind == PS_K_TEAM_END;
}

/* The call path that a gap comes from: that of the operation before it. Where a team was joined outside of
 * all regions, which has none, it is that of the last one in the team. */
static inline ps_path ps_gap_from(const ps_ops *ops, ps_op gap)
{
        ps_op op = gap - 1;
        const ps_op last = op > PS_JOINS ? op - PS_JOINS : 0;
        while (op > last && !ps_op_path(ops, op) && ps_is_joined(ops->kind[op]))
                op--;
        return ps_op_path(ops, op);
}

/* The call path that a gap leads to: that of the operation behind it. Where a team is forked outside of all
 * regions, that of the parallel region, around the first operation in the team. */
static inline ps_path ps_gap_to(const ps_trace *trace, const ps_ops *ops, ps_op gap)
{
        const ps_op first = gap + 2;
        ps_path path = ps_op_path(ops, gap), team = 0;
        if (path || ops->kind[gap] != PS_K_THREAD_FORK || first >= ops->n ||
            ops->kind[gap + 1] != PS_K_TEAM_BEGIN)
                return path;
        for (path = ps_op_path(ops, first); path; path = trace->paths[path].parent) {
                const ps_region_def *region = ps_path_region(trace, path);
                if (region && region->role == PS_ROLE_PARALLEL)
                        team = path;
        }
        return team;
}

static inline uint32_t ps_pieces_first(const ps_pieces *p, ps_op gap)
{
        return gap ? p->end[gap - 1] : 0;
}

/* Makes pieces add up to their gaps again, once measured times are what they will be. */
ps_status ps_pieces_settle(ps_trace *trace, ps_error *err);
/* Of one location of a trace that has pieces. */
ps_status ps_pieces_settle_of(ps_trace *trace, ps_loc location, ps_error *err);

#endif
