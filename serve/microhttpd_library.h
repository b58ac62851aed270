/* microhttpd_library.h - libmicrohttpd, looked for when a page is served: it brings a library of cryptography
 * and what that needs, and to link them takes longer than all else that a short command does. */
#ifndef PS_SERVE_MICROHTTPD_LIBRARY_H
#define PS_SERVE_MICROHTTPD_LIBRARY_H

#include "core/base/error.h"

#include <microhttpd.h>

#define PS_MICROHTTPD_FUNCTIONS(FUNCTION)                                                                    \
        FUNCTION(lookup_connection_value)                                                                    \
        FUNCTION(add_response_header)                                                                        \
        FUNCTION(create_response_from_callback)                                                              \
        FUNCTION(queue_response)                                                                             \
        FUNCTION(destroy_response)                                                                           \
        FUNCTION(start_daemon)                                                                               \
        FUNCTION(get_daemon_info)                                                                            \
        FUNCTION(stop_daemon)

typedef struct ps_microhttpd {
#define PS_MEMBER(name) __typeof__(MHD_##name) *name;
        PS_MICROHTTPD_FUNCTIONS(PS_MEMBER)
#undef PS_MEMBER
} ps_microhttpd;

/* It stays loaded: its threads and those of what it brings may outlive their last use. */
ps_status ps_microhttpd_load(ps_microhttpd *out, ps_error *err);

#endif
