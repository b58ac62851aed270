/* visits.c - edits that compare locations: what a location computes in its n-th visit becomes what those who
 * have an n-th visit compute in it on average, or at most what is in their middle. */
#include "simulator/replay/changes.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/base/vector.h"

#include <stdlib.h>
#include <string.h>

/* -- what becomes of times that are compared -- */

static int compare_times(const void *a, const void *b)
{
        const ps_time *x = a, *y = b;
        return PS_ORDER(*x, *y);
}

/* Mostly a few, and as often as there are visits. */
static void sort_times(ps_time *times, uint32_t n)
{
        enum { FEW = 16 };
        if (n > FEW) {
                qsort(times, n, sizeof(*times), compare_times);
                return;
        }
        for (uint32_t i = 1; i < n; i++) {
                ps_time own = times[i];
                uint32_t at = i;
                for (; at && times[at - 1] > own; at--)
                        times[at] = times[at - 1];
                times[at] = own;
        }
}

/* The middle of all but one `own`; of two, the mean. */
static double median_of_others(const ps_time *sorted, uint32_t n, ps_time own)
{
        uint32_t at = 0, others = n - 1, half = others / 2;
        PS_SEARCH(at, n, i, sorted[i] < own);
        double upper = (double)sorted[half + (half >= at)];
        if (others % 2)
                return upper;
        return ((double)sorted[half - 1 + (half - 1 >= at)] + upper) / 2;
}

compared_times ps_replay_compare_times(ps_time *times, uint32_t n)
{
        double sum = 0;
        sort_times(times, n);
        for (uint32_t i = 0; i < n; i++)
                sum += (double)times[i];
        return (compared_times){times, n, n ? sum / n : 0};
}

double ps_replay_goal(const ps_work_edit *edit, const compared_times *all, ps_time own)
{
        if (edit->change != PS_WORK_EVEN)
                return all->mean;
        double middle = all->n > 1 ? median_of_others(all->sorted, all->n, own) : (double)own;
        return middle < (double)own ? middle : (double)own;
}

/* -- whose visits a piece is in -- */

static bool compares(const ps_work_edit *e)
{
        return e->change != PS_WORK_SCALE;
}

static ps_status find_owners(work_levels *l, const ps_trace *trace, ps_error *err)
{
        size_t n = (size_t)trace->n_paths + 1;
        uint32_t *depth = calloc(n, sizeof(*depth)), *opened = calloc(n, sizeof(*opened)),
                 *own = calloc(n, sizeof(*own));
        l->owner = calloc(n, sizeof(*l->owner));
        ps_status status = depth && opened && own && l->owner ? PS_OK : PS_NOMEM(err, "call paths", n);
        for (ps_path p = 1; p < trace->n_paths && status == PS_OK; p++)
                depth[p] = depth[trace->paths[p].parent] + 1;
        for (uint32_t e = 0; e < l->n && status == PS_OK; e++) {
                const uint8_t *paths = l->edits[e].paths;
                if (!compares(&l->edits[e]) || l->edits[e].is_stretch)
                        continue;
                own[0] = 0;
                for (ps_path p = 0; p < trace->n_paths; p++) {
                        if (p)
                                own[p] = paths[p] & PS_WORK_OPENS ? depth[p] : own[trace->paths[p].parent];
                        if (!(paths[p] & PS_WORK_IS_IN) || (l->owner[p] && own[p] < opened[p]))
                                continue;
                        l->owner[p] = visits_of(l, trace, e, 0);
                        opened[p] = own[p];
                }
        }
        free(depth);
        free(opened);
        free(own);
        return status;
}

uint32_t ps_replay_stretch_of(const work_levels *l, const ps_trace *trace, ps_loc loc, ps_op gap)
{
        for (uint32_t e = 0; e < l->n; e++)
                if (l->edits[e].is_stretch && compares(&l->edits[e]) &&
                    is_between(&l->edits[e], trace, loc, gap))
                        return e;
        return PS_NONE;
}

/* -- the visits of a location -- */

static int open_visit(work_visits *v, uint32_t piece)
{
        return PS_APPEND(v->row, v->n, v->cap, (work_visit){piece, PS_NONE, 0, -1});
}

static bool opens(const ps_work_edit *e, const ps_piece *piece)
{
        return compares(e) && !e->is_stretch && !e->is_rest && piece->begins &&
               e->paths[piece->path] & PS_WORK_OPENS;
}

