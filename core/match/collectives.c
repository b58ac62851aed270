/* collectives.c - the n-th calls of all members of a communicator are one collective operation.
 *
 * All calls are sorted by communicator and member (counting sort: 8 bytes a call), then the members' lists
 * are taken off head by head. As long as the heads agree that is all. Recorders miss calls, though, and
 * programs are wrong, so when the heads disagree the lists are put in step again: of all operations within
 * the next WINDOW calls of each member the one is next that costs least, where a member pays the calls that
 * it must skip to get there, or WINDOW when it is not in sight; such a member sits out and skips nothing. The
 * chosen one is in sight of a fixed share of the members at least (a share of the number of kinds), so that
 * the work stays proportional to the calls. */
#include "core/base/search.h"
#include "core/match/match.h"

#include "core/base/vector.h"
#include "core/match/order.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 32, N_KEYS = 2 * PS_K_COUNT, NO_KEY = -1 };

/* The calls of one member that are not taken yet: matcher.calls[next .. end). */
struct list {
        size_t next, end;
};

struct matcher {
        ps_trace *trace;
        ps_comm world;
        bool has_teams;
        PS_VECTOR(ps_op) row; /* of COLL, location by location: rows of many sorts are looked through once */
        size_t *row_of;       /* by location: its first one */
        ps_ref *calls;        /* by communicator, member, order of posting */
        size_t n_calls;
        size_t *first, *end; /* by communicator; calls of strangers are cut off behind `end` */
        uint32_t *present;   /* by communicator: how many of its members the trace knows */
        struct list *lists;  /* of the communicator at hand */
        ps_coll *colls;
        uint32_t n_colls, colls_cap;
        ps_member *members;
        uint32_t n_members;
        ps_tally roots, incomplete;
};

/* The communicator that the row's call takes place on, or PS_NONE. */
static ps_comm comm_of(const struct matcher *m, const ps_ops *ops, ps_op op)
{
        const ps_defs *defs = &m->trace->defs;
        uint16_t traits = ps_kinds[ops->kind[op]].traits;
        ps_comm comm = ops->comm[op];
        if (traits & PS_T_RMA)
                comm = comm < defs->windows.n ? defs->windows.row[comm].comm : PS_NONE;
        else if (comm == PS_NONE && traits & PS_T_LIFE)
                comm = m->world;
        return comm < defs->comms.n ? comm : PS_NONE;
}

static bool is_team(const struct matcher *m, ps_comm comm)
{
        return m->trace->defs.comms.row[comm].team;
}

static uint32_t member_of(const struct matcher *m, ps_comm comm, ps_ref call)
{
        return is_team(m, comm) ? call.loc : m->trace->defs.locations.row[call.loc].process;
}

static ps_status allocate(struct matcher *m, ps_error *err)
{
        uint32_t n_comms = m->trace->defs.comms.n;
        m->first = calloc((size_t)n_comms + 1, sizeof(*m->first));
        m->end = calloc((size_t)n_comms + 1, sizeof(*m->end));
        m->present = calloc((size_t)n_comms + 1, sizeof(*m->present));
        return m->first && m->end && m->present ? PS_OK : PS_NOMEM(err, "communicators", n_comms);
}

static ps_status find_rows(struct matcher *m, ps_error *err)
{
        const ps_trace *trace = m->trace;
        m->row_of = calloc((size_t)trace->n_locs + 1, sizeof(*m->row_of));
        if (!m->row_of)
                return PS_NOMEM(err, "locations", trace->n_locs);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_ops *ops = &trace->ops[loc];
                for (ps_op op = 0; (op = ps_ops_next(ops, op, PS_C_COLL)) < ops->n; op++)
                        if (PS_PUSH(m->row, op))
                                return PS_NOMEM(err, "collective calls", m->row.n);
                m->row_of[loc + 1] = m->row.n;
        }
        return PS_OK;
}

static ps_status count_calls(struct matcher *m, ps_error *err)
{
        const ps_trace *trace = m->trace;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_ops *ops = &trace->ops[loc];
                if (trace->defs.locations.row[loc].type != PS_LOCATION_CPU)
                        continue;
                for (size_t i = m->row_of[loc]; i < m->row_of[loc + 1]; i++) {
                        ps_comm comm = comm_of(m, ops, m->row.row[i]);
                        if (comm == PS_NONE)
                                continue;
                        m->end[comm]++;
                        m->has_teams |= is_team(m, comm);
                }
        }
        for (ps_comm comm = 0; comm < trace->defs.comms.n; comm++) {
                m->first[comm] = m->n_calls;
                m->n_calls += m->end[comm];
                m->end[comm] = m->first[comm];
        }
        if (m->n_calls >= PS_NONE)
                return PS_NOMEM(err, "collective calls", m->n_calls);
        m->calls = malloc((m->n_calls + 1) * sizeof(*m->calls));
        m->members = malloc((m->n_calls + 1) * sizeof(*m->members));
        return m->calls && m->members ? PS_OK : PS_NOMEM(err, "collective calls", m->n_calls);
}

