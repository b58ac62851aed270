/* gasp_fuzzer.c - feeds a set of text traces of GASP to the reader.
 *
 * The blob is a row of files, each ended by a byte of 0; the i-th becomes d.i. They are laid out in a folder
 * of their own, all streams are read to the end, and the contract of format.h is checked. Then they are
 * loaded as a whole; every index of the trace is followed, and what loads is analysed by all definitions,
 * reported and written in all formats. */
#include "reader/gasp/gasp.h"
#include "tests/support/analysed.h"
#include "tests/support/dumped.h"
#include "tests/support/fuzz_lab.h"
#include "tests/support/loaded.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILES = 8 };

static unsigned unpack(const char *path, const uint8_t *data, size_t size)
{
        unsigned n = 0;
        while (size && n < MAX_FILES) {
                char name[96];
                const uint8_t *end = memchr(data, 0, size);
                size_t len = end ? (size_t)(end - data) : size;
                snprintf(name, sizeof(name), "%s/d.%u", path, n);
                fuzz_write(name, data, len);
                n++;
                len += end ? 1 : 0;
                data += len;
                size -= len;
        }
        return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const char *base = fuzz_path();
        mkdir(base, 0700);
        unsigned n = unpack(base, data, size);
        fuzz_streams(&ps_gasp_reader, base);
        ps_trace *trace = loaded_hostile(base, 1);
        if (trace) {
                analysed_hostile(trace);
                dumped_hostile(base, trace);
        }
        ps_trace_close(trace);
        for (unsigned i = 0; i < n; i++) {
                char name[96];
                snprintf(name, sizeof(name), "%s/d.%u", base, i);
                unlink(name);
        }
        rmdir(base);
        return 0;
}
