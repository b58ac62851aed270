/* walk_messages.c - messages: who waited for whom, in which order, and how much later he might have waited.
 */
#include "patterns/engine/walk.h"

/* -- wrong order -- */

void ps_walk_forget(struct local *l)
{
        const struct waited *w = &l->remembered[l->first];
        if (w->instance.lost)
                ps_walk_tally(l, &w->instance, w->path);
        l->first = (l->first + 1) % REMEMBERED;
        l->n--;
}

static void remember(struct local *l, const struct waited *w)
{
        ps_walk_account(l, &w->instance, w->path);
        if (ps_walk_is_short(l, &w->instance))
                return;
        if (l->n == REMEMBERED)
                ps_walk_forget(l);
        l->remembered[(l->first + l->n++) % REMEMBERED] = *w;
        l->latest_sent = later(l->latest_sent, w->sent);
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
        ps_walk_tally(l, &w->instance, w->path);
        w->instance.lost = 0;
        return true;
}

static void check_order(struct local *l, ps_ref send)
{
        const struct engine *e = l->engine;
        if (!l->n)
                return;
        ps_time sent = ps_op_record_begin(e->trace, e->timing, send);
        if (l->latest_sent <= sent)
                return;
        ps_proc source = e->trace->defs.locations.row[send.loc].process;
        l->latest_sent = INT64_MIN;
        for (uint32_t i = 0; i < l->n; i++) {
                struct waited *w = &l->remembered[(l->first + i) % REMEMBERED];
                if (!charge_wrong_order(l, w, sent, source) && w->instance.lost)
                        l->latest_sent = later(l->latest_sent, w->sent);
        }
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

static bool is_receive(const struct engine *e, ps_ref ref)
{
        return ps_kinds[e->trace->ops[ref.loc].kind[ref.op]].cls == PS_C_RECV;
}

static ps_message_view message_of(const struct engine *e, ps_ref ref)
{
        ps_message_view view = ps_view_message(
                e->trace, e->timing, ref, ps_walk_tolerance(e, ref.loc, e->trace->ops[ref.loc].peer[ref.op]));
        view.eager_bytes = e->eager_bytes;
        return view;
}

ps_time ps_walk_distance(const struct engine *e, ps_ref own)
{
        if (ps_op_partner(e->trace, own).op == PS_NONE)
                return 0;
        ps_message_view view = message_of(e, own);
        return distance_of(e, &view, is_receive(e, own));
}

/* What the roots of a subject say of one message: the first that finds something is charged. */
static struct waited ask_message(struct local *l, ps_subject subject, const ps_message_view *view,
                                 const ps_side *own, const ps_side *other)
{
        const struct engine *e = l->engine;
        uint32_t n_roots = e->rules.n_roots[subject];
        if (subject == PS_ON_SENDER && e->trace->defs.sends_are_buffered)
                n_roots = 0;
        for (uint32_t i = 0; i < n_roots; i++) {
                uint32_t root = e->rules.root[subject][i];
                ps_time lost = ps_rules_message(&e->rules, root, own->wait_kind, view);
                if (lost < 0)
                        continue;
                ps_instance instance = {.pattern = ps_rules_refine_message(&e->rules, root, view),
                                        .at = own->wait,
                                        .partner = other->post,
                                        .begin = own->wait_enter,
                                        .lost = lost,
                                        .later = distance_of(e, view, own == &view->recv)};
                return (struct waited){
                        .instance = instance, .path = path_of(l, own->wait), .send_kind = view->send.kind};
        }
        return (struct waited){.instance = {.pattern = PS_NONE}};
}

/* The size up to which a standard send does not wait shows in sends that were there before their receive. */
static void learn_eager_limit(struct local *l, const ps_message_view *view)
{
        if (view->send.kind != PS_K_SEND || view->recv.enter <= view->send.enter)
                return;
        if (view->send.leave + view->tolerance < view->recv.enter) {
                if (view->bytes > l->eager_max)
                        l->eager_max = view->bytes;
        } else if (view->send.leave > view->recv.enter + view->tolerance && view->bytes < l->rendezvous_min &&
                   !l->engine->trace->defs.sends_are_buffered) {
                l->rendezvous_min = view->bytes;
        }
}

/* A message in ready mode may not come before its receive; its send tells, wherever it is completed. */
static void check_ready(struct local *l, const ps_message_view *view)
{
        if (!finds_anything(l, PS_ON_READY))
                return;
        struct waited w = ask_message(l, PS_ON_READY, view, &view->send, &view->recv);
        if (w.instance.pattern == PS_NONE)
                return;
        w.instance.at = view->send.post;
        w.instance.begin = view->send.enter;
        ps_walk_book(l, &w.instance, path_of(l, view->send.post));
}

/* The order of messages matters to receivers only. */
static void note_sender(const struct engine *e, struct waited *w, ps_ref send)
{
        w->sent = ps_op_record_begin(e->trace, e->timing, send);
        w->source = e->trace->defs.locations.row[send.loc].process;
}

static void charge(struct local *l, struct candidates *c, const struct waited *w, bool receives)
{
        struct waited *longest = receives ? &c->receiver : &c->sender;
        if (c->each && receives)
                remember(l, w);
        else if (c->each)
                ps_walk_book(l, &w->instance, w->path);
        else if (w->instance.lost > longest->instance.lost)
                *longest = *w;
        if (c->each)
                c->charged += w->instance.lost;
}

/* A buffered send is over without its receiver: nobody waits for that. */
static bool waits_for_nobody(const struct engine *e, ps_ref own)
{
        return e->options->definitions != PS_DEFINITIONS_SCALASCA &&
               e->trace->ops[own.loc].kind[own.op] == PS_K_IBSEND;
}

/* One message that the call waits for. Nobody waits for a partner that came first: most messages end here. */
void ps_walk_message(struct local *l, struct candidates *c, ps_ref own, ps_time call_enter)
{
        const struct engine *e = l->engine;
        ps_ref partner = ps_op_partner(e->trace, own);
        if (partner.op == PS_NONE || waits_for_nobody(e, own))
                return;
        bool receives = is_receive(e, own);
        ps_time post = e->timing->enter[partner.loc][partner.op];
        note_latest(c, own, partner, post);
        c->n_messages++;
        if (receives)
                check_order(l, partner);
        if (post <= call_enter && post <= e->timing->enter[own.loc][own.op])
                return;
        ps_message_view view = message_of(e, own);
        if (!receives) {
                learn_eager_limit(l, &view);
                check_ready(l, &view);
        }
        struct waited w = receives ? ask_message(l, PS_ON_RECEIVER, &view, &view.recv, &view.send)
                                   : ask_message(l, PS_ON_SENDER, &view, &view.send, &view.recv);
        if (w.instance.pattern == PS_NONE)
                return;
        if (receives)
                note_sender(e, &w, partner);
        charge(l, c, &w, receives);
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
                remember(l, longest);
        else
                ps_walk_book(l, &longest->instance, longest->path);
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
                ps_message_view view = message_of(e, (ps_ref){l->loc, op});
                view.recv.wait = view.recv.post = (ps_ref){l->loc, probe};
                view.recv.enter = view.recv.wait_enter = e->timing->enter[l->loc][probe];
                view.recv.leave = view.recv.wait_leave = e->timing->leave[l->loc][probe];
                view.recv.wait_kind = PS_K_PROBE;
                struct waited w = ask_message(l, PS_ON_PROBE, &view, &view.recv, &view.send);
                if (w.instance.pattern != PS_NONE)
                        ps_walk_book(l, &w.instance, w.path);
                return;
        }
}
