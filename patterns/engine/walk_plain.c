/* walk_plain.c - calls about messages alone, as most are, and collective operations (walk_parts.c): what the
 * walk says of any call, in one go.
 *
 * Where each side of a message has one row, whose loss follows from the columns, and nobody asks for more,
 * neither views nor instances are made but of what becomes the worst of a finding. The long way is the
 * reference: a test has both walk the same traces. */
#include "patterns/engine/book.h"
#include "patterns/engine/walk_pgas.h"

enum { RECEIVES, SENDS };

/* What a row of a kind is, as the end of a message. */
enum { IS_NONE, IS_COLLECTIVE, IS_RECV, IS_SEND, IS_STANDARD_SEND, IS_WAITED_FOR_BY_NOBODY };

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
        for (unsigned kind = 0; kind < PS_N_MESSAGE_KINDS; kind++) {
                plain->pattern[side][kind] = (uint8_t)ps_rules_refine_message(rules, root, (ps_kind)kind);
                if (!ps_rule_is_plain_wait(&rules->rule[plain->pattern[side][kind]]))
                        return false;
        }
        if (side == SENDS)
                plain->held_up = rule->wait_kinds ? rule->wait_kinds : UINT64_MAX;
        return !rule->row->send_kinds && (side == SENDS || !rule->wait_kinds);
}

static bool find_rest(struct plain *plain, const ps_rules *rules)
{
        plain->rest = rules->root[PS_ON_COMPLETION][0];
        const ps_rule *rule = &rules->rule[plain->rest];
        return rules->n_roots[PS_ON_COMPLETION] == 1 &&
               rules->needs[PS_ON_COMPLETION] == (PS_NEEDS_EPSILON | PS_LOSES_REST) && !rule->waits &&
               !rule->is_of_team && !rule->counts_when_short;
}

/* A row on sends that moves no time; PS_NONE: nobody asks. */
static bool find_view(uint32_t *pattern, const ps_rules *rules, ps_subject subject)
{
        const ps_rule *rule = &rules->rule[rules->root[subject][0]];
        *pattern = rules->n_roots[subject] ? rules->root[subject][0] : PS_NONE;
        return *pattern == PS_NONE ||
               (rules->n_roots[subject] == 1 && !rule->waits && !rule->is_of_team && !rule->ends_with_call);
}

/* Of sends that tell something in any case only standard ones are plain. */
static uint8_t end_of_kind(const struct engine *e, unsigned kind)
{
        ps_class cls = kind < PS_K_COUNT ? ps_kinds[kind].cls : PS_C_TASK;
        if (cls == PS_C_COLL)
                return IS_COLLECTIVE;
        if (cls > PS_C_RECV || (kind != PS_K_SEND && e->is_watched[kind]))
                return IS_NONE;
        return kind == PS_K_IBSEND ? IS_WAITED_FOR_BY_NOBODY
               : kind == PS_K_SEND ? IS_STANDARD_SEND
               : cls == PS_C_SEND  ? IS_SEND
                                   : IS_RECV;
}

/* Parts are not passed over: what they are parts of is no plain call. */
static void find_acts(struct engine *e)
{
        for (unsigned flags = 0; flags < sizeof e->plain.act / sizeof *e->plain.act; flags++)
                for (unsigned kind = 0; kind < PS_K_COUNT; kind++)
                        e->plain.act[flags][kind] =
                                flags & PS_OP_PART ? ACT_ASK : e->acts[kind][flags & PS_OP_NONBLOCKING];
}

void ps_walk_find_plain(struct engine *e)
{
        const ps_focus *focus = e->timing->focus;
        struct plain *plain = &e->plain;
        for (unsigned kind = 0; kind <= UINT8_MAX; kind++)
                plain->as[kind] = end_of_kind(e, kind);
        ps_walk_find_parts(e);
        ps_walk_find_teams(e);
        ps_walk_find_pgas(e);
        find_acts(e);
        plain->small_bytes = e->rules.most_bytes[PS_ON_SMALL] ? e->rules.most_bytes[PS_ON_SMALL] : UINT64_MAX;
        plain->span = focus && focus->n_spans ? focus->span[0] : (ps_span){INT64_MIN, PS_TIME_MAX};
        const bool may_be = !e->options->in_full && e->options->definitions != PS_DEFINITIONS_SCALASCA &&
                            !e->purpose && (!focus || focus->n_spans == 1);
        plain->is_pgas_so = may_be && e->inner;
        plain->is_so = may_be && !e->trace->defs.sends_are_buffered && !e->inner && e->master == PS_NONE &&
                       find_side(plain, &e->rules, RECEIVES) && find_side(plain, &e->rules, SENDS) &&
                       find_rest(plain, &e->rules) && find_view(&plain->small, &e->rules, PS_ON_SMALL) &&
                       find_view(&plain->reply, &e->rules, PS_ON_NEIGHBOURS);
}

