/* analysis.c - a trace is analysed, and judged by its limits. */
#include "library/api/handle.h"
#include "library/api/lent.h"
#include "library/run/message.h"

#include <math.h>
#include <stdlib.h>

ps_status ps_analyze_check(const patscan_analyze_options *options, int *lean, ps_opening *how, ps_error *err)
{
        ps_arena *arena = ps_arena_new();
        ps_options asked;
        ps_plan plan = {0};
        ps_status status = arena ? PS_OK : PS_NOMEM(err, "options", 1);

        PS_THEN(status, ps_handle_ask(&asked, NULL, options, arena, err));
        PS_THEN(status, ps_plan_check(&plan, &asked, err));
        if (status == PS_OK && lean)
                *lean = !ps_plan_wants_causes(&plan, &asked);
        if (status == PS_OK && how) {
                how->rows_stay_from = ps_plan_rows_from(&plan, &asked, &how->rows_wanted);
                how->are_borrowed = ps_plan_borrows_rows(&asked);
        }
        ps_plan_clear(&plan);
        ps_arena_free(arena);
        return status;
}

patscan_status patscan_analyze_check(const patscan_analyze_options *options, int *lean, patscan_error *err)
{
        return ps_analyze_check(options, lean, NULL, err);
}

ps_status ps_handle_new(patscan_analysis **out, const patscan_trace *trace,
                        const patscan_analyze_options *options, ps_error *err)
{
        patscan_analysis *a = *out = calloc(1, sizeof(*a));

        if (!a)
                return PS_NOMEM(err, "analysis", 1);
        pthread_mutex_init(&a->lock, NULL);
        a->trace = trace;
        a->arena = ps_arena_new();
        a->rows = ps_made_rows_new();
        if (!a->arena || !a->rows)
                return PS_NOMEM(err, "analysis", 1);
        PS_TRY(ps_handle_ask(&a->asked, trace, options, a->arena, err));
        return ps_plan_make(&a->plan, &a->asked, err);
}

static void tell_efficiency(patscan_analysis *a)
{
        const ps_report *report = a->w.report;
        const ps_efficiency *e = &report->efficiency;
        const double untold = (double)NAN;

        a->efficiency = (patscan_efficiency_row){
                .duration_s = ps_time_seconds(ps_focus_length(report->timing)),
                .lost_s = ps_time_seconds(report->total),
                .parallel = e->is_known ? e->parallel : untold,
                .load_balance = e->is_known ? e->load_balance : untold,
                .communication = e->is_known ? e->communication : untold,
                .serialization = e->is_known && e->is_split ? e->serialization : untold,
                .transfer = e->is_known && e->is_split ? e->transfer : untold};
}

static void tell_families(patscan_analysis *a)
{
        const ps_blame *blame = a->w.report->blame;

        for (uint8_t f = 0; blame && f < PS_N_DELAYS; f++)
                if (ps_delayed_all(blame->delays, f, PS_DELAYED_WAIT))
                        a->family[a->n_families++] = f;
}

ps_status ps_handle_report(patscan_analysis *a, const ps_trace *structure, ps_error *err)
{
        PS_TRY(ps_plan_make_report(&a->w, &a->plan, &a->asked, structure, err));
        ps_plan_judge_limits(a->limits, &a->plan.gates, a->w.report);
        tell_efficiency(a);
        tell_families(a);
        return PS_OK;
}

patscan_status patscan_analyze(patscan_analysis **out, const patscan_trace *trace,
                               const patscan_analyze_options *options, patscan_error *err)
{
        patscan_analysis *a = NULL;
        unsigned lacks = ps_memory_lacks();
        *out = NULL;
        ps_status status = ps_handle_new(&a, trace, options, err);

        if (status == PS_OK && (a->asked.reports.has_page || a->asked.reports.are_open) &&
            trace->trace->stack_places)
                status = ps_plan_open_stacks(&a->plan, &a->asked, trace->trace, trace->asked.arguments[0],
                                             err);
        PS_THEN(status, ps_handle_report(a, trace->trace, err));
        PS_THEN(status, ps_handle_is_whole(lacks, err));
        if (status != PS_OK) {
                patscan_analysis_free(a);
                return status;
        }
        *out = a;
        return PS_OK;
}

void patscan_analysis_free(patscan_analysis *a)
{
        if (!a)
                return;
        ps_analysed_clear(&a->w);
        ps_analysed_clear(&a->beside);
        ps_plan_clear(&a->plan); /* its stacks look at the trace */
        ps_made_rows_free(a->rows);
        ps_arena_free(a->arena);
        pthread_mutex_destroy(&a->lock);
        free(a);
}

patscan_verdict patscan_judge(const patscan_analysis *a)
{
        ps_exit code = ps_plan_judge(&a->asked, &a->plan, a->w.report);

        if (a->prediction && patscan_prediction_judge(a->prediction) != PATSCAN_VERDICT_OK)
                return PATSCAN_VERDICT_PARTIAL;
        return (patscan_verdict)code;
}

const patscan_efficiency_row *patscan_efficiency(const patscan_analysis *a)
{
        return &a->efficiency;
}
