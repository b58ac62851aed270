/* vicinity.c - see vicinity.h. */
#include "core/clock/vicinity.h"
#include "core/clock/orders.h"

#include "core/base/search.h"

#include <stdlib.h>

struct looking {
        ps_vicinity *v;
        ps_flows *flows;
        ps_time most;
        bool lacks;
};

#define ADD(l, list, ...) ((l)->lacks |= PS_PUSH((l)->v->list, (__VA_ARGS__)) != 0)

void ps_vicinity_clear(ps_vicinity *v)
{
        free(v->step.row);
        free(v->row.row);
        free(v->call.row);
        *v = (ps_vicinity){.step = {0}};
}

/* -- names -- */

/* `number`: as a visitor is told. */
static ps_suspect suspect_coll(const ps_flows *flows, ps_comm comm, uint32_t number, bool is_dealt)
{
        const ps_clock_apart *apart = flows->apart;
        uint32_t home = is_dealt ? PS_NONE : apart ? apart->x->rank : 0;
        return (ps_suspect){{PS_NONE, number}, comm, home};
}

ps_suspect ps_suspect_of(const ps_flows *flows, const ps_flow *flow, uint32_t coll)
{
        return flow->of ? suspect_coll(flows, flow->of->comm, coll, flow->stay)
                        : (ps_suspect){flow->step[flow->n - 1].ref, PS_NONE, PS_NONE};
}

int ps_suspects_compare(const void *a, const void *b)
{
        const ps_suspect *x = a, *y = b;
        PS_ORDER_BY(x->at.loc, y->at.loc);
        PS_ORDER_BY(x->comm, y->comm);
        return PS_ORDER(x->at.op, y->at.op);
}

/* A row that stands for one of elsewhere has another number here. */
static ps_ref real_of(const ps_flows *flows, ps_ref ref)
{
        const uint32_t *real = flows->apart ? flows->apart->real[ref.loc] : NULL;
        return real ? (ps_ref){ref.loc, real[ref.op]} : ref;
}

static bool is_here(const ps_flows *flows, ps_ref ref)
{
        return !(flows->apart && flows->apart->real[ref.loc]) && ref.op < flows->trace->ops[ref.loc].n;
}

/* -- rows -- */

static void find_parents(const ps_ops *ops, const ps_time *enter, const ps_time *leave, uint32_t *parent)
{
        for (ps_op op = 1; op < ops->n; op++) {
                if (ps_op_continues(ops, op)) {
                        parent[op] = parent[op - 1];
                        continue;
                }
                parent[op] = op;
                while (parent[op] > 0 && leave[parent[op] - 1] <= enter[op])
                        parent[op] = parent[parent[op] - 1];
        }
}

/* Most locations have no call inside of another one and need no table of parents. */
static bool is_nested(const ps_trace *trace, ps_loc loc)
{
        const ps_ops *ops = &trace->ops[loc];
        const ps_time *enter = trace->measured.enter[loc], *leave = trace->measured.leave[loc];
        for (ps_op op = 1; op < ops->n; op++)
                if (leave[op - 1] > enter[op] && !ps_op_continues(ops, op))
                        return true;
        return false;
}

static const uint32_t *parents_of(struct looking *l, ps_loc loc)
{
        ps_nesting *n = &l->flows->nesting;
        const ps_trace *trace = l->flows->trace;
        const ps_ops *ops = &trace->ops[loc];
        if (n->is_known[loc] || !is_nested(trace, loc)) {
                n->is_known[loc] = 1;
                return n->parents[loc];
        }
        if (!(n->parents[loc] = calloc(ops->n, sizeof(**n->parents)))) {
                l->lacks = true;
                return NULL;
        }
        n->is_known[loc] = 1;
        find_parents(ops, trace->measured.enter[loc], trace->measured.leave[loc], n->parents[loc]);
        return n->parents[loc];
}

