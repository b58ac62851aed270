/* test_request.c - who may ask for what of a page that is served, and what is answered: rank 1 of the run
 * receives a message at 15 ms, which comes at 20 ms. Its page counts nanoseconds. */
#include "report/document/page.h"
#include "report/page/picture.h"
#include "serve/server.h"
#include "tests/support/late_sender.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct lab {
        late_sender run;
        ps_analysis_options how;
        ps_timeline *timeline;
        ps_served served;
        bool is_changed;
        size_t told; /* bytes of the last answer */
} lab;

static bool is_set(const void *ctx)
{
        return *(const bool *)ctx;
}

static void open_lab(lab *l)
{
        ps_error err = {0};
        *l = (lab){.how = {.definitions = PS_DEFINITIONS_SCALASCA, .epsilon = 0, .n_threads = 1}};
        late_sender_load(&l->run, &late_sender_plain);
        late_sender_analyse(
                &l->run,
                &(ps_report_settings){.trace_path = "t.otf2", .options = &l->how, .timeline = &l->timeline});
        assert_int_equal(ps_output_open_memory(&l->served.page, PS_WIDTH_DEFAULT, &err), PS_OK);
        assert_int_equal(ps_report_write_served(l->run.report, l->served.page, &err), PS_OK);
        assert_int_equal(ps_serve_make_token(l->served.token, &err), PS_OK);
        l->served.timeline = l->timeline;
}

static void close_lab(lab *l)
{
        ps_output_discard(l->served.page);
        ps_timeline_free(l->timeline);
        late_sender_clear(&l->run);
}

/* How `request` is answered, of the path below the token. */
static unsigned ask(lab *l, ps_request request, const char *below)
{
        char path[128];
        (void)snprintf(path, sizeof(path), "/%s/%s", l->served.token, below);
        request.method = request.method ? request.method : "GET";
        request.path = path;
        ps_answer a = ps_serve_answer(&l->served, &request);
        assert_non_null(a.bytes);
        l->told = a.n;
        if (a.owned)
                ps_output_discard(a.owned);
        return a.status;
}

static void tokens_cannot_be_guessed(void **state)
{
        char one[PS_SERVE_TOKEN_ROOM], other[PS_SERVE_TOKEN_ROOM];
        (void)state;
        assert_int_equal(ps_serve_make_token(one, NULL), PS_OK);
        assert_int_equal(ps_serve_make_token(other, NULL), PS_OK);
        assert_int_equal(strlen(one), 32);
        assert_string_not_equal(one, other);
}

static void only_this_machine_may_ask_by_any_port(void **state)
{
        static const struct {
                const char *host, *origin;
                unsigned status;
        } rows[] = {{"localhost", NULL, 200},
                    {"localhost:8080", NULL, 200},
                    {"127.0.0.1:1", "http://127.0.0.1:1", 200},
                    {"[::1]:65535", "http://[::1]:65535", 200},
                    {"LOCALHOST:80", "http://localhost:80", 200},
                    {NULL, NULL, 403},
                    {"", NULL, 403},
                    {"evil.example", NULL, 403},
                    {"localhost.evil.example", NULL, 403},
                    {"localhost:", NULL, 403},
                    {"localhost:65536", NULL, 403},
                    {"localhost:80:80", NULL, 403},
                    {"localhost:8x", NULL, 403},
                    {"127.0.0.1.evil.example", NULL, 403},
                    {"127.0.0.2", NULL, 403},
                    {"[::1", NULL, 403},
                    {"localhost:80", "http://localhost:81", 403},
                    {"localhost:80", "https://localhost:80", 403},
                    {"localhost:80", "http://127.0.0.1:80", 403},
                    {"localhost:80", "null", 403},
                    {"localhost:80", "http://evil.example", 403},
                    {"localhost:80", "", 403}};
        lab l;
        (void)state;
        open_lab(&l);
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                const ps_request request = {.host = rows[i].host, .origin = rows[i].origin};
                if (ask(&l, request, "") != rows[i].status)
                        fail_msg("host %s, origin %s", rows[i].host ? rows[i].host : "(none)",
                                 rows[i].origin ? rows[i].origin : "(none)");
        }
        close_lab(&l);
}

