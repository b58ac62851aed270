/* own.c - see own.h. */
#include "patterns/causes/cells.h"
#include "patterns/causes/plain.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/search.h"
#include "core/model/pieces.h"

#include <stdlib.h>
#include <string.h>

/* LONG_WINDOW: shorter ones are added up as they are. */
enum { LEAST_STEP = 16, LONG_WINDOW = 4 * LEAST_STEP };

/* How many operations begin at `time` or before. */
static inline ps_op ops_until(const struct timeline *l, ps_time time, ps_op near)
{
        ps_op low = 0, high = l->ops->n;
        if (near < high && l->enter[near] <= time) {
                low = near + 1;
                if (low == high || l->enter[low] > time)
                        return low;
        }
        PS_BISECT(low, high, middle, l->enter[middle] <= time);
        return low;
}

/* -- gaps -- */

/* A location, and its sums meanwhile. */
struct adding {
        const struct delaying *d;
        const struct timeline *line;
        struct sums *sums;
        ps_loc loc;
};

static ps_time cut_of(const struct timeline *line, ps_op gap)
{
        uint32_t low = 0;
        PS_SEARCH(low, line->n_cuts, middle, line->cut[middle].gap < gap);
        return low < line->n_cuts && line->cut[low].gap == gap ? line->cut[low].time : 0;
}

/* The path of a gap without pieces: the caller of the operation after it; of the last gap, before it. */
static ps_path path_of_gap(struct adding *a, ps_op gap)
{
        ps_op n = a->line->ops->n;
        return n ? ps_op_caller(a->d->trace, (ps_ref){a->loc, gap < n ? gap : n - 1}) : 0;
}

/* Which of its uses is about the path; PS_NONE: it has not entered that. */
static uint32_t use_of(const ps_location_info *info, ps_path path)
{
        uint32_t low = 0;
        PS_SEARCH(low, info->n_uses, i, info->uses[i].path < path);
        return low < info->n_uses && info->uses[low].path == path ? low : PS_NONE;
}

/* How much longer or shorter the location is in this path than it was when it was measured: 1 is as long. */
static double stretch_of(struct adding *a, ps_path path)
{
        const ps_location_info *then = &a->d->trace->info[a->loc], *now = &a->d->timing->info[a->loc];
        uint32_t use = use_of(then, path);
        if (use == PS_NONE || then->uses[use].exclusive <= 0)
                return 1;
        return (double)now->uses[use].exclusive / (double)then->uses[use].exclusive;
}

static inline double weight_of(struct adding *a, const ps_piece *piece)
{
        return (double)piece->time * (a->d->timing->info ? stretch_of(a, piece->path) : 1);
}

/* Pieces as they were measured, stretched with their paths to the gap that is `now` long; of that only what
 * lies between two distances from its begin. */
static void add_stretched(struct adding *a, ps_op gap, ps_time now, const ps_span *part)
{
        const ps_pieces *pieces = a->line->pieces;
        double all = 0, before = 0;
        for (uint32_t i = ps_pieces_first(pieces, gap); i < pieces->end[gap]; i++)
                all += weight_of(a, &pieces->piece[i]);
        if (all <= 0) {
                sums_add(a->sums, path_of_gap(a, gap), part->end - part->begin);
                return;
        }
        for (uint32_t i = ps_pieces_first(pieces, gap); i < pieces->end[gap]; i++) {
                const ps_piece *piece = &pieces->piece[i];
                bool is_last = i + 1 == pieces->end[gap];
                ps_time begin = (ps_time)(before / all * (double)now);
                before += weight_of(a, piece);
                ps_time end = is_last ? now : (ps_time)(before / all * (double)now);
                begin = later(begin, part->begin);
                end = earlier(end, part->end);
                if (end > begin)
                        sums_add(a->sums, piece->path, end - begin);
        }
}

static void add_gap(struct adding *a, ps_op gap, ps_span part)
{
        const struct timeline *line = a->line;
        if (line->n_cuts)
                part.begin = later(part.begin, cut_of(line, gap));
        if (part.end <= part.begin)
                return;
        if (!line->pieces)
                sums_add(a->sums, path_of_gap(a, gap), part.end - part.begin);
        else if (line->are_measured && gap && gap < line->ops->n)
                a->sums->behind = add_measured(*a->sums, ps_own_kind(a->sums), line->pieces, gap,
                                               line->enter[gap] - op_end(line, gap - 1), part)
                                          .behind;
        else
                add_stretched(a, gap, gap_end(line, gap) - gap_begin(line, gap), &part);
}

/* -- windows -- */

/* Gaps first .. end, as they were measured: the pieces of all of them stand in a row. */
static inline void add_rows(struct adding *a, uint32_t first, uint32_t end)
{
        const ps_piece *piece = a->line->pieces->piece;
        if (a->sums->few)
                (void)add_all_of(*a->sums, ADD_FEW, piece + first, piece + end);
        else
                a->sums->behind = add_all_of(*a->sums, ADD_MANY, piece + first, piece + end).behind;
}

