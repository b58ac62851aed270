/* calls.h - what the calls of a location say, each thing once: programs go round in loops, and say the same
 * each time. */
#ifndef PS_CORE_FOLD_CALLS_H
#define PS_CORE_FOLD_CALLS_H

#include "core/base/lookup.h"
#include "core/base/vector.h"
#include "core/model/ops.h"

/* {0} is empty. */
struct ps_calls {
        PS_VECTOR(struct ps_call) list;
        ps_lookup by_call;
        uint32_t *recent, n_recent; /* by path: what was said there last */
        uint32_t n_there;           /* so many are found by `by_call` */
        uint32_t n_new;             /* so many of those that came last had not been there */
};

/* The number of the call, a new one if need be; PS_NONE when memory is out. */
uint32_t ps_calls_number(struct ps_calls *calls, const struct ps_call *call);
/* The same of one that says what nothing has said, and hardly anything will: it is not looked for. */
uint32_t ps_calls_add(struct ps_calls *calls, const struct ps_call *call);
/* All that were numbered, to be freed; NULL when memory is out. */
struct ps_call *ps_calls_list(const struct ps_calls *calls);
void ps_calls_free(struct ps_calls *calls);

#endif
