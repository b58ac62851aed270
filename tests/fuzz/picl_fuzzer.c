/* picl_fuzzer.c - feeds a file to the PICL reader: the probe looks at it, all streams are read to the end,
 * and the contract of reader.h is checked. Then the file is loaded as a whole, every index of the trace is
 * followed, and what loads is analysed by all definitions and reported in all formats. */
#include "reader/picl.h"
#include "tests/support/analysed.h"
#include "tests/support/loaded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_batch(const ps_defs *defs, const ps_batch *batch, ps_time *last)
{
        for (uint32_t i = 0; i < batch->n; i++) {
                const ps_event *e = &batch->event[i];
                int is_region = e->kind == PS_EV_ENTER || e->kind == PS_EV_LEAVE;
                if (e->time < *last || e->time > PS_READER_TIME_LIMIT || e->code >= defs->codes.n ||
                    e->kind >= PS_EV_COUNT || (e->comm != PS_NONE && e->comm >= defs->comms.n) ||
                    (is_region && e->ref >= defs->regions.n))
                        abort();
                *last = e->time;
        }
}

static void read_streams(ps_reader *reader, const ps_defs *defs, ps_issues *issues)
{
        static ps_batch batch;
        for (ps_loc i = 0; i < defs->locations.n; i++) {
                ps_stream *stream;
                ps_time last = -PS_READER_TIME_LIMIT;
                if (ps_picl_reader.stream_open(&stream, reader, i, NULL) < 0)
                        continue;
                while (ps_picl_reader.stream_next(stream, &batch, issues, NULL) == PS_OK && batch.n > 0)
                        check_batch(defs, &batch, &last);
                ps_picl_reader.stream_close(stream);
        }
}

static void read_file(const char *path)
{
        static ps_issues issues;
        ps_defs defs;
        ps_reader *reader;
        memset(&issues, 0, sizeof(issues));
        if (ps_defs_init(&defs, NULL) < 0)
                return;
        if (ps_picl_reader.open(&reader, path, &defs, &issues, NULL) == PS_OK) {
                if (ps_defs_freeze(&defs, NULL) < 0)
                        abort();
                read_streams(reader, &defs, &issues);
                ps_picl_reader.close(reader);
        }
        ps_defs_free(&defs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static char path[64];
        if (!path[0])
                snprintf(path, sizeof(path), "%s/patscan-fuzz-picl-%ld",
                         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
                abort();
        ps_picl_reader.probe(path, data, size);
        read_file(path);
        ps_trace *trace = loaded_hostile(path, 1);
        if (trace)
                analysed_hostile(trace);
        ps_trace_close(trace);
        unlink(path);
        return 0;
}
