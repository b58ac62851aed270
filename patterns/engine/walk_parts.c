/* walk_parts.c - parts in collective operations, as walk_plain.c books them: what the rows say follows from
 * what all members did and the columns of the call.
 *
 * An operation that is plain has all its members, in one group. A row of the table says what a part loses by
 * its formula; the long way is the reference. */
#include "patterns/engine/book.h"
#include "patterns/engine/coll_sums.h"
#include "patterns/engine/walk_pgas.h"

/* Does the row say what columns tell? One that waits and one about the end of the operation are all. */
static bool add_row_on(struct plain_coll *coll, const ps_rule *rule, uint32_t root)
{
        bool completes = rule->row->part == PS_PART_COMPLETES;
        uint32_t *pattern = completes ? &coll->completion : &coll->wait;
        if (rule->row->part == PS_PART_UNTOLD || rule->formula != rule->row->formula || *pattern != PS_NONE ||
            (completes ? rule->waits || rule->counts_when_short : !ps_rule_is_plain_wait(rule)))
                return false;
        *pattern = root;
        if (!completes)
                coll->waits = rule->row->part;
        return true;
}

/* Those that go with the life of the library are few. `subject`: of a PGAS program or not. */
static struct plain_coll find_coll(const struct engine *e, ps_subject subject, unsigned kind)
{
        const ps_rules *rules = &e->rules;
        const uint16_t traits = PS_K_INIT + kind < PS_K_COUNT ? ps_kinds[PS_K_INIT + kind].traits : PS_T_LIFE;
        struct plain_coll coll = {.is_so = !(traits & PS_T_LIFE),
                                  .has_columns = e->timing == &e->trace->measured && !(traits & PS_T_TEAM),
                                  .wait = PS_NONE,
                                  .completion = PS_NONE};
        for (uint32_t i = 0; coll.is_so && i < rules->n_roots[subject]; i++) {
                uint32_t root = rules->root[subject][i];
                const ps_rule *rule = &rules->rule[root];
                coll.is_so = !ps_rules_has_kind(rule->kinds, kind) || add_row_on(&coll, rule, root);
        }
        return coll;
}

static uint32_t find_begun(const ps_rules *rules)
{
        const uint32_t root = rules->root[PS_ON_NONBLOCKING][0];
        const ps_rule *rule = &rules->rule[root];
        return rules->n_roots[PS_ON_NONBLOCKING] == 1 && rule->row->part == PS_PART_WAITS_FOR_NEEDED &&
                               rule->formula == rule->row->formula && ps_rule_is_plain_wait(rule)
                       ? root
                       : PS_NONE;
}

void ps_walk_find_parts(struct engine *e)
{
        for (unsigned kind = 0; kind < PS_N_COLLECTIVE_KINDS; kind++)
                e->plain.coll[kind] = find_coll(e, PS_ON_COLLECTIVE, kind);
        e->plain.pgas_barrier = find_coll(e, PS_ON_PGAS_COLLECTIVE, PS_K_BARRIER - PS_K_INIT);
        e->plain.begun = find_begun(&e->rules);
}

/* A member's part in an operation. */
struct part {
        const struct sum *sum;
        const ps_member *as; /* its row in the table of members, */
        uint32_t member;     /* and the number of that */
        ps_time begin, end;
};

PS_WALK_INLINE const ps_coll *coll_of(const ps_coll_sums *s, const struct part *p)
{
        return &s->trace->colls[p->as->coll];
}

/* Who receives where all were in it at one time does. */
PS_WALK_INLINE bool takes_part(const ps_coll_sums *s, const struct part *p)
{
        return (p->sum->is_full && p->as->received) ||
               ps_coll_takes_part(s, coll_of(s, p), p->sum, p->member);
}

PS_WALK_INLINE ps_ref member_or_nobody(const ps_coll_sums *s, uint32_t member)
{
        return member == PS_NONE ? (ps_ref){PS_NONE, PS_NONE} : s->trace->members[member].ref;
}

/* Mostly nobody else than the root sends. */
PS_WALK_INLINE ps_time root_begins(const ps_coll_sums *s, const struct part *p, uint32_t root)
{
        return root == p->sum->latest_sender ? p->sum->latest_sender_begin
                                             : begin_or_never(s, coll_of(s, p), root);
}

