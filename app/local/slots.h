/* slots.h - the wire between processes of this machine: memory that all of them have. */
#ifndef PS_APP_LOCAL_SLOTS_H
#define PS_APP_LOCAL_SLOTS_H

#include "core/exchange/exchange.h"

typedef struct ps_slots ps_slots;

/* Made before the others are forked, for `n` processes. NULL: the system has no room. */
ps_slots *ps_slots_new(uint32_t n);
void ps_slots_free(ps_slots *slots);

/* By each of them. */
void ps_slots_join(ps_exchange *out, ps_slots *slots, uint32_t rank);

#endif
