/* resolve.c - see resolve.h. */
#include "reader/otf2/resolve.h"

#include "core/base/search.h"
#include "reader/otf2/comms.h"
#include "reader/otf2/regions.h"
#include "reader/otf2/topology.h"

#include <math.h>
#include <otf2/OTF2_Definitions.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct resolve {
        ps_otf2_names *names;
        const ps_otf2_defs *raw;
        ps_defs *defs;
        ps_issues *issues;
        ps_error *err;
        ps_str *machine; /* of each node of the system tree; while places are resolved */
        bool eztrace;
} resolve;

#define ROWS(r, which)  ((r)->raw->table[which].row)
#define COUNT(r, which) ((r)->raw->table[which].n)

uint32_t ps_otf2_ids_find(const ps_otf2_ids *ids, uint64_t id)
{
        uint32_t low = 0;
        if (id < ids->n && ids->id[id] == id)
                low = (uint32_t)id;
        else
                PS_SEARCH(low, ids->n, middle, ids->id[middle] < id);
        if (low == ids->n || ids->id[low] != id)
                return PS_NONE;
        return ids->value ? ids->value[low] : low;
}

ps_status ps_otf2_take_ids(ps_otf2_ids *out, const ps_otf2_defs *raw, ps_otf2_table table, bool with_values,
                           ps_error *err)
{
        uint32_t n = raw->table[table].n;
        out->id = malloc((n + 1) * sizeof(*out->id));
        out->value = with_values ? malloc((n + 1) * sizeof(*out->value)) : NULL;
        if (!out->id || (with_values && !out->value))
                return PS_NOMEM(err, "ids", n);
        for (uint32_t i = 0; i < n; i++) {
                out->id[i] = raw->table[table].row[i].id;
                if (with_values)
                        out->value[i] = PS_NONE;
        }
        out->n = n;
        return PS_OK;
}

ps_str ps_otf2_string(const ps_otf2_defs *raw, const ps_otf2_def *def, uint64_t id, ps_issues *issues)
{
        const ps_otf2_def *text = ps_otf2_defs_find(raw, PS_OTF2_STRING, id);
        if (text)
                return (ps_str)text->v[PS_OTF2_STRING_ID];
        if (id < PS_OTF2_UNDEFINED)
                ps_otf2_defs_note(raw, def, PS_I_DEF_UNKNOWN, issues);
        return 0;
}

static ps_str string(resolve *r, const ps_otf2_def *def, uint64_t id)
{
        return ps_otf2_string(r->raw, def, id, r->issues);
}

/* EZTrace leaves the anchor's creator empty; what gives its archives away is a region of its own. */
static bool is_eztrace(const ps_otf2_defs *raw, const char *creator)
{
        static const char name[] = "EZTrace finalize";
        if (*creator)
                return strncmp(creator, "EZTrace", 7) == 0;
        for (uint32_t i = 0; i < raw->table[PS_OTF2_STRING].n; i++) {
                const ps_otf2_def *text = &raw->table[PS_OTF2_STRING].row[i];
                if (text->count == sizeof(name) - 1 && memcmp(text->data, name, sizeof(name) - 1) == 0)
                        return 1;
        }
        return 0;
}

static ps_status resolve_clock(resolve *r)
{
        const ps_otf2_def *clock = COUNT(r, PS_OTF2_CLOCK) ? &ROWS(r, PS_OTF2_CLOCK)[0] : NULL;
        r->defs->resolution_hz = clock ? clock->v[PS_OTF2_CLOCK_RESOLUTION] : 0;
        r->names->zero = clock ? clock->v[PS_OTF2_CLOCK_ZERO] : 0;
        if (r->defs->resolution_hz == 0) {
                ps_otf2_defs_note(r->raw, clock, PS_I_DEF_INVALID, r->issues);
                r->defs->resolution_hz = 1000000000;
        }
        return PS_OK;
}

