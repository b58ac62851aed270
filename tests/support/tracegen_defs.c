/* tracegen_defs.c - writes what a generator has gathered: the definitions, in the order and with the
 * peculiarities of the recorder that it plays. */
#include "tests/support/tracegen_internal.h"
#include <stdio.h>

static void write_local(ps_gen *g, gen_location *loc)
{
        OTF2_DefWriter *w = OTF2_Archive_GetDefWriter(g->archive, loc->id);
        for (uint32_t i = 0; i < loc->offsets.n; i++)
                CHECK(OTF2_DefWriter_WriteClockOffset(w, loc->offsets.row[i].time, loc->offsets.row[i].offset,
                                                      0.0));
        for (uint8_t type = 0; type < GEN_MAPS; type++) {
                if (!loc->map[type].n)
                        continue;
                OTF2_IdMap *map =
                        OTF2_IdMap_CreateFromUint64Array(loc->map[type].n, loc->map[type].row, false);
                CHECK(OTF2_DefWriter_WriteMappingTable(w, type, map));
                OTF2_IdMap_Free(map);
        }
        CHECK(OTF2_Archive_CloseDefWriter(g->archive, w));
}

static void correct_skew(ps_gen *g, uint32_t loc)
{
        gen_location *l = &g->locs[loc];
        if (!g->o.skew || g->o.style != PS_GEN_SCOREP || l->offsets.n)
                return;
        int64_t offset = -g->o.skew[l->rank];
        *PS_GEN_ADD(l->offsets) = (gen_offset){ps_gen_local_time(g, loc, 0), offset};
        *PS_GEN_ADD(l->offsets) = (gen_offset){ps_gen_local_time(g, loc, g->last + 1), offset};
}

static void write_locals(ps_gen *g)
{
        CHECK(OTF2_Archive_OpenDefFiles(g->archive));
        for (uint32_t i = 0; i < g->n_locs; i++) {
                correct_skew(g, i);
                write_local(g, &g->locs[i]);
        }
        CHECK(OTF2_Archive_CloseDefFiles(g->archive));
}

static uint32_t numbered(ps_gen *g, const char *format, unsigned long number)
{
        char text[64];
        snprintf(text, sizeof text, "%s%lu", format, number);
        return ps_gen_string(g, text);
}

static uint32_t write_nodes(ps_gen *g)
{
        uint32_t nodes = g->o.nodes ? g->o.nodes : 1;
        CHECK(OTF2_GlobalDefWriter_WriteSystemTreeNode(g->defs, 0, ps_gen_string(g, "cluster"),
                                                       ps_gen_string(g, "machine"),
                                                       OTF2_UNDEFINED_SYSTEM_TREE_NODE));
        for (uint32_t i = 0; i < nodes; i++)
                CHECK(OTF2_GlobalDefWriter_WriteSystemTreeNode(g->defs, i + 1, numbered(g, "node", i),
                                                               ps_gen_string(g, "node"), 0));
        return nodes;
}

static void write_locations(ps_gen *g)
{
        uint32_t nodes = write_nodes(g);
        for (uint32_t i = 0; i < g->o.ranks; i++) {
                uint32_t node = (uint32_t)((uint64_t)i * nodes / g->o.ranks);
                CHECK(OTF2_GlobalDefWriter_WriteLocationGroup(g->defs, i, numbered(g, "MPI Rank ", i),
                                                              OTF2_LOCATION_GROUP_TYPE_PROCESS, node + 1,
                                                              OTF2_UNDEFINED_LOCATION_GROUP));
        }
        for (uint32_t i = 0; i < g->n_locs; i++) {
                const gen_location *l = &g->locs[i];
                uint64_t events = l->promised != UINT64_MAX      ? l->promised
                                  : g->o.style == PS_GEN_EZTRACE ? 2
                                                                 : l->n_events;
                uint32_t name =
                        l->thread ? numbered(g, "OMP thread ", l->thread) : ps_gen_string(g, "Master thread");
                CHECK(OTF2_GlobalDefWriter_WriteLocation(g->defs, l->id, name, l->type, events, l->rank));
        }
}

static void write_group(ps_gen *g, const gen_group *group)
{
        CHECK(OTF2_GlobalDefWriter_WriteGroup(g->defs, group->id, group->name, group->type, group->paradigm,
                                              OTF2_GROUP_FLAG_NONE, group->n, group->members));
}

static void write_comm(ps_gen *g, uint32_t id)
{
        const gen_comm *c = &g->comms.row[id];
        const gen_group *groups = g->groups.row;
        uint32_t parent = id ? PS_GEN_WORLD : OTF2_UNDEFINED_COMM;
        if (c->group_b == OTF2_UNDEFINED_GROUP)
                CHECK(OTF2_GlobalDefWriter_WriteComm(g->defs, id, c->name, groups[c->group_a].id, parent,
                                                     OTF2_COMM_FLAG_NONE));
        else
                CHECK(OTF2_GlobalDefWriter_WriteInterComm(g->defs, id, c->name, groups[c->group_a].id,
                                                          groups[c->group_b].id, PS_GEN_WORLD,
                                                          OTF2_COMM_FLAG_NONE));
}

static void write_region(ps_gen *g, uint32_t id, const gen_region *r, uint32_t description)
{
        CHECK(OTF2_GlobalDefWriter_WriteRegion(
                g->defs, id, r->name, r->name, r->description ? r->description : description, r->role,
                r->paradigm, OTF2_REGION_FLAG_NONE, r->file, r->line, r->line));
}

