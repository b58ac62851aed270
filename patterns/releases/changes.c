/* changes.c - calls of SHMEM programs that wait until somebody else has changed their memory, and the writes
 * that may have been what they waited for. */
#include "core/base/memory.h"
#include "core/base/radix.h"
#include "patterns/releases/search.h"

#include <stdlib.h>

/* What is waited for is mostly a flag. */
enum { FLAG_BYTES = 8 };

/* A write to memory of this process, or a call of it that waits. */
struct change {
        ps_time enter, at; /* at: a write, when it begins; a wait, when it is over */
        ps_ref ref;
        ps_proc process;
        uint32_t sort;
};

enum { CHANGE_WAIT, CHANGE_LARGE, CHANGE_FLAG };

#define KEY(name, value)                                                                                     \
        static uint64_t name(const void *row)                                                                \
        {                                                                                                    \
                const struct change *change = row;                                                           \
                return value;                                                                                \
        }
KEY(process_of, change->process)
KEY(time_of, ps_radix_signed(change->at))
KEY(sort_of, change->sort)
KEY(place_of, ps_ref_place(change->ref))
#undef KEY
static ps_row_number *const keys[] = {process_of, time_of, sort_of, place_of};

/* In UPC the same kind of call waits for transfers of its own. */
static bool waits_for_change(const ps_trace *trace, const ps_ops *ops, ps_op op)
{
        const ps_region_def *region =
                ops->kind[op] == PS_K_RMA_WAIT ? ps_path_region(trace, ps_op_path(ops, op)) : NULL;
        return region && region->paradigm == PS_PARADIGM_SHMEM;
}

static bool writes(const ps_ops *ops, ps_op op)
{
        return ops->kind[op] == PS_K_PUT || ops->kind[op] == PS_K_ATOMIC;
}

static ps_status collect(ps_dealt_rows *to, const struct finder *f, ps_loc location, ps_error *err)
{
        const ps_ops *ops = &f->trace->ops[location];
        for (ps_op op = ps_ops_seek(ops, 0, PS_K_PUT); op < ops->n; op++) {
                const ps_ref ref = {location, op};
                const bool is_wait = waits_for_change(f->trace, ops, op);
                if (!is_wait && !(writes(ops, op) && ps_op_is_pgas(f->trace, ref)))
                        continue;
                const ps_proc process = ps_trace_process(f->trace, is_wait ? location : ps_op_peer(ops, op));
                const ps_time enter = f->timing->enter[location][op];
                if (process == PS_NONE)
                        continue;
                if (ps_memory_room(&to->row, to->n, &to->cap, 16, sizeof(struct change)))
                        return PS_NOMEM(err, "writes to memory", to->n);
                ((struct change *)to->row)[to->n++] =
                        (struct change){enter, is_wait ? f->timing->leave[location][op] : enter, ref, process,
                                        is_wait                              ? CHANGE_WAIT
                                        : ps_op_bytes(ops, op) <= FLAG_BYTES ? CHANGE_FLAG
                                                                             : CHANGE_LARGE};
        }
        return PS_OK;
}

static ps_proc about(const ps_trace *trace, const void *row)
{
        (void)trace;
        return ((const struct change *)row)->process;
}

static ps_status release(struct finder *f, const struct change *wait, const struct change *write,
                         ps_error *err)
{
        return ps_releases_add(f,
                               &(ps_release){.at = wait->ref,
                                             .by = write->ref,
                                             .until = write->at,
                                             .transferred = PS_NEVER_BEGUN,
                                             .sort = PS_RELEASED_BY_WRITE},
                               err);
}

/* By the last write of somebody else that began during the wait, before it was over; a flag if there is one.
 */
static ps_status find(struct finder *f, const ps_dealt_rows *rows, ps_error *err)
{
        struct change *at = rows->row;
        if (ps_radix_sort(at, rows->n, sizeof(*at), keys, sizeof(keys) / sizeof(*keys)) != 0)
                return PS_NOMEM(err, "writes to memory", rows->n);
        const struct change *last[] = {NULL, NULL, NULL};
        for (const struct change *now = at; now < at + rows->n; now++) {
                if (now > at && now->process != now[-1].process)
                        last[CHANGE_LARGE] = last[CHANGE_FLAG] = NULL;
                if (now->sort != CHANGE_WAIT) {
                        last[now->sort] = now;
                        continue;
                }
                for (unsigned sort = CHANGE_FLAG; sort > CHANGE_WAIT; sort--)
                        if (last[sort] && last[sort]->at > now->enter &&
                            last[sort]->ref.loc != now->ref.loc) {
                                PS_TRY(release(f, now, last[sort], err));
                                break;
                        }
        }
        return PS_OK;
}

const struct search ps_search_changes = {sizeof(struct change),
                                         PS_RARE_KIND(PS_K_RMA_WAIT) | PS_RARE_KIND(PS_K_PUT) |
                                                 PS_RARE_KIND(PS_K_ATOMIC),
                                         collect,
                                         about,
                                         find,
                                         PS_K_RMA_WAIT};
