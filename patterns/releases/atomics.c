/* atomics.c - atomic operations of PGAS programs that begin while another one goes on, on memory of the same
 * thread. */
#include "core/base/memory.h"
#include "core/base/radix.h"
#include "patterns/releases/search.h"

#include <stdlib.h>
#include <string.h>

struct atomic {
        ps_time enter, leave;
        ps_ref ref;
        ps_loc target;
        uint32_t nothing;
};

#define KEY(name, value)                                                                                     \
        static uint64_t name(const void *row)                                                                \
        {                                                                                                    \
                const struct atomic *atomic = row;                                                           \
                return value;                                                                                \
        }
KEY(target_of, atomic->target)
KEY(time_of, ps_radix_signed(atomic->enter))
KEY(place_of, ps_ref_place(atomic->ref))
#undef KEY
static ps_row_number *const keys[] = {target_of, time_of, place_of};

static ps_status collect(ps_dealt_rows *to, const struct finder *f, ps_loc location, ps_error *err)
{
        const ps_ops *ops = &f->trace->ops[location];
        const uint8_t *kind = ops->kind, *end = kind + ops->n;
        for (; (kind = memchr(kind, PS_K_ATOMIC, (size_t)(end - kind))); kind++) {
                const ps_op op = (ps_op)(kind - ops->kind);
                const ps_ref ref = {location, op};
                if (!ps_op_is_pgas(f->trace, ref))
                        continue;
                if (ps_memory_room(&to->row, to->n, &to->cap, 16, sizeof(struct atomic)))
                        return PS_NOMEM(err, "atomic operations", to->n);
                ((struct atomic *)to->row)[to->n++] =
                        (struct atomic){f->timing->enter[location][op], f->timing->leave[location][op], ref,
                                        ps_op_peer(ops, op), 0};
        }
        return PS_OK;
}

static ps_proc about(const ps_trace *trace, const void *row)
{
        return ps_trace_process(trace, ((const struct atomic *)row)->target);
}

static ps_status release(struct finder *f, const struct atomic *at, const struct atomic *by, ps_error *err)
{
        return ps_releases_add(f,
                               &(ps_release){.at = at->ref,
                                             .by = by->ref,
                                             .until = by->leave < at->leave ? by->leave : at->leave,
                                             .transferred = PS_NEVER_BEGUN,
                                             .sort = PS_RELEASED_BY_ATOMIC},
                               err);
}

/* Who began later waited, if anybody did: at most until the one before it that ends last is over. */
static ps_status find(struct finder *f, const ps_dealt_rows *rows, ps_error *err)
{
        struct atomic *at = rows->row;
        if (ps_radix_sort(at, rows->n, sizeof(*at), keys, sizeof(keys) / sizeof(*keys)) != 0)
                return PS_NOMEM(err, "atomic operations", rows->n);
        const struct atomic *last = NULL;
        for (uint32_t i = 0; i < rows->n; i++) {
                const struct atomic *now = &at[i];
                if (last && last->target != now->target)
                        last = NULL;
                if (last && last->leave > now->enter && last->ref.loc != now->ref.loc)
                        PS_TRY(release(f, now, last, err));
                if (!last || now->leave > last->leave)
                        last = now;
        }
        return PS_OK;
}

const struct search ps_search_atomics = {
        sizeof(struct atomic), PS_RARE_KIND(PS_K_ATOMIC), collect, about, find, PS_K_SEND};
