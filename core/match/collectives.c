/* collectives.c - the n-th calls of all members of a communicator are one collective operation.
 *
 * All calls are sorted by communicator and member (calls.h), then the members' lists are taken off head by
 * head (lists.h). */
#include "core/base/blocks.h"
#include "core/base/parallel.h"
#include "core/match/calls.h"
#include "core/match/lists.h"
#include "core/match/match.h"
#include "core/match/order.h"

#include <stdlib.h>
#include <string.h>

struct matcher {
        ps_trace *trace;
        struct ps_calls c;
        struct ps_lists lists; /* of the communicator at hand */
        ps_coll *colls;
        uint32_t n_colls, colls_cap;
        ps_member *members;
        uint32_t n_members;
        ps_tally roots, incomplete;
        ps_tally *mismatched; /* by location */
        const uint64_t *const *received;
        unsigned n_threads;
};

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

/* The process that all members name as the root; PS_NONE when they name none, or different ones. */
static ps_proc find_named(struct matcher *m, const ps_member *members, uint32_t n)
{
        const ps_ops *ops = m->trace->ops;
        ps_proc root = PS_NONE;
        for (uint32_t i = 0; i < n; i++) {
                const ps_ref ref = members[i].ref;
                const ps_proc named = ps_op_peer(&ops[ref.loc], ref.op);
                if (named == root || named == PS_NONE)
                        continue;
                if (root != PS_NONE) {
                        ps_tally_add(&m->roots, members[0].ref);
                        return PS_NONE;
                }
                root = named;
        }
        return root;
}

/* Its row, or PS_NONE. Where all of neighbouring processes are members it is known where that stands. */
static uint32_t find_root(struct matcher *m, const ps_coll *coll)
{
        const ps_member *members = m->members + coll->first;
        if (!(ps_kinds[coll->kind].traits & (PS_T_ONE_TO_ALL | PS_T_ALL_TO_ONE)))
                return PS_NONE;
        const ps_proc root = find_named(m, members, coll->n);
        if (root == PS_NONE)
                return PS_NONE;
        const uint32_t near = root - ps_calls_member(&m->c, coll->comm, members[0].ref);
        if (near < coll->n && ps_calls_member(&m->c, coll->comm, members[near].ref) == root)
                return coll->first + near;
        for (uint32_t i = 0; i < coll->n; i++)
                if (ps_calls_member(&m->c, coll->comm, members[i].ref) == root)
                        return coll->first + i;
        return PS_NONE;
}

/* Makes an instance of these rows of `members`. */
static ps_status finish_coll(struct matcher *m, ps_comm comm, uint32_t first, uint32_t n, ps_error *err)
{
        ps_member *members = m->members + first;
        ps_coll coll = {.comm = comm, .first = first, .n = n};
        coll.kind = m->trace->ops[members[0].ref.loc].kind[members[0].ref.op];
        coll.complete = m->trace->defs.comms.row[comm].self || coll.n == m->c.present[comm];
        for (uint32_t i = 0; m->c.has_pgas && i < coll.n; i++)
                coll.pgas |= ps_calls_is_pgas(&m->c, members[i].ref);
        coll.root = find_root(m, &coll);
        if (!coll.complete)
                ps_tally_add(&m->incomplete, members[0].ref);
        return add_coll(m, coll, err);
}

/* The row of a member learns where that stands. */
static inline void link_row(const struct matcher *m, ps_ref ref, uint32_t member)
{
        const ps_ops *ops = &m->trace->ops[ref.loc];
        ops->link[ref.op] = member;
        ops->flags[ref.op] |= PS_OP_MATCHED;
}

static void add_member(struct matcher *m, size_t call)
{
        const ps_ref ref = m->c.call[call];
        link_row(m, ref, m->n_members);
        m->members[m->n_members++] = (ps_member){.ref = ref, .coll = m->n_colls};
}

/* Those that were taken; in the order of their places, which they are mostly in. */
static void add_taken(struct matcher *m)
{
        const ps_ref *call = m->c.call;
        const size_t *taken = m->lists.taken;
        const uint32_t n = m->lists.n_taken, id = m->n_colls;
        ps_member *members = m->members + m->n_members;
        ps_loc last = 0;
        bool are_sorted = true;
        for (uint32_t i = 0; i < n; i++) {
                const ps_ref ref = call[taken[i]];
                are_sorted &= last <= ref.loc;
                last = ref.loc;
                members[i] = (ps_member){.ref = ref, .coll = id};
        }
        if (!are_sorted)
                qsort(members, n, sizeof(*members), compare_members);
        for (uint32_t i = 0; i < n; i++) {
                ps_blocks_keep();
                link_row(m, members[i].ref, m->n_members + i);
        }
        m->n_members += n;
}

/* The next calls of a list, each of which is the `nth` member of an operation of `of`. */
static void add_in_step(struct matcher *m, const struct ps_list *list, uint32_t n, uint32_t nth, uint32_t of)
{
        const ps_ops ops = m->trace->ops[list->loc];
        const ps_ref *call = m->c.call + list->next;
        ps_member *members = m->members;
        uint32_t at = m->n_members + nth;
        ps_blocks_keep();
        for (uint32_t i = 0; i < n; i++, at += of) {
                const ps_op op = call[i].op;
                members[at] = (ps_member){.ref = {list->loc, op}, .coll = m->n_colls + i};
                ops.link[op] = at;
                ops.flags[op] |= PS_OP_MATCHED;
        }
}

