/* comms.c - see comms.h.
 *
 * A communicator names a group; a group lists ranks of its paradigm; what location has which rank stands in
 * another group, the paradigm's COMM_LOCATIONS. Groups are resolved once and their members shared by all
 * communicators that name them, so that memory follows the size of the file. */
#include "reader/otf2/comms.h"

#include "core/base/search.h"

#include <otf2/OTF2_Definitions.h>
#include <stdlib.h>
#include <string.h>

typedef struct group {
        const uint32_t *members; /* processes, or locations of a team */
        uint32_t n;
        uint8_t team, self, pgas;
} group;

typedef struct comms {
        ps_otf2_names *names;
        const ps_otf2_defs *raw;
        ps_defs *defs;
        ps_issues *issues;
        ps_error *err;
        group *groups; /* by position in the table of groups */
} comms;

#define ROWS(c, which)  ((c)->raw->table[which].row)
#define COUNT(c, which) ((c)->raw->table[which].n)

/* Ranks of these paradigms are processes; all others' are threads. */
static bool has_processes(const comms *c, uint64_t paradigm)
{
        static const uint8_t known[] = {OTF2_PARADIGM_MPI, OTF2_PARADIGM_SHMEM, OTF2_PARADIGM_UPC,
                                        OTF2_PARADIGM_GASPI};
        if (memchr(known, (int)paradigm, sizeof(known)))
                return 1;
        if (paradigm < OTF2_PARADIGM_KOKKOS && paradigm != OTF2_PARADIGM_UNKNOWN)
                return 0;
        const ps_otf2_def *def = ps_otf2_defs_find(c->raw, PS_OTF2_PARADIGM, paradigm);
        return !def || def->v[PS_OTF2_PARADIGM_CLASS] == OTF2_PARADIGM_CLASS_PROCESS;
}

/* UPC runs threads of one process as threads of the program, too: several locations of a process among the
 * ranks. `ranks` may hold ids of no location. */
static bool shares_processes(const comms *c, const uint64_t *ranks, uint64_t n)
{
        uint8_t *seen = calloc((size_t)c->defs->processes.n + 1, 1);
        int shared = 0;
        for (uint64_t i = 0; seen && i < n && !shared; i++) {
                const ps_otf2_def *def = ps_otf2_defs_find(c->raw, PS_OTF2_LOCATION, ranks[i]);
                if (!def)
                        continue;
                ps_proc process = c->defs->locations.row[(ps_loc)(def - ROWS(c, PS_OTF2_LOCATION))].process;
                shared = seen[process];
                seen[process] = 1;
        }
        free(seen);
        return shared;
}

static bool is_pgas(uint64_t paradigm)
{
        return paradigm == OTF2_PARADIGM_UPC || paradigm == OTF2_PARADIGM_SHMEM ||
               paradigm == OTF2_PARADIGM_GASPI;
}

/* Decodes a group's members; the table's parse made sure that they are there. */
static ps_status decode_members(const ps_otf2_def *def, uint64_t **out, ps_error *err)
{
        ps_otf2_bytes b = {def->data, def->data + def->size, def->big, 0};
        *out = malloc((def->count + 1) * sizeof(**out));
        if (!*out)
                return PS_NOMEM(err, "group members", def->count);
        for (uint64_t i = 0; i < def->count; i++)
                (*out)[i] = ps_otf2_u64(&b);
        return PS_OK;
}

/* The location ids behind the ranks of a paradigm, or none. */
static ps_status ranks_of(const comms *c, uint64_t paradigm, uint64_t **out, uint64_t *n)
{
        const ps_otf2_def *def = ps_otf2_defs_find(c->raw, PS_OTF2_RANKS, paradigm);
        *out = NULL;
        *n = def ? def->count : 0;
        return def ? decode_members(def, out, c->err) : PS_OK;
}

