/* server.c - see server.h. */
#include "serve/server.h"
#include "core/base/space.h"

#ifndef PS_HAS_MICROHTTPD

ps_status ps_server_check(ps_error *err)
{
        return PS_FAIL(err, PS_E_USAGE,
                       "this patscan was built without libmicrohttpd, which serves the page: install it "
                       "(Debian: apt-get install libmicrohttpd-dev) and build again, or write the page to a "
                       "file: --report html:FILE");
}

ps_status ps_server_start(ps_server **out, const ps_served *served, unsigned *port, ps_error *err)
{
        (void)served;
        (void)port;
        *out = NULL;
        return ps_server_check(err);
}

void ps_server_wait(ps_server *server, unsigned idle_s)
{
        (void)server;
        (void)idle_s;
}

void ps_server_stop(ps_server *server)
{
        (void)server;
}

#else

#include "core/base/memory.h"
#include "serve/microhttpd_library.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PIECE = 32 << 10 };

struct ps_server {
        ps_microhttpd http;
        const ps_served *served;
        struct MHD_Daemon *daemon;
        sigset_t interrupts, before;
        _Atomic(int64_t) last_s; /* when somebody asked for something */
};

ps_status ps_server_check(ps_error *err)
{
        ps_microhttpd http;
        return ps_microhttpd_load(&http, err);
}

static int64_t now_s(void)
{
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec;
}

/* -- what goes out -- */

static ssize_t read_answer(void *ctx, uint64_t at, char *to, size_t most)
{
        const ps_answer *a = ctx;
        size_t n = a->n - at < most ? (size_t)(a->n - at) : most;
        memcpy(to, a->bytes + at, n);
        return (ssize_t)n;
}

static void free_answer(void *ctx)
{
        ps_answer *a = ctx;
        if (a->owned)
                ps_output_discard(a->owned);
        free(a);
}

/* In pieces that are copied: what lies in a file may not be there for the system. */
static struct MHD_Response *respond(const ps_server *s, ps_answer answer)
{
        ps_answer *kept = ps_memory_new(sizeof(*kept));
        if (!kept) {
                if (answer.owned)
                        ps_output_discard(answer.owned);
                return NULL;
        }
        *kept = answer;
        struct MHD_Response *response =
                s->http.create_response_from_callback(answer.n, PIECE, read_answer, kept, free_answer);
        if (!response)
                free_answer(kept);
        return response;
}

/* -- one request -- */

static const char *header_of(const ps_server *s, struct MHD_Connection *connection, const char *name)
{
        return s->http.lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static const char *argument_of(const ps_server *s, struct MHD_Connection *connection, const char *name)
{
        return s->http.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

/* Nobody may keep a copy, show the page in a frame, guess another type of it or learn its address. */
static void add_headers(const ps_server *s, struct MHD_Response *response, const char *type)
{
        const char *const headers[][2] = {{"Content-Type", type},
                                          {"Content-Security-Policy", ps_output_text(s->served->policy)},
                                          {"Cache-Control", "no-store"},
                                          {"X-Content-Type-Options", "nosniff"},
                                          {"X-Frame-Options", "DENY"},
                                          {"Referrer-Policy", "no-referrer"},
                                          {"Cross-Origin-Resource-Policy", "same-origin"}};
        for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
                if (headers[i][1])
                        s->http.add_response_header(response, headers[i][0], headers[i][1]);
}

static enum MHD_Result answer(void *ctx, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *sent, size_t *n_sent,
                              void **state)
{
        ps_server *s = ctx;
        const ps_request request = {.method = method,
                                    .path = path,
                                    .host = header_of(s, connection, "Host"),
                                    .origin = header_of(s, connection, "Origin"),
                                    .from = argument_of(s, connection, "from"),
                                    .to = argument_of(s, connection, "to"),
                                    .lanes = argument_of(s, connection, "lanes")};
        ps_answer a = ps_serve_answer(s->served, &request);
        (void)version;
        (void)sent;
        (void)state;
        *n_sent = 0;
        if (a.status != 403) /* requests that are refused do not keep the server alive */
                atomic_store(&s->last_s, now_s());
        struct MHD_Response *response = respond(s, a);
        if (!response)
                return MHD_NO;
        add_headers(s, response, a.type);
        enum MHD_Result result = s->http.queue_response(connection, a.status, response);
        s->http.destroy_response(response);
        return result;
}

/* -- the server -- */

static ps_status listen_on(ps_server *s, unsigned *port, ps_error *err)
{
        struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_addr = {htonl(INADDR_LOOPBACK)},
                                      .sin_port = htons((uint16_t)*port)};
        do { /* its thread needs addresses */
                s->daemon = s->http.start_daemon(MHD_USE_AUTO_INTERNAL_THREAD, 0, NULL, NULL, answer, s,
                                                 MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
                                                 MHD_OPTION_CONNECTION_LIMIT, 64U,
                                                 MHD_OPTION_CONNECTION_TIMEOUT, 90U, MHD_OPTION_END);
        } while (!s->daemon && errno == EAGAIN && ps_space_yield());
        if (!s->daemon)
                return PS_FAIL(err, PS_E_OUTPUT, "cannot listen: address=127.0.0.1, port=%u, error=\"%s\"",
                               *port, strerror(errno));
        *port = s->http.get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
        return PS_OK;
}

ps_status ps_server_start(ps_server **out, const ps_served *served, unsigned *port, ps_error *err)
{
        ps_server *s = *out = ps_memory_zeroed(1, sizeof(*s));
        if (!s)
                return PS_NOMEM(err, "servers", 1);
        s->served = served;
        atomic_store(&s->last_s, now_s());
        sigemptyset(&s->interrupts);
        sigaddset(&s->interrupts, SIGINT);
        sigaddset(&s->interrupts, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &s->interrupts, &s->before); /* its threads inherit that */
        PS_TRY(ps_microhttpd_load(&s->http, err));
        return listen_on(s, port, err);
}

void ps_server_wait(ps_server *s, unsigned idle_s)
{
        const struct timespec second = {.tv_sec = 1};
        while (sigtimedwait(&s->interrupts, NULL, &second) < 0)
                if (idle_s && now_s() - atomic_load(&s->last_s) >= (int64_t)idle_s)
                        return;
}

void ps_server_stop(ps_server *s)
{
        if (!s)
                return;
        if (s->daemon)
                s->http.stop_daemon(s->daemon);
        pthread_sigmask(SIG_SETMASK, &s->before, NULL);
        free(s);
}

#endif
