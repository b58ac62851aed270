/* registry.c - the families' tables as one. */
#include "patterns/engine/engine.h"
#include "patterns/table/families.h"

#include <string.h>

static const ps_family *const families[] = {&ps_family_messages,  &ps_family_calls, &ps_family_collectives,
                                            &ps_family_one_sided, &ps_family_pgas,  &ps_family_threads,
                                            &ps_family_regions,   &ps_family_views, &ps_family_dvm};

enum { N_FAMILIES = sizeof(families) / sizeof(families[0]) };

unsigned ps_pattern_count(void)
{
        unsigned n = 0;
        for (unsigned f = 0; f < N_FAMILIES; f++)
                n += families[f]->n;
        return n;
}

const ps_pattern *ps_pattern_at(uint32_t pattern)
{
        for (unsigned f = 0; f < N_FAMILIES; f++) {
                if (pattern < families[f]->n)
                        return &families[f]->row[pattern];
                pattern -= families[f]->n;
        }
        return NULL;
}

uint32_t ps_pattern_find(const char *id)
{
        uint32_t first = 0;
        for (unsigned f = 0; f < N_FAMILIES; first += families[f++]->n)
                for (uint32_t i = 0; i < families[f]->n; i++)
                        if (*families[f]->row[i].id == *id && strcmp(families[f]->row[i].id, id) == 0)
                                return first + i;
        return PS_NONE;
}

uint32_t ps_pattern_parent(uint32_t pattern)
{
        const ps_pattern *row = ps_pattern_at(pattern);
        return row && row->parent ? ps_pattern_find(row->parent) : PS_NONE;
}

const ps_formula *ps_pattern_formula(uint32_t pattern)
{
        const ps_pattern *row = ps_pattern_at(pattern);
        while (row && !row->formula)
                row = ps_pattern_at(pattern = ps_pattern_parent(pattern));
        return row ? row->formula : NULL;
}
