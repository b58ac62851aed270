/* walk_messages.c - messages: who waited for whom, in which order, and how much later the call could have
 * been made. */
#include "patterns/engine/walk.h"

/* -- wrong order -- */

void ps_walk_forget(struct local *l)
{
        struct worker *r = l->worker;
        const struct waited *w = &r->remembered[r->first];
        if (w->instance.lost)
                ps_walk_tally(l, &w->instance, w->path, w->own);
        r->first = (r->first + 1) % REMEMBERED;
        r->n--;
}

static void remember_wait(struct local *l, const struct waited *w)
{
        struct worker *r = l->worker;
        ps_walk_account(l, &w->instance, w->path);
        if (ps_walk_is_short(l, &w->instance))
                return;
        if (r->n == REMEMBERED)
                ps_walk_forget(l);
        r->remembered[(r->first + r->n++) % REMEMBERED] = *w;
        r->latest_sent = later(r->latest_sent, w->sent);
}

/* A remembered wait whose message was sent after one that is received only now. */
static bool charge_wrong_order(struct local *l, struct waited *w, ps_time sent, ps_proc source)
{
        const struct engine *e = l->engine;
        if (!w->instance.lost || w->sent <= sent)
                return false;
        ps_order_view order = {.same_source = w->source == source,
                               .send_kind = w->send_kind,
                               .definitions = e->options->definitions};
        uint32_t pattern = ps_rules_refine_order(&e->rules, w->instance.pattern, &order);
        if (pattern == PS_NONE)
                return false;
        w->instance.pattern = pattern;
        ps_walk_tally(l, &w->instance, w->path, w->own);
        w->instance.lost = 0;
        return true;
}

