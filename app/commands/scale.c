/* scale.c - patscan scale: several runs of one program on different numbers of processes. One run is loaded
 * at a time, and only what it amounts to is kept. */
#include "app/commands/scale.h"
#include "app/cli/input.h"
#include "app/cli/message.h"
#include "core/base/memory.h"
#include "core/model/pieces.h"
#include "library/run/analysis.h"
#include "report/saved/saved.h"
#include "report/scaling/scaling.h"

#include <stdlib.h>

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
        PS_THEN(status, ps_input_load(&trace, &own, &pieces, err));
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

static ps_status take_runs(ps_scaling *s, const ps_options *options, ps_exit *code, ps_error *err)
{
        bool are_saved = true;
        for (unsigned i = 0; i < options->n_arguments; i++) {
                are_saved = are_saved && ps_saved_is(options->arguments[i]);
                PS_TRY(ps_scale_take(s, options->arguments[i], options, code, err));
        }
        if (are_saved)
                ps_message_idle(options, PS_OPTIONS_OF_TRACES, "all runs are saved reports");
        return PS_OK;
}

static ps_status write_scaling(const void *scaling, const ps_report_request *request, ps_output *out,
                               ps_error *err)
{
        /* In the order of the command's list of reports; csv has tables. */
        static ps_scaling_writer *const writers[] = {ps_scaling_write_text, ps_scaling_write_json, NULL,
                                                     ps_scaling_write_html, ps_scaling_write_markdown};
        return writers[request->format] ? writers[request->format](scaling, out, err)
                                        : ps_scaling_write_csv(scaling, request->table, out, err);
}

ps_status ps_cmd_scale(const ps_options *options, ps_exit *code, ps_error *err)
{
        ps_scaling *s = ps_memory_zeroed(1, sizeof(*s));
        if (!s)
                return PS_NOMEM(err, "runs", PS_SCALE_RUNS_MAX);
        s->is_weak = options->scale.weak != 0;
        ps_status status = take_runs(s, options, code, err);
        PS_THEN(status, ps_scale(s, err));
        PS_THEN(status, ps_input_reports(options, write_scaling, s, err));
        ps_scaling_clear(s);
        free(s);
        return status;
}