/* How far samples are apart, if they are taken by time. */
static ps_status resolve_sampling(resolve *r)
{
        const uint64_t *v = COUNT(r, PS_OTF2_SAMPLER) ? ROWS(r, PS_OTF2_SAMPLER)[0].v : NULL;
        if (!v || v[PS_OTF2_SAMPLER_MODE] != OTF2_INTERRUPT_GENERATOR_MODE_TIME)
                return PS_OK;
        double base = v[PS_OTF2_SAMPLER_BASE] == OTF2_BASE_BINARY ? 2 : 10;
        double period = (double)v[PS_OTF2_SAMPLER_PERIOD] *
                        pow(base, (double)(int64_t)v[PS_OTF2_SAMPLER_EXPONENT]) * (double)PS_PS_PER_S;
        if (period >= 1 && period < (double)PS_TIME_MAX)
                r->defs->sampled_every = (ps_time)period;
        return PS_OK;
}

static uint32_t parent_node(resolve *r, uint32_t i)
{
        const ps_otf2_def *up =
                ps_otf2_defs_find(r->raw, PS_OTF2_NODE, ROWS(r, PS_OTF2_NODE)[i].v[PS_OTF2_NODE_PARENT]);
        return up ? (uint32_t)(up - ROWS(r, PS_OTF2_NODE)) : PS_NONE;
}

static ps_str name_of_machine(resolve *r, uint32_t i)
{
        const ps_otf2_def *node = &ROWS(r, PS_OTF2_NODE)[i];
        const char *class = ps_defs_str(r->defs, string(r, node, node->v[PS_OTF2_NODE_CLASS]));
        return strcmp(class, "node") == 0 ? string(r, node, node->v[PS_OTF2_NAME]) : 0;
}

/* Of each node of the system tree the nearest one, from itself upwards, whose class is "node", or 0. Each is
 * looked at once, however deep the tree; a circle has no machine. */
static ps_status find_machines(resolve *r)
{
        uint32_t n = COUNT(r, PS_OTF2_NODE);
        r->machine = malloc((n + 1) * sizeof(*r->machine));
        if (!r->machine)
                return PS_NOMEM(r->err, "system tree", n);
        for (uint32_t i = 0; i < n; i++)
                r->machine[i] = PS_NONE;
        for (uint32_t i = 0; i < n; i++) {
                uint32_t at = i, steps = 0;
                for (; at != PS_NONE && r->machine[at] == PS_NONE; at = parent_node(r, at), steps++)
                        if ((r->machine[at] = name_of_machine(r, at)) != 0)
                                break;
                ps_str found = at == PS_NONE ? 0 : r->machine[at];
                for (at = i; steps > 0; at = parent_node(r, at), steps--)
                        r->machine[at] = found;
        }
        return PS_OK;
}

/* Where no level of the system tree is called "node", the machine is the lowest one that has another above
 * it.
 */
static ps_str machine_of(resolve *r, const ps_otf2_def *process)
{
        const ps_otf2_def *node = ps_otf2_defs_find(r->raw, PS_OTF2_NODE, process->v[PS_OTF2_PROCESS_NODE]);
        if (!node)
                return 0;
        ps_str machine = r->machine[node - ROWS(r, PS_OTF2_NODE)];
        if (machine || node->v[PS_OTF2_NODE_PARENT] >= PS_OTF2_UNDEFINED)
                return machine;
        return string(r, node, node->v[PS_OTF2_NAME]);
}

/* Location groups become processes, but an accelerator's group belongs to the process that created it.
 * `process_of` gets the process of each group. */
