/* differing.c - see differing.h.
 *
 * The lists of calls go to process 0, which puts them in step with each other, and answers which operation
 * each call is of. Members that follow each other mostly make the same calls, or up to a point: so each list
 * is told by how much of it is that of the one before, and the rest call by call, in about two bytes. */
#include "core/match/differing.h"

#include "core/base/memory.h"
#include "core/exchange/numbers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* -- the lists that are here -- */

static bool has_lists(const struct ps_differing *d, const struct ps_calls *c, ps_comm comm)
{
        return d->differs[comm] && c->end[comm] > c->first[comm];
}

static size_t length_of(const struct ps_list *list)
{
        return list->end - list->next;
}

/* How many of their first calls are the same. */
static size_t count_common(const struct ps_calls *c, const struct ps_list *a, const struct ps_list *b)
{
        size_t n = 0, most = length_of(a) < length_of(b) ? length_of(a) : length_of(b);
        while (n < most && ps_calls_says(c, a->next + n) == ps_calls_says(c, b->next + n) &&
               ps_calls_root(c, c->call[a->next + n]) == ps_calls_root(c, c->call[b->next + n]))
                n++;
        return n;
}

/* Members that follow each other and make the same calls have one list, and their calls stand one behind the
 * other. */
static uint32_t list_calls(const struct ps_calls *c, ps_comm comm, struct ps_list *out)
{
        uint32_t n_lists = ps_calls_lists(c, comm, out), n = 0;
        for (uint32_t i = 0; i < n_lists; i++) {
                size_t length = length_of(&out[i]);
                if (n && length == length_of(&out[n - 1]) && count_common(c, &out[n - 1], &out[i]) == length)
                        out[n - 1].n_members++;
                else
                        out[n++] = out[i];
        }
        return n;
}

static void put_lists(ps_numbers *text, const struct ps_calls *c, const struct ps_list *list, uint32_t n)
{
        for (uint32_t i = 0; i < n; i++) {
                size_t common = i ? count_common(c, &list[i - 1], &list[i]) : 0;
                ps_numbers_put(text, list[i].n_members);
                ps_numbers_put(text, common);
                ps_numbers_put(text, length_of(&list[i]) - common);
                for (size_t call = list[i].next + common; call < list[i].end; call++) {
                        ps_numbers_put(text, ps_calls_says(c, call));
                        ps_numbers_put(text, ps_calls_root(c, c->call[call]) + 1U);
                }
        }
}

static ps_status tell_lists(const struct ps_differing *d, const struct ps_calls *c, struct ps_list *room,
                            ps_numbers *text, ps_error *err)
{
        for (ps_comm comm = 0; comm < c->trace->defs.comms.n; comm++) {
                if (!has_lists(d, c, comm))
                        continue;
                uint32_t n = list_calls(c, comm, room);
                ps_numbers_put(text, comm);
                ps_numbers_put(text, n);
                put_lists(text, c, room, n);
        }
        return text->lacks ? PS_NOMEM(err, "collective calls", text->n) : PS_OK;
}

/* -- process 0 -- */

/* A list that came. */
struct came_list {
        struct ps_list list;
        ps_comm comm;
        uint32_t from; /* which process of ours */
};

struct leader {
        struct ps_differing *d;
        uint32_t n_comms;
        PS_VECTOR(struct came_list) lists;
        PS_VECTOR(uint8_t) key;
        PS_VECTOR(uint8_t) is_pgas;
        PS_VECTOR(ps_proc) root;
        uint32_t *op_of; /* by call */
        uint32_t *first; /* by communicator: its first operation in `op`, and where its lists begin in
                            `by_comm` */
        uint32_t *begin, *by_comm;
        struct ps_differing_op *op;
        uint32_t n_ops, cap;
        struct ps_lists at_hand;
};

static bool push_call(struct leader *l, uint8_t key, uint8_t is_pgas, ps_proc root)
{
        return PS_PUSH(l->key, key) == 0 && PS_PUSH(l->is_pgas, is_pgas) == 0 && PS_PUSH(l->root, root) == 0;
}

