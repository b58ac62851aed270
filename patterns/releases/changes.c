/* changes.c - calls of SHMEM programs that wait until somebody else has changed their memory, and the writes
 * that may have been what they waited for. */
#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/base/vector.h"
#include "patterns/releases/search.h"

#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))

/* What is waited for is mostly a flag. */
enum { FLAG_BYTES = 8 };

/* A write to memory of this process, or a call of it that waits. */
struct change {
        ps_time enter, leave;
        ps_ref ref;
        ps_proc process;
        uint32_t sort;
};

enum { CHANGE_LARGE, CHANGE_FLAG, CHANGES, CHANGE_WAIT = CHANGES };

/* By what is said of a call. In UPC calls of the same kinds wait for transfers of their own. */
static inline bool is_of_shmem(const ps_trace *trace, const struct ps_call *call)
{
        const ps_region_def *region = ps_path_region(trace, call->path);
        return region && region->paradigm == PS_PARADIGM_SHMEM;
}

static inline bool writes(uint8_t kind)
{
        return kind == PS_K_PUT || kind == PS_K_ATOMIC;
}

static inline uint32_t sort_of(const ps_ops *ops, ps_op op)
{
        return ps_op_bytes(ops, op) <= FLAG_BYTES ? CHANGE_FLAG : CHANGE_LARGE;
}

/* Writes are rows where others may wait for them; else they are looked at where they stand. */
static ps_status collect(ps_dealt_rows *to, const struct finder *f, ps_loc location, ps_error *err)
{
        const ps_trace *trace = f->trace;
        const ps_ops *ops = &trace->ops[location];
        for (ps_op op = ps_ops_seek(ops, 0, PS_K_PUT); op < ops->n; op++) {
                const uint8_t kind = ops->kind[op];
                const bool is_wait = kind == PS_K_RMA_WAIT;
                if (!(is_wait || (trace->spread && writes(kind))) ||
                    !is_of_shmem(trace, &ops->calls[ops->call[op]]))
                        continue;
                const struct change row = {f->timing->enter[location][op],
                                           f->timing->leave[location][op],
                                           {location, op},
                                           ps_trace_process(trace, is_wait ? location : ps_op_peer(ops, op)),
                                           is_wait ? CHANGE_WAIT : sort_of(ops, op)};
                if (row.process == PS_NONE)
                        continue;
                if (ps_memory_room(&to->row, to->n, &to->cap, 16, sizeof(row)))
                        return PS_NOMEM(err, "writes to memory", to->n);
                ((struct change *)to->row)[to->n++] = row;
        }
        return PS_OK;
}

static ps_proc about(const ps_trace *trace, const void *row)
{
        (void)trace;
        return ((const struct change *)row)->process;
}

/* A call that waits, and the last writes to its process that began meanwhile, by sort. */
struct wait {
        ps_time enter, leave;
        ps_op op;
        bool is_written[CHANGES];
        struct last {
                ps_time begin;
                ps_ref ref;
        } by[CHANGES];
};

/* Those of one location, in the order of its calls. */
struct list {
        ps_loc loc;
        uint32_t begin, end;
        uint32_t near;
        uint32_t next; /* another location of the same process, + 1 */
};

struct lists {
        struct wait *wait;
        uint32_t n_waits, waits_cap;
        struct list *row;
        uint32_t n, cap;
        uint32_t *first; /* by process: + 1; 0: it never waits */
};

static ps_status add_wait(struct lists *l, const struct change *call, ps_error *err)
{
        if (!l->n || l->row[l->n - 1].loc != call->ref.loc) {
                const struct list new = {.loc = call->ref.loc,
                                         .begin = l->n_waits,
                                         .near = l->n_waits,
                                         .next = l->first[call->process]};
                if (PS_APPEND(l->row, l->n, l->cap, new))
                        return PS_NOMEM(err, "waits for memory", l->n);
                l->first[call->process] = l->n;
        }
        const struct wait new = {.enter = call->enter, .leave = call->leave, .op = call->ref.op};
        if (PS_APPEND(l->wait, l->n_waits, l->waits_cap, new))
                return PS_NOMEM(err, "waits for memory", l->n_waits);
        l->row[l->n - 1].end = l->n_waits;
        return PS_OK;
}

static ps_status list_waits(struct lists *l, const struct change *at, const struct change *end,
                            uint32_t n_processes, ps_error *err)
{
        l->first = ps_memory_zeroed(n_processes + (size_t)1, sizeof(*l->first));
        if (!l->first)
                return PS_NOMEM(err, "waits for memory", n_processes);
        for (; at < end; at++)
                if (at->sort == CHANGE_WAIT)
                        PS_TRY(add_wait(l, at, err));
        return PS_OK;
}

