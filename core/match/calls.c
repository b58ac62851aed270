/* calls.c - see calls.h. A counting sort: 8 bytes a call. */
#include "core/match/calls.h"
#include "core/match/order.h"

#include "core/base/blocks.h"
#include "core/base/parallel.h"
#include "core/base/search.h"

#include <stdlib.h>

ps_comm ps_calls_comm_of(const struct ps_calls *c, uint16_t traits, ps_comm comm)
{
        const ps_defs *defs = &c->trace->defs;
        if (traits & PS_T_RMA)
                return comm < defs->windows.n ? defs->windows.row[comm].comm : PS_NONE;
        return comm == PS_NONE ? c->world : comm;
}

static bool is_team(const struct ps_calls *c, ps_comm comm)
{
        return c->trace->defs.comms.row[comm].team;
}

static ps_status allocate(struct ps_calls *c, ps_error *err)
{
        uint32_t n_comms = c->trace->defs.comms.n;
        c->first = calloc((size_t)n_comms + 1, sizeof(*c->first));
        c->end = calloc((size_t)n_comms + 1, sizeof(*c->end));
        c->present = calloc((size_t)n_comms + 1, sizeof(*c->present));
        return c->first && c->end && c->present ? PS_OK : PS_NOMEM(err, "communicators", n_comms);
}