static ps_status resolve_processes(resolve *r, ps_proc *process_of)
{
        uint32_t n = COUNT(r, PS_OTF2_PROCESS);
        for (uint32_t i = 0; i < n; i++) {
                const ps_otf2_def *def = &ROWS(r, PS_OTF2_PROCESS)[i];
                process_of[i] = PS_NONE;
                if (def->v[PS_OTF2_PROCESS_TYPE] == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR)
                        continue;
                ps_process_def process = {.name = string(r, def, def->v[PS_OTF2_NAME]),
                                          .node = machine_of(r, def)};
                PS_TRY(ps_defs_add_process(r->defs, &process, &process_of[i], r->err));
        }
        for (uint32_t i = 0; i < n; i++) {
                const ps_otf2_def *def = &ROWS(r, PS_OTF2_PROCESS)[i];
                if (process_of[i] != PS_NONE)
                        continue;
                const ps_otf2_def *creator =
                        ps_otf2_defs_find(r->raw, PS_OTF2_PROCESS, def->v[PS_OTF2_PROCESS_CREATOR]);
                if (creator && creator->v[PS_OTF2_PROCESS_TYPE] != OTF2_LOCATION_GROUP_TYPE_ACCELERATOR) {
                        process_of[i] = process_of[creator - ROWS(r, PS_OTF2_PROCESS)];
                        continue;
                }
                ps_process_def process = {.name = string(r, def, def->v[PS_OTF2_NAME])};
                PS_TRY(ps_defs_add_process(r->defs, &process, &process_of[i], r->err));
        }
        return PS_OK;
}

/* Which processors of its machine each process might run on, as `patscan record` tells. */
static void resolve_processors(resolve *r, const ps_proc *process_of)
{
        for (uint32_t i = 0; i < COUNT(r, PS_OTF2_PROCESS_PROPERTY); i++) {
                const ps_otf2_def *def = &ROWS(r, PS_OTF2_PROCESS_PROPERTY)[i];
                const ps_otf2_def *group =
                        ps_otf2_defs_find(r->raw, PS_OTF2_PROCESS, def->v[PS_OTF2_PROPERTY_OF]);
                const char *name = ps_defs_str(r->defs, string(r, def, def->v[PS_OTF2_PROPERTY_NAME]));
                if (group && strcmp(name, "PATSCAN::PROCESSORS") == 0)
                        r->defs->processes.row[process_of[group - ROWS(r, PS_OTF2_PROCESS)]].processors =
                                string(r, def, def->v[PS_OTF2_PROPERTY_TEXT]);
        }
}

/* A location whose process is not defined gets one of its own. */
static ps_status location_process(resolve *r, const ps_otf2_def *def, const ps_proc *process_of, ps_str name,
                                  ps_proc *out)
{
        const ps_otf2_def *group =
                ps_otf2_defs_find(r->raw, PS_OTF2_PROCESS, def->v[PS_OTF2_LOCATION_PROCESS]);
        if (group) {
                *out = process_of[group - ROWS(r, PS_OTF2_PROCESS)];
                return PS_OK;
        }
        ps_otf2_defs_note(r->raw, def, PS_I_DEF_UNKNOWN, r->issues);
        ps_process_def process = {.name = name};
        return ps_defs_add_process(r->defs, &process, out, r->err);
}

static ps_status resolve_locations(resolve *r, const ps_proc *process_of)
{
        for (uint32_t i = 0; i < COUNT(r, PS_OTF2_LOCATION); i++) {
                const ps_otf2_def *def = &ROWS(r, PS_OTF2_LOCATION)[i];
                uint64_t type = def->v[PS_OTF2_LOCATION_TYPE];
                ps_location_def location = {.name = string(r, def, def->v[PS_OTF2_NAME]),
                                            .type = type == OTF2_LOCATION_TYPE_METRIC ? PS_LOCATION_METRIC
                                                    : type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
                                                            ? PS_LOCATION_ACCELERATOR
                                                            : PS_LOCATION_CPU,
                                            .native = def->id,
                                            .n_events = def->v[PS_OTF2_LOCATION_EVENTS]};
                PS_TRY(location_process(r, def, process_of, location.name, &location.process));
                PS_TRY(ps_defs_add_location(r->defs, &location, NULL, r->err));
        }
        return PS_OK;
}

static ps_status resolve_places(resolve *r)
{
        ps_proc *process_of = r->names->process =
                malloc((COUNT(r, PS_OTF2_PROCESS) + 1) * sizeof(*process_of));
        if (!process_of)
                return PS_NOMEM(r->err, "processes", COUNT(r, PS_OTF2_PROCESS));
        ps_status status = find_machines(r);
        PS_THEN(status, resolve_processes(r, process_of));
        if (status == PS_OK)
                resolve_processors(r, process_of);
        PS_THEN(status, resolve_locations(r, process_of));
        free(r->machine);
        return status;
}

