/* intervals.c - from the call tree to intervals: each node's time belongs to the innermost interval around
 * it, and to what its region is for. */
#include "patterns/engine/intervals.h"

#include "core/model/kinds.h"
#include "core/model/paths.h"
#include "core/model/region_names.h"
#include "patterns/engine/measure.h"

#include <stdlib.h>
#include <string.h>

/* -- which regions -- */

/* By text: what of regions of that name is known. */
enum { IS_NAME = 1, IS_CHOSEN = 2 };

/* The first `len` bytes of `name`. */
static bool choose_named(uint8_t *names, const ps_defs *defs, const char *name, size_t len)
{
        const ps_str wanted = ps_strings_find(defs->strings, name, len);
        if (wanted == PS_NONE || !names[wanted])
                return false;
        names[wanted] |= IS_CHOSEN;
        return true;
}

/* All loops, of a DVM program its intervals too; a region of that name goes first. */
static void choose_loops(uint8_t *is_chosen, const ps_defs *defs)
{
        for (ps_region r = 0; r < defs->regions.n; r++) {
                const ps_region_def *region = &defs->regions.row[r];
                if (defs->is_dvm ? region->dvm.mark != PS_MARK_NOTHING : region->role == PS_ROLE_LOOP)
                        is_chosen[r] = 1;
        }
}

/* One name, or several that are separated by commas: names of templates hold commas themselves. */
static ps_status choose_all(uint8_t *is_chosen, uint8_t *names, const ps_defs *defs, const char *given,
                            ps_error *err)
{
        if (choose_named(names, defs, given, strlen(given)))
                return PS_OK;
        if (strcmp(given, "loops") == 0) {
                choose_loops(is_chosen, defs);
                return PS_OK;
        }
        for (const char *at = given;; at++) {
                size_t len = strcspn(at, ",");
                if (!len || !choose_named(names, defs, at, len))
                        return ps_region_is_unknown(defs, "--interval", at, len, err);
                at += len;
                if (!*at)
                        return PS_OK;
        }
}

static ps_status choose_given(uint8_t *is_chosen, const ps_defs *defs, const char *const *given, uint32_t n,
                              ps_error *err)
{
        const uint32_t n_texts = ps_strings_n(defs->strings);
        uint8_t *names = ps_region_names(defs);
        ps_status status = names ? PS_OK : PS_NOMEM(err, "names of regions", n_texts);
        for (uint32_t i = 0; i < n && status == PS_OK; i++)
                status = choose_all(is_chosen, names, defs, given[i], err);
        for (ps_region r = 0; r < defs->regions.n && status == PS_OK; r++) {
                const ps_str name = defs->regions.row[r].name;
                is_chosen[r] |= name < n_texts && names[name] == (IS_NAME | IS_CHOSEN);
        }
        free(names);
        return status;
}

ps_status ps_intervals_choose(uint8_t *is_chosen, const ps_defs *defs, const char *const *names, uint32_t n,
                              ps_error *err)
{
        if (n)
                return choose_given(is_chosen, defs, names, n, err);
        for (ps_region r = 0; r < defs->regions.n; r++) {
                const ps_region_def *region = &defs->regions.row[r];
                is_chosen[r] = defs->is_dvm ? region->dvm.mark != PS_MARK_NOTHING
                                            : region->role == PS_ROLE_PHASE || region->role == PS_ROLE_LOOP;
        }
        return PS_OK;
}

/* -- the tree -- */

/* Intervals of a DVM program are known by their places, as the DVM system knows them. */
static ps_status enter_interval(struct measure *m, ps_path path, ps_error *err)
{
        static const ps_interval_type types[PS_N_MARKS] = {[PS_MARK_NOTHING] = PS_INTERVAL_USER,
                                                           [PS_MARK_LOOP] = PS_INTERVAL_PARALLEL,
                                                           [PS_MARK_PARALLEL] = PS_INTERVAL_PARALLEL,
                                                           [PS_MARK_SEQUENTIAL] = PS_INTERVAL_SEQUENTIAL,
                                                           [PS_MARK_USER] = PS_INTERVAL_USER};
        const ps_defs *defs = &m->trace->defs;
        const ps_region_def *region = &defs->regions.row[m->trace->paths[path].region];
        ps_strings *strings = m->tree->strings;
        const char *name = region->dvm.mark ? "" : ps_defs_str(defs, region->name);
        ps_interval_key key = {.type = types[region->dvm.mark],
                               .name = ps_strings_addz(strings, name),
                               .file = ps_strings_addz(strings, ps_defs_str(defs, region->file)),
                               .line = region->line,
                               .index = region->dvm.index,
                               .has_index = region->dvm.has_index};
        if (key.name == PS_NONE || key.file == PS_NONE)
                return PS_NOMEM(err, "names of intervals", path);
        PS_TRY(ps_intervals_enter(m->tree, m->interval[m->trace->paths[path].parent], &key,
                                  &m->interval[path], err));
        m->tree->row[m->interval[path]].is_part = region->dvm.mark == PS_MARK_LOOP;
        m->tree->row[m->interval[path]].count--; /* visits are counted location by location */
        return PS_OK;
}

