/* moving.h - rows that go to other places. Messages keep both of their ends, and calls their times; what
 * refers to rows of locations is told where they are now. */
#ifndef PS_CORE_VIEWS_MOVING_H
#define PS_CORE_VIEWS_MOVING_H

#include "core/views/reordered.h"

typedef struct ps_moving {
        const ps_trace *trace;
        const ps_rows *rows; /* by location */
        ps_reordered *out;
        ps_ref **to;          /* by location and row; NULL: where they were */
        uint32_t *first_call; /* by location that rows of a location come from: of its calls there */
} ps_moving;

/* A trace that is still the same, with tables of locations of its own. */
ps_status ps_moving_begin(ps_reordered *out, const ps_trace *trace, ps_error *err);
/* Moves the rows of all locations that have some. */
ps_status ps_moving_rows(ps_moving *moving, ps_error *err);
/* Where it is now. */
ps_ref ps_moving_place(const ps_moving *moving, ps_ref at);

#endif
