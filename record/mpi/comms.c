/* comms.c - communicators by numbers of the process's own.
 *
 * Which communicators of several processes are one is found by the finish: those that were made in the same
 * way of the same one, with the same members, as often before. So nobody has to send anything. */
#include "record/mpi/calls.h"

#include <stdio.h>
#include <string.h>

enum { BUCKETS = 256, LINE_RANKS = 400 };

typedef struct comm_node {
        struct comm_node *next;
        MPI_Comm comm;
        ps_comm_info info;
} comm_node;

static struct {
        comm_node *bucket[BUCKETS];
        MPI_Group world;
        uint32_t n;
        uint64_t *groups; /* hashes of their members */
        size_t n_groups, groups_cap;
        uint32_t age; /* counts changes, so that threads know when their caches are old */
} comms;

static comm_node **bucket_of(MPI_Comm comm)
{
        uint64_t key = (uint64_t)(uintptr_t)comm;
        return &comms.bucket[(key * 0x9E3779B97F4A7C15U) >> 56];
}

/* Members as ranks of the world, which whoever asked frees; NULL: no memory. */
static int *members_of(MPI_Group group, int *size)
{
        PMPI_Group_size(group, size);
        int *from = malloc(((size_t)*size + 1) * sizeof(*from)),
            *to = malloc(((size_t)*size + 1) * sizeof(*to));
        for (int i = 0; from && i < *size; i++)
                from[i] = i;
        if (from && to)
                PMPI_Group_translate_ranks(group, *size, from, comms.world, to);
        free(from);
        return to;
}

/* A line for so many. */
static void define_members(const char *what, uint32_t id, const int *members, int size)
{
        char line[LINE_RANKS * 8];
        for (int first = 0; members && first < size; first += LINE_RANKS) {
                size_t at = 0;
                for (int i = first; i < size && i < first + LINE_RANKS; i++)
                        at += (size_t)snprintf(line + at, sizeof(line) - at, " %d",
                                               members[i] == MPI_UNDEFINED ? -1 : members[i]);
                ps_shim_define("%s %u%s\n", what, id, line);
        }
}

static void define_group(const char *what, uint32_t id, MPI_Group group)
{
        int size = 0, *members = members_of(group, &size);
        define_members(what, id, members, size);
        free(members);
}

static void define_groups(uint32_t id, MPI_Comm comm, bool is_inter)
{
        MPI_Group group;
        PMPI_Comm_group(comm, &group);
        define_group("members", id, group);
        PMPI_Group_free(&group);
        if (!is_inter)
                return;
        PMPI_Comm_remote_group(comm, &group);
        define_group("remote", id, group);
        PMPI_Group_free(&group);
}

/* -- whose data the process gets in the collective operations along a topology -- */

enum { MORE_THAN_ANY_GRID = 64 }; /* dimensions */

/* Each gives ranks that the caller frees, some of them negative where there is nobody, and *n of them. */

static int *near_in_grid(MPI_Comm comm, int *n)
{
        int n_dims = 0;
        PMPI_Cartdim_get(comm, &n_dims);
        int *near = n_dims <= MORE_THAN_ANY_GRID ? malloc(((size_t)n_dims * 2 + 1) * sizeof(*near)) : NULL;
        for (int i = 0; near && i < n_dims; i++, *n += 2)
                PMPI_Cart_shift(comm, i, 1, &near[*n], &near[*n + 1]);
        return near;
}

static int *near_in_graph(MPI_Comm comm, int *n)
{
        int rank, most = 0;
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, &most);
        int *near = malloc(((size_t)most + 1) * sizeof(*near));
        if (near && PMPI_Graph_neighbors(comm, rank, most, near) == MPI_SUCCESS)
                *n = most;
        return near;
}

/* Those that it sends to, and all weights, are told to nobody. */
static int *near_in_dist_graph(MPI_Comm comm, int *n)
{
        int n_in = 0, n_out = 0, is_weighted;
        PMPI_Dist_graph_neighbors_count(comm, &n_in, &n_out, &is_weighted);
        int *near = malloc(((size_t)n_in * 2 + (size_t)n_out * 2 + 4) * sizeof(*near));
        if (near && PMPI_Dist_graph_neighbors(comm, n_in, near, near + n_in + 1, n_out, near + 2 * n_in + 2,
                                              near + 2 * n_in + n_out + 3) == MPI_SUCCESS)
                *n = n_in;
        return near;
}

static void define_neighbours(uint32_t id, MPI_Comm comm)
{
        int kind = MPI_UNDEFINED, n = 0, kept = 0;
        PMPI_Topo_test(comm, &kind);
        int *near = kind == MPI_CART         ? near_in_grid(comm, &n)
                    : kind == MPI_GRAPH      ? near_in_graph(comm, &n)
                    : kind == MPI_DIST_GRAPH ? near_in_dist_graph(comm, &n)
                                             : NULL;
        for (int i = 0; near && i < n; i++)
                if (near[i] >= 0)
                        near[kept++] = near[i];
        define_members("neighbours", id, near, kept);
        free(near);
}