/* Until when the call waits longest for a partner of one sort, or when it begins; and the own end of that
 * message. */
struct longest {
        ps_time until;
        ps_op own;
};

/* What the location's calls are found in. A call says who the partner is, so that many partners take many. */
enum { MANY_CALLS = 64 };
struct columns {
        ps_ops ops;
        bool has_peers; /* of its own */
        bool has_many;  /* partners */
        const ps_time *enter, *leave;
        ps_time *const *partner; /* when operations of all locations began */
};

/* What is known of the call at hand so far. */
struct plain_call {
        ps_time enter, leave;
        struct longest receiver, sender;
        ps_op latest; /* of the messages that it waits for, the one whose other end begins last; PS_NONE: none
                       */
        ps_time latest_post;
};

/* No branch: who comes later no processor foresees. */
PS_WALK_INLINE void wait_until(const struct plain_call *c, ps_op own, ps_time post, struct longest *longest)
{
        const ps_time until = earlier(post, c->leave);
        const bool is_longer = until > longest->until;
        longest->own = is_longer ? own : longest->own;
        longest->until = is_longer ? until : longest->until;
}

/* Is the send for which the call waits under way, for all one knows, when its receiver comes? */
PS_WALK_INLINE bool is_under_way(const struct local *l, ps_time leave, ps_loc other, ps_time post)
{
        const struct engine *e = l->engine;
        ps_time tolerance = e->clocks_differ
                                    ? later(e->least_tolerance, ps_walk_sane(uncertainty_with(l, other)))
                                    : e->tolerance;
        return post < leave + tolerance;
}

PS_WALK_INLINE struct plain_call begin_call(const struct columns *in, ps_op op)
{
        const ps_time enter = in->enter[op];
        return (struct plain_call){.enter = enter,
                                   .leave = in->leave[op],
                                   .receiver = {enter, 0},
                                   .sender = {enter, 0},
                                   .latest = PS_NONE,
                                   .latest_post = INT64_MIN};
}

PS_WALK_INLINE ps_ref partner_of(const struct columns *in, ps_op own)
{
        const ps_ops *ops = &in->ops;
        return (ps_ref){in->has_peers ? ops->peer[own] : ops->calls[ops->call[own]].peer, ops->link[own]};
}

/* Whose partners are many finds the next one far from all that was looked at since, which no processor
 * foresees. */
PS_WALK_INLINE void fetch_partner(const struct columns *in, ps_op own)
{
        enum { AHEAD = 16 };
        const ps_op row = own + AHEAD;
        if (row >= in->ops.n || in->ops.kind[row] > PS_K_SENDRECV_RECV ||
            !(in->ops.flags[row] & PS_OP_MATCHED))
                return;
        const ps_ref partner = partner_of(in, row);
        __builtin_prefetch(&in->partner[partner.loc][partner.op]);
}

/* False: this is no plain call. */
PS_WALK_INLINE bool add_message(struct local *l, const struct columns *in, struct plain_call *c, ps_op own)
{
        const ps_ops *ops = &in->ops;
        uint8_t as = l->engine->plain.as[ops->kind[own]];
        if (as <= IS_COLLECTIVE)
                return false;
        if (!(ops->flags[own] & PS_OP_MATCHED) || as == IS_WAITED_FOR_BY_NOBODY)
                return true;
        ps_ref partner = partner_of(in, own);
        ps_time post = in->partner[partner.loc][partner.op];
        const bool is_latest = post > c->latest_post;
        c->latest = is_latest ? own : c->latest;
        c->latest_post = is_latest ? post : c->latest_post;
        if (as == IS_RECV) {
                if (l->worker->latest_sent > post)
                        ps_walk_check_order(l, partner);
                wait_until(c, own, post, &c->receiver);
        } else if (post > in->enter[own]) {
                if (as == IS_STANDARD_SEND)
                        ps_walk_learn_eager_limit(l, own, post);
                if (post > c->enter && is_under_way(l, c->leave, partner.loc, post))
                        wait_until(c, own, post, &c->sender);
        }
        return true;
}

