/* scaled.c - see scaled.h. */
#include "library/run/scaled.h"
#include "core/model/pieces.h"
#include "library/run/analysis.h"
#include "library/run/input.h"
#include "report/saved/saved.h"

enum { SPLIT_OPERATIONS_MAX = 10000000 }; /* a replay of more takes longer than reading them */

static ps_status take_trace(ps_scale_run *run, const ps_options *options, const char *path, ps_exit *code,
                            ps_error *err)
{
        const struct ps_piece_options pieces = {.most = PS_PIECES_MOST};
        ps_options own = *options;
        ps_plan plan = {0};
        ps_analysed analysed = {0};
        ps_trace *trace = NULL;
        own.arguments[0] = path;
        own.reports.n = 0; /* those of this command are not about one run */
        ps_status status = ps_plan_make(&plan, &own, err);
        plan.tells_causes = 0;
        ps_load_options how = ps_asked_load_options(&own);
        how.pieces = &pieces;
        PS_THEN(status, ps_asked_read(&trace, &own, path, &how, err));
        if (status == PS_OK) {
                plan.splits = trace->n_operations > 0 && trace->n_operations <= SPLIT_OPERATIONS_MAX;
                ps_exit judged = ps_input_judge(&own, trace->n_events, &trace->issues);
                *code = judged != PS_EXIT_OK ? judged : *code;
                status = ps_plan_analyse(&analysed, &plan, &own, trace, &trace->measured, err);
        }
        PS_THEN(status, ps_scale_run_of_report(run, analysed.report, path, err));
        ps_analysed_clear(&analysed);
        ps_trace_close(trace);
        ps_plan_clear(&plan);
        return status;
}

ps_status ps_scale_take(ps_scaling *s, const char *path, const ps_options *options, ps_exit *code,
                        ps_error *err)
{
        ps_scale_run *run = &s->run[s->n++]; /* to be cleared, also after a failure */
        PS_TRY(ps_saved_is(path) ? ps_scale_run_read(run, path, err)
                                 : take_trace(run, options, path, code, err));
        if (!(run->duration_s > 0))
                return PS_FAIL(err, PS_E_INPUT, "a run that took no time cannot be compared: path=\"%s\"",
                               path);
        return PS_OK;
}
