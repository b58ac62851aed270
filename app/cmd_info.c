/* cmd_info.c - patscan info: loads a trace and shows what it holds. */
#include "app/input.h"
#include "app/message.h"
#include "report/info.h"

#include <inttypes.h>

/* In the order of the command's list of reports. */
static ps_status (*const writers[])(const ps_info *, ps_output *, ps_error *) = {ps_info_write_text,
                                                                                 ps_info_write_json};

static ps_status write_reports(const ps_options *options, const ps_info *info, ps_error *err)
{
        ps_status status = PS_OK;

        for (unsigned i = 0; i < options->reports.n && !status; i++) {
                const ps_report_request *request = &options->reports.row[i];
                ps_output *out;
                status = ps_output_open(&out, request->file, (ps_color_mode)options->color, err);
                if (status)
                        break;
                status = writers[request->format](info, out, err);
                if (status)
                        ps_output_discard(out);
                else
                        status = ps_output_commit(out, err);
        }
        return status;
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
        status = write_reports(options, &(ps_info){path, trace, &overview, NULL}, err);
        if (!status)
                *code = ps_input_judge(options, trace->n_events, &trace->issues);
out:
        ps_overview_clear(&overview);
        ps_trace_close(trace);
        return status;
}
