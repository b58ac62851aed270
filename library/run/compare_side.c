/* compare_side.c - loads the runs, and finds intervals that both of them can tell of: what is an interval has
 * to mean the same on both sides. */
#include "library/run/compare_side.h"
#include "core/base/vector.h"
#include "core/model/region_names.h"
#include "library/run/focus.h"
#include "library/run/input.h"
#include "library/run/message.h"
#include "patterns/engine/intervals.h"
#include "report/saved/saved.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
        NAMES_MAX = 4096,    /* of functions as intervals: each is looked for among all regions */
        SHARES_MAX = 1 << 22 /* call paths times processors */
};

/* -- reading -- */

static void clear_side(ps_compare_side *s)
{
        ps_run_clear(&s->run);
        ps_report_free(s->report);
        ps_profile_free(s->profile);
        ps_sources_free(s->sources);
        ps_intervals_free(s->intervals);
        ps_analysis_free(s->analysis);
        ps_trace_close(s->trace);
        ps_plan_clear(&s->plan);
        *s = (ps_compare_side){0};
}

static ps_status load_trace(ps_compare_side *s, const ps_options *options, ps_error *err)
{
        ps_load_options how = ps_asked_load_options(options);
        PS_TRY(ps_plan_make(&s->plan, options, err));

        return ps_asked_read(&s->trace, options, s->path, &how, err);
}

/* It tells how long the whole run took, too; of other parts it cannot tell. */
static ps_status read_saved(ps_run *run, const char *path, const ps_options *options, ps_error *err)
{
        ps_focus_wish wish;
        PS_TRY(ps_focus_asked(&wish, options, err));
        PS_TRY(ps_run_read(run, path, err));

        if (wish.how == PS_FOCUS_WHOLE_RUN)
                run->duration_s = run->whole_s;
        return PS_OK;
}

static ps_status load_side(ps_compare_side *s, const char *path, const ps_options *options, ps_error *err)
{
        *s = (ps_compare_side){.path = path, .is_saved = ps_saved_is(path)};
        return s->is_saved ? read_saved(&s->run, path, options, err) : load_trace(s, options, err);
}

/* -- what is an interval -- */

typedef struct names {
        const char **row; /* borrowed, or of `own` */
        uint32_t n, cap;
        ps_arena *own;
        char *kept; /* all of them, once the runs that they were borrowed from may be freed */
} names;

static ps_status add_name(names *list, const char *name, ps_error *err)
{
        return PS_APPEND(list->row, list->n, list->cap, name) ? PS_NOMEM(err, "names of intervals", list->n)
                                                              : PS_OK;
}

static void clear_names(names *list)
{
        ps_arena_free(list->own);
        free(list->kept);
        free(list->row);
}

static bool has_region(const ps_trace *trace, const char *name)
{
        const ps_str wanted = trace ? ps_strings_find(trace->defs.strings, name, strlen(name)) : PS_NONE;
        for (ps_region r = 0; wanted != PS_NONE && r < trace->defs.regions.n; r++)
                if (trace->defs.regions.row[r].name == wanted)
                        return 1;
        return 0;
}

static bool has_phases(const ps_trace *trace)
{
        for (ps_region r = 0; r < trace->defs.regions.n; r++) {
                uint8_t role = trace->defs.regions.row[r].role;
                if (role == PS_ROLE_PHASE || role == PS_ROLE_LOOP)
                        return 1;
        }
        return 0;
}

/* The loops of both traces. */
static ps_status add_loops(names *list, const ps_compare_side side[2], ps_error *err)
{
        for (int i = 0; i < 2; i++)
                for (ps_region r = 0; side[i].trace && r < side[i].trace->defs.regions.n; r++) {
                        const ps_defs *defs = &side[i].trace->defs;
                        const ps_region_def *region = &defs->regions.row[r];
                        if (defs->is_dvm ? region->dvm.mark : region->role == PS_ROLE_LOOP)
                                PS_TRY(add_name(list, ps_defs_str(defs, region->name), err));
                }
        return PS_OK;
}

/* A region has to be in one of the traces; names of templates hold commas themselves. */
static ps_status add_given(names *list, const ps_compare_side side[2], const char *given, ps_error *err)
{
        if (strcmp(given, "loops") == 0)
                return add_loops(list, side, err);
        bool is_whole = has_region(side[0].trace, given) || has_region(side[1].trace, given);
        size_t n = strlen(given) + 1;

        list->own = list->own ? list->own : ps_arena_new();
        char *rest = list->own ? ps_arena_room(list->own, n) : NULL;
        if (!rest)
                return PS_NOMEM(err, "names of intervals", 1);
        memcpy(rest, given, n);
        while (rest) {
                char *name = is_whole ? rest : strsep(&rest, ",");
                rest = is_whole ? NULL : rest;
                if (!has_region(side[0].trace, name) && !has_region(side[1].trace, name))
                        return PS_FAIL(
                                err, PS_E_USAGE,
                                "neither trace has such a region: option=\"--interval\", name=\"%.100s\"",
                                name);
                PS_TRY(add_name(list, name, err));
        }
        return PS_OK;
}

