/* places.c - call sites of all processes as calling contexts: the functions around the call, and the call
 * with its line. The same site of many ranks is resolved once. */
#include "core/base/search.h"
#include "record/finish/run.h"
#include "record/resolve/resolve.h"

#include <fnmatch.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct places {
        ps_raw_run *run;
        ps_resolver *resolver;
        ps_map functions; /* (module, function of MPI): a number */
        ps_map calls;     /* (that, calling context): a number, for SITE_IDS */
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

static uint32_t source_of(places *p, const char *name, unsigned line)
{
        bool is_new;
        ps_raw_run *run = p->run;
        if (!name)
                return PS_NONE;
        ps_str file = ps_strings_addz(run->strings, name);
        uint32_t id = number_of_place(p, &run->keys[PS_RAW_SOURCE_IDS], file, line, run->sources.n, &is_new);
        if (file == PS_NONE || (is_new && PS_PUSH(run->sources, (ps_raw_run_source){file, line})))
                p->status = PS_NOMEM(p->err, "source lines", run->sources.n);
        return id;
}

/* One of a name, or of OpenMP of a name and place. */
static uint32_t region_of(places *p, ps_raw_run_region region)
{
        bool is_new;
        ps_raw_run *run = p->run;
        uint32_t place =
                region.paradigm == PS_RAW_OF_OPENMP ? PS_RAW_OF_OPENMP + region.source + 1 : region.paradigm;
        uint32_t id = number_of_place(p, &run->keys[PS_RAW_REGION_IDS], region.name, place, run->regions.n,
                                      &is_new);
        if (region.name == PS_NONE || (is_new && PS_PUSH(run->regions, region)))
                p->status = PS_NOMEM(p->err, "regions", run->regions.n);
        return id;
}

static uint32_t function_of(places *p, const char *name, ps_raw_paradigm paradigm)
{
        return region_of(p, (ps_raw_run_region){ps_strings_addz(p->run->strings, name), paradigm,
                                                OTF2_REGION_ROLE_FUNCTION, PS_NONE});
}

static uint32_t context_of(places *p, uint32_t parent, uint32_t region, uint32_t source)
{
        bool is_new;
        ps_raw_run *run = p->run;
        uint32_t node = number_of_place(p, &run->keys[PS_RAW_NODE_IDS], parent, region,
                                        (uint32_t)run->keys[PS_RAW_NODE_IDS].n, &is_new);
        uint32_t id =
                number_of_place(p, &run->keys[PS_RAW_CONTEXT_IDS], node, source, run->contexts.n, &is_new);
        if (is_new && PS_PUSH(run->contexts, (ps_raw_run_context){parent, region, source}))
                p->status = PS_NOMEM(p->err, "calling contexts", run->contexts.n);
        return id;
}

typedef struct construct {
        const char *id, *shown;
        uint8_t role;
} construct;

static const construct constructs[] = {
#define PS_CONSTRUCT(id, shown, role) {#id, shown, OTF2_REGION_ROLE_##role},
#include "record/raw/constructs.def"
#undef PS_CONSTRUCT
};

/* By its identifier, which ends where `id` does or at a colon. */
static const construct *find_construct(const char *id)
{
        size_t n = strcspn(id, ":"), i = 0, last = sizeof(constructs) / sizeof(constructs[0]) - 1;
        while (i < last && (strlen(constructs[i].id) != n || strncmp(constructs[i].id, id, n) != 0))
                i++;
        return &constructs[i];
}

/* Shown as "!$omp parallel @file.c:84". */
static uint32_t construct_of(places *p, const construct *c, uint32_t source)
{
        char text[256];
        const ps_raw_run_source *at = source == PS_NONE ? NULL : &p->run->sources.row[source];
        const char *file = at ? ps_strings_get(p->run->strings, at->file) : "", *slash = strrchr(file, '/');
        snprintf(text, sizeof(text), at ? "%s @%.180s:%u" : "%s", c->shown, slash ? slash + 1 : file,
                 at ? at->line : 0);
        return region_of(p, (ps_raw_run_region){ps_strings_addz(p->run->strings, text), PS_RAW_OF_OPENMP,
                                                c->role, source});
}

/* A region that the program named: in a definition blanks and the like are numbers. */
static uint32_t named_of(places *p, const char *text)
{
        char name[256];
        size_t n = 0;
        for (; *text && n + 1 < sizeof(name); n++) {
                char digits[3] = {*text == '%' ? text[1] : '\0', *text == '%' && text[1] ? text[2] : '\0', 0};
                name[n] = digits[1] ? (char)strtoul(digits, NULL, 16) : *text;
                text += digits[1] ? 3 : 1;
        }
        name[n] = '\0';
        return region_of(p, (ps_raw_run_region){ps_strings_addz(p->run->strings, *name ? name : "(no name)"),
                                                PS_RAW_OF_USER, OTF2_REGION_ROLE_CODE, PS_NONE});
}

