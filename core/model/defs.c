/* defs.c - growing tables while a reader fills them, and what is derived when it is done. */
#include "core/model/defs.h"

#include "core/base/search.h"
#include "core/base/vector.h"
#include "core/model/kinds.h"

#include <stdlib.h>
#include <string.h>

ps_status ps_defs_init(ps_defs *defs, ps_error *err)
{
        memset(defs, 0, sizeof(*defs));
        defs->arena = ps_arena_new();
        defs->strings = defs->arena ? ps_strings_new(defs->arena) : NULL;
        if (defs->strings)
                return PS_OK;
        ps_defs_free(defs);
        return PS_NOMEM(err, "definitions", 1);
}

void ps_defs_free(ps_defs *defs)
{
        void *tables[] = {defs->regions.row, defs->locations.row, defs->processes.row, defs->comms.row,
                          defs->groups.row,  defs->windows.row,   defs->contexts.row,  defs->codes.row,
                          defs->params.row,  defs->metrics.row,   defs->near_lists.row};
        for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
                free(tables[i]);
        ps_strings_free(defs->strings);
        ps_arena_free(defs->arena);
        memset(defs, 0, sizeof(*defs));
}

static ps_status keep_index(uint32_t *out, uint32_t index)
{
        if (out)
                *out = index;
        return PS_OK;
}

#define APPEND(table, source, what)                                                                          \
        (PS_PUSH(table, *(source)) ? PS_NOMEM(err, (what), (table).n) : keep_index(out, (table).n - 1))

ps_status ps_defs_add_region(ps_defs *defs, const ps_region_def *def, ps_region *out, ps_error *err)
{
        return APPEND(defs->regions, def, "regions");
}

ps_status ps_defs_add_location(ps_defs *defs, const ps_location_def *def, ps_loc *out, ps_error *err)
{
        return APPEND(defs->locations, def, "locations");
}

ps_status ps_defs_add_process(ps_defs *defs, const ps_process_def *def, ps_proc *out, ps_error *err)
{
        return APPEND(defs->processes, def, "processes");
}

ps_status ps_defs_add_comm(ps_defs *defs, const ps_comm_def *def, ps_comm *out, ps_error *err)
{
        return APPEND(defs->comms, def, "communicators");
}

ps_status ps_defs_add_group(ps_defs *defs, const ps_group_def *def, uint32_t *out, ps_error *err)
{
        return APPEND(defs->groups, def, "groups");
}

ps_status ps_defs_add_window(ps_defs *defs, const ps_window_def *def, uint32_t *out, ps_error *err)
{
        return APPEND(defs->windows, def, "windows");
}

ps_status ps_defs_add_context(ps_defs *defs, const ps_context_def *def, uint32_t *out, ps_error *err)
{
        return APPEND(defs->contexts, def, "calling contexts");
}

ps_status ps_defs_add_code(ps_defs *defs, const char *name, uint32_t *out, ps_error *err)
{
        ps_str id = ps_strings_addz(defs->strings, name);
        return id == PS_NONE ? PS_NOMEM(err, "strings", 1) : APPEND(defs->codes, &id, "record types");
}

ps_status ps_defs_add_param(ps_defs *defs, ps_str name, uint32_t *out, ps_error *err)
{
        return APPEND(defs->params, &name, "parameters");
}

ps_status ps_defs_add_metric(ps_defs *defs, ps_str name, uint32_t *out, ps_error *err)
{
        return APPEND(defs->metrics, &name, "metrics");
}

static ps_names family_of(uint8_t paradigm)
{
        return paradigm == PS_PARADIGM_PGAS    ? PS_NAMES_UPC
               : paradigm == PS_PARADIGM_SHMEM ? PS_NAMES_SHMEM
                                               : PS_NAMES_OTHER;
}

/* Names rule where they are known: a recorder may file MPI under user functions. The roles of other paradigms
 * tell what a construct without a fixed name is. */