/* The first wait of the list that is over behind that time, or the end of the list: mostly the last one that
 * was found, or the one behind it. */
INLINE uint32_t find_wait(const struct wait *wait, const struct list *list, ps_time time)
{
        uint32_t i = list->near, end = list->end;
        i += i < end && wait[i].leave <= time;
        if ((i == list->begin || wait[i - 1].leave <= time) && (i == end || wait[i].leave > time))
                return i;
        i = list->begin;
        PS_BISECT(i, end, k, wait[k].leave <= time);
        return i;
}

/* Which of two at the same time does not matter, but it is always the same. */
static void note_last(struct wait *wait, uint32_t sort, struct last write)
{
        const struct last *by = &wait->by[sort];
        if (!wait->is_written[sort] || write.begin > by->begin ||
            (write.begin == by->begin && ps_ref_place(write.ref) > ps_ref_place(by->ref)))
                wait->by[sort] = write;
        wait->is_written[sort] = true;
}

/* Of the location that the list is of, the wait that the write began in; NULL: in none. Waits of one location
 * follow each other, so that it is in one of them at most. */
INLINE struct wait *find_written(struct lists *l, struct list *list, ps_time begin, ps_loc writer)
{
        const uint32_t i = list->near = find_wait(l->wait, list, begin);
        return i < list->end && l->wait[i].enter < begin && list->loc != writer ? &l->wait[i] : NULL;
}

static void note_writes_of(struct lists *l, const struct finder *f, ps_loc location)
{
        const ps_trace *trace = f->trace;
        const ps_ops ops = trace->ops[location];
        const ps_time *enter = f->timing->enter[location];
        for (ps_op op = ps_ops_seek(&ops, 0, PS_K_PUT); op < ops.n; op++) {
                if (!writes(ops.kind[op]))
                        continue;
                const ps_proc process = ps_trace_process(trace, ps_op_peer(&ops, op));
                for (uint32_t i = process != PS_NONE ? l->first[process] : 0; i; i = l->row[i - 1].next) {
                        struct wait *wait = find_written(l, &l->row[i - 1], enter[op], location);
                        if (wait && is_of_shmem(trace, &ops.calls[ops.call[op]]))
                                note_last(wait, sort_of(&ops, op), (struct last){enter[op], {location, op}});
                }
        }
}

static void note_rows(struct lists *l, const struct change *at, const struct change *end)
{
        for (; at < end; at++)
                for (uint32_t i = at->sort != CHANGE_WAIT ? l->first[at->process] : 0; i;
                     i = l->row[i - 1].next) {
                        struct wait *wait = find_written(l, &l->row[i - 1], at->enter, at->ref.loc);
                        if (wait)
                                note_last(wait, at->sort, (struct last){at->enter, at->ref});
                }
}

/* By a flag if there is one. */
static ps_status release_list(struct finder *f, const struct lists *l, const struct list *list, ps_error *err)
{
        for (const struct wait *wait = l->wait + list->begin; wait < l->wait + list->end; wait++) {
                const unsigned sort = wait->is_written[CHANGE_FLAG] ? CHANGE_FLAG : CHANGE_LARGE;
                const ps_release new = {.at = {list->loc, wait->op},
                                        .by = wait->by[sort].ref,
                                        .until = wait->by[sort].begin,
                                        .transferred = PS_NEVER_BEGUN,
                                        .sort = PS_RELEASED_BY_WRITE};
                if (wait->is_written[sort])
                        PS_TRY(ps_releases_add(f, &new, err));
        }
        return PS_OK;
}

static ps_status find(struct finder *f, const ps_dealt_rows *rows, ps_error *err)
{
        if (!rows->n)
                return PS_OK;
        const struct change *at = rows->row, *end = at + rows->n;
        struct lists l = {0};
        ps_status status = list_waits(&l, at, end, f->trace->defs.processes.n, err);
        if (status == PS_OK && l.n && f->trace->spread)
                note_rows(&l, at, end);
        for (ps_loc loc = 0; status == PS_OK && l.n && !f->trace->spread && loc < f->trace->n_locs; loc++)
                note_writes_of(&l, f, loc);
        for (uint32_t i = 0; i < l.n && status == PS_OK; i++)
                status = release_list(f, &l, &l.row[i], err);
        free(l.wait);
        free(l.row);
        free(l.first);
        return status;
}

const struct search ps_search_changes = {sizeof(struct change),
                                         PS_RARE_KIND(PS_K_RMA_WAIT) | PS_RARE_KIND(PS_K_PUT) |
                                                 PS_RARE_KIND(PS_K_ATOMIC),
                                         collect,
                                         about,
                                         find,
                                         PS_K_RMA_WAIT};