/* Are all calls of each list of one location, in the order of these? Then so are members. */
static bool are_in_order(const struct ps_lists *l)
{
        for (uint32_t i = 0; i < l->n; i++)
                if (l->row[i].loc == PS_NONE || (i && l->row[i].loc <= l->row[i - 1].loc))
                        return false;
        return true;
}

/* The next operations, as long as all members make the same calls: mostly all of them. */
static ps_status match_in_step(struct matcher *m, ps_comm comm, ps_error *err)
{
        struct ps_lists *l = &m->lists;
        for (uint32_t n; are_in_order(l) && (n = ps_lists_in_step(l)) != 0; ps_lists_pass(l, n)) {
                const uint32_t of = l->n;
                for (uint32_t i = 0; i < of; i++)
                        add_in_step(m, &l->row[i], n, i, of);
                for (uint32_t i = 0; i < n; i++, m->n_members += of)
                        PS_TRY(finish_coll(m, comm, m->n_members, of, err));
        }
        return PS_OK;
}

/* MPI_COMM_SELF is as many communicators as there are processes. */
static ps_status match_self(struct matcher *m, ps_comm comm, ps_error *err)
{
        for (size_t call = m->c.first[comm]; call < m->c.end[comm]; call++) {
                add_member(m, call);
                PS_TRY(finish_coll(m, comm, m->n_members - 1, 1, err));
        }
        return PS_OK;
}

static void make_lists(struct matcher *m, ps_comm comm)
{
        m->lists.n = ps_calls_lists(&m->c, comm, m->lists.row);
        m->lists.has_begun = false;
}

static ps_status match_comm(struct matcher *m, ps_comm comm, ps_error *err)
{
        if (m->trace->defs.comms.row[comm].self)
                return match_self(m, comm, err);
        make_lists(m, comm);
        PS_TRY(match_in_step(m, comm, err));
        while (ps_lists_take(&m->lists)) {
                const uint32_t first = m->n_members;
                add_taken(m);
                PS_TRY(finish_coll(m, comm, first, m->n_members - first, err));
                PS_TRY(match_in_step(m, comm, err));
        }
        return PS_OK;
}

static ps_status match_comms(struct matcher *m, ps_error *err)
{
        PS_TRY(ps_calls_new_lists(&m->lists, &m->c, err));
        for (ps_comm comm = 0; comm < m->trace->defs.comms.n; comm++)
                PS_TRY(match_comm(m, comm, err));
        return PS_OK;
}

static ps_status finish_rows_of(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        const struct matcher *m = ctx;
        const ps_ops ops = m->trace->ops[loc];
        const uint64_t *received = m->received ? m->received[loc] : NULL;
        const struct ps_calls_row *row = m->c.of[loc].list.row;
        const uint32_t n = m->c.of[loc].list.n;
        ps_member *members = m->members;
        ps_tally mismatched = {0};
        (void)worker;
        (void)err;
        for (uint32_t i = 0; i < n; i++) {
                const ps_op op = row[i].op;
                ps_blocks_keep();
                if (!(ops.flags[op] & PS_OP_MATCHED) && row[i].comm != PS_NONE)
                        ps_tally_add(&mismatched, (ps_ref){loc, op});
                else if (ops.flags[op] & PS_OP_MATCHED && received)
                        members[ops.link[op]].received = received[i]; /* which is 0 until then */
        }
        m->mismatched[loc] = mismatched;
        return PS_OK;
}

static ps_status finish_rows(struct matcher *m, ps_error *err)
{
        ps_tally mismatched = {0};
        PS_TRY(ps_parallel_for(m->n_threads, m->trace->n_locs, finish_rows_of, m, err));
        for (ps_loc loc = 0; loc < m->trace->n_locs; loc++)
                ps_tally_join(&mismatched, &m->mismatched[loc]);
        ps_tally_note(&mismatched, m->trace, PS_I_COLL_MISMATCH);
        ps_tally_note(&m->incomplete, m->trace, PS_I_COLL_INCOMPLETE);
        ps_tally_note(&m->roots, m->trace, PS_I_COLL_ROOT);
        return PS_OK;
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

static ps_status match_all(struct matcher *m, ps_error *err)
{
        PS_TRY(ps_calls_sort(&m->c, m->trace, m->n_threads, err));
        m->members = malloc((m->c.n + 1) * sizeof(*m->members));
        m->mismatched = malloc((m->trace->n_locs + (size_t)1) * sizeof(*m->mismatched));
        PS_TRY(m->members && m->mismatched ? PS_OK : PS_NOMEM(err, "collective calls", m->c.n));
        PS_TRY(match_comms(m, err));
        PS_TRY(finish_rows(m, err));
        return publish_collectives(m, err);
}

ps_status ps_match_collectives(ps_trace *trace, const uint64_t *const *received, unsigned n_threads,
                               ps_error *err)
{
        struct matcher m = {.trace = trace, .received = received, .n_threads = n_threads};
        ps_status status = match_all(&m, err);
        ps_calls_clear(&m.c);
        ps_calls_free_lists(&m.lists);
        free(m.colls);
        free(m.members);
        free(m.mismatched);
        return status;
}