static void classify_region(const ps_defs *defs, ps_region_def *region)
{
        static const uint8_t paradigms[] = {[PS_NAMES_MPI] = PS_PARADIGM_MPI,
                                            [PS_NAMES_UPC] = PS_PARADIGM_PGAS,
                                            [PS_NAMES_SHMEM] = PS_PARADIGM_SHMEM};
        static const struct {
                uint8_t paradigm, role, kind;
        } constructs[] = {
                {PS_PARADIGM_OPENMP, PS_ROLE_BARRIER, PS_K_TEAM_BARRIER},
                {PS_PARADIGM_OPENMP, PS_ROLE_IMPLICIT_BARRIER, PS_K_TEAM_IMPLICIT_BARRIER},
                {PS_PARADIGM_PGAS, PS_ROLE_BARRIER, PS_K_BARRIER},
                {PS_PARADIGM_SHMEM, PS_ROLE_BARRIER, PS_K_BARRIER},
                {PS_PARADIGM_PGAS, PS_ROLE_COLLECTIVE, PS_K_COLLECTIVE},
                {PS_PARADIGM_SHMEM, PS_ROLE_COLLECTIVE, PS_K_COLLECTIVE},
        };
        const char *name = ps_defs_str(defs, region->name);
        region->idle = region->paradigm != PS_PARADIGM_USER && strcmp(name, "idle") == 0;
        region->is_of_files = region->paradigm == PS_PARADIGM_IO;
        if (region->given)
                return;
        const ps_names family = family_of(region->paradigm); /* of others the name alone tells all */
        ps_name_info info = ps_kind_of_name(name);
        if (info.family == PS_NAMES_OTHER && family != PS_NAMES_OTHER)
                info = ps_kind_of_pgas_name(name, family);
        if (info.family == PS_NAMES_OTHER && region->means)
                info = ps_kind_of_name(ps_defs_str(defs, region->means));
        region->kind = (uint8_t)info.kind;
        region->nonblocking = info.nonblocking;
        if (info.is_of_files)
                region->is_of_files = 1;
        if (info.family != PS_NAMES_OTHER) {
                region->paradigm = paradigms[info.family];
                if (ps_paradigm_is_pgas(region->paradigm))
                        region->sync = (uint8_t)ps_sync_merge(region->sync, info.sync);
                return;
        }
        for (size_t i = 0; i < sizeof(constructs) / sizeof(constructs[0]); i++)
                if (constructs[i].paradigm == region->paradigm && constructs[i].role == region->role)
                        region->kind = constructs[i].kind;
}

static void find_plain(ps_region_def *region)
{
        const bool is_pgas = region->kind != PS_K_NONE && ps_paradigm_is_pgas(region->paradigm);
        const bool is_simple = !region->idle && region->kind != PS_K_FINALIZE;
        region->is_plain = is_simple && !is_pgas;
        region->is_plain_pgas = is_simple && is_pgas;
}

/* All processes, or the threads of the only one. */
static ps_status add_everybody(ps_defs *defs, ps_error *err)
{
        uint32_t n = defs->processes.n, n_cpu = 0;
        uint32_t *members = PS_ARENA_NEW(defs->arena, uint32_t, n > 1 ? n : defs->locations.n);
        ps_str name = ps_strings_addz(defs->strings, "all threads");
        if (!members || name == PS_NONE)
                return PS_NOMEM(err, "communicators", n);
        for (uint32_t i = 0; i < n; i++)
                members[i] = i;
        for (ps_loc l = 0; n <= 1 && l < defs->locations.n; l++)
                if (defs->locations.row[l].type == PS_LOCATION_CPU)
                        members[n_cpu++] = l;
        ps_comm_def comm = {.name = name,
                            .parent = PS_NONE,
                            .n_members = n > 1 ? n : n_cpu,
                            .members = members,
                            .team = n <= 1,
                            .pgas = 1};
        return ps_defs_add_comm(defs, &comm, &defs->pgas_comm, err);
}

/* Many recorders of PGAS programs write names only: their collectives are those of all threads. */
static ps_status find_pgas_comm(ps_defs *defs, ps_error *err)
{
        int needed = 0;
        uint32_t most = 0;
        defs->pgas_comm = PS_NONE;
        for (ps_region r = 0; r < defs->regions.n; r++)
                needed |= defs->regions.row[r].kind != PS_K_NONE &&
                          ps_paradigm_is_pgas(defs->regions.row[r].paradigm);
        for (ps_comm c = 0; c < defs->comms.n; c++) {
                const ps_comm_def *comm = &defs->comms.row[c];
                if (!comm->pgas || comm->self || comm->inter || comm->n_members <= most)
                        continue;
                most = comm->n_members;
                defs->pgas_comm = c;
        }
        if (!needed || defs->pgas_comm != PS_NONE)
                return PS_OK;
        if (defs->processes.n > 1) /* else the threads of the only one are members */
                defs->pgas_comm = ps_defs_world(defs);
        return defs->pgas_comm != PS_NONE ? PS_OK : add_everybody(defs, err);
}