static inline ps_status add_piece(work_levels *l, const ps_trace *trace, ps_loc loc, ps_op gap, uint32_t i,
                                  ps_error *err)
{
        const ps_piece *piece = &trace->pieces[loc].piece[i];
        int failed = 0;
        for (uint32_t e = 0; piece->begins && e < l->n; e++)
                if (opens(&l->edits[e], piece))
                        failed |= open_visit(visits_of(l, trace, e, loc), i);
        uint32_t stretch = l->has_stretches ? ps_replay_stretch_of(l, trace, loc, gap) : PS_NONE;
        work_visits *v = l->owner[piece->path] ? l->owner[piece->path] + loc : NULL;
        if (stretch != PS_NONE)
                v = visits_of(l, trace, stretch, loc);
        if (failed || !v)
                return failed ? PS_NOMEM(err, "visits", i) : PS_OK;
        bool is_first = !v->n || (stretch != PS_NONE &&
                                  v->row[v->n - 1].piece < ps_pieces_first(&trace->pieces[loc], gap));
        if (is_first && open_visit(v, i))
                return PS_NOMEM(err, "visits", i);
        work_visit *visit = &v->row[v->n - 1];
        visit->own = ps_time_add(visit->own, piece->time);
        visit->first = visit->first == PS_NONE ? i : visit->first;
        return PS_OK;
}

/* All lanes of `levels`, a bit for each, at once. */
static ps_status add_visits_of(const ps_changes *c, uint32_t levels, const ps_replay *replay, ps_loc loc,
                               ps_error *err)
{
        const ps_trace *trace = replay->trace;
        const ps_pieces *p = &trace->pieces[loc];
        uint32_t i = 0;
        for (ps_op gap = 0; gap <= trace->ops[loc].n; gap++) {
                ps_blocks_keep();
                if (!is_replayed(replay, loc, gap))
                        i = p->end[gap];
                for (const uint32_t end = p->end[gap]; i < end; i++) {
                        ps_path path = p->piece[i].path;
                        if (path == PS_NONE)
                                continue;
                        for (uint32_t lanes = c->path[path].compared & levels; lanes; lanes &= lanes - 1) {
                                work_levels *l = c->levels[__builtin_ctz(lanes)];
                                PS_TRY(add_piece(l, trace, loc, gap, i, err));
                        }
                }
        }
        return PS_OK;
}

/* -- comparing -- */

static bool has_visits(const ps_trace *trace, ps_loc loc)
{
        return trace->defs.locations.row[loc].type == PS_LOCATION_CPU && trace->info[loc].n_events;
}

/* The n-th visits of all locations. times: room for one of each. How many there are. */
static uint32_t compare_visits(work_levels *l, const ps_trace *trace, uint32_t edit, uint32_t n,
                               ps_time *times)
{
        uint32_t found = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const work_visits *v = visits_of(l, trace, edit, loc);
                if (n < v->n)
                        times[found++] = v->row[n].own;
        }
        compared_times all = ps_replay_compare_times(times, found);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                work_visits *v = visits_of(l, trace, edit, loc);
                if (n < v->n && is_about(&l->edits[edit], trace, loc))
                        v->row[n].goal = ps_replay_goal(&l->edits[edit], &all, v->row[n].own);
        }
        return found;
}

/* All that is left of each location is one visit, compared among the threads of one number. */
static void compare_rests(work_levels *l, const ps_trace *trace, uint32_t edit, ps_time *times)
{
        uint32_t threads = 0;
        for (uint32_t thread = 0; thread <= threads; thread++) {
                uint32_t found = 0;
                for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                        const work_visits *v = visits_of(l, trace, edit, loc);
                        uint32_t own = trace->defs.locations.row[loc].thread;
                        threads = own > threads && own < trace->n_locs ? own : threads;
                        if (has_visits(trace, loc) && own == thread)
                                times[found++] = v->n ? v->row[0].own : 0;
                }
                compared_times all = ps_replay_compare_times(times, found);
                for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                        work_visits *v = visits_of(l, trace, edit, loc);
                        if (has_visits(trace, loc) && trace->defs.locations.row[loc].thread == thread &&
                            v->n && v->row[0].own > 0)
                                v->row[0].goal = ps_replay_goal(&l->edits[edit], &all, v->row[0].own);
                }
        }
}

static void compare_all(work_levels *l, const ps_trace *trace, ps_time *times)
{
        for (uint32_t e = 0; e < l->n; e++) {
                if (l->edits[e].is_rest)
                        compare_rests(l, trace, e, times);
                else if (compares(&l->edits[e]))
                        for (uint32_t n = 0; compare_visits(l, trace, e, n, times);)
                                n++;
        }
}

/* What pieces are multiplied by, or what is added to the first. */
static void settle_visits(work_visits *v)
{
        v->near = v->row;
        for (uint32_t i = 0; i < v->n; i++) {
                work_visit *visit = &v->row[i];
                if (visit->own > 0)
                        visit->goal = visit->goal < 0 ? 1 : visit->goal / (double)visit->own;
                else
                        visit->goal = visit->goal < 0 ? 0 : visit->goal;
        }
}

/* -- the whole -- */