static void without_the_token_nothing_is_told(void **state)
{
        lab l;
        (void)state;
        open_lab(&l);
        char wrong[PS_SERVE_TOKEN_ROOM + 8], longer[2048];
        memset(longer, 'a', sizeof(longer));
        longer[0] = '/';
        longer[sizeof(longer) - 1] = '\0';
        (void)snprintf(wrong, sizeof(wrong), "/%s/", l.served.token);
        wrong[5] = wrong[5] == '0' ? '1' : '0';
        const char *const paths[] = {
                "",      "/",     "//",           wrong,        longer, "/../../etc/passwd",
                "/part", "/%00/", l.served.token, "part?from=0"};
        for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
                assert_int_equal(
                        ps_serve_answer(&l.served,
                                        &(ps_request){.method = "GET", .path = paths[i], .host = "localhost"})
                                .status,
                        403);
        assert_int_equal(
                ps_serve_answer(&l.served, &(ps_request){.method = "GET", .host = "localhost"}).status, 403);
        assert_int_equal(ps_serve_answer(&l.served, &(ps_request){.host = "localhost"}).status, 405);
        assert_int_equal(ask(&l, (ps_request){.method = "POST", .host = "localhost"}, ""), 405);
        close_lab(&l);
}

static void what_is_no_part_is_refused(void **state)
{
        static const struct {
                const char *from, *to, *lanes;
        } rows[] = {{NULL, NULL, NULL}, {"0", "1", NULL},
                    {"0", NULL, "0"},   {"1", "1", "0"},
                    {"2", "1", "0"},    {"-1", "5", "0"},
                    {"0", "1e3", "0"},  {"0", "99999999999999999999", "0"},
                    {"0", "5 ", "0"},   {"0", "5", ""},
                    {"0", "5", "9"},    {"0", "5", "0,0"},
                    {"0", "5", "1,0"},  {"0", "5", "0-4294967295"},
                    {"0", "5", "1-0"},  {"0", "5", "0,"},
                    {"0", "5", "x"},    {"0", "5", "0-"},
                    {"0", "5", "0;1"},  {"0", "4294967295", "0"}};
        lab l;
        (void)state;
        open_lab(&l);
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                const ps_request request = {
                        .host = "localhost", .from = rows[i].from, .to = rows[i].to, .lanes = rows[i].lanes};
                if (ask(&l, request, "part") != 400)
                        fail_msg("row %zu is answered", i);
        }
        assert_int_equal(
                ask(&l, (ps_request){.host = "localhost", .from = "0", .to = "5", .lanes = "0-1"}, "stack"),
                400);
        /* This run's report was made without its file. */
        assert_int_equal(
                ask(&l, (ps_request){.host = "localhost", .from = "0", .to = "5", .lanes = "0"}, "stack"),
                404);
        assert_int_equal(ask(&l, (ps_request){.host = "localhost"}, "nothing"), 404);
        assert_int_equal(ask(&l, (ps_request){.host = "localhost"}, "../part"), 404);
        assert_int_equal(ask(&l, (ps_request){.host = "localhost"}, "here"), 200);
        assert_int_equal(l.told, 0);
        l.served.has_changed = is_set;
        l.served.ctx = &l.is_changed;
        assert_int_equal(ask(&l, (ps_request){.host = "localhost"}, "here"), 200);
        assert_int_equal(l.told, 0);
        l.is_changed = true;
        assert_int_equal(ask(&l, (ps_request){.host = "localhost"}, "here"), 200);
        assert_int_not_equal(l.told, 0);
        close_lab(&l);
}

