/* cmd_analyze.c - patscan analyze: loads a trace and analyses it. */
#include "app/analysis.h"
#include "app/input.h"
#include "app/message.h"

#include <inttypes.h>

static ps_status load(ps_trace **out, const ps_options *options, ps_error *err)
{
        ps_progress progress;
        ps_load_options load_options = ps_input_options(options, &progress);
        ps_status status;
        double seconds;

        ps_progress_begin(&progress, options, "reading", 0);
        status = ps_trace_load(out, options->arguments[0], &load_options, err);
        seconds = ps_progress_end(&progress);
        if (status == PS_OK)
                ps_message_note(options, "read %" PRIu64 " events in %.3f s", (*out)->n_events, seconds);
        return status;
}

ps_status ps_cmd_analyze(const ps_options *options, ps_exit *code, ps_error *err)
{
        ps_plan plan = {0};
        ps_trace *trace = NULL;
        ps_status status = ps_plan_make(&plan, options, err);

        if (status == PS_OK)
                status = load(&trace, options, err);
        if (status == PS_OK)
                status = ps_plan_carry_out(&plan, options, trace, code, err);
        ps_trace_close(trace);
        ps_plan_clear(&plan);
        return status;
}
