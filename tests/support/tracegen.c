/* tracegen.c - gathers definitions and writes records. */
#include "tests/support/damage.h"
#include "tests/support/tracegen_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The library asks for the host's id at every archive that it writes, and the system's answer is a look-up of
 * the host's name, which takes seconds where it has no entry. It goes into a random number only: none is as
 * good. */
__attribute__((visibility("default"))) long gethostid(void)
{
        return 1;
}

void ps_gen_check(OTF2_ErrorCode code, const char *what)
{
        if (code != OTF2_SUCCESS)
                ps_test_die("%s: %s", OTF2_Error_GetDescription(code), what);
}

void *ps_gen_grow(void *rows, uint32_t n, uint32_t *cap, size_t size)
{
        if (n == *cap) {
                *cap = n ? 2 * n : 16;
                rows = realloc(rows, *cap * size);
                if (!rows)
                        ps_test_die("out of memory");
        }
        memset((char *)rows + n * size, 0, size);
        return rows;
}

static char *copy_text(const char *text)
{
        char *copy = strdup(text);
        if (!copy)
                ps_test_die("out of memory");
        return copy;
}

/* -- life -- */

static OTF2_FlushType before_flush(void *ctx, OTF2_FileType type, OTF2_LocationRef loc, void *caller,
                                   bool final)
{
        (void)ctx, (void)type, (void)loc, (void)caller, (void) final;
        return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = before_flush};

