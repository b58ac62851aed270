/* cutting.h - what locations did in the focus, by those who have read them. */
#ifndef PS_CORE_LOAD_CUTTING_H
#define PS_CORE_LOAD_CUTTING_H

#include "core/load/folding.h"
#include "core/model/focus.h"

/* Of a location that need not be cut. */
#define PS_UNCUT PS_TIME_MAX

struct ps_cutting {
        const struct ps_folding *f;
        const ps_focus *focus;
        const ps_time *shift; /* by location: what the clocks' repair has added to its times; or PS_UNCUT */
        ps_focus_part *part;  /* by location */
};

/* Those that were read here. What they were in has room in `arena`. */
ps_status ps_cut_here(const struct ps_cutting *cutting, ps_arena *arena, ps_error *err);

#endif