/* Behind the one before, of the same communicator. */
static ps_status take_list(struct leader *l, const uint8_t **at, ps_comm comm, uint32_t from, size_t before,
                           ps_error *err)
{
        struct came_list came = {{l->key.n, 0, (uint32_t)ps_numbers_take(at), PS_NONE}, comm, from};
        bool is_well = true;
        size_t common = ps_numbers_take(at), rest = ps_numbers_take(at);
        assert(!common || (l->key.row && l->is_pgas.row && l->root.row));
        for (size_t i = before; i < before + common && is_well; i++)
                is_well = push_call(l, l->key.row[i], l->is_pgas.row[i], l->root.row[i]);
        for (size_t i = 0; i < rest && is_well; i++) {
                uint64_t says = ps_numbers_take(at);
                is_well = push_call(l, (uint8_t)says, says >> 8 & 1, (ps_proc)ps_numbers_take(at) - 1U);
        }
        came.list.end = l->key.n;
        return is_well && PS_PUSH(l->lists, came) == 0 ? PS_OK : PS_NOMEM(err, "collective calls", l->key.n);
}

static ps_status take_lists(struct leader *l, const ps_pile *in, uint32_t from, ps_error *err)
{
        size_t n;
        const uint8_t *at = ps_pile_part(in, from, &n), *end = at + n;
        while (at < end) {
                ps_comm comm = (ps_comm)ps_numbers_take(&at);
                size_t before = l->key.n;
                for (uint64_t left = ps_numbers_take(&at); left; left--) {
                        size_t here = l->key.n;
                        PS_TRY(take_list(l, &at, comm, from, before, err));
                        before = here;
                }
        }
        return PS_OK;
}

/* Lists by communicator, those of each in the order in which they came. */
static ps_status sort_lists(struct leader *l, ps_error *err)
{
        l->first = calloc(l->n_comms + (size_t)1, sizeof(*l->first));
        l->begin = calloc(l->n_comms + (size_t)2, sizeof(*l->begin));
        l->by_comm = calloc(l->lists.n + (size_t)1, sizeof(*l->by_comm));
        l->op_of = malloc((l->key.n + (size_t)1) * sizeof(*l->op_of));
        l->at_hand.row = calloc(l->lists.n + (size_t)1, sizeof(*l->at_hand.row));
        l->at_hand.taken = calloc(l->lists.n + (size_t)1, sizeof(*l->at_hand.taken));
        if (!l->first || !l->begin || !l->by_comm || !l->op_of || !l->at_hand.row || !l->at_hand.taken)
                return PS_NOMEM(err, "collective calls", l->key.n);
        memset(l->op_of, 0xff, l->key.n * sizeof(*l->op_of)); /* PS_NONE */
        for (uint32_t i = 0; i < l->lists.n; i++)
                l->begin[l->lists.row[i].comm + 2]++;
        for (ps_comm comm = 0; comm < l->n_comms; comm++)
                l->begin[comm + 1] += l->begin[comm];
        for (uint32_t i = 0; i < l->lists.n; i++)
                l->by_comm[l->begin[l->lists.row[i].comm + 1]++] = i;
        return PS_OK;
}

/* The operation whose calls were taken last, the `number`th of its communicator. */
static ps_status add_op(struct leader *l, ps_comm comm, uint32_t number, ps_error *err)
{
        const struct ps_lists *taken = &l->at_hand;
        struct ps_differing_op op = {.n_members = taken->n_members,
                                     .root = PS_NONE,
                                     .is_complete = taken->n_members == l->d->present[comm]};
        for (uint32_t i = 0; i < taken->n_taken; i++) {
                ps_proc root = l->root.row[taken->taken[i]];
                op.roots_differ |= op.root != PS_NONE && root != PS_NONE && root != op.root;
                op.root = op.root == PS_NONE ? root : op.root;
                op.is_pgas |= l->is_pgas.row[taken->taken[i]];
                l->op_of[taken->taken[i]] = number;
        }
        op.root = op.roots_differ ? PS_NONE : op.root;
        l->d->n_incomplete += !op.is_complete;
        l->d->n_roots += op.roots_differ;
        return PS_APPEND(l->op, l->n_ops, l->cap, op) ? PS_NOMEM(err, "collective operations", l->n_ops)
                                                      : PS_OK;
}