/* Until when it waits, for which member; PS_NEVER_BEGUN: it does not, or does not synchronise with that. */
PS_WALK_INLINE ps_time part_waits_until(const ps_coll_sums *s, const struct part *p, uint8_t waits,
                                        uint32_t *needed)
{
        const struct sum *sum = p->sum;
        if (waits == PS_PART_WAITS_FOR_ALL) {
                *needed = sum->latest;
                return sum->latest_begin > p->begin && takes_part(s, p) ? sum->latest_begin : PS_NEVER_BEGUN;
        }
        if (waits == PS_PART_WAITS_FOR_ROOT) {
                *needed = coll_of(s, p)->root;
                return *needed != p->member && p->as->received ? root_begins(s, p, *needed) : PS_NEVER_BEGUN;
        }
        switch (waits) {
        case PS_PART_ROOT_WAITS:
                *needed = sum->latest_sender;
                return coll_of(s, p)->root == p->member ? sum->latest_sender_begin : PS_NEVER_BEGUN;
        case PS_PART_WAITS_FOR_SENDER:
                *needed = s->predecessor ? s->predecessor[p->member] : PS_NONE;
                return p->as->received ? begin_or_never(s, coll_of(s, p), *needed) : PS_NEVER_BEGUN;
        case PS_PART_WAITS_FOR_WINDOW:
                *needed = sum->latest;
                return sum->earliest_end >= sum->latest_begin ? sum->latest_begin : PS_NEVER_BEGUN;
        default:
                return PS_NEVER_BEGUN; /* no row says that it waits */
        }
}

/* Is all certain, and does nobody listen, so that what is lost has but to be added up? */
PS_WALK_INLINE bool is_simple(const struct local *l)
{
        return !l->engine->clocks_differ && !l->engine->options->sink && l->status == PS_OK;
}

/* The same of what need not be simple. Not inlined: that is seldom so, and calls in the midst of what is done
 * for each part cost it its registers. */
__attribute__((noinline)) static void tally_slowly(struct local *l, struct found f, ps_time begin,
                                                   ps_path path, bool doubtful)
{
        tally_plain_from(l, f, begin, path, doubtful);
}

__attribute__((noinline)) static void charge_slowly(struct local *l, struct found f, ps_time begin,
                                                    ps_path path)
{
        const bool doubtful = account_wait(l, f, path);
        if (f.lost >= l->engine->rules.epsilon)
                tally_plain_from(l, f, begin, path, doubtful);
}

/* The same as tally_plain_from() of what is simple, and no worse than what was found there before; false: it
 * is not, and nothing is done. */
PS_WALK_INLINE bool add_to_finding(struct local *l, uint32_t pattern, ps_path path, ps_time lost)
{
        const uint32_t at = *ps_tally_hint(&l->worker->hints, pattern, path);
        if (at >= l->findings.n)
                return false;
        ps_finding *finding = &l->findings.row[at];
        if (finding->pattern != pattern || finding->path != path || lost > finding->worst.lost)
                return false;
        finding->lost = ps_time_add(finding->lost, lost);
        finding->least = ps_time_add(finding->least, lost);
        finding->count++;
        return true;
}

PS_WALK_INLINE void charge_part_wait(struct local *l, const struct part *p, const struct plain_coll *as,
                                     ps_op op)
{
        const struct engine *e = l->engine;
        uint32_t needed = PS_NONE;
        const ps_time lost = earlier(part_waits_until(e->colls, p, as->waits, &needed), p->end) - p->begin;
        if (lost <= 0)
                return;
        const ps_ref by = e->trace->members[needed].ref;
        const ps_path path = ps_op_path(l->ops, op);
        if (!is_simple(l)) {
                charge_slowly(l, (struct found){lost, by, as->wait, PS_NONE, op}, p->begin, path);
                return;
        }
        move_time(l, (ps_time_kind)e->kind_of_path[path], PS_TIME_WAITING, lost);
        wait_at(l, by, path, lost);
        if (lost >= e->rules.epsilon && !add_to_finding(l, as->wait, path, lost))
                tally_slowly(l, (struct found){lost, by, as->wait, PS_NONE, op}, p->begin, path, false);
}

