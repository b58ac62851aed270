/* test_predict.c - patscan predict on small runs whose times are worked out by hand. Times are microseconds.
 *
 * Late sender: rank 0 computes 60 and sends (60..62), then computes until its end, which the tests choose.
 * Rank 1 computes 20, receives (20..63), computes 40 and ends at 103. The receive waited 40 and took 3 more.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "library/gains/gains.h"
#include "tests/app/commands/predict_lab.h"
#include "tests/support/damage.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

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

PREDICT_TEST(an_unedited_run_is_the_measured_one)
{
        ps_gen *g = late_sender(62);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "predict --machine=recorded");
        assert_string_equal(cJSON_GetObjectItem(root, "timing")->valuestring, "predicted");
        NEAR(predict_number(root, "trace", "duration_s"), 103e-6, 1e-12);
        const cJSON *prediction = cJSON_GetObjectItem(root, "prediction");
        assert_string_equal(cJSON_GetObjectItem(prediction, "machine")->valuestring, "recorded");
        NEAR(predict_number(prediction, "baseline", "measured_s"), 103e-6, 1e-12);
        NEAR(predict_number(prediction, "baseline", "replayed_s"), 103e-6, 1e-12);
        NEAR(predict_number(prediction, "baseline", "drift"), 0, 1e-12);
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(prediction, "deadlock")));
        cJSON_Delete(root);
        ps_gen_free(g);
}

PREDICT_TEST(edits_do_what_they_say)
{
        ps_gen *g = late_sender(62);
        const char *a = ps_gen_anchor(g);
        predict_takes(a, "rank:0*0.5", 30 + 3 + 40);
        predict_takes(a, "rank:0/2", 30 + 3 + 40);
        predict_takes(a, "rank:0-1*2", 120 + 3 + 80);
        predict_takes(a, "rank:1*0.5", 60 + 3 + 20);
        predict_takes(a, "region:main*0.5", 30 + 3 + 20);
        predict_takes(a, "region:main*2 rank:1*0.5", 120 + 3 + 40);
        predict_takes(a, "region:main/2 region:main*4", 120 + 3 + 80);
        predict_takes(a, "balance:main", 103);
        predict_takes(a, "balance", 103);           /* both compute 60 */
        predict_takes(a, "eager=0", 103);           /* the receiver is there */
        predict_takes(a, "overlap", 103);           /* nothing is nonblocking */
        predict_takes(a, "remove:late-sender", 62); /* rank 1: 20 + 40 */
        predict_takes(a, "remove:late-standard-send", 62);
        predict_takes(a, "remove:late-receiver", 103);
        predict_takes(a, "ideal-network", 60 + 40);
        predict_takes(a, "L*2 bw/2", 60 + 6 + 40);
        predict_takes(a, "rank:0*0.5 remove:late-sender", 20 + 40);
        predict_takes(a, "rank:0-1*2 L*2 bw/2", 120 + 6 + 80);
        ps_gen_free(g);
}

/* Rank 0 computes 98 and rank 1 60, the mean is 79: rank 0 sends at 60 * 79/98. */
PREDICT_TEST(balance_is_the_mean)
{
        ps_gen *g = late_sender(100);
        predict_takes(ps_gen_anchor(g), "balance", 60 * 79 / 98. + 3 + 40 * 79 / 60.);
        predict_takes(ps_gen_anchor(g), "balance:main", 60 * 79 / 98. + 3 + 40 * 79 / 60.);
        predict_takes(ps_gen_anchor(g), "balance rank:1*0", 81);
        ps_gen_free(g);
}

