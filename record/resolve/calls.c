/* calls.c - see calls.h. */
#include "record/resolve/calls.h"

#include <dwarf.h>
#include <string.h>
#include <strings.h>

enum { JUMPS_MOST = 64, CHAIN_MOST = 6, DEEPEST = 64 };

/* A jump from the end of a function to another one. */
typedef struct jump {
        Dwarf_Addr pc;
        const char *to;
} jump;

/* What a walk over the call sites of a function looks for. */
typedef struct walk {
        Dwarf_Addr bias;    /* of addresses in DWARF, against those of the module */
        Dwarf_Addr returns; /* to here */
        bool is_there;      /* a call that returns there */
        const char *callee; /* of that call; NULL: a pointer */
        jump jumps[JUMPS_MOST];
        unsigned n_jumps;
} walk;

static bool address_of(Dwarf_Die *die, unsigned attribute, Dwarf_Addr *out)
{
        Dwarf_Attribute at;
        return dwarf_attr(die, attribute, &at) && dwarf_formaddr(&at, out) == 0;
}

static bool flag_of(Dwarf_Die *die, unsigned attribute)
{
        Dwarf_Attribute at;
        bool is_set = 0;
        return dwarf_attr(die, attribute, &at) && dwarf_formflag(&at, &is_set) == 0 && is_set;
}

/* The function that the site calls, by the name that the linker knows. */
static const char *callee_of(Dwarf_Die *site)
{
        Dwarf_Attribute at;
        Dwarf_Die function;
        if (!dwarf_attr(site, DW_AT_call_origin, &at) && !dwarf_attr(site, DW_AT_abstract_origin, &at))
                return NULL;
        if (!dwarf_formref_die(&at, &function))
                return NULL;
        const char *name = ps_dwarf_linkage_name(&function);
        return name ? name : ps_dwarf_name(&function);
}

static void take_site(Dwarf_Die *site, walk *w)
{
        Dwarf_Addr returns = 0, at;
        bool has_return =
                address_of(site, DW_AT_call_return_pc, &returns) || address_of(site, DW_AT_low_pc, &returns);
        bool is_jump = flag_of(site, DW_AT_call_tail_call) || flag_of(site, DW_AT_GNU_tail_call);
        if (has_return && returns == w->returns + w->bias) {
                w->is_there = true;
                w->callee = callee_of(site);
        }
        if (!is_jump || w->n_jumps == JUMPS_MOST || !callee_of(site))
                return;
        if (!address_of(site, DW_AT_call_pc, &at) && has_return)
                at = returns - 1;
        else if (!has_return && !address_of(site, DW_AT_call_pc, &at))
                return;
        w->jumps[w->n_jumps++] = (jump){at - w->bias, callee_of(site)};
}

static void walk_sites(Dwarf_Die *parent, walk *w, int depth)
{
        Dwarf_Die child;
        if (depth == DEEPEST || dwarf_child(parent, &child) != 0)
                return;
        do {
                int tag = dwarf_tag(&child);
                if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site)
                        take_site(&child, w);
                else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
                        walk_sites(&child, w, depth + 1);
        } while (dwarf_siblingof(&child, &child) == 0);
}

static Dwarf_Addr dwarf_bias(const ps_dwarf_module *module)
{
        Dwarf_Addr bias = 0;
        (void)dwfl_module_getdwarf(module->elf, &bias);
        return module->bias - bias;
}

/* Is it this function of MPI, or what Fortran calls it? */
static bool is_callee(const char *name, const char *callee)
{
        static const char *const endings[] = {"", "_", "__", "_f08_", "_f08ts_", "_f08", "_f08ts", "_cptr_"};
        size_t n = strlen(callee);
        if (strncasecmp(name, callee, n) != 0)
                return 0;
        for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
                if (strcmp(name + n, endings[i]) == 0)
                        return 1;
        return 0;
}

/* From the function `name` over jumps to the callee: how many ways; `*site` is the last jump of one. Its file
 * is looked at first, since other files may have functions of that name. */
static unsigned chase(const ps_dwarf_modules *modules, ps_dwarf_module *first, const char *name,
                      const char *callee, ps_call_site *site, int depth)
{
        Dwarf_Die function;
        ps_dwarf_module *at = ps_dwarf_function(first, name, &function) ? first : NULL;
        unsigned n = 0;
        for (uint32_t i = 0; i < modules->n && !at; i++)
                if (ps_dwarf_function(&modules->row[i], name, &function))
                        at = &modules->row[i];
        if (!at || depth == CHAIN_MOST)
                return 0;
        walk w = {.bias = dwarf_bias(at)};
        walk_sites(&function, &w, 0);
        for (unsigned i = 0; i < w.n_jumps; i++)
                if (is_callee(w.jumps[i].to, callee)) {
                        *site = (ps_call_site){at, w.jumps[i].pc};
                        n++;
                }
        for (unsigned i = 0; n == 0 && i < w.n_jumps; i++)
                n += chase(modules, at, w.jumps[i].to, callee, site, depth + 1);
        return n;
}

static ps_call_found find_jump(const ps_dwarf_modules *modules, ps_call_site *site, const char *name,
                               const char *callee)
{
        unsigned ways = chase(modules, site->module, name, callee, site, 0);
        return ways == 1 ? PS_CALL_FOUND : ways ? PS_CALL_AMBIGUOUS : PS_CALL_LOST;
}

ps_call_found ps_dwarf_call(const ps_dwarf_modules *modules, ps_call_site *site, Dwarf_Addr offset,
                            const char *callee)
{
        Dwarf_Die function;
        walk w = {.bias = dwarf_bias(site->module), .returns = offset};
        if (!callee || ps_dwarf_scopes(site->module, site->pc, &function, 1) == 0)
                return PS_CALL_FOUND; /* as far as is known */
        walk_sites(&function, &w, 0);
        if (!w.is_there || !w.callee || is_callee(w.callee, callee))
                return PS_CALL_FOUND;
        return find_jump(modules, site, w.callee, callee);
}

ps_call_found ps_dwarf_jump(const ps_dwarf_modules *modules, ps_call_site *site, const char *callee)
{
        Dwarf_Die function;
        if (!callee || ps_dwarf_scopes(site->module, site->pc, &function, 1) == 0)
                return PS_CALL_LOST;
        const char *linkage = ps_dwarf_linkage_name(&function);
        const char *name = linkage ? linkage : ps_dwarf_name(&function);
        return name ? find_jump(modules, site, name, callee) : PS_CALL_LOST;
}
