/* definitions.c - what all locations share, and the offsets of their clocks. */
#include "core/base/search.h"
#include "record/finish/archive.h"

#include "core/base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whose ranks processes have. */
static OTF2_Paradigm paradigm_of(const ps_archive *a)
{
        return a->run->processes.row[0].is_shmem ? OTF2_PARADIGM_SHMEM : OTF2_PARADIGM_MPI;
}

enum { RANKS_GROUP, FIRST_GROUP }; /* groups: which location has which rank; those of communicators */

/* All is gone through twice: to gather the texts, which have to be defined before anything that names them.
 */
#define CHECK(function, ...)                                                                                 \
        do {                                                                                                 \
                if (!a->is_gathering)                                                                        \
                        ps_archive_check(a, OTF2_GlobalDefWriter_Write##function(a->global, __VA_ARGS__));   \
        } while (0)

static ps_str text_of(ps_archive *a, const char *text)
{
        ps_str id = ps_strings_addz(a->run->strings, text);
        a->is_out_of_memory |= id == PS_NONE;
        return id;
}

static void write_strings(ps_archive *a, ps_str n)
{
        for (ps_str i = 0; i < n; i++)
                CHECK(String, i, ps_strings_get(a->run->strings, i));
}

/* Nodes in the order in which ranks meet them; `node` gets that of each rank. */
static void write_nodes(ps_archive *a, uint32_t *node)
{
        ps_map hosts = {0};
        ps_str machine = text_of(a, "machine"), class = text_of(a, "node");
        CHECK(SystemTreeNode, 0, machine, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
        for (uint32_t i = 0; i < a->run->processes.n; i++) {
                const ps_process *process = &a->run->processes.row[i];
                uint32_t n = (uint32_t)hosts.n;
                ps_str name = text_of(a, process->host);
                ps_time *id = ps_map_at(&hosts, name, 0, n + 1);
                a->is_out_of_memory |= !id;
                if (hosts.n > n)
                        CHECK(SystemTreeNode, n + 1, name, class, 0);
                node[process->rank] = id ? (uint32_t)*id : 0;
        }
        ps_map_free(&hosts);
}

static void write_processors(ps_archive *a)
{
        ps_str name = text_of(a, "PATSCAN::PROCESSORS");
        for (uint32_t i = 0; i < a->run->processes.n; i++) {
                const ps_process *process = &a->run->processes.row[i];
                if (!process->processors)
                        continue;
                OTF2_AttributeValue value = {.stringRef = text_of(a, process->processors)};
                CHECK(LocationGroupProperty, process->rank, name, OTF2_TYPE_STRING, value);
        }
}

/* Communicators are those of the archive, ranks those of the communicator. */
static void write_neighbours(ps_archive *a)
{
        char name[48];
        for (uint32_t i = 0; i < a->run->processes.n; i++) {
                const ps_process *process = &a->run->processes.row[i];
                for (uint32_t c = 0; c < process->comms.n; c++) {
                        const ps_raw_comm *comm = &process->comms.row[c];
                        if (!comm->neighbours)
                                continue;
                        snprintf(name, sizeof(name), "PATSCAN::NEIGHBOURS:%u", comm->id);
                        ps_str text = text_of(a, name);
                        OTF2_AttributeValue value = {.stringRef = text_of(a, comm->neighbours)};
                        CHECK(LocationGroupProperty, process->rank, text, OTF2_TYPE_STRING, value);
                }
        }
}

static void write_locations(ps_archive *a)
{
        char name[64];
        uint32_t *node = calloc((size_t)a->run->size + 1, sizeof(*node));
        a->is_out_of_memory |= !node;
        if (node)
                write_nodes(a, node);
        for (uint32_t rank = 0; node && rank < a->run->size; rank++) {
                snprintf(name, sizeof(name), "MPI Rank %u", rank);
                ps_str text = text_of(a, name);
                CHECK(LocationGroup, rank, text, OTF2_LOCATION_GROUP_TYPE_PROCESS, node[rank],
                      OTF2_UNDEFINED_LOCATION_GROUP);
        }
        write_processors(a);
        write_neighbours(a);
        for (uint32_t i = 0, in_rank = 0; i < a->run->threads.n; i++) {
                const ps_raw_run_thread *row = &a->run->threads.row[i];
                in_rank = i && row->rank == a->run->threads.row[i - 1].rank ? in_rank + 1 : 0;
                snprintf(name, sizeof(name), in_rank ? "Thread %u" : "Master thread", in_rank);
                ps_str text = text_of(a, name);
                CHECK(Location, i, text, OTF2_LOCATION_TYPE_CPU_THREAD, a->n_events[i], row->rank);
        }
        free(node);
}

static void write_regions(ps_archive *a)
{
        static const OTF2_Paradigm paradigms[] = {[PS_RAW_OF_USER] = OTF2_PARADIGM_USER,
                                                  [PS_RAW_OF_MPI] = OTF2_PARADIGM_MPI,
                                                  [PS_RAW_OF_SHMEM] = OTF2_PARADIGM_SHMEM,
                                                  [PS_RAW_OF_OPENMP] = OTF2_PARADIGM_OPENMP};
        ps_str none = text_of(a, "");
        for (uint32_t i = 0; i < a->run->regions.n; i++) {
                const ps_raw_run_region *row = &a->run->regions.row[i];
                const ps_raw_run_source *at =
                        row->source == PS_NONE ? NULL : &a->run->sources.row[row->source];
                CHECK(Region, i, row->name, row->name, none, row->role, paradigms[row->paradigm],
                      OTF2_REGION_FLAG_NONE, at ? at->file : OTF2_UNDEFINED_STRING, at ? at->line : 0, 0);
        }
}

static int by_length(const void *a, const void *b)
{
        const uint64_t *x = a, *y = b;
        return PS_ORDER(*x, *y);
}

/* How often samples really came: systems look at their timers now and then only. Most are further apart,
 * since others compute, too. */
static uint64_t period_of(ps_archive *a)
{
        uint64_t asked = 0;
        for (uint32_t i = 0; i < a->run->processes.n; i++)
                asked = a->run->processes.row[i].period > asked ? a->run->processes.row[i].period : asked;
        if (asked && a->distances.n) {
                qsort(a->distances.row, a->distances.n, sizeof(*a->distances.row), by_length);
                uint64_t often = a->distances.row[a->distances.n / 10];
                asked = often > asked ? often : asked;
        }
        return asked;
}

static void write_sampling(ps_archive *a)
{
        uint64_t period = period_of(a);
        ps_str name = text_of(a, "processor's time");
        if (period)
                CHECK(InterruptGenerator, 0, name, OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -9,
                      period);
}

static void write_contexts(ps_archive *a)
{
        for (uint32_t i = 0; i < a->run->sources.n; i++)
                CHECK(SourceCodeLocation, i, a->run->sources.row[i].file, a->run->sources.row[i].line);
        for (uint32_t i = 0; i < a->run->contexts.n; i++) {
                const ps_raw_run_context *row = &a->run->contexts.row[i];
                CHECK(CallingContext, i, row->region, row->source,
                      row->parent); /* none is UINT32_MAX in both */
        }
}

/* Ranks of a text "0 1 2"; *n of them, in memory that is the caller's. */
static uint64_t *members_of(const char *text, uint32_t *n)
{
        size_t most = strlen(text) / 2 + 1;
        uint64_t *members = malloc(most * sizeof(*members));
        *n = 0;
        int64_t rank;
        while (members && ps_number_signed(&text, -1, UINT32_MAX, &rank)) {
                members[(*n)++] = rank < 0 ? OTF2_UNDEFINED_UINT32 : (uint64_t)rank;
                text += *text == ' ';
        }
        return members;
}

static void write_groups(ps_archive *a)
{
        uint32_t n = 0;
        ps_str none = text_of(a, "");
        uint64_t *first = malloc(((size_t)a->run->size + 1) * sizeof(*first));
        a->is_out_of_memory |= !first;
        for (uint32_t i = 0; first && i < a->run->threads.n && n < a->run->size; i++)
                if (a->run->threads.row[i].rank == n)
                        first[n++] = i;
        if (first)
                CHECK(Group, RANKS_GROUP, none, OTF2_GROUP_TYPE_COMM_LOCATIONS, paradigm_of(a),
                      OTF2_GROUP_FLAG_NONE, n, first);
        free(first);
        for (uint32_t i = 0; i < a->run->groups.n; i++) {
                const ps_raw_run_group *row = &a->run->groups.row[i];
                uint64_t *members = members_of(row->members, &n);
                a->is_out_of_memory |= !members;
                if (members)
                        CHECK(Group, FIRST_GROUP + i, none,
                              row->is_self ? OTF2_GROUP_TYPE_COMM_SELF : OTF2_GROUP_TYPE_COMM_GROUP,
                              paradigm_of(a), OTF2_GROUP_FLAG_NONE, n, members);
                free(members);
        }
}

static void write_comms(ps_archive *a)
{
        for (uint32_t i = 0; i < a->run->comms.n; i++) {
                const ps_raw_run_comm *row = &a->run->comms.row[i];
                if (row->group_b == PS_NONE)
                        CHECK(Comm, i, row->name, FIRST_GROUP + row->group, row->parent, OTF2_COMM_FLAG_NONE);
                else
                        CHECK(InterComm, i, row->name, FIRST_GROUP + row->group, FIRST_GROUP + row->group_b,
                              row->parent, OTF2_COMM_FLAG_NONE);
        }
        for (uint32_t i = 0; i < a->run->windows.n; i++) {
                char name[32];
                snprintf(name, sizeof(name), "window %u", i);
                ps_str text = text_of(a, name);
                CHECK(RmaWin, i, text, a->run->windows.row[i], OTF2_RMA_WIN_FLAG_NONE);
        }
}

/* -- teams of OpenMP: groups and communicators behind those of MPI, by location -- */

static void write_team(ps_archive *a, uint32_t id, uint32_t group, uint64_t *members)
{
        ps_str none = text_of(a, "");
        uint32_t set = a->run->teams.row[id], n = a->run->sets.row[set - 1].n;
        for (uint32_t i = n; i-- > 0; set = a->run->sets.row[set - 1].before)
                members[i] = a->run->sets.row[set - 1].thread;
        CHECK(Group, group, none, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, n,
              members);
        CHECK(Comm, a->run->comms.n + id, none, group, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
}

static void write_teams(ps_archive *a)
{
        uint32_t n = a->run->threads.n, group = FIRST_GROUP + a->run->groups.n;
        ps_str name = text_of(a, "OpenMP");
        uint64_t *members = a->run->teams.n ? malloc((size_t)n * sizeof(*members)) : NULL;
        a->is_out_of_memory |= a->run->teams.n && !members;
        if (!members)
                return;
        CHECK(Paradigm, OTF2_PARADIGM_OPENMP, name, OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN);
        for (uint32_t i = 0; i < n; i++)
                members[i] = i;
        CHECK(Group, group, name, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE,
              n, members);
        for (uint32_t i = 0; i < a->run->teams.n; i++)
                write_team(a, i, group + 1 + i, members);
        free(members);
}

/* Two points of each clock, so that offsets are those that were measured, or none on one node. */
static void write_offsets(ps_archive *a, uint32_t location)
{
        const ps_raw_run_thread *thread = &a->run->threads.row[location];
        OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(a->otf2, location);
        a->is_out_of_memory |= !local;
        if (!local)
                return;
        const uint64_t *span = a->span[location];
        int n = a->n_events[location] == 0 ? 0 : span[0] < span[1] ? 2 : 1;
        for (int i = 0; i < n && thread->process != PS_NONE; i++) {
                uint64_t common = ps_process_common(&a->run->processes.row[thread->process], span[i]);
                ps_archive_check(
                        a, OTF2_DefWriter_WriteClockOffset(local, span[i], (int64_t)(common - span[i]), 0));
                a->first = common < a->first ? common : a->first;
                a->last = common > a->last ? common : a->last;
        }
        ps_archive_check(a, OTF2_Archive_CloseDefWriter(a->otf2, local));
}

void ps_archive_definitions(ps_archive *a)
{
        ps_archive_check(a, OTF2_Archive_OpenDefFiles(a->otf2));
        for (uint32_t i = 0; i < a->run->threads.n && !a->is_out_of_memory; i++)
                write_offsets(a, i);
        ps_archive_check(a, OTF2_Archive_CloseDefFiles(a->otf2));
        bool is_empty = a->first > a->last;
        CHECK(ClockProperties, 1000000000, is_empty ? 0 : a->first, is_empty ? 0 : a->last - a->first + 1,
              OTF2_UNDEFINED_TIMESTAMP);
        ps_str name = text_of(a, paradigm_of(a) == OTF2_PARADIGM_SHMEM ? "SHMEM" : "MPI");
        for (int is_writing = 0; is_writing < 2; is_writing++) {
                a->is_gathering = !is_writing;
                if (is_writing)
                        write_strings(a, text_of(a, "end of strings"));
                CHECK(Paradigm, paradigm_of(a), name, OTF2_PARADIGM_CLASS_PROCESS);
                write_locations(a);
                write_regions(a);
                write_contexts(a);
                write_sampling(a);
                write_groups(a);
                write_comms(a);
                write_teams(a);
        }
}