PREDICT_TEST(on_a_machine_messages_cost_what_it_says)
{
        char path[TEXT_MAX], words[2 * TEXT_MAX];
        snprintf(path, sizeof(path), "%s/machine.json", predict_dir());
        FILE *file = fopen(path, "w");
        fputs("{ \"model\": \"hockney\", \"latency_s\": 5e-6, \"bandwidth_bytes_per_s\": 1e9, "
              "\"eager_bytes\": "
              "65536, \"intra_node\": { \"latency_s\": 1e-6, \"bandwidth_bytes_per_s\": null } }",
              file);
        fclose(file);
        snprintf(path, sizeof(path), "%s/nodes", predict_dir());
        file = fopen(path, "w");
        fprintf(file, "#%0400d\n0 3\n1, 3 # both on one\n", 0);
        fclose(file);
        ps_gen *g = late_sender(62);
        static const struct {
                const char *edits;
                double expected;
        } cases[] = {{"", 60 + 6 + 40},          {"L*2", 60 + 11 + 40},      {"bw/4", 60 + 9 + 40},
                     {"L*2 bw/4", 60 + 14 + 40}, {"ideal-network", 60 + 40}, {"rank:0*0.5 L*0", 30 + 1 + 40}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                snprintf(words, sizeof(words), "predict --machine=%s/machine.json %s", predict_dir(),
                         cases[i].edits);
                double time = predict_duration_us(ps_gen_anchor(g), words);
                if (time < cases[i].expected - 1e-6 || time > cases[i].expected + 1e-6)
                        fail_msg("%s: %f", cases[i].edits, time);
        }
        snprintf(words, sizeof(words), "predict --machine=%s/machine.json map=%s/nodes", predict_dir(),
                 predict_dir());
        NEAR(predict_duration_us(ps_gen_anchor(g), words), 60 + 1 + 40, 1e-6);
        ps_gen_free(g);
}

