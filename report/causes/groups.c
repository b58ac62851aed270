/* groups.c - causes as people are told of them: what several locations do too long at one call path,
 * for the same reason, is told once. */
#include "report/causes/causes.h"

#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/base/number.h"
#include "core/base/search.h"
#include "core/model/focus.h"
#include "report/causes/words.h"
#include "report/facts/sites.h"
#include "report/facts/verdict.h"

#include <stdlib.h>
#include <string.h>

/* Who waits less than this part of all is left to programs. */
#define WORTH_NAMING 0.01
/* Of all time in the focus, and of the largest cause: less is left to those who ask for all. */
#define WORTH_SHOWING 0.0005
#define LARGE         0.05

/* Of the whole run: the part between Init and Finalize that is too short, and waiting that is too little, to
 * be worth anything. */
#define SHORT    0.01
#define TRIFLING 0.001

/* -- where and who -- */

ps_cause_place ps_cause_place_of(const ps_report *report, ps_path path)
{
        const ps_defs *defs = &report->trace->defs;
        const ps_region_def *region = ps_path_region(report->trace, path);
        const ps_source_place *place = NULL;
        if (!region)
                return (ps_cause_place){0};
        const char *name = ps_defs_str(defs, region->name);
        const char *file = region->file ? ps_defs_str(defs, region->file) : NULL;
        if (region->kind == PS_K_NONE && file)
                return (ps_cause_place){name, file, region->line, PS_LINE_FUNCTION};
        if (ps_sources_of(report->sources, path, &place, NULL) != PS_OK)
                return (ps_cause_place){.function = name};
        return (ps_cause_place){region->kind == PS_K_NONE ? name : place->function, place->file, place->line,
                                place->certainty};
}

static uint64_t hash_path(const ps_report *report, ps_path path)
{
        uint64_t hash = ps_hash_pair(0, 0);
        for (; path; path = report->trace->paths[path].parent) {
                const char *name = ps_site_call(report, path);
                hash = ps_hash_pair(hash, ps_hash_bytes(name, strlen(name)));
        }
        return hash;
}

static ps_told_cause told_of(const ps_report *report, const ps_cause *cause)
{
        bool is_known = cause->location != PS_NONE;
        ps_cause_place at = ps_cause_place_of(report, cause->path);
        ps_told_cause told = {.cause = cause,
                              .process = is_known ? report->trace->defs.locations.row[cause->location].process
                                                  : PS_NONE,
                              .at = at};
        const char *slash = at.file ? strrchr(at.file, '/') : NULL;
        const char *file = slash ? slash + 1 : at.file ? at.file : "";
        told.key = ps_hash_pair(hash_path(report, cause->path), ps_hash_bytes(file, strlen(file)));
        told.key = is_known ? told.key : ps_hash_pair(told.key, 1);
        ps_number_print_hex(told.site, told.key);
        ps_number_print_hex(told.id, ps_hash_pair(told.key, is_known ? cause->location : PS_NONE));
        return told;
}

/* -- groups -- */

/* Who is somewhere longer than one of the others, and while another one is not there at all, is too long
 * there. So is who holds a lock: for others it is the same whether they wait for that, or for him at a
 * barrier behind it. */
static ps_why reason_of(ps_why why)
{
        return why == PS_WHY_ALONE || why == PS_WHY_LOCK ? PS_WHY_LONGER : why;
}

static int compare_groups_of(const ps_told_cause *x, const ps_told_cause *y)
{
        PS_ORDER_BY(x->key, y->key);
        PS_ORDER_BY(x->at.line, y->at.line);
        return PS_ORDER(reason_of(x->cause->why), reason_of(y->cause->why));
}

static int compare_told(const void *a, const void *b)
{
        const ps_told_cause *x = *(const ps_told_cause *const *)a, *y = *(const ps_told_cause *const *)b;
        int by_group = compare_groups_of(x, y);
        return by_group ? by_group : (x > y) - (x < y);
}

static int compare_groups(const void *a, const void *b)
{
        const ps_cause_group *x = a, *y = b;
        PS_ORDER_BY(y->leads, x->leads);
        PS_ORDER_BY(y->waiting, x->waiting);
        return PS_ORDER(x->row[0], y->row[0]);
}

