/* request.h - what a browser asks of the page that is served, and what it is answered. It knows nothing of
 * sockets.
 *
 * Only who was given the address may ask: each path begins with a token that cannot be guessed. A page of
 * somebody else that is open in the same browser does not know it, and is refused by the name that it reached
 * this machine by, and by the origin that the browser tells. */
#ifndef PS_SERVE_REQUEST_H
#define PS_SERVE_REQUEST_H

#include "report/page/timeline.h"

enum { PS_SERVE_TOKEN_ROOM = 33 };

typedef struct ps_served {
        char token[PS_SERVE_TOKEN_ROOM];
        ps_output *page, *policy;
        const ps_timeline *timeline; /* NULL: there is none, and nothing more can be asked for */
        /* Is the trace another one than that of the page? Asked on any thread; NULL: it cannot be known. */
        bool (*has_changed)(const void *ctx);
        const void *ctx;
} ps_served;

/* Texts are NULL where the request has none. */
typedef struct ps_request {
        const char *method, *path, *host, *origin;
        const char *from, *to, *lanes; /* arguments of the path */
} ps_request;

typedef struct ps_answer {
        unsigned status;
        const char *type, *bytes;
        size_t n;
        ps_output *owned; /* holds the bytes; NULL: somebody else does. To be discarded */
} ps_answer;

/* 32 hexadecimal digits that nobody can guess. */
ps_status ps_serve_make_token(char token[PS_SERVE_TOKEN_ROOM], ps_error *err);

/* Any request has an answer. */
ps_answer ps_serve_answer(const ps_served *served, const ps_request *request);

#endif