static ps_status resolve_regions(resolve *r)
{
        return ps_otf2_resolve_regions(&r->names->ids[OTF2_MAPPING_REGION], r->raw, r->defs, r->eztrace,
                                       r->issues, r->err);
}

static ps_otf2_source source_of(resolve *r, const ps_otf2_def *def)
{
        uint64_t line = def->v[PS_OTF2_SOURCE_LINE];
        return (ps_otf2_source){string(r, def, def->v[PS_OTF2_SOURCE_FILE]),
                                line < PS_OTF2_UNDEFINED ? (uint32_t)line : 0};
}

static ps_status resolve_sources(resolve *r)
{
        uint32_t n = COUNT(r, PS_OTF2_SOURCE);
        r->names->source = malloc((n + 1) * sizeof(*r->names->source));
        if (!r->names->source)
                return PS_NOMEM(r->err, "source code locations", n);
        for (uint32_t i = 0; i < n; i++)
                r->names->source[i] = source_of(r, &ROWS(r, PS_OTF2_SOURCE)[i]);
        return ps_otf2_take_ids(&r->names->ids[OTF2_MAPPING_SOURCE_CODE_LOCATION], r->raw, PS_OTF2_SOURCE, 0,
                                r->err);
}

static ps_status add_context(resolve *r, uint32_t i)
{
        const ps_otf2_def *def = &ROWS(r, PS_OTF2_CONTEXT)[i];
        uint32_t *dense = r->names->ids[OTF2_MAPPING_CALLING_CONTEXT].value;
        const ps_otf2_def *parent =
                ps_otf2_defs_find(r->raw, PS_OTF2_CONTEXT, def->v[PS_OTF2_CONTEXT_PARENT]);
        const ps_otf2_def *region = ps_otf2_defs_find(r->raw, PS_OTF2_REGION, def->v[PS_OTF2_CONTEXT_REGION]);
        const ps_otf2_def *source = ps_otf2_defs_find(r->raw, PS_OTF2_SOURCE, def->v[PS_OTF2_CONTEXT_SOURCE]);
        ps_context_def context = {.parent = PS_NONE, .region = PS_NONE};
        if ((!parent && def->v[PS_OTF2_CONTEXT_PARENT] != PS_OTF2_UNDEFINED) || !region ||
            (!source && def->v[PS_OTF2_CONTEXT_SOURCE] != PS_OTF2_UNDEFINED))
                ps_otf2_defs_note(r->raw, def, PS_I_DEF_UNKNOWN, r->issues);
        if (parent)
                context.parent = dense[parent - ROWS(r, PS_OTF2_CONTEXT)];
        if (parent && context.parent == PS_NONE) /* not there yet: part of a cycle, which is cut here */
                ps_otf2_defs_note(r->raw, def, PS_I_DEF_INVALID, r->issues);
        if (region)
                context.region = r->names->ids[OTF2_MAPPING_REGION].value[region - ROWS(r, PS_OTF2_REGION)];
        if (source) {
                const ps_otf2_source *place = &r->names->source[source - ROWS(r, PS_OTF2_SOURCE)];
                context.file = place->file;
                context.line = place->line;
        }
        return ps_defs_add_context(r->defs, &context, &dense[i], r->err);
}

/* Parents come first in patscan's table: from each context up to one that is there, then down again. `chain`
 * has room for all; a context that is met twice on the way up closes a cycle. */
static ps_status order_contexts(resolve *r, uint32_t *chain, uint8_t *on_chain)
{
        const uint32_t *dense = r->names->ids[OTF2_MAPPING_CALLING_CONTEXT].value;
        for (uint32_t i = 0; i < COUNT(r, PS_OTF2_CONTEXT); i++) {
                uint32_t n = 0, at = i;
                while (dense[at] == PS_NONE && !on_chain[at]) {
                        chain[n++] = at;
                        on_chain[at] = 1;
                        const ps_otf2_def *up =
                                ps_otf2_defs_find(r->raw, PS_OTF2_CONTEXT,
                                                  ROWS(r, PS_OTF2_CONTEXT)[at].v[PS_OTF2_CONTEXT_PARENT]);
                        if (up)
                                at = (uint32_t)(up - ROWS(r, PS_OTF2_CONTEXT));
                }
                while (n > 0)
                        PS_TRY(add_context(r, chain[--n]));
        }
        return PS_OK;
}

