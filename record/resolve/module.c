/* module.c - see module.h.
 *
 * Compilation units hold functions, and Fortran's modules and C++'s namespaces hold more of them; the
 * library's own search for scopes does not look into those. */
#include "record/resolve/module.h"

#include "core/base/vector.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

static char *debug_path;
static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = dwfl_offline_section_address,
                                         .debuginfo_path = &debug_path};

static bool has_build_id(Dwfl_Module *elf, const char *wanted)
{
        const unsigned char *id = NULL;
        GElf_Addr at;
        int n = dwfl_module_build_id(elf, &id, &at);
        if (!wanted || n <= 0)
                return 1;
        bool same = strlen(wanted) == 2 * (size_t)n;
        for (int i = 0; same && i < n; i++) {
                char byte[3];
                snprintf(byte, sizeof(byte), "%02x", id[i]);
                same = strncmp(byte, wanted + 2 * (size_t)i, 2) == 0;
        }
        return same;
}

static void open_module(ps_dwarf_module *module, const char *build_id)
{
        module->session = dwfl_begin(&callbacks);
        if (!module->session)
                return;
        Dwfl_Module *elf = dwfl_report_offline(module->session, module->path, module->path, -1);
        dwfl_report_end(module->session, NULL, NULL);
        if (!elf || !dwfl_module_getelf(elf, &module->bias) || !has_build_id(elf, build_id))
                return;
        module->elf = elf;
}

ps_status ps_dwarf_modules_add(ps_dwarf_modules *modules, const char *path, const char *build_id,
                               uint32_t *out, ps_error *err)
{
        for (*out = 0; *out < modules->n; ++*out)
                if (strcmp(modules->row[*out].path, path) == 0)
                        return PS_OK;
        ps_dwarf_module module = {.path = strdup(path)};
        if (!module.path || PS_PUSH(*modules, module)) {
                free(module.path);
                return PS_NOMEM(err, "modules", modules->n);
        }
        open_module(&modules->row[*out], build_id);
        return PS_OK;
}

void ps_dwarf_modules_clear(ps_dwarf_modules *modules)
{
        for (uint32_t i = 0; i < modules->n; i++) {
                free(modules->row[i].path);
                if (modules->row[i].session)
                        dwfl_end(modules->row[i].session);
        }
        free(modules->row);
        *modules = (ps_dwarf_modules){NULL, 0, 0};
}

/* A parallel region's function stands in the block of the function that it was taken out of. */
static bool holds_functions(int tag)
{
        return tag == DW_TAG_module || tag == DW_TAG_namespace || tag == DW_TAG_subprogram ||
               tag == DW_TAG_lexical_block;
}

/* The innermost function with code of its own around `pc`. */
static bool function_at(Dwarf_Die *parent, Dwarf_Addr pc, Dwarf_Die *out, int depth)
{
        Dwarf_Die child;
        if (depth == DEEPEST || dwarf_child(parent, &child) != 0)
                return 0;
        do {
                int tag = dwarf_tag(&child);
                if (tag == DW_TAG_subprogram && dwarf_haspc(&child, pc) > 0) {
                        *out = child;
                        (void)function_at(&child, pc, out, depth + 1);
                        return 1;
                }
                if (holds_functions(tag) && function_at(&child, pc, out, depth + 1))
                        return 1;
        } while (dwarf_siblingof(&child, &child) == 0);
        return 0;
}

/* The scope inside of `parent` that is inlined at `pc`, through blocks. */
static bool inlined_at(Dwarf_Die *parent, Dwarf_Addr pc, Dwarf_Die *out, int depth)
{
        Dwarf_Die child;
        if (depth == DEEPEST || dwarf_child(parent, &child) != 0)
                return 0;
        do {
                int tag = dwarf_tag(&child);
                if (tag == DW_TAG_inlined_subroutine && dwarf_haspc(&child, pc) > 0) {
                        *out = child;
                        return 1;
                }
                if (tag == DW_TAG_lexical_block && inlined_at(&child, pc, out, depth + 1))
                        return 1;
        } while (dwarf_siblingof(&child, &child) == 0);
        return 0;
}

/* The compilation unit with code at `pc`; not all compilers write a table of these addresses. */
static Dwarf_Die *unit_at(ps_dwarf_module *module, Dwarf_Addr pc, Dwarf_Addr *bias)
{
        Dwarf_Die *unit = dwfl_module_addrdie(module->elf, pc + module->bias, bias);
        if (unit)
                return unit;
        while ((unit = dwfl_module_nextcu(module->elf, unit, bias)))
                if (dwarf_haspc(unit, pc + module->bias - *bias) > 0)
                        return unit;
        return NULL;
}

