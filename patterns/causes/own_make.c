/* own_make.c - own.h: what is known of a location before any window is asked for. */
#include "patterns/causes/cells.h"

#include "core/base/blocks.h"
#include "core/base/map.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/search.h"
#include "core/base/vector.h"
#include "core/model/focus.h"
#include "core/model/pieces.h"
#include "core/sums/functions.h"

#include <stdlib.h>

uint32_t ps_wait_search(const struct delaying *d, ps_loc loc, ps_time time)
{
        uint32_t low = d->line[loc].wait, end = low + d->line[loc].n_waits;
        PS_SEARCH(low, end, i, d->wait[i].end <= time);
        return low;
}

static ps_status note_cut(struct timeline *line, ps_op gap, ps_time time, ps_error *err)
{
        return PS_APPEND(line->cut, line->n_cuts, line->cap_cuts, (struct cut){gap, time})
                       ? PS_NOMEM(err, "waits", line->n_cuts)
                       : PS_OK;
}

/* Takes the waits out of the gap before an operation and out of the operation. */
static ps_status take_out(const struct delaying *d, struct timeline *line, ps_op op, ps_time begin,
                          uint32_t *next, ps_error *err)
{
        ps_time enter = gap_end(line, op), cut = 0;
        if (enter > begin)
                cut = waited_in(d, line, begin, enter, next);
        if (cut)
                PS_TRY(note_cut(line, op, cut, err));
        if (op < line->ops->n)
                line->own[op] -= waited_in(d, line, enter, op_end(line, op), next);
        return PS_OK;
}

/* Does each operation end before the next one begins? Where no time is below 0, signs of differences tell:
 * then there is nothing to decide on the way, but now and then. */
static bool are_plainly_in_order(const ps_time *enter, const ps_time *leave, size_t n)
{
        enum { AT_ONCE = 256 };
        uint64_t signs =
                n ? (uint64_t)enter[0] | (uint64_t)leave[0] | (uint64_t)(leave[0] < enter[0]) << 63 : 0;
        for (size_t op = 1; op < n && !(signs >> 63);) {
                const size_t next = n - op < AT_ONCE ? n : op + AT_ONCE;
                for (; op < next; op++) {
                        uint64_t begin = (uint64_t)enter[op], end = (uint64_t)leave[op];
                        signs |= begin | end | (end - begin) | (begin - (uint64_t)leave[op - 1]);
                }
        }
        return !(signs >> 63);
}

static bool are_all_in_order(const ps_time *enter, const ps_time *leave, size_t n)
{
        ps_time before = INT64_MIN;
        for (size_t op = 0; op < n; op++) {
                if (before > enter[op] || enter[op] > leave[op])
                        return false;
                before = leave[op];
        }
        return true;
}

static bool are_in_order(const struct timeline *line)
{
        return are_plainly_in_order(line->enter, line->leave, line->ops->n) ||
               are_all_in_order(line->enter, line->leave, line->ops->n);
}

ps_op ps_own_last_row(const struct timeline *line, ps_op op)
{
        while (op + 1 < line->ops->n && line->enter[op + 1] == line->enter[op])
                op++;
        return op;
}

/* So many rows at most begin at the same time where ends are cut: a call has hardly more. */
enum { ROWS_OF_CALL = 4 };

/* Fills `end`, by operation. Do rows that begin at the same time end together, and are they few? Then no
 * operation ends after the next one begins, unless the begins are in no order. */
static bool find_ends(struct timeline *line, ps_time *end)
{
        const ps_time *enter = line->enter, *leave = line->leave;
        const ps_op n = line->ops->n;
        ps_op first = 0; /* that begins at the same time */
        bool end_together = true, are_whole = true, are_few = true,
             in_order = !n || enter[n - 1] <= leave[n - 1];
        for (ps_op op = 0; op + 1 < n; op++) {
                const ps_time begin = enter[op], next = enter[op + 1];
                if (next == begin) {
                        end[op] = begin;
                        end_together &= leave[op] == leave[op + 1];
                        continue;
                }
                end[op] = later(begin, earlier(leave[op], next));
                are_few &= op - first < ROWS_OF_CALL;
                are_whole &= leave[op] <= next;
                in_order &= begin < next;
                first = op + 1;
        }
        if (n)
                end[n - 1] = leave[n - 1];
        line->calls_are_whole = are_whole;
        return end_together && in_order && are_few && n - first <= ROWS_OF_CALL;
}

static ps_status cut_ends(struct timeline *line, ps_error *err)
{
        const ps_op n = line->ops->n;
        ps_time *end = ps_memory_new((n + (size_t)1) * sizeof(*end));
        if (!end)
                return PS_NOMEM(err, "operations", n);
        ps_blocks_look();
        if (find_ends(line, end))
                line->end = line->cut_end = end;
        else
                free(end);
        return PS_OK;
}

/* Of operations that do not overlap: does each wait lie inside its call and after the wait before? */
static bool are_waits_inside(const struct delaying *d, const struct timeline *line)
{
        const struct waiting *w = d->wait + line->wait, *behind = w + line->n_waits;
        ps_blocks_look();
        for (ps_time before = INT64_MIN; w < behind; w++) {
                const ps_time begin = begin_of(w);
                const ps_op op = ps_own_row(line, w->op);
                if (begin < line->enter[op] || w->end > line->end[op] || begin < before ||
                    (op != w->op && ps_op_path(line->ops, op) != ps_op_path(line->ops, w->op)))
                        return false;
                before = w->end;
        }
        return true;
}

