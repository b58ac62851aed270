/* merged.h - the events of a trace in the order of time, straight from a reader: nothing is folded or matched
 * on the way. That the trace is analysed before tells what its times are in reports, and what is wrong with
 * it. */
#ifndef PS_APP_COMMANDS_MERGED_H
#define PS_APP_COMMANDS_MERGED_H

#include "app/cli/progress.h"
#include "reader/reader.h"

/* What came out of it. */
typedef struct ps_dump_result {
        uint64_t n_seen, n_events; /* in the trace; of them written */
        uint64_t n_lossy;          /* those that the format cannot hold, or not all of them */
        uint64_t n_messages;       /* that have both ends */
        ps_issues issues;          /* as whoever analyses the trace finds them */
} ps_dump_result;

ps_status ps_dump_run(ps_dump_result *result, const ps_reader_class *format, const char *path,
                      const ps_options *options, ps_progress *progress, ps_output *out, ps_error *err);

#endif