static void write_clock(ps_gen *g)
{
        CHECK(OTF2_GlobalDefWriter_WriteClockProperties(g->defs, g->o.resolution, g->o.start, g->last + 1,
                                                        OTF2_UNDEFINED_TIMESTAMP));
}

/* EZTrace defines its groups and regions as the ranks come across them. */
static void write_as_eztrace(ps_gen *g)
{
        write_locations(g);
        write_group(g, &g->groups.row[0]);
        write_group(g, &g->groups.row[1]);
        write_comm(g, PS_GEN_WORLD);
        for (uint32_t rank = 0; rank < g->o.ranks; rank++) {
                for (uint32_t i = 0; i < g->regions.n; i++)
                        write_region(g, rank * g->region_stride + i, &g->regions.row[i],
                                     g->regions.row[i].name);
                if (!rank)
                        write_clock(g);
        }
        for (uint32_t i = 1; i < g->comms.n; i++)
                write_comm(g, i);
        for (uint32_t i = 2; i < g->groups.n; i++)
                write_group(g, &g->groups.row[i]);
}

static void write_paradigms(ps_gen *g)
{
        static const struct {
                OTF2_Paradigm id;
                OTF2_ParadigmClass class;
                const char *name;
        } paradigms[] = {{OTF2_PARADIGM_MPI, OTF2_PARADIGM_CLASS_PROCESS, "MPI"},
                         {OTF2_PARADIGM_OPENMP, OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN, "OpenMP"},
                         {OTF2_PARADIGM_UPC, OTF2_PARADIGM_CLASS_PROCESS, "UPC"},
                         {OTF2_PARADIGM_SHMEM, OTF2_PARADIGM_CLASS_PROCESS, "SHMEM"},
                         {OTF2_PARADIGM_PTHREAD, OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT, "POSIX threads"}};
        for (size_t i = 0; i < sizeof paradigms / sizeof *paradigms; i++)
                CHECK(OTF2_GlobalDefWriter_WriteParadigm(
                        g->defs, paradigms[i].id, ps_gen_string(g, paradigms[i].name), paradigms[i].class));
}

static void write_as_scorep(ps_gen *g)
{
        write_clock(g);
        write_paradigms(g);
        write_locations(g);
        uint32_t none = ps_gen_string(g, "");
        for (uint32_t i = 0; i < g->regions.n; i++)
                write_region(g, i, &g->regions.row[i], none);
        for (uint32_t i = 0; i < g->groups.n; i++)
                write_group(g, &g->groups.row[i]);
        for (uint32_t i = 0; i < g->comms.n; i++)
                write_comm(g, i);
}

static void write_properties(ps_gen *g)
{
        for (uint32_t i = 0; i < g->properties.n; i++) {
                const gen_property *row = &g->properties.row[i];
                OTF2_AttributeValue value = {.stringRef = row->text};
                CHECK(OTF2_GlobalDefWriter_WriteLocationGroupProperty(g->defs, row->rank, row->name,
                                                                      OTF2_TYPE_STRING, value));
        }
}

static void write_rest(ps_gen *g)
{
        write_properties(g);
        for (uint32_t i = 0; i < g->windows.n; i++)
                CHECK(OTF2_GlobalDefWriter_WriteRmaWin(g->defs, i, g->windows.row[i].name,
                                                       g->windows.row[i].value, OTF2_RMA_WIN_FLAG_NONE));
        for (uint32_t i = 0; i < g->parameters.n; i++)
                CHECK(OTF2_GlobalDefWriter_WriteParameter(g->defs, i, g->parameters.row[i],
                                                          OTF2_PARAMETER_TYPE_UINT64));
        for (uint32_t i = 0; i < g->sites.n; i++)
                CHECK(OTF2_GlobalDefWriter_WriteSourceCodeLocation(g->defs, i, g->sites.row[i].name,
                                                                   g->sites.row[i].value));
        if (g->sites.n)
                CHECK(OTF2_GlobalDefWriter_WriteAttribute(
                        g->defs, 0, ps_gen_string(g, "SOURCE_CODE_LOCATION"),
                        ps_gen_string(g, "Source code location"), OTF2_TYPE_SOURCE_CODE_LOCATION));
        for (uint32_t i = 0; i < g->hints.n; i++)
                CHECK(OTF2_GlobalDefWriter_WriteAttribute(g->defs, i + 1, g->hints.row[i].name,
                                                          g->hints.row[i].name,
                                                          (OTF2_Type)g->hints.row[i].value));
        for (uint32_t i = 0; i < g->contexts.n; i++)
                CHECK(OTF2_GlobalDefWriter_WriteCallingContext(g->defs, i, g->contexts.row[i].region,
                                                               g->contexts.row[i].site,
                                                               g->contexts.row[i].parent));
}

void ps_gen_write_defs(ps_gen *g)
{
        write_locals(g);
        OTF2_GlobalDefWriter *w = OTF2_Archive_GetGlobalDefWriter(g->archive);
        for (uint32_t i = 0; i < g->strings.n; i++)
                CHECK(OTF2_GlobalDefWriter_WriteString(w, i, g->strings.row[i]));
        g->defs = w;
        if (g->o.style == PS_GEN_EZTRACE)
                write_as_eztrace(g);
        else
                write_as_scorep(g);
        write_rest(g);
        if (g->more_defs)
                g->more_defs(w, g->more_ctx);
        CHECK(OTF2_Archive_CloseGlobalDefWriter(g->archive, w));
        g->defs = NULL;
}
