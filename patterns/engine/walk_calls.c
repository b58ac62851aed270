/* walk_calls.c - collective operations, what is left of a Wait, series and neighbours of calls. */
#include "core/model/unexplained.h"
#include "patterns/engine/book.h"
#include "patterns/engine/walk_pgas.h"

/* What is no wait moves no time: where it lies in the focus, it is a finding and no more. */
PS_WALK_INLINE bool is_finding_alone(const struct local *l, uint32_t root, ps_time begin, ps_time lost)
{
        const struct engine *e = l->engine;
        const ps_rule *rule = &e->rules.rule[root];
        const ps_span span = e->plain.span;
        return !rule->waits && !rule->is_of_team && !rule->ends_with_call && lost > 0 &&
               (lost >= e->rules.epsilon || rule->counts_when_short) && begin >= span.begin &&
               begin + lost <= span.end;
}

/* Where calls may be plain; false: this is more, and nothing is booked. */
PS_WALK_INLINE bool book_plainly(struct local *l, const struct found *f, const ps_call_view *view)
{
        const ps_span call = {view->enter, view->leave};
        if (ps_rule_is_plain_wait(&l->engine->rules.rule[f->pattern]) && is_first_wait(l, f, call)) {
                book_first_wait(l, *f, call);
                return true;
        }
        const bool is_alone = is_finding_alone(l, f->pattern, view->enter, f->lost);
        if (is_alone)
                tally_plain(l, *f, ps_op_path(l->ops, f->call), is_doubtful(l, f->partner, f->lost));
        return is_alone;
}

/* What a call waits for next begins where the wait before it ended. */
void ps_walk_ask_call(struct local *l, ps_subject subject, const ps_call_view *view, ps_ref at,
                      ps_ref partner, ps_op own)
{
        const struct engine *e = l->engine;
        ps_time begin = view->enter;
        for (uint32_t i = 0; i < e->rules.n_roots[subject]; i++) {
                uint32_t root = e->rules.root[subject][i];
                ps_time lost = ps_rules_call(&e->rules, root, view);
                if (lost < 0)
                        continue;
                const bool waits = e->rules.rule[root].waits;
                const ps_time from = waits ? begin : view->enter;
                begin += waits ? lost : 0;
                const struct found found = {lost, partner, root, own, at.op};
                if (l->is_plain && book_plainly(l, &found, view))
                        continue;
                ps_instance instance = {
                        .pattern = root, .at = at, .partner = partner, .begin = from, .lost = lost};
                ps_walk_book(l, &instance, path_of(l, at), own);
        }
}

static const ps_ref nobody = {PS_NONE, PS_NONE};

static inline ps_call_view call_of(const struct local *l, ps_op op)
{
        return (ps_call_view){.enter = l->enter[op],
                              .leave = l->leave[op],
                              .bytes = ps_op_bytes(l->ops, op),
                              .eager_bytes = l->engine->eager_bytes,
                              .kind = (ps_kind)l->ops->kind[op],
                              .n = 1};
}

/* A Finalize of a process that is apart from the others is left out. */
static bool view_collective(struct local *l, ps_collective_view *view, ps_ref own)
{
        const struct engine *e = l->engine;
        const ps_ops *ops = &e->trace->ops[own.loc];
        if (e->apart && ops->kind[own.op] == PS_K_FINALIZE &&
            e->apart[e->trace->defs.locations.row[own.loc].process]) {
                ps_walk_leave_out(l);
                return false;
        }
        return (ops->flags[own.op] & PS_OP_MATCHED) && ps_view_collective(view, e->colls, ops->link[own.op]);
}

static void ask_collective(struct local *l, struct candidates *c, uint32_t root,
                           const ps_collective_view *view, ps_ref own)
{
        ps_time lost = ps_rules_collective(&l->engine->rules, root, view);
        if (lost < 0)
                return;
        ps_instance instance = {
                .pattern = root, .at = own, .partner = view->cause, .begin = view->own.begin, .lost = lost};
        ps_walk_book(l, &instance, path_of(l, own), PS_NONE);
        c->charged = ps_time_add(c->charged, lost);
}

