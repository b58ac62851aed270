/* dump.c - patscan dump: the merged events, one a line. */
#include "app/cli/input.h"
#include "app/cli/message.h"
#include "app/commands/merged.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/sums/damage.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An archive is a folder, which takes the place of the output. */
static ps_status check_folder(const ps_options *options, ps_error *err)
{
        DIR *folder = options->dump.folder ? ps_folder_open(options->dump.folder) : NULL;
        unsigned n = 0;

        if (options->dump.folder && options->reports.output)
                return PS_FAIL(err, PS_E_USAGE,
                               "--format otf2:DIR writes to DIR, so nothing is left for --output");
        while (folder && readdir(folder))
                n++;
        if (folder)
                closedir(folder);
        if (n > 2) /* . and .. */
                return PS_FAIL(err, PS_E_USAGE, "the folder is not empty: path=\"%s\"", options->dump.folder);
        return PS_OK;
}

ps_status ps_cmd_dump(const ps_options *options, ps_exit *code, ps_error *err)
{
        const char *path = options->arguments[0],
                   *target = options->reports.output ? options->reports.output : "-";
        const ps_reader_class *format;
        ps_dump_result result;
        ps_progress progress;
        ps_output *out;
        ps_status status = check_folder(options, err);
        double seconds;

        PS_THEN(status, ps_reader_find(&format, path, err));
        PS_THEN(status, ps_output_open(&out, target, (ps_color_mode)options->terminal.color, err));
        if (status != PS_OK)
                return status;
        ps_progress_begin(&progress, &options->terminal, "writing", strcmp(target, "-") == 0);
        status = ps_dump_run(&result, format, path, options, &progress, out, err);
        seconds = ps_progress_end(&progress);
        if (status != PS_OK) {
                ps_output_discard(out);
                return status;
        }
        PS_TRY(ps_output_commit(out, err));
        ps_message_note(&options->terminal, "wrote %" PRIu64 " events in %.3f s", result.n_events, seconds);
        if (result.n_lossy)
                ps_message_warn(&options->terminal,
                                "the format cannot hold everything in the trace: events=%" PRIu64,
                                result.n_lossy);
        *code = ps_input_judge(options, result.n_seen, &result.issues);
        ps_input_warn(options, path, &result.issues, result.n_messages);
        ps_damage damage = ps_damage_of(&result.issues, result.n_messages);
        if (ps_issues_total(&result.issues) && !ps_is_damaged(&damage)) {
                char *quoted = ps_text_quoted_path(path);
                ps_message_warn(&options->terminal, "the trace has defects: see \"patscan info %s\"",
                                quoted ? quoted : path);
                free(quoted);
        }
        return PS_OK;
}
