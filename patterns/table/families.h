/* families.h - the families of patterns: a table each, in a file each. */
#ifndef PS_PATTERNS_TABLE_FAMILIES_H
#define PS_PATTERNS_TABLE_FAMILIES_H

#include "patterns/table/pattern.h"

#define PS_PAPER "Akopyan, Andreev: Patterns of inefficient behaviour in parallel MPI and UPC applications"

typedef struct ps_family {
        const ps_pattern *row;
        unsigned n;
} ps_family;

extern const ps_family ps_family_messages, ps_family_calls, ps_family_collectives, ps_family_threads,
        ps_family_regions, ps_family_one_sided, ps_family_pgas, ps_family_views, ps_family_dvm;

#endif
