/* test_predict.c - patscan predict on small runs whose times are worked out by hand. Times are microseconds.
 *
 * Late sender: rank 0 computes 60 and sends (60..62), then computes until its end, which the tests choose.
 * Rank 1 computes 20, receives (20..63), computes 40 and ends at 103. The receive waited 40 and took 3 more.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "app/commands.h"
#include "app/replays.h"
#include "tests/support/damage.h"
#include "tests/support/tracegen.h"

static char *dir;

static void near(double value, double expected, double most, const char *what)
{
        if (!(fabs(value - expected) <= most))
                fail_msg("%s is %.12g, not %.12g", what, value, expected);
}
#define NEAR(value, expected, most) near((value), (expected), (most), #value)

static int open_dir(void **state)
{
        (void)state;
        dir = ps_dir_new();
        return 0;
}

static int close_dir(void **state)
{
        (void)state;
        ps_dir_remove(dir);
        free(dir);
        return 0;
}

/* -- the command -- */

enum { WORDS_MAX = 24, TEXT_MAX = 1024 };

static ps_status command(ps_exit *code, const char *anchor, const char *words, ps_error *err)
{
        char text[TEXT_MAX], report[TEXT_MAX];
        char *argv[WORDS_MAX] = {"patscan"};
        int argc = 1;
        ps_options options;
        snprintf(text, sizeof(text), "%s", words);
        snprintf(report, sizeof(report), "--report=json:%s/report.json", dir);
        for (char *word = strtok(text, " "); word && argc < WORDS_MAX - 4; word = strtok(NULL, " ")) {
                argv[argc++] = word;
                if (argc == 2)
                        argv[argc++] = (char *)(uintptr_t)anchor;
        }
        argv[argc++] = report;
        argv[argc++] = "-q";
        argv[argc++] = "--clock=as-is"; /* records stand within calls, not where the message was */
        *code = PS_EXIT_OK;
        ps_status status = ps_options_parse(&options, argc, argv, err);
        return status < 0 ? status : options.command->run(&options, code, err);
}

static cJSON *read_report(void)
{
        char path[TEXT_MAX];
        snprintf(path, sizeof(path), "%s/report.json", dir);
        size_t n = ps_file_size(path);
        char *text = calloc(n + 1, 1);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        assert_int_equal(fread(text, 1, n, file), n);
        fclose(file);
        cJSON *root = cJSON_Parse(text);
        assert_non_null(root);
        free(text);
        return root;
}

/* The report of a command that ends with `code`. */
static cJSON *told(ps_exit expected, const char *anchor, const char *words)
{
        ps_error err = {0};
        ps_exit code;
        if (command(&code, anchor, words, &err) < 0)
                fail_msg("%s: %s", words, err.cause[0].text);
        if (code != expected)
                fail_msg("%s: exit code %d", words, (int)code);
        return read_report();
}

static void refused(const char *anchor, const char *words, const char *part)
{
        ps_error err = {0};
        ps_exit code;
        assert_true(command(&code, anchor, words, &err) < 0);
        if (!strstr(err.cause[0].text, part))
                fail_msg("%s: %s", words, err.cause[0].text);
}

static double at(const cJSON *root, const char *first, const char *second)
{
        const cJSON *item = cJSON_GetObjectItem(cJSON_GetObjectItem(root, first), second);
        if (!cJSON_IsNumber(item))
                fail_msg("no number %s.%s", first, second);
        return item->valuedouble;
}

static double duration_us(const char *anchor, const char *words)
{
        cJSON *root = told(PS_EXIT_OK, anchor, words);
        double time = at(root, "trace", "duration_s");
        cJSON_Delete(root);
        return 1e6 * time;
}

static void takes(const char *anchor, const char *edits, double expected)
{
        char words[TEXT_MAX];
        snprintf(words, sizeof(words), "predict --machine=recorded %s", edits);
        double time = duration_us(anchor, words);
        if (time < expected - 0.0011 || time > expected + 0.0011)
                fail_msg("%s: %.6f us, not %.6f", edits, time, expected);
}