/* Who waits for the begin of a row. */
static ps_suspect waits_for(const struct looking *l, ps_ref ref)
{
        const ps_trace *trace = l->flows->trace;
        const ps_clock_apart *apart = l->flows->apart;
        const ps_ops *ops = &trace->ops[ref.loc];
        const ps_suspect nobody = {{PS_NONE, PS_NONE}, PS_NONE, PS_NONE};
        ps_class cls = ps_kinds[ops->kind[ref.op]].cls;
        if (!(ops->flags[ref.op] & PS_OP_MATCHED) || (cls != PS_C_SEND && cls != PS_C_COLL))
                return nobody;
        if (cls == PS_C_SEND)
                return (ps_suspect){real_of(l->flows, ps_op_partner(trace, ref)), PS_NONE, PS_NONE};
        uint32_t coll = trace->members[ops->link[ref.op]].coll;
        bool is_dealt = apart && apart->id[coll] != PS_NONE;
        return suspect_coll(l->flows, trace->colls[coll].comm, is_dealt ? apart->id[coll] : coll, is_dealt);
}

static void add_row(struct looking *l, const uint32_t *parents, ps_ref ref)
{
        const ps_trace *trace = l->flows->trace;
        const ps_ops *ops = &trace->ops[ref.loc];
        ADD(l, row,
            (ps_near_row){.ref = ref,
                          .enter = trace->measured.enter[ref.loc][ref.op],
                          .leave = trace->measured.leave[ref.loc][ref.op],
                          .parent = parents ? parents[ref.op] : 0,
                          .waits = waits_for(l, ref),
                          .continues = ps_op_continues(ops, ref.op),
                          .is_bare = (ops->flags[ref.op] & PS_OP_BARE) != 0});
}

/* All rows of the call that `ref` is one of; returns the one behind them. */
static ps_op add_call_rows(struct looking *l, const uint32_t *parents, ps_ref ref)
{
        const ps_ops *ops = &l->flows->trace->ops[ref.loc];
        while (ps_op_continues(ops, ref.op))
                ref.op--;
        do
                add_row(l, parents, ref);
        while (ps_op_continues(ops, ++ref.op));
        return ref.op;
}

static ps_op first_from(const ps_time *enter, ps_op op, ps_op n, ps_time time)
{
        PS_BISECT(op, n, i, enter[i] < time);
        return op;
}

/* What may have to end or to begin later if the call does. Rows that begin before it ends are pushed as well
 * where they have been pushed up to there. */
static void add_vicinity(struct looking *l, ps_ref call)
{
        const ps_trace *trace = l->flows->trace;
        const ps_time *enter = trace->measured.enter[call.loc], *leave = trace->measured.leave[call.loc];
        const uint32_t *parents = parents_of(l, call.loc);
        ps_time least = ps_time_sub(leave[call.op], l->most), most = ps_time_add(leave[call.op], l->most);
        ps_op n = trace->ops[call.loc].n, next = add_call_rows(l, parents, call);
        for (uint32_t p = parents ? parents[call.op] : 0; p && leave[p - 1] < most; p = parents[p - 1])
                add_call_rows(l, parents, (ps_ref){call.loc, p - 1});
        ps_op from = first_from(enter, next, n, least), end = first_from(enter, from, n, most);
        for (ps_op op = from; op < end; op++)
                add_row(l, parents, (ps_ref){call.loc, op});
        ADD(l, call, (ps_near_call){call, from, end});
}

/* -- flows -- */

static void add_flow(struct looking *l, const ps_flow *flow, uint32_t suspect, bool is_whole)
{
        const ps_trace *trace = l->flows->trace;
        for (uint32_t i = 0; i < flow->n; i++) {
                const ps_step *s = &flow->step[i];
                ps_near_step step = {.suspect = suspect,
                                     .order = is_whole ? i : s->order,
                                     .member = real_of(l->flows, s->ref),
                                     .takes = s->takes};
                ps_ref row = s->takes ? ps_op_completion(trace, s->ref) : s->ref;
                step.row = real_of(l->flows, row);
                step.time = (s->takes ? trace->measured.leave : trace->measured.enter)[row.loc][row.op];
                step.distance = s->takes ? step.time - s->time : s->time - step.time;
                ADD(l, step, step);
                if (s->takes)
                        add_vicinity(l, row);
        }
}

