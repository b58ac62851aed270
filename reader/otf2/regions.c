/* regions.c - see regions.h. */
#include "reader/otf2/regions.h"

#include "core/base/hash.h"
#include "core/base/lookup.h"
#include "core/base/number.h"
#include "core/model/kinds.h"
#include "reader/otf2/comms.h"

#include <otf2/OTF2_Definitions.h>
#include <string.h>

typedef struct regions {
        const ps_otf2_defs *raw;
        ps_defs *defs;
        ps_issues *issues;
        bool eztrace;
} regions;

uint8_t ps_otf2_paradigm(uint64_t paradigm)
{
        static const uint8_t map[] = {[OTF2_PARADIGM_UNKNOWN] = PS_PARADIGM_UNKNOWN,
                                      [OTF2_PARADIGM_USER] = PS_PARADIGM_USER,
                                      [OTF2_PARADIGM_COMPILER] = PS_PARADIGM_USER,
                                      [OTF2_PARADIGM_OPENMP] = PS_PARADIGM_OPENMP,
                                      [OTF2_PARADIGM_MPI] = PS_PARADIGM_MPI,
                                      [OTF2_PARADIGM_CUDA] = PS_PARADIGM_ACCELERATOR,
                                      [OTF2_PARADIGM_MEASUREMENT_SYSTEM] = PS_PARADIGM_RECORDER,
                                      [OTF2_PARADIGM_PTHREAD] = PS_PARADIGM_PTHREAD,
                                      [OTF2_PARADIGM_HMPP] = PS_PARADIGM_ACCELERATOR,
                                      [OTF2_PARADIGM_OMPSS] = PS_PARADIGM_OTHER,
                                      [OTF2_PARADIGM_HARDWARE] = PS_PARADIGM_OTHER,
                                      [OTF2_PARADIGM_GASPI] = PS_PARADIGM_PGAS,
                                      [OTF2_PARADIGM_UPC] = PS_PARADIGM_PGAS,
                                      [OTF2_PARADIGM_SHMEM] = PS_PARADIGM_SHMEM,
                                      [OTF2_PARADIGM_WINTHREAD] = PS_PARADIGM_PTHREAD,
                                      [OTF2_PARADIGM_QTTHREAD] = PS_PARADIGM_PTHREAD,
                                      [OTF2_PARADIGM_ACETHREAD] = PS_PARADIGM_PTHREAD,
                                      [OTF2_PARADIGM_TBBTHREAD] = PS_PARADIGM_PTHREAD,
                                      [OTF2_PARADIGM_OPENACC] = PS_PARADIGM_ACCELERATOR,
                                      [OTF2_PARADIGM_OPENCL] = PS_PARADIGM_ACCELERATOR,
                                      [OTF2_PARADIGM_MTAPI] = PS_PARADIGM_OTHER,
                                      [OTF2_PARADIGM_SAMPLING] =
                                              PS_PARADIGM_USER, /* functions seen by unwinding the stack */
                                      [OTF2_PARADIGM_NONE] = PS_PARADIGM_UNKNOWN,
                                      [OTF2_PARADIGM_HIP] = PS_PARADIGM_ACCELERATOR,
                                      [OTF2_PARADIGM_KOKKOS] = PS_PARADIGM_OTHER};
        return paradigm < sizeof(map) ? map[paradigm] : PS_PARADIGM_OTHER;
}

uint8_t ps_otf2_role(uint64_t role, uint64_t flags)
{
        static const uint8_t map[] = {[OTF2_REGION_ROLE_FUNCTION] = PS_ROLE_FUNCTION,
                                      [OTF2_REGION_ROLE_WRAPPER] = PS_ROLE_FUNCTION,
                                      [OTF2_REGION_ROLE_LOOP] = PS_ROLE_LOOP,
                                      [OTF2_REGION_ROLE_PARALLEL] = PS_ROLE_PARALLEL,
                                      [OTF2_REGION_ROLE_CRITICAL] = PS_ROLE_CRITICAL,
                                      [OTF2_REGION_ROLE_CRITICAL_SBLOCK] = PS_ROLE_CRITICAL,
                                      [OTF2_REGION_ROLE_ATOMIC] = PS_ROLE_LOCK,
                                      [OTF2_REGION_ROLE_BARRIER] = PS_ROLE_BARRIER,
                                      [OTF2_REGION_ROLE_IMPLICIT_BARRIER] = PS_ROLE_IMPLICIT_BARRIER,
                                      [OTF2_REGION_ROLE_TASK] = PS_ROLE_TASK,
                                      [OTF2_REGION_ROLE_TASK_CREATE] = PS_ROLE_TASK,
                                      [OTF2_REGION_ROLE_TASK_WAIT] = PS_ROLE_TASK,
                                      [OTF2_REGION_ROLE_COLL_ONE2ALL] = PS_ROLE_COLLECTIVE,
                                      [OTF2_REGION_ROLE_COLL_ALL2ONE] = PS_ROLE_COLLECTIVE,
                                      [OTF2_REGION_ROLE_COLL_ALL2ALL] = PS_ROLE_COLLECTIVE,
                                      [OTF2_REGION_ROLE_COLL_OTHER] = PS_ROLE_COLLECTIVE,
                                      [OTF2_REGION_ROLE_POINT2POINT] = PS_ROLE_POINT_TO_POINT,
                                      [OTF2_REGION_ROLE_RMA] = PS_ROLE_RMA,
                                      [OTF2_REGION_ROLE_TASK_UNTIED] = PS_ROLE_TASK};
        if (flags != UINT64_MAX && flags & (OTF2_REGION_FLAG_PHASE | OTF2_REGION_FLAG_DYNAMIC))
                return PS_ROLE_PHASE;
        return role < sizeof(map) ? map[role] : PS_ROLE_OTHER;
}