/* Under the lock. `same_as`: a communicator with the same members, which need not be told again. */
static ps_comm_info add_comm(MPI_Comm comm, const char *how, uint32_t parent, int tag, MPI_Comm same_as)
{
        int is_inter = 0, result = MPI_UNEQUAL;
        comm_node *node = calloc(1, sizeof(*node));
        ps_comm_info info = {.id = comms.n++};
        PMPI_Comm_test_inter(comm, &is_inter);
        PMPI_Comm_rank(comm, &info.rank);
        PMPI_Comm_size(comm, &info.size);
        if (is_inter)
                PMPI_Comm_remote_size(comm, &info.remote);
        if (same_as != MPI_COMM_NULL && !is_inter)
                PMPI_Comm_compare(comm, same_as, &result);
        ps_shim_define("comm %u %s %u %d %d %d\n", info.id, how, parent, tag, info.size,
                       result == MPI_CONGRUENT || result == MPI_IDENT);
        if (result != MPI_CONGRUENT && result != MPI_IDENT)
                define_groups(info.id, comm, is_inter);
        if (!is_inter)
                define_neighbours(info.id, comm);
        if (node) {
                comm_node **bucket = bucket_of(comm);
                *node = (comm_node){*bucket, comm, info};
                *bucket = node;
        }
        __atomic_add_fetch(&comms.age, 1, __ATOMIC_RELEASE);
        return info;
}

void ps_shim_comms_start(void)
{
        PMPI_Comm_group(MPI_COMM_WORLD, &comms.world);
        add_comm(MPI_COMM_WORLD, "world", PS_RAW_COMM_WORLD, 0, MPI_COMM_WORLD);
        add_comm(MPI_COMM_SELF, "self", PS_RAW_COMM_WORLD, 0, MPI_COMM_SELF);
}

/* Under the lock. One that nobody saw being made is taken as it is found. */
static ps_comm_info find_comm(MPI_Comm comm)
{
        int is_inter = 0;
        for (const comm_node *node = *bucket_of(comm); node; node = node->next)
                if (node->comm == comm)
                        return node->info;
        PMPI_Comm_test_inter(comm, &is_inter);
        return add_comm(comm, "found", PS_RAW_COMM_WORLD, 0, is_inter ? MPI_COMM_NULL : MPI_COMM_WORLD);
}

ps_comm_info ps_shim_comm(MPI_Comm comm)
{
        uint64_t key = (uint64_t)(uintptr_t)comm;
        unsigned i = (unsigned)((key * 0x9E3779B97F4A7C15U) >> 60) % PS_COMM_CACHE;
        uint32_t age = __atomic_load_n(&comms.age, __ATOMIC_ACQUIRE);
        if (ps_call.comms_age == age && ps_call.comms[i].comm == comm)
                return ps_call.comms[i].info;
        if (ps_call.comms_age != age)
                memset(ps_call.comms, 0, sizeof(ps_call.comms));
        ps_shim_lock();
        ps_call.comms[i].info = find_comm(comm);
        ps_call.comms[i].comm = comm;
        ps_call.comms_age = comms.age;
        ps_shim_unlock();
        return ps_call.comms[i].info;
}

void ps_shim_comm_made(ps_thread *t, const char *how, MPI_Comm parent, MPI_Comm made, int tag)
{
        if (made == MPI_COMM_NULL)
                return;
        ps_shim_lock();
        uint32_t id = add_comm(made, how, find_comm(parent).id, tag, parent).id;
        ps_shim_unlock();
        PS_SHIM_NOTE(t, COMM_CREATE, id);
}

void ps_shim_comm_gone(ps_thread *t, MPI_Comm comm)
{
        uint32_t id = ps_shim_comm(comm).id;
        PS_SHIM_NOTE(t, COMM_DESTROY, id);
        ps_shim_lock();
        for (comm_node **at = bucket_of(comm); *at; at = &(*at)->next) {
                comm_node *node = *at;
                if (node->comm != comm)
                        continue;
                *at = node->next;
                free(node);
                break;
        }
        __atomic_add_fetch(&comms.age, 1, __ATOMIC_RELEASE);
        ps_shim_unlock();
}

/* Programs make the same groups again and again: those that are known by their members keep their number. */
uint32_t ps_shim_group(MPI_Group group)
{
        int size = 0, *members = members_of(group, &size);
        uint64_t hash = 0xcbf29ce484222325U;
        for (int i = 0; members && i < size; i++)
                hash = (hash ^ (uint32_t)members[i]) * 0x100000001b3U;
        ps_shim_lock();
        size_t id = 0;
        while (id < comms.n_groups && comms.groups[id] != hash)
                id++;
        if (id == comms.n_groups &&
            ps_shim_room(&comms.groups, &comms.groups_cap, id + 1, sizeof(*comms.groups)) == 0) {
                comms.groups[comms.n_groups++] = hash;
                define_members("group", (uint32_t)id, members, size);
        }
        ps_shim_unlock();
        free(members);
        return (uint32_t)id;
}