/* Some of the remembered waits were for messages that were sent after this moment. */
static void charge_order(struct local *l, ps_time sent, ps_proc source)
{
        struct worker *r = l->worker;
        r->latest_sent = INT64_MIN;
        for (uint32_t i = 0; i < r->n; i++) {
                struct waited *w = &r->remembered[(r->first + i) % REMEMBERED];
                if (!charge_wrong_order(l, w, sent, source) && w->instance.lost)
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

/* The distance of the paper, section 4.3: the partner's start, the own call's time, the transfer. A send that
 * did not wait for its receiver has no use for the first. */
static ps_time distance_of(const struct engine *e, const ps_message_view *view, bool receives)
{
        const ps_side *own = receives ? &view->recv : &view->send;
        const ps_side *other = receives ? &view->send : &view->recv;
        if (own->post.op == own->wait.op || own->wait_enter == PS_NEVER_ENDED)
                return 0;
        int eager = !receives && view->send.wait_leave < view->recv.enter;
        ps_time partner = eager ? 0 : later(0, other->enter - own->enter);
        ps_time best = partner + (own->leave - own->enter) + ps_prepared_transfer(e->prepared, view->bytes);
        return later(0, best - (own->wait_enter - own->enter));
}

/* Of the message whose own end is `op`. */
PS_WALK_INLINE void view_message(ps_message_view *out, const struct local *l, ps_op op, ps_ref wait,
                                 bool is_receive)
{
        const struct engine *e = l->engine;
        ps_view_message(out, e->trace, e->timing, (ps_ref){l->loc, op}, wait, !is_receive);
        out->tolerance = e->clocks_differ ? ps_walk_tolerance(l, l->ops->peer[op]) : e->tolerance;
        out->eager_bytes = e->eager_bytes;
}

ps_time ps_walk_distance(const struct local *l, ps_op op)
{
        const struct engine *e = l->engine;
        ps_ref own = {l->loc, op};
        if (ps_op_partner(e->trace, own).op == PS_NONE)
                return 0;
        bool receives = ps_kinds[l->ops->kind[op]].cls == PS_C_RECV;
        ps_message_view view;
        view_message(&view, l, op, ps_op_completion(e->trace, own), receives);
        return distance_of(e, &view, receives);
}

/* What the roots of a subject say of one message: the first that finds something is charged, if that is more
 * than `most`. */
static bool ask_message(const struct local *l, ps_subject subject, const ps_message_view *view, ps_time most,
                        struct waited *out)
{
        const struct engine *e = l->engine;
        bool is_sender = subject == PS_ON_SENDER || subject == PS_ON_READY;
        const ps_side *own = is_sender ? &view->send : &view->recv;
        if (subject == PS_ON_SENDER && e->trace->defs.sends_are_buffered)
                return false;
        for (uint32_t i = 0; i < e->rules.n_roots[subject]; i++) {
                uint32_t root = e->rules.root[subject][i];
                ps_time lost = ps_rules_message(&e->rules, root, own->wait_kind, view);
                if (lost < 0)
                        continue;
                if (lost <= most)
                        return false;
                out->instance =
                        (ps_instance){.pattern = ps_rules_refine_message(&e->rules, root, view->send.kind),
                                      .at = own->wait,
                                      .partner = is_sender ? view->recv.post : view->send.post,
                                      .begin = own->wait_enter,
                                      .lost = lost};
                out->path = path_of(l, own->wait);
                out->own = own->post.op;
                out->send_kind = view->send.kind;
                return true;
        }
        return false;
}

/* The size up to which a standard send does not wait shows in sends that were there before their receive. */
static void learn_eager_limit(struct local *l, const ps_message_view *view)
{
        if (view->send.kind != PS_K_SEND || view->recv.enter <= view->send.enter)
                return;
        if (view->recv.enter - view->send.leave > view->tolerance) {
                if (view->bytes > l->worker->eager_max)
                        l->worker->eager_max = view->bytes;
        } else if (view->send.leave - view->recv.enter > view->tolerance &&
                   view->bytes < l->worker->rendezvous_min && !l->engine->trace->defs.sends_are_buffered) {
                l->worker->rendezvous_min = view->bytes;
        }
}

/* A message in ready mode may not come before its receive; its send tells, wherever it is completed. */
static void check_ready(struct local *l, const ps_message_view *view)
{
        struct waited w;
        if (!finds_anything(l, PS_ON_READY) || !ask_message(l, PS_ON_READY, view, PS_NOT_SO, &w))
                return;
        w.instance.at = view->send.post;
        w.instance.begin = view->send.enter;
        ps_walk_book(l, &w.instance, path_of(l, view->send.post), w.own);
}

/* The order of messages matters to receivers only. */
static void ask_receiver(struct local *l, struct candidates *c, const ps_message_view *view)
{
        const struct engine *e = l->engine;
        struct waited each, *w = c->each ? &each : &c->receiver;
        if (!ask_message(l, PS_ON_RECEIVER, view, c->each ? PS_NOT_SO : w->instance.lost, w))
                return;
        w->sent = ps_op_record_begin(e->trace, e->timing, view->send.post);
        w->source = e->trace->defs.locations.row[view->send.post.loc].process;
        if (c->each) {
                remember_wait(l, w);
                c->charged += w->instance.lost;
        }
}

static void ask_sender(struct local *l, struct candidates *c, const ps_message_view *view)
{
        struct waited each, *w = c->each ? &each : &c->sender;
        if (ask_message(l, PS_ON_SENDER, view, c->each ? PS_NOT_SO : w->instance.lost, w) && c->each) {
                ps_walk_book(l, &w->instance, w->path, w->own);
                c->charged += w->instance.lost;
        }
}

void ps_walk_receive(struct local *l, struct candidates *c, ps_op own, ps_op call)
{
        ps_message_view view;
        view_message(&view, l, own, (ps_ref){l->loc, call}, true);
        ask_receiver(l, c, &view);
}

void ps_walk_sender(struct local *l, struct candidates *c, ps_op own, ps_op call, bool may_wait)
{
        const struct engine *e = l->engine;
        ps_message_view view;
        view_message(&view, l, own, (ps_ref){l->loc, call}, false);
        learn_eager_limit(l, &view);
        if (ps_rules_has_kind(e->rules.send_kinds[PS_ON_READY], view.send.kind))
                check_ready(l, &view);
        if (may_wait)
                ask_sender(l, c, &view);
}

/* Of a call that is charged once: Scalasca does not ask for late receivers where it saw a late sender;
 * patscan takes the longest wait. */
void ps_walk_charge_once(struct local *l, struct candidates *c)
{
        int scalasca = l->engine->options->definitions == PS_DEFINITIONS_SCALASCA;
        const struct waited *longest = &c->receiver;
        if (!scalasca || !longest->instance.lost)
                longest = c->sender.instance.lost > longest->instance.lost ? &c->sender : longest;
        if (c->collective.instance.lost > longest->instance.lost)
                longest = &c->collective;
        if (!longest->instance.lost)
                return;
        c->charged = longest->instance.lost;
        if (longest == &c->receiver)
                remember_wait(l, longest);
        else
                ps_walk_book(l, &longest->instance, longest->path, longest->own);
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
                struct waited w;
                if (ask_message(l, PS_ON_PROBE, &view, PS_NOT_SO, &w))
                        ps_walk_book(l, &w.instance, w.path, PS_NONE);
                return;
        }
}