static ps_status take_waits_out(const struct delaying *d, struct timeline *line, ps_error *err)
{
        uint32_t next = line->wait, behind = line->wait + line->n_waits;
        ps_op n = line->ops->n;
        line->own = ps_memory_new((n + (size_t)1) * sizeof(*line->own));
        if (!line->own)
                return PS_NOMEM(err, "operations", n);
        for (ps_op op = 0; op < n; op++) {
                ps_blocks_keep();
                ps_time end = op_end(line, op);
                line->own[op] = end - line->enter[op];
                if (next < behind && begin_of(&d->wait[next]) < end)
                        PS_TRY(take_out(d, line, op, gap_begin(line, op), &next, err));
        }
        return take_out(d, line, n, gap_begin(line, n), &next, err);
}

static ps_status find_paths_of_calls(const struct delaying *d, struct timeline *line, ps_error *err)
{
        const uint32_t n = line->ops->n_calls;
        line->path_of = ps_memory_new((n + (size_t)1) * sizeof(*line->path_of));
        for (uint32_t call = 0; line->path_of && call < n; call++)
                line->path_of[call] = d->same.first[(int32_t)line->ops->calls[call].path];
        return line->path_of ? PS_OK : PS_NOMEM(err, "calls", n);
}

static ps_status make_location(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        (void)worker;
        struct delaying *d = ctx;
        struct timeline *line = &d->line[loc];
        const ps_trace *trace = d->trace;
        const ps_location_info *info = ps_timing_info(trace, d->timing, loc);
        line->first = info->first <= info->last ? info->first : 0;
        line->last = info->first <= info->last ? info->last : 0;
        line->ops = &trace->ops[loc];
        PS_TRY(find_paths_of_calls(d, line, err));
        line->enter = d->timing->enter[loc];
        line->leave = d->timing->leave[loc];
        line->end = line->leave;
        const bool is_in_order = are_in_order(line);
        PS_TRY(is_in_order ? PS_OK : cut_ends(line, err));
        if (!(is_in_order || line->cut_end) || !are_waits_inside(d, line))
                PS_TRY(take_waits_out(d, line, err));
        line->pieces = trace->pieces && trace->pieces[loc].end ? &trace->pieces[loc] : NULL;
        line->are_measured = line->pieces && d->timing == &trace->measured && !line->n_cuts;
        line->plain_ops = line->are_measured && !line->own ? line->ops->n : 0;
        line->plain_length = line->plain_ops ? PS_NONE : 0;
        return PS_OK;
}

/* By path, the first one of the same names; the paths of all threads of a team are the same, too. */
static ps_status find_first_paths(ps_path *first, const ps_trace *trace, ps_error *err)
{
        ps_map map = {0};
        for (ps_path path = 1; path < trace->n_paths; path++) {
                const ps_path_node *node = &trace->paths[path];
                ps_time *known = ps_map_at(&map, first[node->parent], node->region, path);
                if (!known) {
                        ps_map_free(&map);
                        return PS_NOMEM(err, "call paths", trace->n_paths);
                }
                first[path] = (ps_path)*known;
        }
        ps_map_free(&map);
        return ps_functions_join_teams(first, trace, err);
}

static ps_status join_paths(struct delaying *d, ps_error *err)
{
        const ps_trace *trace = d->trace;
        struct same_paths *same = &d->same;
        size_t n = trace->n_paths + (size_t)2;
        ps_path *first = ps_memory_zeroed(n, sizeof(*first));
        *same = (struct same_paths){.first = first ? first + 1 : NULL,
                                    .other = ps_memory_new(n * sizeof(*same->other)),
                                    .n = trace->n_paths};
        d->is_idle = ps_memory_zeroed(n, 1);
        if (!first || !same->other || !d->is_idle)
                return PS_NOMEM(err, "call paths", trace->n_paths);
        PS_TRY(find_first_paths(same->first, trace, err));
        same->other[same->n_others++] = PS_NONE;
        for (ps_path path = 1; path < trace->n_paths; path++) {
                ps_region region = trace->paths[path].region;
                d->is_idle[path] = region != PS_NONE && trace->defs.regions.row[region].idle;
                if (same->first[path] != path)
                        same->other[same->n_others++] = path;
        }
        return PS_OK;
}

ps_status ps_own_make(struct delaying *d, ps_error *err)
{
        PS_TRY(join_paths(d, err));
        PS_TRY(ps_parallel_for(d->options.n_threads, d->trace->n_locs, make_location, d, err));
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                d->has_rows |= d->line[loc].cut_end != NULL;
        return PS_OK;
}

void ps_own_forget(struct delaying *d)
{
        for (ps_loc loc = 0; d->line && loc < d->trace->n_locs; loc++) {
                struct timeline *line = &d->line[loc];
                free(line->own);
                free(line->cut_end);
                free(line->path_of);
                free(line->cut);
                free(line->snapshot);
                free(line->path);
                line->cut = NULL;
                line->snapshot = line->own = line->cut_end = NULL;
                line->path = line->path_of = NULL;
        }
}

void ps_own_free(struct delaying *d)
{
        ps_own_forget(d);
        free(d->line);
        free(d->same.first ? d->same.first - 1 : NULL);
        free(d->same.other);
        free(d->is_idle);
}
