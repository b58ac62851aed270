/* sums.c - see sums.h. */
#include "patterns/causes/sums.h"

#include "core/base/memory.h"

#include <stdlib.h>

ps_status ps_sums_new(struct sums *s, const ps_trace *trace, ps_error *err)
{
        size_t n = trace->n_paths + (size_t)1;
        *s = (struct sums){.of = ps_memory_zeroed(n, sizeof(*s->of)),
                           .path = ps_memory_new(n * sizeof(*s->path)),
                           .round = 1,
                           .n_paths = trace->n_paths};
        return s->of && s->path ? PS_OK : PS_NOMEM(err, "call paths", n);
}

void ps_sums_free(struct sums *s)
{
        free(s->of);
        free(s->path);
        *s = (struct sums){0};
}
