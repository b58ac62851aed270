/* agreed.c - see agreed.h.
 *
 * Each member hashes its calls on a communicator, and of those that are here one row goes to process 0: how
 * many members there are, and what all of them call; or that they differ. It answers how many operations
 * there are on each communicator, or that it has to look at the calls themselves. */
#include "core/match/agreed.h"
#include "core/match/calls.h"

#include "core/base/hash.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The calls of a communicator's members that are here. */
struct said {
        uint64_t n_calls, hash; /* of each of them; of a communicator of each process alone: all calls */
        uint32_t comm, n_members, present;
        uint32_t is_plain; /* and so are the calls, and members agree */
};

struct agreeing {
        struct ps_calls c;
        ps_trace *trace;
        ps_exchange *x;
        struct said *said; /* of communicators that somebody here calls on */
        uint32_t n_said;
        uint32_t *n_of; /* by communicator: operations, and behind them whether all agree */
};

/* -- what is here -- */

/* Operations of PGAS programs follow rules of their own, which their regions tell of. */
static bool has_pgas(const ps_defs *defs)
{
        for (uint32_t r = 0; r < defs->regions.n; r++)
                if (ps_paradigm_is_pgas(defs->regions.row[r].paradigm) &&
                    defs->regions.row[r].kind < PS_K_COUNT &&
                    ps_kinds[defs->regions.row[r].kind].cls == PS_C_COLL)
                        return true;
        return false;
}

static bool is_plain_call(const ps_ops *ops, ps_op op)
{
        return !(ps_kinds[ops->kind[op]].traits & (PS_T_PREFIX | PS_T_SPARSE | PS_T_RMA | PS_T_TEAM)) &&
               !(ops->flags[op] & PS_OP_NONBLOCKING);
}

static uint64_t hash_call(const struct ps_calls *c, size_t call, uint64_t hash)
{
        const ps_ops *ops = &c->trace->ops[c->call[call].loc];
        ps_op op = c->call[call].op;
        bool has_root = ps_kinds[ops->kind[op]].traits & (PS_T_ONE_TO_ALL | PS_T_ALL_TO_ONE);
        return ps_hash_pair(hash,
                            (uint64_t)ps_calls_key(c, call) << 32 | (has_root ? ps_op_peer(ops, op) : 0));
}

/* The calls of one member from `from` on; *end is behind them. */
static struct said hash_member(const struct ps_calls *c, ps_comm comm, size_t from, size_t *end)
{
        struct said said = {.comm = comm, .n_members = 1, .is_plain = true};
        size_t i = from;
        do {
                const ps_ref call = c->call[i];
                said.hash = hash_call(c, i, said.hash);
                said.is_plain &= is_plain_call(&c->trace->ops[call.loc], call.op);
                i++;
        } while (i < c->end[comm] &&
                 ps_calls_member(c, comm, c->call[i]) == ps_calls_member(c, comm, c->call[from]));
        said.n_calls = i - from;
        *end = i;
        return said;
}

/* On a communicator of each process alone nobody has to agree. */
static void add_said(struct said *to, const struct said *other, bool is_self)
{
        if (is_self)
                to->n_calls += other->n_calls;
        else if (to->n_members)
                to->is_plain &= to->n_calls == other->n_calls && to->hash == other->hash;
        else
                *to = (struct said){other->n_calls, other->hash, to->comm, 0, to->present, to->is_plain};
        to->is_plain &= other->is_plain;
        to->n_members += other->n_members;
}

static void say_comm(struct agreeing *a, ps_comm comm)
{
        const struct ps_calls *c = &a->c;
        const ps_comm_def *def = &a->trace->defs.comms.row[comm];
        struct said *said = &a->said[a->n_said++];
        *said = (struct said){
                .comm = comm, .present = c->present[comm], .is_plain = !def->inter && !def->team};
        for (size_t i = c->first[comm]; i < c->end[comm];) {
                struct said member = hash_member(c, comm, i, &i);
                add_said(said, &member, def->self);
        }
}