static void open_archive(ps_gen *g)
{
        OTF2_Archive *a = OTF2_Archive_Open(g->path, g->name, OTF2_FILEMODE_WRITE, g->o.chunk_bytes,
                                            OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
        if (!a)
                ps_test_die("cannot make archive: path=\"%s\"", g->path);
        CHECK(OTF2_Archive_SetFlushCallbacks(a, &flush_callbacks, NULL));
        CHECK(OTF2_Archive_SetSerialCollectiveCallbacks(a));
        if (g->o.creator || g->o.style == PS_GEN_SCOREP)
                CHECK(OTF2_Archive_SetCreator(a, g->o.creator ? g->o.creator : "Score-P 8.4"));
        CHECK(OTF2_Archive_OpenEvtFiles(a));
        g->archive = a;
}

static uint64_t native_id(const ps_gen *g, uint32_t rank, uint32_t thread)
{
        return g->o.style == PS_GEN_EZTRACE ? (uint64_t)rank * g->region_stride + thread
                                            : rank + ((uint64_t)thread << 32);
}

static void open_locations(ps_gen *g)
{
        g->n_locs = g->o.ranks * g->o.threads;
        g->locs = calloc(g->n_locs, sizeof *g->locs);
        if (!g->locs)
                ps_test_die("out of memory");
        for (uint32_t i = 0; i < g->n_locs; i++) {
                gen_location *l = &g->locs[i];
                l->rank = i % g->o.ranks;
                l->thread = i / g->o.ranks;
                l->id = native_id(g, l->rank, l->thread);
                l->type = OTF2_LOCATION_TYPE_CPU_THREAD;
                l->promised = UINT64_MAX;
                l->writer = OTF2_Archive_GetEvtWriter(g->archive, l->id);
                l->attributes = OTF2_AttributeList_New();
                if (!l->writer || !l->attributes)
                        ps_test_die("cannot write location %u", i);
        }
}

static OTF2_Paradigm world_paradigm(const ps_gen *g)
{
        return g->o.pgas ? g->o.pgas : OTF2_PARADIGM_MPI;
}

/* Members of teams count in a group of all locations, in the order of ranks and then threads. */
static uint32_t team_member(const ps_gen *g, uint32_t loc)
{
        return g->locs[loc].rank * g->o.threads + g->locs[loc].thread;
}

static void define_world(ps_gen *g)
{
        uint32_t n = g->o.pgas ? g->n_locs : g->o.ranks;
        uint32_t all = ps_gen_group_add(g, g->o.style == PS_GEN_EZTRACE ? "MPI_COMM_WORLD" : "",
                                        OTF2_GROUP_TYPE_COMM_LOCATIONS, world_paradigm(g), n);
        for (uint32_t i = 0; i < n; i++)
                g->groups.row[all].members[g->o.pgas ? team_member(g, i) : i] = g->locs[i].id;
        uint32_t *ranks = calloc(n, sizeof *ranks);
        for (uint32_t i = 0; ranks && i < n; i++)
                ranks[i] = i;
        const char *name = g->o.pgas ? "all threads" : "MPI_COMM_WORLD";
        if (!ranks || ps_gen_comm(g, name, ranks, n) != PS_GEN_WORLD)
                ps_test_die("cannot define the world");
        free(ranks);
        if (g->o.style == PS_GEN_EZTRACE)
                g->groups.row[g->comms.row[PS_GEN_WORLD].group_a].id = 0;
}

static void set_defaults(ps_gen_options *o)
{
        if (!o->ranks)
                o->ranks = 1;
        if (!o->threads)
                o->threads = 1;
        if (!o->resolution)
                o->resolution = 1000000000;
        if (!o->start)
                o->start = 1000000000;
        if (!o->chunk_bytes)
                o->chunk_bytes = OTF2_CHUNK_SIZE_MIN;
}

ps_gen *ps_gen_new(const char *path, ps_gen_options options)
{
        ps_gen *g = calloc(1, sizeof *g);
        if (!g)
                ps_test_die("out of memory");
        set_defaults(&options);
        g->o = options;
        g->name = options.style == PS_GEN_EZTRACE ? "eztrace_log" : "traces";
        g->region_stride = INT32_MAX / options.ranks;
        if (!path)
                g->temporary = ps_dir_new();
        const char *parent = path ? path : g->temporary;
        size_t size = strlen(parent) + sizeof "/trace";
        g->path = calloc(1, size);
        if (!g->path)
                ps_test_die("out of memory");
        snprintf(g->path, size, "%s%s", parent, path ? "" : "/trace");
        open_archive(g);
        open_locations(g);
        define_world(g);
        if (options.style == PS_GEN_EZTRACE) { /* in every trace of its, used or not */
                ps_gen_region_named(g, "EZTrace finalize");
                ps_gen_region_named(g, "Working");
        }
        return g;
}

void ps_gen_close(ps_gen *g)
{
        if (!g->archive)
                return;
        for (uint32_t i = 0; i < g->n_locs; i++) {
                CHECK(OTF2_EvtWriter_GetNumberOfEvents(g->locs[i].writer, &g->locs[i].n_events));
                CHECK(OTF2_Archive_CloseEvtWriter(g->archive, g->locs[i].writer));
        }
        CHECK(OTF2_Archive_CloseEvtFiles(g->archive));
        ps_gen_write_defs(g);
        CHECK(OTF2_Archive_Close(g->archive));
        g->archive = NULL;
}

static void free_location(gen_location *l)
{
        OTF2_AttributeList_Delete(l->attributes);
        free(l->offsets.row);
        for (int i = 0; i < GEN_MAPS; i++)
                free(l->map[i].row);
}

void ps_gen_free(ps_gen *g)
{
        if (!g)
                return;
        ps_gen_close(g);
        for (uint32_t i = 0; i < g->n_locs; i++)
                free_location(&g->locs[i]);
        for (uint32_t i = 0; i < g->strings.n; i++)
                free(g->strings.row[i]);
        for (uint32_t i = 0; i < g->groups.n; i++)
                free(g->groups.row[i].members);
        void *blocks[] = {g->locs,   g->strings.row, g->regions.row,   g->groups.row,     g->comms.row,
                          g->path,   g->windows.row, g->sites.row,     g->parameters.row, g->contexts.row,
                          g->answer, g->hints.row,   g->properties.row};
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
                free(blocks[i]);
        if (g->temporary)
                ps_dir_remove(g->temporary);
        free(g->temporary);
        free(g);
}

/* -- definitions -- */

uint32_t ps_gen_at(const ps_gen *g, uint32_t rank, uint32_t thread)
{
        if (rank >= g->o.ranks || thread >= g->o.threads)
                ps_test_die("no such location: rank=%u, thread=%u", rank, thread);
        return thread * g->o.ranks + rank;
}

uint32_t ps_gen_string(ps_gen *g, const char *text)
{
        for (uint32_t i = 0; i < g->strings.n; i++)
                if (!strcmp(g->strings.row[i], text))
                        return i;
        *PS_GEN_ADD(g->strings) = copy_text(text);
        if (g->defs)
                CHECK(OTF2_GlobalDefWriter_WriteString(g->defs, g->strings.n - 1, text));
        return g->strings.n - 1;
}

uint32_t ps_gen_group_add(ps_gen *g, const char *name, OTF2_GroupType type, OTF2_Paradigm paradigm,
                          uint32_t n)
{
        uint64_t *members = calloc(n ? n : 1, sizeof *members);
        if (!members)
                ps_test_die("out of memory");
        uint32_t id = g->groups.n;
        *PS_GEN_ADD(g->groups) = (gen_group){id, ps_gen_string(g, name), type, paradigm, members, n};
        return id;
}

static uint32_t group_of(ps_gen *g, const char *name, OTF2_Paradigm paradigm, const uint32_t *members,
                         uint32_t n)
{
        uint32_t id = ps_gen_group_add(g, name, OTF2_GROUP_TYPE_COMM_GROUP, paradigm, n);
        for (uint32_t i = 0; i < n; i++)
                g->groups.row[id].members[i] = members[i];
        return id;
}

static uint32_t add_comm(ps_gen *g, const char *name, uint32_t group_a, uint32_t group_b)
{
        *PS_GEN_ADD(g->comms) = (gen_comm){ps_gen_string(g, name), group_a, group_b};
        return g->comms.n - 1;
}

uint32_t ps_gen_group(ps_gen *g, const uint32_t *ranks, uint32_t n)
{
        return group_of(g, "", world_paradigm(g), ranks, n);
}

uint32_t ps_gen_comm(ps_gen *g, const char *name, const uint32_t *ranks, uint32_t n)
{
        return add_comm(g, name, group_of(g, name, world_paradigm(g), ranks, n), OTF2_UNDEFINED_GROUP);
}

uint32_t ps_gen_self(ps_gen *g)
{
        uint32_t group = ps_gen_group_add(g, "", OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, 0);
        return add_comm(g, "MPI_COMM_SELF", group, OTF2_UNDEFINED_GROUP);
}

uint32_t ps_gen_intercomm(ps_gen *g, const char *name, const uint32_t *a, uint32_t n_a, const uint32_t *b,
                          uint32_t n_b)
{
        uint32_t group_a = group_of(g, name, OTF2_PARADIGM_MPI, a, n_a);
        return add_comm(g, name, group_a, group_of(g, name, OTF2_PARADIGM_MPI, b, n_b));
}

uint32_t ps_gen_team(ps_gen *g, const char *name, const uint32_t *locations, uint32_t n)
{
        if (!g->team_locations) {
                g->team_locations = ps_gen_group_add(g, "OpenMP", OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                                     OTF2_PARADIGM_OPENMP, g->n_locs);
                for (uint32_t i = 0; i < g->n_locs; i++)
                        g->groups.row[g->team_locations].members[team_member(g, i)] = g->locs[i].id;
        }
        uint32_t group = group_of(g, "", OTF2_PARADIGM_OPENMP, locations, n);
        for (uint32_t i = 0; i < n; i++)
                g->groups.row[group].members[i] = team_member(g, locations[i]);
        return add_comm(g, name, group, OTF2_UNDEFINED_GROUP);
}

void ps_gen_property(ps_gen *g, uint32_t rank, const char *name, const char *text)
{
        uint32_t name_id = ps_gen_string(g, name), text_id = ps_gen_string(g, text);
        *PS_GEN_ADD(g->properties) = (gen_property){rank, name_id, text_id};
}

void ps_gen_neighbours(ps_gen *g, uint32_t comm, uint32_t rank, const char *others)
{
        char name[64];
        snprintf(name, sizeof(name), "PATSCAN::NEIGHBOURS:%u", comm);
        ps_gen_property(g, rank, name, others);
}

uint32_t ps_gen_window(ps_gen *g, const char *name, uint32_t comm)
{
        *PS_GEN_ADD(g->windows) = (gen_pair){ps_gen_string(g, name), comm};
        return g->windows.n - 1;
}

uint32_t ps_gen_parameter(ps_gen *g, const char *name)
{
        *PS_GEN_ADD(g->parameters) = ps_gen_string(g, name);
        return g->parameters.n - 1;
}

uint32_t ps_gen_source_line(ps_gen *g, const char *file, uint32_t line)
{
        gen_pair site = {ps_gen_string(g, file), line};
        for (uint32_t i = 0; i < g->sites.n; i++)
                if (!memcmp(&g->sites.row[i], &site, sizeof site))
                        return i;
        *PS_GEN_ADD(g->sites) = site;
        return g->sites.n - 1;
}

uint32_t ps_gen_context(ps_gen *g, uint32_t parent, const char *region, const char *file, uint32_t line)
{
        uint32_t site = file ? ps_gen_source_line(g, file, line) : OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
        *PS_GEN_ADD(g->contexts) = (gen_context){parent, ps_gen_region_named(g, region), site};
        return g->contexts.n - 1;
}

void ps_gen_location_type(ps_gen *g, uint32_t loc, OTF2_LocationType type)
{
        g->locs[loc].type = type;
}

void ps_gen_promise(ps_gen *g, uint32_t loc, uint64_t n_events)
{
        g->locs[loc].promised = n_events;
}

void ps_gen_clock_offset(ps_gen *g, uint32_t loc, uint64_t time, int64_t offset)
{
        *PS_GEN_ADD(g->locs[loc].offsets) = (gen_offset){time, offset};
}

void ps_gen_more_defs(ps_gen *g, void (*write)(OTF2_GlobalDefWriter *w, void *ctx), void *ctx)
{
        g->more_defs = write;
        g->more_ctx = ctx;
}

/* -- paths -- */

static const char *answer(ps_gen *g, const char *middle, uint64_t id, const char *suffix)
{
        size_t size = strlen(g->path) + 64;
        char number[24] = "", *path = malloc(size);
        if (!path)
                ps_test_die("out of memory");
        if (id != UINT64_MAX)
                snprintf(number, sizeof number, "%s%llu", middle, (unsigned long long)id);
        snprintf(path, size, "%s/%s%s%s", g->path, g->name, number, suffix);
        free(g->answer);
        return g->answer = path;
}

const char *ps_gen_anchor(ps_gen *g)
{
        return answer(g, "", UINT64_MAX, ".otf2");
}

const char *ps_gen_events_file(ps_gen *g, uint32_t loc)
{
        return answer(g, "/", g->locs[loc].id, ".evt");
}

const char *ps_gen_defs_file(ps_gen *g, uint32_t loc)
{
        return answer(g, "/", g->locs[loc].id, ".def");
}

const char *ps_gen_global_defs_file(ps_gen *g)
{
        return answer(g, "", UINT64_MAX, ".def");
}