PREDICT_TEST(what_is_not_there_is_refused)
{
        ps_gen *g = late_sender(62);
        const char *a = ps_gen_anchor(g);
        predict_refused(a, "predict --machine=recorded rank:2*2", "no such rank");
        predict_refused(a, "predict --machine=recorded region:mian*2", "did you mean \"main\"?");
        predict_refused(a, "predict --machine=recorded remove:late-sendre", "did you mean late-sender?");
        predict_refused(a, "predict --machine=recorded remove:0123456789abcdef",
                        "there is no such pattern, finding or cause");
        predict_refused(a, "predict --machine=recorded coll:allreduce=ring", "needs a machine with a model");
        predict_refused(a, "predict --machine=recorded map=nodes", "needs a machine with a model");
        predict_refused(a, "predict --machine=ideal map=/nonexistent", "cannot open the map of ranks");
        predict_refused(a, "predict --machine=recorded --grid=2x2", "for traces of DVM programs");
        predict_refused(a, "predict --machine=recorded --max-drift=5us", "--max-drift needs a percentage");
        predict_refused(a, "predict --machine=recorded --gains=x", "--gains needs a number");
        predict_refused(a, "predict", "patscan predict needs --machine");
        predict_refused(a, "analyze L*2", "takes fewer arguments");
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
PREDICT_TEST(a_gain_counts_on_the_critical_path)
{
        static const struct {
                uint64_t end_of_sender;
                double gain;
        } cases[] = {{62, 41}, {80, 23}, {100, 3}, {103, 0}, {200, 0}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                ps_gen *g = late_sender(cases[i].end_of_sender);
                cJSON *root =
                        predict_told(PS_EXIT_OK, ps_gen_anchor(g), i % 2 ? "analyze --gains=all" : "analyze");
                NEAR(gain_us(root, "late-standard-send", 1, "gain_s"), cases[i].gain, 1e-6);
                NEAR(gain_us(root, "late-standard-send", 1, "place_gain_s"), cases[i].gain, 1e-6);
                cJSON_Delete(root);
                root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze --gains=none");
                assert_true(
                        cJSON_IsNull(cJSON_GetObjectItem(finding(root, "late-standard-send", 1), "gain_s")));
                cJSON_Delete(root);
                ps_gen_free(g);
        }
}

/* As many as a million operations are enough for, but never more than 64. */
TEST(small_traces_tell_gains_unasked)
{
        assert_int_equal(ps_gains_unasked(1, 1), 64);
        assert_int_equal(ps_gains_unasked(15000, 10), 64);
        assert_int_equal(ps_gains_unasked(90000, 1000), 10);
        assert_int_equal(ps_gains_unasked(999000, 10), 1);
        assert_int_equal(ps_gains_unasked(1000001, 0), 0);
        assert_int_equal(ps_gains_unasked(1000, 1000000), 0);
}

/* Neither wait alone shortens the run, because the other one is left: both together do. */
PREDICT_TEST(gains_do_not_add_up)
{
        ps_gen *g = two_wait();
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze --rank-by=gain");
        for (int r = 1; r < 3; r++) {
                NEAR(gain_us(root, "late-standard-send", r, "gain_s"), 0, 1e-6);
                NEAR(gain_us(root, "late-standard-send", r, "place_gain_s"), 51, 1e-6);
        }
        cJSON_Delete(root);
        predict_takes(ps_gen_anchor(g), "remove:late-sender", 102);
        root = predict_told(PS_EXIT_OK, ps_gen_anchor(g),
                            "predict --machine=recorded --gains=all rank:2*0.5");
        /* Rank 2 ends at 104 + 24.5 now: the wait of rank 1 is worth the difference. */
        NEAR(gain_us(root, "late-standard-send", 1, "gain_s"), 153 - 128.5, 1e-6);
        NEAR(gain_us(root, "late-standard-send", 2, "gain_s"), 0, 1e-6);
        cJSON_Delete(root);
        ps_gen_free(g);
}

PREDICT_TEST(a_finding_is_removed_by_its_id)
{
        ps_gen *g = late_sender(62);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze");
        char words[TEXT_MAX];
        snprintf(words, sizeof(words), "remove:%s",
                 cJSON_GetObjectItem(finding(root, "late-standard-send", 1), "id")->valuestring);
        cJSON_Delete(root);
        predict_takes(ps_gen_anchor(g), words, 62);
        ps_gen_free(g);
}

/* -- efficiencies -- */

PREDICT_TEST(efficiencies_are_products)
{
        static const char *const words[] = {"analyze", "predict --machine=recorded",
                                            "predict --machine=recorded rank:0*0.5 L*4",
                                            "predict --machine=infiniband-hdr"};
        ps_gen *runs[] = {late_sender(62), late_sender(100), two_wait()};
        for (size_t i = 0; i < 3; i++) {
                for (size_t k = 0; k < 4; k++) {
                        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(runs[i]), words[k]);
                        double parallel = predict_number(root, "efficiency", "parallel");
                        double balance = predict_number(root, "efficiency", "load_balance");
                        double communication = predict_number(root, "efficiency", "communication");
                        double serialization = predict_number(root, "efficiency", "serialization");
                        double transfer = predict_number(root, "efficiency", "transfer");
                        NEAR(parallel, balance * communication, 1e-8);
                        NEAR(communication, serialization * transfer, 1e-8);
                        assert_true(transfer > 0 && transfer <= 1 && serialization <= 1 + 1e-9);
                        cJSON_Delete(root);
                }
                ps_gen_free(runs[i]);
        }
}

/* Computed: 60 and 60 of 103; on an ideal network the run takes 100. */
PREDICT_TEST(efficiencies_by_hand)
{
        ps_gen *g = late_sender(62);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze");
        NEAR(predict_number(root, "efficiency", "load_balance"), 1, 1e-8);
        NEAR(predict_number(root, "efficiency", "communication"), 60 / 103., 1e-8);
        NEAR(predict_number(root, "efficiency", "transfer"), 100 / 103., 1e-8);
        NEAR(predict_number(root, "efficiency", "serialization"), 0.6, 1e-8);
        cJSON_Delete(root);
        /* Half the computation of rank 0: 30 and 60 of 73; ideal 70. */
        root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "predict --machine=recorded rank:0*0.5");
        NEAR(predict_number(root, "efficiency", "load_balance"), 0.75, 1e-8);
        NEAR(predict_number(root, "efficiency", "communication"), 60 / 73., 1e-8);
        NEAR(predict_number(root, "efficiency", "transfer"), 70 / 73., 1e-8);
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* -- sensitivity -- */