static uint32_t member_of(const comms *c, uint64_t location, int team)
{
        const ps_otf2_def *def = ps_otf2_defs_find(c->raw, PS_OTF2_LOCATION, location);
        if (!def)
                return PS_NONE;
        ps_loc loc = (ps_loc)(def - ROWS(c, PS_OTF2_LOCATION));
        return team ? loc : c->defs->locations.row[loc].process;
}

/* `ids`: the group's members, `ranks`: the locations behind ranks, when members are such. */
static ps_status fill_members(comms *c, const ps_otf2_def *def, group *g, const uint64_t *ids,
                              const uint64_t *ranks, uint64_t n_ranks)
{
        int by_rank = def->v[PS_OTF2_GROUP_TYPE] == OTF2_GROUP_TYPE_COMM_GROUP;
        uint32_t *members = PS_ARENA_NEW(c->defs->arena, uint32_t, def->count);
        if (!members)
                return PS_NOMEM(c->err, "group members", def->count);
        for (uint64_t i = 0; i < def->count; i++) {
                if (!by_rank)
                        members[i] = member_of(c, ids[i], g->team);
                else
                        members[i] = ids[i] < n_ranks ? member_of(c, ranks[ids[i]], g->team) : PS_NONE;
                if (members[i] == PS_NONE)
                        ps_otf2_defs_note(c->raw, def, PS_I_DEF_UNKNOWN, c->issues);
        }
        g->members = members;
        g->n = (uint32_t)def->count;
        return PS_OK;
}

static ps_status resolve_group(comms *c, const ps_otf2_def *def, group *g, const uint64_t *ranks,
                               uint64_t n_ranks, int by_location)
{
        uint64_t type = def->v[PS_OTF2_GROUP_TYPE], *ids;
        g->self = type == OTF2_GROUP_TYPE_COMM_SELF;
        g->team = by_location || !has_processes(c, def->v[PS_OTF2_GROUP_PARADIGM]);
        g->pgas = (uint8_t)is_pgas(def->v[PS_OTF2_GROUP_PARADIGM]);
        if (type != OTF2_GROUP_TYPE_LOCATIONS && type != OTF2_GROUP_TYPE_COMM_LOCATIONS &&
            type != OTF2_GROUP_TYPE_COMM_GROUP)
                return PS_OK;
        ps_status status = decode_members(def, &ids, c->err);
        PS_THEN(status, fill_members(c, def, g, ids, ranks, n_ranks));
        free(ids);
        return status;
}

static int by_paradigm(const void *a, const void *b)
{
        const ps_otf2_def *x = *(const ps_otf2_def *const *)a, *y = *(const ps_otf2_def *const *)b;
        uint64_t p = x->v[PS_OTF2_GROUP_PARADIGM], q = y->v[PS_OTF2_GROUP_PARADIGM];
        PS_ORDER_BY(p, q);
        return PS_ORDER(x, y);
}

/* Paradigm by paradigm, so that the ranks of each are decoded once. */
static ps_status resolve_by_paradigm(comms *c, const ps_otf2_def **order)
{
        uint64_t *ranks = NULL, n_ranks = 0;
        int by_location = 0;
        ps_status status = PS_OK;
        uint32_t n = COUNT(c, PS_OTF2_GROUP);
        for (uint32_t i = 0; i < n && status == PS_OK; i++) {
                uint64_t paradigm = order[i]->v[PS_OTF2_GROUP_PARADIGM];
                if (i == 0 || paradigm != order[i - 1]->v[PS_OTF2_GROUP_PARADIGM]) {
                        free(ranks);
                        status = ranks_of(c, paradigm, &ranks, &n_ranks);
                        by_location = is_pgas(paradigm) && shares_processes(c, ranks, ranks ? n_ranks : 0);
                }
                PS_THEN(status, resolve_group(c, order[i], &c->groups[order[i] - ROWS(c, PS_OTF2_GROUP)],
                                              ranks, n_ranks, by_location));
        }
        free(ranks);
        return status;
}

