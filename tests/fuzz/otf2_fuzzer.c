/* otf2_fuzzer.c - feeds an OTF2 archive, packed into one blob, to the reader.
 *
 * The blob is a row of files: a byte for what it is (anchor, global definitions, local definitions, events),
 * a byte for the location, the length in four bytes, lowest first, and the content. They are laid out in a
 * folder of their own, all streams are read to the end, and the contract of format.h is checked. Then the
 * archive is loaded as a whole, also in portions, once with every record made an event, which must not
 * differ; every index of the trace is followed, and what loads is analysed by all definitions, reported and
 * written in all formats.
 */
#include "core/model/trace.h"
#include "reader/otf2/otf2.h"
#include "tests/support/analysed.h"
#include "tests/support/dumped.h"
#include "tests/support/fuzz_lab.h"
#include "tests/support/loaded.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

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
                fuzz_write(name, data, len);
                data += len;
                size -= len;
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const char *base = fuzz_path();
        folder f = {.n = 0};
        char sub[80];
        snprintf(sub, sizeof(sub), "%s/t", base);
        mkdir(base, 0700);
        mkdir(sub, 0700);
        unpack(&f, base, data, size);
        fuzz_streams(&ps_otf2_reader, base);
        const ps_load_options options = {.n_threads = 1, .pieces = &loaded_pieces};
        fuzz_must(!loaded_difference_of_batches(base, &options));
        const ps_load_options in_portions = {.n_threads = 1, .portion_bytes = 64};
        fuzz_must(!loaded_difference_of_batches(base, &in_portions));
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
