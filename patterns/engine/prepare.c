/* prepare.c - sorted lists of forks and joins, and a table of transfer times by size. */
#include "patterns/engine/prepare.h"

#include "core/base/blocks.h"
#include "core/base/radix.h"
#include "core/base/search.h"
#include "core/base/vector.h"
#include "core/exchange/reduce.h"
#include "core/load/share.h"
#include "patterns/table/pattern.h"

#include <stdlib.h>

/* Messages that are looked at to learn transfer times, of each location. */
enum { SAMPLES = 4096, SIZE_CLASSES = 65 };

/* A fork or a join. */
struct giver {
        ps_proc process;
        ps_time time;
        ps_ref ref;
};

enum list { FORKS, JOINS, N_LISTS };

/* In order of process, time and place. */
struct givers {
        struct giver *at;
        uint32_t n, cap;
        uint32_t *first; /* by process, and behind the last one; NULL: there are none */
};

struct ps_prepared {
        struct givers givers[N_LISTS];
        ps_time transfer[SIZE_CLASSES];
};

static ps_status add_giver(struct givers *to, const struct giver *giver, ps_error *err)
{
        return PS_APPEND(to->at, to->n, to->cap, *giver) ? PS_NOMEM(err, "forks", to->n) : PS_OK;
}

static ps_status collect_givers(ps_prepared *p, const ps_trace *trace, const ps_timing *timing, ps_loc loc,
                                ps_error *err)
{
        const ps_ops *ops = &trace->ops[loc];
        for (ps_op op = 0; (op = ps_ops_seek(ops, op, PS_K_THREAD_FORK)) < ops->n;)
                for (; op < ops->n && ops->kind[op] >= PS_K_THREAD_FORK; op++) {
                        uint8_t kind = ops->kind[op];
                        if (kind != PS_K_THREAD_FORK && kind != PS_K_THREAD_JOIN)
                                continue;
                        const struct giver giver = {trace->defs.locations.row[loc].process,
                                                    timing->leave[loc][op], (ps_ref){loc, op}};
                        PS_TRY(add_giver(&p->givers[kind == PS_K_THREAD_FORK ? FORKS : JOINS], &giver, err));
                }
        return PS_OK;
}

static uint64_t process_of(const void *giver)
{
        return ((const struct giver *)giver)->process;
}

static uint64_t time_of(const void *giver)
{
        return ps_radix_signed(((const struct giver *)giver)->time);
}

/* They come in order of their places, and what is equal keeps its order. */
static ps_status sort_givers(struct givers *givers, uint32_t n_processes, ps_error *err)
{
        static ps_row_number *const keys[] = {process_of, time_of};
        if (!givers->n)
                return PS_OK;
        givers->first = ps_memory_zeroed(n_processes + (size_t)1, sizeof(*givers->first));
        if (!givers->first || ps_radix_sort(givers->at, givers->n, sizeof(*givers->at), keys,
                                            sizeof(keys) / sizeof(*keys)) != 0)
                return PS_NOMEM(err, "forks", givers->n);
        for (uint32_t i = 0; i < givers->n; i++)
                givers->first[givers->at[i].process + 1] = i + 1;
        for (ps_proc p = 1; p <= n_processes; p++)
                if (givers->first[p] < givers->first[p - 1])
                        givers->first[p] = givers->first[p - 1];
        return PS_OK;
}

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

static ps_status sort_all_givers(ps_prepared *p, const ps_trace *trace, ps_error *err)
{
        for (int list = 0; list < N_LISTS; list++)
                PS_TRY(sort_givers(&p->givers[list], trace->defs.processes.n, err));
        return PS_OK;
}

ps_status ps_prepare(ps_prepared **out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        *out = NULL;
        ps_prepared *p = calloc(1, sizeof(*p));
        ps_status status = p ? PS_OK : PS_NOMEM(err, "forks", 1);
        for (ps_loc loc = 0; loc < trace->n_locs && status == PS_OK; loc++) {
                status = collect_givers(p, trace, timing, loc, err);
                learn_transfers(p, trace, timing, loc);
        }
        PS_THEN(status, sort_all_givers(p, trace, err));
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
                PS_TRY(collect_givers(p, trace, &trace->measured, loc, err));
                learn_transfers(p, trace, &trace->measured, loc);
        }
        return sort_all_givers(p, trace, err);
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
        for (int list = 0; list < N_LISTS; list++) {
                free(p->givers[list].at);
                free(p->givers[list].first);
        }
        free(p);
}

/* Moves *near to the first of the process that is not before `time`. */
static void find_giver(const struct givers *g, ps_proc process, ps_time time, uint32_t *near)
{
        uint32_t low = g->first[process], end = g->first[process + 1];
        PS_SEARCH_NEAR(low, end, *near, i, g->at[i].time < time);
        PS_SEARCH(low, end, i, g->at[i].time < time);
        *near = low;
}

bool ps_prepared_fork(const ps_prepared *p, ps_proc process, uint32_t *near, ps_time *time, ps_ref *by)
{
        const struct givers *g = &p->givers[FORKS];
        if (!g->n)
                return false;
        find_giver(g, process, ps_time_add(*time, 1), near); /* one at the same time is before */
        if (*near == g->first[process])
                return false;
        *time = g->at[*near - 1].time;
        *by = g->at[*near - 1].ref;
        return true;
}

/* Of several at the same time it is the last. */
bool ps_prepared_join(const ps_prepared *p, ps_proc process, uint32_t *near, ps_time *time, ps_ref *by)
{
        const struct givers *g = &p->givers[JOINS];
        if (!g->n)
                return false;
        find_giver(g, process, *time, near);
        uint32_t i = *near, end = g->first[process + 1];
        if (i == end)
                return false;
        while (i + 1 < end && g->at[i + 1].time == g->at[i].time)
                i++;
        *time = g->at[i].time;
        *by = g->at[i].ref;
        return true;
}

ps_time ps_prepared_transfer(const ps_prepared *p, uint64_t bytes)
{
        return p->transfer[ps_binary_digits(bytes)];
}
