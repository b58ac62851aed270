/* own.c - see own.h. */
#include "patterns/causes/own.h"

#include "core/base/map.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/search.h"
#include "core/base/vector.h"
#include "core/model/pieces.h"
#include "core/sums/functions.h"

#include <stdlib.h>
#include <string.h>

/* A gap of which the first part belongs to a wait of the call around it. */
struct cut {
        ps_op gap;
        ps_time time;
};

enum { LEAST_STEP = 16 };

/* -- sums by path -- */

ps_status ps_sums_new(struct sums *s, const ps_trace *trace, ps_error *err)
{
        size_t n = trace->n_paths + (size_t)1;
        *s = (struct sums){.time = ps_memory_new(n * sizeof(*s->time)),
                           .mark = ps_memory_zeroed(n, sizeof(*s->mark)),
                           .path = ps_memory_new(n * sizeof(*s->path)),
                           .round = 1,
                           .n_paths = trace->n_paths};
        return s->time && s->mark && s->path ? PS_OK : PS_NOMEM(err, "call paths", n);
}

void ps_sums_free(struct sums *s)
{
        free(s->time);
        free(s->mark);
        free(s->path);
        *s = (struct sums){0};
}

/* -- cells: the gap before operation k is cell 2k, the operation is cell 2k + 1 -- */

struct place {
        const struct delaying *d;
        const struct timeline *line;
        const ps_ops *ops;
        const ps_time *enter, *leave;
        const ps_pieces *pieces;   /* NULL: there are none */
        const ps_pieces *measured; /* the same, if each gap is the sum of its own */
        ps_loc loc;
};

static struct place place_of(const struct delaying *d, ps_loc loc)
{
        const ps_trace *trace = d->trace;
        const ps_pieces *pieces = trace->pieces && trace->pieces[loc].end ? &trace->pieces[loc] : NULL;
        bool are_sums = d->timing == &trace->measured && !d->line[loc].n_cuts;
        return (struct place){.d = d,
                              .line = &d->line[loc],
                              .ops = &trace->ops[loc],
                              .enter = d->timing->enter[loc],
                              .leave = d->timing->leave[loc],
                              .pieces = pieces,
                              .measured = are_sums ? pieces : NULL,
                              .loc = loc};
}

static inline ps_time op_end(const struct place *p, ps_op op)
{
        return op + 1 < p->ops->n ? later(p->enter[op], earlier(p->leave[op], p->enter[op + 1]))
                                  : p->leave[op];
}

static ps_time gap_begin(const struct place *p, ps_op gap)
{
        return gap ? op_end(p, gap - 1) : p->line->first;
}

static ps_time gap_end(const struct place *p, ps_op gap)
{
        return gap < p->ops->n ? p->enter[gap] : later(p->line->last, gap_begin(p, gap));
}

static ps_time cell_begin(const struct place *p, uint64_t cell)
{
        ps_op op = (ps_op)(cell / 2);
        return cell % 2 ? p->enter[op] : gap_begin(p, op);
}

static ps_time cell_end(const struct place *p, uint64_t cell)
{
        ps_op op = (ps_op)(cell / 2);
        return cell % 2 ? op_end(p, op) : gap_end(p, op);
}

/* The last operation that begins no later, or PS_NONE. */
static ps_op op_before(const struct place *p, ps_time time, ps_op near)
{
        ps_op low = 0, high = p->ops->n;
        if (near < high && p->enter[near] <= time) {
                low = near + 1;
                if (low == high || p->enter[low] > time)
                        return near;
        }
        PS_SEARCH(low, high, middle, p->enter[middle] <= time);
        return low ? low - 1 : PS_NONE;
}

static uint64_t cell_at(const struct place *p, ps_time time, ps_op near)
{
        ps_op op = op_before(p, time, near);
        if (op == PS_NONE)
                return 0;
        return 2 * (uint64_t)op + (op_end(p, op) > time ? 1 : 2);
}

/* -- waits -- */

uint32_t ps_wait_after(const struct delaying *d, ps_loc loc, ps_time time, uint32_t near)
{
        const struct timeline *line = &d->line[loc];
        uint32_t low = line->wait, high = line->wait + line->n_waits;
        for (int i = 0; i < 2 && near >= low && near < high; i++, near++)
                if (d->wait[near].end > time && (near == low || d->wait[near - 1].end <= time))
                        return near;
        PS_SEARCH(low, high, middle, d->wait[middle].end <= time);
        return low;
}

