/* paths.c - see paths.h. The tree may be as deep as a trace is long: it is walked without recursion, and no
 * path looks up to the root. */
#include "core/model/paths.h"

#include "core/base/memory.h"

#include <stdlib.h>

typedef struct walk {
        const ps_trace *trace;
        ps_path *child, *next; /* by path: its newest child; the sibling before; 0: none */
        uint32_t *open;        /* by region, on the way to the root */
        uint8_t *is_inner;
} walk;

static void enter_path(walk *w, ps_path path)
{
        ps_region region = w->trace->paths[path].region;
        if (region != PS_NONE)
                w->is_inner[path] = w->open[region]++ > 0;
}

static void leave_path(walk *w, ps_path path)
{
        ps_region region = w->trace->paths[path].region;
        if (region != PS_NONE)
                w->open[region]--;
}

static void visit_all(walk *w)
{
        for (ps_path p = w->trace->n_paths; p-- > 1;) {
                ps_path parent = w->trace->paths[p].parent;
                w->next[p] = w->child[parent];
                w->child[parent] = p;
        }
        for (ps_path p = w->child[0]; p;) {
                enter_path(w, p);
                if (w->child[p]) {
                        p = w->child[p];
                        continue;
                }
                for (leave_path(w, p); p && !w->next[p]; leave_path(w, p))
                        if (!(p = w->trace->paths[p].parent))
                                return;
                p = w->next[p];
        }
}

ps_status ps_paths_find_inner(uint8_t **out, const ps_trace *trace, ps_error *err)
{
        size_t n = (size_t)trace->n_paths + 1;
        walk w = {.trace = trace,
                  .child = ps_memory_zeroed(n, sizeof(ps_path)),
                  .next = ps_memory_zeroed(n, sizeof(ps_path)),
                  .open = ps_memory_zeroed((size_t)trace->defs.regions.n + 1, sizeof(uint32_t)),
                  .is_inner = ps_memory_zeroed(n, 1)};
        ps_status status = w.child && w.next && w.open && w.is_inner ? PS_OK : PS_NOMEM(err, "call paths", n);
        if (status == PS_OK)
                visit_all(&w);
        else
                free(w.is_inner);
        *out = status == PS_OK ? w.is_inner : NULL;
        free(w.child);
        free(w.next);
        free(w.open);
        return status;
}

uint8_t *ps_purposes_of_paths(const ps_trace *trace)
{
        uint8_t *purpose = ps_memory_zeroed(trace->n_paths + (size_t)1, 1);
        for (ps_path p = 1; purpose && p < trace->n_paths; p++) {
                const ps_region_def *region = ps_path_region(trace, p);
                purpose[p] =
                        region && region->dvm.purpose ? region->dvm.purpose : purpose[trace->paths[p].parent];
        }
        return purpose;
}
