/* ignored.h - findings that a project has decided to live with. */
#ifndef PS_REPORT_FACTS_IGNORED_H
#define PS_REPORT_FACTS_IGNORED_H

#include "core/base/error.h"

#include <stdint.h>
#include <string.h>

typedef patscan_ignored ps_ignored; /* its site: 16 hex digits */

/* What configurations have changed in an analysis; {0}: nothing. */
typedef struct ps_configured {
        const ps_ignored *ignored;
        uint32_t n_ignored;
        const char *const *file; /* those that were read */
        unsigned n_files;
        const char *says; /* "epsilon 10us from .patscan.json"; NULL: no option is different */
} ps_configured;

/* NULL: nobody ignores it. */
static inline const ps_ignored *ps_ignored_find(const ps_ignored *row, uint32_t n, const char *site)
{
        for (uint32_t i = 0; i < n; i++)
                if (strcmp(row[i].site, site) == 0)
                        return &row[i];
        return NULL;
}

#endif
