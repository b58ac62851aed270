/* load.c - see load.h. */
#include "simulator/redistribute/load.h"

#include "core/base/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct share {
        uint64_t elements, messages;
} share;

static void find_range(ps_redist_load *out, const share *shares, uint32_t n)
{
        *out = (ps_redist_load){UINT64_MAX, 0, UINT64_MAX, 0};
        for (uint32_t p = 0; p < n; p++) {
                const share *s = &shares[p];
                out->least_elements = s->elements < out->least_elements ? s->elements : out->least_elements;
                out->most_elements = s->elements > out->most_elements ? s->elements : out->most_elements;
                out->least_messages = s->messages < out->least_messages ? s->messages : out->least_messages;
                out->most_messages = s->messages > out->most_messages ? s->messages : out->most_messages;
        }
}

static ps_status find_load(ps_redist_load *out, const ps_redist *r, ps_redist_side side, ps_error *err)
{
        uint32_t procs = r->grid[side].procs;
        share *shares = calloc(procs, sizeof(*shares));

        if (!shares)
                return PS_NOMEM(err, "processors", procs);
        for (size_t i = 0; i < r->transfers.n; i++) {
                const ps_redist_transfer *t = &r->transfers.row[i];
                share *s = &shares[side == PS_REDIST_SOURCE ? t->source : t->destination];
                if (t->source == t->destination)
                        continue;
                s->elements += t->elements;
                s->messages++;
        }
        find_range(out, shares, procs);
        free(shares);
        return PS_OK;
}

/* 0: there is no room for another size. */
static bool count_size(ps_redist_loads *out, uint64_t elements)
{
        uint32_t low = 0;

        PS_SEARCH(low, out->n_sizes, i, out->size[i].elements > elements);
        if (low == out->n_sizes || out->size[low].elements != elements) {
                if (out->n_sizes == PS_REDIST_SIZES_MAX)
                        return false;
                memmove(&out->size[low + 1], &out->size[low], (out->n_sizes - low) * sizeof(*out->size));
                out->size[low] = (ps_redist_size){elements, 0};
                out->n_sizes++;
        }
        assert(low == 0 || out->size[low - 1].elements > elements); /* the largest first */
        out->size[low].messages++;
        return true;
}

static void count_sizes(ps_redist_loads *out, const ps_redist *r)
{
        for (size_t i = 0; i < r->transfers.n && !out->has_more_sizes; i++) {
                const ps_redist_transfer *t = &r->transfers.row[i];
                if (t->source != t->destination)
                        out->has_more_sizes = !count_size(out, t->elements);
        }
        if (out->has_more_sizes)
                out->n_sizes = 0;
}

ps_status ps_redist_loads_find(ps_redist_loads *out, const ps_redist *redist, ps_error *err)
{

        *out = (ps_redist_loads){.n_sizes = 0};
        count_sizes(out, redist);
        PS_TRY(find_load(&out->side[PS_REDIST_SOURCE], redist, PS_REDIST_SOURCE, err));
        return find_load(&out->side[PS_REDIST_DESTINATION], redist, PS_REDIST_DESTINATION, err);
}
