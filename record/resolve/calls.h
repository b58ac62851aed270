/* calls.h - which call an address stands for: what DWARF says of call sites. */
#ifndef PS_RECORD_RESOLVE_CALLS_H
#define PS_RECORD_RESOLVE_CALLS_H

#include "record/resolve/module.h"

typedef struct ps_call_site {
        ps_dwarf_module *module;
        Dwarf_Addr pc; /* in the call */
} ps_call_site;

typedef enum ps_call_found {
        PS_CALL_FOUND,
        PS_CALL_AMBIGUOUS, /* several jumps could have been the one */
        PS_CALL_LOST       /* the address is that of a call of something that leads nowhere */
} ps_call_found;

/* *site is where `callee` was called, if it returned to `offset` (NULL: nobody knows its name); moved to the
 * jump if a jump it was. */
ps_call_found ps_dwarf_call(const ps_dwarf_modules *modules, ps_call_site *site, Dwarf_Addr offset,
                            const char *callee);
/* *site is in a function; moved to the jump to `callee` in it, or in one that it jumps to. */
ps_call_found ps_dwarf_jump(const ps_dwarf_modules *modules, ps_call_site *site, const char *callee);

#endif
