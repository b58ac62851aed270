/* region_names.c - see region_names.h. */
#include "core/model/region_names.h"

#include "core/base/memory.h"
#include "core/base/nearest.h"
#include "core/model/kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t *ps_region_names(const ps_defs *defs)
{
        const uint32_t n = ps_strings_n(defs->strings);
        uint8_t *is_name = ps_memory_zeroed(n + (size_t)1, 1);
        for (ps_region r = 0; is_name && r < defs->regions.n; r++)
                if (defs->regions.row[r].name < n)
                        is_name[defs->regions.row[r].name] = 1;
        return is_name;
}

static bool is_function(const ps_region_def *region)
{
        return region->paradigm == PS_PARADIGM_USER || region->paradigm == PS_PARADIGM_UNKNOWN;
}

static bool is_first_of_name(const ps_defs *defs, ps_region region)
{
        for (ps_region r = 0; r < region; r++)
                if (defs->regions.row[r].name == defs->regions.row[region].name)
                        return false;
        return true;
}

/* Names of functions, as many as there is room for. */
static void list_functions(char *room, size_t size, const ps_defs *defs)
{
        size_t used = 0;
        *room = '\0';
        for (ps_region r = 0; r < defs->regions.n; r++) {
                const ps_region_def *region = &defs->regions.row[r];
                if (!is_function(region) || region->kind != PS_K_NONE || !is_first_of_name(defs, r))
                        continue;
                int n = snprintf(room + used, size - used, "%s%s", used ? ", " : "",
                                 ps_defs_str(defs, region->name));
                if (n < 0 || used + (size_t)n + sizeof(", ...") > size) {
                        snprintf(room + used, size - used, "%s...", used ? ", " : "");
                        return;
                }
                used += (size_t)n;
        }
}

ps_status ps_region_is_unknown(const ps_defs *defs, const char *where, const char *name, size_t len,
                               ps_error *err)
{
        enum { LISTED = 128 };
        char word[PS_NEAREST_MAX + 1] = "", list[LISTED];
        const char **names = ps_memory_zeroed(defs->regions.n + (size_t)1, sizeof(*names)), *near = NULL;
        if (len <= PS_NEAREST_MAX)
                memcpy(word, name, len);
        for (ps_region r = 0; names && r < defs->regions.n; r++)
                names[r] = ps_defs_str(defs, defs->regions.row[r].name);
        if (names && *word)
                near = ps_nearest(word, names, defs->regions.n);
        list_functions(list, sizeof(list), defs);
        ps_status status =
                near ? PS_FAIL(err, PS_E_USAGE, "did you mean \"%.80s\"? Functions: %s", near, list)
                     : PS_FAIL(err, PS_E_USAGE, "the functions of the trace: %s", list);
        free(names);
        return PS_CAUSE(err, status, "the trace has no such region: of=\"%.40s\", name=\"%.*s\"", where,
                        len < 80 ? (int)len : 80, name);
}