ps_status ps_replay_levels_new(work_levels **out, const ps_trace *trace, const ps_scenario *s, ps_error *err)
{
        bool has_any = 0;
        for (uint32_t e = 0; e < s->n_works; e++)
                has_any |= compares(&s->works[e]);
        *out = NULL;
        if (!has_any)
                return PS_OK;
        work_levels *l = *out = calloc(1, sizeof(*l));
        if (l) {
                *l = (work_levels){.edits = s->works, .n = s->n_works};
                l->visits = calloc((size_t)s->n_works * trace->n_locs + 1, sizeof(*l->visits));
        }
        for (uint32_t e = 0; l && e < s->n_works; e++)
                l->has_stretches |= s->works[e].is_stretch;
        return l && l->visits ? find_owners(l, trace, err) : PS_NOMEM(err, "visits", s->n_works);
}

/* Do the lanes compare the same visits, whatever becomes of them? */
static bool are_alike(const ps_changes *c, uint32_t lane, uint32_t other, uint32_t n_paths)
{
        const work_levels *l = c->levels[lane], *m = c->levels[other];
        bool are = l->n == m->n;
        for (uint32_t e = 0; e < l->n && are; e++) {
                const ps_work_edit *x = &l->edits[e], *y = &m->edits[e];
                are = compares(x) == compares(y) && x->is_stretch == y->is_stretch &&
                      x->is_rest == y->is_rest && memcmp(x->paths, y->paths, n_paths) == 0;
        }
        for (ps_path p = 0; p < n_paths && are; p++)
                are = (c->path[p].compared >> lane & 1) == (c->path[p].compared >> other & 1);
        return are;
}

static ps_status copy_visits(work_levels *to, const work_levels *from, uint32_t n_locs, ps_error *err)
{
        for (size_t i = 0; i < (size_t)from->n * n_locs; i++) {
                const uint32_t n = from->visits[i].n;
                work_visit *row = n ? ps_memory_new(n * sizeof(*row)) : NULL;
                if (n && !row)
                        return PS_NOMEM(err, "visits", n);
                if (n)
                        ps_blocks_copy(row, from->visits[i].row, n * sizeof(*row));
                to->visits[i] = (work_visits){.row = row, .n = n, .cap = n};
        }
        return PS_OK;
}

/* Lanes that are like one before them have its visits. */
static ps_status add_all_visits(const ps_changes *c, uint32_t levels, const ps_replay *replay, ps_error *err)
{
        const ps_trace *trace = replay->trace;
        uint32_t own = 0, like[LANES_MAX] = {0};
        for (uint32_t rest = levels; rest; rest &= rest - 1) {
                const uint32_t w = (uint32_t)__builtin_ctz(rest);
                uint32_t before = own;
                while (before && !are_alike(c, w, (uint32_t)__builtin_ctz(before), trace->n_paths))
                        before &= before - 1;
                own |= (uint32_t)!before << w;
                like[w] = before ? (uint32_t)__builtin_ctz(before) : w;
        }
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                PS_TRY(add_visits_of(c, own, replay, loc, err));
        for (uint32_t rest = levels & ~own; rest; rest &= rest - 1) {
                const uint32_t w = (uint32_t)__builtin_ctz(rest);
                PS_TRY(copy_visits(c->levels[w], c->levels[like[w]], trace->n_locs, err));
        }
        return PS_OK;
}

ps_status ps_replay_levels_fill(const ps_changes *c, const ps_replay *replay, ps_error *err)
{
        const ps_trace *trace = replay->trace;
        uint32_t levels = 0;
        for (uint32_t w = 0; w < LANES_MAX; w++) {
                bool is_another = c->levels[w] != NULL;
                for (uint32_t before = 0; before < w; before++)
                        is_another &= c->levels[before] != c->levels[w];
                levels |= (uint32_t)is_another << w;
        }
        if (!levels)
                return PS_OK;
        ps_time *times = calloc((size_t)trace->n_locs + 1, sizeof(*times));
        ps_status status = times ? PS_OK : PS_NOMEM(err, "visits", trace->n_locs);
        PS_THEN(status, add_all_visits(c, levels, replay, err));
        for (; levels && status == PS_OK; levels &= levels - 1) {
                work_levels *l = c->levels[__builtin_ctz(levels)];
                compare_all(l, trace, times);
                for (size_t i = 0; i < (size_t)l->n * trace->n_locs; i++)
                        settle_visits(&l->visits[i]);
        }
        free(times);
        return status;
}

bool ps_replay_levels_touch(const work_levels *l, ps_path path)
{
        bool is = l->has_stretches || l->owner[path];
        for (uint32_t e = 0; e < l->n && !is; e++)
                is = compares(&l->edits[e]) && l->edits[e].paths[path] & PS_WORK_OPENS;
        return is;
}

void ps_replay_levels_free(work_levels *l, uint32_t n_locs)
{
        for (size_t i = 0; l && l->visits && i < (size_t)l->n * n_locs; i++)
                free(l->visits[i].row);
        if (l) {
                free(l->owner);
                free(l->visits);
        }
        free(l);
}

const work_visit *ps_replay_find_visit(work_visits *v, uint32_t piece)
{
        uint32_t behind = 0;
        PS_SEARCH(behind, v->n, i, v->row[i].piece <= piece);
        v->near = v->row + (behind ? behind - 1 : 0);
        return v->near;
}