/* Parents have smaller indices. Nodes of one region at several call sites are one interval. */
static ps_status make_tree(struct measure *m, ps_error *err)
{
        for (ps_path path = 1; path < m->trace->n_paths; path++) {
                ps_region region = m->trace->paths[path].region;
                m->interval[path] = m->interval[m->trace->paths[path].parent];
                if (region != PS_NONE && m->is_chosen[region])
                        PS_TRY(enter_interval(m, path, err));
        }
        return PS_OK;
}

/* -- the shares -- */

/* The class of what communicates for this. */
static ps_interval_class class_of_purpose(uint8_t purpose)
{
        static const uint8_t classes[PS_N_PURPOSES] = {[PS_FOR_NOTHING] = PS_IC_COUNT,
                                                       [PS_FOR_REDUCTION] = PS_IC_REDUCTION,
                                                       [PS_FOR_SHADOW] = PS_IC_SHADOW,
                                                       [PS_FOR_REMOTE_ACCESS] = PS_IC_REMOTE_ACCESS,
                                                       [PS_FOR_REDISTRIBUTION] = PS_IC_REDISTRIBUTION};
        return (ps_interval_class)classes[purpose];
}

/* The class of operations that a region's time belongs to; PS_IC_COUNT: to none. */
static ps_interval_class class_of(const ps_region_def *region)
{
        static const uint8_t classes[] = {
                [PS_C_SEND] = PS_IC_POINT_TO_POINT,
                [PS_C_RECV] = PS_IC_POINT_TO_POINT,
                [PS_C_SENDRECV] = PS_IC_POINT_TO_POINT,
                [PS_C_PROBE] = PS_IC_POINT_TO_POINT,
                [PS_C_COMPLETE] = PS_IC_POINT_TO_POINT,
                [PS_C_REQUEST] = PS_IC_POINT_TO_POINT,
                [PS_C_COLL] = PS_IC_COLLECTIVE,
                [PS_C_RMA] = PS_IC_REMOTE_ACCESS,
                [PS_C_RMA_SYNC] = PS_IC_REMOTE_ACCESS,
                [PS_C_THREAD] = PS_IC_COUNT,
                [PS_C_LOCK] = PS_IC_COUNT,
                [PS_C_TASK] = PS_IC_COUNT,
        };
        return region->kind == PS_K_NONE ? PS_IC_COUNT
                                         : (ps_interval_class)classes[ps_kinds[region->kind].cls];
}

/* Calls of a library that are no operations are its system time, as those of the recorder are. */
static bool is_system(const ps_region_def *region)
{
        return region->paradigm == PS_PARADIGM_MPI || region->paradigm == PS_PARADIGM_SHMEM ||
               region->paradigm == PS_PARADIGM_PGAS || region->paradigm == PS_PARADIGM_RECORDER;
}

static ps_interval_class class_at(const struct measure *m, ps_path path, const ps_region_def *region)
{
        if (!region || region->kind == PS_K_NONE)
                return PS_IC_COUNT;
        return m->trace->defs.is_dvm ? class_of_purpose(m->purpose[path]) : class_of(region);
}

static void add_time(ps_share *share, ps_interval_class cls, const ps_region_def *region, ps_time time)
{
        ps_time *to = cls != PS_IC_COUNT              ? &share->communication[cls]
                      : region && region->is_of_files ? &share->io
                      : region && is_system(region)   ? &share->system
                                                      : &share->cpu;
        *to = ps_time_add(*to, time);
}

static const ps_region_def *region_at(const struct measure *m, ps_path path)
{
        ps_region region = m->trace->paths[path].region;
        return region == PS_NONE ? NULL : &m->trace->defs.regions.row[region];
}

/* A region that the trace says is waiting belongs to the operation around it, of which the analysis tells
 * what was waiting; outside of any it is a wait for all others. */
static void add_idle(const struct measure *m, ps_share *share, const ps_path_use *use)
{
        const ps_region_def *above = region_at(m, m->trace->paths[use->path].parent);
        ps_interval_class cls = class_at(m, m->trace->paths[use->path].parent, above);
        ps_time *wait = &share->synchronization[PS_IC_COLLECTIVE];
        if (cls == PS_IC_COUNT) {
                *wait = ps_time_add(*wait, use->exclusive);
                cls = PS_IC_COLLECTIVE;
        }
        share->communication[cls] = ps_time_add(share->communication[cls], use->exclusive);
}

