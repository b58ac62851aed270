/* input.c - loading options, and the verdict on what was loaded. */
#include "app/cli/input.h"
#include "app/cli/message.h"
#include "core/model/trace.h"
#include "core/sums/damage.h"
#include "core/sums/overview.h"
#include "library/run/focus.h"
#include "patterns/table/pattern.h"
#include "record/finish/finish.h"
#include "report/print/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

ps_load_options ps_input_options(const ps_options *options, ps_progress *progress)
{
        ps_load_options how = ps_asked_load_options(options);

        how.progress = ps_progress_update;
        how.progress_ctx = progress;
        return how;
}

static ps_status copy_stdin(FILE *to, ps_error *err)
{
        char part[1 << 16];
        size_t n;

        while ((n = fread(part, 1, sizeof(part), stdin)))
                if (fwrite(part, 1, n, to) != n)
                        break;
        if (ferror(stdin))
                return PS_FAIL(err, PS_E_INPUT, "cannot read the standard input: reason=\"%s\"",
                               strerror(errno));
        if (ferror(to) || fflush(to) || dup2(fileno(to), STDIN_FILENO) < 0)
                return PS_FAIL(err, PS_E_OUTPUT, "cannot keep the standard input in a file: reason=\"%s\"",
                               strerror(errno));
        return PS_OK;
}

ps_status ps_input_take_stdin(ps_options *options, ps_error *err)
{
        bool is_asked = 0;
        struct stat info;

        if (!(options->command->traits & PS_TAKES_STDIN))
                return PS_OK;
        for (unsigned i = 0; i < options->n_arguments; i++) {
                if (strcmp(options->arguments[i], "-") != 0)
                        continue;
                options->arguments[i] = "/dev/stdin";
                is_asked = 1;
        }
        if (!is_asked || (fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode)))
                return PS_OK;
        FILE *file = tmpfile();
        if (!file)
                return PS_FAIL(err, PS_E_OUTPUT, "cannot keep the standard input in a file: reason=\"%s\"",
                               strerror(errno));
        ps_status status = copy_stdin(file, err);
        fclose(file);
        return status;
}

ps_status ps_input_finish(const ps_options *options, const char *path, ps_error *err)
{
        ps_finished finished;
        char *run;

        if (!ps_finish_is_due(path, 0, &run))
                return PS_OK;
        ps_status status = ps_finish(run, 0, NULL, &finished, err);
        if (status == PS_OK && !finished.n_recorded && !finished.is_done)
                ps_message_warn(
                        &options->terminal,
                        "the last recording was killed before any process had left anything: path=\"%s\"",
                        path);
        else if (status == PS_OK && !finished.is_done)
                ps_message_warn(&options->terminal,
                                "the recording had been left unfinished; it is finished now: path=\"%s\"%s%s",
                                path, *finished.incomplete ? "; " : "", finished.incomplete);
        free(run);
        return status;
}

ps_status ps_input_read(ps_trace **out, const ps_options *options, const char *path,
                        const ps_load_options *how, ps_error *err)
{
        ps_progress progress;
        ps_load_options with_progress = *how;

        PS_TRY(ps_input_finish(options, path, err));
        with_progress.progress_ctx = &progress;
        ps_progress_begin(&progress, &options->terminal, "reading", 0);
        ps_status status = ps_asked_read(out, options, path, &with_progress, err);
        ps_progress_end(&progress);
        return status;
}

ps_status ps_input_load(ps_trace **out, const ps_options *options, const struct ps_piece_options *pieces,
                        ps_error *err)
{
        ps_load_options how = ps_input_options(options, NULL);

        how.pieces = pieces;
        return ps_input_read(out, options, options->arguments[0], &how, err);
}