/* -- runs -- */

static ps_gen *late_sender(uint64_t end_of_sender)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_enter(g, r, 0, "main");
        ps_gen_send(g, 0, PS_GEN_US(60), PS_GEN_US(62), 1, PS_GEN_WORLD, 7, 1000);
        ps_gen_recv(g, 1, PS_GEN_US(20), PS_GEN_US(63), 0, PS_GEN_WORLD, 7, 1000);
        ps_gen_leave(g, 0, PS_GEN_US(end_of_sender), "main");
        ps_gen_leave(g, 1, PS_GEN_US(103), "main");
        ps_gen_close(g);
        return g;
}

/* Rank 0 computes 100 and sends to both others (100..101..102); they receive from 10 on, until 103 and 104,
 * in the same place, and compute until 153. */
static ps_gen *two_wait(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        for (uint32_t r = 0; r < 3; r++)
                ps_gen_enter(g, r, 0, "main");
        for (uint32_t r = 1; r < 3; r++) {
                ps_gen_send(g, 0, PS_GEN_US(99 + r), PS_GEN_US(100 + r), r, PS_GEN_WORLD, 7, 1000);
                ps_gen_recv(g, r, PS_GEN_US(10), PS_GEN_US(102 + r), 0, PS_GEN_WORLD, 7, 1000);
                ps_gen_leave(g, r, PS_GEN_US(153), "main");
        }
        ps_gen_leave(g, 0, PS_GEN_US(102), "main");
        ps_gen_close(g);
        return g;
}

/* -- edits -- */

static void an_unedited_run_is_the_measured_one(void **state)
{
        (void)state;
        ps_gen *g = late_sender(62);
        cJSON *root = told(PS_EXIT_OK, ps_gen_anchor(g), "predict --machine=recorded");
        assert_string_equal(cJSON_GetObjectItem(root, "timing")->valuestring, "predicted");
        NEAR(at(root, "trace", "duration_s"), 103e-6, 1e-12);
        const cJSON *prediction = cJSON_GetObjectItem(root, "prediction");
        assert_string_equal(cJSON_GetObjectItem(prediction, "machine")->valuestring, "recorded");
        NEAR(at(prediction, "baseline", "measured_s"), 103e-6, 1e-12);
        NEAR(at(prediction, "baseline", "replayed_s"), 103e-6, 1e-12);
        NEAR(at(prediction, "baseline", "drift"), 0, 1e-12);
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(prediction, "deadlock")));
        cJSON_Delete(root);
        ps_gen_free(g);
}

static void edits_do_what_they_say(void **state)
{
        (void)state;
        ps_gen *g = late_sender(62);
        const char *a = ps_gen_anchor(g);
        takes(a, "rank:0*0.5", 30 + 3 + 40);
        takes(a, "rank:0/2", 30 + 3 + 40);
        takes(a, "rank:0-1*2", 120 + 3 + 80);
        takes(a, "rank:1*0.5", 60 + 3 + 20);
        takes(a, "region:main*0.5", 30 + 3 + 20);
        takes(a, "region:main*2 rank:1*0.5", 120 + 3 + 40);
        takes(a, "region:main/2 region:main*4", 120 + 3 + 80);
        takes(a, "balance:main", 103);
        takes(a, "balance", 103);           /* both compute 60 */
        takes(a, "eager=0", 103);           /* the receiver is there */
        takes(a, "overlap", 103);           /* nothing is nonblocking */
        takes(a, "remove:late-sender", 62); /* rank 1: 20 + 40 */
        takes(a, "remove:late-standard-send", 62);
        takes(a, "remove:late-receiver", 103);
        takes(a, "ideal-network", 60 + 40); /* the 3 are a latency */
        takes(a, "L*2", 60 + 6 + 40);
        takes(a, "bw/4", 103);
        takes(a, "rank:0*0.5 remove:late-sender", 20 + 40);
        takes(a, "rank:0-1*2 L*2", 120 + 6 + 80);
        ps_gen_free(g);
}

