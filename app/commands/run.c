/* run.c - patscan run: records a program and analyses the recording. */
#include "app/commands/recorded.h"

ps_status ps_cmd_run(const ps_options *options, ps_exit *code, ps_error *err)
{
        ps_recorded recorded;
        ps_options analysis = *options;
        PS_TRY(ps_record(&recorded, options, err));
        /* What was asked of the recording is not asked of the analysis once more. */
        analysis.focus.from = analysis.focus.ranks = NULL;
        analysis.reports.output = NULL;
        analysis.arguments[0] = recorded.folder;
        analysis.n_arguments = 1;
        if (recorded.is_there)
                PS_TRY(ps_cmd_analyze(&analysis, code, err));
        if (recorded.status != 0)
                *code = (ps_exit)recorded.status;
        return PS_OK;
}