static inline void add_gaps(struct adding *a, ps_op first, ps_op end)
{
        const struct timeline *line = a->line;
        if (first < end && line->are_measured) {
                add_rows(a, ps_pieces_first(line->pieces, first), line->pieces->end[end - 1]);
                return;
        }
        for (; first < end; first++) {
                ps_time length = gap_end(line, first) - gap_begin(line, first);
                if (length > 0)
                        add_gap(a, first, (ps_span){0, length});
        }
}

static void add_ops(struct adding *a, ps_op first, ps_op end)
{
        const struct timeline *line = a->line;
        const ps_ops *ops = line->ops;
        uint32_t next = line->wait, behind = first ? line->wait + line->n_waits : next;
        if (first >= end)
                return;
        for (ps_op op = first; line->own && op < end; op++)
                sums_add(a->sums, ps_op_path(ops, op), line->own[op]);
        if (line->own)
                return;
        if (a->sums->few)
                (void)add_lengths(*a->sums, ADD_FEW, line, first, end);
        else
                a->sums->behind = add_lengths(*a->sums, ADD_MANY, line, first, end).behind;
        PS_SEARCH(next, behind, i, ps_own_row(line, a->d->wait[i].op) < first);
        behind = line->wait + line->n_waits;
        for (; next < behind && ps_own_row(line, a->d->wait[next].op) < end; next++) {
                const struct waiting *w = &a->d->wait[next];
                sums_add(a->sums, ps_op_path(ops, w->op), -length_of(w));
        }
}

static void add_cells(struct adding *a, uint64_t cell, uint64_t end)
{
        if (cell >= end)
                return;
        add_gaps(a, (ps_op)((cell + 1) / 2), (ps_op)((end + 1) / 2));
        add_ops(a, (ps_op)(cell / 2), (ps_op)(end / 2));
}

static void add_difference(struct adding *a, uint64_t from, uint64_t to)
{
        uint32_t n = a->line->n_paths;
        const ps_time *x = a->line->snapshot + from * n, *y = a->line->snapshot + to * n;
        for (uint32_t i = 0; i < n; i++)
                if (y[i] != x[i])
                        sums_add(a->sums, a->line->path[i], y[i] - x[i]);
}

/* Whole cells. Over many cells it takes the difference of two sums that were kept. */
static void add_cells_between(struct adding *a, uint64_t cell, uint64_t end)
{
        uint64_t stride = 2 * (uint64_t)a->line->step;
        if (!a->line->path || end < cell + 2 * stride) {
                add_cells(a, cell, end);
                return;
        }
        uint64_t from = (cell + stride - 1) / stride, to = end / stride;
        if (to > from + 1 && to < a->line->n_snapshots) {
                add_cells(a, cell, from * stride);
                add_difference(a, from, to);
                add_cells(a, to * stride, end);
        } else {
                add_cells(a, cell, end);
        }
}

/* A part of one operation. */
static inline void add_part_of_op(struct adding *a, ps_op op, ps_time begin, ps_time end, uint32_t near)
{
        if (end <= begin)
                return;
        uint32_t next = ps_wait_after(a->d, a->loc, begin, near);
        sums_add(a->sums, ps_op_path(a->line->ops, op),
                 end - begin - waited_in(a->d, a->line, begin, end, &next));
}

/* The cells between those in which a window begins and ends. */
static inline void add_whole_cells(struct adding *a, uint64_t cell, uint64_t end)
{
        const struct timeline *line = a->line;
        if (line->are_measured && end > cell && (end - cell < LONG_WINDOW || !line->path)) {
                add_rows(a, ps_pieces_first(line->pieces, (ps_op)((cell + 1) / 2)),
                         ps_pieces_first(line->pieces, (ps_op)((end + 1) / 2)));
                add_ops(a, (ps_op)(cell / 2), (ps_op)(end / 2));
        } else {
                add_cells_between(a, cell, end);
        }
}

/* From a moment behind the begin of operation first - 1 to one behind that of the later operation last - 1.
 */
static inline void add_window(struct adding *a, ps_op first, ps_op last, ps_time from, ps_time to,
                              uint32_t wait)
{
        const struct timeline *line = a->line;
        ps_time gap = gap_begin(line, first), end = op_end(line, last - 1);
        uint64_t cell = 2 * (uint64_t)first;
        if (from < gap) {
                add_part_of_op(a, first - 1, from, gap, wait);
        } else {
                add_gap(a, first, (ps_span){from - gap, line->enter[first] - gap});
                cell++;
        }
        if (to < end) {
                add_whole_cells(a, cell, 2 * (uint64_t)last - 1);
                add_part_of_op(a, last - 1, line->enter[last - 1], to, PS_NONE);
        } else {
                add_whole_cells(a, cell, 2 * (uint64_t)last);
                add_gap(a, last, (ps_span){0, to - end});
        }
}

