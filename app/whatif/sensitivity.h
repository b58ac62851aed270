/* sensitivity.h - finds by replays what the length of a run depends on. */
#ifndef PS_APP_WHATIF_SENSITIVITY_H
#define PS_APP_WHATIF_SENSITIVITY_H

#include "app/whatif/replays.h"
#include "report/facts/sensitivity.h"

/* Names are the trace's. To be cleared, also after a failure. */
ps_status ps_sensitivity_find(ps_sensitivity *out, const ps_replays *replays, unsigned n_threads,
                              ps_error *err);
void ps_sensitivity_clear(ps_sensitivity *sensitivity);

#endif
