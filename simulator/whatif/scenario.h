/* scenario.h - edits made fit for a trace: what only replays ask of them. */
#ifndef PS_SIMULATOR_WHATIF_SCENARIO_H
#define PS_SIMULATOR_WHATIF_SCENARIO_H

#include "simulator/whatif/whatif.h"

/* How much longer the location computes at the path, where the trace has no pieces. */
double ps_what_if_factor(const ps_what_if *what_if, ps_loc location, ps_path path);

#endif
