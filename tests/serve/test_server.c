/* test_server.c - the page over a real socket: on the loopback device only, until nobody asks any more. */
#include "core/base/number.h"
#include "serve/server.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct lab {
        ps_served served;
        ps_server *server;
        unsigned port;
} lab;

static int set_up(void **state)
{
        static lab l;
        ps_error err = {0};
        if (ps_server_check(&err) != PS_OK)
                skip();
        l = (lab){.port = 0};
        assert_int_equal(ps_serve_make_token(l.served.token, &err), PS_OK);
        assert_int_equal(ps_output_open_memory(&l.served.page, PS_WIDTH_DEFAULT, &err), PS_OK);
        assert_int_equal(ps_output_open_memory(&l.served.policy, PS_WIDTH_DEFAULT, &err), PS_OK);
        ps_output_puts(l.served.page, "<p>the page</p>");
        ps_output_puts(l.served.policy, "default-src 'none'; connect-src 'self'");
        assert_int_equal(ps_server_start(&l.server, &l.served, &l.port, &err), PS_OK);
        assert_in_range(l.port, 1, 65535);
        *state = &l;
        return 0;
}

static int tear_down(void **state)
{
        lab *l = *state;
        ps_server_stop(l->server);
        ps_output_discard(l->served.page);
        ps_output_discard(l->served.policy);
        return 0;
}

/* What comes back for these bytes, up to the end of the connection. */
static const char *send_bytes(const lab *l, const char *bytes, size_t n)
{
        static char answer[4096];
        const struct sockaddr_in address = {.sin_family = AF_INET,
                                            .sin_addr = {htonl(INADDR_LOOPBACK)},
                                            .sin_port = htons((uint16_t)l->port)};
        const struct timeval patience = {.tv_sec = 1};
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        size_t so_far = 0;
        ssize_t got = 0;
        assert_true(fd >= 0);
        assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
        assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
        for (size_t sent = 0; sent < n && got >= 0; sent += (size_t)(got > 0 ? got : 0))
                got = send(fd, bytes + sent, n - sent, MSG_NOSIGNAL);
        (void)shutdown(fd, SHUT_WR);
        while (so_far < sizeof(answer) - 1 &&
               (got = recv(fd, answer + so_far, sizeof(answer) - 1 - so_far, 0)) > 0)
                so_far += (size_t)got;
        answer[so_far] = '\0';
        close(fd);
        return answer;
}

static const char *ask(const lab *l, const char *path, const char *headers)
{
        char request[1024];
        int n = snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\n%sConnection: close\r\n\r\n", path,
                         headers);
        return send_bytes(l, request, (size_t)n);
}

static const char *own_path(const lab *l, const char *below)
{
        static char path[64];
        (void)snprintf(path, sizeof(path), "/%s/%s", l->served.token, below);
        return path;
}

TEST_BETWEEN(the_page_comes_with_its_policy, set_up, tear_down)
{
        const lab *l = *state;
        const char *answer = ask(l, own_path(l, ""), "Host: localhost:1\r\n");
        assert_non_null(strstr(answer, " 200 "));
        assert_non_null(
                strstr(answer, "Content-Security-Policy: default-src 'none'; connect-src 'self'\r\n"));
        assert_non_null(strstr(answer, "Cache-Control: no-store\r\n"));
        assert_non_null(strstr(answer, "<p>the page</p>"));
}

TEST_BETWEEN(strangers_are_refused, set_up, tear_down)
{
        const lab *l = *state;
        assert_non_null(strstr(ask(l, "/", "Host: localhost\r\n"), " 403 "));
        assert_non_null(strstr(ask(l, own_path(l, ""), "Host: evil.example\r\n"), " 403 "));
        assert_non_null(strstr(ask(l, own_path(l, ""), "Host: localhost\r\nOrigin: http://evil.example\r\n"),
                               " 403 "));
        assert_null(strstr(ask(l, own_path(l, ""), ""), "<p>"));
        assert_null(strstr(ask(l, own_path(l, ""), "Host: evil.example\r\nHost: localhost\r\n"), "<p>"));
}

TEST_BETWEEN(garbage_leaves_it_running, set_up, tear_down)
{
        const lab *l = *state;
        static char large[100000];
        memset(large, 'A', sizeof(large));
        (void)send_bytes(l, large, sizeof(large));
        (void)send_bytes(l, "\r\n\r\n\r\n", 6);
        (void)send_bytes(l, "GET\0/ HTTP/1.1\r\n\r\n", 18);
        (void)send_bytes(l, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\nx", 67);
        assert_non_null(strstr(ask(l, own_path(l, "here"), "Host: localhost\r\n"), " 200 "));
}

TEST_BETWEEN(it_is_not_there_for_other_machines, set_up, tear_down)
{
        const lab *l = *state;
        /* Another address of this machine than the one that it listens on. */
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)l->port)};
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(inet_pton(AF_INET, "127.0.0.2", &address.sin_addr), 1);
        assert_true(connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0);
        close(fd);
}

TEST_BETWEEN(a_port_that_is_taken_is_an_error, set_up, tear_down)
{
        const lab *l = *state;
        ps_server *other;
        ps_error err = {0};
        unsigned port = l->port;
        assert_int_equal(ps_server_start(&other, &l->served, &port, &err), PS_E_OUTPUT);
        ps_server_stop(other);
}

TEST_BETWEEN(it_ends_when_nobody_asks_any_more, set_up, tear_down)
{
        const lab *l = *state;
        time_t before = time(NULL);
        ps_server_wait(l->server, 2);
        assert_in_range(time(NULL) - before, 1, 30);
}

TEST_BETWEEN(it_ends_on_ctrl_c, set_up, tear_down)
{
        const lab *l = *state;
        assert_int_equal(raise(SIGINT), 0); /* waits for ps_server_wait() to take it */
        ps_server_wait(l->server, 0);
}
