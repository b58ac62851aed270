/* collectives.c - the n-th calls of all members of a communicator are one collective operation.
 *
 * All calls are sorted by communicator and member (calls.h), then the members' lists are taken off head by
 * head. As long as the heads agree that is all. Recorders miss calls, though, and
 * programs are wrong, so when the heads disagree the lists are put in step again: of all operations within
 * the next WINDOW calls of each member the one is next that costs least, where a member pays the calls that
 * it must skip to get there, or WINDOW when it is not in sight; such a member sits out and skips nothing. The
 * chosen one is in sight of a fixed share of the members at least (a share of the number of kinds), so that
 * the work stays proportional to the calls. */
#include "core/match/calls.h"
#include "core/match/match.h"
#include "core/match/order.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 32, NO_KEY = -1 };

/* The calls of one member that are not taken yet: ps_calls.call[next .. end). */
struct list {
        size_t next, end;
};

struct matcher {
        ps_trace *trace;
        struct ps_calls c;
        struct list *lists; /* of the communicator at hand */
        ps_coll *colls;
        uint32_t n_colls, colls_cap;
        ps_member *members;
        uint32_t n_members;
        ps_tally roots, incomplete;
};

/* The key of all heads, or NO_KEY. MPI_Init, where `begins` says that it may stand, needs no agreement. */
static int agreed_key(const struct matcher *m, uint32_t n_lists, int begins)
{
        int key = ps_calls_key(&m->c, m->lists[0].next), agreed = 1;
        for (uint32_t i = 0; i < n_lists; i++) {
                int other = ps_calls_key(&m->c, m->lists[i].next);
                if (begins && other == 2 * PS_K_INIT)
                        return other;
                agreed &= other == key;
        }
        return agreed ? key : NO_KEY;
}

/* The cheapest key, the lowest one of those. Counts what each key saves against not being in sight at all. */
static int cheapest_key(const struct matcher *m, uint32_t n_lists)
{
        uint64_t saved[PS_CALL_KEYS] = {0};
        for (uint32_t i = 0; i < n_lists; i++) {
                const struct list *list = &m->lists[i];
                uint8_t seen[PS_CALL_KEYS] = {0};
                for (size_t skip = 0; skip < WINDOW && list->next + skip < list->end; skip++) {
                        int key = ps_calls_key(&m->c, list->next + skip);
                        saved[key] += seen[key] ? 0 : WINDOW - skip;
                        seen[key] = 1;
                }
        }
        int best = 0;
        for (int key = 1; key < PS_CALL_KEYS; key++)
                if (saved[key] > saved[best])
                        best = key;
        return best;
}

/* The list's first call of that key within the window; its end when there is none. */
static size_t find_key(const struct matcher *m, const struct list *list, int key, size_t window)
{
        size_t end = list->end - list->next < window ? list->end : list->next + window;
        for (size_t i = list->next; i < end; i++)
                if (ps_calls_key(&m->c, i) == key)
                        return i;
        return list->end;
}

static int compare_members(const void *a, const void *b)
{
        const ps_member *x = a, *y = b;
        return ps_refs_compare(&x->ref, &y->ref);
}

static ps_status add_coll(struct matcher *m, ps_coll coll, ps_error *err)
{
        return PS_APPEND(m->colls, m->n_colls, m->colls_cap, coll)
                       ? PS_NOMEM(err, "collective operations", m->n_colls)
                       : PS_OK;
}

/* The row of the root that all members name; PS_NONE when they name none, or different ones. */
static uint32_t find_root(struct matcher *m, const ps_coll *coll)
{
        const ps_trace *trace = m->trace;
        const ps_member *members = m->members + coll->first;
        ps_proc root = PS_NONE;
        if (!(ps_kinds[coll->kind].traits & (PS_T_ONE_TO_ALL | PS_T_ALL_TO_ONE)))
                return PS_NONE;
        for (uint32_t i = 0; i < coll->n; i++) {
                ps_proc named = ps_op_peer(&trace->ops[members[i].ref.loc], members[i].ref.op);
                if (root != PS_NONE && named != PS_NONE && named != root) {
                        ps_tally_add(&m->roots, members[0].ref);
                        return PS_NONE;
                }
                root = named == PS_NONE ? root : named;
        }
        for (uint32_t i = 0; root != PS_NONE && i < coll->n; i++)
                if (ps_calls_member(&m->c, coll->comm, members[i].ref) == root)
                        return coll->first + i;
        return PS_NONE;
}

/* Makes an instance of the rows that stand at the end of `members`. */
static ps_status finish_coll(struct matcher *m, ps_comm comm, uint32_t first, ps_error *err)
{
        ps_member *members = m->members + first;
        ps_coll coll = {.comm = comm, .first = first, .n = m->n_members - first};
        uint32_t sorted = 1;
        while (sorted < coll.n && members[sorted - 1].ref.loc <= members[sorted].ref.loc)
                sorted++;
        if (sorted < coll.n)
                qsort(members, coll.n, sizeof(*members), compare_members);
        coll.kind = m->trace->ops[members[0].ref.loc].kind[members[0].ref.op];
        coll.complete = m->trace->defs.comms.row[comm].self || coll.n == m->c.present[comm];
        coll.pgas = (uint8_t)ps_op_is_pgas(m->trace, members[0].ref);
        coll.root = find_root(m, &coll);
        for (uint32_t i = 0; i < coll.n; i++) {
                const ps_ops *ops = &m->trace->ops[members[i].ref.loc];
                members[i].coll = m->n_colls;
                ops->link[members[i].ref.op] = first + i;
                ops->flags[members[i].ref.op] |= PS_OP_MATCHED;
        }
        if (!coll.complete)
                ps_tally_add(&m->incomplete, members[0].ref);
        return add_coll(m, coll, err);
}

