/* fluid.h - messages that share the links of their routes fairly: the fluid model of SimGrid's CM02.
 *
 * A message takes all links of its route at once, and its data pass them at one rate. The rates are max-min
 * fair: none can grow unless one that is no larger shrinks. Whenever a message begins or ends they are worked
 * out anew. So when a message is through is not known when it begins: whoever asks takes one event after the
 * other, in the order of time, and begins no message before the last of them. */
#ifndef PS_SIMULATOR_NETWORK_FLUID_H
#define PS_SIMULATOR_NETWORK_FLUID_H

#include "simulator/network/network.h"

typedef struct ps_fluid ps_fluid;

/* Borrows the network. A byte takes `ps_per_byte` picoseconds on a link of weight 1, and never less than
 * `least_ps_per_byte`, on whatever links (both finite, >= 0). */
ps_status ps_fluid_new(ps_fluid **out, const ps_network *network, double ps_per_byte,
                       double least_ps_per_byte, ps_error *err);
void ps_fluid_free(ps_fluid *fluid);

/* A message begins at `at`, or now if that is later. `name` is for the caller. After an error (no way, no
 * memory) `fluid` can only be freed. */
ps_status ps_fluid_begin(ps_fluid *fluid, uint32_t from, uint32_t to, uint64_t bytes, ps_time at,
                         uint64_t name, ps_error *err);

/* When the next message begins or ends; PS_TIME_MAX: there is none. What ends comes before what begins then.
 */
ps_time ps_fluid_next(ps_fluid *fluid);
/* Goes on until then. True: a message is through, `name`, over so many links. */
bool ps_fluid_step(ps_fluid *fluid, uint64_t *name, uint32_t *hops);

#endif