static __attribute__((noinline)) void add_anywhere(struct adding *a, ps_time from, ps_time to,
                                                   const struct near *near)
{
        const struct timeline *line = a->line;
        if (from < line->first && from < to) { /* it had not begun yet */
                sums_add(a->sums, 0, earlier(line->first, to) - from);
                from = line->first;
        }
        to = earlier(to, gap_end(line, line->ops->n));
        if (from >= to)
                return;
        ps_op first = ops_until(line, from, near->first), last = ops_until(line, to, near->last);
        ps_time gap = gap_begin(line, first); /* the one that `from` lies in, or before */
        if (first < last)
                add_window(a, first, last, from, to, near->wait);
        else if (from < gap)
                add_part_of_op(a, first - 1, from, earlier(gap, to), near->wait);
        if (first == last)
                add_gap(a, first, (ps_span){later(from, gap) - gap, to - gap});
}

void ps_own_add(struct sums *sums, const struct delaying *d, ps_loc loc, const struct window *w)
{
        const struct timeline *line = &d->line[loc];
        const struct near *near = &w->near;
        const ps_op first = ps_own_row(line, near->first);
        if (is_window_plain(line, first, w)) {
                const struct waiting *wait = d->wait + near->wait, *behind = wait,
                                     *end = d->wait + line->wait + line->n_waits;
                while (behind < end && behind->op < near->last && line->enter[behind->op] < w->end)
                        behind++;
                add_plain_window(sums, line, first, w, wait, behind);
        } else {
                add_anywhere(&(struct adding){d, line, sums, loc}, w->begin, w->end, near);
        }
        sums_join(sums);
}

static void add_waits(struct adding *a, const struct window *w)
{
        const struct delaying *d = a->d;
        const uint32_t behind = a->line->wait + a->line->n_waits;
        for (uint32_t i = ps_wait_after(d, a->loc, w->begin, w->near.wait);
             i < behind && begin_of(&d->wait[i]) < w->end; i++) {
                ps_time time = earlier(d->wait[i].end, w->end) - later(begin_of(&d->wait[i]), w->begin);
                sums_add(a->sums, ps_op_path(a->line->ops, d->wait[i].op), time);
        }
}

void ps_own_add_all(struct sums *sums, const struct delaying *d, ps_loc loc, const struct window *w)
{
        struct adding a = {d, &d->line[loc], sums, loc};
        add_anywhere(&a, w->begin, w->end, &w->near);
        add_waits(&a, w);
        sums_join(sums);
}

/* -- all at once -- */

/* Were all callers entered, and is none of them an operation? What an operation calls belongs to it. Where
 * stacks tell who calls, and nobody enters that, what lies between its calls belongs to it. */
static bool are_callers_entered(const ps_trace *trace, const ps_location_info *info)
{
        ps_path known = 0, other = 0, before = 0; /* the last two callers; and the path of the use before */
        for (uint32_t i = 0; i < info->n_uses; i++) {
                const ps_path path = info->uses[i].path, parent = trace->paths[path].parent;
                const bool is_entered = parent == before;
                before = path;
                if (!path || !parent || parent == known)
                        continue;
                const bool is_known = parent == other;
                other = known;
                known = parent;
                if (is_known)
                        continue;
                const ps_region above = trace->paths[parent].region;
                if ((!is_entered && use_of(info, parent) == PS_NONE) ||
                    (above != PS_NONE && trace->defs.regions.row[above].kind != PS_K_NONE))
                        return false;
        }
        return true;
}

/* Times may be longer or shorter than they were recorded. */
static bool has_moved(const ps_trace *trace)
{
        return trace->clock.moved || trace->clock.drift;
}

/* Does the location's profile tell what it does, because nothing was moved since then? Where others share the
 * work it is process 0 that has the profiles. */
static bool is_profiled(const struct delaying *d, ps_loc loc, ps_span span)
{
        const struct timeline *line = &d->line[loc];
        const ps_location_info *info = &d->trace->info[loc];
        return line->plain_ops && (!line->cut_end || line->calls_are_whole) && line->pieces->adds_up &&
               !has_moved(d->trace) && info->n_uses && !info->off && span.begin <= line->first &&
               line->last <= span.end && are_callers_entered(d->trace, info);
}

/* A gap at the begin or the end may be longer or shorter than its pieces. */
static void replace_pieces(struct adding *a, ps_op gap)
{
        const struct timeline *line = a->line;
        const ps_pieces *pieces = line->pieces;
        for (uint32_t i = ps_pieces_first(pieces, gap); i < pieces->end[gap]; i++)
                sums_add(a->sums, pieces->piece[i].path, -pieces->piece[i].time);
        add_gap(a, gap, (ps_span){0, gap_end(line, gap) - gap_begin(line, gap)});
}

