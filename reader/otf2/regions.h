/* regions.h - the regions of an OTF2 archive: what they are, by the numbers of OTF2 of either age. */
#ifndef PS_READER_OTF2_REGIONS_H
#define PS_READER_OTF2_REGIONS_H

#include "reader/otf2/resolve.h"

/* Some recorders define a function once for each process; it is one region all the same, or the call tree
 * would have as many branches as there are processes. */
ps_status ps_otf2_resolve_regions(ps_otf2_ids *out, const ps_otf2_defs *raw, ps_defs *defs, int eztrace,
                                  ps_issues *issues, ps_error *err);

/* The ps_paradigm of an OTF2_Paradigm, and the ps_role of an OTF2_RegionRole with its flags (UINT64_MAX:
 * none). */
uint8_t ps_otf2_paradigm(uint64_t paradigm);
uint8_t ps_otf2_role(uint64_t role, uint64_t flags);

#endif