/* What so many processors do alike is lost but for one of them. */
static void add_copies(ps_share *share, const ps_region_def *region, ps_time time)
{
        ps_time *to = is_system(region) ? &share->insufficient_system : &share->insufficient_cpu;
        if (region->dvm.copies > 1)
                *to = ps_time_add(*to, time - time / region->dvm.copies);
}

static void add_share_of_use(const struct measure *m, ps_share *share, const ps_path_use *use)
{
        const ps_region_def *region = region_at(m, use->path);
        if (region && region->idle) {
                add_idle(m, share, use);
                return;
        }
        if (m->trace->defs.is_dvm && region && region->kind == PS_K_FINALIZE)
                return; /* nothing that it does: it is idle */
        add_time(share, class_at(m, use->path, region), region, use->exclusive);
        if (region)
                add_copies(share, region, use->exclusive);
}

/* What a process does between its first and its last event outside of all regions is calculating, too; its
 * further threads work only where they are seen to. */
static ps_status add_location(struct measure *m, ps_loc loc, uint64_t *visits, ps_error *err)
{
        const ps_location_info *info = ps_timing_info(m->trace, m->timing, loc);
        ps_focus_part part = ps_focus_part_of(m->trace, m->timing, loc);
        ps_time alive = ps_focus_clip(m->timing->focus, info->first, info->last);
        ps_time outside = m->trace->defs.locations.row[loc].thread ? 0 : alive - part.off;
        ps_share *share;
        memset(visits, 0, m->tree->n * sizeof(*visits));
        for (uint32_t i = 0; i < part.n_uses; i++) {
                const ps_path_use *use = &part.uses[i];
                uint32_t interval = m->interval[use->path];
                PS_TRY(ps_intervals_shares(m->tree, interval, &share, err));
                add_share_of_use(m, &share[m->processor[loc]], use);
                outside = ps_time_sub(outside, use->exclusive);
                if (use->path && interval != m->interval[m->trace->paths[use->path].parent])
                        visits[interval] += use->visits;
        }
        for (uint32_t i = 1; i < m->tree->n; i++)
                if (visits[i] > m->tree->row[i].count)
                        m->tree->row[i].count = visits[i];
        PS_TRY(ps_intervals_shares(m->tree, 0, &share, err));
        if (outside > 0)
                add_time(&share[m->processor[loc]], PS_IC_COUNT, NULL, outside);
        return PS_OK;
}

/* Operations of a DVM program are those of all its processors: who makes most of them tells their number. */
static void count_visits(struct measure *m, ps_loc loc, uint64_t *counts)
{
        ps_focus_part part = ps_focus_part_of(m->trace, m->timing, loc);
        memset(counts, 0, (size_t)m->tree->n * PS_IC_COUNT * sizeof(*counts));
        for (uint32_t i = 0; i < part.n_uses; i++) {
                const ps_region_def *region = region_at(m, part.uses[i].path);
                ps_interval_class cls = !region || !region->dvm.counts ? PS_IC_COUNT
                                        : region->paradigm == PS_PARADIGM_IO
                                                ? PS_IC_IO
                                                : class_of_purpose(region->dvm.purpose);
                if (cls != PS_IC_COUNT)
                        counts[m->interval[part.uses[i].path] * PS_IC_COUNT + cls] += part.uses[i].visits;
        }
        for (uint32_t i = 0; i < m->tree->n * PS_IC_COUNT; i++) {
                uint64_t *most = &m->tree->row[i / PS_IC_COUNT].operations[i % PS_IC_COUNT];
                if (i % PS_IC_COUNT == PS_IC_IO) /* which one processor does for all */
                        *most += counts[i];
                else
                        *most = counts[i] > *most ? counts[i] : *most;
        }
}

ps_interval_class ps_measure_class_of_kind(ps_kind kind)
{
        const ps_region_def as = {.kind = (uint8_t)kind};
        return class_of(&as);
}

ps_interval_class ps_measure_class(const struct measure *m, ps_path path)
{
        return class_at(m, path, region_at(m, path));
}

