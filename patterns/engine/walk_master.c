/* walk_master.c - is one thread the master of the others, and who waits for whom?
 *
 * If nobody is named, it is in a PGAS program the thread that takes part in more than any other, and in four
 * fifths of all, of what happens between two threads or around one: transfers, rooted collectives. What the
 * master and the others wait for each other is summed while the waits are booked. */
#include "patterns/engine/walk_pgas.h"

#include "core/base/memory.h"
#include "core/exchange/reduce.h"

#include <assert.h>
#include <stdlib.h>

enum { LEAST_THREADS = 3, LEAST_OPS = 10 };

struct shares {
        int64_t *own; /* by location; behind the last: of all */
        uint32_t n;
};

/* So many operations of a location that are about one. */
static void count(struct shares *shares, ps_loc centre, int64_t n)
{
        shares->own[shares->n] += n;
        shares->own[centre] += n;
}

/* A transfer is about the location that makes it, too. */
static void count_transfers(struct shares *shares, ps_loc loc, ps_loc target, int64_t n)
{
        if (target == PS_NONE)
                return;
        count(shares, target, n);
        if (target != loc)
                shares->own[loc] += n;
}

/* The location that a collective operation is about, or PS_NONE. */
static inline ps_loc centre_of(const ps_trace *trace, const ps_ops *ops, ps_op op)
{
        if (!(ops->flags[op] & PS_OP_MATCHED))
                return PS_NONE;
        uint32_t root = trace->colls[trace->members[ops->link[op]].coll].root;
        return root == PS_NONE ? PS_NONE : trace->members[root].ref.loc;
}

static ps_status count_location(struct shares *shares, const struct engine *e, ps_loc loc, ps_error *err)
{
        const ps_ops ops = e->trace->ops[loc];
        uint32_t *alike = ps_memory_zeroed(ops.n_calls + (size_t)1, sizeof(*alike)); /* transfers, by call */
        if (!alike)
                return PS_NOMEM(err, "calls", ops.n_calls);
        for (ps_op op = 0; op < ops.n; op++) {
                const ps_class cls = ps_kinds[ops.kind[op]].cls;
                if (cls == PS_C_RMA)
                        alike[ops.call[op]]++;
                if (cls != PS_C_COLL || !e->is_pgas[ps_op_path(&ops, op)])
                        continue;
                const ps_loc centre = centre_of(e->trace, &ops, op);
                if (centre != PS_NONE)
                        count(shares, centre, 1);
        }
        for (uint32_t i = 0; i < ops.n_calls; i++)
                if (alike[i] &&
                    e->is_pgas[ops.calls[i].path]) /* what others say of a peer may be no location */
                        count_transfers(shares, loc, ops.calls[i].peer, alike[i]);
        free(alike);
        return PS_OK;
}

/* Ranks are those of the threads of a PGAS program, if it is one. */
static ps_status take_master(struct engine *e, ps_error *err)
{
        const ps_defs *defs = &e->trace->defs;
        uint32_t rank = e->options->master;
        if (defs->pgas_comm != PS_NONE) {
                const ps_comm_def *comm = &defs->comms.row[defs->pgas_comm];
                rank = rank < comm->n_members ? comm->members[rank] : PS_NONE;
                if (comm->team)
                        e->master = rank;
        }
        if (e->master == PS_NONE && rank < defs->processes.n && defs->processes.row[rank].n_locs)
                e->master = defs->by_process[defs->processes.row[rank].first];
        if (e->master == PS_NONE || e->trace->n_locs < 2)
                return PS_FAIL(err, PS_E_USAGE,
                               "--master needs a rank of the run, and other ranks beside it: value=%u",
                               e->options->master);
        return PS_OK;
}

static void add_share(int64_t *to, const int64_t *row)
{
        *to += *row;
}

/* Of all locations, by all who have the rows of some. */
static ps_status add_shares(struct shares *shares, ps_exchange *x, ps_status status, ps_error *err)
{
        static const ps_reduced share = {0, false};
        static const ps_reduction reduction = {&share, 1, add_share};
        const size_t n = shares->n + (size_t)1;
        uint32_t *id = malloc(n * sizeof(*id));
        PS_THEN(status, id ? PS_OK : PS_NOMEM(err, "locations", n));
        for (uint32_t i = 0; id && i < n; i++)
                id[i] = i;
        status = ps_exchange_agree(x, status, err);
        PS_THEN(status,
                ps_exchange_reduce(x, &reduction, shares->n + 1, id, shares->n + 1, shares->own, err));
        free(id);
        return status;
}