/* Rank 0 computes 60 and sends 1000 bytes at 60, rank 1 computes 20 and has them at 63; after that it has
 * 5000 bytes at 70, sent at 63. So 1000 bytes take 1 us and the latency is 2: T = 60 f + 2 l + b + 2 l + 5 b
 * + 33 f, with factors f of computation, l of the latency and b of what sizes cost. */
static ps_gen *two_sizes(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_enter(g, r, 0, "main");
        ps_gen_send(g, 0, PS_GEN_US(60), PS_GEN_US(60), 1, PS_GEN_WORLD, 7, 1000);
        ps_gen_recv(g, 1, PS_GEN_US(20), PS_GEN_US(63), 0, PS_GEN_WORLD, 7, 1000);
        ps_gen_send(g, 1, PS_GEN_US(63), PS_GEN_US(63), 0, PS_GEN_WORLD, 7, 5000);
        ps_gen_recv(g, 0, PS_GEN_US(60), PS_GEN_US(70), 1, PS_GEN_WORLD, 7, 5000);
        ps_gen_leave(g, 0, PS_GEN_US(103), "main");
        ps_gen_leave(g, 1, PS_GEN_US(63), "main");
        ps_gen_close(g);
        return g;
}

PREDICT_TEST(tolerances_by_hand)
{
        ps_gen *g = two_sizes();
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "predict --machine=recorded --sensitivity");
        const cJSON *s = cJSON_GetObjectItem(root, "sensitivity"), *row;
        NEAR(cJSON_GetObjectItem(s, "latency_s")->valuedouble, 2e-6, 1e-12);
        NEAR(cJSON_GetObjectItem(s, "bandwidth_bytes_per_s")->valuedouble, 1e9, 1);
        cJSON_ArrayForEach(row, cJSON_GetObjectItem(s, "tolerances"))
        {
                double longer = cJSON_GetObjectItem(row, "longer")->valuedouble;
                NEAR(cJSON_GetObjectItem(row, "latency_factor")->valuedouble, 1 + longer * 103 / 4, 1e-6);
                NEAR(cJSON_GetObjectItem(row, "cpu_factor")->valuedouble, 1 / (1 + longer * 103 / 93), 1e-6);
                NEAR(cJSON_GetObjectItem(row, "bandwidth_factor")->valuedouble, 1 / (1 + longer * 103 / 6),
                     1e-6);
        }
        const cJSON *slopes = cJSON_GetObjectItem(s, "slopes");
        NEAR(predict_number(slopes, "latency", "slope_s"), 4e-6, 1e-9);
        NEAR(predict_number(slopes, "bandwidth", "slope_s"), 6e-6, 1e-9);
        NEAR(predict_number(slopes, "computation", "slope_s"), 93e-6, 1e-8);
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* One message does not tell latency from bandwidth: between none and all of its 3 us is either. */
PREDICT_TEST(what_one_size_does_not_tell)
{
        static const struct {
                const char *edits;
                double least, most;
        } cases[] = {{"L*2", 103, 106}, {"bw/4", 103, 112}, {"L*2 bw/4", 106, 112}, {"L*0", 100, 103}};
        ps_gen *g = late_sender(62);
        char words[TEXT_MAX];
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                snprintf(words, sizeof(words), "predict --machine=recorded %s", cases[i].edits);
                cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), words);
                const cJSON *prediction = cJSON_GetObjectItem(root, "prediction");
                double time = predict_number(root, "trace", "duration_s");
                NEAR(cJSON_GetObjectItem(prediction, "least_s")->valuedouble, cases[i].least * 1e-6, 1e-12);
                NEAR(cJSON_GetObjectItem(prediction, "most_s")->valuedouble, cases[i].most * 1e-6, 1e-12);
                assert_true(time >= cases[i].least * 1e-6 - 1e-12 && time <= cases[i].most * 1e-6 + 1e-12);
                const cJSON *note = cJSON_GetArrayItem(cJSON_GetObjectItem(prediction, "notes"), 0);
                assert_non_null(strstr(cJSON_GetObjectItem(note, "text")->valuestring,
                                       "cannot tell latency from bandwidth"));
                cJSON_Delete(root);
        }
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "predict --machine=recorded --sensitivity");
        const cJSON *s = cJSON_GetObjectItem(root, "sensitivity");
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(
                cJSON_GetArrayItem(cJSON_GetObjectItem(s, "tolerances"), 0), "latency_factor")));
        const cJSON *latency = cJSON_GetObjectItem(cJSON_GetObjectItem(s, "slopes"), "latency");
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(latency, "slope_s")));
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* -- what is written -- */