static void add_profile(struct adding *a)
{
        const struct timeline *line = a->line;
        const ps_location_info *info = &a->d->trace->info[a->loc];
        ps_time left = line->last - line->first;
        for (uint32_t i = 0; i < info->n_uses; left -= info->uses[i++].exclusive)
                sums_add(a->sums, info->uses[i].path, info->uses[i].exclusive);
        sums_add(a->sums, 0, left);
        ps_blocks_look();
        for (uint32_t i = line->wait; i < line->wait + line->n_waits; i++)
                sums_add(a->sums, ps_op_path(line->ops, a->d->wait[i].op), -length_of(&a->d->wait[i]));
        replace_pieces(a, 0);
        replace_pieces(a, line->ops->n);
}

void ps_own_add_span(struct sums *sums, const struct delaying *d, ps_loc loc, ps_span span)
{
        const struct timeline *line = &d->line[loc];
        if (!is_profiled(d, loc, span)) {
                ps_own_add(sums, d, loc, &(struct window){span.begin, span.end, {PS_NONE, PS_NONE, PS_NONE}});
                return;
        }
        sums_add(sums, 0, line->first - span.begin);
        add_profile(&(struct adding){d, line, sums, loc});
        sums_join(sums);
}

/* -- keeping sums -- */

/* Lists all paths in which the location ever is, by adding nothing to each. */
static void touch_paths(struct adding *a)
{
        const struct timeline *line = a->line;
        sums_add(a->sums, 0, 0);
        ps_blocks_look();
        for (ps_op op = 0; op < line->ops->n; op++)
                sums_add(a->sums, ps_op_path(line->ops, op), 0);
        for (uint32_t i = 0; line->pieces && i < line->pieces->n; i++)
                sums_add(a->sums, line->pieces->piece[i].path, 0);
        for (ps_op gap = 0; !line->are_measured && gap <= line->ops->n; gap++)
                sums_add(a->sums, path_of_gap(a, gap), 0);
}

/* Sums of all before each `step`-th operation. */
static ps_status keep_sums(struct adding *a, struct timeline *line, ps_error *err)
{
        struct sums *sums = a->sums;
        sums_clear(sums);
        touch_paths(a);
        const uint32_t n_paths = line->n_paths = sums_n(sums);
        line->step = 2 * (n_paths > LEAST_STEP / 2 ? n_paths : LEAST_STEP / 2);
        if (line->longest < 2 * line->step)
                return PS_OK;
        uint32_t n = line->ops->n / line->step + 1;
        ps_time *kept = line->snapshot = ps_memory_new((size_t)n * n_paths * sizeof(*kept));
        line->path = ps_memory_new(n_paths * sizeof(*line->path));
        line->plain_length = line->plain_ops ? LONG_WINDOW / 2 : 0;
        if (!kept || !line->path)
                return PS_NOMEM(err, "sums of call paths", n_paths);
        for (uint32_t i = 0; i < n_paths; i++)
                line->path[i] = sums_path(sums, i);
        for (uint32_t i = 0; i < n; i++) {
                for (uint32_t k = 0; k < n_paths; k++)
                        *kept++ = sums_at(sums, line->path[k]);
                if (i + 1 < n)
                        add_cells(a, 2 * (uint64_t)line->step * i, 2 * (uint64_t)line->step * (i + 1));
        }
        line->n_snapshots = n;
        return PS_OK;
}

struct keeping {
        struct delaying *d;
        struct sums *sums; /* by worker, once it has a location with long windows */
};

static ps_status keep_location(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        const struct keeping *k = ctx;
        struct delaying *d = k->d;
        struct timeline *line = &d->line[loc];
        struct sums *sums = &k->sums[worker];
        if (line->longest < 2 * LEAST_STEP || line->long_ops < line->ops->n)
                return PS_OK;
        PS_TRY(sums->same ? PS_OK : ps_sums_new(sums, &d->same, true, err));
        return keep_sums(&(struct adding){d, line, sums, loc}, line, err);
}

ps_status ps_own_keep(struct delaying *d, ps_error *err)
{
        const unsigned n = ps_parallel_threads(d->options.n_threads);
        struct keeping k = {d, calloc(n, sizeof(*k.sums))};
        ps_status status = k.sums ? PS_OK : PS_NOMEM(err, "sums of call paths", n);
        PS_THEN(status, ps_parallel_for(n, d->trace->n_locs, keep_location, &k, err));
        for (unsigned i = 0; k.sums && i < n; i++)
                ps_sums_free(&k.sums[i]);
        free(k.sums);
        return status;
}
