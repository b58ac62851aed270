/* program.c - parses the command line, runs the command, turns its status into an exit code. */
#include "app/cli/program.h"
#include "app/cli/commands.h"
#include "app/cli/config.h"
#include "app/cli/input.h"
#include "app/cli/limited.h"
#include "app/cli/message.h"
#include "core/base/blocks.h"
#include "core/base/limit.h"
#include "core/base/memory.h"
#include "library/run/cached.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { NOTE_ROOM = 64 };

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
        if (status == PS_OK && ps_cached_only_clears(options))
                status = ps_cached_clear(options, &err);
        else
                PS_THEN(status, options->command->run(options, &code, &err));
        if (ps_memory_lacks() && status != PS_E_NOMEM && status != PS_E_OUTPUT) /* whatever it seemed to be */
                status = PS_NOMEM(&err, "all that was asked for", ps_memory_lacks());
        if (status == PS_OK)
                return code;
        if (status == PS_E_NOMEM)
                ps_limited_fail();
        ps_message_error(&options->terminal, &err);
        near = options->is_implicit && options->n_arguments ? ps_commands_nearest(options->arguments[0])
                                                            : NULL;
        if (near && access(options->arguments[0], F_OK))
                fprintf(stderr, "patscan: did you mean the command \"%s\"?\n", near);
        return ps_exit_of(status);
}

/* -- several processes -- */

static void tell_of_waiting(void *ctx, uint32_t other, double seconds)
{
        const ps_options *options = ctx;

        if (!options->terminal.quiet) /* whoever sits before a terminal: launchers make a pipe of it */
                fprintf(stderr, "patscan: waiting for process %" PRIu32 " for %.0f s\n", other, seconds);
}

static ps_status take_part(ps_options *options, ps_exchange *x, ps_error *err)
{
        if (!x)
                return PS_OK;
        if (!(options->command->traits & PS_ON_MANY))
                return PS_FAIL(
                        err, PS_E_USAGE,
                        "patscan-mpi only analyses a trace or shows what it holds: command=\"%s\"; use "
                        "patscan for the others",
                        options->command->name);
        /* Launchers give programs a terminal where there is none. */
        if (options->terminal.color == PS_COLOR_AUTO)
                options->terminal.color = PS_COLOR_NEVER;
        x->asked_threads = options->load.threads;
        x->waits = tell_of_waiting;
        x->waits_ctx = options;
        options->load.exchange = x;
        options->load.threads = options->load.threads ? options->load.threads : x->n_threads;
        return PS_OK;
}

static void tell_of_exchange(const ps_options *options, const ps_exchange *x)
{
        if (!x || !x->told.is_known)
                return;
        ps_message_note(&options->terminal, "rows: %s%s",
                        x->told.rows_travelled ? "all in process 0, because " : "where they were read",
                        x->told.rows_travelled ? x->told.rows_travelled : "");
        ps_message_note(&options->terminal,
                        "exchange: messages %" PRIu64 ", crossing %" PRIu64 ", collectives %" PRIu64
                        ", bytes %" PRIu64 " match, %" PRIu64 " causes, %" PRIu64 " reading, %" PRIu64
                        " sums",
                        x->told.messages, x->told.crossing, x->told.collectives, x->told.match_bytes,
                        x->told.cause_bytes, x->told.read_bytes, x->told.sum_bytes);
}

/* What a trace took, the least --memory that would have been taken for it, and what of it lay in a file. */
static void tell_of_memory(const ps_options *options)
{
        ps_blocks_told told = ps_blocks_tell();
        char limit[NOTE_ROOM] = "", file[NOTE_ROOM + PATH_MAX] = "";
        uint64_t addresses;
        struct rusage usage;
        if (!told.least || getrusage(RUSAGE_SELF, &usage) != 0)
                return;
        if (told.limit)
                snprintf(limit, sizeof(limit), ", limit_bytes=%" PRIu64, told.limit);
        else if (ps_limit_of_addresses(&addresses))
                snprintf(limit, sizeof(limit), ", ulimit_v_bytes=%" PRIu64, addresses);
        if (*told.folder)
                snprintf(file, sizeof(file), ", file_bytes=%" PRIu64 ", path=\"%s\"", told.in_file,
                         told.folder);
        ps_message_note(&options->terminal, "memory: resident_bytes=%" PRIu64 ", least_bytes=%" PRIu64 "%s%s",
                        (uint64_t)usage.ru_maxrss * 1024, told.least, limit, file);
}

void ps_program_complain(const char *text)
{
        fprintf(stderr, "patscan: error: %s\n", text);
}

static void go_on(int number)
{
        (void)number;
}

/* What is beyond `ulimit -f` cannot be written then, as on a full disk: left alone, the signal ends the
 * program without a word, and files without a name of their own stay. Programs that are started get it. */
static void outlive_file_limit(void)
{
        struct sigaction how;
        if (sigaction(SIGXFSZ, NULL, &how) == 0 && how.sa_handler == SIG_DFL) {
                how = (struct sigaction){.sa_handler = go_on, .sa_flags = SA_RESTART};
                sigaction(SIGXFSZ, &how, NULL);
        }
}

int ps_program(int argc, char **argv, const char *commit, ps_exchange *exchange)
{
        ps_options options;
        ps_config config = {.arena = NULL};
        ps_error err = {0};
        ps_exit code;

        if (!ps_limited_has_stack()) {
                ps_program_complain("a stack of 1 MiB is needed, and ulimit -s allows less");
                return PS_EXIT_INTERNAL;
        }
        ps_status status = ps_options_parse(&options, argc, argv, &err);
        outlive_file_limit();
        options.manual.commit = commit;
        PS_THEN(status, take_part(&options, exchange, &err));
        if (status == PS_OK && !options.no_config && ps_options_has(&options, "epsilon") &&
            !(options.command->traits & PS_FINDS_CONFIG))
                status = ps_config_read(&config, NULL, &err);
        PS_THEN(status, ps_config_apply(&config, &options, &err));
        if (status == PS_OK)
                ps_limited_begin(&options);
        code = status == PS_OK ? run_command(&options) : fail_usage(&options, &err);
        tell_of_memory(&options);
        tell_of_exchange(&options, exchange);
        ps_config_clear(&config);
        return (int)code;
}
