/* resolve.c - see resolve.h. */
#include "record/resolve/calls.h"
#include "record/resolve/module.h"
#include "record/resolve/names.h"

#include <stdlib.h>

struct ps_resolver {
        ps_dwarf_modules modules;
        ps_plain_names names;
};

ps_status ps_resolver_new(ps_resolver **out, ps_error *err)
{
        *out = calloc(1, sizeof(**out));
        return *out ? PS_OK : PS_NOMEM(err, "resolver", 1);
}

void ps_resolver_free(ps_resolver *resolver)
{
        if (!resolver)
                return;
        ps_dwarf_modules_clear(&resolver->modules);
        ps_plain_names_clear(&resolver->names);
        free(resolver);
}

ps_status ps_resolver_module(ps_resolver *resolver, const char *path, const char *build_id, uint32_t *out,
                             ps_error *err)
{
        return ps_dwarf_modules_add(&resolver->modules, path, build_id, out, err);
}

static void put_frame(ps_resolved *out, const char *function, const char *file, unsigned line)
{
        if (function && out->n_frames < PS_RESOLVED_FRAMES)
                out->frame[out->n_frames++] = (ps_resolved_frame){function, file, line};
}

/* Of C++ with its class: many have a function "run". */
static const char *name_of_scope(ps_resolver *resolver, Dwarf_Die *scope)
{
        const char *linkage = ps_dwarf_linkage_name(scope), *name = ps_plain_name(&resolver->names, linkage);
        return name == linkage ? ps_plain_name(&resolver->names, ps_dwarf_name(scope)) : name;
}

static void take_frames(ps_resolver *resolver, ps_dwarf_module *module, Dwarf_Addr pc, ps_resolved *out)
{
        Dwarf_Die scope[PS_RESOLVED_FRAMES];
        unsigned n = ps_dwarf_scopes(module, pc, scope, PS_RESOLVED_FRAMES), line;
        for (unsigned i = 0; i < n; i++) {
                const char *file = i + 1 < n ? ps_dwarf_inlined_line(&scope[i + 1], &line)
                                             : ps_dwarf_line(module, pc, &line);
                put_frame(out, name_of_scope(resolver, &scope[i]), file, line);
        }
        if (!n)
                put_frame(out, ps_plain_name(&resolver->names, ps_dwarf_symbol(module, pc)), NULL, 0);
}

void ps_resolver_frames(ps_resolver *resolver, uint32_t module, uint64_t offset, bool is_return,
                        ps_resolved *out)
{
        ps_dwarf_module *at = &resolver->modules.row[module];
        *out = (ps_resolved){.n_frames = 0};
        if (!at->elf)
                return;
        take_frames(resolver, at, offset - is_return, out);
        out->file = ps_dwarf_line(at, offset - is_return, &out->line);
}

static void take_found(ps_resolver *resolver, ps_call_found found, const ps_call_site *site, ps_resolved *out)
{
        if (found == PS_CALL_LOST)
                return;
        take_frames(resolver, site->module, site->pc, out);
        out->file = found == PS_CALL_AMBIGUOUS ? NULL : ps_dwarf_line(site->module, site->pc, &out->line);
}

void ps_resolver_call(ps_resolver *resolver, uint32_t module, uint64_t offset, const char *callee,
                      ps_resolved *out)
{
        ps_call_site site = {&resolver->modules.row[module], offset - 1}, returned = site;
        *out = (ps_resolved){.n_frames = 0};
        if (!site.module->elf)
                return;
        ps_call_found found = ps_dwarf_call(&resolver->modules, &site, offset, callee);
        if (found != PS_CALL_LOST && (site.module != returned.module || site.pc != returned.pc)) {
                take_frames(resolver, returned.module, returned.pc, out);
                out->n_around = out->n_frames;
        }
        take_found(resolver, found, &site, out);
}

void ps_resolver_jump(ps_resolver *resolver, uint32_t module, uint64_t offset, const char *callee,
                      ps_resolved *out)
{
        ps_call_site site = {&resolver->modules.row[module], offset};
        *out = (ps_resolved){.n_frames = 0};
        if (site.module->elf)
                take_found(resolver, ps_dwarf_jump(&resolver->modules, &site, callee), &site, out);
}

void ps_resolver_body(ps_resolver *resolver, uint32_t module, uint64_t offset, ps_resolved *out)
{
        unsigned line = 0;
        ps_dwarf_module *at = &resolver->modules.row[module];
        const char *file = at->elf ? ps_dwarf_line(at, offset, &line) : NULL;
        if (file) {
                out->file = file;
                out->line = line;
        }
}
