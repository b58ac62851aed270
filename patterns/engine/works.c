/* works.c - see works.h. */
#include "patterns/engine/works.h"

const ps_share_work ps_engine_works[PS_WORKS] = {[PS_WORK_OPERATIONS] = ps_operations_work,
                                                 [PS_WORK_APART] = ps_apart_work,
                                                 [PS_WORK_WALK] = ps_walk_work,
                                                 [PS_WORK_SHOWN] = ps_shown_work};
