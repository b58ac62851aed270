/* module.h - files with code, and what their DWARF says of an address. Addresses are offsets in the file as
 * it is loaded, as return addresses are told. */
#ifndef PS_RECORD_RESOLVE_MODULE_H
#define PS_RECORD_RESOLVE_MODULE_H

#include "record/resolve/resolve.h"

#include <elfutils/libdwfl.h>

typedef struct ps_dwarf_module {
        char *path;
        Dwfl *session;
        Dwfl_Module *elf; /* NULL: it is not there, or another one */
        Dwarf_Addr bias;  /* of addresses in the session */
} ps_dwarf_module;

typedef struct ps_dwarf_modules {
        ps_dwarf_module *row;
        uint32_t n, cap;
} ps_dwarf_modules;

ps_status ps_dwarf_modules_add(ps_dwarf_modules *modules, const char *path, const char *build_id,
                               uint32_t *out, ps_error *err);
void ps_dwarf_modules_clear(ps_dwarf_modules *modules);

/* The function around an address, and those inlined into it, the outermost first: how many, `most` at most.
 */
unsigned ps_dwarf_scopes(ps_dwarf_module *module, Dwarf_Addr pc, Dwarf_Die *scope, unsigned most);
const char *ps_dwarf_name(Dwarf_Die *die);
const char *ps_dwarf_linkage_name(Dwarf_Die *die);
const char *ps_dwarf_symbol(ps_dwarf_module *module, Dwarf_Addr pc);
/* The file; NULL: unknown. */
const char *ps_dwarf_line(ps_dwarf_module *module, Dwarf_Addr pc, unsigned *line);
/* The same, of where an inlined function stands in the one around it. */
const char *ps_dwarf_inlined_line(Dwarf_Die *inlined, unsigned *line);
/* The definition of a function with code of its own. */
bool ps_dwarf_function(ps_dwarf_module *module, const char *name, Dwarf_Die *out);

#endif