static void number_groups(ps_blame *b)
{
        for (uint32_t g = 0; g < b->n_groups; g++)
                for (uint32_t i = 0; i < b->group[g].n; i++)
                        b->group_of[b->group[g].row[i] - b->told] = g;
}

uint32_t ps_cause_group_rows(const ps_cause_group *group)
{
        const ps_cause *first = group->row[0]->cause;
        uint32_t n = 1;
        while (n < group->n && (double)(group->row[n]->cause->direct + group->row[n]->cause->indirect) >=
                                       LARGE * (double)(first->direct + first->indirect))
                n++;
        return n;
}

/* Rows that hardly matter beside the largest say nothing about the others. */
static void find_reason(ps_cause_group *group)
{
        uint32_t n[PS_N_WHYS] = {0};
        ps_time by_lock = 0, all = 0;
        for (uint32_t i = 0, n_rows = ps_cause_group_rows(group); i < n_rows; i++) {
                const ps_cause *cause = group->row[i]->cause;
                n[cause->why]++;
                all += cause->direct + cause->indirect;
                by_lock += cause->why == PS_WHY_LOCK ? cause->direct + cause->indirect : 0;
        }
        group->why = n[PS_WHY_LOCK] && 2 * by_lock >= all ? PS_WHY_LOCK
                     : n[PS_WHY_LONGER]                   ? PS_WHY_LONGER
                     : n[PS_WHY_ALONE]                    ? PS_WHY_ALONE
                                                          : group->row[0]->cause->why;
        group->is_partly_alone = group->why == PS_WHY_LONGER && n[PS_WHY_ALONE];
}

/* The largest row for which `why` is true: it is compared with the others. */
static const ps_cause *compared_of(const ps_cause_group *group)
{
        uint32_t i = 0;
        while (group->row[i]->cause->why != group->why)
                i++;
        return group->row[i]->cause;
}

static void gather_groups(ps_blame *b)
{
        for (uint32_t i = 0; i < b->causes->n; i++) {
                const ps_told_cause *told = b->order[i];
                if (told->process == PS_NONE)
                        continue;
                if (!b->n_groups || compare_groups_of(b->group[b->n_groups - 1].row[0], told))
                        b->group[b->n_groups++] = (ps_cause_group){.row = &b->order[i]};
                ps_cause_group *group = &b->group[b->n_groups - 1];
                group->n++;
                group->waiting += told->cause->direct + told->cause->indirect;
                group->indirect += told->cause->indirect;
                group->is_told |= told->cause->is_told;
        }
        for (uint32_t g = 0; g < b->n_groups; g++) {
                find_reason(&b->group[g]);
                b->most_waiting = later(b->most_waiting, b->group[g].waiting);
        }
        if (b->n_groups)
                qsort(b->group, b->n_groups, sizeof(*b->group), compare_groups);
        number_groups(b);
}

/* -- in the order of what can be gained -- */

bool ps_cause_is_large(const ps_report *report, const ps_cause_group *group)
{
        return ps_report_share(report, group->waiting) >= WORTH_SHOWING &&
               (double)group->waiting >= LARGE * (double)report->blame->most_waiting;
}

bool ps_causes_are_trifling(ps_time *waiting, const ps_report *report)
{
        const ps_focus *focus = report->timing->focus;
        double run = (double)report->timing->duration;
        if (!focus || focus->how != PS_FOCUS_PROGRAM)
                return false;
        double share = ps_report_share(report, report->blame->causes->waiting);
        *waiting = (ps_time)(share * (double)focus->length + 0.5);
        return (double)focus->length < SHORT * run && (double)*waiting < TRIFLING * run;
}

/* What is done about all transfers at once, or by all ranks in a function, promises a cause no more than what
 * all wait because of it. */
static ps_time promise_of(const ps_report *report, const ps_cause_group *group, const ps_cause_fix *fix)
{
        if (!fix || ps_cause_fix_share(fix, ps_focus_length(report->timing)) < PS_WORTH_MENDING)
                return 0;
        bool is_of_all = fix->kind == PS_FIX_BALANCED || fix->kind == PS_FIX_EVENED;
        return fix->kind == PS_FIX_OVERLAPPED
                       ? earlier(fix->gain, group->waiting / report->trace->defs.processes.n)
               : is_of_all ? earlier(fix->gain, group->waiting)
                           : fix->gain;
}

