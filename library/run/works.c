/* works.c - see works.h. */
#include "library/run/works.h"
#include "simulator/whatif/works.h"

const ps_share_work ps_all_works[PS_WORKS_OF_ALL] = {[PS_WORK_STRETCHES] = ps_stretches_work,
                                                     [PS_WORK_OPERATIONS] = ps_operations_work,
                                                     [PS_WORK_APART] = ps_apart_work,
                                                     [PS_WORK_WALK] = ps_walk_work,
                                                     [PS_WORK_SHOWN] = ps_shown_work,
                                                     [PS_WORK_CAUSES] = ps_causes_work,
                                                     [PS_WORK_WALK_FOR_CAUSES] = ps_waits_walk_work};
