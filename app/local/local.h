/* local.h - several processes of this machine that work on one trace, and the one that has started them.
 *
 * The program forks them before it has read anything. It does nothing itself but to wait for them, and ends
 * them all when process 0 ends, or when one of them does not end as it should. They do not outlive it. */
#ifndef PS_APP_LOCAL_LOCAL_H
#define PS_APP_LOCAL_LOCAL_H

#include "core/exchange/exchange.h"

typedef enum ps_local_role {
        PS_LOCAL_NONE,   /* the system has started none */
        PS_LOCAL_FIRST,  /* process 0 */
        PS_LOCAL_WATCHER /* who has started them; all have ended */
} ps_local_role;

typedef struct ps_local_end {
        uint32_t process; /* the one that ended all */
        int code;         /* as it exited, */
        int signal;       /* or what killed it; 0: nothing */
} ps_local_end;

/* Whatever is waiting to be written must be written before. Process 0 and the watcher come back, each with
 * what is its: the exchange, the end. The others call serve(), and end with it. One process has an exchange
 * of size 1. */
ps_local_role ps_local_start(uint32_t n, void (*serve)(ps_exchange *x), ps_exchange *x, ps_local_end *end);

#endif