PS_WALK_INLINE void charge_wait(struct local *l, struct found f, ps_path path, bool is_received)
{
        bool doubtful = account_wait(l, f, path);
        if (f.lost < l->engine->rules.epsilon)
                return;
        if (is_received)
                ps_walk_remember(l, f, path);
        else
                tally_plain(l, f, path, doubtful);
}

/* What clocks may hide of so much of a call's time. */
PS_WALK_INLINE void note_hidden(struct local *l, ps_ref partner, ps_time left)
{
        if (l->engine->notes_hidden && left > 0 && rests_on_clocks(l, partner))
                l->worker->hidden =
                        ps_time_add(l->worker->hidden, earlier(left, uncertainty_with(l, partner.loc)));
}

/* Charges the longer wait of the call, to the row `op` if that completes others, or to the one that waited;
 * returns how long it is. */
PS_WALK_INLINE ps_time charge_longest(struct local *l, const struct columns *in, const struct plain_call *c,
                                      ps_op op, bool completes)
{
        const struct engine *e = l->engine;
        struct longest sender = c->sender;
        if (sender.until > c->enter && !(e->plain.held_up >> in->ops.kind[completes ? op : sender.own] & 1))
                sender.until = c->enter;
        bool is_received = sender.until <= c->receiver.until;
        struct longest longest = is_received ? c->receiver : sender;
        const ps_time lost = longest.until - c->enter;
        if (!lost)
                return 0;
        ps_ref partner = partner_of(in, longest.own);
        unsigned kind = is_received ? e->trace->ops[partner.loc].kind[partner.op] : in->ops.kind[longest.own];
        uint32_t pattern = e->plain.pattern[!is_received][kind % PS_N_MESSAGE_KINDS];
        charge_wait(l, (struct found){lost, partner, pattern, longest.own, completes ? op : longest.own},
                    ps_op_path(&in->ops, op), is_received);
        return lost;
}

/* What is left of a call may be the rest of what it completes, or waiting that clocks hide. */
PS_WALK_INLINE void charge_call(struct local *l, const struct columns *in, const struct plain_call *c,
                                ps_op op, bool completes)
{
        const struct engine *e = l->engine;
        ps_time left = c->leave - c->enter - charge_longest(l, in, c, op, completes);
        bool is_rest = completes && left >= e->rules.epsilon;
        if (c->latest == PS_NONE || left <= 0 || !(is_rest || e->notes_hidden))
                return;
        ps_ref partner = partner_of(in, c->latest);
        if (is_rest)
                tally_plain(l, (struct found){left, partner, e->plain.rest, c->latest, op},
                            ps_op_path(&in->ops, op), is_doubtful(l, partner, left));
        note_hidden(l, partner, left);
}

/* Is the next call a receive from the process that the message goes to? */
PS_WALK_INLINE bool is_reply(const struct local *l, const struct columns *in, ps_op op)
{
        const ps_ops *ops = &in->ops;
        const ps_op next = op + 1;
        if (next >= ops->n || ops->kind[next] != PS_K_RECV || ops->kind[op] == PS_K_SENDRECV_SEND ||
            !(ops->flags[next] & PS_OP_MATCHED))
                return false;
        const ps_location_def *location = l->engine->trace->defs.locations.row;
        return location[partner_of(in, next).loc].process == location[partner_of(in, op).loc].process &&
               ps_op_comm(ops, next) == ps_op_comm(ops, op);
}

