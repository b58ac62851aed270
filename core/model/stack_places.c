/* stack_places.c - see stack_places.h. */
#include "core/model/stack_places.h"

#include <stdlib.h>

enum { STEP_BYTES = 64 * 1024 };

bool ps_stack_places_want(const ps_stack_places *p, uint64_t offset)
{
        return !p->places.n || offset >= p->places.row[p->places.n - 1].at.offset + STEP_BYTES;
}

void ps_stack_places_clear(ps_stack_places *p)
{
        free(p->places.row);
        free(p->open.row);
        *p = (ps_stack_places){.begin = 0};
}