static ps_status resolve_groups(comms *c)
{
        uint32_t n = COUNT(c, PS_OTF2_GROUP);
        const ps_otf2_def **order = malloc((n + 1) * sizeof(const ps_otf2_def *));
        if (!order)
                return PS_NOMEM(c->err, "groups", n);
        for (uint32_t i = 0; i < n; i++)
                order[i] = &ROWS(c, PS_OTF2_GROUP)[i];
        qsort(order, n, sizeof(const ps_otf2_def *), by_paradigm);
        ps_status status = resolve_by_paradigm(c, order);
        free(order);
        for (uint32_t i = 0; i < n && status == PS_OK; i++) {
                const ps_otf2_def *def = &ROWS(c, PS_OTF2_GROUP)[i];
                const group *g = &c->groups[i];
                ps_group_def row = {ps_otf2_string(c->raw, def, def->v[PS_OTF2_NAME], c->issues),
                                    g->team ? 0 : g->n, g->team ? NULL : g->members};
                status = ps_defs_add_group(c->defs, &row, NULL, c->err);
        }
        return status;
}

static int by_global_rank(const void *a, const void *b)
{
        const ps_otf2_rank *x = a, *y = b;
        PS_ORDER_BY(x->global, y->global);
        return PS_ORDER(x->local, y->local);
}

/* A group flagged GLOBAL_MEMBERS: events of its communicators name peers by their rank in the whole paradigm.
 * Nothing is to be done when these are the same. */
static ps_status global_ranks(comms *c, const ps_otf2_def *def, ps_otf2_ranks *out)
{
        uint64_t flags = def->v[PS_OTF2_GROUP_FLAGS], *ids;
        if (flags == UINT64_MAX || !(flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) ||
            def->v[PS_OTF2_GROUP_TYPE] != OTF2_GROUP_TYPE_COMM_GROUP)
                return PS_OK;
        ps_status status = decode_members(def, &ids, c->err);
        uint64_t same = 0;
        while (status == PS_OK && same < def->count && ids[same] == same)
                same++;
        if (status == PS_OK && same < def->count) {
                out->rank = malloc(def->count * sizeof(*out->rank));
                out->n = (uint32_t)def->count;
                if (!out->rank)
                        status = PS_NOMEM(c->err, "ranks", def->count);
        }
        for (uint32_t i = 0; out->rank && i < out->n; i++)
                out->rank[i] = (ps_otf2_rank){ids[i] < PS_NONE ? (uint32_t)ids[i] : PS_NONE, i};
        if (out->rank)
                qsort(out->rank, out->n, sizeof(*out->rank), by_global_rank);
        free(ids);
        return status;
}

static const group *group_of(comms *c, const ps_otf2_def *comm, uint64_t id)
{
        const ps_otf2_def *def = ps_otf2_defs_find(c->raw, PS_OTF2_GROUP, id);
        if (!def)
                ps_otf2_defs_note(c->raw, comm, PS_I_DEF_UNKNOWN, c->issues);
        return def ? &c->groups[def - ROWS(c, PS_OTF2_GROUP)] : NULL;
}

static ps_comm comm_index(comms *c, const ps_otf2_def *from, uint64_t id)
{
        const ps_otf2_def *def = ps_otf2_defs_find(c->raw, PS_OTF2_COMM, id);
        if (!def && id != PS_OTF2_UNDEFINED)
                ps_otf2_defs_note(c->raw, from, PS_I_DEF_UNKNOWN, c->issues);
        return def ? (ps_comm)(def - ROWS(c, PS_OTF2_COMM)) : PS_NONE;
}

/* An intercommunicator's record is longer than a communicator's; its first group stands where a communicator
 * has its only one. */
