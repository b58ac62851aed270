/* alone.c - see alone.h. */
#include "core/match/alone.h"

#include "core/base/search.h"
#include "core/base/vector.h"

#include <stdlib.h>

/* How many a process of the program makes on such a communicator; then how many those before it do. */
struct alone {
        uint32_t comm;
        ps_proc process;
        uint32_t n;
};

typedef PS_VECTOR(struct alone) alones;

static ps_status list_alone(alones *out, const ps_agreed *agreed, const ps_trace *trace, ps_error *err)
{
        for (uint32_t c = 0; c < agreed->n_colls; c++) {
                ps_loc loc = agreed->members[agreed->colls[c].first].ref.loc;
                const struct alone one = {agreed->colls[c].comm, trace->defs.locations.row[loc].process, 1};
                struct alone *last = out->n ? &out->row[out->n - 1] : NULL;
                if (!trace->defs.comms.row[one.comm].self)
                        continue;
                if (last && last->comm == one.comm && last->process == one.process)
                        last->n++;
                else if (PS_PUSH(*out, one))
                        return PS_NOMEM(err, "communicators", out->n);
        }
        return PS_OK;
}

static int compare_alone(const void *a, const void *b)
{
        const struct alone *x = a, *y = b;
        PS_ORDER_BY(x->comm, y->comm);
        return PS_ORDER(x->process, y->process);
}

static void add_up_alone(struct alone *all, size_t n)
{
        uint32_t before = 0;
        if (n)
                qsort(all, n, sizeof(*all), compare_alone);
        for (size_t i = 0; i < n; i++) {
                uint32_t own = all[i].n;
                before = i && all[i - 1].comm == all[i].comm ? before : 0;
                all[i].n = before;
                before += own;
        }
}

/* Operations are numbered from the first of the communicator on, as if the others made none. */
static void renumber_alone(ps_agreed *agreed, const alones *own, const struct alone *all, size_t n)
{
        uint32_t c = 0, here = 0;
        for (uint32_t i = 0; i < own->n; i++) {
                const struct alone *of = &own->row[i];
                const struct alone *found = bsearch(of, all, n, sizeof(*all), compare_alone);
                here = i && own->row[i - 1].comm == of->comm ? here : 0;
                while (agreed->colls[c].comm != of->comm)
                        c++;
                for (uint32_t k = 0; k < of->n; k++)
                        agreed->number[c++] += (found ? found->n : 0) - here;
                here += of->n;
        }
}

static ps_status tell_alone(ps_agreed *agreed, const alones *own, ps_exchange *x, ps_error *err)
{
        ps_pile in;
        uint64_t n = 0;
        PS_TRY(ps_exchange_gather(x, &in, own->row, own->n * sizeof(*own->row), err));
        struct alone *all = (struct alone *)(void *)in.bytes, *heard = NULL;
        if (!x->rank) {
                n = in.end[x->size - 1] / sizeof(*all);
                add_up_alone(all, n);
        }
        ps_exchange_broadcast(x, &n, sizeof(n));
        if (x->rank)
                all = heard = malloc(n * sizeof(*all));
        ps_status status = ps_exchange_agree(x, all ? PS_OK : PS_NOMEM(err, "communicators", n), err);
        if (status == PS_OK && all) {
                ps_exchange_broadcast(x, all, n * sizeof(*all));
                renumber_alone(agreed, own, all, n);
        }
        free(heard);
        ps_pile_clear(&in);
        return status;
}

ps_status ps_alone_number(ps_agreed *agreed, const ps_trace *trace, const uint32_t *n_of, ps_exchange *x,
                          ps_error *err)
{
        alones own = {NULL, 0, 0};
        ps_comm comm = 0, n = trace->defs.comms.n;
        while (comm < n && !(trace->defs.comms.row[comm].self && n_of[comm]))
                comm++;
        if (comm == n)
                return PS_OK;
        ps_status status = ps_exchange_agree(x, list_alone(&own, agreed, trace, err), err);
        PS_THEN(status, tell_alone(agreed, &own, x, err));
        free(own.row);
        return status;
}
