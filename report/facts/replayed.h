/* replayed.h - what reports tell of a replay: what it takes operations to cost, and where it is stuck. */
#ifndef PS_REPORT_FACTS_REPLAYED_H
#define PS_REPORT_FACTS_REPLAYED_H

#include "patterns/source/source.h"
#include "report/facts/prediction.h"
#include "simulator/replay/replay.h"

/* The costs of the recording (machine NULL) are those of each operation: told in words, with what tells
 * latency from bytes (NULL: the recording itself). Returns `room`. */
const char *ps_replay_formula(char room[PS_FORMULA_ROOM], const ps_machine *machine,
                              const ps_machine *divider, const ps_replay_info *info);

/* The calls in which a run is stuck; names of files are those of `sources`. To be cleared, also after a
 * failure. */
ps_status ps_deadlock_describe(ps_deadlock *out, const ps_trace *trace, const ps_replayed *run,
                               ps_sources *sources, ps_error *err);
void ps_deadlock_clear(ps_deadlock *deadlock);

#endif
