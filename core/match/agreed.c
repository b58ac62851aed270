/* agreed.c - see agreed.h.
 *
 * Each member hashes its calls on a communicator, and of those that are here one row goes to process 0: how
 * many members there are, and what all of them call; or that they differ. It answers how many operations
 * there are on each communicator, or that it has to look at the calls themselves (differing.c). */
#include "core/match/agreed.h"
#include "core/match/alone.h"
#include "core/match/differing.h"

#include "core/base/hash.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The calls of a communicator's members that are here. */
struct said {
        uint64_t n_calls, hash; /* of each of them; of a communicator of each process alone: all calls */
        uint32_t comm, n_members, present;
        uint32_t agree; /* members make the same calls */
};

struct agreeing {
        struct ps_calls c;
        ps_trace *trace;
        ps_exchange *x;
        struct said *said; /* of communicators that somebody here calls on */
        uint32_t n_said;
        uint32_t *n_of; /* by communicator: operations, and behind them whether all can be told of */
        struct ps_differing differing;
        uint32_t *at; /* room for a number of each operation of a communicator whose members differ */
};

/* -- what is here -- */

static uint64_t hash_call(const struct ps_calls *c, size_t call, uint64_t hash)
{
        return ps_hash_pair(hash, ps_calls_says(c, call) << 32 | ps_calls_root(c, c->call[call]));
}