static void look_at(struct looking *l, const ps_suspect *suspect, uint32_t i)
{
        ps_flows *flows = l->flows;
        uint32_t rank = flows->apart ? flows->apart->x->rank : 0;
        if (suspect->at.loc != PS_NONE) {
                const ps_flow flow =
                        is_here(flows, suspect->at) ? ps_flow_message(flows, suspect->at) : (ps_flow){.n = 0};
                add_flow(l, &flow, i, true);
        } else if (suspect->home == rank) {
                const ps_flow flow = ps_flow_coll(flows, suspect->at.op);
                add_flow(l, &flow, i, true);
        } else if (suspect->home == PS_NONE) {
                uint32_t coll = ps_flows_find_dealt(flows, suspect->at.op);
                const ps_flow flow = coll != PS_NONE ? ps_flow_part(flows, coll) : (ps_flow){.n = 0};
                add_flow(l, &flow, i, false);
        }
}

static int compare_steps(const void *a, const void *b)
{
        const ps_near_step *x = a, *y = b;
        PS_ORDER_BY(x->suspect, y->suspect);
        PS_ORDER_BY(x->order, y->order);
        PS_ORDER_BY(x->takes, y->takes);
        return ps_refs_compare(&x->member, &y->member);
}

/* -- what was seen elsewhere, or is told there -- */

#define LIST(p, list)                                                                                        \
        do {                                                                                                 \
                uint32_t n = (list).n;                                                                       \
                PS_TRY(ps_pass_values((p), &n, 1, sizeof(n)));                                               \
                for (uint32_t i = 0; i < n && (p)->way != PS_PASS_TAKE; i++)                                 \
                        PS_TRY(ps_pass_values((p), &(list).row[i], 1, sizeof(*(list).row)));                 \
                for (uint32_t i = 0; i < n && (p)->way == PS_PASS_TAKE; i++) {                               \
                        __typeof__(*(list).row) one;                                                         \
                        PS_TRY(ps_pass_values((p), &one, 1, sizeof(one)));                                   \
                        if (PS_PUSH(list, one))                                                              \
                                return PS_NOMEM((p)->err, "operations elsewhere", n);                        \
                }                                                                                            \
        } while (0)

static ps_status pass_vicinity(ps_pass *p, void *what)
{
        ps_vicinity *v = what;
        LIST(p, v->step);
        LIST(p, v->row);
        LIST(p, v->call);
        return PS_OK;
}

static ps_status make_nesting(ps_nesting *nesting, const ps_trace *trace, ps_error *err)
{
        size_t n = trace->n_locs + (size_t)1;
        if (!nesting->parents)
                nesting->parents = calloc(n, sizeof(*nesting->parents));
        if (!nesting->is_known)
                nesting->is_known = calloc(n, sizeof(*nesting->is_known));
        return nesting->parents && nesting->is_known ? PS_OK : PS_NOMEM(err, "locations", n);
}

ps_status ps_vicinity_look(ps_vicinity *out, ps_flows *flows, const ps_suspect *suspect, uint32_t n,
                           ps_time most, ps_error *err)
{
        struct looking l = {out, flows, most, false};
        ps_status status = make_nesting(&flows->nesting, flows->trace, err);
        for (uint32_t i = 0; i < n && status == PS_OK; i++) {
                look_at(&l, &suspect[i], i);
                status = l.lacks ? PS_NOMEM(err, "contradictions", i) : PS_OK;
        }
        PS_TRY(ps_clock_collect(flows, status, pass_vicinity, out, err));
        if (out->step.n)
                qsort(out->step.row, out->step.n, sizeof(*out->step.row), compare_steps);
        return PS_OK;
}
