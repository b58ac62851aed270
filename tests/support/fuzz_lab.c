/* fuzz_lab.c - see fuzz_lab.h. */
#include "tests/support/fuzz_lab.h"
#include "tests/support/analysed.h"
#include "tests/support/loaded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fuzz_must(int holds)
{
        if (!holds)
                abort();
}

char *fuzz_text(const uint8_t *data, size_t size)
{
        char *text = malloc(size + 1);
        fuzz_must(text != NULL);
        if (size)
                memcpy(text, data, size);
        text[size] = '\0';
        return text;
}

unsigned fuzz_lines(char *text, const char **lines, unsigned most)
{
        unsigned n = 0;
        for (char *line = text; line && n < most; n++) {
                char *end = strchr(line, '\n');
                lines[n] = line;
                if (end)
                        *end++ = '\0';
                line = end;
        }
        return n;
}

const char *fuzz_path(void)
{
        static char path[64];
        if (!path[0])
                snprintf(path, sizeof(path), "%s/patscan-fuzz-%ld",
                         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
        return path;
}

void fuzz_write(const char *path, const uint8_t *data, size_t size)
{
        FILE *file = fopen(path, "wb");
        fuzz_must(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

/* -- streams -- */

static void check_event(const ps_defs *defs, const ps_event *e, ps_time last)
{
        int is_region = e->kind == PS_EV_ENTER || e->kind == PS_EV_LEAVE;
        fuzz_must(e->time >= last && e->time <= PS_READER_TIME_LIMIT);
        fuzz_must(e->code < defs->codes.n && e->kind < PS_EV_COUNT);
        fuzz_must(e->comm == PS_NONE || e->comm < defs->comms.n || e->kind == PS_EV_RMA_GROUP_SYNC);
        fuzz_must(!is_region || e->ref == PS_NONE || e->ref < defs->regions.n);
}

static void read_stream(const ps_reader_class *format, ps_stream *stream, const ps_defs *defs,
                        ps_issues *issues)
{
        static ps_batch batch;
        ps_time last = -PS_READER_TIME_LIMIT;
        while (format->stream_next(stream, &batch, issues, NULL) == PS_OK && batch.n > 0)
                for (uint32_t i = 0; i < batch.n; i++) {
                        check_event(defs, &batch.event[i], last);
                        last = batch.event[i].time;
                }
}

void fuzz_streams(const ps_reader_class *format, const char *path)
{
        static ps_issues issues;
        ps_defs defs;
        ps_reader *reader;
        ps_stream *stream;
        memset(&issues, 0, sizeof(issues));
        fuzz_must(ps_defs_init(&defs, NULL) == PS_OK);
        if (format->open(&reader, path, &defs, &issues, NULL) == PS_OK) {
                /* The reader has to sort out what the trace got wrong. */
                fuzz_must(ps_defs_freeze(&defs, NULL) == PS_OK);
                for (ps_loc i = 0; i < defs.locations.n; i++)
                        if (format->stream_open(&stream, reader, i, NULL) == PS_OK) {
                                read_stream(format, stream, &defs, &issues);
                                format->stream_close(stream);
                        }
                format->close(reader);
        }
        ps_defs_free(&defs);
}

void fuzz_analyse(const char *path)
{
        ps_trace *trace = loaded_hostile(path, 1);
        if (trace)
                analysed_hostile(trace);
        ps_trace_close(trace);
}
