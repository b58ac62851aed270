/* trace_rows.c - what a trace defines, and what is wrong with it. */
#include "library/api/handle.h"

enum { ISSUES, PROCESSES, LOCATIONS, REGIONS, CALLPATHS };

static const ps_trace *trace_of(const void *handle)
{
        return ((const patscan_trace *)handle)->trace;
}

static const char *name_of(const ps_defs *defs, ps_str id)
{
        return ps_made_rows_text(ps_defs_str(defs, id));
}

/* -- issues -- */

static size_t count_issues(const void *handle)
{
        size_t n = 0;

        for (int kind = 0; kind < PS_I_COUNT; kind++)
                n += trace_of(handle)->issues.row[kind].count > 0;
        return n;
}

static int fill_issue(void *row, const void *handle, size_t i, ps_arena *arena)
{
        const ps_trace *trace = trace_of(handle);
        const ps_issue *issue = trace->issues.row;

        (void)arena;
        for (; !issue->count || i; issue++)
                i -= issue->count > 0;
        const ps_issue_info *info = &ps_issue_infos[issue - trace->issues.row];
        *(patscan_issue_row *)row = (patscan_issue_row){.kind = info->name,
                                                        .text = info->text,
                                                        .count = issue->count,
                                                        .location = issue->location,
                                                        .file = name_of(&trace->defs, issue->file),
                                                        .offset = issue->offset};
        return 0;
}

PS_ROWS(issue, issues, ISSUES, patscan_trace)

/* -- processes and locations -- */

static size_t count_processes(const void *handle)
{
        return trace_of(handle)->defs.processes.n;
}

static int fill_process(void *row, const void *handle, size_t i, ps_arena *arena)
{
        const ps_defs *defs = &trace_of(handle)->defs;
        const ps_process_def *of = &defs->processes.row[i];

        (void)arena;
        *(patscan_process_row *)row = (patscan_process_row){
                .name = name_of(defs, of->name), .node = name_of(defs, of->node), .locations = of->n_locs};
        return 0;
}

PS_ROWS(process, processes, PROCESSES, patscan_trace)

static size_t count_locations(const void *handle)
{
        return trace_of(handle)->n_locs;
}

static int fill_location(void *row, const void *handle, size_t i, ps_arena *arena)
{
        static const char *const types[] = {[PS_LOCATION_CPU] = "cpu",
                                            [PS_LOCATION_METRIC] = "metric",
                                            [PS_LOCATION_ACCELERATOR] = "accelerator"};
        const ps_trace *trace = trace_of(handle);
        const ps_location_def *of = &trace->defs.locations.row[i];
        const ps_location_info *info = &trace->info[i];
        bool has_events = info->first <= info->last && info->n_events;

        (void)arena;
        *(patscan_location_row *)row =
                (patscan_location_row){.name = name_of(&trace->defs, of->name),
                                       .type = types[of->type],
                                       .process = of->process,
                                       .thread = of->thread,
                                       .events = info->n_events,
                                       .operations = trace->ops[i].n,
                                       .first_s = ps_made_rows_seconds(info->first, has_events),
                                       .last_s = ps_made_rows_seconds(info->last, has_events)};
        return 0;
}

PS_ROWS(location, locations, LOCATIONS, patscan_trace)

/* -- regions and call paths -- */

static size_t count_regions(const void *handle)
{
        return trace_of(handle)->defs.regions.n;
}

static int fill_region(void *row, const void *handle, size_t i, ps_arena *arena)
{
        const ps_defs *defs = &trace_of(handle)->defs;
        const ps_region_def *of = &defs->regions.row[i];

        (void)arena;
        *(patscan_region_row *)row =
                (patscan_region_row){.name = ps_defs_str(defs, of->name),
                                     .file = name_of(defs, of->file),
                                     .line = of->line,
                                     .line_end = of->line_end,
                                     .kind = of->kind < PS_K_COUNT ? ps_kinds[of->kind].name : NULL};
        return 0;
}

PS_ROWS(region, regions, REGIONS, patscan_trace)

static size_t count_callpaths(const void *handle)
{
        return trace_of(handle)->n_paths;
}

static int fill_callpath(void *row, const void *handle, size_t i, ps_arena *arena)
{
        const ps_trace *trace = trace_of(handle);
        const ps_path_node *of = &trace->paths[i];
        patscan_callpath_row *out = row;

        (void)arena;
        *out = (patscan_callpath_row){.parent = i ? of->parent : PATSCAN_NONE,
                                      .region = i ? of->region : PATSCAN_NONE,
                                      .name = ps_path_region_name(trace, (ps_path)i),
                                      .file = name_of(&trace->defs, of->site_file),
                                      .line = of->site_line};
        for (size_t up = i; up; up = trace->paths[up].parent)
                out->depth++;
        return 0;
}

PS_ROWS(callpath, callpaths, CALLPATHS, patscan_trace)