PS_WALK_INLINE void tally_completion(struct local *l, const struct part *p, const struct plain_coll *as,
                                     ps_op op)
{
        const struct engine *e = l->engine;
        const ps_time lost = p->end - later(p->sum->earliest_end, earlier(p->sum->latest_begin, p->end));
        if (as->completion == PS_NONE || lost <= 0 || lost < e->rules.epsilon || !takes_part(e->colls, p))
                return;
        const ps_path path = ps_op_path(l->ops, op);
        if (is_simple(l) && add_to_finding(l, as->completion, path, lost))
                return;
        const uint32_t needed = ps_coll_needed_member(e->colls, coll_of(e->colls, p), p->sum, p->member);
        const ps_ref cause = member_or_nobody(e->colls, needed);
        tally_slowly(l, (struct found){lost, cause, as->completion, PS_NONE, op}, p->begin, path,
                     is_doubtful(l, cause, lost));
}

/* It is one of all members that are here, and of one group, in a PGAS program or not. */
PS_WALK_INLINE bool find_part(const struct engine *e, uint32_t member, bool is_pgas, struct part *out)
{
        const ps_member *as = &e->trace->members[member];
        *out = (struct part){.sum = &e->colls->sum[as->coll], .as = as, .member = member};
        return is_pgas ? out->sum->is_plain_pgas : out->sum->is_plain;
}

/* Does a member that was busy elsewhere, until it came back, let the call wait longer than until `begin`? It
 * was not before `left` that it went. */
PS_WALK_INLINE bool may_let_wait(ps_time came, ps_span call, ps_time begin, ps_time left)
{
        return came > begin && came <= call.end && call.end - came < came - later(call.begin, left);
}

/* See wait_for_return() of walk_calls.c. */
PS_WALK_INLINE void wait_for_return(const ps_coll_sums *s, uint32_t member, ps_span call, ps_time *begin,
                                    ps_ref *needed)
{
        const struct coll_back back = ps_coll_sums_back_of(s, member);
        if (back.ref.op == PS_NONE || !back.ref.op || !may_let_wait(back.came, call, *begin, back.left))
                return;
        *begin = back.came;
        *needed = back.ref;
}

/* What a call that completes operations has been found to wait for so far. */
struct begun {
        ps_span call;
        struct found wait;
        ps_op latest; /* whose member that it needs began last; PS_NONE: there is none so far */
        ps_ref cause; /* that member */
        ps_time latest_begin;
};

static void add_begun(const ps_coll_sums *s, const struct part *p, struct begun *b, ps_op own)
{
        const ps_coll *coll = coll_of(s, p);
        const uint32_t needed = ps_coll_needed_member(s, coll, p->sum, p->member);
        const bool waits_for_all = traits_of(coll) & (PS_T_BARRIER | PS_T_ALL_TO_ALL);
        ps_ref cause = member_or_nobody(s, needed);
        ps_time begin = needed == p->sum->latest ? p->sum->latest_begin : begin_or_never(s, coll, needed);
        if (b->latest == PS_NONE || begin > b->latest_begin) {
                b->latest = own;
                b->cause = cause;
                b->latest_begin = begin;
        }
        if (!waits_for_all)
                wait_for_return(s, needed, b->call, &begin, &cause);
        else if (may_let_wait(p->sum->back_came, b->call, begin, b->call.begin))
                wait_for_return(s, p->sum->latest_back, b->call, &begin, &cause);
        ps_time lost = earlier(begin, b->call.end) - b->call.begin;
        if (lost > b->wait.lost && takes_part(s, p)) {
                b->wait.lost = lost;
                b->wait.partner = cause;
        }
}

/* The longest wait is charged, and what is left is the rest. */
PS_WALK_INLINE void charge_begun(struct local *l, const struct begun *b, ps_op op)
{
        const struct engine *e = l->engine;
        const ps_path path = ps_op_path(l->ops, op);
        if (b->wait.lost)
                charge_slowly(l, b->wait, b->call.begin, path);
        const ps_time left = b->call.end - b->call.begin - b->wait.lost;
        if (left <= 0 || left < e->rules.epsilon ||
            (is_simple(l) && add_to_finding(l, e->plain.rest, path, left)))
                return;
        tally_slowly(l, (struct found){left, b->cause, e->plain.rest, b->latest, op}, b->call.begin, path,
                     is_doubtful(l, b->cause, left));
}