static ps_status say(struct agreeing *a, const ps_trace *trace, ps_error *err)
{
        uint32_t n_comms = trace->defs.comms.n;
        PS_TRY(ps_calls_sort(&a->c, trace, err));
        a->said = calloc(n_comms + (size_t)1, sizeof(*a->said));
        a->n_of = calloc(n_comms + (size_t)1, sizeof(*a->n_of));
        if (!a->said || !a->n_of)
                return PS_NOMEM(err, "communicators", n_comms);
        for (ps_comm comm = 0; comm < n_comms; comm++)
                if (a->c.end[comm] > a->c.first[comm])
                        say_comm(a, comm);
        bool is_rare = a->c.n_strangers || has_pgas(&trace->defs);
        for (uint32_t i = 0; i < a->n_said; i++)
                a->said[i].is_plain &= !is_rare;
        if (!a->n_said && is_rare) /* of strangers alone */
                a->said[a->n_said++] = (struct said){.comm = 0};
        return PS_OK;
}

/* -- process 0 -- */

/* All members are there, and there are no more operations than can be numbered. */
static bool do_agree(const struct agreeing *a, const struct said *all)
{
        uint64_t n = 0;
        for (ps_comm comm = 0; comm < a->trace->defs.comms.n; comm++) {
                bool is_whole = all[comm].n_members == all[comm].present;
                if (all[comm].n_members &&
                    !(all[comm].is_plain && (is_whole || a->trace->defs.comms.row[comm].self)))
                        return false;
                n += all[comm].n_calls;
        }
        return n < PS_NONE;
}

static ps_status compare(struct agreeing *a, const ps_pile *in, ps_error *err)
{
        uint32_t n_comms = a->trace->defs.comms.n;
        struct said *all = calloc(n_comms + (size_t)1, sizeof(*all));
        if (!all)
                return PS_NOMEM(err, "communicators", n_comms);
        for (ps_comm comm = 0; comm < n_comms; comm++)
                all[comm].is_plain = true;
        bool agree = true;
        for (size_t at = 0; at < in->end[a->x->size - 1]; at += sizeof(struct said)) {
                struct said said;
                memcpy(&said, in->bytes + at, sizeof(said));
                agree &= said.n_members > 0;
                if (said.n_members)
                        add_said(&all[said.comm], &said, a->trace->defs.comms.row[said.comm].self);
                if (said.n_members)
                        all[said.comm].present = said.present;
        }
        a->n_of[n_comms] = agree && do_agree(a, all);
        for (ps_comm comm = 0; comm < n_comms; comm++)
                a->n_of[comm] = a->n_of[n_comms] ? (uint32_t)all[comm].n_calls : 0;
        free(all);
        return PS_OK;
}

/* -- what belongs together -- */

/* The row of the root that the members name, if it is here. */
static uint32_t find_root(const struct agreeing *a, const ps_coll *coll, const ps_member *members)
{
        const ps_ref first = members[coll->first].ref;
        ps_proc root = ps_op_peer(&a->trace->ops[first.loc], first.op);
        if (!(ps_kinds[coll->kind].traits & (PS_T_ONE_TO_ALL | PS_T_ALL_TO_ONE)) || root == PS_NONE)
                return PS_NONE;
        for (uint32_t m = coll->first; m < coll->first + coll->n; m++)
                if (ps_calls_member(&a->c, coll->comm, members[m].ref) == root)
                        return m;
        return PS_NONE;
}

static int compare_members(const void *a, const void *b)
{
        const ps_member *x = a, *y = b;
        return ps_refs_compare(&x->ref, &y->ref);
}

/* Calls from, from + step, ... are one operation; threads of a process may call in turn. */
static void add_coll(struct agreeing *a, ps_agreed *out, ps_comm comm, uint32_t id, size_t from, size_t step)
{
        ps_coll *coll = &out->colls[out->n_colls];
        ps_member *members = out->members + out->n_members;
        *coll = (ps_coll){.comm = comm, .first = out->n_members, .complete = 1};
        for (size_t i = from; i < a->c.end[comm]; i += step)
                members[coll->n++] = (ps_member){.ref = a->c.call[i], .coll = out->n_colls};
        uint32_t sorted = 1;
        while (sorted < coll->n && members[sorted - 1].ref.loc <= members[sorted].ref.loc)
                sorted++;
        if (sorted < coll->n)
                qsort(members, coll->n, sizeof(*members), compare_members);
        coll->kind = a->trace->ops[members[0].ref.loc].kind[members[0].ref.op];
        coll->root = find_root(a, coll, out->members);
        out->n_members += coll->n;
        out->id[out->n_colls++] = id;
}

