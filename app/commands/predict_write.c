/* predict_write.c - a predicted run as a trace for other tools: PICL, or an OTF2 archive. */
#include "app/cli/message.h"
#include "app/commands/predict.h"
#include "core/base/file.h"
#include "library/api/lent.h"
#include "reader/otf2_writer/otf2_writer.h"
#include "reader/picl/writer.h"

#include <dirent.h>
#include <inttypes.h>
#include <string.h>

/* The folder of "otf2:DIR", or NULL. */
static const char *folder_of(const char *target)
{
        return strncmp(target, "otf2:", 5) == 0 ? target + 5 : NULL;
}

ps_status ps_predict_check_write(const ps_options *options, ps_error *err)
{
        const char *folder = options->predict.write ? folder_of(options->predict.write) : NULL;
        DIR *dir = folder ? ps_folder_open(folder) : NULL;
        unsigned n = 0;
        while (dir && readdir(dir))
                n++;
        if (dir)
                closedir(dir);
        if (n > 2) /* . and .. */
                return PS_FAIL(err, PS_E_USAGE, "the folder is not empty: path=\"%s\"", folder);
        for (unsigned i = 0; options->predict.write && i < options->reports.n; i++)
                if (strcmp(options->reports.row[i].file, options->predict.write) == 0)
                        return PS_FAIL(
                                err, PS_E_USAGE,
                                "the trace and a report would be written to the same place: file=\"%s\"",
                                options->predict.write);
        return PS_OK;
}

static ps_status write_picl(ps_picl_written *written, const char *path, const ps_defs *defs, ps_source source,
                            ps_error *err)
{
        ps_output *out;
        PS_TRY(ps_output_open(&out, path, PS_COLOR_NEVER, err));
        ps_status status = ps_picl_write(written, (ps_picl_sink){out, ps_output_take}, defs, source,
                                         &(ps_picl_write_options){0}, err);
        if (status == PS_OK)
                return ps_output_commit(out, err);
        ps_output_discard(out);
        return status;
}

ps_status ps_predict_write(const ps_options *options, const patscan_prediction *prediction, ps_error *err)
{
        ps_lent lent = {.defs = NULL};
        ps_otf2_written otf2 = {0};
        ps_picl_written picl = {0};
        if (!options->predict.write)
                return PS_OK;
        const char *folder = folder_of(options->predict.write);
        ps_status status = ps_prediction_lend(&lent, prediction, err);
        PS_THEN(status, folder ? ps_otf2_write(&otf2, folder, lent.defs, lent.source, err)
                               : write_picl(&picl, options->predict.write, lent.defs, lent.source, err));
        ps_replayed_source_free(lent.replayed);
        if (status == PS_OK && otf2.n_lossy + picl.n_lossy)
                ps_message_warn(&options->terminal,
                                "the format cannot hold everything in the trace: events=%" PRIu64,
                                otf2.n_lossy + picl.n_lossy);
        return status;
}