static ps_status add_comm(comms *c, const ps_otf2_def *def)
{
        int inter = def->type != PS_OTF2_TYPE_COMM;
        const group *a = group_of(c, def, def->v[PS_OTF2_COMM_GROUP]);
        const group *b = inter ? group_of(c, def, def->v[PS_OTF2_INTER_B]) : NULL;
        ps_comm_def comm = {
                .name = ps_otf2_string(c->raw, def, def->v[PS_OTF2_NAME], c->issues),
                .parent = comm_index(c, def, def->v[inter ? PS_OTF2_INTER_PARENT : PS_OTF2_COMM_PARENT]),
                .inter = (uint8_t)inter};
        if (a) {
                comm.n_members = a->n;
                comm.members = a->members;
                comm.self = a->self;
                comm.team = a->team;
                comm.pgas = a->pgas;
        }
        if (b && b->team == comm.team) {
                comm.n_members_b = b->n;
                comm.members_b = b->members;
        }
        if (comm.team)
                comm.inter = 0;
        return ps_defs_add_comm(c->defs, &comm, NULL, c->err);
}

static ps_status resolve_comm_ranks(comms *c)
{
        uint32_t n = COUNT(c, PS_OTF2_COMM);
        ps_otf2_ranks *ranks = calloc(n + 1, sizeof(*ranks));
        int needed = 0;
        if (!ranks)
                return PS_NOMEM(c->err, "ranks", n);
        c->names->comm_ranks = ranks;
        for (uint32_t i = 0; i < n; i++) {
                const ps_otf2_def *def = &ROWS(c, PS_OTF2_COMM)[i];
                const ps_otf2_def *g = ps_otf2_defs_find(c->raw, PS_OTF2_GROUP, def->v[PS_OTF2_COMM_GROUP]);
                if (g && def->type == PS_OTF2_TYPE_COMM)
                        PS_TRY(global_ranks(c, g, &ranks[i]));
                needed |= ranks[i].rank != NULL;
        }
        if (!needed) {
                free(ranks);
                c->names->comm_ranks = NULL;
        }
        return PS_OK;
}

static ps_status resolve_all(comms *c)
{
        PS_TRY(resolve_groups(c));
        for (uint32_t i = 0; i < COUNT(c, PS_OTF2_COMM); i++)
                PS_TRY(add_comm(c, &ROWS(c, PS_OTF2_COMM)[i]));
        for (uint32_t i = 0; i < COUNT(c, PS_OTF2_WINDOW); i++) {
                const ps_otf2_def *def = &ROWS(c, PS_OTF2_WINDOW)[i];
                ps_window_def window = {ps_otf2_string(c->raw, def, def->v[PS_OTF2_NAME], c->issues),
                                        comm_index(c, def, def->v[PS_OTF2_WINDOW_COMM])};
                PS_TRY(ps_defs_add_window(c->defs, &window, NULL, c->err));
        }
        return PS_OK;
}

ps_status ps_otf2_resolve_comms(ps_otf2_names *names, const ps_otf2_defs *raw, ps_defs *defs,
                                ps_issues *issues, ps_error *err)
{
        static const struct {
                uint8_t mapping, table;
        } wanted[] = {{OTF2_MAPPING_GROUP, PS_OTF2_GROUP},
                      {OTF2_MAPPING_COMM, PS_OTF2_COMM},
                      {OTF2_MAPPING_RMA_WIN, PS_OTF2_WINDOW}};
        comms c = {names, raw, defs, issues, err, NULL};
        c.groups = calloc(raw->table[PS_OTF2_GROUP].n + 1, sizeof(*c.groups));
        ps_status status = c.groups ? PS_OK : PS_NOMEM(err, "groups", raw->table[PS_OTF2_GROUP].n);
        for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]) && status == PS_OK; i++)
                status = ps_otf2_take_ids(&names->ids[wanted[i].mapping], raw, (ps_otf2_table)wanted[i].table,
                                          0, err);
        PS_THEN(status, resolve_all(&c));
        PS_THEN(status, resolve_comm_ranks(&c));
        free(c.groups);
        return status;
}
