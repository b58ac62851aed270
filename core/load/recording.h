/* recording.h - a run that is made up here instead of being read from a file: a simulator adds events to its
 * locations, and the result is a trace like any other.
 *
 * First the definitions (ps_recording_defs), with all locations; then events, of any location in any order,
 * but those of one location with non-decreasing times. What is recorded can be looked at in the order of time
 * as often as wanted (ps_recording_source) until it is turned into a trace. */
#ifndef PS_CORE_LOAD_RECORDING_H
#define PS_CORE_LOAD_RECORDING_H

#include "core/load/load.h"
#include "core/views/cursor.h"

typedef struct ps_recording ps_recording;

/* `format` names the simulator in reports; a literal. */
ps_status ps_recording_new(ps_recording **out, const char *format, ps_error *err);
void ps_recording_free(ps_recording *recording);

/* To be filled before the first event is added. */
ps_defs *ps_recording_defs(ps_recording *recording);

/* PS_E_INTERNAL: no such location, or a time before the location's last one. PS_E_USAGE: a time outside of
 * +-PS_READER_TIME_LIMIT, which a run with absurd costs reaches. */
ps_status ps_recording_add(ps_recording *recording, ps_loc location, const ps_event *event, ps_error *err);

/* The merged view for a cursor, from the beginning; one at a time. */
ps_source ps_recording_source(ps_recording *recording);

/* Ends it: the definitions move into the trace, also when this fails. Only ps_recording_free may follow. */
ps_status ps_recording_load(ps_trace **out, ps_recording *recording, const ps_load_options *options,
                            ps_error *err);

#endif
