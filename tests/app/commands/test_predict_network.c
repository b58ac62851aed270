/* test_predict_network.c - what edits of the network make of two recordings in which nobody waits for another
 * one's computation, so that all communication is transfer. Times are microseconds.
 *
 * The machine that they were made on: latency 20, a byte each nanosecond; a message of more than 16,384 bytes
 * waits for its receiver, and its sender is free when its last byte has left. So 1 MB takes 20 + 1000.
 *
 * `exchange`: four ranks, ten times 200 of computation, Irecv and Isend of 1 MB with both neighbours,
 * Waitall: ten times 200 + 1020. `late`: two ranks, ten times: one computes 100 and sends 1 MB, the other one
 * computes 200 and receives it; the same 200 + 1020. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/app/commands/predict_lab.h"
#include "tests/support/corpus.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#define AT(t) PS_GEN_US(t)

enum { ROUNDS = 10, BYTES = 1000000, COMPUTE = 200, LATENCY = 20, SIZE = 1000 };

/* One after the other: when each begins the next round. */
static void exchange_round(ps_gen *g, uint32_t r, uint64_t round)
{
        uint64_t at = round * (COMPUTE + LATENCY + SIZE) + COMPUTE, over = at + LATENCY + SIZE,
                 first = 4 * round;
        uint32_t left = (r + 3) % 4, right = (r + 1) % 4;
        ps_gen_irecv(g, r, AT(at), AT(at), first);
        ps_gen_irecv(g, r, AT(at), AT(at), first + 1);
        ps_gen_isend(g, r, AT(at), AT(at), right, PS_GEN_WORLD, 1, BYTES, first + 2);
        ps_gen_isend(g, r, AT(at), AT(at), left, PS_GEN_WORLD, 2, BYTES, first + 3);
        ps_gen_waitall(g, r, AT(at), AT(over), 4,
                       (ps_gen_rec[]){PS_GEN_GOT(left, PS_GEN_WORLD, 1, BYTES, first),
                                      PS_GEN_GOT(right, PS_GEN_WORLD, 2, BYTES, first + 1),
                                      PS_GEN_SENT(first + 2), PS_GEN_SENT(first + 3)});
}

static ps_gen *exchange(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 4});
        for (uint32_t r = 0; r < 4; r++) {
                ps_gen_enter(g, r, 0, "main");
                for (uint64_t i = 0; i < ROUNDS; i++)
                        exchange_round(g, r, i);
                ps_gen_leave(g, r, AT(ROUNDS * (COMPUTE + LATENCY + SIZE)), "main");
        }
        ps_gen_close(g);
        return g;
}

/* The sender is free 20 before the message is there, and 80 later in its next call, before the receiver. */
static ps_gen *late(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        ps_gen_enter(g, 0, 0, "main");
        ps_gen_enter(g, 1, 0, "main");
        uint64_t free_at = 0;
        for (uint64_t i = 0; i < ROUNDS; i++) {
                uint64_t posted = i * (COMPUTE + LATENCY + SIZE) + COMPUTE, over = posted + LATENCY + SIZE;
                ps_gen_send(g, 0, AT(free_at + 100), AT(posted + SIZE), 1, PS_GEN_WORLD, 1, BYTES);
                ps_gen_recv(g, 1, AT(posted), AT(over), 0, PS_GEN_WORLD, 1, BYTES);
                free_at = posted + SIZE;
        }
        ps_gen_leave(g, 0, AT(free_at), "main");
        ps_gen_leave(g, 1, AT(ROUNDS * (COMPUTE + LATENCY + SIZE)), "main");
        ps_gen_close(g);
        return g;
}

static void write_machine(char path[TEXT_MAX])
{
        snprintf(path, TEXT_MAX, "%s/machine.json", predict_dir());
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs("{\"model\": \"hockney\", \"latency_s\": 2e-5, \"bandwidth_bytes_per_s\": 1e9}", file);
        fclose(file);
}

/* All in one round, which is repeated. */
typedef struct expected {
        const char *edits;
        double round;
} expected;

static void all_take(const char *anchor, const expected *cases, size_t n)
{
        char machine[TEXT_MAX], words[2 * TEXT_MAX];
        write_machine(machine);
        for (size_t i = 0; i < n; i++) {
                snprintf(words, sizeof(words), "predict --machine=recorded:%s %s", machine, cases[i].edits);
                NEAR(predict_duration_us(anchor, words), ROUNDS * cases[i].round, 0.0011);
        }
}

/* One size of messages: the recording alone tells what does not depend on the split, and for the rest a
 * range, which holds the truth. */
