/* walk_messages.c - messages: who waited for whom, in which order, and how much later the call could have
 * been made. */
#include "patterns/engine/book.h"

/* -- wrong order -- */

static void tally_waited(struct local *l, const struct found *f)
{
        const ps_instance instance = instance_of(l, f);
        ps_walk_tally(l, &instance, ps_op_path(l->ops, f->call), f->own);
}

/* A finding lies where its path was met for the first time. */
PS_WALK_INLINE void fetch_finding(const struct local *l, const struct waited *w)
{
        const uint32_t row = *ps_tally_hint(&l->worker->hints, w->found.pattern, w->path);
        if (row < l->findings.n)
                __builtin_prefetch(&l->findings.row[row], 1);
}

void ps_walk_forget(struct local *l)
{
        enum { AHEAD = 4 };
        struct worker *r = l->worker;
        const struct waited *w = &r->remembered[r->first];
        if (r->n > AHEAD)
                fetch_finding(l, &r->remembered[ps_walk_place_in_ring(r->first + AHEAD)]);
        const struct found *f = &w->found;
        const ps_span span = l->engine->plain.span;
        if (f->lost && l->is_plain && w->begin >= span.begin && w->begin + f->lost <= span.end)
                tally_kept(l, f, w->begin, w->path, is_doubtful(l, f->partner, f->lost));
        else if (f->lost)
                tally_waited(l, f);
        r->first = ps_walk_place_in_ring(r->first + 1);
        r->n--;
}

/* The order of messages matters to receivers only. */
void ps_walk_remember(struct local *l, struct found f, ps_path path)
{
        struct worker *r = l->worker;
        if (r->n == REMEMBERED)
                ps_walk_forget(l);
        struct waited *w = &r->remembered[ps_walk_place_in_ring(r->first + r->n++)];
        *w = (struct waited){f, ps_op_record_begin(l->engine->trace, l->engine->timing, f.partner),
                             l->enter[f.call], path};
        r->latest_sent = later(r->latest_sent, w->sent);
}

static void remember_wait(struct local *l, const struct found *f)
{
        const ps_instance instance = instance_of(l, f);
        const ps_path path = ps_op_path(l->ops, f->call);
        ps_walk_account(l, &instance, path);
        if (!ps_walk_is_short(l, &instance))
                ps_walk_remember(l, *f, path);
}

/* A remembered wait whose message was sent after one that is received only now. */
static bool charge_wrong_order(struct local *l, struct waited *w, ps_time sent, ps_proc source)
{
        const struct engine *e = l->engine;
        struct found *f = &w->found;
        if (!f->lost || w->sent <= sent)
                return false;
        ps_order_view order = {.same_source = e->trace->defs.locations.row[f->partner.loc].process == source,
                               .send_kind = (ps_kind)e->trace->ops[f->partner.loc].kind[f->partner.op],
                               .definitions = e->options->definitions};
        uint32_t pattern = ps_rules_refine_order(&e->rules, f->pattern, &order);
        if (pattern == PS_NONE)
                return false;
        f->pattern = pattern;
        tally_waited(l, f);
        f->lost = 0;
        return true;
}

/* Some of the remembered waits were for messages that were sent after this moment. */
static void charge_order(struct local *l, ps_time sent, ps_proc source)
{
        struct worker *r = l->worker;
        r->latest_sent = r->guard = earlier(r->guard, sent);
        for (uint32_t i = 0; i < r->n; i++) {
                struct waited *w = &r->remembered[ps_walk_place_in_ring(r->first + i)];
                if (!charge_wrong_order(l, w, sent, source) && w->found.lost)
                        r->latest_sent = later(r->latest_sent, w->sent);
        }
}

void ps_walk_check_order(struct local *l, ps_ref send)
{
        const struct engine *e = l->engine;
        ps_time sent = ps_op_record_begin(e->trace, e->timing, send);
        if (l->worker->latest_sent > sent)
                charge_order(l, sent, e->trace->defs.locations.row[send.loc].process);
}

/* -- waits -- */

static ps_time tolerance_with(const struct local *l, ps_loc other)
{
        return l->engine->clocks_differ ? ps_walk_tolerance(l, other) : l->engine->tolerance;
}

/* Of the message whose own end is `op`. */
PS_WALK_INLINE void view_message(ps_message_view *out, const struct local *l, ps_op op, ps_ref wait,
                                 bool is_receive)
{
        const struct engine *e = l->engine;
        ps_view_message(out, e->trace, e->timing, (ps_ref){l->loc, op}, wait, !is_receive);
        out->tolerance = tolerance_with(l, ps_op_peer(l->ops, op));
        out->eager_bytes = e->eager_bytes;
}