static void add_comm(struct agreeing *a, ps_agreed *out, ps_comm comm, uint32_t first_id)
{
        size_t first = a->c.first[comm], n = a->c.end[comm] - first;
        bool is_self = a->trace->defs.comms.row[comm].self;
        if (is_self) {
                for (size_t i = first; i < a->c.end[comm]; i++)
                        add_coll(a, out, comm, PS_NONE, i, n);
                return;
        }
        bool is_here = n == (size_t)a->n_of[comm] * a->c.present[comm];
        for (uint32_t i = 0; n && i < a->n_of[comm]; i++)
                add_coll(a, out, comm, is_here ? PS_NONE : first_id + i, first + i, a->n_of[comm]);
}

static ps_status make_tables(const struct agreeing *a, ps_agreed *out, ps_error *err)
{
        size_t n_colls = 0, n_shared = 0;
        for (uint32_t i = 0; i < a->n_said; i++) {
                const struct said *said = &a->said[i];
                bool is_self = a->trace->defs.comms.row[said->comm].self;
                n_colls += said->n_calls;
                n_shared += !is_self && said->n_members < said->present ? said->n_calls : 0;
        }
        out->colls = ps_memory_new((n_colls + 1) * sizeof(*out->colls));
        out->id = ps_memory_new((n_colls + 1) * sizeof(*out->id));
        out->stand_in = (uint32_t)(a->c.n + 3 * n_shared);
        out->members = ps_memory_new((a->c.n + 3 * n_shared + 1) * sizeof(*out->members));
        return out->colls && out->id && out->members ? PS_OK
                                                     : PS_NOMEM(err, "collective operations", n_colls);
}

static void tie_rows(const struct agreeing *a, ps_agreed *out, const uint64_t *const *received)
{
        for (uint32_t m = 0; m < out->n_members; m++) {
                ps_ref ref = out->members[m].ref;
                a->trace->ops[ref.loc].link[ref.op] = m;
                a->trace->ops[ref.loc].flags[ref.op] |= PS_OP_MATCHED;
        }
        for (ps_loc loc = 0; loc < a->trace->n_locs; loc++)
                for (size_t first = a->c.row_of[loc], i = first; i < a->c.row_of[loc + 1]; i++) {
                        const ps_ops *ops = &a->trace->ops[loc];
                        ps_op op = a->c.row.row[i];
                        if (ops->flags[op] & PS_OP_MATCHED && received[loc])
                                out->members[ops->link[op]].received = received[loc][i - first];
                }
}

static ps_status put_together(struct agreeing *a, ps_agreed *out, const uint64_t *const *received,
                              ps_error *err)
{
        PS_TRY(make_tables(a, out, err));
        for (ps_comm comm = 0; comm < a->trace->defs.comms.n; comm++) {
                add_comm(a, out, comm, out->n_all);
                out->n_all += a->n_of[comm];
        }
        out->colls[out->n_colls] = (ps_coll){.root = PS_NONE, .complete = 1};
        out->members[out->stand_in] = (ps_member){{PS_NONE, PS_NONE}, out->n_colls, 0};
        tie_rows(a, out, received);
        out->agrees = true;
        return PS_OK;
}

/* -- all of it -- */

static ps_status agree(struct agreeing *a, ps_error *err)
{
        ps_pile in;
        PS_TRY(ps_exchange_agree(a->x, say(a, a->trace, err), err));
        ps_status status = ps_exchange_gather(a->x, &in, a->said, a->n_said * sizeof(*a->said), err);
        if (!a->x->rank)
                PS_THEN(status, compare(a, &in, err));
        ps_pile_clear(&in);
        PS_TRY(ps_exchange_agree(a->x, status, err));
        ps_exchange_broadcast(a->x, a->n_of, (a->trace->defs.comms.n + (size_t)1) * sizeof(*a->n_of));
        return PS_OK;
}

