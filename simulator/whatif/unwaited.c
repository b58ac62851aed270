/* unwaited.c - sets of operations that do not wait for their partners: a bit for each. */
#include "core/base/memory.h"
#include "simulator/whatif/whatif.h"

#include <stdlib.h>
#include <string.h>

static size_t words_of(const ps_trace *trace, ps_loc loc)
{
        return trace->ops[loc].n / 64 + (size_t)1;
}

ps_status ps_unwaited_new(ps_unwaited *out, const ps_trace *trace, const ps_unwaited *base, ps_error *err)
{
        *out = (ps_unwaited){.rows = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*out->rows)),
                             .n_locs = trace->n_locs};
        if (!out->rows)
                return PS_NOMEM(err, "locations", trace->n_locs);
        for (ps_loc loc = 0; base && base->rows && loc < trace->n_locs; loc++) {
                if (!base->rows[loc])
                        continue;
                size_t n = words_of(trace, loc) * sizeof(uint64_t);
                out->rows[loc] = ps_memory_new(n);
                if (!out->rows[loc])
                        return PS_NOMEM(err, "operations", n);
                memcpy(out->rows[loc], base->rows[loc], n);
        }
        return PS_OK;
}

ps_status ps_unwaited_add(ps_unwaited *set, const ps_trace *trace, const ps_removal *removal, ps_error *err)
{
        uint64_t **rows = &set->rows[removal->loc];
        if (!removal->n)
                return PS_OK;
        if (!*rows)
                *rows = ps_memory_zeroed(words_of(trace, removal->loc), sizeof(**rows));
        if (!*rows)
                return PS_NOMEM(err, "operations", trace->ops[removal->loc].n);
        for (uint32_t i = 0; i < removal->n; i++)
                (*rows)[removal->op[i] / 64] |= UINT64_C(1) << (removal->op[i] % 64);
        return PS_OK;
}

void ps_unwaited_clear(ps_unwaited *set)
{
        for (ps_loc loc = 0; set->rows && loc < set->n_locs; loc++)
                free(set->rows[loc]);
        free(set->rows);
        *set = (ps_unwaited){0};
}
