/* lab.c - see lab.h. */
#include "tests/reader/picl/lab.h"

#include "core/load/load.h"
#include "reader/picl/picl.h"
#include "tests/support/analysed.h"
#include "tests/support/damage.h"
#include "tests/support/loaded.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char file_name[64], reason[PS_ERROR_TEXT];

const char *picl_written(const char *text, size_t n)
{
        snprintf(file_name, sizeof(file_name), "/tmp/patscan-picl-%ld.trf", (long)getpid());
        FILE *file = fopen(file_name, "wb");
        if (!file || fwrite(text, 1, n, file) != n || fclose(file) != 0)
                ps_test_die("cannot write: path=\"%s\"", file_name);
        return file_name;
}

ps_trace *picl_loaded(const char *text)
{
        static const ps_load_options options = {.n_threads = 1, .clock = PS_CLOCK_AS_IS};
        ps_trace *trace;
        ps_error err = {0};
        if (ps_load(&trace, &ps_picl_reader, picl_written(text, strlen(text)), &options, &err) != PS_OK)
                ps_test_die("cannot load: %s", err.cause[0].text);
        loaded_check(trace);
        unlink(file_name);
        return trace;
}

ps_trace *picl_loaded_or_null(const char *text)
{
        ps_trace *trace = loaded_hostile(picl_written(text, strlen(text)), 1);
        unlink(file_name);
        return trace;
}

int picl_hostile(const char *text, size_t n, int analyses)
{
        ps_trace *trace = loaded_hostile(picl_written(text, n), 1);
        int did_load = trace != NULL;
        if (trace && analyses)
                analysed_hostile(trace);
        ps_trace_close(trace);
        unlink(file_name);
        return did_load;
}

const char *picl_reason(const char *text)
{
        static const ps_load_options options = {.n_threads = 1};
        ps_trace *trace;
        ps_error err = {0};
        const char *path = picl_written(text, strlen(text));
        ps_status status = ps_load(&trace, &ps_picl_reader, path, &options, &err);
        unlink(path);
        if (status == PS_OK)
                ps_test_die("loads, but must not: \"%s\"", text);
        memcpy(reason, err.cause[0].text, sizeof(reason));
        return reason;
}

int picl_sure(const char *text)
{
        return ps_picl_reader.probe("x", (const uint8_t *)text, strlen(text));
}

const char *picl_given(const char *name)
{
        static char path[1024];
        const char *folder = getenv("PATSCAN_TRACES");
        char pattern[512];
        glob_t found = {0};
        snprintf(pattern, sizeof(pattern), "%s/%s", folder ? folder : "../*/traces/picl", name);
        path[0] = '\0';
        if (!glob(pattern, 0, NULL, &found))
                snprintf(path, sizeof(path), "%s", found.gl_pathv[0]);
        globfree(&found);
        return path[0] ? path : NULL;
}

ps_time picl_time_in(const ps_trace *trace, ps_loc loc, const char *region, int exclusive)
{
        ps_time sum = 0;
        for (uint32_t i = 0; i < trace->info[loc].n_uses; i++) {
                const ps_path_use *use = &trace->info[loc].uses[i];
                ps_region at = trace->paths[use->path].region;
                if (at != PS_NONE &&
                    !strcmp(ps_defs_str(&trace->defs, trace->defs.regions.row[at].name), region))
                        sum += exclusive ? use->exclusive : use->inclusive;
        }
        return sum;
}

uint64_t picl_count(const ps_trace *trace, const char *code)
{
        uint64_t n = 0;
        for (uint32_t c = 0; c < trace->defs.codes.n; c++)
                if (!strcmp(ps_defs_str(&trace->defs, trace->defs.codes.row[c]), code))
                        n += trace->events_by_code[c];
        return n;
}