ps_status ps_match_agreed(ps_agreed *out, ps_trace *trace, const uint64_t *const *received, ps_exchange *x,
                          ps_error *err)
{
        struct agreeing a = {.trace = trace, .x = x};
        *out = (ps_agreed){0};
        ps_status status = agree(&a, err);
        if (status == PS_OK && a.n_of[trace->defs.comms.n])
                status = ps_exchange_agree(x, put_together(&a, out, received, err), err);
        if (status != PS_OK)
                ps_agreed_clear(out);
        ps_calls_clear(&a.c);
        free(a.said);
        free(a.n_of);
        return status;
}

void ps_agreed_clear(ps_agreed *agreed)
{
        free(agreed->colls);
        free(agreed->members);
        free(agreed->id);
        *agreed = (ps_agreed){0};
}

void ps_agreed_forget_members(ps_agreed *agreed)
{
        free(agreed->colls);
        free(agreed->members);
        agreed->colls = NULL;
        agreed->members = NULL;
}

ps_status ps_agreed_hand_over(ps_agreed *agreed, ps_trace *trace, ps_error *err)
{
        ps_coll *colls = agreed->colls;
        ps_member *members = agreed->members;
        agreed->colls = NULL;
        if (ps_arena_adopt(trace->arena, colls) < 0)
                return PS_NOMEM(err, "collective operations", agreed->n_colls);
        agreed->members = NULL;
        if (ps_arena_adopt(trace->arena, members) < 0)
                return PS_NOMEM(err, "collective operations", agreed->n_members);
        trace->colls = colls;
        trace->n_colls = agreed->n_colls;
        trace->members = members;
        trace->n_members = agreed->n_members;
        return PS_OK;
}

/* -- sums of all -- */

/* Numbers at a time: some MB of rows. */
enum { AT_ONCE = 1 << 16 };

struct block {
        uint32_t id[AT_ONCE], coll[AT_ONCE], n;
        int64_t row[AT_ONCE * PS_REDUCED_MOST];
};

/* Those from operation `from` on whose numbers are below `end`; returns where to go on. What nobody else has
 * members of is its own sum. */
static uint32_t fill_block(struct block *b, const ps_agreed *agreed, const ps_agreed_rows *rows,
                           uint32_t from, uint32_t first, uint32_t end)
{
        uint32_t c = from, size = rows->sum.n_fields;
        b->n = 0;
        for (; c < agreed->n_colls && (agreed->id[c] == PS_NONE || agreed->id[c] < end); c++) {
                int64_t *row = b->row + (size_t)b->n * size;
                rows->put(rows->ctx, c, row);
                if (agreed->id[c] == PS_NONE) {
                        rows->take(rows->ctx, c, row);
                        continue;
                }
                b->coll[b->n] = c;
                b->id[b->n++] = agreed->id[c] - first;
        }
        return c;
}

ps_status ps_agreed_reduce(const ps_agreed *agreed, ps_exchange *x, const ps_agreed_rows *rows, ps_error *err)
{
        struct block *b = malloc(sizeof(*b));
        ps_status status = ps_exchange_agree(x, b ? PS_OK : PS_NOMEM(err, "blocks", AT_ONCE), err);
        uint32_t c = 0, n_blocks = agreed->n_all / AT_ONCE + 1;
        for (uint32_t i = 0; b && i < n_blocks && status == PS_OK; i++) {
                uint32_t first = i * AT_ONCE, end = i + 1 < n_blocks ? first + AT_ONCE : agreed->n_all;
                c = fill_block(b, agreed, rows, c, first, end);
                status = ps_exchange_reduce(x, &rows->sum, end - first, b->id, b->n, b->row, err);
                for (uint32_t k = 0; k < b->n && status == PS_OK; k++)
                        rows->take(rows->ctx, b->coll[k], b->row + (size_t)k * rows->sum.n_fields);
        }
        free(b);
        return status;
}
