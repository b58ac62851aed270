/* crew_laws.h - what must hold of whatever processes do together, on any wire. */
#ifndef PS_TESTS_CREW_LAWS_H
#define PS_TESTS_CREW_LAWS_H

#include "core/exchange/exchange.h"

/* NULL when all hold; else which does not. */
const char *crew_laws(ps_exchange *x);

#endif
