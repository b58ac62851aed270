/* dvm.c - programs of the DVM system: what that calls lost time, besides idle time. */
#include "patterns/table/families.h"

/* All that the call took: waiting, and the transfer. */
PS_CALL_FORMULA(communicates, call.purpose != PS_FOR_NOTHING, call.leave - call.enter);

PS_REGION_FORMULA(repeated, region.copies > 1, region.own - region.own / region.copies);

#define DVM_PAPER "Predictor: Detailed design, 2000, section 2.3"

static const ps_pattern rows[] = {
#include "patterns/table/dvm.def"
};

const ps_family ps_family_dvm = {rows, sizeof(rows) / sizeof(rows[0])};
