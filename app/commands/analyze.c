/* analyze.c - patscan analyze: opens a trace, analyses it, and writes the reports. */
#include "app/cli/ask.h"
#include "app/cli/message.h"

static ps_status write_report(const void *analysis, const ps_report_request *request, ps_output *out,
                              ps_error *err)
{
        const patscan_report_options look = ps_ask_look(out);

        return ps_ask_done(out, patscan_report(analysis, request->name, &look, ps_ask_put, out, err), err);
}

ps_status ps_cmd_analyze(const ps_options *options, ps_exit *code, ps_error *err)
{
        const char *path = options->arguments[0];
        ps_asked_calls asked;
        patscan_trace *trace = NULL;
        patscan_analysis *analysis = NULL;

        ps_ask(&asked, options);
        ps_status status = ps_analyze_check(&asked.analyze, &asked.open.lean, &asked.opening, err);
        if (!options->reports.has_page)
                ps_message_idle(options, "network", "only a page draws it: --report html");
        PS_THEN(status, ps_input_finish(options, path, err));
        PS_THEN(status, ps_ask_open(&trace, path, &asked, err));
        PS_THEN(status, patscan_analyze(&analysis, trace, &asked.analyze, err));
        PS_THEN(status, ps_ask_reports(options, write_report, analysis, err));
        if (status == PS_OK)
                *code = (ps_exit)patscan_judge(analysis);
        patscan_analysis_free(analysis);
        patscan_close(trace);
        return status;
}
