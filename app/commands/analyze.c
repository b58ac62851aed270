/* analyze.c - patscan analyze: loads a trace and analyses it. */
#include "app/cli/input.h"
#include "app/cli/message.h"
#include "core/model/pieces.h"
#include "library/run/analysis.h"

ps_status ps_cmd_analyze(const ps_options *options, ps_exit *code, ps_error *err)
{
        ps_plan plan = {0};
        const struct ps_piece_options pieces = {.most = PS_PIECES_MOST};
        ps_trace *trace = NULL;
        ps_status status = ps_plan_make(&plan, options, err);

        if (!options->reports.has_page)
                ps_message_idle(options, "network", "only a page draws it: --report html");
        PS_THEN(status,
                ps_input_load(&trace, options, ps_plan_wants_causes(&plan, options) ? &pieces : NULL, err));
        if (options->reports.has_page)
                PS_THEN(status, ps_plan_open_stacks(&plan, options, trace, options->arguments[0], err));
        PS_THEN(status, ps_plan_carry_out(&plan, options, trace, code, err));
        ps_plan_clear(&plan); /* its stacks look at the trace */
        ps_trace_close(trace);
        return status;
}
