/* topology.h - who has whom for a neighbour in the communicators of an OTF2 archive. */
#ifndef PS_READER_OTF2_TOPOLOGY_H
#define PS_READER_OTF2_TOPOLOGY_H

#include "reader/otf2/resolve.h"

/* Processes and communicators must stand in `defs` already. */
ps_status ps_otf2_resolve_topology(const ps_otf2_names *names, const ps_otf2_defs *raw, ps_defs *defs,
                                   ps_issues *issues, ps_error *err);

#endif
