/* ended.c - the waits of all, by the call that ended them. */
#include "core/base/blocks.h"
#include "patterns/causes/apart.h"
#include "patterns/causes/by_op.h"
#include "patterns/causes/passes.h"

/* The waits that each location ended are a list, the last one first. */
static void link_ended(const struct delaying *d, uint32_t *last, uint32_t *before)
{
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                const uint32_t end = d->line[loc].wait + d->line[loc].n_waits;
                ps_blocks_look();
                for (uint32_t i = d->line[loc].wait; i < end; i++) {
                        const struct waiting *w = &d->wait[i];
                        if (!w->is_caused || !is_here(d, w->by.loc))
                                continue;
                        before[i] = last[w->by.loc];
                        last[w->by.loc] = i + 1;
                }
        }
}

/* By the location that ended them, and its operations; those of one operation as they were. */
static void order_ended(struct delaying *d, struct by_op *by_call, const uint32_t *last)
{
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                uint32_t n = 0;
                for (uint32_t i = last[loc], before; i; i = before, n++) {
                        ps_blocks_keep();
                        before = by_call->next[i - 1];
                        by_op_put(by_call, d->wait[i - 1].by.op, i - 1);
                }
                by_op_order(by_call, d->ended + d->ending[loc], n);
                d->ending[loc + 1] = d->ending[loc] + n;
        }
}

/* A wait is in the list of a location before it is in that of an operation: so one array holds both. */
ps_status ps_waits_list_ended(struct delaying *d, ps_error *err)
{
        size_t n = d->trace->n_locs + (size_t)1, most_ops = 0;
        uint32_t *last = ps_memory_zeroed(n, sizeof(*last));
        struct by_op by_call;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                most_ops = d->trace->ops[loc].n > most_ops ? d->trace->ops[loc].n : most_ops;
        ps_status status = by_op_new(&by_call, most_ops, d->n_waits, err);
        d->ending = ps_memory_zeroed(n, sizeof(*d->ending));
        d->ended = ps_memory_again((d->n_waits + (size_t)1) * sizeof(*d->ended));
        PS_THEN(status, last && d->ending && d->ended ? PS_OK : PS_NOMEM(err, "waits", d->n_waits));
        if (status == PS_OK) {
                link_ended(d, last, by_call.next);
                order_ended(d, &by_call, last);
        }
        by_op_free(&by_call);
        free(last);
        return status;
}

void ps_waits_forget_ended(struct delaying *d)
{
        ps_memory_pass_on(d->ended);
        free(d->ending);
        free(d->meeting);
        d->ended = NULL;
        d->ending = NULL;
        d->meeting = NULL;
}
