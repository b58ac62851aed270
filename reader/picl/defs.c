/* defs.c - see defs.h. */
#include "reader/picl/defs.h"

#include "core/base/search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ps_picl_compare_place(int32_t node, int32_t pid, const ps_picl_place *other)
{
        uint32_t a = (uint32_t)node, b = (uint32_t)other->node;
        PS_ORDER_BY(a, b);
        return PS_ORDER(pid, other->pid);
}

static int by_file_and_line(const void *a, const void *b)
{
        const ps_picl_place *x = a;
        return ps_picl_compare_place(x->node, x->pid, b);
}

ps_proc ps_picl_process(const ps_picl_log *log, int32_t node, int32_t pid)
{
        uint32_t low = 0;
        pid = pid < 0 ? 0 : pid;
        if (pid == 0 && node >= 0 && (uint32_t)node < log->n_places && log->place[node].node == node &&
            log->place[node].pid == 0)
                return (ps_proc)node;
        PS_SEARCH(low, log->n_places, middle, ps_picl_compare_place(node, pid, &log->place[middle]) > 0);
        if (low < log->n_places && ps_picl_compare_place(node, pid, &log->place[low]) == 0)
                return low;
        while (low && log->place[low - 1].node == node && log->place[low - 1].pid > 0)
                low--; /* the node's first */
        return low < log->n_places && log->place[low].node == node ? low : PS_NONE;
}

/* -- places and regions -- */

void ps_picl_sort_places(ps_picl_log *log)
{
        if (log->n_places)
                qsort(log->place, log->n_places, sizeof(*log->place), by_file_and_line);
}

static ps_status define_places(ps_picl_log *log, ps_defs *defs, ps_error *err)
{
        ps_picl_sort_places(log);
        for (uint32_t i = 0; i < log->n_places; i++) {
                const ps_picl_place *place = &log->place[i];
                char name[64], inner[32];
                snprintf(inner, sizeof(inner), "process %" PRId32, place->pid);
                if (place->node == PS_PICL_HOST)
                        snprintf(name, sizeof(name), "host");
                else
                        snprintf(name, sizeof(name), "node %" PRId32 "%s%s", place->node,
                                 place->pid ? " " : "", place->pid ? inner : "");
                ps_process_def process = {.name = ps_strings_addz(defs->strings, name)};
                ps_location_def location = {.name = ps_strings_addz(defs->strings, inner),
                                            .process = i,
                                            .type = PS_LOCATION_CPU,
                                            .native = (uint64_t)place->node,
                                            .n_events = UINT64_MAX};
                PS_TRY(process.name == PS_NONE || location.name == PS_NONE
                               ? PS_NOMEM(err, "strings", 1)
                               : ps_defs_add_process(defs, &process, NULL, err));
                PS_TRY(ps_defs_add_location(defs, &location, NULL, err));
        }
        return PS_OK;
}

static ps_role role_of(ps_kind kind)
{
        if (kind == PS_K_NONE)
                return PS_ROLE_FUNCTION;
        return ps_kinds[kind].cls == PS_C_COLL ? PS_ROLE_COLLECTIVE : PS_ROLE_POINT_TO_POINT;
}

static ps_str add_region_name(const ps_picl_region *region, ps_strings *strings)
{
        char name[64];
        if (region->name)
                return region->name;
        if (region->row < PS_PICL_E_COUNT)
                return ps_strings_addz(strings, ps_picl_events[region->row].name);
        if (region->number >= PS_PICL_BLOCK)
                snprintf(name, sizeof(name), "picl block %" PRId64, PS_PICL_BLOCK - region->number);
        else
                snprintf(name, sizeof(name), "%s event %" PRId64,
                         region->row == PS_PICL_E_USER ? "user" : "picl", region->number);
        return ps_strings_addz(strings, name);
}

/* A user event may be labelled with a call of MPI: one that PICL has no event for, or that tells of nothing.
 */
static void name_call(ps_region_def *def, const ps_strings *strings)
{
        ps_name_info info = ps_kind_of_name(ps_strings_get(strings, def->name));
        if (info.family != PS_NAMES_MPI)
                return;
        def->paradigm = PS_PARADIGM_MPI;
        def->kind = (uint8_t)info.kind;
        def->nonblocking = info.nonblocking;
        def->role = (uint8_t)role_of(info.kind);
}

static ps_status define_regions(const ps_picl_log *log, ps_defs *defs, ps_error *err)
{
        for (uint32_t i = 0; i < log->n_regions; i++) {
                const ps_picl_region *region = &log->region[i];
                const ps_picl_event *event =
                        region->row < PS_PICL_E_COUNT ? &ps_picl_events[region->row] : NULL;
                ps_kind kind = event ? (ps_kind)event->kind : PS_K_NONE;
                ps_region_def def = {.name = add_region_name(region, defs->strings),
                                     .file = region->file,
                                     .line = region->source_line,
                                     .paradigm = event                           ? event->paradigm
                                                 : region->row == PS_PICL_E_USER ? PS_PARADIGM_USER
                                                                                 : PS_PARADIGM_OTHER,
                                     .role = (uint8_t)role_of(kind),
                                     .kind = (uint8_t)kind,
                                     .given = 1};
                if (def.name == PS_NONE)
                        return PS_NOMEM(err, "strings", 1);
                if (region->row == PS_PICL_E_USER && region->name)
                        name_call(&def, defs->strings);
                PS_TRY(ps_defs_add_region(defs, &def, NULL, err));
        }
        return PS_OK;
}

