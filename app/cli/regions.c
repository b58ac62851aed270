/* regions.c - see regions.h. */
#include "app/cli/regions.h"
#include "core/model/trace.h"
#include "reader/reader.h"
#include "report/print/output.h"
#include "report/print/text.h"

#include <stdlib.h>

static ps_status print_names(const ps_defs *defs, const ps_options *options, ps_error *err)
{
        ps_output *out;
        const char *target = options->reports.output ? options->reports.output : "-";
        PS_TRY(ps_output_open(&out, target, (ps_color_mode)options->terminal.color, err));
        for (uint32_t i = 0; i < defs->regions.n; i++) {
                const char *name = ps_strings_get(defs->strings, defs->regions.row[i].name);
                char *clean = ps_text_clean(name);
                if (clean && *clean)
                        ps_output_printf(out, "%s\n", clean);
                free(clean);
        }
        return ps_output_commit(out, err);
}

ps_status ps_regions_print(const ps_options *options, ps_error *err)
{
        const char *path = options->n_arguments > 1 ? options->arguments[1] : NULL;
        const ps_reader_class *format;
        ps_reader *reader = NULL;
        ps_issues issues = {0};
        ps_defs defs;

        if (!path)
                return PS_FAIL(err, PS_E_USAGE,
                               "argument missing: command=\"completion regions\", argument=TRACE");
        PS_TRY(ps_reader_find(&format, path, err));
        PS_TRY(ps_defs_init(&defs, err));
        ps_status status = format->open(&reader, path, &defs, &issues, err);
        PS_THEN(status, print_names(&defs, options, err));
        if (reader)
                format->close(reader);
        ps_defs_free(&defs);
        return status;
}
