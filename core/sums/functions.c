/* functions.c - see functions.h. */
#include "core/sums/functions.h"

#include "core/base/map.h"
#include "core/base/memory.h"
#include "core/base/radix.h"
#include "core/base/vector.h"
#include "core/model/pieces.h"

#include <stdlib.h>

typedef struct work {
        const ps_trace *trace;
        const ps_timing *timing;
        ps_path *same;    /* by path: the first of the same names */
        ps_function *row; /* by path; those of other paths of the same names are empty */
        ps_time *own;     /* by path, of the process at hand */
        uint8_t *is_seen; /* by path: it has visited it */
        ps_path *seen;    /* those paths */
        uint32_t n_seen;
        const ps_between *between;
} work;

static ps_str function_name(const ps_trace *trace, ps_path path)
{
        const ps_region_def *region = ps_path_region(trace, path);
        return region ? region->name : PS_NONE;
}

ps_status ps_functions_of_paths(ps_path **out, const ps_trace *trace, ps_error *err)
{
        ps_map first = {0};
        ps_path *same = *out = ps_memory_zeroed(trace->n_paths + (size_t)1, sizeof(*same));
        ps_status status = same ? PS_OK : PS_NOMEM(err, "call paths", trace->n_paths);
        for (ps_path p = 1; p < trace->n_paths && status == PS_OK; p++) {
                ps_path parent = same[trace->paths[p].parent];
                ps_time *path = ps_map_at(&first, parent, function_name(trace, p), p);
                if (path)
                        same[p] = (ps_path)*path;
                else
                        status = PS_NOMEM(err, "call paths", trace->n_paths);
        }
        ps_map_free(&first);
        return status;
}

/* -- teams -- */

static bool is_of_team(const ps_trace *trace, ps_path path)
{
        const ps_region_def *region = ps_path_region(trace, path);
        return region && region->paradigm == PS_PARADIGM_OPENMP;
}

/* What is known of the first threads: all that is below a path, and where teams begin; 0: in several places.
 */
static int note_path(ps_map *below, ps_map *begins, const ps_trace *trace, const ps_path *same, ps_path path)
{
        ps_path parent = trace->paths[path].parent;
        ps_time *known = ps_map_at(below, same[parent], function_name(trace, path), same[path]),
                *begin = known;
        if (is_of_team(trace, path) && !is_of_team(trace, parent)) {
                begin = ps_map_at(begins, function_name(trace, path), 0, same[path]);
                if (begin && *begin != same[path])
                        *begin = 0;
        }
        return known && begin ? 0 : -1;
}

static int join_path(ps_map *below, const ps_map *begins, const ps_trace *trace, ps_path *same, ps_path path)
{
        ps_path parent = trace->paths[path].parent;
        ps_path begin = parent ? 0 : (ps_path)ps_map_get(begins, function_name(trace, path), 0, 0);
        ps_time *known =
                ps_map_at(below, same[parent], function_name(trace, path), begin ? begin : same[path]);
        if (known)
                same[path] = (ps_path)*known;
        return known ? 0 : -1;
}

ps_status ps_functions_join_teams(ps_path *same, const ps_trace *trace, ps_error *err)
{
        ps_map below = {0}, begins = {0};
        uint8_t *is_worker = ps_memory_zeroed(trace->n_paths + (size_t)1,
                                              1); /* a further thread's: it begins with its team */
        int failed = is_worker ? 0 : -1;
        bool are_any = false;
        for (ps_path p = 1; p < trace->n_paths && !failed; p++) {
                ps_path parent = trace->paths[p].parent;
                is_worker[p] = parent ? is_worker[parent] : (uint8_t)is_of_team(trace, p);
                are_any |= is_worker[p] != 0;
        }
        for (ps_path p = 1; are_any && p < trace->n_paths && !failed; p++)
                if (!is_worker[p])
                        failed = note_path(&below, &begins, trace, same, p);
        for (ps_path p = 1; are_any && p < trace->n_paths && !failed; p++)
                if (is_worker[p])
                        failed = join_path(&below, &begins, trace, same, p);
        free(is_worker);
        ps_map_free(&below);
        ps_map_free(&begins);
        return failed ? PS_NOMEM(err, "call paths", trace->n_paths) : PS_OK;
}

/* -- rows -- */

/* A process is in no region where none of its uses is; its further threads are so only when they do nothing.
 */
static ps_time outside_of(const work *w, ps_loc loc, const ps_focus_part *part)
{
        const ps_location_info *info = ps_timing_info(w->trace, w->timing, loc);
        if (w->trace->defs.locations.row[loc].thread || info->first > info->last)
                return 0;
        ps_time left = ps_focus_clip(w->timing->focus, info->first, info->last) - part->off;
        for (uint32_t i = 0; i < part->n_uses; i++)
                left = ps_time_sub(left, part->uses[i].exclusive);
        return left > 0 ? left : 0;
}

