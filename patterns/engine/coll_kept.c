/* coll_kept.c - sums of collective operations that are put away until somebody asks for the same ones. */
#include "patterns/engine/coll_sums.h"
#include "patterns/engine/works.h"

#include "core/base/memory.h"

#include <stdlib.h>

void ps_coll_sums_forget_roots(const ps_coll_sums *s)
{
        for (uint32_t c = 0; s->begin && c < s->trace->n_colls; c++)
                if (s->trace->colls[c].root != PS_NONE && s->trace->colls[c].root >= s->n_here)
                        s->trace->colls[c].root = PS_NONE;
}

void ps_coll_sums_put_away(ps_coll_sums **sums)
{
        ps_coll_sums *s = *sums;
        s->root = ps_memory_new(s->trace->n_colls * sizeof(*s->root));
        if (!s->root) {
                ps_coll_sums_free(s);
                *sums = NULL;
                return;
        }
        for (uint32_t c = 0; c < s->trace->n_colls; c++)
                s->root[c] = s->trace->colls[c].root;
        ps_coll_sums_forget_roots(s);
        s->trace = NULL;
}

void ps_coll_sums_take_up(ps_coll_sums *s, const ps_trace *trace)
{
        s->trace = trace;
        s->timing = &trace->measured;
        for (uint32_t c = 0; c < trace->n_colls; c++)
                trace->colls[c].root = s->root[c];
        free(s->root);
        s->root = NULL;
}