/* Rank 0 computes 98 and rank 1 60, the mean is 79: rank 0 sends at 60 * 79/98. */
static void balance_is_the_mean(void **state)
{
        (void)state;
        ps_gen *g = late_sender(100);
        takes(ps_gen_anchor(g), "balance", 60 * 79 / 98. + 3 + 40 * 79 / 60.);
        takes(ps_gen_anchor(g), "balance:main", 60 * 79 / 98. + 3 + 40 * 79 / 60.);
        takes(ps_gen_anchor(g), "balance rank:1*0", 81);
        ps_gen_free(g);
}

/* Rank 0: A 0..11 computes 4, in B 2, sends for 1 and computes 4; 5 outside; A 16..46; sends 46..47. Rank 1:
 * A 0..20; receives 20..21; 3 outside; A 24..24; receives 24..48; 7 outside. A message takes 2. */
static ps_gen *two_visits(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++) {
                ps_gen_enter(g, r, 0, "main");
                ps_gen_enter(g, r, 0, "A");
        }
        ps_gen_visit(g, 0, PS_GEN_US(4), PS_GEN_US(6), "B");
        ps_gen_send(g, 0, PS_GEN_US(6), PS_GEN_US(7), 1, PS_GEN_WORLD, 7, 1000);
        ps_gen_leave(g, 0, PS_GEN_US(11), "A");
        ps_gen_visit(g, 0, PS_GEN_US(16), PS_GEN_US(46), "A");
        ps_gen_send(g, 0, PS_GEN_US(46), PS_GEN_US(47), 1, PS_GEN_WORLD, 7, 1000);
        ps_gen_leave(g, 0, PS_GEN_US(47), "main");
        ps_gen_leave(g, 1, PS_GEN_US(20), "A");
        ps_gen_recv(g, 1, PS_GEN_US(20), PS_GEN_US(21), 0, PS_GEN_WORLD, 7, 1000);
        ps_gen_visit(g, 1, PS_GEN_US(24), PS_GEN_US(24), "A");
        ps_gen_recv(g, 1, PS_GEN_US(24), PS_GEN_US(48), 0, PS_GEN_WORLD, 7, 1000);
        ps_gen_leave(g, 1, PS_GEN_US(55), "main");
        ps_gen_close(g);
        return g;
}

/* The second send is begun after what A and B take on rank 0, the first send's 1 and 5 more; 2 + 7 follow. */
static void a_region_is_edited_where_it_is(void **state)
{
        (void)state;
        ps_gen *g = two_visits();
        const char *a = ps_gen_anchor(g);
        takes(a, "region:A*1", 55);
        takes(a, "region:A*0.5", 20 + 6 + 9);
        takes(a, "region:A*0", 6 + 9); /* rank 1 is there at 2 + 3 */
        takes(a, "region:B*0.5", 39 + 6 + 9);
        takes(a, "region:A*0.5 region:B*0.5", 19.5 + 6 + 9);
        takes(a, "region:main*0.5", 22.5 + 1 + 2 + 3.5);
        takes(a, "rank:0-1*0.5", 22.5 + 1 + 2 + 3.5);
        ps_gen_free(g);
}

