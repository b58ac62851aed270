/* dvm.c - the table of Lib-DVM's functions, and the end of a trace. */
#include "core/dvm/dvm.h"

#include <stdlib.h>

_Static_assert(PS_DVM_COUNT <= UINT8_MAX, "ps_dvm_call keeps a function in a byte");

const ps_dvm_info ps_dvm_infos[PS_DVM_COUNT] = {
#define PS_DVM(id, name, cls, form) {name, PS_DVM_C_##cls, PS_DVM_F_##form},
#include "core/dvm/dvm.def"
#undef PS_DVM
        {"", PS_DVM_C_ORDINARY, PS_DVM_F_NONE}};

void ps_dvm_free(ps_dvm *dvm)
{
        if (!dvm)
                return;
        free(dvm->calls.row);
        free(dvm->ams.row);
        free(dvm->pss.row);
        free(dvm->views.row);
        free(dvm->arrays.row);
        free(dvm->loops.row);
        free(dvm->reds.row);
        free(dvm->red_groups.row);
        free(dvm->shadow_groups.row);
        free(dvm->buffers.row);
        free(dvm->intervals.row);
        free(dvm->strangers.row);
        ps_strings_free(dvm->strings);
        ps_arena_free(dvm->arena);
        free(dvm);
}

const char *ps_dvm_str(const ps_dvm *dvm, ps_str id)
{
        return ps_strings_get(dvm->strings, id);
}
