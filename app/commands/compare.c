/* compare.c - patscan compare: two runs, or several a side, each a trace or a saved report. */
#include "app/cli/ask.h"
#include "app/cli/message.h"

#include <string.h>

static ps_status write_comparison(const void *comparison, const ps_report_request *request, ps_output *out,
                                  ps_error *err)
{
        const patscan_report_options look = ps_ask_look(out);

        return ps_ask_done(
                out, patscan_comparison_report(comparison, request->name, &look, ps_ask_put, out, err), err);
}

/* How many of the arguments are runs of the first side. */
static ps_status split_arguments(unsigned *first, const ps_options *options, ps_error *err)
{
        unsigned n = options->n_arguments;

        *first = n / 2;
        if (ps_options_given(options, "with"))
                *first = options->compare.words_before ? options->compare.words_before - 1 : 0;
        else if (n != 2)
                return PS_FAIL(err, PS_E_USAGE,
                               "patscan compare takes fewer arguments: given=%u, most=2; for several runs a "
                               "side write compare A... --with B...",
                               n);
        if (!*first || *first >= n)
                return PS_FAIL(err, PS_E_USAGE, "--with needs runs before and after it");
        return PS_OK;
}

/* Of a saved report nothing is read anew. */
static void tell_idle(const ps_options *options)
{
        unsigned n_saved = 0;

        for (unsigned i = 0; i < options->n_arguments; i++)
                n_saved += ps_input_is_saved(options->arguments[i]);
        if (n_saved && !(options->focus.focus && strcmp(options->focus.focus, "whole-run") == 0))
                ps_message_idle(options, "focus|from|to|ranks",
                                "a saved report covers the part of the run that it was made for");
        if (n_saved == options->n_arguments)
                ps_message_idle(options, PS_OPTIONS_OF_TRACES, "all runs are saved reports");
}

ps_status ps_cmd_compare(const ps_options *options, ps_exit *code, ps_error *err)
{
        const char *const *runs = options->arguments;
        ps_asked_calls asked;
        patscan_comparison *comparison = NULL;
        unsigned first;

        PS_TRY(split_arguments(&first, options, err));
        tell_idle(options);
        ps_ask(&asked, options);
        for (unsigned i = 0; i < options->n_arguments; i++)
                PS_TRY(ps_input_finish(options, runs[i], err));
        ps_status status =
                patscan_compare(&comparison, runs, first, runs + first, options->n_arguments - first,
                                &asked.compare, &asked.open, &asked.analyze, err);
        PS_THEN(status, ps_input_reports(options, write_comparison, comparison, err));
        if (status == PS_OK)
                *code = (ps_exit)patscan_comparison_judge(comparison);
        patscan_comparison_free(comparison);
        return status;
}
