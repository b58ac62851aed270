/* comms.h - groups and communicators of an OTF2 archive: from ranks and location ids to members. */
#ifndef PS_READER_OTF2_COMMS_H
#define PS_READER_OTF2_COMMS_H

#include "reader/otf2/resolve.h"

/* Fills defs->groups, comms and windows and what `names` knows of their ids; locations and processes must
 * stand in `defs` already. */
ps_status ps_otf2_resolve_comms(ps_otf2_names *names, const ps_otf2_defs *raw, ps_defs *defs,
                                ps_issues *issues, ps_error *err);

/* What the files of resolving share: a string by its id, and the list of a table's ids. */
ps_str ps_otf2_string(const ps_otf2_defs *raw, const ps_otf2_def *def, uint64_t id, ps_issues *issues);
ps_status ps_otf2_take_ids(ps_otf2_ids *out, const ps_otf2_defs *raw, ps_otf2_table table, bool with_values,
                           ps_error *err);

#endif