static ps_status resolve_contexts(resolve *r)
{
        uint32_t n = COUNT(r, PS_OTF2_CONTEXT);
        ps_status status = ps_otf2_take_ids(&r->names->ids[OTF2_MAPPING_CALLING_CONTEXT], r->raw,
                                            PS_OTF2_CONTEXT, 1, r->err);
        if (status != PS_OK || n == 0)
                return status;
        uint32_t *chain = malloc(n * sizeof(*chain));
        uint8_t *on_chain = calloc(n, 1);
        status = chain && on_chain ? order_contexts(r, chain, on_chain)
                                   : PS_NOMEM(r->err, "calling contexts", n);
        free(chain);
        free(on_chain);
        return status;
}

static ps_otf2_attribute attribute_of(const char *name)
{
        static const struct {
                const char *name;
                ps_otf2_attribute what;
        } known[] = {{"CALLSITE_FILE", PS_OTF2_ATTRIBUTE_FILE},
                     {"CALLSITE_LINE", PS_OTF2_ATTRIBUTE_LINE},
                     {"CALL_SITE_FILE", PS_OTF2_ATTRIBUTE_FILE},
                     {"CALL_SITE_LINE", PS_OTF2_ATTRIBUTE_LINE},
                     {"SOURCE_FILE", PS_OTF2_ATTRIBUTE_FILE},
                     {"SOURCE_LINE", PS_OTF2_ATTRIBUTE_LINE},
                     {"SOURCE_FILE_NAME", PS_OTF2_ATTRIBUTE_FILE},
                     {"SOURCE_LINE_NUMBER", PS_OTF2_ATTRIBUTE_LINE},
                     {"SOURCE_CODE_LOCATION", PS_OTF2_ATTRIBUTE_PLACE},
                     {"FILE", PS_OTF2_ATTRIBUTE_FILE},
                     {"LINE", PS_OTF2_ATTRIBUTE_LINE},
                     {"FILE_NAME", PS_OTF2_ATTRIBUTE_FILE},
                     {"LINE_NUMBER", PS_OTF2_ATTRIBUTE_LINE},
                     {"UPC_IN_SYNC", PS_OTF2_ATTRIBUTE_IN},
                     {"UPC_OUT_SYNC", PS_OTF2_ATTRIBUTE_OUT},
                     {"ROOT", PS_OTF2_ATTRIBUTE_ROOT},
                     {"LOCK_ID", PS_OTF2_ATTRIBUTE_LOCK_ID}};
        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
                if (strcasecmp(name, known[i].name) == 0)
                        return known[i].what;
        return PS_OTF2_ATTRIBUTE_OTHER;
}

static ps_status resolve_attributes(resolve *r)
{
        uint32_t n = COUNT(r, PS_OTF2_ATTRIBUTE);
        r->names->attribute = calloc(n + 1, 1);
        if (!r->names->attribute)
                return PS_NOMEM(r->err, "attributes", n);
        for (uint32_t i = 0; i < n; i++) {
                const ps_otf2_def *def = &ROWS(r, PS_OTF2_ATTRIBUTE)[i];
                ps_str name = string(r, def, def->v[PS_OTF2_NAME]);
                r->names->attribute[i] = (uint8_t)attribute_of(ps_defs_str(r->defs, name));
        }
        return ps_otf2_take_ids(&r->names->ids[OTF2_MAPPING_ATTRIBUTE], r->raw, PS_OTF2_ATTRIBUTE, 0, r->err);
}

