/* trace.c - a run from a trace that was analysed. */
#include "compare/run.h"
#include "report/facts/intervals.h"

#include <stdlib.h>

static double told_seconds(ps_time time)
{
        return ps_run_seconds(ps_time_seconds(time));
}

/* -- intervals: the processors' shares with the intervals below, as a report tells them -- */

static void fill_share(ps_run_share *to, const ps_share *from)
{
        const double s = (double)PS_PS_PER_S;

        to->execution_s = (double)ps_share_execution(from) / s;
        for (int c = 0; c < PS_IC_COUNT; c++) {
                to->communication_s += (double)from->communication[c] / s;
                to->synchronization_s[c] = (double)from->synchronization[c] / s;
        }
}

static void add_share(ps_run_share *to, const ps_run_share *from)
{
        to->execution_s += from->execution_s;
        to->communication_s += from->communication_s;
        for (int c = 0; c < PS_IC_COUNT; c++)
                to->synchronization_s[c] += from->synchronization_s[c];
}

static void round_share(ps_run_share *share)
{
        share->execution_s = ps_run_seconds(share->execution_s);
        share->communication_s = ps_run_seconds(share->communication_s);
        for (int c = 0; c < PS_IC_COUNT; c++)
                share->synchronization_s[c] = ps_run_seconds(share->synchronization_s[c]);
}

static void add_up_run(ps_run *run)
{
        for (uint32_t i = run->intervals.n; i-- > 0;) {
                const ps_run_interval *row = &run->intervals.row[i];
                for (uint32_t p = 0; p < run->n_processors; p++) {
                        if (i)
                                add_share(&run->intervals.row[row->parent].share[p], &row->share[p]);
                        round_share(&row->share[p]);
                }
        }
}

static ps_status add_interval(ps_run *run, uint32_t at, ps_error *err)
{
        const ps_intervals *tree = run->tree;
        const ps_interval *i = &tree->row[at];
        ps_run_interval row = {.type = ps_interval_types[i->key.type].key,
                               .name = ps_intervals_str(tree, i->key.name),
                               .file = ps_intervals_str(tree, i->key.file),
                               .line = i->key.line,
                               .has_index = i->key.has_index,
                               .index = i->key.index,
                               .parent = at ? run->interval_of[i->parent] : PS_NONE,
                               .level = i->level,
                               .execution_s = ps_run_seconds(i->sums.execution_s),
                               .share = calloc((size_t)run->n_processors + 1, sizeof(*row.share))};
        ps_status status;

        if (!row.share)
                return PS_NOMEM(err, "intervals", run->n_processors);
        for (uint32_t p = 0; i->share && p < run->n_processors; p++)
                fill_share(&row.share[p], &i->share[p]);
        run->interval_of[at] = run->intervals.n;
        status = ps_run_add_interval(run, &row, err);
        if (status != PS_OK)
                free(row.share);
        return status;
}

static ps_status add_intervals(ps_run *run, ps_error *err)
{
        const ps_trace *trace = run->trace;
        uint32_t n = 0;

        run->interval_of = calloc((size_t)run->tree->n + 1, sizeof(*run->interval_of));
        run->location = calloc((size_t)run->n_processors + 1, sizeof(*run->location));
        if (!run->interval_of || !run->location)
                return PS_NOMEM(err, "intervals", run->tree->n);
        for (ps_loc loc = 0; loc < trace->n_locs && n < run->n_processors; loc++)
                if (trace->defs.locations.row[loc].type == PS_LOCATION_CPU && trace->info[loc].n_events)
                        run->location[n++] = loc;
        for (uint32_t i = 0; i != PS_NONE; i = ps_interval_next_told(run->tree, i, UINT32_MAX))
                PS_TRY(add_interval(run, i, err));
        add_up_run(run);
        run->has_shares = run->n_processors > 0;
        return PS_OK;
}

/* -- the rest -- */

static ps_status add_patterns(ps_run *run, const ps_report *report, ps_error *err)
{
        for (uint32_t i = 0; i < report->n_patterns; i++) {
                const ps_report_pattern *from = &report->patterns[i];
                ps_run_pattern row = {.id = from->row->id,
                                      .title = from->row->title,
                                      .lost_s = told_seconds(from->lost),
                                      .count = from->count,
                                      .is_view = from->row->is_view};
                PS_TRY(ps_run_add_pattern(run, &row, err));
        }
        return PS_OK;
}

static ps_status add_sites(ps_run *run, const ps_report *report, ps_error *err)
{
        for (uint32_t i = 0; i < report->n_findings; i++) {
                const ps_report_finding *from = &report->findings[i];
                const char *call = NULL;
                ps_run_site row = {.site = from->key,
                                   .type = from->pattern->id,
                                   .file = from->place->file,
                                   .line = from->place->line,
                                   .lost_s = told_seconds(from->finding->lost),
                                   .count = from->finding->count};
                ps_region region = run->trace->paths[from->finding->path].region;
                if (region != PS_NONE)
                        call = ps_defs_str(&run->trace->defs, run->trace->defs.regions.row[region].name);
                row.call = call ? call : "";
                PS_TRY(ps_run_add_site(run, &row, err));
        }
        return PS_OK;
}

ps_status ps_run_of_report(ps_run *out, const ps_report *report, ps_error *err)
{
        const ps_trace *trace = report->trace;
        const char *creator = ps_defs_str(&trace->defs, trace->defs.creator);
        const ps_prediction *prediction = report->settings.prediction;

        *out = (ps_run){.path = report->settings.trace_path ? report->settings.trace_path : "",
                        .trace_path = report->settings.trace_path ? report->settings.trace_path : "",
                        .format = trace->format ? trace->format : "",
                        .creator = *creator ? creator : NULL,
                        .machine = prediction ? prediction->machine : NULL,
                        .formula = prediction ? prediction->formula : NULL,
                        .machine_source = prediction ? prediction->source : NULL,
                        .is_predicted = report->is_predicted,
                        .is_partial = ps_issues_are_partial(&trace->issues),
                        .duration_s = told_seconds(ps_focus_length(report->timing)),
                        .whole_s = told_seconds(report->timing->duration),
                        .processes = trace->defs.processes.n,
                        .operations = trace->n_operations,
                        .messages = trace->n_messages,
                        .resolution_hz = trace->defs.resolution_hz,
                        .violations = trace->clock.violations,
                        .has_findings = 1,
                        .report = report,
                        .trace = trace,
                        .timing = report->timing,
                        .tree = report->settings.intervals};
        out->n_processors = out->tree ? out->tree->n_processors : 0;
        if (out->tree)
                PS_TRY(add_intervals(out, err));
        PS_TRY(add_patterns(out, report, err));
        PS_TRY(add_sites(out, report, err));
        return ps_run_finish(out, err);
}