/* Counting sort of the CPU locations by process; their order within a process is that of the trace. */
static ps_status group_locations(ps_defs *defs, ps_error *err)
{
        uint32_t n = defs->locations.n;
        ps_loc *by_process = PS_ARENA_NEW(defs->arena, ps_loc, n);
        if (!by_process)
                return PS_NOMEM(err, "locations", n);
        for (ps_proc p = 0; p < defs->processes.n; p++)
                defs->processes.row[p].n_locs = 0;
        for (ps_loc l = 0; l < n; l++) {
                const ps_location_def *loc = &defs->locations.row[l];
                if (loc->process >= defs->processes.n)
                        return PS_FAIL(err, PS_E_INTERNAL,
                                       "location without a process: location=%u, process=%u", l,
                                       loc->process);
                if (loc->type == PS_LOCATION_CPU)
                        defs->processes.row[loc->process].n_locs++;
        }
        uint32_t at = 0;
        for (ps_proc p = 0; p < defs->processes.n; p++) {
                defs->processes.row[p].first = at;
                at += defs->processes.row[p].n_locs;
                defs->processes.row[p].n_locs = 0;
        }
        for (ps_loc l = 0; l < n; l++) {
                ps_location_def *loc = &defs->locations.row[l];
                ps_process_def *process = &defs->processes.row[loc->process];
                if (loc->type != PS_LOCATION_CPU)
                        continue;
                loc->thread = process->n_locs++;
                defs->partners_vary |= loc->thread > 0;
                by_process[process->first + loc->thread] = l;
        }
        defs->by_process = by_process;
        return PS_OK;
}

/* Those of which two may be the sides of an intercommunicator: see core/match/intercomm.c. */
static bool are_sides_possible(const ps_defs *defs)
{
        uint32_t n = 0;
        for (ps_comm c = 0; c < defs->comms.n; c++) {
                const ps_comm_def *comm = &defs->comms.row[c];
                n += !comm->inter && !comm->self && !comm->team && !comm->pgas;
        }
        return n > 1;
}

static int compare_members(const void *a, const void *b)
{
        const uint32_t *x = a, *y = b;
        return PS_ORDER(*x, *y);
}

bool ps_defs_in_group_a(const ps_comm_def *comm, ps_proc process)
{
        return comm->n_members &&
               bsearch(&process, comm->sorted_a, comm->n_members, sizeof(process), compare_members);
}

static int compare_groups(const void *a, const void *b)
{
        const ps_comm_def *x = *(ps_comm_def *const *)a, *y = *(ps_comm_def *const *)b;
        uintptr_t p = (uintptr_t)x->members, q = (uintptr_t)y->members;
        PS_ORDER_BY(p, q);
        return PS_ORDER(x->n_members, y->n_members);
}

/* Communicators of one group share the sorted one too, so that memory follows the size of the definitions. */
static ps_status sort_groups(ps_defs *defs, ps_comm_def **inter, uint32_t n, ps_error *err)
{
        if (n)
                qsort(inter, n, sizeof(ps_comm_def *), compare_groups);
        for (uint32_t i = 0; i < n; i++) {
                if (i && compare_groups(&inter[i - 1], &inter[i]) == 0) {
                        inter[i]->sorted_a = inter[i - 1]->sorted_a;
                        continue;
                }
                uint32_t *sorted = PS_ARENA_NEW(defs->arena, uint32_t, inter[i]->n_members);
                if (!sorted)
                        return PS_NOMEM(err, "group members", inter[i]->n_members);
                if (inter[i]->n_members) {
                        memcpy(sorted, inter[i]->members, inter[i]->n_members * sizeof(*sorted));
                        qsort(sorted, inter[i]->n_members, sizeof(*sorted), compare_members);
                }
                inter[i]->sorted_a = sorted;
        }
        return PS_OK;
}

/* Everything that follows indexes by members without looking again. */
static ps_status check_members(const ps_defs *defs, const ps_comm_def *comm, const uint32_t *members,
                               uint32_t n, ps_error *err)
{
        uint32_t end = comm->team ? defs->locations.n : defs->processes.n;
        for (uint32_t i = 0; i < n; i++)
                if (members[i] != PS_NONE && members[i] >= end)
                        return PS_FAIL(err, PS_E_INTERNAL,
                                       "communicator with an unknown member: comm=\"%s\", rank=%u",
                                       ps_defs_str(defs, comm->name), i);
        return PS_OK;
}

static ps_status freeze_comms(ps_defs *defs, ps_error *err)
{
        ps_status status = PS_OK;
        uint32_t n_inter = 0;
        ps_comm_def **inter = malloc(((size_t)defs->comms.n + 1) * sizeof(ps_comm_def *));
        if (!inter)
                return PS_NOMEM(err, "communicators", defs->comms.n);
        for (ps_comm c = 0; c < defs->comms.n && status == PS_OK; c++) {
                ps_comm_def *comm = &defs->comms.row[c];
                status = check_members(defs, comm, comm->members, comm->n_members, err);
                PS_THEN(status, check_members(defs, comm, comm->members_b, comm->n_members_b, err));
                if (comm->inter)
                        inter[n_inter++] = comm;
        }
        PS_THEN(status, sort_groups(defs, inter, n_inter, err));
        free(inter);
        return status;
}