/* It computes up to 15 ms, waits up to 20, receives for 0.2 and computes on. */
static void a_part_has_all_that_lies_in_it(void **state)
{
        lab l;
        ps_picture picture;
        (void)state;
        open_lab(&l);
        char path[64];
        (void)snprintf(path, sizeof(path), "/%s/part", l.served.token);
        ps_answer a = ps_serve_answer(&l.served, &(ps_request){.method = "GET",
                                                               .path = path,
                                                               .host = "localhost",
                                                               .from = "14000000",
                                                               .to = "21000000",
                                                               .lanes = "1"});
        assert_int_equal(a.status, 200);
        assert_non_null(strstr(a.bytes, "{\"from\":14000000,\"to\":21000000,\"operations\":1,"));
        assert_non_null(strstr(a.bytes, "[\"first\",2,4,1],[\"begin\",4,4,1]"));
        assert_non_null(strstr(a.bytes, "[\"messageBegin\",1,"));
        ps_output_discard(a.owned);

        ps_lanes lanes;
        ps_sites *sites;
        assert_int_equal(ps_sites_new(&sites, l.run.report, false, NULL), PS_OK);
        assert_int_equal(ps_lanes_make(&lanes, l.run.report, sites, PS_LANES_OF_WAITS, NULL), PS_OK);
        assert_int_equal(ps_picture_make(&picture, &lanes, &ps_picture_most_drawn, NULL), PS_OK);
        const ps_picture_part part = {14000000, 21000000, (const uint32_t[]){1}, 1};
        ps_picture of;
        assert_int_equal(ps_picture_make_part(&of, &picture, &part, NULL), PS_OK);
        static const uint32_t begins[] = {14000000, 15000000, 20000000, 20200000};
        static const uint8_t states[] = {PS_LANE_COMPUTES, PS_LANE_WAITS, PS_LANE_TRANSFERS,
                                         PS_LANE_COMPUTES};
        assert_int_equal(of.stretches.n, 4);
        for (unsigned i = 0; i < 4; i++) {
                assert_int_equal(of.stretches.row[i].begin, begins[i]);
                assert_int_equal(of.stretches.row[i].state, states[i]);
        }
        assert_int_equal(of.stretches.row[1].partner, 0);
        ps_picture_clear(&of);
        ps_picture_clear(&picture);
        ps_lanes_clear(&lanes);
        ps_sites_free(sites);
        close_lab(&l);
}

/* The page of a run of which it holds a part only, for a browser: see tests/page/check_view.mjs. */
static void serve_a_little(void)
{
        ps_picture_most usual = ps_picture_most_drawn;
        ps_server *server;
        unsigned port = 0;
        lab l;
        ps_picture_most_drawn.stretches = 6;
        ps_picture_most_drawn.waits = 1;
        ps_picture_most_drawn.messages = 1;
        open_lab(&l);
        ps_picture_most_drawn = usual;
        assert_int_equal(ps_output_open_memory(&l.served.policy, PS_WIDTH_DEFAULT, NULL), PS_OK);
        ps_html_policy(l.served.policy, true);
        assert_int_equal(ps_server_start(&server, &l.served, &port, NULL), PS_OK);
        printf("http://127.0.0.1:%u/%s/\n", port, l.served.token);
        (void)fflush(stdout);
        ps_server_wait(server, 60);
        ps_server_stop(server);
        ps_output_discard(l.served.policy);
        close_lab(&l);
}

/* Its own, because the program is also the server that a browser is tried on. */
int main(void)
{
        if (getenv("PS_SERVE_A_LITTLE")) {
                serve_a_little();
                return 0;
        }
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(tokens_cannot_be_guessed),
                cmocka_unit_test(only_this_machine_may_ask_by_any_port),
                cmocka_unit_test(without_the_token_nothing_is_told),
                cmocka_unit_test(what_is_no_part_is_refused),
                cmocka_unit_test(a_part_has_all_that_lies_in_it),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