/* -- communicators -- */

/* The first `n` processes. */
static ps_status define_first(ps_defs *defs, const char *name, uint32_t n, ps_comm *out, ps_error *err)
{
        uint32_t *members = PS_ARENA_NEW(defs->arena, uint32_t, n);
        ps_comm_def def = {.name = ps_strings_addz(defs->strings, name),
                           .parent = PS_NONE,
                           .n_members = n,
                           .members = members};
        if (!members || def.name == PS_NONE)
                return PS_NOMEM(err, "members", n);
        for (uint32_t i = 0; i < n; i++)
                members[i] = i;
        return ps_defs_add_comm(defs, &def, out, err);
}

/* The processes of a subset's nodes. One that is named twice has the rank of the first time. */
static ps_status fill_members(ps_picl_names *names, const ps_picl_log *log, const ps_picl_subset *subset,
                              uint32_t *members, uint32_t *n, ps_comm comm, ps_error *err)
{
        *n = 0;
        for (uint32_t i = 0; i < subset->n; i++) {
                ps_proc process = ps_picl_process(log, log->member[subset->first + i], 0);
                if (process != PS_NONE) {
                        ps_time *rank = ps_map_at(&names->rank_of, comm, process, -1);
                        if (!rank)
                                return PS_NOMEM(err, "members", subset->n);
                        if (*rank >= 0) {
                                ps_picl_note(log, PS_I_DEF_INVALID, UINT64_MAX);
                                continue;
                        }
                        *rank = *n;
                }
                members[(*n)++] = process;
        }
        return PS_OK;
}

static ps_status define_subset(ps_picl_names *names, const ps_picl_log *log, uint32_t i, ps_defs *defs,
                               ps_error *err)
{
        const ps_picl_subset *subset = &log->subset[i];
        char name[32];
        snprintf(name, sizeof(name), "subset %" PRId32, subset->id);
        if (subset->n == 1 && log->member[subset->first] == PS_PICL_WILDCARD) {
                names->comm[i] = names->all;
                return PS_OK;
        }
        uint32_t *members = PS_ARENA_NEW(defs->arena, uint32_t, subset->n);
        ps_comm_def def = {
                .name = ps_strings_addz(defs->strings, name), .parent = names->all, .members = members};
        if (!members || def.name == PS_NONE)
                return PS_NOMEM(err, "members", subset->n);
        PS_TRY(fill_members(names, log, subset, members, &def.n_members, defs->comms.n, err));
        return ps_defs_add_comm(defs, &def, &names->comm[i], err);
}

static ps_status define_comms(ps_picl_names *names, const ps_picl_log *log, ps_defs *defs, ps_error *err)
{
        uint32_t n = log->n_places;
        bool has_host = n > 1 && log->place[n - 1].node == PS_PICL_HOST;
        names->comm = calloc((size_t)log->n_subsets + 1, sizeof(*names->comm));
        if (!names->comm)
                return PS_NOMEM(err, "subsets", log->n_subsets);
        PS_TRY(define_first(defs, "all", n, &names->messages, err));
        names->all = names->messages;
        if (has_host)
                PS_TRY(define_first(defs, "all nodes", n - 1, &names->all, err));
        for (uint32_t i = 0; i < log->n_subsets; i++)
                PS_TRY(define_subset(names, log, i, defs, err));
        return PS_OK;
}

ps_comm ps_picl_comm(const ps_picl_names *names, const ps_picl_log *log, int32_t subset)
{
        int64_t found = ps_map_get(&log->subset_of, (uint32_t)subset, 0, -1);
        if (subset == PS_PICL_WILDCARD)
                return names->all;
        return found < 0 ? PS_NONE : names->comm[found];
}

uint32_t ps_picl_root(const ps_picl_names *names, const ps_picl_log *log, ps_comm comm, int32_t root)
{
        ps_proc process = ps_picl_process(log, root, 0);
        if (comm == names->all || process == PS_NONE || comm == PS_NONE)
                return process;
        return (uint32_t)ps_map_get(&names->rank_of, comm, process, root);
}

ps_status ps_picl_define(ps_picl_names *out, ps_picl_log *log, ps_defs *defs, ps_error *err)
{
        static const char *const creators[] = {
                [PS_PICL_NEW] = "PICL 2.0", [PS_PICL_COMPACT] = "PICL 1", [PS_PICL_VERBOSE] = "PICL 1"};
        *out = (ps_picl_names){0};
        defs->creator = ps_strings_addz(defs->strings, creators[log->form]);
        defs->counts_lines = 1;
        defs->resolution_hz = 1;
        for (unsigned i = 0; i < log->decimals; i++)
                defs->resolution_hz *= 10;
        PS_TRY(defs->creator == PS_NONE ? PS_NOMEM(err, "strings", 1) : define_places(log, defs, err));
        PS_TRY(define_regions(log, defs, err));
        return define_comms(out, log, defs, err);
}

void ps_picl_names_free(ps_picl_names *names)
{
        free(names->comm);
        ps_map_free(&names->rank_of);
}