/* A blocking collective may be charged by several rows: they split its time among themselves. */
void ps_walk_collective(struct local *l, struct candidates *c, ps_ref own)
{
        const struct engine *e = l->engine;
        ps_collective_view view;
        if (!view_collective(l, &view, own))
                return;
        if (view.is_pgas) {
                ps_walk_pgas_collective(l, own, &view);
                return;
        }
        const uint64_t *roots = e->rules.on_collective[false][(unsigned)view.kind - PS_K_INIT];
        for (uint32_t i = 0; i < PS_MAX_PATTERNS / 64; i++)
                for (uint64_t left = roots[i]; left; left &= left - 1)
                        ask_collective(l, c, 64 * i + (uint32_t)__builtin_ctzll(left), &view, own);
}

/* Libraries make progress only while they are called. If a member began the operation, did something else,
 * and came back to complete it while the own call was already under way, and that call ended soon afterwards,
 * it waited for that member. */
static void wait_for_return(ps_collective_view *view)
{
        if (view->back.op == PS_NONE || view->back.op == 0)
                return;
        ps_time came = view->back_came, away = came - later(view->own.begin, view->back_left);
        if (came <= view->all.needed_begin || came > view->own.end || view->own.end - came >= away)
                return;
        view->all.needed_begin = came;
        view->cause = view->back;
}

/* A nonblocking one is charged at the call that completes it, together with the others that it completes. */
void ps_walk_nonblocking(struct local *l, struct candidates *c, ps_ref own, ps_ref call)
{
        const struct engine *e = l->engine;
        ps_collective_view view;
        if (!view_collective(l, &view, own))
                return;
        if (view.is_pgas) {
                ps_walk_split_barrier(l, own, call, &view);
                return;
        }
        note_latest(c, own, view.cause, view.all.needed_begin);
        c->n_collectives++;
        view.own.begin = e->timing->enter[call.loc][call.op];
        view.own.end = e->timing->leave[call.loc][call.op];
        wait_for_return(&view);
        for (uint32_t i = 0; i < e->rules.n_roots[PS_ON_NONBLOCKING]; i++) {
                uint32_t root = e->rules.root[PS_ON_NONBLOCKING][i];
                ps_time lost = ps_rules_collective(&e->rules, root, &view);
                if (lost > c->collective.lost)
                        c->collective = (struct found){.lost = lost,
                                                       .partner = view.cause,
                                                       .pattern = root,
                                                       .own = PS_NONE,
                                                       .call = call.op};
        }
}

static void charge_rest(struct local *l, const struct candidates *c, ps_op op)
{
        const struct engine *e = l->engine;
        for (uint32_t i = 0; i < e->rules.n_roots[PS_ON_COMPLETION]; i++) {
                uint32_t root = e->rules.root[PS_ON_COMPLETION][i];
                ps_time lost =
                        ps_rules_anything(&e->rules.rule[root], l->leave[op] - l->enter[op] - c->charged);
                if (lost < 0)
                        continue;
                const struct found rest = {.lost = lost,
                                           .partner = c->latest_partner,
                                           .pattern = root,
                                           .own = c->latest.op,
                                           .call = op};
                ps_instance instance = instance_of(l, &rest);
                ps_walk_book(l, &instance, ps_op_path(l->ops, op), c->latest.op);
        }
}

void ps_walk_rest(struct local *l, const struct candidates *c, ps_op op)
{
        const struct engine *e = l->engine;
        unsigned needs = e->rules.needs[PS_ON_COMPLETION];
        if (c->n_messages + c->n_collectives == 0 || !finds_anything(l, PS_ON_COMPLETION) ||
            (e->purpose && e->purpose[ps_op_path(l->ops, op)])) /* told as such */
                return;
        if (needs & PS_NEEDS_EPSILON && l->leave[op] - l->enter[op] < e->rules.epsilon)
                return;
        if (needs & PS_LOSES_REST) {
                charge_rest(l, c, op);
                return;
        }
        ps_call_view view = call_of(l, op);
        view.charged = c->charged;
        view.own_kind = (ps_kind)l->ops->kind[c->latest.op];
        view.bytes = ps_op_bytes(l->ops, c->latest.op);
        view.messages = c->n_messages;
        ps_walk_ask_call(l, PS_ON_COMPLETION, &view, (ps_ref){l->loc, op},
                         ps_walk_named(l, c->latest.op, c->latest_partner), c->latest.op);
}

static void ask_unexplained(struct local *l, const struct candidates *c, ps_op op, ps_time unexplained)
{
        ps_call_view view = call_of(l, op);
        view.charged = c->charged;
        view.unexplained = unexplained;
        ps_walk_ask_call(l, PS_ON_UNEXPLAINED, &view, (ps_ref){l->loc, op}, nobody, PS_NONE);
}

