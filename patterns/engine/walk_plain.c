/* walk_plain.c - calls about messages alone, as most are: what the walk says of any call, in one go.
 *
 * Where each side of a message has one row, whose loss follows from the columns, and nobody asks for more,
 * neither views nor instances are made but of what becomes the worst of a finding. The long way is the
 * reference: a test has both walk the same traces. */
#include "patterns/engine/book.h"

enum { RECEIVES, SENDS };

/* Each is a wait of its call, whose time moves as a whole. */
static bool is_plain_wait(const ps_rule *rule)
{
        return rule->waits && !rule->is_of_team && !rule->is_series && !rule->ends_with_call &&
               !rule->counts_when_short;
}

static bool find_side(struct plain *plain, const ps_rules *rules, int side)
{
        static const struct {
                ps_subject subject;
                unsigned needs;
        } sides[] = {
                [RECEIVES] = {PS_ON_RECEIVER, PS_NEEDS_LATE_FOR_CALL | PS_LOSES_UNTIL_OTHER},
                [SENDS] = {PS_ON_SENDER, PS_NEEDS_LATE_FOR_CALL | PS_NEEDS_UNDER_WAY | PS_LOSES_UNTIL_OTHER}};
        ps_subject subject = sides[side].subject;
        uint32_t root = rules->root[subject][0];
        const ps_rule *rule = &rules->rule[root];
        if (rules->n_roots[subject] != 1 || rules->needs[subject] != sides[side].needs)
                return false;
        plain->wait_kinds[side] = rule->wait_kinds ? rule->wait_kinds : UINT64_MAX;
        for (unsigned kind = 0; kind < PS_N_MESSAGE_KINDS; kind++) {
                uint32_t pattern = ps_rules_refine_message(rules, root, (ps_kind)kind);
                if (!is_plain_wait(&rules->rule[pattern]))
                        return false;
                bool is_about = ps_rules_has_kind(rule->row->send_kinds, kind);
                plain->pattern[side][kind] = (uint8_t)(is_about ? pattern : PS_MAX_PATTERNS);
        }
        return true;
}

static bool find_rest(struct plain *plain, const ps_rules *rules)
{
        plain->rest = rules->root[PS_ON_COMPLETION][0];
        const ps_rule *rule = &rules->rule[plain->rest];
        return rules->n_roots[PS_ON_COMPLETION] == 1 &&
               rules->needs[PS_ON_COMPLETION] == (PS_NEEDS_EPSILON | PS_LOSES_REST) && !rule->waits &&
               !rule->is_of_team && !rule->counts_when_short;
}

void ps_walk_find_plain(struct engine *e)
{
        const ps_focus *focus = e->timing->focus;
        struct plain *plain = &e->plain;
        plain->span = focus && focus->n_spans ? focus->span[0] : (ps_span){INT64_MIN, PS_TIME_MAX};
        plain->is_so = !e->options->in_full && e->options->definitions != PS_DEFINITIONS_SCALASCA &&
                       !e->trace->defs.sends_are_buffered && !e->inner && !e->purpose &&
                       e->master == PS_NONE && (!focus || focus->n_spans == 1) &&
                       find_side(plain, &e->rules, RECEIVES) && find_side(plain, &e->rules, SENDS) &&
                       find_rest(plain, &e->rules);
}

/* What is known of the call at hand so far. */
struct plain_call {
        ps_op op;
        ps_time enter, leave;
        struct found receiver, sender; /* the longest wait of each sort */
        /* The message with the latest other end, of those that it waits for. */
        ps_ref latest;
        ps_op latest_own;
        ps_time latest_post;
        uint32_t n;
};

PS_WALK_INLINE void wait_until(const struct local *l, const struct plain_call *c, int side, ps_op own,
                               ps_ref partner, ps_time post, ps_kind send_kind, struct found *longest)
{
        const struct plain *plain = &l->engine->plain;
        ps_time lost = earlier(post, c->leave) - c->enter;
        uint32_t pattern = plain->pattern[side][send_kind % PS_N_MESSAGE_KINDS];
        if (lost > longest->lost && pattern != PS_MAX_PATTERNS &&
            plain->wait_kinds[side] >> l->ops->kind[c->op] & 1)
                *longest = (struct found){lost, partner, pattern, own, c->op};
}

