/* scale.c - patscan scale: several runs of one program on different numbers of processes. One run is loaded
 * at a time, and only what it amounts to is kept. */
#include "app/cli/input.h"
#include "app/cli/message.h"
#include "core/base/memory.h"
#include "library/run/scaled.h"
#include "report/saved/saved.h"
#include "report/scaling/scaling.h"

#include <stdlib.h>

static ps_status take_runs(ps_scaling *s, const ps_options *options, ps_exit *code, ps_error *err)
{
        bool are_saved = true;
        for (unsigned i = 0; i < options->n_arguments; i++) {
                are_saved = are_saved && ps_saved_is(options->arguments[i]);
                PS_TRY(ps_input_finish(options, options->arguments[i], err));
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

ps_status ps_cmd_scale(const ps_options *asked, ps_exit *code, ps_error *err)
{
        ps_input_bars bars;
        ps_options own = *asked;
        const ps_options *options = &own;
        ps_scaling *s = ps_memory_zeroed(1, sizeof(*s));
        if (!s)
                return PS_NOMEM(err, "runs", PS_SCALE_RUNS_MAX);
        ps_input_show_progress(&own, &bars);
        s->is_weak = options->scale.weak != 0;
        ps_status status = take_runs(s, options, code, err);
        PS_THEN(status, ps_scale(s, err));
        ps_progress_hide();
        PS_THEN(status, ps_input_reports(options, write_scaling, s, err));
        ps_scaling_clear(s);
        free(s);
        return status;
}
