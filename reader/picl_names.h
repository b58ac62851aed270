/* picl_names.h - under which numbers of PICL the regions and communicators of a trace are written, and the
 * definitions that say so. */
#ifndef PS_READER_PICL_NAMES_H
#define PS_READER_PICL_NAMES_H

#include "core/defs.h"
#include "reader/picl_lines.h"
#include "reader/picl_table.h"

typedef struct ps_picl_names {
        const ps_defs *defs;
        const ps_picl_event **row; /* by region: the event for its calls; NULL: none */
        ps_comm world;
} ps_picl_names;

/* `out` is given back with ps_picl_names_free(), also after a failure. */
ps_status ps_picl_names_make(ps_picl_names *out, const ps_defs *defs, ps_error *err);
void ps_picl_names_free(ps_picl_names *names);

/* The event that the region's name stands for because a PICL trace has it from there, or NULL. */
const ps_picl_event *ps_picl_names_own(const ps_picl_names *names, ps_region region);

/* The subset that a communicator is for a member; 0 when PICL has nothing like it. */
int ps_picl_names_subset(const ps_picl_names *names, ps_comm comm, ps_proc member, int64_t *out);

/* The definitions of subsets and of user events. */
void ps_picl_names_write(const ps_picl_names *names, ps_picl_lines *lines);

#endif
