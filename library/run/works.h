/* works.h - all that process 0 lets others do with the rows that they have. */
#ifndef PS_LIBRARY_RUN_WORKS_H
#define PS_LIBRARY_RUN_WORKS_H

#include "patterns/causes/works.h"

extern const ps_share_work ps_all_works[PS_WORKS_OF_ALL];

#endif