/* First visits take 10 and 20, second ones 30 and 0: 15 each. */
static void visits_are_balanced_one_by_one(void **state)
{
        (void)state;
        ps_gen *g = two_visits();
        const char *a = ps_gen_anchor(g);
        takes(a, "balance:A", 15 + 1 + 5 + 15 + 2 + 7);
        takes(a, "balance:B", 55);
        takes(a, "balance:A region:A*2", 30 + 1 + 5 + 30 + 2 + 7);
        takes(a, "balance:A rank:1*0", 15 + 1 + 5 + 15 + 2);
        takes(a, "balance:A rank:0*0", 15 + 1 + 3 + 15 + 1 + 7); /* nobody waits */
        /* What is in B is not in A: 8 and 20, 30 and 0. */
        takes(a, "balance:A balance:B", 14 + 2 + 1 + 5 + 15 + 2 + 7);
        /* No intervals: 45 and 30 become 37.5. */
        takes(a, "balance", 37.5 + 1 + 2 + 7 * 1.25);
        /* Outside of A 5 and 10 become 7.5. */
        takes(a, "balance --interval=A", 30 + 7.5 + 1 + 2 + 7 * .75);
        takes(a, "balance --interval=main", 37.5 + 1 + 2 + 7 * 1.25);
        takes(a, "balance --interval=A,B", 30 + 7.5 + 1 + 2 + 7 * .75); /* B is inside of A */
        /* ... but not if it was named: then A is 8 and 20, 30 and 0. */
        takes(a, "balance --interval=A balance:B", 14 + 2 + 15 + 7.5 + 1 + 2 + 7 * .75);
        ps_gen_free(g);
}

/* The same by sums, as of a trace that has too many pieces: main takes 45, of them A 40, and 30. */
static void estimated(const ps_trace *trace, const char *text, double total, double a, double all)
{
        const char *const texts[] = {text};
        ps_edits edits;
        ps_what_if what_if;
        ps_replays replays;
        ps_error err = {0};
        assert_int_equal(ps_edits_parse(&edits, texts, 1, &err), PS_OK);
        assert_int_equal(ps_what_if_make(&what_if, &edits, trace, NULL, &err), PS_OK);
        assert_int_equal(ps_replays_make(&replays, trace, &what_if, 1, &err), PS_OK);
        const ps_replayed *run = ps_replays_run(&replays, PS_REPLAYED_EDITED);
        NEAR((double)run->total / 1e6, total, 1e-3);
        const ps_location_info *info = &run->timing->info[0];
        double in_a = 0, in_all = 0;
        for (uint32_t i = 0; i < info->n_uses; i++) {
                const ps_region_def *def = &trace->defs.regions.row[trace->paths[info->uses[i].path].region];
                int is_call = def->kind != PS_K_NONE,
                    is_main = !strcmp(ps_defs_str(&trace->defs, def->name), "main");
                in_all += is_call ? 0 : (double)info->uses[i].exclusive / 1e6;
                in_a += is_call || is_main ? 0 : (double)info->uses[i].exclusive / 1e6;
        }
        NEAR(in_a, a, 1e-3);
        NEAR(in_all, all, 1e-3);
        ps_replays_clear(&replays);
        ps_what_if_clear(&what_if);
        ps_edits_clear(&edits);
}

static void without_pieces_regions_are_estimated(void **state)
{
        (void)state;
        ps_gen *g = two_visits();
        ps_load_options options = {.n_threads = 1, .clock = PS_CLOCK_AS_IS};
        ps_trace *trace;
        assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), &options, NULL), PS_OK);
        assert_null(trace->pieces);
        estimated(trace, "region:main*0.5", 22.5 + 1 + 2 + 3.5, 20, 22.5);
        estimated(trace, "region:A*1", 55, 40, 45);
        estimated(trace, "balance", 37.5 + 1 + 2 + 7 * 1.25, 40 * 37.5 / 45, 37.5);
        estimated(trace, "balance:main", 37.5 + 1 + 2 + 7 * 1.25, 40 * 37.5 / 45, 37.5);
        ps_trace_close(trace);
        ps_gen_free(g);
}

static double slope_of(const cJSON *root, const char *name)
{
        const cJSON *row, *found = NULL;
        cJSON_ArrayForEach(row, cJSON_GetObjectItem(cJSON_GetObjectItem(root, "sensitivity"), "regions"))
        {
                if (strcmp(cJSON_GetObjectItem(row, "region")->valuestring, name) == 0)
                        found = cJSON_GetObjectItem(row, "slope_s");
        }
        if (!found)
                fail_msg("no slope of %s", name);
        return found->valuedouble;
}

