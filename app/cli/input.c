/* input.c - loading options, and the verdict on what was loaded. */
#include "app/cli/input.h"
#include "app/cli/message.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "core/model/trace.h"
#include "core/sums/damage.h"
#include "core/sums/overview.h"
#include "library/run/focus.h"
#include "patterns/table/pattern.h"
#include "record/finish/finish.h"
#include "report/saved/saved.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIPE_NAME_ROOM = 24 };

ps_load_options ps_input_options(const ps_options *options, ps_progress *progress)
{
        ps_load_options how = ps_asked_load_options(options);

        how.progress = ps_progress_update;
        how.progress_ctx = progress;
        return how;
}

static ps_status copy_stream(FILE *to, FILE *from, const char *name, ps_error *err)
{
        char part[1 << 16];
        size_t n;

        while ((n = fread(part, 1, sizeof(part), from)))
                if (fwrite(part, 1, n, to) != n)
                        break;
        if (ferror(from))
                return PS_FAIL(err, PS_E_INPUT, "cannot read %s: reason=\"%s\"", name, strerror(errno));
        if (ferror(to) || fflush(to) || dup2(fileno(to), fileno(from)) < 0)
                return PS_FAIL(err, PS_E_OUTPUT, "cannot keep %s in a file: reason=\"%s\"", name,
                               strerror(errno));
        return PS_OK;
}

/* From then on the file stands behind the descriptor of the stream. */
static ps_status keep_stream(FILE *from, const char *name, ps_error *err)
{
        FILE *file = tmpfile();
        if (!file)
                return PS_FAIL(err, PS_E_OUTPUT, "cannot keep %s in a file: reason=\"%s\"", name,
                               strerror(errno));
        ps_status status = copy_stream(file, from, name, err);
        fclose(file);
        return status;
}

static bool is_pipe(const char *path)
{
        struct stat info;
        return stat(path, &info) == 0 && S_ISFIFO(info.st_mode);
}

/* The path that a shell gives to what <(command) writes stays what it is. */
static ps_status take_pipe(const char **path, char room[PIPE_NAME_ROOM], ps_error *err)
{
        const char *number = strncmp(*path, "/dev/fd/", 8) == 0 ? *path + 8 : "";
        uint64_t given = 0;
        bool is_given = ps_number_whole(&number, INT_MAX, &given) && !*number;
        FILE *from = is_given ? fdopen((int)given, "rb") : ps_file_open(*path);
        if (!from)
                return ps_file_unopened("pipe", *path, err);
        PS_TRY(keep_stream(from, *path, err)); /* it is never closed: what it holds is read from it */
        snprintf(room, PIPE_NAME_ROOM, "/dev/fd/%d", fileno(from));
        *path = is_given ? *path : room;
        return PS_OK;
}

static ps_status take_stdin(const char **path, ps_error *err)
{
        struct stat info;
        bool is_file = fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode);
        *path = "/dev/stdin";
        return is_file ? PS_OK : keep_stream(stdin, "the standard input", err);
}

ps_status ps_input_take_pipes(ps_options *options, ps_error *err)
{
        static char room[PS_ARGUMENTS_MAX][PIPE_NAME_ROOM];
        unsigned n = options->command->traits & PS_TAKES_STDIN ? options->n_arguments : 0;

        for (unsigned i = 0; i < n; i++) {
                const char **path = &options->arguments[i];
                if (strcmp(*path, "-") == 0)
                        PS_TRY(take_stdin(path, err));
                else if (is_pipe(*path))
                        PS_TRY(take_pipe(path, room[i], err));
        }
        return PS_OK;
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

bool ps_input_is_saved(const char *path)
{
        return ps_saved_is(path);
}

void ps_input_show_progress(ps_options *options, ps_input_bars *bars)
{
        ps_progress_begin(&bars->reading, &options->terminal, "reading", 0);
        ps_progress_begin(&bars->analysing, &options->terminal, "analysing", 0);
        options->load.progress = options->analysis.progress = ps_progress_update;
        options->load.progress_ctx = &bars->reading;
        options->analysis.progress_ctx = &bars->analysing;
}

ps_status ps_input_load(ps_trace **out, const ps_options *options, const struct ps_piece_options *pieces,
                        ps_error *err)
{
        ps_load_options how = ps_input_options(options, NULL);

        how.pieces = pieces;
        return ps_input_read(out, options, options->arguments[0], &how, err);
}