/* What the site's function is called by, for who looks for the call; NULL: nobody knows. */
static const char *callee_of(const ps_raw_site *site)
{
        const char *colon = strchr(site->function, ':');
        if (site->function[0] == '@') /* the recorder's own */
                return NULL;
        if (!ps_raw_site_is_construct(site))
                return site->function;
        return colon && colon[1] ? colon + 1 : NULL;
}

/* Those frames as contexts: where whole stacks are told, each says where it is at work; otherwise only the
 * call does. */
static uint32_t frames_of(places *p, uint32_t context, const ps_resolved *found, unsigned first,
                          bool is_unwound)
{
        for (unsigned i = first; i < found->n_frames; i++) {
                const ps_resolved_frame *frame = &found->frame[i];
                uint32_t source = is_unwound ? source_of(p, frame->file, frame->line) : PS_NONE;
                context = context_of(p, context, function_of(p, frame->function, PS_RAW_OF_USER), source);
        }
        return context;
}

/* Is the file's name like one of these? */
static bool is_one_of(const ps_raw_module *module, const char *const *patterns)
{
        const char *slash = strrchr(module->path, '/'), *name = slash ? slash + 1 : module->path;
        while (*patterns && fnmatch(*patterns, name, 0) != 0)
                patterns++;
        return *patterns;
}

/* Functions outside of the program: what calls main, or begins a thread. */
static bool is_outside(const ps_raw_module *module, uint32_t outer, const ps_resolved *found)
{
        static const char *const libraries[] = {"libc.so*", "libc-*", "libpthread*", "ld-*", "ld.so*", NULL};
        return outer == PS_NONE && (is_one_of(module, libraries) ||
                                    (found->n_frames && strcmp(found->frame[0].function, "_start") == 0));
}

/* What calls the functions of a team's threads: what is around that is where the team was forked. */
static bool is_runtime(const ps_raw_module *module)
{
        static const char *const libraries[] = {"libgomp.so*", "libomp.so*", "libiomp5.so*", "record-*.so",
                                                NULL};
        return is_one_of(module, libraries);
}

static uint32_t resolve_frame(places *p, const ps_raw_module *module, const ps_raw_site *site, uint32_t outer)
{
        ps_resolved found = {.n_frames = 0};
        if (module && is_runtime(module))
                return PS_NONE;
        if (module)
                ps_resolver_frames(p->resolver, module->resolved, site->offset, 1, &found);
        return !module || is_outside(module, outer, &found) ? outer : frames_of(p, outer, &found, 0, 1);
}

static uint32_t resolve_site(places *p, const ps_process *process, const ps_raw_module *module,
                             const ps_raw_site *site, uint32_t outer)
{
        bool is_unwound = process->unwound > 0;
        ps_resolved found = {.n_frames = 0};
        if (strcmp(site->function, "-") == 0)
                return resolve_frame(p, module, site, outer);
        if (module)
                (site->is_jump ? ps_resolver_jump : ps_resolver_call)(p->resolver, module->resolved,
                                                                      site->offset, callee_of(site), &found);
        uint32_t context = frames_of(p, outer, &found, is_unwound ? 0 : found.n_around, is_unwound);
        if (site->body_module != PS_NONE)
                ps_resolver_body(p->resolver, process->modules.row[site->body_module].resolved, site->body,
                                 &found);
        uint32_t source = source_of(p, found.file, found.line);
        /* A line in a context is where the program is in what is entered there; constructs are defined with
         * theirs. */
        if (ps_raw_site_is_construct(site))
                return context_of(p, context, construct_of(p, find_construct(site->function + 1), source),
                                  PS_NONE);
        if (site->function[0] == '@')
                return context_of(p, context, named_of(p, site->function + 1), source);
        ps_raw_paradigm paradigm = strncmp(site->function, "shmem", 5) == 0 ? PS_RAW_OF_SHMEM : PS_RAW_OF_MPI;
        return context_of(p, context, function_of(p, site->function, paradigm), source);
}

static uint32_t barrier_of(places *p, const ps_raw_site *site)
{
        const construct *barrier = find_construct("IMPLICIT_BARRIER");
        if (!ps_raw_site_is_construct(site) ||
            find_construct(site->function + 1) != find_construct("PARALLEL"))
                return PS_NONE;
        uint32_t source = p->run->regions.row[p->run->contexts.row[site->context].region].source;
        return context_of(p, site->context, construct_of(p, barrier, source), PS_NONE);
}

/* The same function of MPI, called by the same ones, has a number with which the offset in the file makes a
 * place. Offsets of more than 32 bits are none of a file. */