static ps_status match_lists(struct leader *l, uint32_t *n_of, ps_error *err)
{
        for (ps_comm comm = 0; comm < l->n_comms; comm++) {
                uint32_t from = l->begin[comm], end = l->begin[comm + 1], number = 0;
                l->first[comm] = l->n_ops;
                for (uint32_t i = from; i < end; i++)
                        l->at_hand.row[i - from] = l->lists.row[l->by_comm[i]].list;
                l->at_hand.key = l->key.row;
                l->at_hand.n = end - from;
                l->at_hand.has_begun = false;
                while (ps_lists_take(&l->at_hand))
                        PS_TRY(add_op(l, comm, number++, err));
                n_of[comm] = l->d->differs[comm] ? number : n_of[comm];
        }
        return PS_OK;
}

static void put_ops(ps_numbers *text, const struct leader *l, ps_comm comm, uint32_t n)
{
        ps_numbers_put(text, n);
        for (uint32_t i = l->first[comm]; i < l->first[comm] + n; i++) {
                const struct ps_differing_op *op = &l->op[i];
                ps_numbers_put(text, op->n_members);
                ps_numbers_put(text, (uint64_t)(op->root + 1U) << 3 | (unsigned)op->is_pgas << 2 |
                                             (unsigned)op->roots_differ << 1 | op->is_complete);
        }
}

/* Which operations the calls are of: by how much that is as in the list before, and then step by step. */
static void put_answer(ps_numbers *text, const uint32_t *op, size_t n, const uint32_t *before,
                       size_t n_before)
{
        size_t common = 0;
        while (common < n && common < n_before && op[common] == before[common])
                common++;
        ps_numbers_put(text, common);
        uint32_t last = 0;
        for (size_t i = 0; i < n; i++) {
                if (i >= common)
                        ps_numbers_put(text, op[i] == PS_NONE ? 0 : op[i] - last + 1U);
                last = op[i] == PS_NONE ? last : op[i];
        }
}

static ps_status answer(const struct leader *l, const uint32_t *n_of, uint32_t size, ps_pile *out,
                        ps_error *err)
{
        ps_numbers text = {0};
        const struct came_list *list = l->lists.row, *before = NULL;
        uint32_t i = 0;
        out->end = calloc(size + (size_t)1, sizeof(*out->end));
        if (!out->end)
                return PS_NOMEM(err, "processes", size);
        for (uint32_t p = 0; p < size; p++) {
                for (before = NULL; i < l->lists.n && list[i].from == p; before = &list[i++]) {
                        if (!before || before->comm != list[i].comm) {
                                put_ops(&text, l, list[i].comm, n_of[list[i].comm]);
                                before = NULL;
                        }
                        put_answer(&text, l->op_of + list[i].list.next, length_of(&list[i].list),
                                   before ? l->op_of + before->list.next : NULL,
                                   before ? length_of(&before->list) : 0);
                }
                out->end[p] = text.n;
        }
        out->bytes = text.row;
        return text.lacks ? PS_NOMEM(err, "bytes for other processes", text.n) : PS_OK;
}

static ps_status lead(struct leader *l, const ps_pile *in, uint32_t *n_of, uint32_t size, ps_pile *out,
                      ps_error *err)
{
        for (uint32_t p = 0; p < size; p++)
                PS_TRY(take_lists(l, in, p, err));
        PS_TRY(sort_lists(l, err));
        PS_TRY(match_lists(l, n_of, err));
        return answer(l, n_of, size, out, err);
}

static void clear_leader(struct leader *l)
{
        free(l->lists.row);
        free(l->key.row);
        free(l->is_pgas.row);
        free(l->root.row);
        free(l->op_of);
        free(l->first);
        free(l->begin);
        free(l->by_comm);
        free(l->op);
        free(l->at_hand.row);
        free(l->at_hand.taken);
}

/* -- who has the calls -- */

static ps_status hear_ops(struct ps_differing *d, ps_comm comm, const uint8_t **at, ps_error *err)
{
        d->first[comm] = d->n_ops;
        for (uint64_t left = ps_numbers_take(at); left; left--) {
                struct ps_differing_op op = {.n_members = (uint32_t)ps_numbers_take(at)};
                uint64_t says = ps_numbers_take(at);
                op.is_complete = says & 1;
                op.roots_differ = says >> 1 & 1;
                op.is_pgas = says >> 2 & 1;
                op.root = (ps_proc)(says >> 3) - 1U;
                if (PS_APPEND(d->op, d->n_ops, d->cap, op))
                        return PS_NOMEM(err, "collective operations", d->n_ops);
        }
        return PS_OK;
}

