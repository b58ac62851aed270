/* lsp.c - patscan lsp: findings in an editor. */
#include "app/cli/input.h"
#include "app/lsp/server.h"
#include "report/facts/saved.h"

#include <unistd.h>

/* As analyze does it, into a file. */
static ps_status analyse(void *ctx, const char *file, ps_error *err)
{
        ps_options options = *(const ps_options *)ctx;
        ps_exit code = PS_EXIT_OK;
        int json = ps_choice_find(ps_commands[PS_CMD_ANALYZE].reports, "json", 4);
        options.command = &ps_commands[PS_CMD_ANALYZE];
        options.reports.row[0] = (ps_report_request){.text = "json", .format = (unsigned)json, .file = file};
        options.reports.n = 1;
        options.terminal.quiet = 1;
        return ps_cmd_analyze(&options, &code, err);
}

ps_status ps_cmd_lsp(const ps_options *asked, ps_exit *code, ps_error *err)
{
        ps_options options = *asked;
        const char *source = options.arguments[0];
        ps_lsp_options server = {.source = source,
                                 .is_report = ps_saved_is(source),
                                 .page = options.lsp.page,
                                 .where = ps_input_sources(&options.source),
                                 .in = STDIN_FILENO,
                                 .out = STDOUT_FILENO,
                                 .analyse = analyse,
                                 .ctx = &options};
        bool is_orderly = false;
        if (access(source, R_OK) != 0)
                return PS_FAIL(err, PS_E_INPUT, "there is no report or trace \"%s\"", source);
        PS_TRY(ps_lsp_serve(&server, &is_orderly, err));
        *code = is_orderly ? PS_EXIT_OK : PS_EXIT_GATE;
        return PS_OK;
}
