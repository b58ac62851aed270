/* regions.h - the names of a trace's functions, for completion. */
#ifndef PS_APP_CLI_REGIONS_H
#define PS_APP_CLI_REGIONS_H

#include "app/cli/options.h"

/* One a line, from the definitions alone: no event is read. */
ps_status ps_regions_print(const ps_options *options, ps_error *err);

#endif
