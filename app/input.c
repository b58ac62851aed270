/* input.c - loading options, and the verdict on what was loaded. */
#include "app/input.h"
#include "app/message.h"
#include "core/overview.h"

ps_load_options ps_input_options(const ps_options *options, ps_progress *progress)
{
        return (ps_load_options){.n_threads = options->threads,
                                 .strict = options->strict != 0,
                                 .clock = (ps_clock_mode)options->clock,
                                 .progress = ps_progress_update,
                                 .progress_ctx = progress};
}

ps_exit ps_input_judge(const ps_options *options, uint64_t n_events, const ps_issues *issues)
{
        if (!n_events) {
                ps_message_warn(options, "the trace holds no events");
                return PS_EXIT_PARTIAL;
        }
        if (!ps_issues_are_partial(issues) || options->allow_partial)
                return PS_EXIT_OK;
        ps_message_warn(options, "a part of the trace could not be read; --allow-partial accepts that");
        return PS_EXIT_PARTIAL;
}
