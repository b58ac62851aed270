/* recorded.c - see recorded.h. */
#include "app/commands/recorded.h"

#include "app/cli/input.h"
#include "app/cli/message.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "library/run/quantity.h"
#include "record/finish/finish.h"
#include "record/launch/launch.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NUMBER_ROOM = 32, WORDS = 24, FRAMES_MOST = 256, SAMPLES_MOST = 10000 };

/* What the options ask for, in the units of the recorder. */
typedef struct wish {
        char from[NUMBER_ROOM], length[NUMBER_ROOM], max_size[NUMBER_ROOM], buffer[NUMBER_ROOM],
                unwind[NUMBER_ROOM], sample[NUMBER_ROOM];
} wish;

static ps_status milliseconds(char out[NUMBER_ROOM], const char *text, const char *what, ps_error *err)
{
        ps_quantity time;
        if (!text)
                return PS_OK;
        PS_TRY(ps_quantity_parse(&time, text, strlen(text), what, err));
        if (time.is_share)
                return PS_FAIL(err, PS_E_USAGE, "%s needs a time: value=\"%s\"", what, text);
        snprintf(out, NUMBER_ROOM, "%" PRId64, time.time / (PS_PS_PER_S / 1000));
        return PS_OK;
}

static ps_status bytes(char out[NUMBER_ROOM], const char *text, const char *what, ps_error *err)
{
        uint64_t number;
        if (!text)
                return PS_OK;
        PS_TRY(ps_size_parse(&number, text, what, err));
        snprintf(out, NUMBER_ROOM, "%" PRIu64, number);
        return PS_OK;
}

static ps_status read_count(char out[NUMBER_ROOM], const char *text, const char *name, uint64_t most,
                            ps_error *err)
{
        uint64_t number;
        if (!text)
                return PS_OK;
        PS_TRY(ps_whole_parse(&number, name, text, 1, most, err));
        snprintf(out, NUMBER_ROOM, "%" PRIu64, number);
        return PS_OK;
}

/* "0-3,8": which of them there will be, nobody knows yet. */
static ps_status check_ranks(const char *text, ps_error *err)
{
        const char *at = text;
        while (at) {
                uint64_t first = 0, last = 0;
                if (!ps_number_range(&at, UINT32_MAX, &first, &last) || (*at && *at != ','))
                        return PS_FAIL(err, PS_E_USAGE, "--ranks needs ranks, such as 0-3,8: value=\"%.60s\"",
                                       text);
                at = *at ? at + 1 : NULL;
        }
        return PS_OK;
}

static ps_status take_wishes(wish *out, const ps_options *options, ps_error *err)
{
        *out = (wish){.from = ""};
        PS_TRY(check_ranks(options->focus.ranks, err));
        PS_TRY(milliseconds(out->from, options->focus.from, "--from", err));
        PS_TRY(milliseconds(out->length, options->record.length, "--for", err));
        PS_TRY(bytes(out->max_size, options->record.max_size, "--max-size", err));
        PS_TRY(bytes(out->buffer, options->record.buffer, "--buffer", err));
        PS_TRY(read_count(out->unwind, options->record.unwind, "unwind", FRAMES_MOST, err));
        return read_count(out->sample, options->record.sample, "sample", SAMPLES_MOST, err);
}

static const char *or_none(const char *text)
{
        return *text ? text : NULL;
}

/* -- the folder -- */

/* May this be in a recording's folder? */
static bool is_of_recording(const char *name)
{
        static const char *const parts[] = {".", "..", "traces", "traces.def", "traces.otf2", PS_FINISH_PAGE};
        for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
                if (strcmp(name, parts[i]) == 0)
                        return 1;
        return ps_finish_is_run(name);
}

/* What is there must be a recording, or an empty folder. Several processes may look at once. */
static ps_status check_folder(const char *path, ps_error *err)
{
        bool is_fine = 1;
        DIR *dir = ps_folder_open(path);
        if (!dir && errno == ENOENT)
                return PS_OK;
        for (struct dirent *entry; dir && is_fine && (entry = readdir(dir));)
                is_fine = is_of_recording(entry->d_name);
        if (dir)
                closedir(dir);
        if (dir && is_fine)
                return PS_OK;
        return PS_FAIL(err, PS_E_USAGE,
                       "only a recording may be replaced, and this is something else: path=\"%s\"", path);
}

static ps_status choose_folder(char out[PATH_MAX], const ps_options *options, ps_error *err)
{
        char here[PATH_MAX] = "";
        const char *asked = options->reports.output;
        bool is_whole = asked && asked[0] == '/';
        int n;
        if (!is_whole && !getcwd(here, sizeof(here)))
                return PS_FAIL(err, PS_E_INPUT, "cannot find the working directory: reason=\"%s\"",
                               strerror(errno));
        if (asked)
                n = snprintf(out, PATH_MAX, "%s%s%s", here, is_whole ? "" : "/", asked);
        else
                n = snprintf(out, PATH_MAX, "%s/%s.otf2", here, ps_launch_program(options->program));
        if (n >= PATH_MAX)
                return PS_FAIL(err, PS_E_USAGE, "the path is too long: path=\"%.80s\"", out);
        return check_folder(out, err);
}

/* `now`: the time as the file system has it, which may be another machine's. */
static ps_status make_folder(const char *path, int64_t *now, ps_error *err)
{
        char probe[PATH_MAX];
        struct stat info;
        bool is_made = (mkdir(path, 0777) == 0 || errno == EEXIST) &&
                       snprintf(probe, sizeof(probe), "%s/recording.%ld.new", path, (long)getpid()) <
                               (int)sizeof(probe) &&
                       mkdir(probe, 0777) == 0 && rmdir(probe) == 0 && stat(path, &info) == 0;
        if (!is_made)
                return PS_FAIL(err, PS_E_OUTPUT, "cannot make the folder: path=\"%s\", reason=\"%s\"", path,
                               strerror(errno));
        *now = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
        return PS_OK;
}