static void slopes_of_regions_are_exact(void **state)
{
        (void)state;
        ps_gen *g = two_visits();
        cJSON *root = told(PS_EXIT_OK, ps_gen_anchor(g), "predict --machine=recorded --sensitivity");
        NEAR(slope_of(root, "A"), 40e-6, 1e-9);
        NEAR(slope_of(root, "B"), 2e-6, 1e-9);
        NEAR(slope_of(root, "main"), 52e-6, 1e-9);
        cJSON_Delete(root);
        ps_gen_free(g);
}

static void on_a_machine_messages_cost_what_it_says(void **state)
{
        (void)state;
        char path[TEXT_MAX], words[2 * TEXT_MAX];
        snprintf(path, sizeof(path), "%s/machine.json", dir);
        FILE *file = fopen(path, "w");
        fputs("{ \"model\": \"hockney\", \"latency_s\": 5e-6, \"bandwidth_bytes_per_s\": 1e9, "
              "\"eager_bytes\": "
              "65536, \"intra_node\": { \"latency_s\": 1e-6, \"bandwidth_bytes_per_s\": null } }",
              file);
        fclose(file);
        snprintf(path, sizeof(path), "%s/nodes", dir);
        file = fopen(path, "w");
        fputs("# both on one\n0 3\n1 3\n", file);
        fclose(file);
        ps_gen *g = late_sender(62);
        static const struct {
                const char *edits;
                double expected;
        } cases[] = {{"", 60 + 6 + 40},          {"L*2", 60 + 11 + 40},      {"bw/4", 60 + 9 + 40},
                     {"L*2 bw/4", 60 + 14 + 40}, {"ideal-network", 60 + 40}, {"rank:0*0.5 L*0", 30 + 1 + 40}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                snprintf(words, sizeof(words), "predict --machine=%s/machine.json %s", dir, cases[i].edits);
                double time = duration_us(ps_gen_anchor(g), words);
                if (time < cases[i].expected - 1e-6 || time > cases[i].expected + 1e-6)
                        fail_msg("%s: %f", cases[i].edits, time);
        }
        snprintf(words, sizeof(words), "predict --machine=%s/machine.json map=%s/nodes", dir, dir);
        NEAR(duration_us(ps_gen_anchor(g), words), 60 + 1 + 40, 1e-6);
        ps_gen_free(g);
}

static void what_is_not_there_is_refused(void **state)
{
        (void)state;
        ps_gen *g = late_sender(62);
        const char *a = ps_gen_anchor(g);
        refused(a, "predict --machine=recorded rank:2*2", "no such rank");
        refused(a, "predict --machine=recorded region:mian*2", "did you mean \"main\"?");
        refused(a, "predict --machine=recorded remove:late-sendre", "did you mean late-sender?");
        refused(a, "predict --machine=recorded remove:0123456789abcdef", "no such pattern or finding");
        refused(a, "predict --machine=recorded coll:allreduce=ring", "for a machine of a model");
        refused(a, "predict --machine=recorded map=nodes", "for a machine of a model");
        refused(a, "predict --machine=ideal map=/nonexistent", "cannot open file");
        refused(a, "predict --machine=recorded --grid=2x2", "for DVM traces");
        refused(a, "predict --machine=recorded --max-drift=5us", "not a percentage");
        refused(a, "predict --machine=recorded --gains=x", "bad number");
        refused(a, "predict", "on which machine?");
        refused(a, "analyze L*2", "too many arguments");
        ps_gen_free(g);
}

/* -- gains -- */

static const cJSON *finding(const cJSON *root, const char *type, int location)
{
        const cJSON *item;
        cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "findings"))
        {
                if (strcmp(cJSON_GetObjectItem(item, "type")->valuestring, type) == 0 &&
                    cJSON_GetObjectItem(item, "location")->valueint == location)
                        return item;
        }
        fail_msg("no %s at %d", type, location);
        return NULL;
}

