/* info.c - see info.h. */
#include "library/run/info.h"
#include "core/load/profiled.h"
#include "core/load/share.h"
#include "library/run/input.h"
#include "library/run/plan.h"
#include "library/run/quantity.h"
#include "patterns/engine/engine.h"

#include <string.h>

static ps_info_writer *find_writer(const char *format)
{
        static ps_info_writer *const writers[] = {ps_info_write_text, ps_info_write_json, ps_info_write_csv,
                                                  ps_info_write_html, ps_info_write_markdown};
        int at = ps_table_format(format);
        return at < 0 ? NULL : writers[at];
}

/* Of a table there is nothing without the profile. */
static bool wants_profile(const ps_options *options)
{
        return options->info.profile || options->machine.network || options->info.bins;
}

ps_status ps_info_check(const ps_options *options, const char *format, ps_error *err)
{
        ps_info_writer *write = find_writer(format);
        if (!write)
                return PS_FAIL(err, PS_E_USAGE,
                               "there is no such report: value=\"%.40s\", "
                               "choices=\"text|json|csv|html|markdown\"",
                               format);
        return write != ps_info_write_csv || wants_profile(options)
                       ? PS_OK
                       : PS_FAIL(err, PS_E_USAGE, "--report csv writes the profile, so it needs --profile");
}

/* What is told, and what of it is owned. */
typedef struct gathered {
        ps_info info;
        ps_overview overview;
        ps_ending ending;
        ps_crowding crowding;
        ps_profile *profile;
        ps_link_load *links;
        ps_functions *functions;
        ps_times *times;
} gathered;

static ps_status make_profile(gathered *g, const ps_options *options, ps_error *err)
{
        const ps_trace *trace = g->info.trace;
        ps_network *network = NULL;
        ps_status status = PS_OK;

        if (!wants_profile(options))
                return PS_OK;
        status = ps_profile_make_all(&g->profile, trace, &trace->measured, options->info.bins, err);
        if (status == PS_OK && options->machine.network)
                status = ps_network_open(&network, options->machine.network, trace->defs.processes.n, err);
        if (status == PS_OK && network)
                status = ps_link_load_make(&g->links, g->profile, network, err);
        ps_network_free(network);
        g->info.profile = g->profile;
        g->info.links = g->links;
        g->info.network = options->machine.network;
        return status;
}

/* What they waited for is the analysis' to tell. */
static ps_status make_functions(gathered *g, const ps_options *options, ps_error *err)
{
        const ps_trace *trace = g->info.trace;
        const ps_analysis_options how = {.epsilon = -1, .n_threads = ps_plan_threads(options, trace)};
        const ps_timing *measured = &trace->measured;
        ps_analysis *analysis = NULL;

        if (!options->info.functions)
                return PS_OK;
        ps_status status = ps_analyse(&analysis, trace, measured, &how, err);
        PS_THEN(status, ps_times_make(&g->times, trace, measured, analysis->moves, err));
        PS_THEN(status, ps_functions_make(&g->functions, trace, measured, analysis->waiting, err));
        ps_analysis_free(analysis);
        g->info.functions = g->functions;
        g->info.times = g->times;
        return status;
}

static void gathered_clear(gathered *g)
{
        ps_functions_free(g->functions);
        ps_times_free(g->times);
        ps_link_load_free(g->links);
        ps_profile_free(g->profile);
        ps_crowding_clear(&g->crowding);
        ps_ending_clear(&g->ending);
        ps_overview_clear(&g->overview);
}

ps_status ps_info_write(const ps_trace *trace, const ps_options *options, const char *format, ps_output *out,
                        ps_error *err)
{
        gathered g = {.info = {.path = options->arguments[0],
                               .trace = trace,
                               .overview = &g.overview,
                               .ending = &g.ending,
                               .crowding = &g.crowding}};
        ps_status status = ps_info_check(options, format, err);
        if (!options->info.functions && !wants_profile(options))
                ps_share_forget(trace); /* nothing is asked of other processes */

        PS_THEN(status, ps_overview_collect(&g.overview, trace, err));
        PS_THEN(status, ps_ending_find(&g.ending, trace, err));
        PS_THEN(status, ps_crowding_find(&g.crowding, trace, err));
        PS_THEN(status, make_profile(&g, options, err));
        PS_THEN(status, make_functions(&g, options, err));
        PS_THEN(status, find_writer(format)(&g.info, out, err));
        gathered_clear(&g);
        return status;
}