/* The calls of one member from `from` on; *end is behind them. */
static struct said hash_member(const struct ps_calls *c, ps_comm comm, size_t from, size_t *end)
{
        struct said said = {.comm = comm, .n_members = 1, .agree = true};
        size_t i = from;
        do {
                said.hash = hash_call(c, i, said.hash);
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
                to->agree &= to->n_calls == other->n_calls && to->hash == other->hash;
        else
                *to = (struct said){other->n_calls, other->hash, to->comm, 0, to->present, true};
        to->agree &= other->agree;
        to->n_members += other->n_members;
}

static void say_comm(struct agreeing *a, ps_comm comm)
{
        const struct ps_calls *c = &a->c;
        const ps_comm_def *def = &a->trace->defs.comms.row[comm];
        struct said *said = &a->said[a->n_said++];
        *said = (struct said){.comm = comm, .present = c->present[comm]};
        for (size_t i = c->first[comm]; i < c->end[comm];) {
                struct said member = hash_member(c, comm, i, &i);
                add_said(said, &member, def->self);
        }
}

static ps_status say(struct agreeing *a, const ps_trace *trace, ps_error *err)
{
        uint32_t n_comms = trace->defs.comms.n;
        PS_TRY(ps_calls_sort(&a->c, trace, 1, err));
        a->said = calloc(n_comms + (size_t)1, sizeof(*a->said));
        a->n_of = calloc(n_comms + (size_t)1, sizeof(*a->n_of));
        a->differing.differs = calloc(n_comms + (size_t)1, 1);
        if (!a->said || !a->n_of || !a->differing.differs)
                return PS_NOMEM(err, "communicators", n_comms);
        for (ps_comm comm = 0; comm < n_comms; comm++)
                if (a->c.end[comm] > a->c.first[comm])
                        say_comm(a, comm);
        return PS_OK;
}

/* -- process 0 -- */

/* Where members differ, or some make no calls at all, their calls have to be looked at. */
static void keep_said(struct agreeing *a, const struct said *all)
{
        for (ps_comm comm = 0; comm < a->trace->defs.comms.n; comm++) {
                const struct said *said = &all[comm];
                bool is_self = a->trace->defs.comms.row[comm].self;
                a->differing.present[comm] = said->present;
                a->differing.differs[comm] =
                        said->n_members && !is_self && !(said->agree && said->n_members == said->present);
                a->n_of[comm] = (uint32_t)said->n_calls;
        }
}

static ps_status compare(struct agreeing *a, const ps_pile *in, ps_error *err)
{
        uint32_t n_comms = a->trace->defs.comms.n;
        struct said *all = calloc(n_comms + (size_t)1, sizeof(*all));
        a->differing.present = calloc(n_comms + (size_t)1, sizeof(*a->differing.present));
        if (!all || !a->differing.present) {
                free(all);
                return PS_NOMEM(err, "communicators", n_comms);
        }
        for (size_t at = 0; at < in->end[a->x->size - 1]; at += sizeof(struct said)) {
                struct said said;
                memcpy(&said, in->bytes + at, sizeof(said));
                add_said(&all[said.comm], &said, a->trace->defs.comms.row[said.comm].self);
                all[said.comm].present = said.present;
        }
        keep_said(a, all);
        free(all);
        return PS_OK;
}

/* May they be numbered? */
static void check_numbers(struct agreeing *a)
{
        uint32_t n_comms = a->trace->defs.comms.n;
        uint64_t n = 0;
        for (ps_comm comm = 0; comm < n_comms; comm++)
                n += a->n_of[comm];
        a->n_of[n_comms] = n < PS_NONE;
}

/* -- what belongs together -- */

/* The row of the root, if it is here. */
static uint32_t find_root(const struct agreeing *a, const ps_coll *coll, const ps_member *members,
                          ps_proc root)
{
        for (uint32_t m = coll->first; root != PS_NONE && m < coll->first + coll->n; m++)
                if (ps_calls_member(&a->c, coll->comm, members[m].ref) == root)
                        return m;
        return PS_NONE;
}

static int compare_members(const void *a, const void *b)
{
        const ps_member *x = a, *y = b;
        return ps_refs_compare(&x->ref, &y->ref);
}

/* Makes an operation of the members that stand behind all others; threads of a process may call in turn. */
static ps_coll *end_coll(ps_agreed *out, const ps_trace *trace, ps_comm comm, uint32_t n, uint32_t number,
                         bool is_shared)
{
        ps_coll *coll = &out->colls[out->n_colls];
        ps_member *members = out->members + out->n_members;
        uint32_t sorted = 1;
        while (sorted < n && members[sorted - 1].ref.loc <= members[sorted].ref.loc)
                sorted++;
        if (sorted < n)
                qsort(members, n, sizeof(*members), compare_members);
        *coll = (ps_coll){.comm = comm, .first = out->n_members, .n = n, .complete = 1};
        coll->kind = trace->ops[members[0].ref.loc].kind[members[0].ref.op];
        out->n_members += n;
        out->number[out->n_colls] = number;
        out->id[out->n_colls++] = is_shared ? number : PS_NONE;
        return coll;
}

/* Calls from, from + step, ... are one operation. */
static void add_coll(struct agreeing *a, ps_agreed *out, ps_comm comm, uint32_t number, size_t from,
                     size_t step, bool is_shared)
{
        ps_member *members = out->members + out->n_members;
        uint32_t n = 0;
        for (size_t i = from; i < a->c.end[comm]; i += step)
                members[n++] = (ps_member){.ref = a->c.call[i], .coll = out->n_colls};
        ps_coll *coll = end_coll(out, a->trace, comm, n, number, is_shared);
        coll->root = find_root(a, coll, out->members, ps_calls_root(&a->c, members[0].ref));
        coll->pgas = ps_calls_is_pgas(&a->c, members[0].ref);
}

static void tally_wrong(ps_agreed *out, const ps_trace *trace, const ps_coll *coll,
                        const struct ps_differing_op *op)
{
        const ps_ref first = out->members[coll->first].ref;
        if (!op->is_complete)
                ps_lonely_add_row(&out->wrong.incomplete, trace, first);
        if (op->roots_differ)
                ps_lonely_add_row(&out->wrong.roots, trace, first);
}

/* Puts the calls of a communicator behind the members of others, operation by operation; at[i] is where those
 * of the i-th end. */
static void sort_members(struct agreeing *a, ps_agreed *out, ps_comm comm)
{
        uint32_t *at = a->at, end = out->n_members;
        memset(at, 0, a->n_of[comm] * sizeof(*at));
        for (size_t i = a->c.first[comm]; i < a->c.end[comm]; i++)
                if (a->differing.op_of[i] != PS_NONE)
                        at[a->differing.op_of[i]]++;
        for (uint32_t i = 0; i < a->n_of[comm]; i++) {
                uint32_t n = at[i];
                at[i] = end;
                end += n;
        }
        for (size_t i = a->c.first[comm]; i < a->c.end[comm]; i++)
                if (a->differing.op_of[i] != PS_NONE)
                        out->members[at[a->differing.op_of[i]]++] = (ps_member){.ref = a->c.call[i]};
}

/* Of operations that nobody here takes part in nothing is kept. */
static void add_differing(struct agreeing *a, ps_agreed *out, ps_comm comm, uint32_t first_id)
{
        sort_members(a, out, comm);
        for (uint32_t i = 0; i < a->n_of[comm]; i++) {
                const struct ps_differing_op *op = &a->differing.op[a->differing.first[comm] + i];
                uint32_t n = a->at[i] - out->n_members;
                if (!n)
                        continue;
                for (uint32_t m = out->n_members; m < a->at[i]; m++)
                        out->members[m].coll = out->n_colls;
                ps_coll *coll = end_coll(out, a->trace, comm, n, first_id + i, n < op->n_members);
                coll->complete = op->is_complete;
                coll->root = find_root(a, coll, out->members, op->root);
                coll->pgas = op->is_pgas;
                tally_wrong(out, a->trace, coll, op);
        }
}

static void add_comm(struct agreeing *a, ps_agreed *out, ps_comm comm, uint32_t first_id)
{
        size_t first = a->c.first[comm], n = a->c.end[comm] - first;
        bool is_self = a->trace->defs.comms.row[comm].self;
        if (is_self) {
                for (size_t i = first; i < a->c.end[comm]; i++)
                        add_coll(a, out, comm, first_id + (uint32_t)(i - first), i, n, false);
                return;
        }
        if (n && a->differing.differs[comm]) {
                add_differing(a, out, comm, first_id);
                return;
        }
        bool is_here = n == (size_t)a->n_of[comm] * a->c.present[comm];
        for (uint32_t i = 0; n && i < a->n_of[comm]; i++)
                add_coll(a, out, comm, first_id + i, first + i, a->n_of[comm], !is_here);
}

/* In these each may wait for somebody else. */
static size_t count_odd_calls(const struct ps_calls *c)
{
        size_t n = 0;
        for (size_t i = 0; i < c->n; i++)
                n += ps_kinds[c->key[i] / 2].traits & (PS_T_PREFIX | PS_T_SPARSE) ? 1 : 0;
        return n;
}

static ps_status make_tables(struct agreeing *a, ps_agreed *out, ps_error *err)
{
        size_t n_colls = 0, n_shared = 0;
        uint32_t most = 0;
        for (uint32_t i = 0; i < a->n_said; i++) {
                const struct said *said = &a->said[i];
                bool differs = a->differing.differs[said->comm];
                bool is_self = a->trace->defs.comms.row[said->comm].self;
                size_t n = differs ? a->c.end[said->comm] - a->c.first[said->comm] : said->n_calls;
                n_colls += n;
                n = a->trace->defs.comms.row[said->comm].inter ? 2 * n : n; /* two sums of each */
                n_shared += differs || (!is_self && said->n_members < said->present) ? n : 0;
                most = differs && a->n_of[said->comm] > most ? a->n_of[said->comm] : most;
        }
        out->colls = ps_memory_new((n_colls + 2) * sizeof(*out->colls));
        out->id = ps_memory_new((n_colls + 1) * sizeof(*out->id));
        out->number = ps_memory_new((n_colls + 1) * sizeof(*out->number));
        out->stand_in = (uint32_t)(a->c.n + 3 * n_shared + count_odd_calls(&a->c));
        out->members = ps_memory_new((out->stand_in + (size_t)2) * sizeof(*out->members));
        out->is_whole = calloc(a->trace->defs.comms.n + (size_t)1, 1);
        a->at = malloc((most + (size_t)1) * sizeof(*a->at));
        return out->colls && out->id && out->number && out->members && out->is_whole && a->at
                       ? PS_OK
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
                for (uint32_t i = 0; i < a->c.of[loc].list.n; i++) {
                        const ps_ops *ops = &a->trace->ops[loc];
                        const ps_op op = a->c.of[loc].list.row[i].op;
                        if (!(ops->flags[op] & PS_OP_MATCHED)) {
                                if (ps_calls_comm(&a->c, ops, op) != PS_NONE)
                                        ps_lonely_add_row(&out->wrong.mismatched, a->trace,
                                                          (ps_ref){loc, op});
                        } else if (received[loc])
                                out->members[ops->link[op]].received = received[loc][i];
                }
}

static ps_status put_together(struct agreeing *a, ps_agreed *out, const uint64_t *const *received,
                              ps_error *err)
{
        PS_TRY(make_tables(a, out, err));
        for (ps_comm comm = 0; comm < a->trace->defs.comms.n; comm++) {
                add_comm(a, out, comm, out->n_all);
                out->is_whole[comm] = a->c.present[comm] == a->trace->defs.comms.row[comm].n_members;
                out->n_all += a->n_of[comm];
        }
        for (uint32_t i = 0; i < 2; i++) {
                out->colls[out->n_colls + i] = (ps_coll){.root = PS_NONE, .complete = (uint8_t)(i == 0)};
                out->members[out->stand_in + i] = (ps_member){{PS_NONE, PS_NONE}, out->n_colls + i, 0};
        }
        out->n_incomplete = a->differing.n_incomplete;
        out->n_roots = a->differing.n_roots;
        tie_rows(a, out, received);
        out->agrees = true;
        return PS_OK;
}

/* -- all of it -- */

static ps_status agree(struct agreeing *a, ps_error *err)
{
        ps_pile in;
        size_t n_comms = a->trace->defs.comms.n;
        PS_TRY(ps_exchange_agree(a->x, say(a, a->trace, err), err));
        ps_status status = ps_exchange_gather(a->x, &in, a->said, a->n_said * sizeof(*a->said), err);
        if (!a->x->rank)
                PS_THEN(status, compare(a, &in, err));
        ps_pile_clear(&in);
        PS_TRY(ps_exchange_agree(a->x, status, err));
        ps_exchange_broadcast(a->x, a->n_of, n_comms * sizeof(*a->n_of));
        ps_exchange_broadcast(a->x, a->differing.differs, n_comms);
        PS_TRY(ps_differing_match(&a->differing, &a->c, a->n_of, a->x, err));
        check_numbers(a);
        ps_exchange_broadcast(a->x, a->n_of, (n_comms + 1) * sizeof(*a->n_of));
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
        if (out->agrees && status == PS_OK)
                status = ps_alone_number(out, trace, a.n_of, x, err);
        if (status != PS_OK)
                ps_agreed_clear(out);
        ps_calls_clear(&a.c);
        ps_differing_clear(&a.differing);
        free(a.said);
        free(a.n_of);
        free(a.at);
        return status;
}

void ps_agreed_wrong_add(ps_agreed_wrong *to, const ps_agreed_wrong *other)
{
        ps_lonely_add(&to->mismatched, &other->mismatched);
        ps_lonely_add(&to->incomplete, &other->incomplete);
        ps_lonely_add(&to->roots, &other->roots);
}

void ps_agreed_wrong_note(ps_trace *trace, const ps_agreed_wrong *wrong)
{
        ps_lonely_note(trace, PS_I_COLL_MISMATCH, &wrong->mismatched);
        ps_lonely_note(trace, PS_I_COLL_INCOMPLETE, &wrong->incomplete);
        ps_lonely_note(trace, PS_I_COLL_ROOT, &wrong->roots);
}

void ps_agreed_clear(ps_agreed *agreed)
{
        free(agreed->colls);
        free(agreed->members);
        free(agreed->id);
        free(agreed->number);
        free(agreed->is_whole);
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
enum { AT_ONCE = PS_AT_ONCE(1 << 16, 1 << 10) };

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
        struct block *b = ps_memory_again(sizeof(*b));
        ps_status status = ps_exchange_agree(x, b ? PS_OK : PS_NOMEM(err, "blocks", AT_ONCE), err);
        uint32_t c = 0, n_blocks = agreed->n_all / AT_ONCE + 1;
        for (uint32_t i = 0; b && i < n_blocks && status == PS_OK; i++) {
                uint32_t first = i * AT_ONCE, end = i + 1 < n_blocks ? first + AT_ONCE : agreed->n_all;
                c = fill_block(b, agreed, rows, c, first, end);
                status = ps_exchange_reduce(x, &rows->sum, end - first, b->id, b->n, b->row, err);
                for (uint32_t k = 0; k < b->n && status == PS_OK; k++)
                        rows->take(rows->ctx, b->coll[k], b->row + (size_t)k * rows->sum.n_fields);
        }
        ps_memory_pass_on(b);
        return status;
}
