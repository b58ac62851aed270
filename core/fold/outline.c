/* outline.c - see outline.h. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): where a page is to be, and nothing else is
#include "core/fold/outline.h"

#include "core/base/limit.h"
#include "core/base/memory.h"
#include "core/fold/builder.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, BITS = 8 };

/* -- where columns are -- */

static bool reserve_place(ps_trace *trace, size_t bytes)
{
        char *at = ps_limit_gap(bytes);
        trace->mapped_pages = at ? calloc(bytes / PAGE / BITS + 1, 1) : NULL;
        if (trace->mapped_pages)
                trace->mapped = at;
        return trace->mapped_pages != NULL;
}

void *ps_outline_pages(size_t bytes)
{
        void *at =
                mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED)
                return NULL;
        madvise(at, bytes, MADV_NOHUGEPAGE); /* or one row would take megabytes */
        ps_memory_poison(at, bytes);
        return at;
}

void ps_outline_empty(void *pages, size_t bytes)
{
        madvise(pages, bytes, MADV_DONTNEED);
        ps_memory_poison(pages, bytes);
}

void ps_outline_give_back(void *pages, size_t bytes)
{
        ps_memory_poison_end(pages, bytes); /* whoever has these addresses next may read them */
        munmap(pages, bytes);
}

static bool reserve_pages(ps_trace *trace, size_t bytes)
{
        trace->mapped = ps_outline_pages(bytes);
        return trace->mapped != NULL;
}

bool ps_outline_reserve(ps_trace *trace, size_t bytes)
{
        uint64_t addresses;
        if (!(ps_limit_of_addresses(&addresses) ? reserve_place : reserve_pages)(trace, bytes))
                return false;
        trace->mapped_bytes = bytes;
        return true;
}

/* Are the pages of these values there now? */
static bool have_pages(const ps_trace *trace, const void *values, size_t bytes)
{
        size_t first = (uintptr_t)values - (uintptr_t)trace->mapped;
        bool are_reserved = trace->mapped_pages && first < trace->mapped_bytes;
        for (size_t i = first / PAGE; are_reserved && i * PAGE < first + bytes; i++) {
                char *page = (char *)trace->mapped + i * PAGE;
                uint8_t bit = (uint8_t)(1 << i % BITS);
                if (trace->mapped_pages[i / BITS] & bit)
                        continue;
                void *at = mmap(page, PAGE, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
                if (at != page)
                        return false;
                trace->mapped_pages[i / BITS] |= bit;
        }
        return true;
}

/* -- locations -- */

/* So that what stands behind them is aligned. */
static size_t round_up(size_t bytes)
{
        return (bytes + sizeof(ps_time) - 1) / sizeof(ps_time) * sizeof(ps_time);
}

size_t ps_outline_rows_bytes(const ps_defs *defs, const ps_ops *ops)
{
        return ps_rows_bytes(defs, ops, ops->n);
}

static size_t columns_bytes(const ps_defs *defs, const ps_ops *ops)
{
        return round_up(ps_rows_bytes(defs, ops, ops->n));
}

static size_t calls_bytes(const ps_ops *ops)
{
        return ops->n_calls * sizeof(*ops->calls);
}

size_t ps_outline_bytes(const ps_defs *defs, const ps_ops *ops)
{
        return columns_bytes(defs, ops) + calls_bytes(ops) + round_up(ops->n_completed * sizeof(uint32_t));
}

void ps_outline_stand(const ps_trace *trace, ps_loc location, void *columns)
{
        ps_ops *ops = &trace->ops[location];
        const ps_timing *measured = &trace->measured;
        ps_rows_place(&trace->defs, ops, &measured->enter[location], &measured->leave[location], columns,
                      ops->n);
        char *at = (char *)columns + columns_bytes(&trace->defs, ops);
        ops->calls = (struct ps_call *)(void *)at;
        ops->completed = (uint32_t *)(void *)(at + calls_bytes(ops));
}

void ps_outline_place(ps_trace *trace, ps_loc location, void *columns)
{
        ps_outline_stand(trace, location, columns);
        /* Pages without access would watch in each build, but only those of long locations, each row that is
         * brought would cut a mapping into three, of which a process has some 65,000, and users would have a
         * crash where a wait is missing. Tests go through all there is: there nobody may read them. */
        ps_memory_poison(columns, ps_outline_bytes(&trace->defs, &trace->ops[location]));
}

ps_status ps_outline_pass_placed(ps_pass *p, const ps_trace *trace, void *values, size_t count, size_t size)
{
        if (p->way == PS_PASS_TAKE && !have_pages(trace, values, count * size))
                return PS_NOMEM(p->err, "operations", count);
        if (p->way == PS_PASS_TAKE)
                ps_memory_poison_end(values, count * size);
        return ps_pass_values(p, values, count, size);
}

#define VALUE(p, value) PS_TRY(ps_outline_pass_placed((p), trace, &(value), 1, sizeof(value)))

ps_status ps_outline_pass_row(ps_pass *p, const ps_trace *trace, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
#define COLUMN(type, name, first) VALUE(p, trace->measured.name[ref.loc][ref.op]);
        ROW_TIMES(COLUMN)
#undef COLUMN
#define COLUMN(type, name, first) VALUE(p, ops->name[ref.op]);
        ROW_OPS(COLUMN)
#undef COLUMN
        VALUE(p, ops->call[ref.op]);
        VALUE(p, ops->calls[ops->call[ref.op]]);
        if (ops->peer)
                VALUE(p, ops->peer[ref.op]);
        if (ops->length)
                VALUE(p, ops->length[ref.op]);
        if (ps_kinds[ops->kind[ref.op]].cls == PS_C_COMPLETE && ps_op_tag(ops, ref.op) &&
            !(ops->flags[ref.op] & PS_OP_IN_A_ROW))
                return ps_outline_pass_placed(p, trace, ops->completed + ops->link[ref.op],
                                              ps_op_tag(ops, ref.op), sizeof(*ops->completed));
        return PS_OK;
}

/* Those of such rows: as calls are numbered when something new is said, they stand side by side, more or
 * less. */
static ps_status pass_calls(ps_pass *p, const ps_trace *trace, const ps_ops *ops, ps_op from, ps_op end)
{
        uint32_t first = from < end ? ops->call[from] : 0, last = first;
        for (ps_op op = from; op < end; op++) {
                first = ops->call[op] < first ? ops->call[op] : first;
                last = ops->call[op] > last ? ops->call[op] : last;
        }
        return from < end ? ps_outline_pass_placed(p, trace, &ops->calls[first], last - first + (size_t)1,
                                                   sizeof(*ops->calls))
                          : PS_OK;
}

ps_status ps_outline_pass_range(ps_pass *p, const ps_trace *trace, ps_loc location, ps_op from, ps_op end)
{
        const ps_ops *ops = &trace->ops[location];
        const size_t n = end - from;
#define PASS(type, column)        PS_TRY(ps_outline_pass_placed(p, trace, (column) + from, n, sizeof(type)));
#define COLUMN(type, name, first) PASS(type, trace->measured.name[location])
        ROW_TIMES(COLUMN)
#undef COLUMN
#define COLUMN(type, name, first) PASS(type, ops->name)
        ROW_OPS(COLUMN)
#undef COLUMN
        if (ops->peer)
                PASS(uint32_t, ops->peer)
        if (ops->length)
                PASS(uint32_t, ops->length)
#undef PASS
        return pass_calls(p, trace, ops, from, end);
}
