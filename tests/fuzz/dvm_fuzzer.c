/* dvm_fuzzer.c - feeds the bytes, plain or packed, to the reader of DVM traces. What it makes of them must
 * hold together; read tolerantly it must load as an ordinary trace. */
#include "reader/dvm/dvm.h"
#include "reader/reader.h"
#include "tests/reader/dvm/check.h"
#include "tests/support/fuzz_lab.h"

#include <unistd.h>

static void read_it(ps_status (*read)(ps_dvm **, const char *, ps_error *), const char *path)
{
        ps_dvm *dvm;
        ps_error err = {.status = PS_OK};
        ps_status status = read(&dvm, path, &err);
        if (status == PS_OK)
                dvm_check(dvm);
        else
                fuzz_must(status == PS_E_INPUT && !dvm && err.n_causes);
        ps_dvm_free(dvm);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const char *path = fuzz_path();
        fuzz_write(path, data, size);
        ps_dvm_probe(data, size);
        read_it(ps_dvm_read, path);
        read_it(ps_dvm_read_tolerant, path);
        fuzz_streams(&ps_dvm_reader, path);
        ps_error err;
        const ps_reader_class *format;
        if (ps_reader_find(&format, path, &err) == PS_OK && format == &ps_dvm_reader)
                fuzz_analyse(path);
        unlink(path);
        return 0;
}