static void find_leading(ps_blame *b, const ps_report *report)
{
        double worth = PS_WORTH_LEADING * (double)ps_focus_length(report->timing);
        for (uint32_t g = 0; g < b->n_groups; g++) {
                ps_cause_group *group = &b->group[g];
                const ps_cause_fix *fix = ps_cause_first_fix(report, group);
                group->promise = promise_of(report, group, fix);
                group->is_mendable =
                        group->promise && (double)group->promise >= worth && !ps_cause_fix_is_bound(fix);
                group->leads = ps_cause_is_large(report, group) ? !fix || group->promise : group->is_mendable;
        }
}

/* What somebody can do comes before what nobody can reach. */
static bool promises_more(const ps_cause_group *a, const ps_cause_group *b)
{
        return a->is_mendable != b->is_mendable ? a->is_mendable : a->promise > b->promise;
}

void ps_cause_groups_order(ps_blame *b, const ps_report *report)
{
        find_leading(b, report);
        if (b->n_groups)
                qsort(b->group, b->n_groups, sizeof(*b->group), compare_groups);
        for (uint32_t g = 0; g < b->n_groups && b->group[g].leads; g++) {
                uint32_t best = g;
                for (uint32_t i = g + 1; b->group[g].promise && i < b->n_groups && b->group[i].leads; i++)
                        best = promises_more(&b->group[i], &b->group[best]) ? i : best;
                const ps_cause_group group = b->group[best];
                b->group[best] = b->group[g];
                b->group[g] = group;
        }
        number_groups(b);
}

/* -- who waits for them -- */

static ps_status add_waiters(ps_cause_group *group, uint8_t *is_seen, uint32_t n_processes, ps_error *err)
{
        memset(is_seen, 0, n_processes);
        for (uint32_t i = 0; i < group->n; i++) {
                const ps_cause *cause = group->row[i]->cause;
                for (uint32_t k = 0; k < cause->n_processes; k++)
                        is_seen[cause->processes[k]] |=
                                (double)cause->waits[k] >= WORTH_NAMING * (double)group->waiting;
        }
        for (ps_proc p = 0; p < n_processes; p++)
                group->n_waiters += is_seen[p];
        group->waiter = ps_memory_new((group->n_waiters + (size_t)1) * sizeof(*group->waiter));
        if (!group->waiter)
                return PS_NOMEM(err, "causes", group->n_waiters);
        for (ps_proc p = 0, n = 0; p < n_processes; p++)
                if (is_seen[p])
                        group->waiter[n++] = p;
        return PS_OK;
}

/* -- how long they and the others take there -- */

struct taken {
        ps_path *same;
        ps_time *sum; /* by path, over all locations */
        uint32_t *n;  /* how many visit it */
};

static void count_location(struct taken *t, const ps_report *report, ps_loc loc)
{
        ps_focus_part part = ps_focus_part_of(report->trace, report->timing, loc);
        for (uint32_t i = 0; i < part.n_uses; i++) {
                ps_path path = t->same[part.uses[i].path];
                t->sum[path] = ps_time_add(t->sum[path], part.uses[i].exclusive);
                t->n[path]++;
        }
}

static void compare_with_others(const struct taken *t, const ps_report *report, ps_cause_group *group)
{
        const ps_cause *cause = compared_of(group);
        ps_path path = t->same[cause->path];
        ps_focus_part part = ps_focus_part_of(report->trace, report->timing, cause->location);
        for (uint32_t i = 0; i < part.n_uses; i++)
                if (t->same[part.uses[i].path] == path) {
                        group->own = ps_time_add(group->own, part.uses[i].exclusive);
                        group->visits += part.uses[i].visits;
                }
        if (t->n[path] > 1)
                group->others = ps_time_sub(t->sum[path], group->own) / (t->n[path] - 1);
}