bool ps_walk_book_begun(struct local *l, ps_op op)
{
        const struct engine *e = l->engine;
        const ps_ops *ops = l->ops;
        const ps_ref nobody = {PS_NONE, PS_NONE};
        struct begun b = {
                {l->enter[op], l->leave[op]}, {0, nobody, e->plain.begun, PS_NONE, op}, PS_NONE, nobody, 0};
        struct part p;
        for (uint32_t i = 0, n = ps_op_tag(ops, op); i < n; i++) {
                const ps_op own = ps_op_completed(ops, op, i);
                if (ps_kinds[ops->kind[own]].cls != PS_C_COLL || !(ops->flags[own] & PS_OP_MATCHED) ||
                    e->plain.begun == PS_NONE || !find_part(e, ops->link[own], false, &p) ||
                    !p.sum->has_others || traits_of(coll_of(e->colls, &p)) & (PS_T_PREFIX | PS_T_SPARSE) ||
                    ps_coll_sums_are_shared(e->colls, p.as->coll))
                        return false;
                add_begun(e->colls, &p, &b, own);
        }
        charge_begun(l, &b, op);
        return true;
}

/* Books the part of a call that begins and ends so. */
PS_WALK_INLINE void book_part_as(struct local *l, const ps_ops *ops, struct part *p,
                                 const struct plain_coll *as, ps_op op, ps_time enter, ps_time leave)
{
        const uint32_t pre = ops->pre[op], post = ops->post[op];
        p->begin = enter + pre;
        p->end = leave - post;
        if (!as->has_columns || pre == UINT32_MAX || post == UINT32_MAX)
                find_part_times(l->engine->colls, coll_of(l->engine->colls, p), false, (ps_ref){l->loc, op},
                                &p->begin, &p->end);
        charge_part_wait(l, p, as, op);
        tally_completion(l, p, as, op);
}

/* False: it is not plain, and nothing is booked. */
PS_WALK_INLINE bool book_part(struct local *l, const ps_ops *ops, ps_op op, ps_time enter, ps_time leave)
{
        const struct engine *e = l->engine;
        struct part p;
        if (!find_part(e, ops->link[op], false, &p))
                return false;
        const struct plain_coll *as = &e->plain.coll[(unsigned)ops->kind[op] - PS_K_INIT];
        if (!as->is_so || !p.sum->has_others)
                return as->is_so;
        book_part_as(l, ops, &p, as, op, enter, leave);
        return true;
}

bool ps_walk_book_pgas_barrier(struct local *l, ps_op op)
{
        const struct engine *e = l->engine;
        const struct plain_coll *as = &e->plain.pgas_barrier;
        struct part p;
        if (!as->is_so || !(l->ops->flags[op] & PS_OP_MATCHED) || !find_part(e, l->ops->link[op], true, &p) ||
            coll_of(e->colls, &p)->kind != PS_K_BARRIER)
                return false;
        if (p.sum->has_others)
                book_part_as(l, l->ops, &p, as, op, l->enter[op], l->leave[op]);
        return true;
}

/* Does the row complete what such rows began, where all that is begun is known? */
PS_WALK_INLINE bool completes_begun(const struct local *l, const ps_ops *ops, ps_op op)
{
        return l->engine->is_whole && ps_op_tag(ops, op) &&
               ps_kinds[ops->kind[ps_op_completed(ops, op, 0)]].cls == PS_C_COLL;
}

/* False: it is none of both, or is not plain, and nothing is booked. */
PS_WALK_INLINE bool book_row(struct local *l, const ps_ops *ops, ps_op op, enum act act, ps_time enter,
                             ps_time leave)
{
        return act == ACT_COLLECTIVE
                       ? ops->flags[op] & PS_OP_MATCHED && book_part(l, ops, op, enter, leave)
                       : act == ACT_COMPLETE && completes_begun(l, ops, op) && ps_walk_book_begun(l, op);
}

ps_op ps_walk_book_parts(struct local *l, ps_op op)
{
        const ps_ops ops = *l->ops;
        const ps_time *enters = l->enter, *leaves = l->leave;
        const struct plain *plain = &l->engine->plain;
        const ps_span span = plain->span;
        size_t i = op;
        for (const size_t end = l->end, last = ops.n - 1; i < end; i++) {
                const uint8_t flags = ops.flags[i];
                const uint8_t act = plain->act[flags & (PS_OP_NONBLOCKING | PS_OP_PART)][ops.kind[i]];
                if (act == ACT_PASS)
                        continue; /* mostly what is only begun */
                const ps_time enter = enters[i], leave = leaves[i];
                if ((i < last && ops.flags[i + 1] & PS_OP_PART) || enter < span.begin || leave > span.end ||
                    !book_row(l, &ops, (ps_op)i, (enum act)act, enter, leave))
                        break;
        }
        return (ps_op)i;
}
