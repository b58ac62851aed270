/* version.c - patscan --version: which patscan this is, and what it can do. */
#include "app/cli/commands.h"
#include "patscan/patscan.h"
#include "reader/reader.h"
#include "record/launch/launch.h"
#include "report/exports/exports.h"
#include "report/print/row.h"
#include "serve/server.h"

/* What not every patscan has: because of how it was built, or of what is installed here. */
static void write_features(ps_row *row)
{
        char name[PS_LAUNCH_RECORDER_ROOM];

        ps_row_open(row, "features", '[');
        if (ps_server_check(NULL) == PS_OK)
                ps_row_text(row, NULL, "view");
        if (ps_report_check_sqlite(NULL) == PS_OK)
                ps_row_text(row, NULL, "sqlite");
        for (unsigned i = 0; ps_launch_recorder(name, i); i++)
                if (*name)
                        ps_row_text(row, NULL, name);
        ps_row_close(row, ']');
}

static void write_version_json(ps_output *out, const char *commit)
{
        ps_row row = {.out = out, .style = PS_ROW_INDENTED};

        ps_row_open(&row, NULL, '{');
        ps_row_text(&row, "name", "patscan");
        ps_row_text(&row, "version", patscan_version());
        ps_row_text(&row, "commit", commit);
        ps_row_text(&row, "report_schema", "patscan-report-1");
        ps_row_open(&row, "formats", '[');
        for (unsigned i = 0; i < ps_reader_n_classes; i++)
                ps_row_text(&row, NULL, ps_reader_classes[i]->name);
        ps_row_close(&row, ']');
        write_features(&row);
        ps_row_close(&row, '}');
        ps_output_putc(out, '\n');
}

ps_status ps_cmd_version(const ps_options *options, ps_exit *code, ps_error *err)
{
        ps_output *out;

        (void)code;
        PS_TRY(ps_output_open(&out, "-", (ps_color_mode)options->terminal.color, err));
        if (options->manual.json)
                write_version_json(out, options->manual.commit);
        else
                ps_output_printf(out, "patscan %s\n", patscan_version());
        return ps_output_commit(out, err);
}