static ps_status add_waits(struct measure *m, const ps_analysis *analysis, ps_error *err)
{
        for (uint32_t i = 0; analysis && i < analysis->n_findings; i++) {
                const ps_finding *finding = &analysis->findings[i];
                const ps_region_def *region = region_at(m, finding->path);
                ps_interval_class cls = class_at(m, finding->path, region);
                ps_share *share;
                if (cls == PS_IC_COUNT || ps_pattern_at(finding->pattern)->is_view ||
                    m->processor[finding->location] == PS_NONE)
                        continue;
                PS_TRY(ps_intervals_shares(m->tree, m->interval[finding->path], &share, err));
                ps_time *to = &share[m->processor[finding->location]].synchronization[cls];
                *to = ps_time_add(*to, finding->lost);
        }
        return PS_OK;
}

static ps_status add_locations(struct measure *m, ps_error *err)
{
        uint64_t *visits = calloc(m->tree->n, PS_IC_COUNT * sizeof(*visits));
        ps_status status = visits ? PS_OK : PS_NOMEM(err, "intervals", m->tree->n);
        for (ps_loc loc = 0; loc < m->trace->n_locs && status == PS_OK; loc++) {
                if (m->processor[loc] == PS_NONE)
                        continue;
                status = add_location(m, loc, visits, err);
                if (m->trace->defs.is_dvm)
                        count_visits(m, loc, visits);
        }
        free(visits);
        return status;
}

static ps_status fill_intervals(struct measure *m, const ps_analysis *analysis, unsigned n_threads,
                                ps_error *err)
{
        PS_TRY(make_tree(m, err));
        PS_TRY(add_locations(m, err));
        PS_TRY(add_waits(m, analysis, err));
        if (!m->times_only)
                PS_TRY(ps_measure_operations(m, n_threads, err));
        return ps_intervals_finish(m->tree, err);
}

/* -- the whole -- */

static ps_status prepare_measure(struct measure *m, ps_error *err)
{
        const ps_trace *trace = m->trace;
        const unsigned known = PS_KNOWS_SYSTEM | PS_KNOWS_IO | ps_measure_knows_ends(trace) |
                               (trace->defs.is_dvm ? PS_KNOWS_INSUFFICIENT : PS_KNOWS_CLOCKS);
        const unsigned classes =
                trace->defs.is_dvm
                        ? 1u << PS_IC_IO | 1u << PS_IC_REDUCTION | 1u << PS_IC_SHADOW |
                                  1u << PS_IC_REMOTE_ACCESS | 1u << PS_IC_REDISTRIBUTION
                        : 1u << PS_IC_POINT_TO_POINT | 1u << PS_IC_COLLECTIVE | 1u << PS_IC_REMOTE_ACCESS;
        m->interval = calloc(trace->n_paths ? trace->n_paths : 1, sizeof(*m->interval));
        m->is_chosen = calloc(trace->defs.regions.n ? trace->defs.regions.n : 1, 1);
        m->purpose = ps_purposes_of_paths(trace);
        m->processor = calloc(trace->n_locs ? trace->n_locs : 1, sizeof(*m->processor));
        if (!m->interval || !m->is_chosen || !m->processor || !m->purpose)
                return PS_NOMEM(err, "intervals", trace->n_paths);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                int takes_part = ps_focus_tells(trace, m->timing, loc) && trace->info[loc].n_events;
                m->processor[loc] = takes_part ? m->n_processors++ : PS_NONE;
        }
        return ps_intervals_new(&m->tree, m->n_processors, known, classes, err);
}

ps_status ps_intervals_measure(ps_intervals **out, struct measure *m, const ps_analysis *analysis,
                               const char *const *names, uint32_t n, unsigned n_threads, ps_error *err)
{
        *out = NULL;
        ps_status status = prepare_measure(m, err);
        PS_THEN(status, ps_intervals_choose(m->is_chosen, &m->trace->defs, names, n, err));
        PS_THEN(status, fill_intervals(m, analysis, n_threads, err));
        free(m->interval);
        free(m->is_chosen);
        free(m->purpose);
        free(m->processor);
        if (status == PS_OK)
                *out = m->tree;
        else
                ps_intervals_free(m->tree);
        return status;
}

ps_status ps_intervals_of(ps_intervals **out, const ps_trace *trace, const ps_timing *timing,
                          const ps_analysis *analysis, const char *const *names, uint32_t n,
                          unsigned n_threads, ps_error *err)
{
        struct measure m = {.trace = trace, .timing = timing};
        return ps_intervals_measure(out, &m, analysis, names, n, n_threads, err);
}

ps_status ps_intervals_of_times(ps_intervals **out, const ps_trace *trace, const ps_timing *timing,
                                const ps_analysis *analysis, const char *const *names, uint32_t n,
                                ps_error *err)
{
        struct measure m = {.trace = trace, .timing = timing, .times_only = true};
        return ps_intervals_measure(out, &m, analysis, names, n, 1, err);
}