static double gain_us(const cJSON *root, const char *type, int location, const char *key)
{
        const cJSON *item = cJSON_GetObjectItem(finding(root, type, location), key);
        if (!cJSON_IsNumber(item))
                fail_msg("%s is no number", key);
        return 1e6 * item->valuedouble;
}

/* 40 are lost, and 3 more while the message was under way: rank 1 would end at 60. What that gains depends on
 * when the sender ends. */
static void a_gain_counts_on_the_critical_path(void **state)
{
        (void)state;
        static const struct {
                uint64_t end_of_sender;
                double gain;
        } cases[] = {{62, 41}, {80, 23}, {100, 3}, {103, 0}, {200, 0}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                ps_gen *g = late_sender(cases[i].end_of_sender);
                cJSON *root = told(PS_EXIT_OK, ps_gen_anchor(g), "analyze --gains=all");
                NEAR(gain_us(root, "late-standard-send", 1, "gain_s"), cases[i].gain, 1e-6);
                NEAR(gain_us(root, "late-standard-send", 1, "place_gain_s"), cases[i].gain, 1e-6);
                cJSON_Delete(root);
                root = told(PS_EXIT_OK, ps_gen_anchor(g), "analyze");
                assert_true(
                        cJSON_IsNull(cJSON_GetObjectItem(finding(root, "late-standard-send", 1), "gain_s")));
                cJSON_Delete(root);
                ps_gen_free(g);
        }
}

/* Neither wait alone shortens the run, because the other one is left: both together do. */
static void gains_do_not_add_up(void **state)
{
        (void)state;
        ps_gen *g = two_wait();
        cJSON *root = told(PS_EXIT_OK, ps_gen_anchor(g), "analyze --rank-by=gain");
        for (int r = 1; r < 3; r++) {
                NEAR(gain_us(root, "late-standard-send", r, "gain_s"), 0, 1e-6);
                NEAR(gain_us(root, "late-standard-send", r, "place_gain_s"), 51, 1e-6);
        }
        cJSON_Delete(root);
        takes(ps_gen_anchor(g), "remove:late-sender", 102);
        root = told(PS_EXIT_OK, ps_gen_anchor(g), "predict --machine=recorded --gains=all rank:2*0.5");
        /* Rank 2 ends at 104 + 24.5 now: the wait of rank 1 is worth the difference. */
        NEAR(gain_us(root, "late-standard-send", 1, "gain_s"), 153 - 128.5, 1e-6);
        NEAR(gain_us(root, "late-standard-send", 2, "gain_s"), 0, 1e-6);
        cJSON_Delete(root);
        ps_gen_free(g);
}

static void a_finding_is_removed_by_its_id(void **state)
{
        (void)state;
        ps_gen *g = late_sender(62);
        cJSON *root = told(PS_EXIT_OK, ps_gen_anchor(g), "analyze");
        char words[TEXT_MAX];
        snprintf(words, sizeof(words), "remove:%s",
                 cJSON_GetObjectItem(finding(root, "late-standard-send", 1), "id")->valuestring);
        cJSON_Delete(root);
        takes(ps_gen_anchor(g), words, 62);
        ps_gen_free(g);
}

/* -- efficiencies -- */

static void efficiencies_are_products(void **state)
{
        (void)state;
        static const char *const words[] = {"analyze", "predict --machine=recorded",
                                            "predict --machine=recorded rank:0*0.5 L*4",
                                            "predict --machine=infiniband-hdr"};
        ps_gen *runs[] = {late_sender(62), late_sender(100), two_wait()};
        for (size_t i = 0; i < 3; i++) {
                for (size_t k = 0; k < 4; k++) {
                        cJSON *root = told(PS_EXIT_OK, ps_gen_anchor(runs[i]), words[k]);
                        double parallel = at(root, "efficiency", "parallel");
                        double balance = at(root, "efficiency", "load_balance");
                        double communication = at(root, "efficiency", "communication");
                        double serialization = at(root, "efficiency", "serialization");
                        double transfer = at(root, "efficiency", "transfer");
                        NEAR(parallel, balance * communication, 1e-8);
                        NEAR(communication, serialization * transfer, 1e-8);
                        assert_true(transfer > 0 && transfer <= 1 && serialization <= 1 + 1e-9);
                        cJSON_Delete(root);
                }
                ps_gen_free(runs[i]);
        }
}