/* What a row says of a send, and of the call behind it or PS_NONE. No other location has to do with that. */
__attribute__((noinline)) static void tell_send(struct local *l, uint32_t pattern, ps_op op, ps_op next)
{
        const struct engine *e = l->engine;
        const bool is_followed = next != PS_NONE;
        ps_call_view *view = &l->worker->send;
        view->enter = l->enter[op];
        view->leave = l->leave[op];
        view->bytes = ps_op_bytes(l->ops, op);
        view->eager_bytes = e->eager_bytes;
        view->kind = (ps_kind)l->ops->kind[op];
        view->n = 1;
        view->next_enter = is_followed ? l->enter[next] : 0;
        view->next_leave = is_followed ? l->leave[next] : 0;
        view->gap = is_followed ? view->next_enter - view->leave : 0;
        const struct found f = {ps_rules_call(&e->rules, pattern, view),
                                {is_followed ? l->loc : PS_NONE, next},
                                pattern,
                                PS_NONE,
                                op};
        if (f.lost < 0 || (f.lost < e->rules.epsilon && !e->rules.rule[pattern].counts_when_short))
                return;
        if (f.lost > 0 && view->enter + f.lost <= e->plain.span.end) {
                tally_certain(l, f, l->enter[f.call], ps_op_path(l->ops, op), f.lost);
                return;
        }
        const ps_instance instance = instance_of(l, &f);
        ps_walk_tally(l, &instance, ps_op_path(l->ops, op), PS_NONE);
}

/* Is it small, and does a reply follow? */
PS_WALK_INLINE void ask_send(struct local *l, const struct columns *in, ps_op op)
{
        const struct plain *plain = &l->engine->plain;
        if (plain->small != PS_NONE && ps_op_bytes(&in->ops, op) <= plain->small_bytes)
                tell_send(l, plain->small, op, PS_NONE);
        if (plain->reply != PS_NONE && is_reply(l, in, op))
                tell_send(l, plain->reply, op, op + 1);
}

/* May it tell anything new of the size up to which sends do not wait, that its receiver came then? */
PS_WALK_INLINE bool tells_limit(const struct local *l, const struct columns *in, ps_op send, ps_time post)
{
        const struct engine *e = l->engine;
        const uint64_t bytes = ps_op_bytes(&in->ops, send);
        ps_time before = post - in->leave[send];
        return before >= 0 ? bytes > l->worker->eager_max && before > e->least_tolerance
                           : bytes < l->worker->rendezvous_min && -before > e->least_tolerance;
}

/* Books the call, which is one message; false: it is not plain, and nothing is booked. */
PS_WALK_INLINE bool book_message(struct local *l, const struct columns *in, ps_op op)
{
        const ps_ops *ops = &in->ops;
        const struct engine *e = l->engine;
        const uint8_t kind = ops->kind[op], as = e->plain.as[kind];
        const ps_time enter = in->enter[op], leave = in->leave[op];
        if (enter < e->plain.span.begin || leave > e->plain.span.end || !(ops->flags[op] & PS_OP_MATCHED) ||
            as <= IS_COLLECTIVE)
                return false;
        const ps_ref partner = partner_of(in, op);
        const ps_time post = in->partner[partner.loc][partner.op];
        bool is_late = post > enter;
        if (as == IS_RECV) {
                if (l->worker->latest_sent > post)
                        ps_walk_check_order(l, partner);
        } else {
                if (is_late && as == IS_STANDARD_SEND && tells_limit(l, in, op, post))
                        ps_walk_learn_eager_limit(l, op, post);
                ask_send(l, in, op);
                is_late =
                        is_late && e->plain.held_up >> kind & 1 && is_under_way(l, leave, partner.loc, post);
        }
        const ps_time lost = is_late ? earlier(post, leave) - enter : 0;
        if (lost > 0) {
                const uint8_t send = as == IS_RECV ? e->trace->ops[partner.loc].kind[partner.op] : kind;
                const uint32_t pattern = e->plain.pattern[as != IS_RECV][send % PS_N_MESSAGE_KINDS];
                charge_wait(l, (struct found){lost, partner, pattern, op, op}, ps_op_path(ops, op),
                            as == IS_RECV);
        }
        note_hidden(l, partner, leave - enter - lost);
        return true;
}

/* Books the call, of one row, which completes messages; false: it is not plain, and nothing is booked. */
PS_WALK_INLINE bool book_call(struct local *l, const struct columns *in, ps_op op)
{
        const ps_ops *ops = &in->ops;
        const struct plain *plain = &l->engine->plain;
        struct plain_call c = begin_call(in, op);
        if (c.enter < plain->span.begin || c.leave > plain->span.end || !l->engine->is_whole ||
            !ps_op_tag(ops, op))
                return false;
        const ps_op first = ops->link[op];
        const ps_op *list = ops->flags[op] & PS_OP_IN_A_ROW ? NULL : ops->completed + first;
        if (plain->as[ops->kind[list ? *list : first]] == IS_COLLECTIVE)
                return ps_walk_book_begun(l, op);
        for (uint32_t i = 0, n = ps_op_tag(ops, op); i < n; i++) {
                const ps_op own = list ? list[i] : first + i; /* ps_op_completed(), asked once */
                if (in->has_many)
                        fetch_partner(in, own);
                if (!add_message(l, in, &c, own))
                        return false;
        }
        charge_call(l, in, &c, op, true);
        return true;
}

