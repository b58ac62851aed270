/* dvm.c - programs of the DVM system: what that calls lost time, besides idle time. */
#include "patterns/table/families.h"

/* All that the call took: waiting, and the transfer. */
PS_CALL_FORMULA(communicates, call.purpose != PS_FOR_NOTHING, call.leave - call.enter);

PS_REGION_FORMULA(repeated, region.copies > 1, region.own - region.own / region.copies);

#define DVM_PAPER "Predictor: Detailed design, 2000, section 2.3"

static const ps_pattern rows[] = {
        {.id = "dvm-communication",
         .title = "Communication of a DVM program",
         .summary = "A call of the run-time system Lib-DVM communicates; waiting for other processors is "
                    "part of "
                    "it.",
         .advice = "Communicate less often, larger pieces at a time, or begin earlier and compute meanwhile.",
         .source = DVM_PAPER,
         .subject = PS_ON_EXCHANGE,
         .definitions = PS_BY_PATSCAN,
         .formula = &communicates,
         .is_view = 1},
        {.id = "dvm-reduction",
         .parent = "dvm-communication",
         .title = "Reduction",
         .summary =
                 "A value is gathered from all processors: their waiting for one another, and the transfers.",
         .advice = "Put several reductions into one group, start it as soon as the loop ends, and wait for "
                   "it as "
                   "late as possible.",
         .source = DVM_PAPER,
         .subject = PS_ON_EXCHANGE,
         .definitions = PS_BY_PATSCAN,
         .purpose = PS_FOR_REDUCTION,
         .is_view = 1},
        {.id = "dvm-shadow",
         .parent = "dvm-communication",
         .title = "Exchange of shadow edges",
         .summary =
                 "Edges of distributed arrays go to the processors beside, or from one to the next in a loop "
                 "with dependences.",
         .advice =
                 "Put several arrays into one group, begin the exchange earlier (SHADOW_START, SHADOW_WAIT), "
                 "or cut the template along the other axis.",
         .source = DVM_PAPER,
         .subject = PS_ON_EXCHANGE,
         .definitions = PS_BY_PATSCAN,
         .purpose = PS_FOR_SHADOW,
         .is_view = 1},
        {.id = "dvm-remote-access",
         .parent = "dvm-communication",
         .title = "Access to remote elements",
         .summary = "Elements that lie on other processors are copied or read.",
         .advice =
                 "Align the arrays so that what is used together lies together, or begin the access earlier "
                 "(REMOTE_ACCESS with a group).",
         .source = DVM_PAPER,
         .subject = PS_ON_EXCHANGE,
         .definitions = PS_BY_PATSCAN,
         .purpose = PS_FOR_REMOTE_ACCESS,
         .is_view = 1},
        {.id = "dvm-redistribution",
         .parent = "dvm-communication",
         .title = "Redistribution",
         .summary = "Arrays are laid out anew, and their elements go to other processors.",
         .advice = "Redistribute less often, or not at all: a distribution that suits all loops a little may "
                   "cost "
                   "less. Contents that are not needed afterwards need not move (NEW_VALUE).",
         .source = DVM_PAPER,
         .subject = PS_ON_EXCHANGE,
         .definitions = PS_BY_PATSCAN,
         .purpose = PS_FOR_REDISTRIBUTION,
         .is_view = 1},
        {.id = "dvm-insufficient-parallelism",
         .title = "Insufficient parallelism",
         .summary =
                 "Several processors do the same: code outside of parallel loops, or loops that are not cut "
                 "along all axes. All but one of them could do something else.",
         .advice = "Make a parallel loop of it, or distribute the loop's arrays along more axes of the grid.",
         .source = DVM_PAPER,
         .subject = PS_ON_COPIES,
         .definitions = PS_BY_PATSCAN,
         .formula = &repeated,
         .is_work = 1},
};

const ps_family ps_family_dvm = {rows, sizeof(rows) / sizeof(rows[0])};