/* Is the send for which the call waits under way, for all one knows, when its receiver comes? */
PS_WALK_INLINE bool is_under_way(const struct local *l, const struct plain_call *c, ps_loc other,
                                 ps_time post)
{
        const struct engine *e = l->engine;
        ps_time tolerance = e->clocks_differ
                                    ? later(e->least_tolerance, ps_walk_sane(uncertainty_with(l, other)))
                                    : e->tolerance;
        return post < c->leave + tolerance;
}

/* False: this is no plain call. */
PS_WALK_INLINE bool add_message(struct local *l, struct plain_call *c, ps_op own)
{
        const struct engine *e = l->engine;
        const ps_ops *ops = l->ops;
        ps_kind kind = (ps_kind)ops->kind[own];
        ps_class cls = ps_kinds[kind].cls;
        if (cls > PS_C_RECV || (kind != PS_K_SEND && e->is_watched[kind]))
                return false;
        if (!(ops->flags[own] & PS_OP_MATCHED) || kind == PS_K_IBSEND)
                return true;
        ps_ref partner = {ops->peer[own], ops->link[own]};
        ps_time post = e->timing->enter[partner.loc][partner.op];
        if (!c->n++ || post > c->latest_post) {
                c->latest = partner;
                c->latest_own = own;
                c->latest_post = post;
        }
        if (cls == PS_C_RECV) {
                if (l->worker->latest_sent > post)
                        ps_walk_check_order(l, partner);
                if (post > c->enter)
                        wait_until(l, c, RECEIVES, own, partner, post,
                                   (ps_kind)e->trace->ops[partner.loc].kind[partner.op], &c->receiver);
                return true;
        }
        if (kind == PS_K_SEND && post > l->enter[own])
                ps_walk_learn_eager_limit(l, own, post);
        if (post > l->enter[own] && post > c->enter && is_under_way(l, c, partner.loc, post))
                wait_until(l, c, SENDS, own, partner, post, kind, &c->sender);
        return true;
}

PS_WALK_INLINE void charge_wait(struct local *l, struct found f, ps_path path, bool is_received)
{
        const struct engine *e = l->engine;
        bool doubtful = is_doubtful(l, f.partner, f.lost);
        move_time(l, (ps_time_kind)e->kind_of_path[path], doubtful ? PS_TIME_UNEXPLAINED : PS_TIME_WAITING,
                  f.lost);
        if (!doubtful)
                wait_at(l, f.partner, path, f.lost);
        if (f.lost < e->rules.epsilon)
                return;
        if (is_received)
                ps_walk_remember(l, f);
        else
                tally_plain(l, f, path, doubtful);
}

PS_WALK_INLINE void charge_call(struct local *l, const struct plain_call *c, bool completes)
{
        const struct engine *e = l->engine;
        ps_path path = l->ops->path[c->op];
        ps_time left = c->leave - c->enter;
        if (c->sender.lost > c->receiver.lost) {
                charge_wait(l, c->sender, path, false);
                left -= c->sender.lost;
        } else if (c->receiver.lost) {
                charge_wait(l, c->receiver, path, true);
                left -= c->receiver.lost;
        }
        if (!c->n)
                return;
        if (completes && left > 0 && left >= e->rules.epsilon)
                tally_plain(l, (struct found){left, c->latest, e->plain.rest, c->latest_own, c->op}, path,
                            is_doubtful(l, c->latest, left));
        if (e->notes_hidden && left > 0 && rests_on_clocks(l, c->latest))
                l->worker->hidden =
                        ps_time_add(l->worker->hidden, earlier(left, uncertainty_with(l, c->latest.loc)));
}

/* Books the call, of one row; false: it is not plain, and nothing is booked. */
bool ps_walk_plain(struct local *l, ps_op op, enum act act)
{
        const ps_ops *ops = l->ops;
        const ps_span span = l->engine->plain.span;
        struct plain_call c = {.op = op, .enter = l->enter[op], .leave = l->leave[op]};
        if (c.enter < span.begin || c.leave > span.end)
                return false;
        if (act == ACT_COMPLETE) {
                if (!ps_walk_leaves_rest(l, op))
                        return false;
                const ps_op *own = &ops->completed[ops->link[op]], *end = own + ops->tag[op];
                while (own < end)
                        if (!add_message(l, &c, *own++))
                                return false;
                charge_call(l, &c, true);
                return true;
        }
        if (!(ops->flags[op] & PS_OP_MATCHED) || !add_message(l, &c, op))
                return false;
        if (act == ACT_SEND)
                ps_walk_send(l, op);
        charge_call(l, &c, false);
        return true;
}