static uint32_t call_of(places *p, const ps_raw_module *module, const ps_raw_site *site, uint32_t outer)
{
        bool is_new;
        uint32_t function = number_of_place(p, &p->functions, module ? module->resolved : PS_NONE - 1,
                                            ps_strings_addz(p->run->texts, site->function),
                                            (uint32_t)p->functions.n, &is_new);
        return number_of_place(p, &p->calls, function, outer, (uint32_t)p->calls.n, &is_new);
}

static uint32_t place_of(places *p, const ps_process *process, const ps_raw_site *site)
{
        bool is_new;
        ps_map *sites = &p->run->keys[PS_RAW_SITE_IDS];
        const ps_raw_module *module = site->module == PS_NONE || site->offset >= PS_NONE
                                              ? NULL
                                              : &process->modules.row[site->module];
        uint32_t outer = site->outer == PS_NONE ? PS_NONE : process->sites.row[site->outer].context;
        uint32_t call = call_of(p, module, site, outer), offset = module ? (uint32_t)site->offset : 0;
        uint32_t context = number_of_place(p, sites, call, offset, PS_NONE, &is_new);
        if (!is_new || p->status != PS_OK)
                return context;
        context = resolve_site(p, process, module, site, outer);
        ps_time *value = ps_map_at(sites, call, offset, 0);
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
        PS_TRY(ps_resolver_new(&run->resolver, err));
        p.resolver = run->resolver;
        p.status = open_modules(&p);
        for (uint32_t i = 0; i < run->processes.n; i++)
                for (uint32_t s = 0; s < run->processes.row[i].sites.n && p.status == PS_OK; s++) {
                        ps_raw_site *site = &run->processes.row[i].sites.row[s];
                        site->context = place_of(&p, &run->processes.row[i], site);
                        if (p.status == PS_OK)
                                site->barrier = barrier_of(&p, site);
                }
        ps_map_free(&p.functions);
        ps_map_free(&p.calls);
        return p.status;
}

/* Compilers make functions of what is inside of a construct: these are not the program's. */
static bool is_outlined(const ps_raw_run *run, uint32_t context)
{
        const char *name =
                ps_strings_get(run->strings, run->regions.row[run->contexts.row[context].region].name);
        return strstr(name, "_omp_fn.") || strstr(name, "omp_outlined");
}

static uint32_t depth_of(const ps_raw_run *run, uint32_t context)
{
        uint32_t n = 0;
        for (; context != PS_NONE; context = run->contexts.row[context].parent)
                n++;
        return n;
}

/* Is the context, wherever in them it stands, of functions that `outer` was entered in? */
static bool is_around(const ps_raw_run *run, uint32_t outer, uint32_t context)
{
        const ps_raw_run_context *row = run->contexts.row;
        uint32_t n = depth_of(run, context), at = row[outer].parent, deep = depth_of(run, at);
        for (; deep > n; deep--)
                at = row[at].parent;
        if (deep < n)
                return 0;
        while (at != PS_NONE && row[at].region == row[context].region) {
                at = row[at].parent;
                context = row[context].parent;
        }
        return at == PS_NONE;
}

static uint32_t find_inside(places *p, uint32_t outer, uint32_t context)
{
        bool is_new;
        if (context == PS_NONE || is_outlined(p->run, context) || is_around(p->run, outer, context))
                return outer;
        ps_map *known = &p->run->keys[PS_RAW_BELOW_IDS];
        uint32_t id = number_of_place(p, known, outer, context, PS_NONE, &is_new);
        if (!is_new || p->status != PS_OK)
                return id;
        ps_raw_run_context row = p->run->contexts.row[context];
        id = context_of(p, find_inside(p, outer, row.parent), row.region, row.source);
        ps_time *value = ps_map_at(known, outer, context, 0);
        if (value)
                *value = id;
        return id;
}

ps_status ps_raw_run_inside(ps_raw_run *run, uint32_t outer, uint32_t context, uint32_t *out, ps_error *err)
{
        places p = {.run = run, .err = err, .status = PS_OK};
        *out = outer == PS_NONE || context == PS_NONE ? context : find_inside(&p, outer, context);
        return p.status;
}

/* -- samples -- */

/* What was loaded at the time. */
static const ps_raw_range *range_at(const ps_process *process, uint32_t epoch, uint64_t address)
{
        for (uint32_t i = 0; i < process->ranges.n; i++) {
                const ps_raw_range *range = &process->ranges.row[i];
                if (range->epoch == epoch && address >= range->begin && address < range->end &&
                    address - range->base < PS_NONE / 2)
                        return range;
        }
        return NULL;
}

static bool is_of_system(const char *path)
{
        static const char *const folders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
        for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
                if (strncmp(path, folders[i], strlen(folders[i])) == 0)
                        return 1;
        return 0;
}

