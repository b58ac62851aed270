/* tell.h - what process 0 knows, told to all at once. */
#ifndef PS_CORE_EXCHANGE_TELL_H
#define PS_CORE_EXCHANGE_TELL_H

#include "core/base/pass.h"
#include "core/exchange/exchange.h"

/* Called by all together: process 0 puts `what`, the others take it. What is taken by pointing at it is gone
 * afterwards. If anybody fails all do. */
ps_status ps_exchange_tell(ps_exchange *x, ps_status (*pass)(ps_pass *p, void *what), void *what,
                           ps_error *err);

#endif