static ps_loc master_by(const struct shares *shares)
{
        const int64_t *own = shares->own, all = own[shares->n];
        ps_loc most = 0;
        bool is_alone = true; /* nobody takes part in as much */
        for (ps_loc loc = 1; loc < shares->n; loc++) {
                is_alone = own[loc] == own[most] ? 0 : is_alone || own[loc] > own[most];
                most = own[loc] > own[most] ? loc : most;
        }
        return is_alone && shares->n >= LEAST_THREADS && all >= LEAST_OPS && own[most] >= all - all / 5
                       ? most
                       : PS_NONE;
}

ps_status ps_walk_find_master(struct engine *e, ps_error *err)
{
        const ps_trace *trace = e->trace;
        if (e->options->has_master)
                return take_master(e, err);
        if (trace->defs.pgas_comm == PS_NONE)
                return PS_OK;
        struct shares shares = {ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*shares.own)),
                                trace->n_locs};
        ps_status status = shares.own ? PS_OK : PS_NOMEM(err, "locations", trace->n_locs);
        for (ps_loc loc = 0; status == PS_OK && loc < trace->n_locs; loc++)
                if (!e->others || ps_share_is_here(trace, loc))
                        status = count_location(&shares, e, loc, err);
        if (e->others)
                status = add_shares(&shares, e->others, status, err);
        if (shares.own && status == PS_OK)
                e->master = master_by(&shares);
        free(shares.own);
        return status;
}

/* A wait of the master, or one for it. */
void ps_walk_note_master(struct local *l, const ps_instance *instance, ps_path path)
{
        ps_loc master = l->engine->master;
        if (instance->partner.op == PS_NONE || instance->partner.loc == l->loc ||
            (l->loc != master && instance->partner.loc != master) ||
            ps_pattern_at(instance->pattern)->is_view)
                return;
        l->master.waited = ps_time_add(l->master.waited, instance->lost);
        if (instance->lost > l->master.worst.lost) {
                l->master.worst = *instance;
                l->master.path = path;
        }
}

static void ask_location(struct local *l, const ps_master_view *view)
{
        const struct engine *e = l->engine;
        for (uint32_t k = 0; k < e->rules.n_roots[PS_ON_MASTER]; k++) {
                ps_instance instance = l->master.worst;
                instance.pattern = e->rules.root[PS_ON_MASTER][k];
                instance.lost = ps_rules_master(&e->rules, instance.pattern, view);
                if (instance.lost >= 0)
                        ps_walk_book(l, &instance, l->master.path, PS_NONE);
        }
}

/* Whose rows say how certain the worst wait of each is. */
static ps_status bring_worst(const struct engine *e, ps_error *err)
{
        if (!ps_share_is_apart(e->trace, e->timing))
                return PS_OK;
        ps_ref *rows = malloc((e->trace->n_locs + (size_t)1) * sizeof(*rows));
        size_t n = 0;
        for (ps_loc loc = 0; rows && loc < e->trace->n_locs; loc++)
                if (e->local[loc].master.waited > 0 && !ps_share_is_here(e->trace, loc))
                        rows[n++] = e->local[loc].master.worst.at;
        ps_status status = !rows ? PS_NOMEM(err, "locations", e->trace->n_locs)
                           : n   ? ps_share_bring(e->trace, rows, n, err)
                                 : PS_OK;
        free(rows);
        return status;
}

ps_status ps_walk_master(struct engine *e, ps_error *err)
{
        ps_master_view view = {.duration = ps_focus_length(e->timing)};
        if (e->master == PS_NONE)
                return PS_OK;
        assert(e->trace->n_locs > 1);
        PS_TRY(bring_worst(e, err));
        for (ps_loc loc = 0; loc < e->trace->n_locs; loc++)
                if (loc != e->master)
                        view.workers_wait = ps_time_add(view.workers_wait, e->local[loc].master.waited);
        view.workers_wait /= e->trace->n_locs - 1;
        view.waits = e->local[e->master].master.waited;
        for (ps_loc loc = 0; loc < e->trace->n_locs; loc++) {
                struct local *l = &e->local[loc];
                view.own = l->master.waited;
                view.is_master = loc == e->master;
                if (l->master.waited > 0)
                        ask_location(l, &view);
                if (l->status != PS_OK)
                        return PS_NOMEM(err, "findings", l->findings.n);
        }
        return PS_OK;
}
