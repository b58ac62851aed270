/* predict_replay.c - replays a recorded run with something different, and reports it as if it had been
 * measured. */
#include "app/cli/input.h"
#include "app/cli/message.h"
#include "app/commands/predict.h"
#include "core/views/replayed_source.h"

#include <string.h>

static ps_status check_replay_options(const ps_options *o, ps_error *err)
{
        return ps_options_refuse(o, "grid|procs|distribute|pipelining", "it is for traces of DVM programs",
                                 err);
}

/* -- a run that never ends -- */

/* The report says it, and nothing else: there are no times to look at. */
static ps_status report_deadlock(ps_predicted *run, ps_plan *plan, const ps_options *options, ps_exit *code,
                                 ps_error *err)
{
        const ps_trace *trace = ps_predicted_trace(run);
        const ps_timing none = {.enter = trace->measured.enter, .leave = trace->measured.leave};
        ps_error told = {0};
        PS_TRY(ps_predicted_tell_stuck(run, &told, err));
        ps_message_error(&options->terminal, &told);
        ps_predicted_plan(run, plan);
        memset(plan->selection.off, 1, sizeof(plan->selection.off));
        plan->timing = &none;
        plan->replays = NULL;
        plan->gains = 0;
        plan->is_predicted = true; /* no other replay is asked */
        ps_status status = ps_plan_carry_out(plan, options, ps_predicted_replays(run)->trace, code, err);
        plan->timing = NULL;
        *code = PS_EXIT_PARTIAL;
        return status;
}

/* -- a run that ends -- */

static ps_status write_trace(const ps_predicted *run, const ps_options *options, ps_error *err)
{
        const ps_replays *replays = ps_predicted_replays(run);
        ps_replayed_source *source;
        if (!options->predict.write)
                return PS_OK;
        ps_status status =
                ps_replayed_source_new(&source, replays->trace, replays->run[PS_REPLAYED_EDITED].timing, err);
        PS_THEN(status, ps_predict_write(options, &ps_predicted_trace(run)->defs,
                                         ps_replayed_source_of(source), err));
        ps_replayed_source_free(source);
        return status;
}

/* The measured run, for a page to show beside the predicted one. */
static ps_status analyse_measured(ps_analysed *out, ps_plan *own, ps_plan *plan, const ps_options *options,
                                  const ps_trace *trace, ps_error *err)
{
        *out = (ps_analysed){0};
        if (!options->reports.has_page)
                return PS_OK;
        PS_TRY(ps_plan_open_stacks(plan, options, trace, options->arguments[0], err));
        *own = *plan;
        ps_status status = ps_plan_analyse(out, own, options, trace, &trace->measured, err);
        plan->beside = out->report;
        return status;
}

static ps_status report_run(ps_predicted *run, ps_plan *plan, const ps_options *options, ps_exit *code,
                            ps_error *err)
{
        ps_analysed measured;
        ps_plan measured_plan;
        ps_status status =
                analyse_measured(&measured, &measured_plan, plan, options, ps_predicted_trace(run), err);
        PS_THEN(status, ps_predicted_depend(run, err));
        PS_THEN(status, write_trace(run, options, err));
        ps_predicted_plan(run, plan);
        PS_THEN(status, ps_plan_carry_out(plan, options, ps_predicted_replays(run)->trace, code, err));
        if (status == PS_OK)
                ps_drift_judge(ps_predicted_drift(run), options, code);
        plan->beside = NULL;
        ps_analysed_clear(&measured);
        return status;
}

ps_status ps_predict_edited(const ps_options *options, ps_plan *plan, const ps_predict_run *run,
                            ps_exit *code, ps_error *err)
{
        ps_predicted *predicted;
        ps_status status = ps_predicted_new(&predicted, options, plan, run, err);
        if (status == PS_OK)
                status = ps_predicted_stuck(predicted) ? report_deadlock(predicted, plan, options, code, err)
                                                       : report_run(predicted, plan, options, code, err);
        ps_predicted_free(predicted);
        return status;
}

static ps_status load_trace(void *ctx, ps_trace **out, const struct ps_piece_options *pieces, ps_error *err)
{
        return ps_input_load(out, ctx, pieces, err);
}

ps_status ps_predict_replay(const ps_options *options, ps_plan *plan, const ps_predict_machine *on,
                            ps_exit *code, ps_error *err)
{
        ps_edits edits = {0};
        ps_options own = *options;
        const ps_predict_run run = {.load = load_trace, .ctx = &own, .on = *on, .edits = &edits};
        ps_status status = check_replay_options(options, err);
        PS_THEN(status, ps_edits_parse(&edits, options->arguments + 1, options->n_arguments - 1, err));
        PS_THEN(status, ps_predict_edited(options, plan, &run, code, err));
        ps_edits_clear(&edits);
        return status;
}
