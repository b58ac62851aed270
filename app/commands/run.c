/* run.c - patscan run: records a program and analyses the recording. */
#include "app/cli/input.h"
#include "app/commands/recorded.h"
#include "library/run/plan.h"
#include "library/run/quantity.h"
#include "record/finish/finish.h"
#include "report/print/uri.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Who asks for no report in particular gets the page beside the text, in the folder of the recording. */
static ps_status add_page(ps_options *options, char file[PATH_MAX], const char *folder, ps_error *err)
{
        if (snprintf(file, PATH_MAX, "%s/" PS_FINISH_PAGE, folder) >= PATH_MAX)
                return PS_FAIL(err, PS_E_OUTPUT, "the path is too long: path=\"%s\"", folder);
        options->reports.has_extra = true;
        return ps_options_add_report(options, "html", file, err);
}

static ps_status tell_page(const char *file, ps_error *err)
{
        ps_output *out;
        char *uri = ps_uri_encode("file://", file);
        ps_status status = uri ? ps_output_open(&out, "-", PS_COLOR_NEVER, err) : PS_NOMEM(err, "path", 1);
        if (status == PS_OK) {
                ps_output_printf(out, "\nIn a browser: %s\n", uri);
                status = ps_output_commit(out, err);
        }
        free(uri);
        return status;
}

static ps_status analyse(ps_options *options, const char *folder, ps_exit *code, ps_error *err)
{
        char page[PATH_MAX];
        bool adds_page = !ps_options_given(options, "report");
        options->arguments[0] = folder;
        options->n_arguments = 1;
        if (adds_page)
                PS_TRY(add_page(options, page, folder, err));
        PS_TRY(ps_cmd_analyze(options, code, err));
        return adds_page ? tell_page(page, err) : PS_OK;
}

/* What the analysis would refuse is refused before the program has run for nothing. */
static ps_status check(const ps_options *options, ps_error *err)
{
        uint64_t bytes;
        ps_plan plan = {0};
        if (options->load.memory)
                PS_TRY(ps_size_parse(&bytes, options->load.memory, "--memory", err));
        ps_status status = ps_plan_make(&plan, options, err);
        ps_plan_clear(&plan);
        return status;
}

ps_status ps_cmd_run(const ps_options *options, ps_exit *code, ps_error *err)
{
        ps_recorded recorded;
        ps_options recording = *options, analysis = *options;
        PS_TRY(check(options, err));
        /* People read what is made of it: a call without the functions around it tells them little. */
        if (!recording.record.unwind)
                recording.record.unwind = "20";
        PS_TRY(ps_record_run(&recorded, &recording, err));
        /* What was asked of the recording is not asked of the analysis once more. */
        analysis.focus.from = analysis.focus.ranks = NULL;
        analysis.reports.output = NULL;
        if (recorded.is_there)
                PS_TRY(analyse(&analysis, recorded.folder, code, err));
        if (recorded.status != 0)
                *code = (ps_exit)recorded.status;
        return PS_OK;
}