/* Of teams or of others. */
static void sort_call(struct matcher *m, ps_ref call, bool of_team)
{
        ps_comm comm = comm_of(m, &m->trace->ops[call.loc], call.op);
        if (comm != PS_NONE && is_team(m, comm) == of_team)
                m->calls[m->end[comm]++] = call;
}

static void sort_location(struct matcher *m, ps_loc loc, bool of_team)
{
        for (size_t i = m->row_of[loc]; m->row.row && i < m->row_of[loc + 1]; i++)
                sort_call(m, (ps_ref){loc, m->row.row[i]}, of_team);
}

static void sort_team_calls(struct matcher *m)
{
        for (ps_loc loc = 0; m->has_teams && loc < m->trace->n_locs; loc++)
                if (m->trace->defs.locations.row[loc].type == PS_LOCATION_CPU)
                        sort_location(m, loc, true);
}

static ps_status sort_calls(struct matcher *m, ps_error *err)
{
        const ps_defs *defs = &m->trace->defs;
        ps_postings calls = {0};
        ps_status status = PS_OK;
        for (ps_proc p = 0; p < defs->processes.n && status == PS_OK; p++) {
                if (defs->processes.row[p].n_locs == 1) {
                        sort_location(m, defs->by_process[defs->processes.row[p].first], false);
                        continue;
                }
                status = ps_postings_open(&calls, m->trace, p, PS_C_COLL, err);
                for (ps_ref call; status == PS_OK && ps_postings_next(&calls, &call);)
                        sort_call(m, call, false);
        }
        ps_postings_free(&calls);
        sort_team_calls(m);
        return status;
}

/* Who belongs to a communicator. Many communicators may share their groups. */
struct membership {
        const uint32_t *group[2];
        uint32_t n[2];
        uint8_t team;
        ps_comm comm;
};

static int compare_groups(const void *a, const void *b)
{
        const struct membership *x = a, *y = b;
        for (int i = 0; i < 2; i++) {
                uintptr_t p = (uintptr_t)x->group[i], q = (uintptr_t)y->group[i];
                PS_ORDER_BY(p, q);
                PS_ORDER_BY(x->n[i], y->n[i]);
        }
        return (int)x->team - (int)y->team;
}

/* Stamps the members; returns how many there are. */
static uint32_t stamp_members(uint32_t *stamps, uint32_t stamp, const struct membership *members)
{
        uint32_t n = 0;
        for (int g = 0; g < 2; g++)
                for (uint32_t i = 0; i < members->n[g]; i++) {
                        uint32_t member = members->group[g][i];
                        if (member == PS_NONE || stamps[member] == stamp)
                                continue;
                        stamps[member] = stamp;
                        n++;
                }
        return n;
}

static void drop_strangers(struct matcher *m, ps_comm comm, const uint32_t *stamps, uint32_t stamp)
{
        size_t kept = m->first[comm];
        for (size_t i = kept; i < m->end[comm]; i++)
                if (stamps[member_of(m, comm, m->calls[i])] == stamp)
                        m->calls[kept++] = m->calls[i];
        m->end[comm] = kept;
}

static uint32_t list_memberships(const struct matcher *m, struct membership *out)
{
        uint32_t n = 0;
        for (ps_comm comm = 0; comm < m->trace->defs.comms.n; comm++) {
                const ps_comm_def *def = &m->trace->defs.comms.row[comm];
                if (m->first[comm] == m->end[comm] || def->self)
                        continue;
                out[n++] = (struct membership){{def->members, def->inter ? def->members_b : NULL},
                                               {def->n_members, def->inter ? def->n_members_b : 0},
                                               def->team,
                                               comm};
        }
        return n;
}

/* Goes by groups rather than communicators, lest a trace with many communicators of one large group takes
 * their product. */
static ps_status check_memberships(struct matcher *m, ps_error *err)
{
        const ps_defs *defs = &m->trace->defs;
        size_t n_stamps = defs->locations.n > defs->processes.n ? defs->locations.n : defs->processes.n;
        uint32_t *stamps = calloc(n_stamps + 1, sizeof(*stamps));
        struct membership *of = malloc(((size_t)defs->comms.n + 1) * sizeof(*of));
        ps_status status = stamps && of ? PS_OK : PS_NOMEM(err, "communicators", defs->comms.n);
        uint32_t n = status == PS_OK ? list_memberships(m, of) : 0, stamp = 0, n_present = 0;
        if (n)
                qsort(of, n, sizeof(*of), compare_groups);
        for (uint32_t i = 0; i < n; i++) {
                if (!i || compare_groups(&of[i - 1], &of[i]) != 0)
                        n_present = stamp_members(stamps, ++stamp, &of[i]);
                m->present[of[i].comm] = n_present;
                drop_strangers(m, of[i].comm, stamps, stamp);
        }
        free(of);
        free(stamps);
        return status;
}

