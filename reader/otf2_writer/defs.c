/* defs.c - see defs.h.
 *
 * Groups of communicators list ranks, and two groups say which location has which rank: processes are ranks
 * of MPI, locations those of OpenMP, each in the order of the trace. */
#include "reader/otf2_writer/defs.h"

#include "core/model/kinds.h"
#include "reader/otf2/regions.h"
#include "reader/otf2_writer/pgas.h"
#include "reader/otf2_writer/topology.h"

#include <stdlib.h>

void ps_otf2_out_check(ps_otf2_out *out, OTF2_ErrorCode code)
{
        if (out->code == OTF2_SUCCESS)
                out->code = code;
}

#define CHECK(function, ...)                                                                                 \
        ps_otf2_out_check(out, OTF2_GlobalDefWriter_Write##function(out->global, __VA_ARGS__))

/* The id of (a, b), which is `next` if it is a new one. */
static uint32_t id_of(ps_otf2_out *out, ps_map *map, uint32_t a, uint32_t b, uint32_t next, bool *is_new)
{
        size_t before = map->n;
        ps_time *id = ps_map_at(map, a, b, next);

        out->is_out_of_memory |= !id;
        *is_new = map->n > before;
        return id ? (uint32_t)*id : 0;
}

uint32_t ps_otf2_out_text(ps_otf2_out *out, const char *string)
{
        CHECK(String, out->n_strings, string);
        return out->n_strings++;
}

uint32_t ps_otf2_out_string(ps_otf2_out *out, ps_str string)
{
        bool is_new;
        uint32_t id = id_of(out, &out->strings, string, 0, out->n_strings, &is_new);

        return is_new ? ps_otf2_out_text(out, ps_defs_str(out->defs, string)) : id;
}

uint32_t ps_otf2_out_source(ps_otf2_out *out, ps_str file, uint32_t line)
{
        bool is_new;
        uint32_t id = id_of(out, &out->sources, file, line, (uint32_t)out->sources.n, &is_new);

        if (is_new)
                CHECK(SourceCodeLocation, id, ps_otf2_out_string(out, file), line);
        return id;
}

/* What the reader takes for this paradigm; of those it takes for PGAS the commonest. */
static OTF2_Paradigm paradigm_of(uint8_t paradigm)
{
        OTF2_Paradigm known = 0;

        if (paradigm == PS_PARADIGM_PGAS)
                return OTF2_PARADIGM_UPC;
        if (paradigm == PS_PARADIGM_IO)
                paradigm = PS_PARADIGM_OTHER;
        while (known < OTF2_PARADIGM_KOKKOS && ps_otf2_paradigm(known) != paradigm)
                known++;
        return known;
}

/* Input and output is no paradigm there, but a role. */
static OTF2_RegionRole role_of(uint8_t paradigm, uint8_t role)
{
        OTF2_RegionRole known = 0;

        if (paradigm == PS_PARADIGM_IO)
                return OTF2_REGION_ROLE_FILE_IO;
        if (role == PS_ROLE_COLLECTIVE)
                return OTF2_REGION_ROLE_COLL_OTHER;
        while (known < OTF2_REGION_ROLE_TASK_UNTIED && ps_otf2_role(known, 0) != role)
                known++;
        return ps_otf2_role(known, 0) == role ? known : OTF2_REGION_ROLE_UNKNOWN;
}

static void write_paradigms(ps_otf2_out *out)
{
        CHECK(Paradigm, OTF2_PARADIGM_MPI, ps_otf2_out_text(out, "MPI"), OTF2_PARADIGM_CLASS_PROCESS);
        CHECK(Paradigm, OTF2_PARADIGM_OPENMP, ps_otf2_out_text(out, "OpenMP"),
              OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN);
        CHECK(Attribute, PS_OTF2_OUT_SITE, ps_otf2_out_text(out, "SOURCE_CODE_LOCATION"),
              ps_otf2_out_text(out, "call site"), OTF2_TYPE_SOURCE_CODE_LOCATION);
        ps_otf2_out_pgas(out);
}

/* The system tree: a root, and a node for each machine that is named. */
static void write_processes(ps_otf2_out *out)
{
        const ps_defs *defs = out->defs;
        uint32_t class = ps_otf2_out_text(out, "node"), n = 1;
        ps_map machines = {0};
        bool is_new;

        CHECK(SystemTreeNode, 0, ps_otf2_out_text(out, "machine"), ps_otf2_out_text(out, "machine"),
              OTF2_UNDEFINED_SYSTEM_TREE_NODE);
        for (ps_proc i = 0; i < defs->processes.n; i++) {
                const ps_process_def *def = &defs->processes.row[i];
                uint32_t node = def->node ? id_of(out, &machines, def->node, 0, n, &is_new) : 0;
                if (def->node && is_new) {
                        CHECK(SystemTreeNode, node, ps_otf2_out_string(out, def->node), class, 0);
                        n++;
                }
                CHECK(LocationGroup, i, ps_otf2_out_string(out, def->name), OTF2_LOCATION_GROUP_TYPE_PROCESS,
                      node, OTF2_UNDEFINED_LOCATION_GROUP);
        }
        ps_map_free(&machines);
}

static void write_locations(ps_otf2_out *out)
{
        static const OTF2_LocationType types[] = {[PS_LOCATION_CPU] = OTF2_LOCATION_TYPE_CPU_THREAD,
                                                  [PS_LOCATION_METRIC] = OTF2_LOCATION_TYPE_METRIC,
                                                  [PS_LOCATION_ACCELERATOR] =
                                                          OTF2_LOCATION_TYPE_ACCELERATOR_STREAM};

        for (ps_loc i = 0; i < out->defs->locations.n; i++) {
                const ps_location_def *def = &out->defs->locations.row[i];
                CHECK(Location, i, ps_otf2_out_string(out, def->name), types[def->type], out->n_events[i],
                      def->process);
        }
}

/* Where a name of its own does not tell what call of MPI a region is, its description does; and what it is in
 * a program of the DVM system. Where no send
 * waits for its receiver, a standard one is what MPI calls a buffered one. */
static OTF2_StringRef description_of(ps_otf2_out *out, const ps_region_def *def)
{
        ps_name_info info = ps_kind_of_name(ps_defs_str(out->defs, def->name));
        ps_kind kind = def->kind == PS_K_SEND && out->defs->sends_are_buffered ? PS_K_BSEND : def->kind;
        char room[PS_CALL_NAME_ROOM], part[PS_REGION_DVM_ROOM];
        const char *call = NULL;

        if (ps_region_dvm_is_any(&def->dvm))
                call = ps_region_dvm_text(part, &def->dvm);
        else if (!ps_paradigm_is_pgas(def->paradigm) && info.family == PS_NAMES_OTHER && kind != PS_K_NONE)
                call = ps_name_of_kind(room, kind, def->nonblocking);
        return call ? ps_otf2_out_text(out, call) : ps_otf2_out_modes(out, def);
}

static void write_regions(ps_otf2_out *out)
{
        for (ps_region i = 0; i < out->defs->regions.n; i++) {
                const ps_region_def *def = &out->defs->regions.row[i];
                uint32_t name = ps_otf2_out_string(out, def->name);
                CHECK(Region, i, name, name, description_of(out, def), role_of(def->paradigm, def->role),
                      paradigm_of(def->paradigm),
                      def->role == PS_ROLE_PHASE ? OTF2_REGION_FLAG_PHASE : OTF2_REGION_FLAG_NONE,
                      def->file ? ps_otf2_out_string(out, def->file) : OTF2_UNDEFINED_STRING, def->line,
                      def->line_end);
        }
}

static void write_group(ps_otf2_out *out, uint32_t id, ps_str name, OTF2_GroupType type,
                        OTF2_Paradigm paradigm, const uint32_t *members, uint32_t n)
{
        uint64_t *wide = malloc((n + (size_t)1) * sizeof(*wide));

        out->is_out_of_memory |= !wide;
        for (uint32_t i = 0; wide && i < n; i++)
                wide[i] = members[i] == PS_NONE ? UINT32_MAX : members[i];
        if (wide)
                CHECK(Group, id, ps_otf2_out_string(out, name), type, paradigm, OTF2_GROUP_FLAG_NONE, n,
                      wide);
        free(wide);
}

/* Which location has which rank. */
static void write_ranks(ps_otf2_out *out, uint32_t id, OTF2_Paradigm paradigm, int of_processes)
{
        const ps_defs *defs = out->defs;
        uint32_t n = of_processes ? defs->processes.n : defs->locations.n;
        uint32_t *members = malloc((n + (size_t)1) * sizeof(*members));

        out->is_out_of_memory |= !members;
        for (uint32_t i = 0; members && i < n; i++) {
                const ps_process_def *process = &defs->processes.row[of_processes ? i : 0];
                members[i] = !of_processes ? i : process->n_locs ? defs->by_process[process->first] : PS_NONE;
        }
        if (members)
                write_group(out, id, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, paradigm, members, n);
        free(members);
}

static bool has_comms(const ps_defs *defs, uint8_t pgas, uint8_t team)
{
        for (ps_comm i = 0; i < defs->comms.n; i++)
                if (!defs->comms.row[i].pgas == !pgas && !defs->comms.row[i].team == !team)
                        return 1;
        return 0;
}

/* Groups that say which location has which rank. */
static uint32_t count_ranks(const ps_defs *defs)
{
        return (uint32_t)(1 + has_comms(defs, 0, 1) + has_comms(defs, 1, 0) + has_comms(defs, 1, 1));
}

uint32_t ps_otf2_out_group(ps_otf2_out *out, uint32_t group)
{
        uint32_t at = 0;

        if (group >= out->defs->groups.n)
                return OTF2_UNDEFINED_GROUP;
        while (at < out->n_groups && out->group[at] != group)
                at++;
        if (at == out->n_groups)
                out->group[out->n_groups++] = group;
        return count_ranks(out->defs) + at;
}

/* Readers want to know the ranks before a group of them. What no event names was a communicator's, which gets
 * one of its own. */
static uint32_t write_groups(ps_otf2_out *out)
{
        uint32_t n = 0;

        write_ranks(out, n++, OTF2_PARADIGM_MPI, 1);
        if (has_comms(out->defs, 0, 1))
                write_ranks(out, n++, OTF2_PARADIGM_OPENMP, 0);
        for (int of_locations = 0; of_locations < 2; of_locations++)
                if (out->pgas[of_locations])
                        write_ranks(out, n++, out->pgas[of_locations], !of_locations);
        for (uint32_t i = 0; i < out->n_groups; i++) {
                const ps_group_def *def = &out->defs->groups.row[out->group[i]];
                write_group(out, n++, def->name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, def->members,
                            def->n_members);
        }
        return n;
}

static OTF2_Paradigm paradigm_of_comm(const ps_otf2_out *out, const ps_comm_def *def)
{
        return def->pgas ? out->pgas[def->team] : def->team ? OTF2_PARADIGM_OPENMP : OTF2_PARADIGM_MPI;
}

static uint32_t members_of(ps_otf2_out *out, const ps_comm_def *def, const uint32_t *members, uint32_t n,
                           uint32_t *next)
{
        write_group(out, *next, def->name, def->self ? OTF2_GROUP_TYPE_COMM_SELF : OTF2_GROUP_TYPE_COMM_GROUP,
                    paradigm_of_comm(out, def), members, def->self ? 0 : n);
        return (*next)++;
}

static void write_comms(ps_otf2_out *out, uint32_t next_group)
{
        const ps_defs *defs = out->defs;
        const ps_comm_def *last = NULL;
        uint32_t group = 0;

        for (ps_comm i = 0; i < defs->comms.n; i++) {
                const ps_comm_def *def = &defs->comms.row[i];
                uint32_t name = ps_otf2_out_string(out, def->name);
                ps_comm parent = def->parent == PS_NONE ? OTF2_UNDEFINED_COMM : def->parent;
                /* Copies of a communicator share its members. */
                if (!last || last->members != def->members || last->n_members != def->n_members ||
                    last->self != def->self || last->team != def->team || last->pgas != def->pgas)
                        group = members_of(out, def, def->members, def->n_members, &next_group);
                last = def;
                if (def->inter)
                        CHECK(InterComm, i, name, group,
                              members_of(out, def, def->members_b, def->n_members_b, &next_group), parent,
                              OTF2_COMM_FLAG_NONE);
                else
                        CHECK(Comm, i, name, group, parent, OTF2_COMM_FLAG_NONE);
        }
        for (uint32_t i = 0; i < defs->windows.n; i++)
                CHECK(RmaWin, i, ps_otf2_out_string(out, defs->windows.row[i].name),
                      defs->windows.row[i].comm == PS_NONE ? OTF2_UNDEFINED_COMM : defs->windows.row[i].comm,
                      OTF2_RMA_WIN_FLAG_NONE);
}

static void write_contexts(ps_otf2_out *out)
{
        for (uint32_t i = 0; i < out->defs->contexts.n; i++) {
                const ps_context_def *def = &out->defs->contexts.row[i];
                uint32_t source = def->file || def->line ? ps_otf2_out_source(out, def->file, def->line)
                                                         : OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
                CHECK(CallingContext, i, def->region == PS_NONE ? OTF2_UNDEFINED_REGION : def->region, source,
                      def->parent == PS_NONE ? OTF2_UNDEFINED_CALLING_CONTEXT : def->parent);
        }
        for (uint32_t i = 0; i < out->defs->params.n; i++)
                CHECK(Parameter, i, ps_otf2_out_string(out, out->defs->params.row[i]),
                      OTF2_PARAMETER_TYPE_UINT64);
}

void ps_otf2_out_definitions(ps_otf2_out *out)
{
        bool is_empty = out->zero > out->end;

        CHECK(ClockProperties, (uint64_t)PS_PS_PER_S, is_empty ? 0 : out->zero,
              is_empty ? 0 : out->end - out->zero, OTF2_UNDEFINED_TIMESTAMP);
        write_paradigms(out);
        write_processes(out);
        write_locations(out);
        write_regions(out);
        write_comms(out, write_groups(out));
        ps_otf2_out_topology(out);
        write_contexts(out);
}