/* Computed: 60 and 60 of 103; on an ideal network the run takes 100. */
static void efficiencies_by_hand(void **state)
{
        (void)state;
        ps_gen *g = late_sender(62);
        cJSON *root = told(PS_EXIT_OK, ps_gen_anchor(g), "analyze");
        NEAR(at(root, "efficiency", "load_balance"), 1, 1e-8);
        NEAR(at(root, "efficiency", "communication"), 60 / 103., 1e-8);
        NEAR(at(root, "efficiency", "transfer"), 100 / 103., 1e-8);
        NEAR(at(root, "efficiency", "serialization"), 0.6, 1e-8);
        cJSON_Delete(root);
        /* Half the computation of rank 0: 30 and 60 of 73; ideal 70. */
        root = told(PS_EXIT_OK, ps_gen_anchor(g), "predict --machine=recorded rank:0*0.5");
        NEAR(at(root, "efficiency", "load_balance"), 0.75, 1e-8);
        NEAR(at(root, "efficiency", "communication"), 60 / 73., 1e-8);
        NEAR(at(root, "efficiency", "transfer"), 70 / 73., 1e-8);
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* -- sensitivity -- */

/* T = 60 f + 3 l + 40 f with factors f of computation, l of the latency; sizes cost nothing. */
static void tolerances_by_hand(void **state)
{
        (void)state;
        ps_gen *g = late_sender(62);
        cJSON *root = told(PS_EXIT_OK, ps_gen_anchor(g), "predict --machine=recorded --sensitivity");
        const cJSON *s = cJSON_GetObjectItem(root, "sensitivity"), *row;
        NEAR(cJSON_GetObjectItem(s, "latency_s")->valuedouble, 3e-6, 1e-12);
        cJSON_ArrayForEach(row, cJSON_GetObjectItem(s, "tolerances"))
        {
                double longer = cJSON_GetObjectItem(row, "longer")->valuedouble;
                NEAR(cJSON_GetObjectItem(row, "latency_factor")->valuedouble, 1 + longer * 103 / 3, 1e-6);
                NEAR(cJSON_GetObjectItem(row, "cpu_factor")->valuedouble, 1 / (1 + longer * 103 / 100), 1e-6);
                assert_true(cJSON_IsNull(cJSON_GetObjectItem(row, "bandwidth_factor")));
        }
        const cJSON *slopes = cJSON_GetObjectItem(s, "slopes");
        NEAR(at(slopes, "latency", "slope_s"), 3e-6, 1e-9);
        NEAR(at(slopes, "bandwidth", "slope_s"), 0, 1e-9);
        NEAR(at(slopes, "computation", "slope_s"), 100e-6, 1e-8);
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* -- deadlock -- */

/* Both send 1000 bytes to each other before they receive: fine as long as sends are eager. */
static void a_deadlock_is_told(void **state)
{
        (void)state;
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++) {
                ps_gen_enter(g, r, 0, "main");
                ps_gen_send(g, r, PS_GEN_US(10), PS_GEN_US(12), 1 - r, PS_GEN_WORLD, 7, 1000);
                ps_gen_recv(g, r, PS_GEN_US(20), PS_GEN_US(23), 1 - r, PS_GEN_WORLD, 7, 1000);
                ps_gen_leave(g, r, PS_GEN_US(40), "main");
        }
        ps_gen_close(g);
        takes(ps_gen_anchor(g), "eager=1000", 40);
        cJSON *root = told(PS_EXIT_PARTIAL, ps_gen_anchor(g), "predict --machine=recorded eager=999");
        const cJSON *deadlock = cJSON_GetObjectItem(cJSON_GetObjectItem(root, "prediction"), "deadlock");
        const cJSON *calls = cJSON_GetObjectItem(deadlock, "calls"), *call;
        assert_int_equal(cJSON_GetArraySize(calls), 2);
        assert_true(cJSON_IsTrue(cJSON_GetObjectItem(deadlock, "circle")));
        cJSON_ArrayForEach(call, calls)
        {
                assert_string_equal(cJSON_GetObjectItem(call, "call")->valuestring, "MPI_Send");
                assert_int_equal(cJSON_GetObjectItem(call, "partner_process")->valueint,
                                 1 - cJSON_GetObjectItem(call, "process")->valueint);
        }
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(root, "findings")), 0);
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(cJSON_GetObjectItem(root, "trace"), "duration_s")));
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* -- what is written -- */

