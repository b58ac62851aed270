/* merged.h - the events of a trace in the order of time, straight from a reader: nothing is folded, matched
 * or corrected on the way, unless a part of the run is asked for: then times are those that reports have. */
#ifndef PS_APP_COMMANDS_MERGED_H
#define PS_APP_COMMANDS_MERGED_H

#include "app/cli/progress.h"
#include "reader/reader.h"

/* What came out of it. */
typedef struct ps_dump_result {
        uint64_t n_seen, n_events; /* in the trace; of them written */
        uint64_t n_lossy;          /* those that the format cannot hold, or not all of them */
        ps_issues issues;
} ps_dump_result;

ps_status ps_dump_run(ps_dump_result *result, const ps_reader_class *format, const char *path,
                      const ps_options *options, ps_progress *progress, ps_output *out, ps_error *err);

#endif