static ps_time add_waits(const struct place *p, ps_time begin, ps_time end, uint32_t *next, uint32_t behind)
{
        ps_time sum = 0;
        while (*next < behind && p->d->wait[*next].end <= begin)
                ++*next;
        for (uint32_t i = *next; i < behind && p->d->wait[i].begin < end; i++)
                sum += earlier(end, p->d->wait[i].end) - later(begin, p->d->wait[i].begin);
        return earlier(sum, end - begin);
}

/* How much of a time is waiting, from wait *next on; mostly nothing. */
static inline ps_time waited_in(const struct place *p, ps_time begin, ps_time end, uint32_t *next)
{
        uint32_t behind = p->line->wait + p->line->n_waits;
        return *next < behind && p->d->wait[*next].begin < end ? add_waits(p, begin, end, next, behind) : 0;
}

/* -- gaps -- */

static ps_time cut_of(const struct place *p, ps_op gap)
{
        const struct timeline *line = p->line;
        uint32_t low = 0;
        PS_SEARCH(low, line->n_cuts, middle, line->cut[middle].gap < gap);
        return low < line->n_cuts && line->cut[low].gap == gap ? line->cut[low].time : 0;
}

/* Of a piece; where the recorder was switched off the location is nowhere. */
static inline ps_path piece_path(const struct place *p, const ps_piece *piece)
{
        return piece->path == PS_NONE ? 0 : p->d->same[piece->path];
}

static inline ps_path op_path(const struct place *p, ps_op op)
{
        return p->d->same[p->ops->path[op]];
}

/* Where a gap without pieces is: in the caller of the operation behind it, or before it. */
static ps_path caller_of(const struct place *p, ps_op gap)
{
        ps_op n = p->ops->n;
        return n ? p->d->same[ps_op_caller(p->d->trace, (ps_ref){p->loc, gap < n ? gap : n - 1})] : 0;
}

/* How much longer or shorter the location is in this path than it was when it was measured: 1 is as long. */
static double stretch_of(const struct place *p, ps_path path)
{
        const ps_location_info *then = &p->d->trace->info[p->loc],
                               *now = ps_timing_info(p->d->trace, p->d->timing, p->loc);
        uint32_t low = 0, high = then == now ? 0 : then->n_uses;
        while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                if (then->uses[middle].path < path)
                        low = middle + 1;
                else
                        high = middle;
        }
        if (then == now || low == then->n_uses || then->uses[low].path != path ||
            then->uses[low].exclusive <= 0)
                return 1;
        return (double)now->uses[low].exclusive / (double)then->uses[low].exclusive;
}

static double weight_of(const struct place *p, const ps_piece *piece)
{
        return (double)piece->time * stretch_of(p, piece->path);
}

/* Pieces as they were measured, stretched with their paths to the gap that is `now` long; of that only what
 * lies between two distances from its begin. */
static void add_stretched(struct sums *sums, const struct place *p, ps_op gap, ps_time now,
                          const ps_span *part)
{
        const ps_pieces *pieces = p->pieces;
        double all = 0, before = 0;
        for (uint32_t i = ps_pieces_first(pieces, gap); i < pieces->end[gap]; i++)
                all += weight_of(p, &pieces->piece[i]);
        if (all <= 0) {
                sums_add(sums, caller_of(p, gap), part->end - part->begin);
                return;
        }
        for (uint32_t i = ps_pieces_first(pieces, gap); i < pieces->end[gap]; i++) {
                const ps_piece *piece = &pieces->piece[i];
                bool is_last = i + 1 == pieces->end[gap];
                ps_time begin = (ps_time)(before / all * (double)now);
                before += weight_of(p, piece);
                ps_time end = is_last ? now : (ps_time)(before / all * (double)now);
                begin = later(begin, part->begin);
                end = earlier(end, part->end);
                if (end > begin)
                        sums_add(sums, piece_path(p, piece), end - begin);
        }
}

static void add_gap(struct sums *sums, const struct place *p, ps_op gap, ps_span part)
{
        if (p->line->n_cuts)
                part.begin = later(part.begin, cut_of(p, gap));
        if (part.end <= part.begin)
                return;
        if (p->pieces)
                add_stretched(sums, p, gap, gap_end(p, gap) - gap_begin(p, gap), &part);
        else
                sums_add(sums, caller_of(p, gap), part.end - part.begin);
}

/* -- windows -- */