/* Before version 1.1 one number stood for paradigm and role. */
static void old_region_type(ps_region_def *region, uint64_t type)
{
        enum { OMP = PS_PARADIGM_OPENMP, MPI = PS_PARADIGM_MPI, USER = PS_PARADIGM_USER, NO = 0 };
        static const uint8_t map[][2] = {{NO, PS_ROLE_OTHER},       {NO, PS_ROLE_FUNCTION},
                                         {USER, PS_ROLE_LOOP},      {NO, PS_ROLE_FUNCTION},
                                         {USER, PS_ROLE_OTHER},     {OMP, PS_ROLE_PARALLEL},
                                         {OMP, PS_ROLE_LOOP},       {OMP, PS_ROLE_OTHER},
                                         {OMP, PS_ROLE_OTHER},      {OMP, PS_ROLE_OTHER},
                                         {OMP, PS_ROLE_OTHER},      {OMP, PS_ROLE_OTHER},
                                         {OMP, PS_ROLE_CRITICAL},   {OMP, PS_ROLE_LOCK},
                                         {OMP, PS_ROLE_BARRIER},    {OMP, PS_ROLE_IMPLICIT_BARRIER},
                                         {OMP, PS_ROLE_OTHER},      {OMP, PS_ROLE_CRITICAL},
                                         {OMP, PS_ROLE_OTHER},      {OMP, PS_ROLE_FUNCTION},
                                         {OMP, PS_ROLE_TASK},       {OMP, PS_ROLE_TASK},
                                         {MPI, PS_ROLE_BARRIER},    {MPI, PS_ROLE_COLLECTIVE},
                                         {MPI, PS_ROLE_COLLECTIVE}, {MPI, PS_ROLE_COLLECTIVE},
                                         {MPI, PS_ROLE_COLLECTIVE}, {USER, PS_ROLE_OTHER},
                                         {USER, PS_ROLE_PHASE},     {USER, PS_ROLE_PHASE},
                                         {USER, PS_ROLE_PHASE},     {USER, PS_ROLE_PHASE},
                                         {USER, PS_ROLE_PHASE},     {OMP, PS_ROLE_TASK},
                                         {OMP, PS_ROLE_OTHER},      {OMP, PS_ROLE_OTHER}};
        if (type >= sizeof(map) / sizeof(map[0]))
                return;
        region->paradigm = map[type][0];
        region->role = map[type][1];
}

/* Lines count from 1. Recorders name a file that is none where they know no line: Score-P the paradigm of a
 * library's function, EZTrace the program. */
static void region_place(regions *r, ps_region_def *region, const ps_otf2_def *def)
{
        uint64_t begin = def->v[PS_OTF2_REGION_BEGIN], end = def->v[PS_OTF2_REGION_END];
        region->line = begin < PS_OTF2_UNDEFINED ? (uint32_t)begin : 0;
        region->line_end = end < PS_OTF2_UNDEFINED ? (uint32_t)end : 0;
        int user = region->paradigm == PS_PARADIGM_USER || region->paradigm == PS_PARADIGM_UNKNOWN;
        if (region->line || (user && !r->eztrace))
                region->file = ps_otf2_string(r->raw, def, def->v[PS_OTF2_REGION_FILE], r->issues);
}

/* A description may name the modes of UPC's collectives, or the call that the region is. */
static void read_description(const regions *r, ps_region_def *out, const ps_otf2_def *region)
{
        const ps_otf2_def *row = ps_otf2_defs_find(r->raw, PS_OTF2_STRING, region->count);
        if (!row)
                return;
        const char *text = ps_strings_get(r->defs->strings, (ps_str)row->v[PS_OTF2_STRING_ID]);
        out->sync = (uint8_t)ps_sync_parse(text);
        out->dvm = ps_region_dvm_parse(text);
        if (ps_kind_of_name(text).family == PS_NAMES_MPI)
                out->means = (ps_str)row->v[PS_OTF2_STRING_ID];
}

/* A role there, and no paradigm: Score-P says that calls such as write() are of none. */
static bool is_input_or_output(uint64_t role)
{
        return role == OTF2_REGION_ROLE_FILE_IO || role == OTF2_REGION_ROLE_FILE_IO_METADATA;
}