static void add_path_use(work *w, ps_path path, const ps_path_use *use)
{
        ps_function *f = &w->row[path];
        f->visits += use->visits;
        f->exclusive = ps_time_add(f->exclusive, use->exclusive);
        f->inclusive = ps_time_add(f->inclusive, use->inclusive);
        w->own[path] = ps_time_add(w->own[path], use->exclusive);
        if (!w->is_seen[path]) {
                w->is_seen[path] = 1;
                w->seen[w->n_seen++] = path;
        }
}

static void add_functions_of(work *w, ps_loc loc)
{
        ps_focus_part part = ps_focus_part_of(w->trace, w->timing, loc);
        ps_time outside = outside_of(w, loc, &part);
        for (uint32_t i = 0; i < part.n_uses; i++)
                add_path_use(w, w->same[part.uses[i].path], &part.uses[i]);
        if (outside > 0)
                add_path_use(w, 0, &(ps_path_use){.exclusive = outside, .inclusive = outside});
}

/* -- between calls -- */

static bool has_functions(const work *w, const ps_focus_part *part)
{
        for (uint32_t i = 0; i < part->n_uses; i++) {
                ps_region region = w->trace->paths[part->uses[i].path].region;
                if (region != PS_NONE && w->trace->defs.regions.row[region].kind == PS_K_NONE &&
                    part->uses[i].exclusive > 0)
                        return true;
        }
        return false;
}

/* What of its pieces lies in the focus, by path. */
static void add_pieces(ps_time *sum, const ps_trace *trace, ps_loc loc, const ps_path *same, ps_time left)
{
        const ps_pieces *pieces = &trace->pieces[loc];
        const ps_timing *timing = &trace->measured;
        for (ps_op gap = 0; gap <= trace->ops[loc].n; gap++) {
                ps_time at = gap ? timing->leave[loc][gap - 1] : trace->info[loc].first;
                for (uint32_t i = ps_pieces_first(pieces, gap); i < pieces->end[gap]; i++) {
                        const ps_piece *piece = &pieces->piece[i];
                        ps_time time = ps_focus_clip(timing->focus, at, ps_time_add(at, piece->time));
                        at = ps_time_add(at, piece->time);
                        time = time < left ? time : left;
                        if (time <= 0 || piece->path == PS_NONE || !piece->path)
                                continue;
                        left = ps_time_sub(left, time);
                        sum[same[piece->path]] = ps_time_add(sum[same[piece->path]], time);
                }
        }
}

ps_status ps_between_add(ps_between *to, const ps_trace *trace, ps_loc loc, ps_time most, const ps_path *same,
                         ps_time *sum, ps_error *err)
{
        if (most <= 0)
                return PS_OK;
        add_pieces(sum, trace, loc, same, most);
        for (ps_path path = 1; path < trace->n_paths; path++) {
                const ps_between_use use = {loc, path, sum[path]};
                sum[path] = 0;
                if (use.time && PS_APPEND(to->row, to->n, to->cap, use))
                        return PS_NOMEM(err, "functions", to->n);
        }
        return PS_OK;
}

/* Pieces may tell more of what a location without functions computes outside of all regions. */
ps_status ps_between_begin(ps_between *out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        const work w = {.trace = trace, .timing = timing};
        bool any = false;
        *out = (ps_between){.most = NULL};
        if (!trace->pieces || timing != &trace->measured)
                return PS_OK;
        out->most = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*out->most));
        if (!out->most)
                return PS_NOMEM(err, "functions", trace->n_locs);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                ps_focus_part part = ps_focus_part_of(trace, timing, loc);
                out->most[loc] = has_functions(&w, &part) ? 0 : outside_of(&w, loc, &part);
                any |= out->most[loc] > 0;
        }
        if (!any)
                ps_between_clear(out);
        return PS_OK;
}

void ps_between_clear(ps_between *between)
{
        free(between->most);
        free(between->row);
        *between = (ps_between){.most = NULL};
}

/* What a location without functions computes, by the call paths that its calls were made from. */
static void add_between(work *w, ps_loc loc)
{
        const ps_between *of = w->between;
        ps_focus_part part = ps_focus_part_of(w->trace, w->timing, loc);
        ps_time left = outside_of(w, loc, &part);
        uint32_t i = 0;
        PS_SEARCH(i, of->n, k, of->row[k].location < loc);
        for (; i < of->n && of->row[i].location == loc; i++) {
                left = ps_time_sub(left, of->row[i].time);
                add_path_use(w, of->row[i].path, &(ps_path_use){.exclusive = of->row[i].time});
        }
        if (left > 0)
                add_path_use(w, 0, &(ps_path_use){.exclusive = left});
}

/* -- processes -- */

