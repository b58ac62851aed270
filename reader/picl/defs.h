/* defs.h - the definitions of a PICL trace. It hardly has any: they follow from what its records name.
 */
#ifndef PS_READER_PICL_DEFS_H
#define PS_READER_PICL_DEFS_H

#include "reader/picl/log.h"

typedef struct ps_picl_names {
        ps_comm messages; /* all processes; ranks are their indices */
        ps_comm all;      /* who takes part in collective operations of all: without a host */
        ps_comm *comm;    /* by subset of the log */
        ps_map rank_of;   /* (communicator of a subset, process) -> rank */
} ps_picl_names;

/* The order of places: nodes rise; a host, whose number is negative, comes last. */
int ps_picl_compare_place(int32_t node, int32_t pid, const ps_picl_place *other);
void ps_picl_sort_places(ps_picl_log *log);

/* Sorts the log's places (their indices are then those of locations and processes) and fills `defs`. Regions
 * have the indices that they have in the log. */
ps_status ps_picl_define(ps_picl_names *out, ps_picl_log *log, ps_defs *defs, ps_error *err);
void ps_picl_names_free(ps_picl_names *names);

/* The process of (node, pid), or the node's first one if there is no such; PS_NONE. */
ps_proc ps_picl_process(const ps_picl_log *log, int32_t node, int32_t pid);

/* The communicator of a subset; PS_NONE when it is not defined. */
ps_comm ps_picl_comm(const ps_picl_names *names, const ps_picl_log *log, int32_t subset);

/* The rank of a root that is given as a node, or, when that is no member of the subset, as a rank. */
uint32_t ps_picl_root(const ps_picl_names *names, const ps_picl_log *log, ps_comm comm, int32_t root);

#endif