/* The distance of the paper, section 4.3: the partner's start, the own call's time, the transfer. A send that
 * did not wait for its receiver has no use for the first. */
ps_time ps_walk_distance(const struct local *l, ps_op op)
{
        const struct engine *e = l->engine;
        const ps_ref own = {l->loc, op}, partner = ps_op_partner(e->trace, own),
                     wait = ps_op_completion(e->trace, own);
        if (partner.op == PS_NONE || wait.op == PS_NONE || wait.op == op)
                return 0;
        const ps_time other = e->timing->enter[partner.loc][partner.op],
                      waiting = e->timing->enter[wait.loc][wait.op];
        const bool is_eager =
                ps_kinds[l->ops->kind[op]].cls == PS_C_SEND && e->timing->leave[wait.loc][wait.op] < other;
        const ps_time late = is_eager ? 0 : later(0, other - l->enter[op]);
        const ps_time best = late + (l->leave[op] - l->enter[op]) +
                             ps_prepared_transfer(e->prepared, ps_op_bytes(l->ops, op));
        return later(0, best - (waiting - l->enter[op]));
}

/* What the roots of a subject say of one message: the first that finds something is charged, if that is more
 * than is found so far. */
static bool ask_message(const struct local *l, ps_subject subject, const ps_message_view *view,
                        struct found *out)
{
        const struct engine *e = l->engine;
        bool is_sender = subject == PS_ON_SENDER || subject == PS_ON_READY;
        const ps_side *own = is_sender ? &view->send : &view->recv;
        for (uint32_t i = 0; i < e->rules.n_roots[subject]; i++) {
                uint32_t root = e->rules.root[subject][i];
                ps_time lost = ps_rules_message(&e->rules, root, own->wait_kind, view);
                if (lost < 0)
                        continue;
                if (lost <= out->lost)
                        return false;
                *out = (struct found){.lost = lost,
                                      .partner = is_sender ? view->recv.post : view->send.post,
                                      .pattern = ps_rules_refine_message(&e->rules, root, view->send.kind),
                                      .own = own->post.op,
                                      .call = own->wait.op};
                return true;
        }
        return false;
}

/* The same where the columns say what was lost, if anything, and all that is needed for that is so. */
PS_WALK_INLINE bool ask_columns(const struct local *l, ps_subject subject, ps_op own, ps_op call,
                                ps_time post, struct found *out)
{
        const ps_rules *rules = &l->engine->rules;
        const ps_ops *ops = l->ops;
        ps_time lost = earlier(post, l->leave[call]) - l->enter[call];
        if (lost <= out->lost)
                return false;
        ps_ref partner = {ps_op_peer(ops, own), ops->link[own]};
        ps_kind send_kind =
                (ps_kind)(subject == PS_ON_SENDER ? ops->kind[own]
                                                  : l->engine->trace->ops[partner.loc].kind[partner.op]);
        for (uint32_t i = 0; i < rules->n_roots[subject]; i++) {
                uint32_t root = rules->root[subject][i];
                const ps_rule *rule = &rules->rule[root];
                if (!ps_rules_has_kind(rule->wait_kinds, ops->kind[call]) ||
                    !ps_rules_has_kind(rule->row->send_kinds, send_kind) || ps_rules_anything(rule, lost) < 0)
                        continue;
                *out = (struct found){lost, partner, ps_rules_refine_message(rules, root, send_kind), own,
                                      call};
                return true;
        }
        return false;
}

void ps_walk_learn_eager_limit(struct local *l, ps_op send, ps_time post)
{
        uint64_t bytes = ps_op_bytes(l->ops, send);
        ps_time before = post - l->leave[send];
        if (before >= 0 ? bytes <= l->worker->eager_max : bytes >= l->worker->rendezvous_min)
                return;
        ps_time tolerance = tolerance_with(l, ps_op_peer(l->ops, send));
        if (before > tolerance) {
                l->worker->eager_max = bytes;
        } else if (-before > tolerance && !l->engine->trace->defs.sends_are_buffered) {
                l->worker->rendezvous_min = bytes;
        }
}

/* A message in ready mode may not come before its receive; its send tells, wherever it is completed. */
static void check_ready(struct local *l, ps_op send, ps_op call)
{
        struct found f = {.lost = PS_NOT_SO};
        ps_message_view view;
        view_message(&view, l, send, (ps_ref){l->loc, call}, false);
        if (!ask_message(l, PS_ON_READY, &view, &f))
                return;
        f.call = send;
        ps_instance instance = instance_of(l, &f);
        ps_walk_book(l, &instance, ps_op_path(l->ops, send), send);
}

