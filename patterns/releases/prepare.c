/* prepare.c - what threads gave each other, and a table of transfer times by size. */
#include "patterns/releases/prepare.h"

#include "core/base/blocks.h"
#include "core/base/search.h"
#include "core/exchange/reduce.h"
#include "core/load/share.h"
#include "patterns/table/pattern.h"

#include <stdlib.h>

/* Messages that are looked at to learn transfer times, of each location. */
enum { SAMPLES = 4096, SIZE_CLASSES = 65 };

struct ps_prepared {
        ps_threads threads;
        ps_time transfer[SIZE_CLASSES];
};

static void learn_transfers(ps_prepared *p, const ps_trace *trace, const ps_timing *timing, ps_loc loc)
{
        const ps_ops *ops = &trace->ops[loc];
        uint32_t step = ops->n / SAMPLES + 1;
        for (ps_op op = 0; op < ops->n; op += step) {
                ps_blocks_keep();
                if (ps_kinds[ops->kind[op]].cls != PS_C_RECV || !(ops->flags[op] & PS_OP_MATCHED))
                        continue;
                ps_ref send = {ps_op_peer(ops, op), ops->link[op]},
                       done = ps_op_completion(trace, (ps_ref){loc, op});
                if (done.op == PS_NONE)
                        continue;
                ps_time begun = later(timing->enter[loc][op], timing->enter[send.loc][send.op]);
                ps_time took = timing->leave[done.loc][done.op] - begun;
                ps_time *least = &p->transfer[ps_binary_digits(ps_op_bytes(ops, op))];
                if (took > 0 && (!*least || took < *least))
                        *least = took;
        }
}

ps_status ps_prepare(ps_prepared **out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        *out = NULL;
        ps_prepared *p = calloc(1, sizeof(*p));
        ps_status status = p ? PS_OK : PS_NOMEM(err, "forks", 1);
        for (ps_loc loc = 0; loc < trace->n_locs && status == PS_OK; loc++) {
                status = ps_threads_add(&p->threads, trace, timing, loc, err);
                learn_transfers(p, trace, timing, loc);
        }
        PS_THEN(status, ps_threads_sort(&p->threads, trace->defs.processes.n, err));
        if (status != PS_OK)
                ps_prepared_free(p);
        else
                *out = p;
        return status;
}

static void add_least(int64_t *to, const int64_t *row)
{
        if (*row && (!*to || *row < *to))
                *to = *row;
}

/* Threads of a process are read by one of ours. */
static ps_status prepare_here(ps_prepared *p, const ps_trace *trace, ps_error *err)
{
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                if (!ps_share_is_here(trace, loc))
                        continue;
                PS_TRY(ps_threads_add(&p->threads, trace, &trace->measured, loc, err));
                learn_transfers(p, trace, &trace->measured, loc);
        }
        return ps_threads_sort(&p->threads, trace->defs.processes.n, err);
}

ps_status ps_prepare_together(ps_prepared **out, const ps_trace *trace, ps_error *err)
{
        static const ps_reduced least = {0, false};
        static const ps_reduction reduction = {&least, 1, add_least};
        uint32_t classes[SIZE_CLASSES];
        ps_exchange *x = trace->spread->x;
        ps_prepared *p = *out = calloc(1, sizeof(*p));
        PS_TRY(ps_exchange_agree(x, p ? PS_OK : PS_NOMEM(err, "transfers", 1), err));
        for (uint32_t i = 0; i < SIZE_CLASSES; i++)
                classes[i] = i;
        PS_TRY(ps_exchange_agree(x, prepare_here(p, trace, err), err));
        return ps_exchange_reduce(x, &reduction, SIZE_CLASSES, classes, SIZE_CLASSES, p->transfer, err);
}

void ps_prepared_free(ps_prepared *p)
{
        if (!p)
                return;
        ps_threads_clear(&p->threads);
        free(p);
}

const ps_threads *ps_prepared_threads(const ps_prepared *p)
{
        return &p->threads;
}

ps_time ps_prepared_transfer(const ps_prepared *p, uint64_t bytes)
{
        return p->transfer[ps_binary_digits(bytes)];
}