/* Gaps first .. end; as they were measured, the pieces of all of them stand in a row. */
static inline void add_gaps(struct sums *sums, const struct place *p, ps_op first, ps_op end)
{
        const ps_pieces *pieces = p->measured;
        if (first >= end)
                return;
        if (pieces) {
                const ps_piece *piece = pieces->piece + ps_pieces_first(pieces, first),
                               *last = pieces->piece + pieces->end[end - 1];
                for (; piece < last; piece++)
                        sums_add(sums, piece_path(p, piece), piece->time);
                return;
        }
        for (; first < end; first++) {
                ps_time length = gap_end(p, first) - gap_begin(p, first);
                if (length > 0)
                        add_gap(sums, p, first, (ps_span){0, length});
        }
}

static void add_cells(struct sums *sums, const struct place *p, uint64_t cell, uint64_t end)
{
        if (cell >= end)
                return;
        add_gaps(sums, p, (ps_op)((cell + 1) / 2), (ps_op)((end + 1) / 2));
        for (ps_op op = (ps_op)(cell / 2); op < (ps_op)(end / 2); op++)
                sums_add(sums, op_path(p, op), p->line->own[op]);
}

static void add_difference(struct sums *sums, const struct place *p, uint64_t from, uint64_t to)
{
        uint32_t n = p->line->n_paths;
        const ps_time *a = p->line->snapshot + from * n, *b = p->line->snapshot + to * n;
        for (uint32_t i = 0; i < n; i++)
                if (b[i] != a[i])
                        sums_add(sums, p->line->path[i], b[i] - a[i]);
}

/* Whole cells; a long way is taken from one kept sum to another. */
static void add_way(struct sums *sums, const struct place *p, uint64_t cell, uint64_t end)
{
        uint64_t stride = 2 * (uint64_t)p->line->step;
        uint64_t from = (cell + stride - 1) / stride, to = end / stride;
        if (to > from + 1 && to < p->line->n_snapshots) {
                add_cells(sums, p, cell, from * stride);
                add_difference(sums, p, from, to);
                add_cells(sums, p, to * stride, end);
        } else {
                add_cells(sums, p, cell, end);
        }
}

/* A part of one cell. */
static void add_part(struct sums *sums, const struct place *p, uint64_t cell, ps_time begin, ps_time end)
{
        ps_op op = (ps_op)(cell / 2);
        ps_time origin = cell_begin(p, cell);
        if (end <= begin)
                return;
        if (cell % 2 == 0) {
                add_gap(sums, p, op, (ps_span){begin - origin, end - origin});
                return;
        }
        uint32_t next = ps_wait_after(p->d, p->loc, begin, PS_NONE);
        sums_add(sums, op_path(p, op), end - begin - waited_in(p, begin, end, &next));
}

void ps_own_add(struct sums *sums, const struct delaying *d, ps_loc loc, ps_time from, ps_time to,
                const ps_op near[2])
{
        struct place p = place_of(d, loc);
        uint64_t last = 2 * (uint64_t)p.ops->n;
        if (from < p.line->first && from < to) { /* it had not begun yet */
                sums_add(sums, 0, earlier(p.line->first, to) - from);
                from = p.line->first;
        }
        to = earlier(to, cell_end(&p, last));
        if (to <= from)
                return;
        uint64_t cell = cell_at(&p, from, near[0]), end = cell_at(&p, to, near[1]);
        if (cell == end) {
                add_part(sums, &p, cell, from, to);
                return;
        }
        add_part(sums, &p, cell, from, cell_end(&p, cell));
        add_way(sums, &p, cell + 1, end);
        add_part(sums, &p, end, cell_begin(&p, end), to);
}

/* -- making it -- */

static ps_status add_cut(struct timeline *line, ps_op gap, ps_time time, ps_error *err)
{
        return PS_APPEND(line->cut, line->n_cuts, line->cap_cuts, (struct cut){gap, time})
                       ? PS_NOMEM(err, "waits", line->n_cuts)
                       : PS_OK;
}

static ps_status take_waits_out(const struct place *p, struct timeline *line, ps_error *err)
{
        uint32_t next = line->wait;
        for (ps_op op = 0; op <= p->ops->n; op++) {
                ps_time begin = gap_begin(p, op), end = gap_end(p, op);
                ps_time cut = end > begin ? waited_in(p, begin, end, &next) : 0;
                if (cut && add_cut(line, op, cut, err) != PS_OK)
                        return PS_E_NOMEM;
                if (op == p->ops->n)
                        break;
                begin = end;
                end = op_end(p, op);
                line->own[op] = end - begin - waited_in(p, begin, end, &next);
        }
        return PS_OK;
}