static void a_written_prediction_reads_back(void **state)
{
        (void)state;
        ps_gen *g = two_wait();
        char words[2 * TEXT_MAX], path[TEXT_MAX];
        static const char *const targets[] = {"otf2:%s/out", "%s/out.trf"};
        static const char *const anchors[] = {"%s/out/traces.otf2", "%s/out.trf"};
        for (int i = 0; i < 2; i++) {
                char target[TEXT_MAX];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
                snprintf(target, sizeof(target), targets[i], dir);
                snprintf(path, sizeof(path), anchors[i], dir);
#pragma GCC diagnostic pop
                snprintf(words, sizeof(words), "predict --machine=recorded rank:0*0.5 --write=%s", target);
                double predicted = duration_us(ps_gen_anchor(g), words);
                NEAR(predicted, 103, 1e-6); /* 50 earlier */
                NEAR(duration_us(path, "analyze"), predicted, 1e-6);
                cJSON *root = told(PS_EXIT_OK, path, "analyze");
                /* They wait from 10 until 50 and 51. */
                NEAR(1e6 * cJSON_GetObjectItem(finding(root, "late-standard-send", 1), "lost_s")->valuedouble,
                     40, 1e-6);
                cJSON_Delete(root);
        }
        ps_gen_free(g);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(an_unedited_run_is_the_measured_one, open_dir, close_dir),
                cmocka_unit_test_setup_teardown(edits_do_what_they_say, open_dir, close_dir),
                cmocka_unit_test_setup_teardown(balance_is_the_mean, open_dir, close_dir),
                cmocka_unit_test_setup_teardown(a_region_is_edited_where_it_is, open_dir, close_dir),
                cmocka_unit_test_setup_teardown(visits_are_balanced_one_by_one, open_dir, close_dir),
                cmocka_unit_test_setup_teardown(without_pieces_regions_are_estimated, open_dir, close_dir),
                cmocka_unit_test_setup_teardown(slopes_of_regions_are_exact, open_dir, close_dir),
                cmocka_unit_test_setup_teardown(on_a_machine_messages_cost_what_it_says, open_dir, close_dir),
                cmocka_unit_test_setup_teardown(what_is_not_there_is_refused, open_dir, close_dir),
                cmocka_unit_test_setup_teardown(a_gain_counts_on_the_critical_path, open_dir, close_dir),
                cmocka_unit_test_setup_teardown(gains_do_not_add_up, open_dir, close_dir),
                cmocka_unit_test_setup_teardown(a_finding_is_removed_by_its_id, open_dir, close_dir),
                cmocka_unit_test_setup_teardown(efficiencies_are_products, open_dir, close_dir),
                cmocka_unit_test_setup_teardown(efficiencies_by_hand, open_dir, close_dir),
                cmocka_unit_test_setup_teardown(tolerances_by_hand, open_dir, close_dir),
                cmocka_unit_test_setup_teardown(a_deadlock_is_told, open_dir, close_dir),
                cmocka_unit_test_setup_teardown(a_written_prediction_reads_back, open_dir, close_dir)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
