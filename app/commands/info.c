/* info.c - patscan info: opens a trace and shows what it holds. */
#include "app/cli/ask.h"
#include "app/cli/message.h"

#include <string.h>

/* The trace, and how it is told of. */
typedef struct subject {
        const patscan_trace *trace;
        const patscan_info_options *how;
} subject;

static ps_status write_info(const void *what, const ps_report_request *request, ps_output *out, ps_error *err)
{
        const subject *of = what;
        const patscan_report_options look = ps_ask_look(out);

        return ps_ask_done(out, patscan_info(of->trace, request->name, of->how, &look, ps_ask_put, out, err),
                           err);
}

/* Of a table there is nothing without the profile. */
static ps_status check_reports(const ps_options *options, const patscan_info_options *how, ps_error *err)
{
        bool has_profile = how->profile || how->bins || how->network;

        for (unsigned i = 0; i < options->reports.n && !has_profile; i++)
                if (strcmp(options->reports.row[i].name, "csv") == 0)
                        return PS_FAIL(err, PS_E_USAGE,
                                       "--report csv writes the profile, so it needs --profile");
        return PS_OK;
}

ps_status ps_cmd_info(const ps_options *options, ps_exit *code, ps_error *err)
{
        const char *path = options->arguments[0];
        ps_asked_calls asked;
        patscan_trace *trace = NULL;

        ps_ask(&asked, options);
        asked.open.lean = 1;
        asked.opening.rows_stay_from = 0;
        ps_status status = check_reports(options, &asked.info, err);
        PS_THEN(status, ps_input_finish(options, path, err));
        PS_THEN(status, ps_ask_open(&trace, path, &asked, err));
        PS_THEN(status, ps_ask_reports(options, write_info, &(subject){trace, &asked.info}, err));
        if (status == PS_OK) {
                *code = (ps_exit)patscan_summary(trace)->verdict;
                if (!patscan_summary(trace)->events)
                        ps_message_warn(&options->terminal, "the trace holds no events");
        }
        patscan_close(trace);
        return status;
}
