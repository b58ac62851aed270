/* dumped.h - a trace written anew by `patscan dump`, and the names of all traces that tests have. */
#ifndef PS_TESTS_DUMPED_H
#define PS_TESTS_DUMPED_H

#include "app/commands/merged.h"

/* Into the folder `out` (OTF2) or the file `out`; dies when that fails. Gives how many events were lossy. */
uint64_t dumped(const char *path, ps_dump_format format, const char *out);

/* What loads can be written, in all formats, and the OTF2 copy be read; tried with some traces only. */
void dumped_hostile(const char *path, const ps_trace *trace);

/* Calls `visit` with the archive of each case of traces/patterns; of each fourth pattern below a sanitizer.
 */
void dumped_each_micro(void (*visit)(const char *anchor, const char *title));

#endif