/* No kind in front of this one is a collective operation. */
#define PS_KIND(id, name, cls, traits)                                                                       \
        _Static_assert(PS_C_##cls != PS_C_COLL || PS_K_##id >= PS_K_INIT, "a collective operation");
#include "core/model/kinds.def"
#undef PS_KIND

/* Those of a stretch of rows in which no kind stands in front of that one, where there is room for them;
 * returns its end, which is at `end` at the latest. */
static ps_op list_stretch(const struct ps_calls *c, const ps_ops *ops, ps_op op, ps_op end,
                          struct ps_calls_rows *out)
{
        const uint8_t *kind = ops->kind;
        const uint32_t *call = ops->call, n_comms = c->trace->defs.comms.n;
        const struct ps_call *calls = ops->calls;
        struct ps_calls_row *row = out->list.row + out->list.n;
        ps_blocks_keep();
        for (; op < end && kind[op] >= PS_K_INIT; op++) {
                const ps_kind_info *info = &ps_kinds[kind[op]];
                ps_comm comm = calls[call[op]].comm;
                if (info->cls != PS_C_COLL)
                        continue;
                if (info->traits & (PS_T_RMA | PS_T_LIFE))
                        comm = ps_calls_comm_of(c, info->traits, comm);
                *row++ = (struct ps_calls_row){op, comm < n_comms ? comm : PS_NONE};
        }
        out->list.n = (uint32_t)(row - out->list.row);
        return op;
}

/* The first row from `op` on that is one, or is of a kind in front of that one. */
static ps_op pass_others(const ps_ops *ops, ps_op op)
{
        const uint8_t *kind = ops->kind;
        for (const ps_op end = ops->n; op < end && kind[op] >= PS_K_INIT; op++)
                if (ps_kinds[kind[op]].cls == PS_C_COLL)
                        break;
        return op;
}

/* Room is asked for once for some rows. */
static ps_status list_rows(const struct ps_calls *c, ps_loc loc, struct ps_calls_rows *out, ps_error *err)
{
        enum { MOST = 64 };
        const ps_ops *ops = &c->trace->ops[loc];
        for (ps_op op = 0; (op = ps_ops_seek(ops, op, PS_K_INIT)) < ops->n;) {
                if (PS_ROOM(out->list.row, out->list.n, out->list.cap))
                        return PS_NOMEM(err, "collective calls", out->list.n);
                const uint32_t room = out->list.cap - out->list.n, n = room < MOST ? room : MOST;
                op = pass_others(ops, op);
                op = list_stretch(c, ops, op, ops->n - op < n ? ops->n : op + n, out);
        }
        return PS_OK;
}

static ps_status find_rows_of(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        const struct ps_calls *c = ctx;
        struct ps_calls_rows rows = {.has_own = false}; /* neighbours are written to at the same time */
        (void)worker;
        ps_status status = list_rows(c, loc, &rows, err);
        c->of[loc] = rows;
        return status;
}

/* Those of CPUs by communicator. */
static void count_rows_of(struct ps_calls *c, ps_loc loc)
{
        struct ps_calls_rows *rows = &c->of[loc];
        if (c->trace->defs.locations.row[loc].type != PS_LOCATION_CPU)
                return;
        const struct ps_calls_row *row = rows->list.row;
        for (uint32_t i = 0, behind; i < rows->list.n; i = behind) {
                const ps_comm comm = row[i].comm;
                for (behind = i + 1; behind < rows->list.n && row[behind].comm == comm; behind++)
                        ;
                if (comm == PS_NONE)
                        continue;
                c->end[comm] += behind - i;
                rows->has_own |= !is_team(c, comm);
        }
}

static ps_status find_rows(struct ps_calls *c, unsigned n_threads, ps_error *err)
{
        const ps_trace *trace = c->trace;
        c->of = calloc((size_t)trace->n_locs + 1, sizeof(*c->of));
        if (!c->of)
                return PS_NOMEM(err, "locations", trace->n_locs);
        PS_TRY(ps_parallel_for(n_threads, trace->n_locs, find_rows_of, c, err));
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                count_rows_of(c, loc);
        return PS_OK;
}

static ps_status make_calls_room(struct ps_calls *c, ps_error *err)
{
        for (ps_comm comm = 0; comm < c->trace->defs.comms.n; comm++) {
                c->has_teams |= c->end[comm] && is_team(c, comm);
                c->first[comm] = c->n;
                c->n += c->end[comm];
                c->end[comm] = c->first[comm];
        }
        if (c->n >= PS_NONE)
                return PS_NOMEM(err, "collective calls", c->n);
        c->call = malloc((c->n + 1) * sizeof(*c->call));
        c->key = malloc(c->n + 1);
        return c->call && c->key ? PS_OK : PS_NOMEM(err, "collective calls", c->n);
}

static inline void put_call(struct ps_calls *c, size_t at, const ps_ops *ops, ps_ref call)
{
        c->key[at] = ps_calls_key_of(ops, call.op);
        c->call[at] = call;
}

/* Those at rows that follow each other in a location's list. */
static void put_calls(struct ps_calls *c, size_t at, ps_loc loc, const struct ps_calls_row *row, uint32_t n)
{
        const ps_ops ops = c->trace->ops[loc];
        uint8_t *key = c->key + at;
        ps_ref *call = c->call + at;
        for (uint32_t i = 0; i < n; i++) {
                const ps_op op = row[i].op;
                ps_blocks_keep();
                key[i] = ps_calls_key_of(&ops, op);
                call[i] = (ps_ref){loc, op};
        }
}

/* Is it one that is sorted now, of teams or of others? */
static inline bool is_sorted_now(const struct ps_calls *c, ps_comm comm, bool of_team)
{
        return comm != PS_NONE && (!c->has_teams || is_team(c, comm) == of_team);
}

/* Calls of one communicator often follow each other. */
static void sort_location(struct ps_calls *c, ps_loc loc, bool of_team)
{
        const struct ps_calls_row *row = c->of[loc].list.row;
        const uint32_t n = c->of[loc].list.n;
        for (uint32_t i = 0, behind; i < n; i = behind) {
                const ps_comm comm = row[i].comm;
                for (behind = i + 1; behind < n && row[behind].comm == comm; behind++)
                        ;
                if (!is_sorted_now(c, comm, of_team))
                        continue;
                put_calls(c, c->end[comm], loc, row + i, behind - i);
                c->end[comm] += behind - i;
        }
}

static void sort_team_calls(struct ps_calls *c)
{
        for (ps_loc loc = 0; c->has_teams && loc < c->trace->n_locs; loc++)
                if (c->trace->defs.locations.row[loc].type == PS_LOCATION_CPU)
                        sort_location(c, loc, true);
}

/* How many locations of the process make calls that are not of a team; the last one of them. */
static uint32_t count_own(const struct ps_calls *c, const ps_process_def *process, ps_loc *last)
{
        uint32_t n = 0;
        for (uint32_t i = 0; i < process->n_locs; i++) {
                const ps_loc loc = c->trace->defs.by_process[process->first + i];
                n += c->of[loc].has_own;
                *last = c->of[loc].has_own ? loc : *last;
        }
        return n;
}

/* Those of one location are in the order of their posting; of several, whoever comes first is. */
static ps_status sort_process(struct ps_calls *c, ps_proc process, ps_postings *calls, ps_error *err)
{
        ps_loc one = 0;
        const uint32_t n = count_own(c, &c->trace->defs.processes.row[process], &one);
        c->of[one].is_alone |= n == 1;
        if (n == 1)
                sort_location(c, one, false);
        if (n <= 1)
                return PS_OK;
        PS_TRY(ps_postings_open(calls, c->trace, process, PS_C_COLL, err));
        for (ps_ref call; ps_postings_next(calls, &call);) {
                const ps_ops *ops = &c->trace->ops[call.loc];
                const ps_comm comm = ps_calls_comm(c, ops, call.op);
                if (is_sorted_now(c, comm, false))
                        put_call(c, c->end[comm]++, ops, call);
        }
        return PS_OK;
}

static ps_status sort_calls(struct ps_calls *c, ps_error *err)
{
        ps_postings calls = {0};
        ps_status status = PS_OK;
        for (ps_proc p = 0; p < c->trace->defs.processes.n && status == PS_OK; p++)
                status = sort_process(c, p, &calls, err);
        ps_postings_free(&calls);
        sort_team_calls(c);
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

/* Behind a call and those of its location that follow it. Where a location makes all calls of a member, all
 * of it stand together, so that most need not be looked at. */
static size_t behind_location(const struct ps_calls *c, ps_comm comm, size_t at)
{
        const ps_ref *call = c->call;
        const size_t end = c->end[comm];
        const ps_loc loc = call[at].loc;
        const size_t more = is_team(c, comm) || c->of[loc].is_alone ? 2 : 1;
        size_t step = 1;
        for (; step < end - at && call[at + step].loc == loc; step *= more)
                at += step;
        for (; step; step /= 2)
                at += step < end - at && call[at + step].loc == loc ? step : 0;
        return at + 1;
}

static void drop_strangers(struct ps_calls *c, ps_comm comm, const uint32_t *stamps, uint32_t stamp)
{
        size_t kept = c->first[comm];
        while (kept < c->end[comm] && stamps[ps_calls_member(c, comm, c->call[kept])] == stamp)
                kept = behind_location(c, comm, kept);
        for (size_t i = kept; i < c->end[comm]; i++)
                if (stamps[ps_calls_member(c, comm, c->call[i])] == stamp) {
                        c->key[kept] = c->key[i];
                        c->call[kept++] = c->call[i];
                }
        c->n_strangers += c->end[comm] - kept;
        c->end[comm] = kept;
}

static uint32_t list_memberships(const struct ps_calls *c, struct membership *out)
{
        uint32_t n = 0;
        for (ps_comm comm = 0; comm < c->trace->defs.comms.n; comm++) {
                const ps_comm_def *def = &c->trace->defs.comms.row[comm];
                if (c->first[comm] == c->end[comm] || def->self)
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
static ps_status check_memberships(struct ps_calls *c, ps_error *err)
{
        const ps_defs *defs = &c->trace->defs;
        size_t n_stamps = defs->locations.n > defs->processes.n ? defs->locations.n : defs->processes.n;
        uint32_t *stamps = calloc(n_stamps + 1, sizeof(*stamps));
        struct membership *of = malloc(((size_t)defs->comms.n + 1) * sizeof(*of));
        ps_status status = stamps && of ? PS_OK : PS_NOMEM(err, "communicators", defs->comms.n);
        uint32_t n = status == PS_OK ? list_memberships(c, of) : 0, stamp = 0, n_present = 0;
        if (n)
                qsort(of, n, sizeof(*of), compare_groups);
        for (uint32_t i = 0; i < n; i++) {
                if (!i || compare_groups(&of[i - 1], &of[i]) != 0)
                        n_present = stamp_members(stamps, ++stamp, &of[i]);
                c->present[of[i].comm] = n_present;
                drop_strangers(c, of[i].comm, stamps, stamp);
        }
        free(of);
        free(stamps);
        return status;
}

ps_status ps_calls_sort(struct ps_calls *c, const ps_trace *trace, unsigned n_threads, ps_error *err)
{
        *c = (struct ps_calls){.trace = trace,
                               .world = ps_defs_world(&trace->defs),
                               .has_pgas = ps_defs_has_pgas(&trace->defs)};
        PS_TRY(allocate(c, err));
        PS_TRY(find_rows(c, n_threads, err));
        PS_TRY(make_calls_room(c, err));
        PS_TRY(sort_calls(c, err));
        return check_memberships(c, err);
}

void ps_calls_clear(struct ps_calls *c)
{
        for (ps_loc loc = 0; c->of && loc < c->trace->n_locs; loc++)
                free(c->of[loc].list.row);
        free(c->of);
        free(c->first);
        free(c->end);
        free(c->present);
        free(c->call);
        free(c->key);
}

ps_status ps_calls_new_lists(struct ps_lists *out, const struct ps_calls *c, ps_error *err)
{
        size_t n = c->trace->n_locs + (size_t)1; /* no communicator has more members that call */
        *out = (struct ps_lists){.key = c->key,
                                 .row = malloc(n * sizeof(*out->row)),
                                 .taken = malloc(n * sizeof(*out->taken))};
        return out->row && out->taken ? PS_OK : PS_NOMEM(err, "locations", n);
}

void ps_calls_free_lists(struct ps_lists *lists)
{
        free(lists->row);
        free(lists->taken);
}

uint32_t ps_calls_lists(const struct ps_calls *c, ps_comm comm, struct ps_list *out)
{
        uint32_t n = 0, last = PS_NONE;
        for (size_t i = c->first[comm], behind; i < c->end[comm]; i = behind) {
                const uint32_t member = ps_calls_member(c, comm, c->call[i]);
                behind = behind_location(c, comm, i);
                if (n && member == last)
                        out[n - 1] = (struct ps_list){out[n - 1].next, behind, 1, PS_NONE};
                else
                        out[n++] = (struct ps_list){i, behind, 1, c->call[i].loc};
                last = member;
        }
        return n;
}
