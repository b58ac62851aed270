/* unchanged.h - the law of a replay of the recording itself: every call begins and ends when it did, and so
 * does every location, whatever the trace went through. */
#ifndef PS_TESTS_UNCHANGED_H
#define PS_TESTS_UNCHANGED_H

#include "simulator/replay/replay.h"

/* `run`, with its timing, replays the trace's measured times without any change. Aborts, naming the first
 * time that is not the recorded one; a run that is stuck is not looked at. */
void unchanged_check(const ps_trace *trace, const ps_replayed *run);

/* Replays the trace; it may not be stuck. */
void unchanged_expect(const ps_trace *trace);

#endif