/* Where the location ever is. */
static void touch_paths(struct sums *sums, const struct place *p)
{
        sums_add(sums, 0, 0);
        for (ps_op op = 0; op < p->ops->n; op++)
                sums_add(sums, op_path(p, op), 0);
        for (uint32_t i = 0; p->pieces && i < p->pieces->n; i++)
                sums_add(sums, piece_path(p, &p->pieces->piece[i]), 0);
        for (ps_op gap = 0; !p->measured && gap <= p->ops->n; gap++)
                sums_add(sums, caller_of(p, gap), 0);
}

/* Sums of all before each `step`-th operation. */
static ps_status keep_sums(const struct place *p, struct timeline *line, struct sums *sums, ps_error *err)
{
        touch_paths(sums, p);
        line->n_paths = sums->n;
        line->step = sums->n > LEAST_STEP ? sums->n : LEAST_STEP;
        uint32_t n = p->ops->n / line->step + 1;
        ps_time *kept = line->snapshot = ps_memory_new((size_t)n * sums->n * sizeof(*kept));
        line->path = ps_memory_new(sums->n * sizeof(*line->path));
        if (!kept || !line->path)
                return PS_NOMEM(err, "sums of call paths", sums->n);
        memcpy(line->path, sums->path, sums->n * sizeof(*line->path));
        for (uint32_t i = 0; i < n; i++) {
                for (uint32_t k = 0; k < line->n_paths; k++)
                        *kept++ = sums_at(sums, line->path[k]);
                if (i + 1 < n)
                        add_cells(sums, p, 2 * (uint64_t)line->step * i, 2 * (uint64_t)line->step * (i + 1));
        }
        line->n_snapshots = n;
        return PS_OK;
}

static ps_status make_location(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        (void)worker;
        struct delaying *d = ctx;
        struct timeline *line = &d->line[loc];
        const ps_location_info *info = ps_timing_info(d->trace, d->timing, loc);
        struct place p = place_of(d, loc);
        line->first = info->first <= info->last ? info->first : 0;
        line->last = info->first <= info->last ? info->last : 0;
        line->own = ps_memory_new((p.ops->n + (size_t)1) * sizeof(*line->own));
        ps_status status = line->own ? take_waits_out(&p, line, err) : PS_NOMEM(err, "operations", p.ops->n);
        struct sums sums = {0};
        p = place_of(d, loc); /* now that it is known what is cut */
        PS_THEN(status, ps_sums_new(&sums, d->trace, err));
        PS_THEN(status, keep_sums(&p, line, &sums, err));
        ps_sums_free(&sums);
        return status;
}

/* Paths of the same names are one, wherever their calls stand. */
static ps_status join_paths(struct delaying *d, ps_error *err)
{
        const ps_trace *trace = d->trace;
        ps_map map = {0};
        d->same = ps_memory_zeroed(trace->n_paths + (size_t)1, sizeof(*d->same));
        d->is_idle = ps_memory_zeroed(trace->n_paths + (size_t)1, 1);
        if (!d->same || !d->is_idle)
                return PS_NOMEM(err, "call paths", trace->n_paths);
        for (ps_path path = 1; path < trace->n_paths; path++) {
                const ps_path_node *node = &trace->paths[path];
                ps_time *first = ps_map_at(&map, d->same[node->parent], node->region, path);
                if (!first) {
                        ps_map_free(&map);
                        return PS_NOMEM(err, "call paths", trace->n_paths);
                }
                d->same[path] = (ps_path)*first;
                d->is_idle[path] = node->region != PS_NONE && trace->defs.regions.row[node->region].idle;
        }
        ps_map_free(&map);
        return ps_functions_join_teams(d->same, trace, err);
}

ps_status ps_own_make(struct delaying *d, ps_error *err)
{
        PS_TRY(join_paths(d, err));
        return ps_parallel_for(d->options.n_threads, d->trace->n_locs, make_location, d, err);
}

void ps_own_free(struct delaying *d)
{
        for (ps_loc loc = 0; d->line && loc < d->trace->n_locs; loc++) {
                free(d->line[loc].own);
                free(d->line[loc].cut);
                free(d->line[loc].snapshot);
                free(d->line[loc].path);
        }
        free(d->line);
        free(d->same);
        free(d->is_idle);
}