static void end_process(work *w, ps_proc process)
{
        while (w->n_seen) {
                ps_path p = w->seen[--w->n_seen];
                ps_function *f = &w->row[p];
                if (!f->n_processes || w->own[p] < f->least) {
                        f->least = w->own[p];
                        f->least_process = process;
                }
                if (!f->n_processes++ || w->own[p] > f->most) {
                        f->most = w->own[p];
                        f->most_process = process;
                }
                w->own[p] = 0;
                w->is_seen[p] = 0;
        }
}

static void add_processes(work *w, void (*add)(work *, ps_loc))
{
        const ps_defs *defs = &w->trace->defs;
        for (ps_proc p = 0; p < defs->processes.n; p++) {
                const ps_process_def *process = &defs->processes.row[p];
                for (uint32_t i = 0; i < process->n_locs; i++) {
                        ps_loc loc = defs->by_process[process->first + i];
                        if (ps_focus_tells(w->trace, w->timing, loc))
                                add(w, loc);
                }
                end_process(w, p);
        }
}

/* Callers have smaller numbers: each is whole when it is added to its own. */
static void add_waiting(work *w, const ps_time *waiting)
{
        for (ps_path p = w->trace->n_paths; p-- > 0;)
                w->row[w->same[p]].waiting = ps_time_add(w->row[w->same[p]].waiting, waiting[p]);
        for (ps_path p = w->trace->n_paths; p-- > 1;) {
                ps_function *above = &w->row[w->same[w->trace->paths[p].parent]];
                if (w->same[p] == p && w->trace->paths[p].parent)
                        above->waiting = ps_time_add(above->waiting, w->row[p].waiting);
        }
}

static uint64_t by_most_time(const void *function)
{
        return ~ps_radix_signed(((const ps_function *)function)->exclusive);
}

/* Keeps what was visited; what took the same time stays in the order of paths. */
static ps_status finish_functions(ps_functions *out, const work *w, ps_error *err)
{
        static ps_row_number *const keys[] = {by_most_time};
        out->row = w->row;
        for (ps_path p = 0; p < w->trace->n_paths; p++)
                if (w->row[p].n_processes) {
                        ps_function f = w->row[p];
                        f.path = p;
                        out->row[out->n++] = f;
                }
        return ps_radix_sort(out->row, out->n, sizeof(*out->row), keys, 1)
                       ? PS_NOMEM(err, "functions", out->n)
                       : PS_OK;
}

static ps_status make_room(work *w, ps_error *err)
{
        size_t n = w->trace->n_paths + (size_t)1;
        w->row = ps_memory_zeroed(n, sizeof(*w->row));
        w->own = ps_memory_zeroed(n, sizeof(*w->own));
        w->is_seen = ps_memory_zeroed(n, 1);
        w->seen = ps_memory_zeroed(n, sizeof(*w->seen));
        return w->row && w->own && w->is_seen && w->seen ? PS_OK
                                                         : PS_NOMEM(err, "call paths", w->trace->n_paths);
}

/* Rows of what `add` adds of each location; `waiting`: NULL: nobody waits there. */
static ps_status make_rows(ps_functions **out, const ps_trace *trace, const ps_timing *timing,
                           void (*add)(work *, ps_loc), const ps_between *between, const ps_time *waiting,
                           ps_error *err)
{
        work w = {.trace = trace, .timing = timing, .between = between};
        ps_functions *made = ps_memory_zeroed(1, sizeof(*made));
        ps_status status = made ? PS_OK : PS_NOMEM(err, "functions", 1);
        PS_THEN(status, ps_functions_of_paths(&w.same, trace, err));
        PS_THEN(status, make_room(&w, err));
        if (status == PS_OK) {
                add_processes(&w, add);
                if (waiting)
                        add_waiting(&w, waiting);
                status = finish_functions(made, &w, err);
        }
        if (status != PS_OK) {
                free(w.row);
                free(made);
                made = NULL;
        }
        *out = made;
        free(w.same);
        free(w.own);
        free(w.is_seen);
        free(w.seen);
        return status;
}

ps_status ps_functions_make(ps_functions **out, const ps_trace *trace, const ps_timing *timing,
                            const ps_time *waiting, ps_error *err)
{
        return make_rows(out, trace, timing, add_functions_of, NULL, waiting, err);
}

ps_status ps_functions_between(ps_functions **out, const ps_trace *trace, const ps_timing *timing,
                               const ps_between *between, ps_error *err)
{
        *out = NULL;
        if (!between->most)
                return PS_OK;
        PS_TRY(make_rows(out, trace, timing, add_between, between, NULL, err));
        if (!(*out)->n || ((*out)->n == 1 && !(*out)->row->path)) {
                ps_functions_free(*out);
                *out = NULL;
        }
        return PS_OK;
}

void ps_functions_free(ps_functions *functions)
{
        if (!functions)
                return;
        free(functions->row);
        free(functions);
}
