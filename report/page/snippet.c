/* snippet.c - see snippet.h. */
#include "report/page/snippet.h"
#include "core/base/file.h"
#include "report/document/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { AROUND = 3, LINE_ROOM = 400, LINES_MOST = 1000000 };

/* The next line of a file, without its end; what is longer than the room is cut. 0: there is none. */
static bool read_source_line(FILE *file, char room[LINE_ROOM])
{
        size_t n;
        if (!fgets(room, LINE_ROOM, file))
                return false;
        n = strcspn(room, "\r\n");
        if (n == LINE_ROOM - 1)
                for (int c = fgetc(file); c != EOF && c != '\n';)
                        c = fgetc(file);
        room[n] = '\0';
        return true;
}

ps_status ps_snippet_put(const ps_report *report, const ps_source_place *place, ps_output *out, ps_error *err)
{
        const char *path = place->file && place->line && place->line < LINES_MOST
                                   ? ps_sources_file_on_disk(report->sources, place->file)
                                   : NULL;
        uint32_t first = place->line > AROUND ? place->line - AROUND : 1, line = 0;
        FILE *file = path ? ps_file_open(path) : NULL;
        char room[LINE_ROOM];
        (void)err;
        if (!file)
                return PS_OK;
        ps_output_printf(out, ",\"snippet\":[%" PRIu32, first);
        while (line < place->line + AROUND && read_source_line(file, room))
                if (++line >= first) {
                        ps_output_putc(out, ',');
                        ps_html_script_text(out, room);
                }
        ps_output_putc(out, ']');
        fclose(file);
        return PS_OK;
}
