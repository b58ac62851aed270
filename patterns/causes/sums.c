/* sums.c - see sums.h. */
#include "patterns/causes/sums.h"

#include "core/base/memory.h"

#include <stdlib.h>

ps_status ps_sums_new(struct sums *s, const struct same_paths *same, bool in_order, ps_error *err)
{
        size_t n = same->n + (size_t)1;
        *s = (struct sums){.same = same, .round = 1};
        if (same->n <= FEW_PATHS && !in_order) {
                ps_time *few = ps_memory_zeroed(n, sizeof(*few));
                s->few = few ? few + 1 : NULL;
                return few ? PS_OK : PS_NOMEM(err, "call paths", n);
        }
        s->all = ps_memory_zeroed(n, sizeof(*s->all));
        s->behind = s->touched = ps_memory_new(n * sizeof(*s->touched));
        struct sum_of_path **of = ps_memory_new(n * sizeof(*of));
        s->of = of ? of + 1 : NULL;
        if (!s->all || !s->touched || !of)
                return PS_NOMEM(err, "call paths", n);
        *of = &s->all[same->first[-1]];
        for (ps_path path = 0; path < same->n; path++) {
                s->all[path].path = path;
                s->of[path] = &s->all[same->first[path]];
        }
        return PS_OK;
}

void ps_sums_free(struct sums *s)
{
        free(s->few ? s->few - 1 : NULL);
        free(s->all);
        free(s->of ? s->of - 1 : NULL);
        free(s->touched);
        *s = (struct sums){0};
}
