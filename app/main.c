/* main.c - parses the command line, runs the command, turns its status into an exit code. */
#include "app/cli/commands.h"
#include "app/cli/config.h"
#include "app/cli/input.h"
#include "app/cli/message.h"
#include "core/base/blocks.h"
#include "core/base/memory.h"

#include <commit.h>

#include <stdio.h>
#include <unistd.h>

static ps_exit fail_usage(const ps_options *options, const ps_error *err)
{
        ps_message_error(&options->terminal, err);
        if (options->command && !options->is_implicit)
                fprintf(stderr, "Try \"patscan help %s\".\n", options->command->name);
        else
                fputs("Try \"patscan --help\".\n", stderr);
        return ps_exit_of(err->status);
}

static ps_exit run_command(ps_options *options)
{
        ps_error err = {0};
        ps_exit code = PS_EXIT_OK;
        ps_status status = ps_input_take_pipes(options, &err);
        const char *near;

        if (options->reports.n)
                ps_blocks_beside(options->reports.row[0].file);
        PS_THEN(status, options->command->run(options, &code, &err));
        if (ps_memory_lacks() && status != PS_E_NOMEM && status != PS_E_OUTPUT) /* whatever it seemed to be */
                status = PS_NOMEM(&err, "all that was asked for", ps_memory_lacks());
        if (status == PS_OK)
                return code;
        ps_message_error(&options->terminal, &err);
        near = options->is_implicit ? ps_commands_nearest(options->arguments[0]) : NULL;
        if (near && access(options->arguments[0], F_OK))
                fprintf(stderr, "patscan: did you mean the command \"%s\"?\n", near);
        return ps_exit_of(status);
}

int main(int argc, char **argv)
{
        ps_options options;
        ps_config config = {.arena = NULL};
        ps_error err = {0};
        ps_status status = ps_options_parse(&options, argc, argv, &err);
        ps_exit code;

        options.manual.commit = PS_COMMIT;
        /* What else a process of a parallel run does is up to the program. */
        if (status == PS_OK && !options.no_config && ps_options_has(&options, "epsilon") &&
            !(options.command->traits & PS_FINDS_CONFIG))
                status = ps_config_read(&config, NULL, &err);
        PS_THEN(status, ps_config_apply(&config, &options, &err));
        code = status == PS_OK ? run_command(&options) : fail_usage(&options, &err);
        ps_config_clear(&config);
        return (int)code;
}