/* Copies them. */
static ps_status keep_names(names *list, ps_error *err)
{
        size_t room = 1;

        for (uint32_t i = 0; i < list->n; i++)
                room += strlen(list->row[i]) + 1;
        char *end = list->kept = malloc(room);
        if (!end)
                return PS_NOMEM(err, "names of intervals", list->n);
        for (uint32_t i = 0; i < list->n; i++) {
                const char *name = list->row[i];
                list->row[i] = end;
                end = stpcpy(end, name) + 1;
        }
        return PS_OK;
}

static int compare_names(const void *a, const void *b)
{
        return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void keep_each_once(names *list)
{
        uint32_t n = 0;

        if (list->n)
                qsort(list->row, list->n, sizeof(*list->row), compare_names);
        for (uint32_t i = 0; i < list->n; i++)
                if (!n || strcmp(list->row[n - 1], list->row[i]) != 0)
                        list->row[n++] = list->row[i];
        list->n = n;
}

static ps_status add_saved(names *list, const ps_run *run, ps_error *err)
{
        for (uint32_t i = 1; i < run->intervals.n; i++)
                if (*run->intervals.row[i].name)
                        PS_TRY(add_name(list, run->intervals.row[i].name, err));
        keep_each_once(list);
        return PS_OK;
}

/* The program's own functions, if they are not too many. */
static ps_status add_functions(names *list, const ps_trace *trace, ps_error *err)
{
        for (ps_region r = 0; r < trace->defs.regions.n; r++) {
                const ps_region_def *region = &trace->defs.regions.row[r];
                if (region->kind == PS_K_NONE && !region->idle &&
                    (region->paradigm == PS_PARADIGM_USER || region->paradigm == PS_PARADIGM_UNKNOWN))
                        PS_TRY(add_name(list, ps_defs_str(&trace->defs, region->name), err));
        }
        return PS_OK;
}

static ps_status choose_functions(names *list, const ps_compare_side side[2], const ps_options *options,
                                  ps_error *err)
{
        for (int i = 0; i < 2; i++)
                if (has_phases(side[i].trace))
                        return PS_OK;
        for (int i = 0; i < 2; i++)
                PS_TRY(add_functions(list, side[i].trace, err));
        keep_each_once(list);
        for (int i = 0; i < 2; i++) {
                uint64_t shares = (uint64_t)side[i].trace->n_paths * side[i].trace->n_locs;
                if (list->n && (list->n > NAMES_MAX || shares > SHARES_MAX)) {
                        ps_message_warn(&options->terminal, "there are too many functions to compare them "
                                                            "all: name some with --interval");
                        list->n = 0;
                }
        }
        return PS_OK;
}

static ps_status choose_names(names *list, const ps_compare_side side[2], const ps_options *options,
                              ps_error *err)
{
        for (unsigned i = 0; i < options->reports.intervals.n; i++)
                PS_TRY(add_given(list, side, options->reports.intervals.row[i], err));
        if (options->reports.intervals.n)
                return PS_OK;
        if (side[0].is_saved || side[1].is_saved)
                return add_saved(list, &side[side[0].is_saved ? 0 : 1].run, err);
        return choose_functions(list, side, options, err);
}

/* -- analysing -- */

/* Of the names those that the trace has: none is an error here, as it would be of `analyze`. */
static ps_status measure(ps_compare_side *s, const names *list, ps_error *err)
{
        const ps_strings *strings = s->trace->defs.strings;
        const char **known = malloc(((size_t)list->n + 1) * sizeof(*known));
        uint8_t *is_name = ps_region_names(&s->trace->defs);
        uint32_t n = 0;
        ps_status status = known && is_name ? PS_OK : PS_NOMEM(err, "names of intervals", list->n);

        for (uint32_t i = 0; i < list->n && status == PS_OK; i++) {
                const ps_str name = ps_strings_find(strings, list->row[i], strlen(list->row[i]));
                if (name != PS_NONE && is_name[name])
                        known[n++] = list->row[i];
        }
        PS_THEN(status, ps_intervals_of_times(&s->intervals, s->trace, &s->trace->measured, s->analysis,
                                              known, n, err));
        free(is_name);
        free(known);
        return status;
}

static ps_status analyse_side(ps_compare_side *s, const names *list, const ps_options *options, ps_error *err)
{
        ps_source_options where = ps_input_sources(&options->source);
        ps_report_settings settings = {.trace_path = s->path,
                                       .left_out = s->plan.selection.left_out,
                                       .interval_levels = UINT32_MAX,
                                       .options = &s->plan.how};
        const ps_timing *timing = &s->trace->measured;

        ps_plan_settle(&s->plan, options, s->trace, timing);
        s->plan.how.progress = options->analysis.progress;
        s->plan.how.progress_ctx = options->analysis.progress_ctx;
        PS_TRY(ps_analyse(&s->analysis, s->trace, timing, &s->plan.how, err));
        PS_TRY(measure(s, list, err));
        if (options->reports.has_page)
                PS_TRY(ps_plan_open_stacks(&s->plan, options, s->trace, s->path, err));
        settings.intervals = s->intervals;
        if (options->reports.has_page)
                PS_TRY(ps_profile_make_fine(&s->profile, s->trace, timing, err));
        settings.profile = s->profile;
        settings.stacks = s->plan.stacks;
        PS_TRY(ps_sources_new(&s->sources, s->trace, &where, err));
        PS_TRY(ps_report_new(&s->report, s->trace, timing, s->analysis, s->sources, &settings, err));
        return ps_run_of_report(&s->run, s->report, err);
}

/* -- the sides -- */

static ps_status choose_intervals(names *list, const ps_compare_side side[PS_SIDES],
                                  const ps_compare_paths of[PS_SIDES], const ps_options *options,
                                  ps_error *err)
{
        bool are_saved = 1;

        for (int i = 0; i < PS_SIDES; i++)
                for (uint32_t k = 0; k < of[i].n && are_saved; k++)
                        are_saved = ps_saved_is(of[i].path[k]);
        return are_saved ? PS_OK : choose_names(list, side, options, err);
}

/* What is kept of a run, so that the run itself may be freed. */
static ps_status take_sample(ps_compare_sides *out, ps_compare_side *s, int side, const names *list,
                             const ps_options *options, ps_error *err)
{
        ps_status status = s->is_saved ? PS_OK : analyse_side(s, list, options, err);

        PS_THEN(status, ps_run_samples_add(&out->samples, (ps_run_role)side, &s->run, err));
        if (status == PS_OK && s->trace && options->limits.tolerance &&
            ps_input_distrusts(options, s->trace, 0))
                out->is_distrusted = true;
        clear_side(s);
        return status;
}

/* One run is held at a time: traces may be large. The first ones are there already. */
static ps_status take_samples(ps_compare_sides *out, int side, const ps_compare_paths *of, const names *list,
                              const ps_options *options, ps_error *err)
{
        ps_status status = take_sample(out, &out->side[side], side, list, options, err);

        for (uint32_t i = 1; i < of->n && status == PS_OK; i++) {
                ps_compare_side s;
                status = load_side(&s, of->path[i], options, err);
                if (status == PS_OK)
                        status = take_sample(out, &s, side, list, options, err);
                else
                        clear_side(&s);
        }
        return status;
}

/* The second time nothing is said of it. */
static ps_status take_middle(ps_compare_sides *out, int side, const ps_compare_paths *of, const names *list,
                             const ps_options *options, ps_error *err)
{
        const char *path = of->path[ps_run_samples_middle(&out->samples, (ps_run_role)side)];
        ps_options own = *options;
        ps_compare_side *s = &out->side[side];

        own.terminal.quiet = 1;
        PS_TRY(load_side(s, path, &own, err));
        return s->is_saved ? PS_OK : analyse_side(s, list, &own, err);
}

static ps_status load_runs(ps_compare_sides *out, names *list, const ps_compare_paths of[PS_SIDES],
                           const ps_options *options, ps_error *err)
{
        for (int i = 0; i < PS_SIDES; i++)
                PS_TRY(load_side(&out->side[i], of[i].path[0], options, err));
        PS_TRY(choose_intervals(list, out->side, of, options, err));
        if (of[0].n + of[1].n == PS_SIDES) {
                for (int i = 0; i < PS_SIDES; i++)
                        if (!out->side[i].is_saved)
                                PS_TRY(analyse_side(&out->side[i], list, options, err));
                return PS_OK;
        }
        PS_TRY(keep_names(list, err));
        for (int i = 0; i < PS_SIDES; i++)
                PS_TRY(take_samples(out, i, &of[i], list, options, err));
        for (int i = 0; i < PS_SIDES; i++)
                PS_TRY(take_middle(out, i, &of[i], list, options, err));
        return PS_OK;
}

ps_status ps_compare_sides_load(ps_compare_sides *out, const ps_compare_paths of[PS_SIDES],
                                const ps_options *options, ps_error *err)
{
        names list = {0};

        *out = (ps_compare_sides){0};
        ps_status status = load_runs(out, &list, of, options, err);
        clear_names(&list);
        return status;
}

void ps_compare_sides_clear(ps_compare_sides *sides)
{
        for (int i = 0; i < PS_SIDES; i++)
                clear_side(&sides->side[i]);
        ps_run_samples_clear(&sides->samples);
}