PREDICT_TEST(a_written_prediction_reads_back)
{
        ps_gen *g = two_wait();
        char words[2 * TEXT_MAX], path[TEXT_MAX];
        static const char *const targets[] = {"otf2:%s/out", "%s/out.trf"};
        static const char *const anchors[] = {"%s/out/traces.otf2", "%s/out.trf"};
        for (int i = 0; i < 2; i++) {
                char target[TEXT_MAX];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
                snprintf(target, sizeof(target), targets[i], predict_dir());
                snprintf(path, sizeof(path), anchors[i], predict_dir());
#pragma GCC diagnostic pop
                snprintf(words, sizeof(words), "predict --machine=recorded rank:0*0.5 --write=%s", target);
                double predicted = predict_duration_us(ps_gen_anchor(g), words);
                NEAR(predicted, 103, 1e-6); /* 50 earlier */
                NEAR(predict_duration_us(path, "analyze"), predicted, 1e-6);
                cJSON *root = predict_told(PS_EXIT_OK, path, "analyze");
                /* They wait from 10 until 50 and 51. */
                NEAR(1e6 * cJSON_GetObjectItem(finding(root, "late-standard-send", 1), "lost_s")->valuedouble,
                     40, 1e-6);
                cJSON_Delete(root);
        }
        ps_gen_free(g);
}

/* A recorder writes that a collective operation begins a little after its call does, and that it is over a
 * little before. In calls that take less than that, here none at all, one still comes before the other. */
PREDICT_TEST(short_calls_read_back)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        char words[2 * TEXT_MAX], path[TEXT_MAX];
        for (uint32_t r = 0; r < 2; r++) {
                ps_gen_enter(g, r, 0, "main");
                ps_gen_barrier(g, r, PS_GEN_US(50), PS_GEN_US(54), PS_GEN_WORLD);
                ps_gen_leave(g, r, PS_GEN_US(100), "main");
        }
        ps_gen_close(g);
        snprintf(words, sizeof(words), "predict --machine=ideal --write=otf2:%s/out", predict_dir());
        NEAR(predict_duration_us(ps_gen_anchor(g), words), 96, 1e-6);
        snprintf(path, sizeof(path), "%s/out/traces.otf2", predict_dir());
        cJSON *root = predict_told(PS_EXIT_OK, path, "analyze");
        NEAR(predict_number(root, "trace", "operations"), 2, 0);
        NEAR(predict_number(root, "trace", "collectives"), 1, 0);
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(root, "issues")), 0);
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* 10 before the only call, 5 in it and 20 behind it, in no region: nothing else tells when it begins and
 * ends. */
PREDICT_TEST(a_program_without_regions_reads_back)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        char words[2 * TEXT_MAX], path[TEXT_MAX];
        ps_gen_put(g, 0, 0, PS_GEN_REC_OF(PROGRAM_BEGIN, .bytes = 0));
        ps_gen_barrier(g, 0, PS_GEN_US(10), PS_GEN_US(15), PS_GEN_WORLD);
        ps_gen_put(g, 0, PS_GEN_US(35), PS_GEN_REC_OF(PROGRAM_END, .bytes = 0));
        ps_gen_close(g);
        snprintf(words, sizeof(words), "predict --machine=recorded rank:0*3 --write=otf2:%s/out",
                 predict_dir());
        NEAR(predict_duration_us(ps_gen_anchor(g), words), 95, 1e-6);
        snprintf(path, sizeof(path), "%s/out/traces.otf2", predict_dir());
        NEAR(predict_duration_us(path, "analyze"), 95, 1e-6);
        ps_gen_free(g);
}
