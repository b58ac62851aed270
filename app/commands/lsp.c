/* lsp.c - patscan lsp: findings in an editor. */
#include "app/cli/config.h"
#include "app/cli/input.h"
#include "app/lsp/server.h"
#include "report/saved/saved.h"

#include <unistd.h>

typedef struct project {
        ps_options options; /* with what the configuration says */
        ps_config config;   /* of the folder that the editor has open */
} project;

static ps_status configure(void *ctx, const char *root, ps_source_options *where, ps_error *err)
{
        project *p = ctx;
        PS_TRY(ps_config_read(&p->config, root, err));
        PS_TRY(ps_config_apply(&p->config, &p->options, err));
        *where = ps_input_sources(&p->options.source);
        return PS_OK;
}

static bool is_ignored(void *ctx, const char *site)
{
        const project *p = ctx;
        return ps_ignored_find(p->config.ignored, p->config.n_ignored, site) != NULL;
}

static ps_status ignore(void *ctx, const char *root, const char *site, ps_error *err)
{
        return ps_config_ignore(&((project *)ctx)->config, root, site, "ignored in the editor", err);
}

/* As analyze does it, into a file. */
static ps_status analyse_trace(void *ctx, const char *file, ps_error *err)
{
        ps_options options = ((const project *)ctx)->options;
        ps_exit code = PS_EXIT_OK;
        options.command = &ps_commands[PS_CMD_ANALYZE];
        options.reports.n = 0;
        PS_TRY(ps_options_add_report(&options, "json", file, err));
        options.terminal.quiet = 1;
        return ps_cmd_analyze(&options, &code, err);
}

ps_status ps_cmd_lsp(const ps_options *asked, ps_exit *code, ps_error *err)
{
        project p = {.options = *asked};
        const char *source = asked->arguments[0];
        ps_lsp_options server = {.source = source,
                                 .is_report = ps_saved_is(source),
                                 .page = asked->lsp.page,
                                 .where = ps_input_sources(&p.options.source),
                                 .in = STDIN_FILENO,
                                 .out = STDOUT_FILENO,
                                 .analyse = analyse_trace,
                                 .configure = configure,
                                 .is_ignored = is_ignored,
                                 .ignore = asked->no_config ? NULL : ignore,
                                 .ctx = &p};
        bool is_orderly = false;
        if (access(source, R_OK) != 0)
                return PS_FAIL(err, PS_E_INPUT, "there is no report or trace \"%s\"", source);
        ps_status status = ps_lsp_serve(&server, &is_orderly, err);
        ps_config_clear(&p.config);
        PS_TRY(status);
        *code = is_orderly ? PS_EXIT_OK : PS_EXIT_GATE;
        return PS_OK;
}
