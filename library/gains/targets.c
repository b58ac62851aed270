/* targets.c - see targets.h. */
#include "library/gains/targets.h"

#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/sums/handovers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of what is computed in a function: from here on it is done under a lock. Of what a location computes: from
 * here on it is all. */
#define MOSTLY 0.9

static const char *const
        keeps = "a replay keeps what this call takes.",
        *const nowhere = "the trace does not tell where in this function the time is spent.",
        *const unknown = "the trace does not name the functions of this code. patscan's recorder can where a "
                         "program has debug information (-g), or its symbols.",
        *const unnamed = "no edit can name this call path: it is too long, or has a function without a name.",
        *const not_held = "the trace does not tell what is done there under the lock, and what is not.";

bool ps_target_is_all(const ps_trace *trace, ps_loc loc)
{
        if (!trace->pieces)
                return false;
        const ps_pieces *p = &trace->pieces[loc];
        ps_time all = 0, outside = 0;
        for (uint32_t i = 0; i < p->n; i++) {
                all = ps_time_add(all, p->piece[i].path == PS_NONE ? 0 : p->piece[i].time);
                outside = ps_time_add(outside, p->piece[i].path ? 0 : p->piece[i].time);
        }
        return (double)outside >= MOSTLY * (double)all;
}

static bool is_computed(const ps_trace *trace, ps_path path)
{
        for (; path; path = trace->paths[path].parent) {
                const ps_region_def *region = ps_path_region(trace, path);
                if (region && (region->kind != PS_K_NONE || region->idle))
                        return 0;
        }
        return 1;
}

/* Where a team of threads works on the same: what is around it is known of the first thread only. */
static ps_path team_of(const ps_trace *trace, ps_path path)
{
        ps_path team = 0;
        for (; path; path = trace->paths[path].parent) {
                const ps_region_def *region = ps_path_region(trace, path);
                if (region && region->paradigm == PS_PARADIGM_OPENMP)
                        team = path;
        }
        return team;
}

/* Paths of the same names are one, wherever their calls stand; those of teams from the team on. */
static bool are_same(const ps_trace *trace, ps_path a, ps_path b)
{
        ps_path team_a = team_of(trace, a), team_b = team_of(trace, b);
        while (a != b && a && b &&
               strcmp(ps_path_region_name(trace, a), ps_path_region_name(trace, b)) == 0) {
                if (a == team_a || b == team_b)
                        return a == team_a && b == team_b;
                a = trace->paths[a].parent;
                b = trace->paths[b].parent;
        }
        return a == b;
}

/* By path: what is the same of paths that are. Its last bit: the path is in a team. NULL: no memory. */
static uint64_t *keys_of_paths(const ps_trace *trace)
{
        uint64_t *key = ps_memory_zeroed(trace->n_paths + (size_t)1, sizeof(*key));
        for (ps_path p = 1; key && p < trace->n_paths; p++) {
                const ps_region_def *region = ps_path_region(trace, p);
                const char *name = ps_path_region_name(trace, p);
                bool opens = region && region->paradigm == PS_PARADIGM_OPENMP;
                uint64_t above = key[trace->paths[p].parent];
                key[p] = ps_hash_pair(opens && !(above & 1) ? 0 : above, ps_hash_bytes(name, strlen(name)));
                key[p] = (key[p] & ~UINT64_C(1)) | (above & 1) | opens;
        }
        return key;
}

/* Marks the path and those that are the same. Calls may be so deep that only those are looked at whose keys
 * are alike. */
static ps_status mark_same(uint8_t *is_there, const ps_trace *trace, ps_path path, ps_error *err)
{
        uint64_t *key = keys_of_paths(trace);
        if (!key)
                return PS_NOMEM(err, "call paths", trace->n_paths);
        for (ps_path p = 0; p < trace->n_paths; p++)
                is_there[p] = key[p] == key[path] && are_same(trace, p, path);
        free(key);
        return PS_OK;
}

/* The first threads of processes stand for them, but in teams. */
static bool is_counted(const ps_trace *trace, ps_loc loc, bool in_team)
{
        const ps_location_def *def = &trace->defs.locations.row[loc];
        return def->type == PS_LOCATION_CPU && (in_team || !def->thread) && trace->info[loc].n_events;
}

static uint32_t count_visitors(const ps_trace *trace, const uint8_t *is_there, bool in_team)
{
        uint32_t n = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                uint32_t u = 0;
                while (u < trace->info[loc].n_uses && !is_there[trace->info[loc].uses[u].path])
                        u++;
                n += is_counted(trace, loc, in_team) && u < trace->info[loc].n_uses;
        }
        return n;
}

