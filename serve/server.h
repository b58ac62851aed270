/* server.h - the page on a socket of this machine, until nobody looks at it any more. */
#ifndef PS_SERVE_SERVER_H
#define PS_SERVE_SERVER_H

#include "serve/request.h"

typedef struct ps_server ps_server;

/* PS_E_USAGE, and how to get it, if patscan was built without the library that it takes. */
ps_status ps_server_check(ps_error *err);

/* Answers from now on, on threads of its own, on the loopback device only. `*port` 0: any that is free, and
 * which one is told. `served` stays as it is. Keyboard interrupts are ps_server_wait()'s from now on. */
ps_status ps_server_start(ps_server **out, const ps_served *served, unsigned *port, ps_error *err);
/* Until somebody presses Ctrl-C, or so many seconds after the last request (0: never). */
void ps_server_wait(ps_server *server, unsigned idle_s);
void ps_server_stop(ps_server *server); /* NULL is fine */

#endif
