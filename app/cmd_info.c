/* cmd_info.c - patscan info: loads a trace and shows what it holds. */
#include "app/input.h"
#include "app/message.h"
#include "report/info.h"

#include <inttypes.h>

/* In the order of the command's list of reports. */
static ps_status (*const writers[])(const ps_info *, ps_output *, ps_error *) = {ps_info_write_text,
                                                                                 ps_info_write_json};

static ps_status write_report(const void *info, unsigned format, ps_output *out, ps_error *err)
{
        return writers[format](info, out, err);
}

ps_status ps_cmd_info(const ps_options *options, ps_exit *code, ps_error *err)
{
        const char *path = options->arguments[0];
        ps_progress progress;
        ps_load_options load = ps_input_options(options, &progress);
        ps_overview overview = {0};
        ps_trace *trace = NULL;
        ps_status status;
        double seconds;

        ps_progress_begin(&progress, options, "reading", 0);
        status = ps_trace_load(&trace, path, &load, err);
        seconds = ps_progress_end(&progress);
        if (status)
                goto out;
        ps_message_note(options, "read %" PRIu64 " events in %.3f s", trace->n_events, seconds);
        status = ps_overview_collect(&overview, trace, err);
        if (status)
                goto out;
        status = ps_input_reports(options, write_report, &(ps_info){path, trace, &overview, NULL}, err);
        if (!status)
                *code = ps_input_judge(options, trace->n_events, &trace->issues);
out:
        ps_overview_clear(&overview);
        ps_trace_close(trace);
        return status;
}
