/* outline.c - see outline.h. */
#include "core/fold/outline.h"

#include "core/base/memory.h"
#include "core/fold/builder.h"

/* So that what stands behind them is aligned. */
static size_t round_up(size_t bytes)
{
        return (bytes + sizeof(ps_time) - 1) / sizeof(ps_time) * sizeof(ps_time);
}

size_t ps_outline_bytes(const ps_defs *defs, const ps_ops *ops)
{
        return round_up(ps_rows_bytes(defs, ops->n)) + round_up(ops->n_completed * sizeof(uint32_t));
}

void ps_outline_place(ps_trace *trace, ps_loc location, void *columns)
{
        ps_ops *ops = &trace->ops[location];
        const ps_timing *measured = &trace->measured;
        ps_rows_place(&trace->defs, ops, &measured->enter[location], &measured->leave[location], columns,
                      ops->n);
        char *at = (char *)columns + round_up(ps_rows_bytes(&trace->defs, ops->n));
        ops->completed = (uint32_t *)(void *)at;
        /* Pages without access would watch in each build, but only those of long locations, each row that is
         * brought would cut a mapping into three, of which a process has some 65,000, and users would have a
         * crash where a wait is missing. Tests go through all there is: there nobody may read them. */
        ps_memory_poison(columns, ps_outline_bytes(&trace->defs, ops));
}

/* What lies in columns that were placed, or will. */
static ps_status pass_placed(ps_pass *p, void *values, size_t count, size_t size)
{
        if (p->way == PS_PASS_TAKE)
                ps_memory_poison_end(values, count * size);
        return ps_pass_values(p, values, count, size);
}

#define VALUE(p, value) PS_TRY(pass_placed((p), &(value), 1, sizeof(value)))

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
        if (ops->peer)
                VALUE(p, ops->peer[ref.op]);
        if (ps_kinds[ops->kind[ref.op]].cls == PS_C_COMPLETE && ps_op_tag(ops, ref.op))
                return pass_placed(p, ops->completed + ops->link[ref.op], ps_op_tag(ops, ref.op),
                                   sizeof(*ops->completed));
        return PS_OK;
}