/* Is it a function that its location never enters? */
static bool is_unvisited(const ps_report *report, const ps_path *same, const ps_cause *cause)
{
        const ps_region_def *region = ps_path_region(report->trace, cause->path);
        if (!region || region->kind != PS_K_NONE)
                return false;
        const ps_location_info *info = &report->trace->info[cause->location];
        uint32_t own = 0;
        PS_SEARCH(own, info->n_uses, i, info->uses[i].path < cause->path)
        bool visits = own < info->n_uses && info->uses[own].path == cause->path && info->uses[own].visits;
        for (uint32_t i = 0; i < info->n_uses && !visits; i++)
                visits = same[info->uses[i].path] == same[cause->path] && info->uses[i].visits;
        return !visits;
}

static bool is_team(const ps_trace *trace, ps_path path)
{
        const ps_region_def *region = ps_path_region(trace, path);
        return region && region->role == PS_ROLE_PARALLEL;
}

/* The trace does not explain these calls: they may have waited, and who made them is not known. */
static void add_untold(ps_blame *b, const ps_report *report, const ps_path *same)
{
        uint32_t pattern = ps_pattern_find("not-explained");
        for (uint32_t i = 0; i < report->analysis->n_findings; i++) {
                const ps_finding *f = &report->analysis->findings[i];
                for (uint32_t g = 0; f->pattern == pattern && g < b->n_groups; g++) {
                        const ps_cause *cause = b->group[g].row[0]->cause;
                        if (b->group[g].is_told && cause->location == f->location &&
                            same[cause->path] == same[f->path])
                                b->group[g].untold = ps_time_add(b->group[g].untold, f->lost);
                }
        }
}

/* Stretches are known as they were measured. */
static void compare_in_stretch(const ps_report *report, ps_cause_group *group)
{
        const ps_stretch *stretch = &group->stretch;
        if (!group->row[0]->is_unvisited)
                return;
        bool is_known = stretch->name && report->timing == &report->trace->measured;
        group->own = is_known ? stretch->own : 0;
        group->others = is_known ? stretch->others : 0;
        group->visits = is_known ? stretch->visits : 0;
}

/* A function that is not entered is known from the calls in it: then it is told between which of them. The
 * place is no part of the site, which knows no lines. `all` is made where it is needed. */
static ps_status find_stretches(ps_blame *b, const ps_report *report, const ps_path *same, ps_stretches **all,
                                ps_error *err)
{
        const ps_trace *trace = report->trace;
        for (uint32_t i = 0; i < b->causes->n; i++) {
                ps_told_cause *told = &b->told[i];
                const ps_cause *cause = told->cause;
                told->is_unvisited = cause->path && is_unvisited(report, same, cause);
                bool is_asked =
                        told->is_unvisited || cause->why == PS_WHY_LOCK || is_team(trace, cause->path);
                if (is_asked && trace->pieces && !*all)
                        PS_TRY(ps_stretches_new(all, trace, report->timing, err));
                if (!told->is_unvisited || !trace->pieces)
                        continue;
                PS_TRY(ps_stretches_find(
                        &told->stretch, *all, cause->path,
                        &(ps_stretch_late){&cause->location, 1, cause->excess, cause->why == PS_WHY_LOCK},
                        err));
                if (told->stretch.name)
                        told->at = (ps_cause_place){told->at.function,
                                                    ps_defs_str(&trace->defs, told->stretch.to.file),
                                                    told->stretch.to.line, PS_LINE_EXACT};
        }
        return PS_OK;
}

/* Of what is done with a lock in a function, too, as that is hardly all of it. */
static bool is_told_between_calls(const ps_trace *trace, const ps_cause_group *group)
{
        const ps_region_def *region = ps_path_region(trace, group->row[0]->cause->path);
        return group->row[0]->is_unvisited || (group->why == PS_WHY_LOCK && region &&
                                               region->kind == PS_K_NONE && region->role != PS_ROLE_CRITICAL);
}

/* What is mended together has one name, also where some of them are in other rounds of a loop. */
static ps_status find_stretch_of_group(ps_cause_group *group, const ps_trace *trace, const ps_stretches *all,
                                       ps_error *err)
{
        const ps_cause *first = group->row[0]->cause;
        uint32_t n = ps_cause_group_rows(group);
        ps_loc *loc = ps_memory_new(n * sizeof(*loc));
        ps_stretch_late late = {.loc = loc, .n = n, .hold = group->why == PS_WHY_LOCK};
        if (!loc)
                return PS_NOMEM(err, "causes", n);
        for (uint32_t i = 0; i < n; i++) {
                loc[i] = group->row[i]->cause->location;
                late.excess = ps_time_add(late.excess, group->row[i]->cause->excess);
        }
        ps_stretch *out = is_told_between_calls(trace, group) ? &group->stretch : &group->inside;
        ps_status status = ps_stretches_find(out, all, first->path, &late, err);
        free(loc);
        return status;
}

