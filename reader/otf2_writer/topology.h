/* topology.h - writes who has whom for a neighbour, as patscan's own recorder does. */
#ifndef PS_READER_OTF2_WRITER_TOPOLOGY_H
#define PS_READER_OTF2_WRITER_TOPOLOGY_H

#include "reader/otf2_writer/defs.h"

/* Processes and communicators must have been written. */
void ps_otf2_out_topology(ps_otf2_out *out);

#endif