/* "{12,1}" or "{12}", a line and a column. */
static bool read_line(const char **at, uint32_t *line)
{
        uint64_t number, column;
        if (*(*at)++ != '{' || !ps_number_whole(at, UINT32_MAX, &number))
                return false;
        *line = (uint32_t)number;
        if (**at == ',' && (++*at, !ps_number_whole(at, UINT32_MAX, &column)))
                return false;
        return *(*at)++ == '}';
}

/* TAU and those who follow it tell in a name where the region is: "relax [{heat.c} {17,1}-{30,2}]". */
static ps_status read_name(regions *r, ps_region_def *region, ps_error *err)
{
        static const char begin[] = " [{", middle[] = "} {";
        const char *name = ps_defs_str(r->defs, region->name), *open = NULL;
        for (const char *next = name; (next = strstr(next, begin)); next++)
                open = next;
        const char *file = open ? open + strlen(begin) : NULL, *behind = file ? strstr(file, middle) : NULL;
        if (region->file || !behind || open == name)
                return PS_OK;
        ps_region_def told = *region;
        const char *at = behind + 2;
        bool is_told = read_line(&at, &told.line);
        if (is_told && *at == '-')
                is_told = (at++, read_line(&at, &told.line_end));
        if (!is_told || strcmp(at, "]") != 0)
                return PS_OK;
        told.file = ps_strings_add(r->defs->strings, file, (size_t)(behind - file));
        told.name = ps_strings_add(r->defs->strings, name, (size_t)(open - name));
        if (told.file == PS_NONE || told.name == PS_NONE)
                return PS_NOMEM(err, "names of regions", r->defs->regions.n);
        *region = told;
        return PS_OK;
}

static ps_status region_of(regions *r, const ps_otf2_def *def, ps_region_def *out, ps_error *err)
{
        ps_region_def region = {.name = ps_otf2_string(r->raw, def, def->v[PS_OTF2_NAME], r->issues)};
        if (def->v[PS_OTF2_REGION_ROLE] == UINT64_MAX) {
                old_region_type(&region, def->v[PS_OTF2_REGION_OLD_TYPE]);
        } else {
                region.paradigm = ps_otf2_paradigm(def->v[PS_OTF2_REGION_PARADIGM]);
                region.role = ps_otf2_role(def->v[PS_OTF2_REGION_ROLE], def->v[PS_OTF2_REGION_FLAGS]);
                if (is_input_or_output(def->v[PS_OTF2_REGION_ROLE]) &&
                    (region.paradigm == PS_PARADIGM_OTHER || region.paradigm == PS_PARADIGM_UNKNOWN))
                        region.paradigm = PS_PARADIGM_IO;
        }
        region_place(r, &region, def);
        read_description(r, &region, def);
        *out = region;
        return read_name(r, out, err);
}

static bool same_region(const ps_region_def *a, const ps_region_def *b)
{
        return a->name == b->name && a->file == b->file && a->line == b->line && a->line_end == b->line_end &&
               a->paradigm == b->paradigm && a->role == b->role && a->sync == b->sync &&
               a->means == b->means && ps_region_dvm_is_same(&a->dvm, &b->dvm);
}

static uint64_t hash_region(const ps_region_def *region)
{
        return ps_hash_pair((uint64_t)region->name << 32 | region->file,
                            (uint64_t)region->line << 32 | region->line_end);
}

static uint64_t hash_of_region(const void *rows, uint32_t row)
{
        return hash_region((const ps_region_def *)rows + row);
}

static bool is_like(const void *region, const void *rows, uint32_t row)
{
        return same_region(region, (const ps_region_def *)rows + row);
}

/* The region that is like this one, a new one if need be. */
static ps_status take_region(ps_defs *defs, ps_lookup *known, const ps_region_def *region, uint32_t *out,
                             ps_error *err)
{
        if (ps_lookup_room(known, defs->regions.n, hash_of_region, defs->regions.row))
                return PS_NOMEM(err, "regions", defs->regions.n);
        uint32_t *slot = ps_lookup_find(known, hash_region(region), is_like, region, defs->regions.row);
        if (!*slot) {
                PS_TRY(ps_defs_add_region(defs, region, slot, err));
                ++*slot;
        }
        *out = *slot - 1;
        return PS_OK;
}

ps_status ps_otf2_resolve_regions(ps_otf2_ids *out, const ps_otf2_defs *raw, ps_defs *defs, int eztrace,
                                  ps_issues *issues, ps_error *err)
{
        regions r = {raw, defs, issues, eztrace};
        ps_lookup known = {0};
        ps_status status = ps_otf2_take_ids(out, raw, PS_OTF2_REGION, 1, err);
        for (uint32_t i = 0; status == PS_OK && i < raw->table[PS_OTF2_REGION].n; i++) {
                ps_region_def region;
                status = region_of(&r, &raw->table[PS_OTF2_REGION].row[i], &region, err);
                PS_THEN(status, take_region(defs, &known, &region, &out->value[i], err));
        }
        ps_lookup_free(&known);
        return status;
}