/* Of a call of one row, as far as a glance tells. */
static bool is_explained(const struct engine *e, const ps_ops *ops, ps_op op)
{
        ps_class cls = ps_kinds[ops->kind[op]].cls;
        return cls == PS_C_SEND || cls == PS_C_RECV
                       ? ops->flags[op] & PS_OP_MATCHED
                       : cls == PS_C_COMPLETE && e->is_whole && ps_op_tag(ops, op);
}

/* After all waits of the call were charged: what is left of it. */
ps_time ps_walk_left(struct local *l, const struct candidates *c, ps_op op, ps_op end)
{
        const struct engine *e = l->engine;
        const ps_kind_info *kind = &ps_kinds[l->ops->kind[op]];
        ps_time unexplained = 0;
        if ((end > op + 1 || !is_explained(e, l->ops, op)) &&
            !(e->inner && ps_walk_is_pgas(e, (ps_ref){l->loc, op})))
                unexplained = ps_op_unexplained(e->trace, e->timing, (ps_ref){l->loc, op});
        if (unexplained)
                ask_unexplained(l, c, op, unexplained);
        else if (kind->cls == PS_C_COMPLETE && kind->traits & PS_T_BLOCKING)
                ps_walk_rest(l, c, op);
        return unexplained;
}

/* -- series and neighbours -- */

void ps_walk_end_series(struct local *l)
{
        struct series *s = &l->worker->series;
        if (s->n) {
                ps_call_view view = call_of(l, s->first);
                view.leave = l->engine->timing->leave[l->loc][s->last];
                view.gap = s->gap;
                view.n = s->n;
                ps_walk_ask_call(l, PS_ON_SERIES, &view, (ps_ref){l->loc, s->first}, nobody, PS_NONE);
        }
        s->n = 0;
}

/* A Test. One that completes something ends the series and belongs to it. */
void ps_walk_series(struct local *l, ps_op op)
{
        const struct engine *e = l->engine;
        const ps_ops *ops = &e->trace->ops[l->loc];
        struct series *s = &l->worker->series;
        if (s->n && (op != s->last + 1 || ps_op_path(ops, op) != ps_op_path(ops, s->first)))
                ps_walk_end_series(l);
        if (s->n)
                s->gap += e->timing->enter[l->loc][op] - e->timing->leave[l->loc][s->last];
        else
                *s = (struct series){.first = op};
        s->last = op;
        s->n++;
        if (ps_op_tag(ops, op))
                ps_walk_end_series(l);
}

static bool is_reply(const struct local *l, ps_op send, ps_op recv)
{
        const ps_trace *trace = l->engine->trace;
        const ps_ops *ops = &trace->ops[l->loc];
        return recv < ops->n && ops->kind[recv] == PS_K_RECV &&
               ps_op_comm(ops, recv) == ps_op_comm(ops, send) &&
               (ops->flags[recv] & ops->flags[send] & PS_OP_MATCHED) &&
               trace->defs.locations.row[ps_op_peer(ops, recv)].process ==
                       trace->defs.locations.row[ps_op_peer(ops, send)].process;
}

/* A blocking send: is it one of many small ones, and is the next call a receive from the same partner? */
void ps_walk_send(struct local *l, ps_op op)
{
        const struct engine *e = l->engine;
        const ps_ops *ops = l->ops;
        uint64_t most = e->rules.most_bytes[PS_ON_SMALL];
        bool is_small = finds_anything(l, PS_ON_SMALL) && (!most || ps_op_bytes(ops, op) <= most);
        bool is_followed = ops->kind[op] != PS_K_SENDRECV_SEND && finds_anything(l, PS_ON_NEIGHBOURS) &&
                           is_reply(l, op, op + 1);
        ps_ref at = {l->loc, op};
        if (!is_small && !is_followed)
                return;
        ps_call_view view = call_of(l, op);
        if (is_small)
                ps_walk_ask_call(l, PS_ON_SMALL, &view, at, nobody, PS_NONE);
        if (!is_followed)
                return;
        view.next_enter = l->enter[op + 1];
        view.next_leave = l->leave[op + 1];
        view.gap = view.next_enter - view.leave;
        ps_walk_ask_call(l, PS_ON_NEIGHBOURS, &view, at, (ps_ref){l->loc, op + 1}, PS_NONE);
}