/* A metric is known by its class's first member. */
static ps_str metric_name(resolve *r, const ps_otf2_def *def)
{
        if (def->v[PS_OTF2_METRIC_CLASS] != UINT64_MAX) { /* an instance */
                def = ps_otf2_defs_find(r->raw, PS_OTF2_METRIC, def->v[PS_OTF2_METRIC_CLASS]);
                if (!def || def->v[PS_OTF2_METRIC_CLASS] != UINT64_MAX)
                        return 0;
        }
        ps_otf2_bytes b = {def->data, def->data + def->size, def->big, 0};
        const ps_otf2_def *member =
                def->count ? ps_otf2_defs_find(r->raw, PS_OTF2_MEMBER, ps_otf2_u32(&b)) : NULL;
        return member ? string(r, member, member->v[PS_OTF2_NAME]) : 0;
}

static ps_status resolve_small(resolve *r)
{
        PS_TRY(resolve_attributes(r));
        for (uint32_t i = 0; i < COUNT(r, PS_OTF2_METRIC); i++)
                PS_TRY(ps_defs_add_metric(r->defs, metric_name(r, &ROWS(r, PS_OTF2_METRIC)[i]), NULL,
                                          r->err));
        for (uint32_t i = 0; i < COUNT(r, PS_OTF2_PARAMETER); i++) {
                const ps_otf2_def *def = &ROWS(r, PS_OTF2_PARAMETER)[i];
                PS_TRY(ps_defs_add_param(r->defs, string(r, def, def->v[PS_OTF2_NAME]), NULL, r->err));
        }
        PS_TRY(ps_otf2_take_ids(&r->names->ids[OTF2_MAPPING_METRIC], r->raw, PS_OTF2_METRIC, 0, r->err));
        return ps_otf2_take_ids(&r->names->ids[OTF2_MAPPING_PARAMETER], r->raw, PS_OTF2_PARAMETER, 0, r->err);
}

static ps_status resolve_strings(resolve *r)
{
        ps_otf2_ids *ids = &r->names->ids[OTF2_MAPPING_STRING];
        PS_TRY(ps_otf2_take_ids(ids, r->raw, PS_OTF2_STRING, 1, r->err));
        for (uint32_t i = 0; i < ids->n; i++)
                ids->value[i] = (ps_str)ROWS(r, PS_OTF2_STRING)[i].v[PS_OTF2_STRING_ID];
        return PS_OK;
}

ps_status ps_otf2_resolve(ps_otf2_names *out, const ps_otf2_defs *raw, const char *creator, ps_defs *defs,
                          ps_issues *issues, ps_error *err)
{
        ps_status (*const steps[])(resolve *) = {resolve_clock,    resolve_sampling, resolve_places,
                                                 resolve_strings,  resolve_sources,  resolve_regions,
                                                 resolve_contexts, resolve_small};
        memset(out, 0, sizeof(*out));
        resolve r = {out, raw, defs, issues, err, NULL, is_eztrace(raw, creator)};
        /* EZTrace's processes each begin to count when they start, and its receives that a request completes
         * always name MPI_COMM_WORLD. */
        defs->clock_per_process = defs->recv_comm_unreliable = r.eztrace;
        /* docs/UPC_IN_OTF2.md promises what the level means; of others it is not known. */
        defs->levels_are_out_modes = strncmp(creator, "patscan", 7) == 0;
        defs->creator = ps_strings_addz(defs->strings, r.eztrace && !*creator ? "EZTrace" : creator);
        ps_status status = defs->creator == PS_NONE ? PS_NOMEM(err, "strings", 1) : PS_OK;
        for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && status == PS_OK; i++)
                status = steps[i](&r);
        PS_THEN(status, ps_otf2_resolve_comms(out, raw, defs, issues, err));
        PS_THEN(status, ps_otf2_resolve_topology(out, raw, defs, issues, err));
        if (status != PS_OK)
                ps_otf2_names_free(out);
        return status;
}

void ps_otf2_names_free(ps_otf2_names *names)
{
        for (int i = 0; i < OTF2_MAPPING_MAX; i++) {
                free(names->ids[i].id);
                free(names->ids[i].value);
        }
        free(names->attribute);
        free(names->source);
        free(names->process);
        if (names->comm_ranks)
                for (uint32_t i = 0; i < names->ids[OTF2_MAPPING_COMM].n; i++)
                        free(names->comm_ranks[i].rank);
        free(names->comm_ranks);
        memset(names, 0, sizeof(*names));
}
