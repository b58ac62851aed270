/* predict.c - patscan predict: how long a program would take on another machine, or with something different.
 */
#include "app/commands/predict.h"
#include "app/cli/ask.h"
#include "app/cli/message.h"

#include <string.h>

/* What is owned until the end. */
typedef struct work {
        const ps_options *options;
        ps_asked_calls asked;
        patscan_machine *machine;
        patscan_trace *trace;
        patscan_prediction *prediction;
        patscan_analysis *analysis; /* of one run */
} work;

/* What is asked of no machine, an edit alone or what the length depends on, is asked of the run as it was
 * recorded. */
static ps_status open_machine(work *w, ps_error *err)
{
        const ps_options *options = w->options;
        const ps_word_list *machines = &options->machine.names;

        if (!machines->n && (options->n_arguments > 1 || options->predict.sensitivity))
                return PS_OK;
        if (!machines->n)
                return PS_FAIL(err, PS_E_USAGE,
                               "patscan predict needs --machine: a file, a preset, or \"recorded\"");
        if (machines->n > 1)
                return PS_FAIL(err, PS_E_USAGE,
                               "a prediction is for one machine only: first=\"%s\", second=\"%s\"",
                               machines->row[0], machines->row[1]);
        return patscan_machine_open(&w->machine, machines->row[0], err);
}

/* Without a trace, what is wrong with the options is all that there is to say. */
static ps_status predict(work *w, ps_error *err)
{
        const ps_options *options = w->options;

        return patscan_predict_with(&w->prediction, w->trace, w->machine, options->arguments + 1,
                                    options->n_arguments - 1, &w->asked.predict, &w->asked.analyze, err);
}

/* Of a program, which has one processor. */
static void tell_idle_clock(const work *w)
{
        if (strcmp(patscan_summary(w->trace)->format, "dvm") == 0)
                ps_message_idle(w->options, "clock", "the trace is that of one processor");
}

static ps_status write_table(const void *prediction, const ps_report_request *request, ps_output *out,
                             ps_error *err)
{
        const patscan_report_options look = ps_ask_look(out);

        return ps_ask_done(
                out, patscan_prediction_report(prediction, request->name, &look, ps_ask_put, out, err), err);
}

static ps_status write_report(const void *analysis, const ps_report_request *request, ps_output *out,
                              ps_error *err)
{
        const patscan_report_options look = ps_ask_look(out);

        return ps_ask_done(out, patscan_report(analysis, request->name, &look, ps_ask_put, out, err), err);
}

/* -- several runs -- */

static ps_status tell_table(work *w, ps_exit *code, ps_error *err)
{
        static const char reason[] = "of several predictions there is one table only";

        PS_TRY(ps_options_refuse(w->options, "write|gains|rank-by", reason, err));
        ps_message_idle(w->options, PS_OPTIONS_OF_ANALYSIS, reason);
        ps_progress_hide();
        PS_TRY(ps_input_reports(w->options, write_table, w->prediction, err));
        *code = (ps_exit)patscan_prediction_judge(w->prediction);
        return PS_OK;
}

/* -- one run -- */

static ps_status tell_run(work *w, ps_exit *code, ps_error *err)
{
        const char *reason = patscan_predicted(w->prediction, 0)->reason;
        ps_error told = {0};

        if (reason) {
                (void)PS_FAIL(&told, PS_E_INPUT, "%s", reason);
                ps_message_error(&w->options->terminal, &told);
        } else {
                PS_TRY(ps_predict_write(w->options, w->prediction, err));
        }
        PS_TRY(patscan_prediction_analyze(&w->analysis, w->prediction, &w->asked.analyze, err));
        ps_progress_hide();
        PS_TRY(ps_input_reports(w->options, write_report, w->analysis, err));
        *code = (ps_exit)patscan_judge(w->analysis);
        return PS_OK;
}

static ps_status carry_out(work *w, ps_exit *code, ps_error *err)
{
        const char *path = w->options->arguments[0];

        ps_ask(&w->asked, w->options);
        w->asked.open.for_programs = 1;
        PS_TRY(ps_predict_check_write(w->options, err));
        PS_TRY(open_machine(w, err));
        PS_TRY(predict(w, err));
        PS_TRY(ps_input_finish(w->options, path, err));
        PS_TRY(patscan_open(&w->trace, path, &w->asked.open, err));
        tell_idle_clock(w);
        PS_TRY(predict(w, err));
        return patscan_predicted(w->prediction, 0)->label ? tell_table(w, code, err) : tell_run(w, code, err);
}

ps_status ps_cmd_predict(const ps_options *options, ps_exit *code, ps_error *err)
{
        work w = {.options = options};
        ps_status status = carry_out(&w, code, err);

        patscan_analysis_free(w.analysis);
        patscan_prediction_free(w.prediction);
        patscan_close(w.trace);
        patscan_machine_free(w.machine);
        return status;
}
