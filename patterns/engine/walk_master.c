/* walk_master.c - is one thread the master of the others, and who waits for whom?
 *
 * If nobody is named, it is in a PGAS program the thread that takes part in more than any other, and in four
 * fifths of all, of what happens between two threads or around one: transfers, rooted collectives. What the
 * master and the others wait for each other is summed while the waits are booked. */
#include "patterns/engine/walk.h"

#include "core/base/memory.h"

#include <assert.h>
#include <stdlib.h>

enum { LEAST_THREADS = 3, LEAST_OPS = 10 };

struct shares {
        uint64_t *own; /* by location */
        uint64_t all;
};

/* The location that the operation is about, or PS_NONE. */
static ps_loc centre_of(const ps_trace *trace, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        ps_class cls = ps_kinds[ops->kind[ref.op]].cls;
        if (!ps_op_is_pgas(trace, ref))
                return PS_NONE;
        if (cls == PS_C_RMA)
                return ps_op_peer(ops, ref.op);
        if (cls != PS_C_COLL || !(ops->flags[ref.op] & PS_OP_MATCHED))
                return PS_NONE;
        uint32_t root = trace->colls[trace->members[ops->link[ref.op]].coll].root;
        return root == PS_NONE ? PS_NONE : trace->members[root].ref.loc;
}

static void count_location(struct shares *shares, const ps_trace *trace, ps_loc loc)
{
        for (ps_op op = 0; op < trace->ops[loc].n; op++) {
                ps_loc centre = centre_of(trace, (ps_ref){loc, op});
                if (centre == PS_NONE)
                        continue;
                shares->all++;
                shares->own[centre]++;
                if (centre != loc && ps_kinds[trace->ops[loc].kind[op]].cls == PS_C_RMA)
                        shares->own[loc]++;
        }
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

ps_status ps_walk_find_master(struct engine *e, ps_error *err)
{
        if (e->options->has_master)
                return take_master(e, err);
        struct shares shares = {.own = ps_memory_zeroed(e->trace->n_locs, sizeof(uint64_t))};
        ps_loc most = 0;
        bool is_alone = true; /* nobody takes part in as much */
        if (!shares.own)
                return PS_NOMEM(err, "locations", e->trace->n_locs);
        for (ps_loc loc = 0; loc < e->trace->n_locs; loc++)
                count_location(&shares, e->trace, loc);
        for (ps_loc loc = 1; loc < e->trace->n_locs; loc++) {
                is_alone = shares.own[loc] == shares.own[most]
                                   ? 0
                                   : is_alone || shares.own[loc] > shares.own[most];
                most = shares.own[loc] > shares.own[most] ? loc : most;
        }
        if (is_alone && e->trace->n_locs >= LEAST_THREADS && shares.all >= LEAST_OPS &&
            shares.own[most] >= shares.all - shares.all / 5)
                e->master = most;
        free(shares.own);
        return PS_OK;
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

ps_status ps_walk_master(struct engine *e, ps_error *err)
{
        ps_master_view view = {.duration = ps_focus_length(e->timing)};
        if (e->master == PS_NONE)
                return PS_OK;
        assert(e->trace->n_locs > 1);
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