/* What has to agree: the kind, and whether it is nonblocking. */
static int key_of(const struct matcher *m, size_t call)
{
        const ps_ops *ops = &m->trace->ops[m->calls[call].loc];
        ps_op op = m->calls[call].op;
        return 2 * ops->kind[op] + (ops->flags[op] & PS_OP_NONBLOCKING ? 1 : 0);
}

/* The key of all heads, or NO_KEY. MPI_Init, where `begins` says that it may stand, needs no agreement. */
static int agreed_key(const struct matcher *m, uint32_t n_lists, int begins)
{
        int key = key_of(m, m->lists[0].next), agreed = 1;
        for (uint32_t i = 0; i < n_lists; i++) {
                int other = key_of(m, m->lists[i].next);
                if (begins && other == 2 * PS_K_INIT)
                        return other;
                agreed &= other == key;
        }
        return agreed ? key : NO_KEY;
}

/* The cheapest key, the lowest one of those. Counts what each key saves against not being in sight at all. */
static int cheapest_key(const struct matcher *m, uint32_t n_lists)
{
        uint64_t saved[N_KEYS] = {0};
        for (uint32_t i = 0; i < n_lists; i++) {
                const struct list *list = &m->lists[i];
                uint8_t seen[N_KEYS] = {0};
                for (size_t skip = 0; skip < WINDOW && list->next + skip < list->end; skip++) {
                        int key = key_of(m, list->next + skip);
                        saved[key] += seen[key] ? 0 : WINDOW - skip;
                        seen[key] = 1;
                }
        }
        int best = 0;
        for (int key = 1; key < N_KEYS; key++)
                if (saved[key] > saved[best])
                        best = key;
        return best;
}

/* The list's first call of that key within the window; its end when there is none. */
static size_t find_key(const struct matcher *m, const struct list *list, int key, size_t window)
{
        size_t end = list->end - list->next < window ? list->end : list->next + window;
        for (size_t i = list->next; i < end; i++)
                if (key_of(m, i) == key)
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
                ps_proc named = trace->ops[members[i].ref.loc].peer[members[i].ref.op];
                if (root != PS_NONE && named != PS_NONE && named != root) {
                        ps_tally_add(&m->roots, members[0].ref);
                        return PS_NONE;
                }
                root = named == PS_NONE ? root : named;
        }
        for (uint32_t i = 0; root != PS_NONE && i < coll->n; i++)
                if (member_of(m, coll->comm, members[i].ref) == root)
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
        coll.complete = m->trace->defs.comms.row[comm].self || coll.n == m->present[comm];
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
        m->members[m->n_members++] = (ps_member){.ref = m->calls[call]};
}

/* MPI_COMM_SELF is as many communicators as there are processes. */
static ps_status match_self(struct matcher *m, ps_comm comm, ps_error *err)
{
        for (size_t call = m->first[comm]; call < m->end[comm]; call++) {
                add_member(m, call);
                PS_TRY(finish_coll(m, comm, m->n_members - 1, err));
        }
        return PS_OK;
}

static uint32_t make_lists(struct matcher *m, ps_comm comm)
{
        uint32_t n = 0;
        for (size_t i = m->first[comm]; i < m->end[comm]; i++) {
                if (i == m->first[comm] ||
                    member_of(m, comm, m->calls[i - 1]) != member_of(m, comm, m->calls[i]))
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
                for (size_t first = m->row_of[loc], i = first; i < m->row_of[loc + 1]; i++) {
                        ps_op op = m->row.row[i];
                        if (ops->flags[op] & PS_OP_MATCHED)
                                m->members[ops->link[op]].received =
                                        received && received[loc] ? received[loc][i - first] : 0;
                        else if (comm_of(m, ops, op) != PS_NONE)
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
        PS_TRY(allocate(m, err));
        PS_TRY(find_rows(m, err));
        PS_TRY(count_calls(m, err));
        PS_TRY(sort_calls(m, err));
        PS_TRY(check_memberships(m, err));
        PS_TRY(match_comms(m, err));
        finish_rows(m, received);
        return publish_collectives(m, err);
}

ps_status ps_match_collectives(ps_trace *trace, const uint64_t *const *received, ps_error *err)
{
        struct matcher m = {.trace = trace, .world = ps_defs_world(&trace->defs)};
        ps_status status = match_all(&m, received, err);
        free(m.row.row);
        free(m.row_of);
        free(m.first);
        free(m.end);
        free(m.present);
        free(m.calls);
        free(m.lists);
        free(m.colls);
        free(m.members);
        return status;
}