/* Of the first of its members, and then of the others. */
static void hear_list(struct ps_differing *d, const struct ps_list *list, const struct ps_list *before,
                      const uint8_t **at)
{
        size_t common = ps_numbers_take(at), n = length_of(list);
        uint32_t *op = d->op_of + list->next, last = 0;
        for (size_t i = 0; i < n; i++) {
                uint64_t step = i < common ? 0 : ps_numbers_take(at);
                op[i] = i < common ? d->op_of[before->next + i] : step ? last + (uint32_t)step - 1 : PS_NONE;
                last = op[i] == PS_NONE ? last : op[i];
        }
        for (uint32_t m = 1; m < list->n_members; m++)
                memcpy(op + m * n, op, n * sizeof(*op));
}

static ps_status hear_answer(struct ps_differing *d, const struct ps_calls *c, struct ps_list *room,
                             const uint8_t *at, ps_error *err)
{
        d->op_of = malloc((c->n + 1) * sizeof(*d->op_of));
        d->first = calloc(c->trace->defs.comms.n + (size_t)1, sizeof(*d->first));
        if (!d->op_of || !d->first)
                return PS_NOMEM(err, "collective calls", c->n);
        for (ps_comm comm = 0; comm < c->trace->defs.comms.n; comm++) {
                if (!has_lists(d, c, comm))
                        continue;
                uint32_t n = list_calls(c, comm, room);
                PS_TRY(hear_ops(d, comm, &at, err));
                for (uint32_t i = 0; i < n; i++)
                        hear_list(d, &room[i], i ? &room[i - 1] : NULL, &at);
        }
        return PS_OK;
}

/* -- all of it -- */

static ps_status ask(const struct ps_differing *d, const struct ps_calls *c, struct ps_list *room,
                     ps_exchange *x, ps_pile *in, ps_error *err)
{
        ps_numbers text = {0};
        ps_status status = ps_exchange_agree(
                x, room ? tell_lists(d, c, room, &text, err) : PS_NOMEM(err, "locations", 1), err);
        PS_THEN(status, ps_exchange_gather(x, in, text.row, text.n, err));
        free(text.row);
        return status;
}

static ps_status match(struct ps_differing *d, const struct ps_calls *c, struct ps_list *room, uint32_t *n_of,
                       ps_exchange *x, ps_error *err)
{
        struct leader leader = {.d = d, .n_comms = c->trace->defs.comms.n};
        ps_pile in = {NULL, NULL}, out = {NULL, NULL};
        ps_status status = ask(d, c, room, x, &in, err), mine = status;
        if (!x->rank)
                PS_THEN(mine, lead(&leader, &in, n_of, x->size, &out, err));
        else if (!(out.end = calloc(x->size, sizeof(*out.end))))
                mine = PS_NOMEM(err, "processes", x->size);
        clear_leader(&leader);
        ps_pile_clear(&in);
        if (status == PS_OK)
                status = ps_exchange_agree(x, mine, err);
        PS_THEN(status, ps_exchange_deal(x, &in, &out, err));
        if (status == PS_OK)
                status = ps_exchange_agree(x, hear_answer(d, c, room, in.bytes, err), err);
        ps_pile_clear(&in);
        ps_pile_clear(&out);
        return status;
}

ps_status ps_differing_match(struct ps_differing *d, const struct ps_calls *c, uint32_t *n_of, ps_exchange *x,
                             ps_error *err)
{
        if (!memchr(d->differs, 1, c->trace->defs.comms.n))
                return PS_OK;
        struct ps_list *room = malloc((c->trace->n_locs + (size_t)1) * sizeof(*room));
        ps_status status = match(d, c, room, n_of, x, err);
        free(room);
        return status;
}

void ps_differing_clear(struct ps_differing *d)
{
        free(d->differs);
        free(d->present);
        free(d->first);
        free(d->op);
        free(d->op_of);
}
