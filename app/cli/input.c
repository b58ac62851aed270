/* input.c - loading options, and the verdict on what was loaded. */
#include "app/cli/input.h"
#include "app/cli/focus.h"
#include "app/cli/message.h"
#include "core/model/trace.h"
#include "core/sums/damage.h"
#include "core/sums/overview.h"
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

/* Scalasca corrects no times unless it is told to. */
static ps_clock_mode clock_mode(const ps_options *options)
{
        if (options->analysis.definitions == PS_DEFINITIONS_SCALASCA && !ps_options_given(options, "clock"))
                return PS_CLOCK_AS_IS;
        return (ps_clock_mode)options->load.clock;
}

bool ps_input_wants_page(const ps_options *options)
{
        for (unsigned i = 0; i < options->reports.n; i++) {
                const char *known = options->command->reports; /* NULL: what is served is a page */
                if (!known ||
                    (int)options->reports.row[i].format == ps_choice_find(known, "html", strlen("html")))
                        return true;
        }
        return false;
}

ps_load_options ps_input_options(const ps_options *options, ps_progress *progress)
{
        return (ps_load_options){.n_threads = options->load.threads,
                                 .strict = options->load.strict != 0,
                                 .clock = clock_mode(options),
                                 .progress = ps_progress_update,
                                 .progress_ctx = progress,
                                 .upc_flags = (ps_upc_flags)options->load.upc_flags,
                                 .call_stacks = ps_input_wants_page(options)};
}

ps_source_options ps_input_sources(const ps_asked_source *asked)
{
        return (ps_source_options){asked->roots.row, asked->roots.n, asked->maps.row, asked->maps.n};
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

static void warn_of_clocks(const ps_options *options, const ps_trace *trace, ps_clock_mode clock)
{
        char worst[PS_NUMBER_ROOM];

        if (clock != PS_CLOCK_AS_IS || ps_options_given(options, "clock") || !trace->clock.violations)
                return;
        ps_text_duration(worst, trace->clock.worst);
        ps_message_warn(
                &options->terminal,
                "some messages end before they begin, or collectives too early: messages=%" PRIu64
                ", collectives=%" PRIu64
                ", most=\"%s\"; --definitions scalasca leaves clocks as they are, --clock auto repairs them",
                trace->clock.message_violations, trace->clock.collective_violations, worst);
}

/* The first of several kinds of damage is named, and stands for all. */
void ps_input_warn(const ps_options *options, const char *path, const ps_issues *issues, uint64_t n_messages)
{
        ps_damage damage = ps_damage_of(issues, n_messages);
        bool is_refused = ps_issues_are_partial(issues) && !options->limits.allow_partial;

        if (damage.n_kinds)
                ps_message_warn(&options->terminal,
                                "the trace is damaged: issue=%s, count=%" PRIu64
                                ", kinds=%u; see \"patscan info %s\"%s",
                                ps_issue_infos[damage.first].name, issues->row[damage.first].count,
                                damage.n_kinds + (damage.lonely > 0), path,
                                is_refused ? "; part of it could not be read, which --allow-partial accepts"
                                           : "");
        else if (damage.lonely)
                ps_message_warn(&options->terminal,
                                "some messages have no partner: count=%" PRIu64 ", of=%" PRIu64
                                "; see \"patscan info %s\"",
                                damage.lonely, damage.messages, path);
}

/* What a run that was killed has left becomes an archive before it is read. */
static ps_status finish_recording(const ps_options *options, const char *path, ps_error *err)
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
        ps_focus_wish wish;
        ps_status status = ps_focus_asked(&wish, options, err);
        double seconds;

        PS_THEN(status, finish_recording(options, path, err));
        if (status != PS_OK)
                return status;
        with_progress.focus = &wish;
        with_progress.progress_ctx = &progress;
        ps_progress_begin(&progress, &options->terminal, "reading", 0);
        status = ps_trace_load(out, path, &with_progress, err);
        seconds = ps_progress_end(&progress);
        if (status != PS_OK)
                return status;
        ps_message_note(&options->terminal, "read %" PRIu64 " events in %.3f s", (*out)->n_events, seconds);
        ps_input_warn(options, path, &(*out)->issues, (*out)->n_messages);
        if (options->analysis.definitions == PS_DEFINITIONS_SCALASCA)
                warn_of_clocks(options, *out, how->clock);
        return PS_OK;
}

ps_status ps_input_load(ps_trace **out, const ps_options *options, const struct ps_piece_options *pieces,
                        ps_error *err)
{
        ps_load_options how = ps_input_options(options, NULL);

        how.pieces = pieces;
        return ps_input_read(out, options, options->arguments[0], &how, err);
}

ps_exit ps_input_judge(const ps_options *options, uint64_t n_events, const ps_issues *issues)
{
        if (!n_events) {
                ps_message_warn(&options->terminal, "the trace holds no events");
                return PS_EXIT_PARTIAL;
        }
        if (!ps_issues_are_partial(issues) || options->limits.allow_partial)
                return PS_EXIT_OK;
        return PS_EXIT_PARTIAL; /* ps_input_warn has said so */
}

/* Parts that are missing, or that are not what they are taken for. */
static const char *missing_parts(const ps_trace *trace)
{
        static const struct {
                ps_issue_kind kind;
                const char *reason;
        } reasons[] = {{PS_I_LOCAL_DEFS_MISSING, "local definitions are missing"},
                       {PS_I_FILE_SWAPPED, "the files of some locations seem to be swapped"},
                       {PS_I_FILE_COPIED, "a file seems to be a copy of another location's"}};

        for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
                if (trace->issues.row[reasons[i].kind].count)
                        return reasons[i].reason;
        return ps_damage_of(&trace->issues, trace->n_messages).lonely
                       ? "more than 1 % of the messages have no partner"
                       : NULL;
}

bool ps_input_distrusts(const ps_options *options, const ps_trace *trace, int on_waits)
{
        const char *missing = options->limits.allow_partial ? NULL : missing_parts(trace);
        int takes_clocks = options->load.clock == PS_CLOCK_AS_IS && ps_options_given(options, "clock");

        if (missing) {
                ps_message_warn(&options->terminal,
                                "the limits cannot be trusted: %s; --allow-partial checks them all the same",
                                missing);
                return 1;
        }
        if (on_waits && trace->clock.trust == PS_CLOCK_UNKNOWN && !takes_clocks) {
                ps_message_warn(&options->terminal,
                                "the limits cannot be trusted, because nobody knows how far the clocks of "
                                "the processes disagree; --clock as-is takes them as they are");
                return 1;
        }
        if (on_waits && trace->clock.trust == PS_CLOCK_BOUNDED)
                ps_message_warn(
                        &options->terminal,
                        "the clocks are known only within bounds: limits are checked on the likely values");
        return 0;
}

ps_status ps_input_reports(const ps_options *options,
                           ps_status (*write)(const void *what, const ps_report_request *request,
                                              ps_output *out, ps_error *err),
                           const void *what, ps_error *err)
{
        ps_status status = PS_OK;

        for (unsigned i = 0; i < options->reports.n && status == PS_OK; i++) {
                const ps_report_request *request = &options->reports.row[i];
                ps_output *out;
                status = ps_output_open(&out, request->file, (ps_color_mode)options->terminal.color, err);
                if (status != PS_OK)
                        break;
                status = write(what, request, out, err);
                if (status != PS_OK)
                        ps_output_discard(out);
                else
                        status = ps_output_commit(out, err);
        }
        return status;
}