/* `is_return`: a call returns there. The same place has two numbers then, at an odd one. */
static uint32_t make_place(places *p, const ps_process *process, uint32_t epoch, uint64_t address,
                           bool is_return)
{
        const ps_raw_range *range = range_at(process, epoch, address - is_return);
        ps_raw_run_place place = {.module = PS_NONE, .is_return = is_return};
        bool is_new;
        if (range) {
                ps_resolved found;
                const ps_raw_module *module = &process->modules.row[range->module];
                place.module = module->resolved;
                place.offset = (uint32_t)(address - range->base);
                place.is_runtime = is_runtime(module);
                ps_resolver_frames(p->resolver, place.module, place.offset, is_return, &found);
                place.is_told = found.file && !is_of_system(module->path);
        }
        uint32_t id = number_of_place(p, &p->run->keys[PS_RAW_PLACE_IDS], place.module,
                                      2 * place.offset + is_return, p->run->places.n, &is_new);
        if (is_new && PS_PUSH(p->run->places, place))
                p->status = PS_NOMEM(p->err, "sampled places", p->run->places.n);
        return id;
}

static uint32_t place_at(places *p, uint32_t process, uint32_t epoch, uint64_t address, bool is_return)
{
        ps_raw_run *run = p->run;
        bool is_new;
        if (run->addresses_process != process + 1 || run->addresses_epoch != epoch) {
                ps_map_free(&run->addresses);
                run->addresses_process = process + 1;
                run->addresses_epoch = epoch;
        }
        uint32_t high = (uint32_t)(address >> 32) << 1 | is_return, low = (uint32_t)address;
        uint32_t place = number_of_place(p, &run->addresses, high, low, PS_NONE, &is_new);
        if (!is_new || p->status != PS_OK)
                return place;
        place = make_place(p, &run->processes.row[process], epoch, address, is_return);
        ps_time *value = ps_map_at(&run->addresses, high, low, 0);
        if (value)
                *value = place;
        return place;
}

/* The context of what is at work there, called from `outer`. */
static uint32_t sampled_context(places *p, uint32_t outer, uint32_t place, bool is_leaf, bool is_unwound)
{
        bool is_new;
        ps_map *known = &p->run->keys[PS_RAW_SAMPLE_IDS];
        uint32_t id = number_of_place(p, known, outer, 2 * place + is_leaf, PS_NONE, &is_new);
        if (!is_new || p->status != PS_OK)
                return id;
        const ps_raw_run_place *row = &p->run->places.row[place];
        ps_resolved found = {.n_frames = 0};
        if (row->module != PS_NONE)
                ps_resolver_frames(p->resolver, row->module, row->offset, row->is_return, &found);
        id = outer;
        if (is_leaf || row->is_told || outer != PS_NONE)
                for (unsigned i = 0; i < found.n_frames; i++) {
                        const ps_resolved_frame *frame = &found.frame[i];
                        bool has_line = is_unwound || (is_leaf && i + 1 == found.n_frames);
                        uint32_t source = has_line ? source_of(p, frame->file, frame->line) : PS_NONE;
                        id = context_of(p, id, function_of(p, frame->function, PS_RAW_OF_USER), source);
                }
        ps_time *value = ps_map_at(known, outer, 2 * place + is_leaf, 0);
        if (value)
                *value = id;
        return id;
}

/* The innermost function of the program's own code; n: there is none. */
static uint32_t find_leaf(places *p, uint32_t process, uint32_t epoch, const uint64_t *address, uint32_t n)
{
        for (uint32_t i = 0; i < n && p->status == PS_OK; i++) {
                uint32_t place = place_at(p, process, epoch, address[i], i > 0);
                if (p->status == PS_OK && p->run->places.row[place].is_told)
                        return i;
        }
        return n;
}

/* What a library of the system does for a function of the program counts as that function. */
ps_status ps_raw_run_sample(ps_raw_run *run, uint32_t process, uint64_t ticks, const uint64_t *address,
                            uint32_t n, uint32_t *out, ps_error *err)
{
        places p = {.run = run, .resolver = run->resolver, .err = err, .status = PS_OK};
        const ps_process *row = &run->processes.row[process];
        uint32_t epoch = 0, context = PS_NONE;
        PS_SEARCH(epoch, row->unloaded.n, i, row->unloaded.row[i] <= ticks)
        uint32_t leaf = find_leaf(&p, process, epoch, address, n);
        leaf = leaf < n ? leaf : 0;
        for (uint32_t i = row->unwound ? n : leaf + 1; i-- > leaf && p.status == PS_OK;) {
                uint32_t place = place_at(&p, process, epoch, address[i], i > 0);
                if (p.status != PS_OK)
                        break;
                context = i > leaf && run->places.row[place].is_runtime
                                  ? PS_NONE
                                  : sampled_context(&p, context, place, i == leaf, row->unwound > 0);
        }
        *out = context;
        return p.status;
}