static ps_status compare_all(ps_blame *b, const ps_report *report, ps_path *same,
                             const ps_stretches *stretches, ps_error *err)
{
        const ps_trace *trace = report->trace;
        struct taken t = {.same = same,
                          .sum = ps_memory_zeroed(trace->n_paths + (size_t)1, sizeof(*t.sum)),
                          .n = ps_memory_zeroed(trace->n_paths + (size_t)1, sizeof(*t.n))};
        ps_status status = t.sum && t.n ? PS_OK : PS_NOMEM(err, "call paths", trace->n_paths);
        for (ps_loc loc = 0; loc < trace->n_locs && status == PS_OK; loc++)
                if (ps_focus_tells(trace, report->timing, loc))
                        count_location(&t, report, loc);
        for (uint32_t g = 0; g < b->n_groups && status == PS_OK; g++)
                if (b->group[g].is_told)
                        compare_with_others(&t, report, &b->group[g]);
        if (status == PS_OK)
                add_untold(b, report, t.same);
        for (uint32_t g = 0; g < b->n_groups && status == PS_OK; g++) {
                const ps_cause_group *group = &b->group[g];
                if (stretches &&
                    (is_told_between_calls(trace, group) || is_team(trace, group->row[0]->cause->path)))
                        status = find_stretch_of_group(&b->group[g], trace, stretches, err);
                compare_in_stretch(report, &b->group[g]);
        }
        free(t.sum);
        free(t.n);
        return status;
}

/* -- all -- */

static ps_status make_groups(ps_blame *b, const ps_report *report, ps_error *err)
{
        uint32_t n_processes = report->trace->defs.processes.n;
        uint8_t *is_seen = ps_memory_zeroed(n_processes + (size_t)1, 1);
        ps_path *same = NULL;
        ps_stretches *stretches = NULL;
        ps_status status = is_seen ? ps_functions_of_paths(&same, report->trace, err)
                                   : PS_NOMEM(err, "causes", n_processes);
        PS_THEN(status, ps_functions_join_teams(same, report->trace, err));
        PS_THEN(status, find_stretches(b, report, same, &stretches, err));
        qsort(b->order, b->causes->n, sizeof(*b->order), compare_told);
        gather_groups(b);
        for (uint32_t g = 0; g < b->n_groups && status == PS_OK; g++)
                if (b->group[g].is_told)
                        status = add_waiters(&b->group[g], is_seen, n_processes, err);
        PS_THEN(status, compare_all(b, report, same, stretches, err));
        ps_stretches_free(stretches);
        free(same);
        free(is_seen);
        return status;
}

ps_status ps_cause_groups_make(ps_blame *b, const ps_report *report, ps_error *err)
{
        size_t n = b->causes->n + (size_t)1;
        b->told = ps_memory_zeroed(n, sizeof(*b->told));
        b->order = ps_memory_new(n * sizeof(*b->order));
        b->group = ps_memory_zeroed(n, sizeof(*b->group));
        b->group_of = ps_memory_new(n * sizeof(*b->group_of));
        if (!b->told || !b->order || !b->group || !b->group_of)
                return PS_NOMEM(err, "causes", n);
        for (uint32_t i = 0; i < b->causes->n; i++) {
                b->told[i] = told_of(report, &b->causes->row[i]);
                b->order[i] = &b->told[i];
                b->group_of[i] = PS_NONE;
        }
        return b->causes->n ? make_groups(b, report, err) : PS_OK;
}

void ps_cause_groups_clear(ps_blame *b)
{
        for (uint32_t g = 0; g < b->n_groups; g++) {
                free(b->group[g].waiter);
                free(b->group[g].stretch.name);
                free(b->group[g].inside.name);
        }
        for (uint32_t i = 0; b->told && i < b->causes->n; i++)
                free(b->told[i].stretch.name);
        free(b->group);
        free(b->group_of);
        free(b->order);
        free(b->told);
}
