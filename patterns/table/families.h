/* families.h - the families of patterns: a table each, in a file each. */
#ifndef PS_PATTERNS_TABLE_FAMILIES_H
#define PS_PATTERNS_TABLE_FAMILIES_H

#include "patterns/table/pattern.h"

#define PS_PAPER "Akopyan, Andreev: Patterns of inefficient behaviour in parallel MPI and UPC applications"

/* A row of a table (*.def): its id and that of its parent or NULL, its title, its subject without PS_ON_,
 * whose definitions have it, what happens, what to do about it, and where it is defined; then further fields,
 * if any. */
#define PS_PATTERN(id_, parent_, title_, subject_, definitions_, summary_, advice_, ...)                     \
        {.id = (id_),                                                                                        \
         .parent = (parent_),                                                                                \
         .title = (title_),                                                                                  \
         .subject = PS_ON_##subject_,                                                                        \
         .definitions = (definitions_),                                                                      \
         .summary = (summary_),                                                                              \
         .advice = (advice_),                                                                                \
         .source = __VA_ARGS__},

typedef struct ps_family {
        const ps_pattern *row;
        unsigned n;
} ps_family;

extern const ps_family ps_family_messages, ps_family_calls, ps_family_collectives, ps_family_threads,
        ps_family_regions, ps_family_one_sided, ps_family_pgas, ps_family_views, ps_family_dvm;

#endif
