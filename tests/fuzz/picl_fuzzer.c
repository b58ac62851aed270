/* picl_fuzzer.c - feeds a file to the PICL reader: the probe looks at it, all streams are read to the end,
 * and the contract of format.h is checked. Then the file is loaded as a whole, every index of the trace is
 * followed, and what loads is analysed by all definitions and reported in all formats. */
#include "reader/picl/picl.h"
#include "tests/support/fuzz_lab.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const char *path = fuzz_path();
        fuzz_write(path, data, size);
        ps_picl_reader.probe(path, data, size);
        fuzz_streams(&ps_picl_reader, path);
        fuzz_analyse(path);
        unlink(path);
        return 0;
}