/* Asks about the message whose own end is `own`; what it lost is kept, or charged at once. */
PS_WALK_INLINE bool ask(const struct local *l, ps_subject subject, ps_op own, ps_op call, ps_time post,
                        struct found *out)
{
        if (l->engine->rules.needs[subject] & PS_LOSES_UNTIL_OTHER)
                return ask_columns(l, subject, own, call, post, out);
        ps_message_view view;
        view_message(&view, l, own, (ps_ref){l->loc, call}, subject == PS_ON_RECEIVER);
        return ask_message(l, subject, &view, out);
}

void ps_walk_receive(struct local *l, struct candidates *c, ps_op own, ps_op call, ps_time post)
{
        struct found each = {.lost = PS_NOT_SO};
        if (!ask(l, PS_ON_RECEIVER, own, call, post, c->each ? &each : &c->receiver) || !c->each)
                return;
        remember_wait(l, &each);
        c->charged += each.lost;
}

static void ask_sender(struct local *l, struct candidates *c, ps_op own, ps_op call, ps_time post)
{
        const struct engine *e = l->engine;
        struct found each = {.lost = PS_NOT_SO};
        if (e->trace->defs.sends_are_buffered ||
            (e->clocks_differ && e->rules.needs[PS_ON_SENDER] & PS_NEEDS_UNDER_WAY &&
             post >= l->leave[call] + ps_walk_tolerance(l, ps_op_peer(l->ops, own))) ||
            !ask(l, PS_ON_SENDER, own, call, post, c->each ? &each : &c->sender) || !c->each)
                return;
        ps_instance instance = instance_of(l, &each);
        ps_walk_book(l, &instance, ps_op_path(l->ops, call), own);
        c->charged += each.lost;
}

void ps_walk_sender(struct local *l, struct candidates *c, ps_op own, ps_op call, ps_time post, bool may_wait)
{
        ps_kind kind = (ps_kind)l->ops->kind[own];
        if (kind == PS_K_SEND)
                ps_walk_learn_eager_limit(l, own, post);
        else if (finds_anything(l, PS_ON_READY) &&
                 ps_rules_has_kind(l->engine->rules.send_kinds[PS_ON_READY], kind))
                check_ready(l, own, call);
        if (may_wait)
                ask_sender(l, c, own, call, post);
}

/* Of a call that is charged once: Scalasca does not ask for late receivers where it saw a late sender;
 * patscan takes the longest wait. */
void ps_walk_charge_once(struct local *l, struct candidates *c)
{
        int scalasca = l->engine->options->definitions == PS_DEFINITIONS_SCALASCA;
        const struct found *longest = &c->receiver;
        if (!scalasca || !longest->lost)
                longest = c->sender.lost > longest->lost ? &c->sender : longest;
        if (c->collective.lost > longest->lost)
                longest = &c->collective;
        if (!longest->lost)
                return;
        c->charged = longest->lost;
        if (longest == &c->receiver) {
                remember_wait(l, longest);
                return;
        }
        ps_instance instance = instance_of(l, longest);
        ps_walk_book(l, &instance, ps_op_path(l->ops, longest->call), longest->own);
}

/* A Probe waits for the message that its process receives next. */
void ps_walk_probe(struct local *l, ps_op probe)
{
        enum { LOOK_AHEAD = 16 };
        const struct engine *e = l->engine;
        const ps_ops *ops = &e->trace->ops[l->loc];
        for (ps_op op = probe + 1; op < ops->n && op <= probe + LOOK_AHEAD; op++) {
                if (ps_kinds[ops->kind[op]].cls != PS_C_RECV)
                        continue;
                if (!(ops->flags[op] & PS_OP_MATCHED))
                        return;
                ps_message_view view;
                view_message(&view, l, op, (ps_ref){l->loc, probe}, true);
                view.recv.wait = view.recv.post = (ps_ref){l->loc, probe};
                view.recv.enter = view.recv.wait_enter = e->timing->enter[l->loc][probe];
                view.recv.leave = view.recv.wait_leave = e->timing->leave[l->loc][probe];
                view.recv.wait_kind = PS_K_PROBE;
                struct found f = {.lost = PS_NOT_SO};
                if (!ask_message(l, PS_ON_PROBE, &view, &f))
                        return;
                ps_instance instance = instance_of(l, &f);
                ps_walk_book(l, &instance, ps_op_path(l->ops, probe), PS_NONE);
                return;
        }
}