static void add_member(struct matcher *m, size_t call)
{
        m->members[m->n_members++] = (ps_member){.ref = m->c.call[call]};
}

/* MPI_COMM_SELF is as many communicators as there are processes. */
static ps_status match_self(struct matcher *m, ps_comm comm, ps_error *err)
{
        for (size_t call = m->c.first[comm]; call < m->c.end[comm]; call++) {
                add_member(m, call);
                PS_TRY(finish_coll(m, comm, m->n_members - 1, err));
        }
        return PS_OK;
}

static uint32_t make_lists(struct matcher *m, ps_comm comm)
{
        uint32_t n = 0;
        for (size_t i = m->c.first[comm]; i < m->c.end[comm]; i++) {
                if (i == m->c.first[comm] || ps_calls_member(&m->c, comm, m->c.call[i - 1]) !=
                                                     ps_calls_member(&m->c, comm, m->c.call[i]))
                        m->lists[n++].next = i;
                m->lists[n - 1].end = i + 1;
        }
        return n;
}

/* Moves the next instance from the lists to `members`; returns how many lists are left. */
static uint32_t take_heads(struct matcher *m, uint32_t n_lists, int begins)
{
        int key = agreed_key(m, n_lists, begins);
        size_t window = key == NO_KEY ? WINDOW : 1;
        uint32_t left = 0;
        if (key == NO_KEY)
                key = cheapest_key(m, n_lists);
        for (uint32_t i = 0; i < n_lists; i++) {
                struct list list = m->lists[i];
                size_t call = find_key(m, &list, key, window);
                if (call < list.end) {
                        add_member(m, call);
                        list.next = call + 1;
                }
                if (list.next < list.end)
                        m->lists[left++] = list;
        }
        return left;
}

static ps_status match_comm(struct matcher *m, ps_comm comm, ps_error *err)
{
        uint32_t n_before = m->n_colls;
        if (m->trace->defs.comms.row[comm].self)
                return match_self(m, comm, err);
        for (uint32_t n_lists = make_lists(m, comm); n_lists;) {
                uint32_t first = m->n_members;
                n_lists = take_heads(m, n_lists, m->n_colls == n_before);
                PS_TRY(finish_coll(m, comm, first, err));
        }
        return PS_OK;
}

static ps_status match_comms(struct matcher *m, ps_error *err)
{
        uint32_t n_locs = m->trace->n_locs; /* no communicator has more members that call */
        m->lists = malloc(((size_t)n_locs + 1) * sizeof(*m->lists));
        if (!m->lists)
                return PS_NOMEM(err, "locations", n_locs);
        for (ps_comm comm = 0; comm < m->trace->defs.comms.n; comm++)
                PS_TRY(match_comm(m, comm, err));
        return PS_OK;
}

static void finish_rows(struct matcher *m, const uint64_t *const *received)
{
        ps_tally mismatched = {0};
        for (ps_loc loc = 0; loc < m->trace->n_locs; loc++) {
                const ps_ops *ops = &m->trace->ops[loc];
                for (size_t first = m->c.row_of[loc], i = first; i < m->c.row_of[loc + 1]; i++) {
                        ps_op op = m->c.row.row[i];
                        if (ops->flags[op] & PS_OP_MATCHED)
                                m->members[ops->link[op]].received =
                                        received && received[loc] ? received[loc][i - first] : 0;
                        else if (ps_calls_comm(&m->c, ops, op) != PS_NONE)
                                ps_tally_add(&mismatched, (ps_ref){loc, op});
                }
        }
        ps_tally_note(&mismatched, m->trace, PS_I_COLL_MISMATCH);
        ps_tally_note(&m->incomplete, m->trace, PS_I_COLL_INCOMPLETE);
        ps_tally_note(&m->roots, m->trace, PS_I_COLL_ROOT);
}

/* Gives a table that may be larger than needed to the trace's arena, which frees it if it cannot take it. */
static ps_status hand_over(ps_trace *trace, void *table, size_t n, size_t size, void *out, ps_error *err)
{
        void *shrunk = n ? realloc(table, n * size) : NULL;
        if (!n)
                free(table);
        else if (!shrunk)
                shrunk = table;
        if (ps_arena_adopt(trace->arena, shrunk) < 0)
                return PS_NOMEM(err, "collective operations", n);
        memcpy(out, &shrunk, sizeof(shrunk));
        return PS_OK;
}

static ps_status publish_collectives(struct matcher *m, ps_error *err)
{
        ps_trace *trace = m->trace;
        ps_coll *colls = m->colls;
        ps_member *members = m->members;
        m->colls = NULL;
        PS_TRY(hand_over(trace, colls, m->n_colls, sizeof(*colls), &trace->colls, err));
        trace->n_colls = m->n_colls;
        m->members = NULL;
        PS_TRY(hand_over(trace, members, m->n_members, sizeof(*members), &trace->members, err));
        trace->n_members = m->n_members;
        return PS_OK;
}

static ps_status match_all(struct matcher *m, const uint64_t *const *received, ps_error *err)
{
        PS_TRY(ps_calls_sort(&m->c, m->trace, err));
        m->members = malloc((m->c.n + 1) * sizeof(*m->members));
        PS_TRY(m->members ? PS_OK : PS_NOMEM(err, "collective calls", m->c.n));
        PS_TRY(match_comms(m, err));
        finish_rows(m, received);
        return publish_collectives(m, err);
}

ps_status ps_match_collectives(ps_trace *trace, const uint64_t *const *received, ps_error *err)
{
        struct matcher m = {.trace = trace};
        ps_status status = match_all(&m, received, err);
        ps_calls_clear(&m.c);
        free(m.lists);
        free(m.colls);
        free(m.members);
        return status;
}