/* -- starting -- */

static ps_status prepare_recording(const ps_options *options, const wish *w, const char *folder,
                                   ps_error *err)
{
        const ps_launch_setting settings[] = {{"PATSCAN_RECORD", folder},
                                              {"PATSCAN_RECORD_RANKS", options->focus.ranks},
                                              {"PATSCAN_RECORD_FROM", or_none(w->from)},
                                              {"PATSCAN_RECORD_FOR", or_none(w->length)},
                                              {"PATSCAN_RECORD_MAX", or_none(w->max_size)},
                                              {"PATSCAN_RECORD_BUFFER", or_none(w->buffer)},
                                              {"PATSCAN_RECORD_UNWIND", or_none(w->unwind)},
                                              {"PATSCAN_RECORD_SAMPLE", or_none(w->sample)},
                                              {NULL, NULL}};
        return ps_launch_prepare(options->program, settings, err);
}

/* What stands before each program of a launcher's command line. */
static void fill_words(const char **words, const ps_options *options, const char *self, const char *folder)
{
        const char *const values[][2] = {{"-o", folder},
                                         {"--ranks", options->focus.ranks},
                                         {"--from", options->focus.from},
                                         {"--for", options->record.length},
                                         {"--max-size", options->record.max_size},
                                         {"--buffer", options->record.buffer},
                                         {"--unwind", options->record.unwind},
                                         {"--sample", options->record.sample}};
        *words++ = self;
        *words++ = "record";
        for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
                if (values[i][1]) {
                        *words++ = values[i][0];
                        *words++ = values[i][1];
                }
        *words++ = "--";
        *words = NULL;
}

static ps_status run_launcher(ps_recorded *out, const ps_options *options, ps_error *err)
{
        const char *words[WORDS];
        char *self = ps_launch_self(), **command = NULL;
        ps_status status = self ? PS_OK : PS_NOMEM(err, "path", 1);
        if (self)
                fill_words(words, options, self, out->folder);
        PS_THEN(status, ps_launch_insert(&command, options->program, words, err));
        PS_THEN(status, ps_launch_wait(command, &out->status, err));
        free((void *)command);
        free(self);
        return status;
}

static ps_status start_recording(ps_recorded *out, const ps_options *options, const wish *w, int64_t *since,
                                 ps_error *err)
{
        PS_TRY(ps_launch_check(options->program[0], err));
        PS_TRY(make_folder(out->folder, since, err));
        if (ps_launch_is_launcher(options->program))
                return run_launcher(out, options, err);
        if (ps_launch_is_rank() && !ps_launch_is_whole()) {
                /* To end here is to leave the others waiting: not all launchers end them, too. */
                ps_message_warn(&options->terminal,
                                "nothing is recorded, because only some programs of this run would be: write "
                                "patscan record -- mpirun ..., and choose with --ranks");
                return ps_launch_become(options->program, err);
        }
        PS_TRY(prepare_recording(options, w, out->folder, err));
        return ps_launch_is_rank() ? ps_launch_become(options->program, err)
                                   : ps_launch_wait(options->program, &out->status, err);
}

/* -- afterwards -- */

static void warn_of_nothing(const ps_recorded *out, const ps_options *options)
{
        (void)rmdir(out->folder); /* if nothing is in it */
        ps_message_warn(&options->terminal, "nothing was recorded: no process of the program got through "
                                            "MPI_Init with the recorder loaded");
}

static void finish_recording(ps_recorded *out, const ps_options *options, int64_t since)
{
        ps_finished finished;
        char *run = NULL;
        if (!ps_finish_is_due(out->folder, since, &run)) {
                warn_of_nothing(out, options);
                return;
        }
        ps_error failed = {0};
        ps_status status = ps_finish(run, 1, options->focus.ranks, &finished, &failed);
        if (status != PS_OK) { /* the program has its status all the same */
                ps_message_error(&options->terminal, &failed);
                ps_message_warn(&options->terminal,
                                "what was recorded is kept; when the cause is removed, this makes an archive "
                                "of it: patscan info %s",
                                out->folder);
                free(run);
                return;
        }
        free(run);
        if (!finished.n_recorded && !finished.is_done) {
                warn_of_nothing(out, options);
                return;
        }
        out->is_there = true;
        if (finished.is_done)
                return;
        if (*finished.incomplete)
                ps_message_warn(&options->terminal, "the recording is incomplete: %s", finished.incomplete);
        ps_message_note(&options->terminal, "recorded %u of %u ranks: %s/traces.otf2", finished.n_recorded,
                        finished.n_ranks, out->folder);
}

ps_status ps_record_run(ps_recorded *out, const ps_options *options, ps_error *err)
{
        wish w;
        *out = (ps_recorded){.status = 0};
        PS_TRY(take_wishes(&w, options, err));
        PS_TRY(choose_folder(out->folder, options, err));
        int64_t since = 0;
        ps_error failed = {0};
        ps_status status = start_recording(out, options, &w, &since, &failed);
        if (status != PS_OK) {
                ps_message_error(&options->terminal, &failed);
                if (!ps_launch_is_rank())
                        (void)rmdir(out->folder); /* if nothing is in it */
                out->status = status != PS_E_USAGE                           ? PS_NOT_STARTED
                              : ps_launch_is_no_program(options->program[0]) ? PS_NOT_EXECUTABLE
                                                                             : PS_NOT_FOUND;
                return PS_OK;
        }
        finish_recording(out, options, since);
        return PS_OK;
}