ps_status ps_defs_freeze(ps_defs *defs, ps_error *err)
{
        for (uint32_t i = 0; i < defs->contexts.n; i++)
                if (defs->contexts.row[i].parent != PS_NONE && defs->contexts.row[i].parent >= i)
                        return PS_FAIL(err, PS_E_INTERNAL, "calling context before its parent: context=%u",
                                       i);
        for (ps_region r = 0; r < defs->regions.n; r++) {
                ps_region_def *region = &defs->regions.row[r];
                classify_region(defs, region);
                find_plain(region);
        }
        defs->is_dvm = false;
        for (ps_region r = 0; r < defs->regions.n; r++)
                defs->is_dvm |= ps_region_dvm_is_any(&defs->regions.row[r].dvm);
        PS_TRY(find_pgas_comm(defs, err));
        PS_TRY(freeze_comms(defs, err));
        defs->partners_vary = are_sides_possible(defs);
        return group_locations(defs, err);
}

/* -- neighbours -- */

static int compare_near(const void *a, const void *b)
{
        const ps_near *x = a, *y = b;
        return PS_ORDER(x->rank, y->rank);
}

ps_status ps_near_add_list(ps_defs *defs, uint32_t *ranks, uint32_t n, uint32_t *out, ps_error *err)
{
        *out = defs->near_lists.n;
        if (n)
                qsort(ranks, n, sizeof(*ranks), compare_members);
        int lack = PS_PUSH(defs->near_lists, 0);
        for (uint32_t i = 0; i < n && !lack; i++)
                if (!i || ranks[i] != ranks[i - 1])
                        lack = PS_PUSH(defs->near_lists, ranks[i]);
        if (lack)
                return PS_NOMEM(err, "neighbours", defs->near_lists.n);
        defs->near_lists.row[*out] = defs->near_lists.n - *out - 1;
        return PS_OK;
}

ps_status ps_near_set(ps_defs *defs, ps_comm comm, ps_near *rows, uint32_t n, ps_error *err)
{
        ps_comm_def *def = &defs->comms.row[comm];
        ps_near *kept = PS_ARENA_NEW(defs->arena, ps_near, n);
        if (!kept)
                return PS_NOMEM(err, "neighbours", n);
        if (n)
                qsort(rows, n, sizeof(*rows), compare_near);
        for (uint32_t i = 0; i < n; i++)
                kept[i] = rows[i];
        def->near = kept;
        def->n_near = n;
        return PS_OK;
}

/* Mostly all ranks have some. */
const uint32_t *ps_near_of(const ps_defs *defs, const ps_comm_def *comm, uint32_t rank, uint32_t *n)
{
        uint32_t low = 0;
        if (rank < comm->n_near && comm->near[rank].rank == rank)
                low = rank;
        else
                PS_BISECT(low, comm->n_near, i, comm->near[i].rank < rank);
        *n = 0;
        if (low == comm->n_near || comm->near[low].rank != rank)
                return NULL;
        const uint32_t *list = &defs->near_lists.row[comm->near[low].list];
        *n = *list;
        return list + 1;
}

ps_proc ps_defs_peer(const ps_defs *defs, ps_comm comm, uint32_t rank, ps_proc from)
{
        if (comm >= defs->comms.n)
                return PS_NONE;
        const ps_comm_def *c = &defs->comms.row[comm];
        if (c->team)
                return PS_NONE;
        if (c->self)
                return rank == 0 ? from : PS_NONE;
        int remote_b = c->inter && ps_defs_in_group_a(c, from);
        const uint32_t *members = remote_b ? c->members_b : c->members;
        return rank < (remote_b ? c->n_members_b : c->n_members) ? members[rank] : PS_NONE;
}

bool ps_defs_has_pgas(const ps_defs *defs)
{
        for (ps_region r = 0; r < defs->regions.n; r++)
                if (ps_paradigm_is_pgas(defs->regions.row[r].paradigm))
                        return true;
        return false;
}

ps_comm ps_defs_world(const ps_defs *defs)
{
        ps_comm best = PS_NONE;
        for (ps_comm c = 0; c < defs->comms.n; c++) {
                const ps_comm_def *comm = &defs->comms.row[c];
                if (comm->team || comm->self || comm->inter || comm->n_members != defs->processes.n)
                        continue;
                if (strcmp(ps_defs_str(defs, comm->name), "MPI_COMM_WORLD") == 0)
                        return c;
                if (best == PS_NONE)
                        best = c;
        }
        return best;
}

const char *ps_defs_str(const ps_defs *defs, ps_str id)
{
        return ps_strings_get(defs->strings, id);
}