/* What describes the unit's functions, which may be a file of its own. */
static Dwarf_Die *whole_unit(Dwarf_Die *unit, Dwarf_Die *room)
{
        uint8_t type;
        return dwarf_cu_info(unit->cu, NULL, &type, NULL, room, NULL, NULL, NULL) == 0 &&
                               type == DW_UT_skeleton && room->addr
                       ? room
                       : unit;
}

unsigned ps_dwarf_scopes(ps_dwarf_module *module, Dwarf_Addr pc, Dwarf_Die *scope, unsigned most)
{
        Dwarf_Addr bias;
        Dwarf_Die room, *unit = unit_at(module, pc, &bias);
        Dwarf_Addr at = pc + module->bias - bias;
        if (!unit || !function_at(whole_unit(unit, &room), at, &scope[0], 0))
                return 0;
        unsigned n = 1;
        while (n < most && inlined_at(&scope[n - 1], at, &scope[n], 0))
                n++;
        return n;
}

static const char *text_of(Dwarf_Die *die, unsigned attribute)
{
        Dwarf_Attribute at;
        return dwarf_attr_integrate(die, attribute, &at) ? dwarf_formstring(&at) : NULL;
}

const char *ps_dwarf_name(Dwarf_Die *die)
{
        return text_of(die, DW_AT_name);
}

const char *ps_dwarf_linkage_name(Dwarf_Die *die)
{
        return text_of(die, DW_AT_linkage_name);
}

const char *ps_dwarf_symbol(ps_dwarf_module *module, Dwarf_Addr pc)
{
        return dwfl_module_addrname(module->elf, pc + module->bias);
}

const char *ps_dwarf_line(ps_dwarf_module *module, Dwarf_Addr pc, unsigned *line)
{
        int number = 0;
        Dwarf_Addr bias;
        Dwarf_Die *unit = unit_at(module, pc, &bias);
        Dwarf_Line *row = unit ? dwarf_getsrc_die(unit, pc + module->bias - bias) : NULL;
        const char *file = row && dwarf_lineno(row, &number) == 0 ? dwarf_linesrc(row, NULL, NULL) : NULL;
        *line = file && number > 0 ? (unsigned)number : 0;
        return *line ? file : NULL;
}

static bool attribute_number(Dwarf_Die *die, unsigned attribute, Dwarf_Word *out)
{
        Dwarf_Attribute at;
        return dwarf_attr(die, attribute, &at) && dwarf_formudata(&at, out) == 0;
}

const char *ps_dwarf_inlined_line(Dwarf_Die *inlined, unsigned *line)
{
        Dwarf_Die unit;
        Dwarf_Files *files;
        size_t n;
        Dwarf_Word file, at;
        *line = 0;
        if (!attribute_number(inlined, DW_AT_call_file, &file) ||
            !attribute_number(inlined, DW_AT_call_line, &at) || !dwarf_diecu(inlined, &unit, NULL, NULL) ||
            dwarf_getsrcfiles(&unit, &files, &n) || file >= n)
                return NULL;
        *line = (unsigned)at;
        return dwarf_filesrc(files, file, NULL, NULL);
}

static bool is_named(Dwarf_Die *die, const char *name)
{
        const char *linkage = ps_dwarf_linkage_name(die), *plain = ps_dwarf_name(die);
        return (linkage && strcmp(linkage, name) == 0) || (plain && strcmp(plain, name) == 0);
}

static bool function_named(Dwarf_Die *parent, const char *name, Dwarf_Die *out, int depth)
{
        Dwarf_Die child;
        Dwarf_Addr entry;
        if (depth == DEEPEST || dwarf_child(parent, &child) != 0)
                return 0;
        do {
                int tag = dwarf_tag(&child);
                if (tag == DW_TAG_subprogram && is_named(&child, name) &&
                    dwarf_entrypc(&child, &entry) == 0) {
                        *out = child;
                        return 1;
                }
                if (holds_functions(tag) && function_named(&child, name, out, depth + 1))
                        return 1;
        } while (dwarf_siblingof(&child, &child) == 0);
        return 0;
}

bool ps_dwarf_function(ps_dwarf_module *module, const char *name, Dwarf_Die *out)
{
        Dwarf_Addr bias;
        Dwarf_Die room, *unit = NULL;
        while (module->elf && (unit = dwfl_module_nextcu(module->elf, unit, &bias)))
                if (function_named(whole_unit(unit, &room), name, out, 0))
                        return 1;
        return 0;
}
