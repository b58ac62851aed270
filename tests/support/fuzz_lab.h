/* fuzz_lab.h - what the fuzz targets share: the input as a text or as a file, and the contract of
 * core/model/format.h. What must not be ends the process, as a sanitizer does. */
#ifndef PS_TESTS_FUZZ_LAB_H
#define PS_TESTS_FUZZ_LAB_H

#include "core/model/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

void fuzz_must(int holds);

/* A copy with a NUL behind it; the caller's to free. */
char *fuzz_text(const uint8_t *data, size_t size);
/* Cuts the text at its line ends; gives how many lines there are, `most` at the most. */
unsigned fuzz_lines(char *text, const char **lines, unsigned most);

/* A name of this process's own, in memory where the system has such files; nothing stands there. */
const char *fuzz_path(void);
void fuzz_write(const char *path, const uint8_t *data, size_t size);

/* Opens what lies at `path`, and reads all streams to their ends. */
void fuzz_streams(const ps_reader_class *format, const char *path);
/* Loads it, follows each index of the trace, and has what loads analysed and reported in all ways. */
void fuzz_analyse(const char *path);

#endif