static void is_in_range(const char *anchor, const char *edits, double truth)
{
        char words[TEXT_MAX];
        snprintf(words, sizeof(words), "predict --machine=recorded %s", edits);
        cJSON *root = predict_told(PS_EXIT_OK, anchor, words);
        double least = predict_number(root, "prediction", "least_s"),
               most = predict_number(root, "prediction", "most_s");
        assert_true(least <= truth && truth <= most);
        cJSON_Delete(root);
}

static void check_exchange(const char *anchor)
{
        static const expected cases[] = {{"", 1220},
                                         {"ideal-network", 200},
                                         {"overlap", 1020},
                                         {"bw/2", 2220},
                                         {"L*10", 1400},
                                         {"L*10 bw/2", 2400},
                                         {"ideal-network region:main*0.5", 100}};
        all_take(anchor, cases, sizeof(cases) / sizeof(*cases));
        predict_takes(anchor, "", 12200);
        predict_takes(anchor, "ideal-network", 2000);
        predict_takes(anchor, "overlap", 10200);
        is_in_range(anchor, "L*10", 14e-3);
        is_in_range(anchor, "bw/2", 22.2e-3);
        cJSON *root = predict_told(PS_EXIT_OK, anchor, "analyze");
        NEAR(predict_number(root, "efficiency", "serialization"), 1, 1e-8);
        NEAR(predict_number(root, "efficiency", "transfer"), 200 / 1220., 1e-8);
        cJSON_Delete(root);
}

static void check_late(const char *anchor)
{
        static const expected cases[] = {
                {"", 1220},     {"ideal-network", 200}, {"bw/2", 2220},
                {"L*10", 1400}, {"rank:1*0.75", 1170},  {"ideal-network rank:0*3", 300}};
        all_take(anchor, cases, sizeof(cases) / sizeof(*cases));
        predict_takes(anchor, "ideal-network", 2000);
        is_in_range(anchor, "bw/2", 22.2e-3);
        cJSON *root = predict_told(PS_EXIT_OK, anchor, "analyze");
        NEAR(predict_number(root, "efficiency", "transfer"), 200 / 1220., 1e-8);
        cJSON_Delete(root);
}

PREDICT_TEST(transfers_of_an_exchange_can_be_edited)
{
        ps_gen *g = exchange();
        check_exchange(ps_gen_anchor(g));
        ps_gen_free(g);
}

PREDICT_TEST(transfers_with_a_late_receiver_can_be_edited)
{
        ps_gen *g = late();
        check_late(ps_gen_anchor(g));
        ps_gen_free(g);
}

/* Two ranks gather 8192 bytes, which is between M1 and M2, and 100. */
PREDICT_TEST(a_gather_in_between_is_told_at_its_upper_end)
{
        static const char text[] = "LMO\nn 2  M1 4096  M2 65536\nC 50e-6 60e-6\nt 4e-9 5e-9\n"
                                   "L     -     20e-6\n      20e-6 -\n"
                                   "beta  -          125000000\n      125000000  -\n";
        char path[TEXT_MAX], words[2 * TEXT_MAX];
        snprintf(path, sizeof(path), "%s/machine.par", predict_dir());
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++) {
                ps_gen_enter(g, r, 0, "main");
                for (uint64_t i = 0; i < 2; i++)
                        ps_gen_collective(g, "MPI_Gather", r, AT(10 + 100 * i), AT(20 + 100 * i),
                                          PS_GEN_WORLD, 0, i ? 100 : 8192,
                                          r   ? 0
                                          : i ? 200
                                              : 16384);
                ps_gen_leave(g, r, AT(200), "main");
        }
        ps_gen_close(g);
        snprintf(words, sizeof(words), "predict --machine=%s coll:gather=flat", path);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), words);
        const cJSON *notes = cJSON_GetObjectItem(cJSON_GetObjectItem(root, "prediction"), "notes");
        assert_int_equal(cJSON_GetArraySize(notes), 1);
        assert_int_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(notes, 0), "count")->valueint, 1);
        assert_non_null(strstr(cJSON_GetObjectItem(cJSON_GetArrayItem(notes, 0), "text")->valuestring,
                               "one after the other"));
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* The same programs, recorded by somebody else. */
PREDICT_TEST(others_recorded_the_same)
{
        corpus_path anchor;
        corpus_open();
        corpus_join(anchor, "%s/../cases/%s/traces.otf2", corpus.folder, "exbal");
        int is_there = corpus.folder[0] && access(anchor, R_OK) == 0;
        if (is_there) {
                check_exchange(anchor);
                corpus_join(anchor, "%s/../cases/%s/traces.otf2", corpus.folder, "rdvlate");
                check_late(anchor);
        }
        corpus_close();
        if (!is_there)
                skip();
}
