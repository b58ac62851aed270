/* sums.c - see sums.h. */
#include "patterns/causes/sums.h"

#include "core/base/memory.h"

#include <stdlib.h>

ps_status ps_sums_new(struct sums *s, const struct same_paths *same, bool in_order, ps_error *err)
{
        size_t n = same->n + (size_t)1;
        *s = (struct sums){.same = same, .first = same->first, .round = 1};
        if (same->n <= FEW_PATHS && !in_order) {
                ps_time *few = ps_memory_zeroed(n, sizeof(*few));
                s->few = few ? few + 1 : NULL;
                return few ? PS_OK : PS_NOMEM(err, "call paths", n);
        }
        s->of = ps_memory_zeroed(n, sizeof(*s->of));
        s->path = ps_memory_new(n * sizeof(*s->path));
        return s->of && s->path ? PS_OK : PS_NOMEM(err, "call paths", n);
}

void ps_sums_free(struct sums *s)
{
        free(s->few ? s->few - 1 : NULL);
        free(s->of);
        free(s->path);
        *s = (struct sums){0};
}