/* Is the row of one message, or of something in which nobody loses anything, and has the call's times? */
PS_WALK_INLINE bool is_row_plain(const struct local *l, const struct columns *in, ps_op row, ps_op op)
{
        enum act act = ps_walk_act(l->engine, &in->ops, row);
        return in->enter[row] == in->enter[op] && in->leave[row] == in->leave[op] &&
               (act == ACT_PASS ||
                ((act == ACT_SEND || act == ACT_RECV) && in->ops.flags[row] & PS_OP_MATCHED &&
                 l->engine->plain.as[in->ops.kind[row]] > IS_COLLECTIVE));
}

/* The end of the call, whose first row this is, if all its rows are plain; or 0. */
PS_WALK_INLINE ps_op end_of_plain_rows(const struct local *l, const struct columns *in, ps_op op)
{
        const ps_span span = l->engine->plain.span;
        ps_op end = op;
        if (in->enter[op] < span.begin || in->leave[op] > span.end)
                return 0;
        do
                if (!is_row_plain(l, in, end, op))
                        return 0;
        while (ps_op_continues(&in->ops, ++end));
        return end;
}

/* Books a call of several rows, as Sendrecv and Startall are; returns its end, or 0 where it is not plain,
 * and nothing is booked. */
PS_WALK_INLINE ps_op book_rows(struct local *l, const struct columns *in, ps_op op)
{
        struct plain_call c = begin_call(in, op);
        ps_op end = end_of_plain_rows(l, in, op);
        for (ps_op row = op; row < end; row++) {
                enum act act = ps_walk_act(l->engine, &in->ops, row);
                if (act == ACT_SEND)
                        ask_send(l, in, row);
                if (act != ACT_PASS)
                        (void)add_message(l, in, &c, row);
        }
        if (end)
                charge_call(l, in, &c, op, false);
        return end;
}

/* What is not about messages; returns the first row that is none, or is not plain. */
__attribute__((noinline)) static ps_op book_others(struct local *l, ps_op op, enum act act)
{
        return act == ACT_COLLECTIVE  ? ps_walk_book_parts(l, op)
               : act == ACT_ONE_SIDED ? ps_walk_pass_unreleased(l, op)
                                      : op;
}

PS_WALK_INLINE ps_op walk_plain(struct local *l, ps_op op, bool has_peers)
{
        const struct columns in = {*l->ops,  has_peers, l->ops->n_calls >= MANY_CALLS,
                                   l->enter, l->leave,  l->engine->timing->enter};
        const struct engine *e = l->engine;
        const ps_op end = l->end;
        ps_op first = op;
        for (; op < end; op++) {
                uint8_t flags = in.ops.flags[op];
                enum act act =
                        (enum act)e->plain.act[flags & (PS_OP_NONBLOCKING | PS_OP_PART)][in.ops.kind[op]];
                if (act == ACT_PASS)
                        continue;
                if (flags & PS_OP_PART && op > first) {
                        ps_op behind = book_rows(l, &in, op - 1);
                        if (!behind)
                                return op - 1;
                        first = behind; /* which continues no call, whatever it says */
                        op = behind - 1;
                        continue;
                }
                if (flags & PS_OP_PART && (act = ps_walk_act(e, &in.ops, op)) == ACT_PASS)
                        continue;
                if (act > ACT_COMPLETE) {
                        const ps_op behind = book_others(l, op, act);
                        if (behind == op)
                                break;
                        op = behind - 1;
                        continue;
                }
                bool has_parts = op + 1 < in.ops.n && in.ops.flags[op + 1] & PS_OP_PART;
                if (act == ACT_COMPLETE ? has_parts || !book_call(l, &in, op)
                                        : !has_parts && !book_message(l, &in, op))
                        break;
        }
        return op;
}

/* What a call of several rows is shows at the second of them: the first is passed over until then. */
ps_op ps_walk_plain(struct local *l, ps_op op)
{
        return l->ops->peer ? walk_plain(l, op, true) : walk_plain(l, op, false);
}
