/* requests.h - the nonblocking operations of a location that are under way, by request. */
#ifndef PS_CORE_FOLD_REQUESTS_H
#define PS_CORE_FOLD_REQUESTS_H

#include "core/base/ids.h"
#include "core/fold/fold.h"

/* Requests and RMA operations count apart. */
enum { SPACE_REQUEST = 1, SPACE_RMA, SPACE_NOTIFY };

/* Remembers the row of an open request; gives that of an older one with the same id, or PS_NONE. */
ps_op ps_requests_open(ps_builder *b, uint32_t space, uint64_t id, ps_op row);

/* May an event of kind `event` complete a row of kind `kind`? */
bool ps_event_completes(uint8_t event, uint8_t kind);

#endif
