/* made_up.h - runs that a test makes up event by event. */
#ifndef PS_TESTS_MADE_UP_H
#define PS_TESTS_MADE_UP_H

#include "core/load/recording.h"

/* Up to 16 processes of a location each in a world communicator. */
ps_recording *made_up_recording(uint32_t n_processes);
/* Number i begins in line 10 i. */
void made_up_regions(ps_recording *r, const char *const *names, uint32_t n, ps_paradigm paradigm);
void made_up_event(ps_recording *r, ps_loc location, ps_event event);

#endif
