/* places.c - call sites of all processes as calling contexts: the functions around the call, and the call
 * with its line. The same site of many ranks is resolved once. */
#include "record/finish/run.h"
#include "record/resolve/resolve.h"

enum { REGION_IDS = 3, SOURCE_IDS, NODE_IDS, CONTEXT_IDS, SITE_IDS }; /* in ps_raw_run.keys */

typedef struct places {
        ps_raw_run *run;
        ps_resolver *resolver;
        ps_map functions; /* (module, function of MPI): a number, for SITE_IDS */
        ps_error *err;
        ps_status status;
} places;

/* The value of (a, b), `next` if there is none; *is_new says which. */
static uint32_t number_of_place(places *p, ps_map *map, uint32_t a, uint32_t b, uint32_t next, bool *is_new)
{
        size_t before = map->n;
        ps_time *value = ps_map_at(map, a, b, next);
        *is_new = map->n > before;
        if (!value)
                p->status = PS_NOMEM(p->err, "call sites", before);
        return value ? (uint32_t)*value : 0;
}

static uint32_t region_of(places *p, const char *name, bool is_mpi)
{
        bool is_new;
        ps_raw_run *run = p->run;
        ps_str text = ps_strings_addz(run->strings, name);
        uint32_t id = number_of_place(p, &run->keys[REGION_IDS], text, is_mpi, run->regions.n, &is_new);
        if (text == PS_NONE || (is_new && PS_PUSH(run->regions, (ps_raw_run_region){text, is_mpi})))
                p->status = PS_NOMEM(p->err, "regions", run->regions.n);
        return id;
}

static uint32_t source_of(places *p, const ps_resolved *found)
{
        bool is_new;
        ps_raw_run *run = p->run;
        if (!found->file)
                return PS_NONE;
        ps_str file = ps_strings_addz(run->strings, found->file);
        uint32_t id = number_of_place(p, &run->keys[SOURCE_IDS], file, found->line, run->sources.n, &is_new);
        if (file == PS_NONE || (is_new && PS_PUSH(run->sources, (ps_raw_run_source){file, found->line})))
                p->status = PS_NOMEM(p->err, "source lines", run->sources.n);
        return id;
}

static uint32_t context_of(places *p, uint32_t parent, uint32_t region, uint32_t source)
{
        bool is_new;
        ps_raw_run *run = p->run;
        uint32_t node = number_of_place(p, &run->keys[NODE_IDS], parent, region,
                                        (uint32_t)run->keys[NODE_IDS].n, &is_new);
        uint32_t id = number_of_place(p, &run->keys[CONTEXT_IDS], node, source, run->contexts.n, &is_new);
        if (is_new && PS_PUSH(run->contexts, (ps_raw_run_context){parent, region, source}))
                p->status = PS_NOMEM(p->err, "calling contexts", run->contexts.n);
        return id;
}

static uint32_t resolve(places *p, const ps_raw_module *module, const ps_raw_site *site)
{
        ps_resolved found = {.n_frames = 0};
        uint32_t context = PS_NONE;
        if (module)
                ps_resolver_call(p->resolver, module->resolved, site->offset, site->function, &found);
        for (unsigned i = 0; i < found.n_frames; i++)
                context = context_of(p, context, region_of(p, found.frame[i], 0), PS_NONE);
        return context_of(p, context, region_of(p, site->function, 1), source_of(p, &found));
}

/* Offsets of more than 32 bits are none of a file: they are told apart by nothing but their function. */
static uint32_t place_of(places *p, const ps_process *process, const ps_raw_site *site)
{
        bool is_new;
        ps_raw_run *run = p->run;
        const ps_raw_module *module = site->module == PS_NONE ? NULL : &process->modules.row[site->module];
        bool is_known = module && site->offset < PS_NONE;
        uint32_t function = number_of_place(p, &p->functions, is_known ? module->resolved : PS_NONE - 1,
                                            ps_strings_addz(run->texts, site->function),
                                            (uint32_t)p->functions.n, &is_new);
        uint32_t context = number_of_place(p, &run->keys[SITE_IDS], function,
                                           is_known ? (uint32_t)site->offset : 0, PS_NONE, &is_new);
        if (!is_new || p->status != PS_OK)
                return context;
        context = resolve(p, is_known ? module : NULL, site);
        ps_time *value = ps_map_at(&run->keys[SITE_IDS], function, is_known ? (uint32_t)site->offset : 0, 0);
        if (value)
                *value = context;
        return context;
}

/* All files first: what was called in one may have jumped on into another. */
static ps_status open_modules(places *p)
{
        for (uint32_t i = 0; i < p->run->processes.n; i++)
                for (uint32_t m = 0; m < p->run->processes.row[i].modules.n; m++) {
                        ps_raw_module *module = &p->run->processes.row[i].modules.row[m];
                        PS_TRY(ps_resolver_module(p->resolver, module->path, module->build_id,
                                                  &module->resolved, p->err));
                }
        return PS_OK;
}

ps_status ps_raw_run_places(ps_raw_run *run, ps_error *err)
{
        places p = {.run = run, .err = err, .status = PS_OK};
        PS_TRY(ps_resolver_new(&p.resolver, err));
        p.status = open_modules(&p);
        for (uint32_t i = 0; i < run->processes.n; i++)
                for (uint32_t s = 0; s < run->processes.row[i].sites.n && p.status == PS_OK; s++) {
                        ps_raw_site *site = &run->processes.row[i].sites.row[s];
                        site->context = place_of(&p, &run->processes.row[i], site);
                }
        ps_map_free(&p.functions);
        ps_resolver_free(p.resolver);
        return p.status;
}