/* What is computed there, in all and under locks. */
typedef struct computed {
        ps_time all, held;
} computed;

static void add_computed(computed *to, const ps_trace *trace, ps_loc loc, const uint8_t *is_there)
{
        const ps_ops *ops = &trace->ops[loc];
        const ps_pieces *p = &trace->pieces[loc];
        uint32_t held = 0;
        for (ps_op gap = 0; gap <= ops->n; gap++) {
                held = gap ? ps_locks_held(ops, gap - 1, held) : 0;
                for (uint32_t i = ps_pieces_first(p, gap); i < p->end[gap]; i++) {
                        if (p->piece[i].path == PS_NONE || !is_there[p->piece[i].path])
                                continue;
                        to->all = ps_time_add(to->all, p->piece[i].time);
                        to->held = ps_time_add(to->held, held ? p->piece[i].time : 0);
                }
        }
}

/* Of all; and on how many of those that count something is. */
static computed compute_all(uint32_t *n_there, const ps_trace *trace, const uint8_t *is_there, bool in_team)
{
        computed sum = {0};
        *n_there = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_time before = sum.all;
                add_computed(&sum, trace, loc, is_there);
                *n_there += is_counted(trace, loc, in_team) && sum.all > before;
        }
        return sum;
}

/* Where only calls are known a function is told between two of them, or by samples as a whole: nothing visits
 * it, and whoever computes in it is there. */
static const char *look_between_calls(uint32_t *n_there, const ps_trace *trace, const ps_cause_group *group,
                                      const uint8_t *is_there, bool in_team)
{
        uint32_t n_computing;
        const bool is_lock = group->why == PS_WHY_LOCK, is_unvisited = group->row[0]->is_unvisited;
        if (!is_lock && !is_unvisited)
                return NULL;
        const computed sum = compute_all(&n_computing, trace, is_there, in_team);
        *n_there = is_unvisited ? n_computing : *n_there;
        if (!sum.all)
                return nowhere;
        return is_lock && (double)sum.held < MOSTLY * (double)sum.all ? not_held : NULL;
}

static ps_status name_path(ps_target *out, const ps_trace *trace, const ps_cause_group *group, ps_error *err)
{
        ps_path path = group->row[0]->cause->path, team = team_of(trace, path);
        uint8_t *is_there = ps_memory_zeroed(trace->n_paths + (size_t)1, 1);
        if (!is_there)
                return PS_NOMEM(err, "call paths", trace->n_paths);
        ps_status status = mark_same(is_there, trace, path, err);
        out->n_there = count_visitors(trace, is_there, team != 0);
        out->why_none = look_between_calls(&out->n_there, trace, group, is_there, team != 0);
        out->n_all = team ? out->n_there : out->n_all;
        free(is_there);
        if (status != PS_OK || out->why_none)
                return status;
        out->why_none = unnamed;
        return ps_path_edit_name(&out->name, trace, path, team, err);
}

ps_status ps_target_find(ps_target *out, const ps_trace *trace, const ps_cause_group *group, ps_error *err)
{
        ps_path path = group->row[0]->cause->path;
        *out = (ps_target){.n_late = ps_cause_group_rows(group), .why_none = path ? nowhere : unknown};
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                out->n_all += is_counted(trace, loc, 0);
        if (path && !is_computed(trace, path))
                out->why_none = keeps;
        else if (path && trace->pieces && !group->stretch.name)
                return name_path(out, trace, group, err);
        else if (path && trace->pieces) {
                out->n_there = group->stretch.n_there;
                out->name = strdup(group->stretch.name);
                return out->name ? PS_OK : PS_NOMEM(err, "names", 1);
        }
        return PS_OK;
}

char *ps_target_ranks(const uint8_t *is_in, uint32_t n)
{
        enum { RANGE = 24 };
        size_t room = 2, at = 0;
        for (ps_proc p = 0; p < n; p++)
                room += is_in[p] ? RANGE : 0;
        char *text = ps_memory_new(room);
        if (!text)
                return NULL;
        for (ps_proc p = 0; p < n; p++) {
                ps_proc last = p;
                while (is_in[p] && last + 1 < n && is_in[last + 1])
                        last++;
                if (is_in[p])
                        at += (size_t)snprintf(text + at, room - at, "%c%" PRIu32, at ? ',' : '@', p);
                if (last > p)
                        at += (size_t)snprintf(text + at, room - at, "-%" PRIu32, last);
                p = last;
        }
        text[at] = '\0';
        return text;
}
