/* otf2_fuzzer.c - feeds an OTF2 archive, packed into one blob, to the reader.
 *
 * The blob is a row of files: a byte for what it is (anchor, global definitions, local definitions, events),
 * a byte for the location, the length in four bytes, lowest first, and the content. They are laid out in a
 * folder of their own, all streams are read to the end, and the contract of reader.h is checked. Then the
 * archive is loaded as a whole, every index of the trace is followed, and what loads is analysed by all
 * definitions, reported and written in all formats. */
#include "core/trace.h"
#include "reader/otf2.h"
#include "tests/support/analysed.h"
#include "tests/support/dumped.h"
#include "tests/support/loaded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FILES = 32 };

typedef struct folder {
        char file[MAX_FILES][128];
        unsigned n;
} folder;

static void name_file(char *out, size_t n, const char *path, unsigned what, unsigned location)
{
        static const char *const global[] = {"t.otf2", "t.def"};
        if (what < 2)
                snprintf(out, n, "%s/%s", path, global[what]);
        else
                snprintf(out, n, "%s/t/%u.%s", path, location, what == 2 ? "def" : "evt");
}

static void unpack(folder *f, const char *path, const uint8_t *data, size_t size)
{
        while (size >= 6 && f->n < MAX_FILES) {
                size_t len = data[2] | (size_t)data[3] << 8 | (size_t)data[4] << 16 | (size_t)data[5] << 24;
                char *name = f->file[f->n++];
                name_file(name, sizeof(f->file[0]), path, data[0] % 4, data[1]);
                data += 6;
                size -= 6;
                len = len < size ? len : size;
                FILE *out = fopen(name, "wb");
                if (!out)
                        return;
                fwrite(data, 1, len, out);
                fclose(out);
                data += len;
                size -= len;
        }
}

static void check_batch(const ps_defs *defs, const ps_batch *batch, ps_time *last)
{
        for (uint32_t i = 0; i < batch->n; i++) {
                const ps_event *e = &batch->event[i];
                if (e->time < *last || e->code >= defs->codes.n || e->kind >= PS_EV_COUNT)
                        abort();
                if (e->comm != PS_NONE && e->comm >= defs->comms.n && e->kind != PS_EV_RMA_GROUP_SYNC)
                        abort();
                if ((e->kind == PS_EV_ENTER || e->kind == PS_EV_LEAVE) && e->ref != PS_NONE &&
                    e->ref >= defs->regions.n)
                        abort();
                *last = e->time;
        }
}

static void read_streams(ps_reader *reader, const ps_defs *defs, ps_issues *issues)
{
        static ps_batch batch;
        for (ps_loc i = 0; i < defs->locations.n; i++) {
                ps_stream *stream;
                ps_time last = INT64_MIN;
                if (ps_otf2_reader.stream_open(&stream, reader, i, NULL) < 0)
                        continue;
                while (ps_otf2_reader.stream_next(stream, &batch, issues, NULL) == PS_OK && batch.n > 0)
                        check_batch(defs, &batch, &last);
                ps_otf2_reader.stream_close(stream);
        }
}

static void read_archive(const char *path)
{
        static ps_issues issues;
        ps_defs defs;
        ps_reader *reader;
        memset(&issues, 0, sizeof(issues));
        if (ps_defs_init(&defs, NULL) < 0)
                return;
        if (ps_otf2_reader.open(&reader, path, &defs, &issues, NULL) == PS_OK) {
                if (ps_defs_freeze(&defs, NULL) < 0)
                        abort(); /* the reader has to sort out what the trace got wrong */
                read_streams(reader, &defs, &issues);
                ps_otf2_reader.close(reader);
        }
        ps_defs_free(&defs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static char base[64];
        folder f = {.n = 0};
        char sub[80];
        if (!base[0]) {
                snprintf(base, sizeof(base), "%s/patscan-fuzz-XXXXXX",
                         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
                if (!mkdtemp(base))
                        abort();
        }
        snprintf(sub, sizeof(sub), "%s/t", base);
        mkdir(base, 0700);
        mkdir(sub, 0700);
        unpack(&f, base, data, size);
        read_archive(base);
        ps_trace *trace = loaded_hostile(base, 1);
        if (trace) {
                analysed_hostile(trace);
                dumped_hostile(base, trace);
        }
        ps_trace_close(trace);
        for (unsigned i = 0; i < f.n; i++)
                unlink(f.file[i]);
        rmdir(sub);
        rmdir(base);
        return 0;
}
