/* info.c - patscan info: loads a trace and shows what it holds. */
#include "report/subjects/info.h"
#include "app/cli/input.h"
#include "patterns/engine/engine.h"

/* In the order of the command's list of reports. */
static ps_status (*const writers[])(const ps_info *, ps_output *,
                                    ps_error *) = {ps_info_write_text, ps_info_write_json, ps_info_write_csv,
                                                   ps_info_write_html, ps_info_write_markdown};

static ps_status write_info(const void *info, const ps_report_request *request, ps_output *out, ps_error *err)
{
        return writers[request->format](info, out, err);
}

/* Of a table there is nothing without the profile. */
static bool wants_profile(const ps_options *options)
{
        return options->info.profile || options->machine.network || options->info.bins;
}

static ps_status check_reports(const ps_options *options, ps_error *err)
{
        for (unsigned i = 0; i < options->reports.n && !wants_profile(options); i++)
                if (writers[options->reports.row[i].format] == ps_info_write_csv)
                        return PS_FAIL(err, PS_E_USAGE,
                                       "--report csv writes the profile, so it needs --profile");
        return PS_OK;
}

static ps_status make_profile(ps_info *info, ps_profile **profile, ps_link_load **links,
                              const ps_options *options, ps_error *err)
{
        ps_network *network = NULL;
        ps_status status = PS_OK;

        if (!wants_profile(options))
                return PS_OK;
        status = ps_profile_make(profile, info->trace, &info->trace->measured, options->info.bins, err);
        if (status == PS_OK && options->machine.network)
                status = ps_network_open(&network, options->machine.network, info->trace->defs.processes.n,
                                         err);
        if (status == PS_OK && network)
                status = ps_link_load_make(links, *profile, network, err);
        ps_network_free(network);
        info->profile = *profile;
        info->links = *links;
        info->network = options->machine.network;
        return status;
}

/* What they waited for is the analysis' to tell. */
static ps_status make_functions(ps_info *info, ps_functions **functions, ps_times **times,
                                const ps_options *options, ps_error *err)
{
        const ps_analysis_options how = {.epsilon = -1, .n_threads = options->load.threads};
        const ps_timing *measured = &info->trace->measured;
        ps_analysis *analysis = NULL;

        if (!options->info.functions)
                return PS_OK;
        ps_status status = ps_analyse(&analysis, info->trace, measured, &how, err);
        PS_THEN(status, ps_times_make(times, info->trace, measured, analysis->moves, err));
        PS_THEN(status, ps_functions_make(functions, info->trace, measured, analysis->waiting, err));
        ps_analysis_free(analysis);
        info->functions = *functions;
        info->times = *times;
        return status;
}

ps_status ps_cmd_info(const ps_options *options, ps_exit *code, ps_error *err)
{
        const char *path = options->arguments[0];
        ps_load_options how = ps_input_options(options, NULL);
        ps_overview overview = {0};
        ps_ending ending = {0};
        ps_trace *trace = NULL;
        ps_profile *profile = NULL;
        ps_link_load *links = NULL;
        ps_functions *functions = NULL;
        ps_times *times = NULL;
        ps_status status = check_reports(options, err);

        PS_THEN(status, ps_input_read(&trace, options, path, &how, err));
        if (status != PS_OK)
                return status;
        status = ps_overview_collect(&overview, trace, err);
        PS_THEN(status, ps_ending_find(&ending, trace, err));
        if (status != PS_OK)
                goto out;
        ps_info info = {.path = path, .trace = trace, .overview = &overview, .ending = &ending};
        status = make_profile(&info, &profile, &links, options, err);
        PS_THEN(status, make_functions(&info, &functions, &times, options, err));
        PS_THEN(status, ps_input_reports(options, write_info, &info, err));
        if (status == PS_OK)
                *code = ps_input_judge(options, trace->n_events, &trace->issues);
out:
        ps_functions_free(functions);
        ps_times_free(times);
        ps_link_load_free(links);
        ps_profile_free(profile);
        ps_ending_clear(&ending);
        ps_overview_clear(&overview);
        ps_trace_close(trace);
        return status;
}
