/* dumped.c - see dumped.h. */
#include "tests/support/dumped.h"
#include "reader/reader.h"

#include "tests/support/damage.h"
#include "tests/support/loaded.h"
#include "tests/support/micro/micro.h"
#include "tests/support/sanitized.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_HOSTILE_LOCATIONS = 8, EACH_HOSTILE = 8 };

uint64_t dumped(const char *path, ps_dump_format format, const char *out)
{
        ps_options options = {.dump.format = format,
                              .dump.folder = format == PS_DUMP_OTF2 ? out : NULL,
                              .terminal.quiet = 1};
        const ps_reader_class *reader;
        ps_progress progress = {0};
        ps_dump_result result;
        ps_output *output;
        ps_error err = {0};
        ps_status status = ps_reader_find(&reader, path, &err);
        if (status == PS_OK)
                status = ps_output_open(&output, options.dump.folder ? "-" : out, PS_COLOR_NEVER, &err);
        if (status == PS_OK)
                status = ps_dump_run(&result, reader, path, &options, &progress, output, &err);
        if (status == PS_OK)
                status = ps_output_commit(output, &err);
        if (status != PS_OK)
                ps_test_die("cannot dump: %s", err.n_causes ? err.cause[0].text : "no reason");
        return result.n_lossy;
}

void dumped_hostile(const char *path, const ps_trace *trace)
{
        char copy[512];
        /* Each location is a file; and writing takes far longer than reading, so that some must do. */
        if (trace->n_locs > MOST_HOSTILE_LOCATIONS || trace->n_events % EACH_HOSTILE)
                return;
        snprintf(copy, sizeof(copy), "%s.copy", path);
        for (ps_dump_format format = PS_DUMP_TEXT; format < PS_DUMP_OTF2; format++) {
                dumped(path, format, copy);
                unlink(copy);
        }
        dumped(path, PS_DUMP_OTF2, copy);
        ps_trace_close(loaded_by(copy, 1, PS_CLOCK_AS_IS));
        ps_dir_remove(copy);
}

void dumped_each_micro(void (*visit)(const char *anchor, const char *title))
{
        glob_t found;
        if (glob("traces/patterns/*.trace", 0, NULL, &found))
                ps_test_die("no traces/patterns here");
        for (size_t i = 0; i < found.gl_pathc; i += SANITIZED ? 4 : 1) {
                char id[64];
                snprintf(id, sizeof(id), "%.63s", strrchr(found.gl_pathv[i], '/') + 1);
                *strrchr(id, '.') = 0;
                micro *m = micro_open(found.gl_pathv[i], ps_pattern_find(id));
                for (const micro_case *c; (c = micro_next(m));)
                        visit(c->anchor, c->title);
                micro_close(m);
        }
        globfree(&found);
}
