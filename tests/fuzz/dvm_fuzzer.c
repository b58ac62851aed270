/* dvm_fuzzer.c - feeds the bytes, plain or packed, to the reader of DVM traces. What it makes of them must
 * hold together; read tolerantly it must load as an ordinary trace. */
#include "reader/dvm.h"
#include "tests/support/analysed.h"
#include "tests/support/dvm_check.h"
#include "tests/support/dvm_samples.h"
#include "tests/support/loaded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_it(ps_status (*read)(ps_dvm **, const char *, ps_error *), const char *path)
{
        ps_dvm *dvm;
        ps_error err = {.status = PS_OK};
        ps_status status = read(&dvm, path, &err);
        if (status == PS_OK)
                dvm_check(dvm);
        else if (status != PS_E_INPUT || dvm || !err.n_causes)
                abort();
        ps_dvm_free(dvm);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static char path[64];
        if (!path[0]) {
                snprintf(path, sizeof(path), "%s/patscan-fuzz-XXXXXX",
                         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
                int fd = mkstemp(path);
                if (fd < 0)
                        abort();
                close(fd);
        }
        dvm_write(path, (const char *)data, size);
        ps_dvm_probe(data, size);
        read_it(ps_dvm_read, path);
        read_it(ps_dvm_read_tolerant, path);
        ps_error err;
        const ps_reader_class *format;
        if (ps_reader_find(&format, path, &err) == PS_OK && format == &ps_dvm_reader) {
                ps_trace *trace = loaded_hostile(path, 1);
                if (trace)
                        analysed_hostile(trace);
                ps_trace_close(trace);
        }
        unlink(path);
        return 0;
}
