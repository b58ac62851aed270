/* test_predict_pop.c - the efficiencies of the POP methodology and what two edits gain, alone and together,
 * on a ring whose times follow from a recurrence: t[r] <- max(t[r] + c[r], t[left] + c[left] + X), with X = L
 * + b / B.
 *
 * All factors are computed here, from the recurrence and their definitions alone: LB = mean / longest useful
 * time, CommE = longest / T, TE = T0 / T, SerE = longest / T0, with T0 for X = 0. Times are nanoseconds. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/base/hash.h"
#include "tests/app/commands/predict_lab.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

enum { RANKS = 16, ROUNDS = 400, BYTES = 1000, LATENCY = 5000, X = LATENCY + BYTES };

/* 50 to 100 us; every fourth rank has a tenth more to do. Or all the same. */
static uint64_t work(uint32_t rank, uint32_t round, int is_even)
{
        uint64_t own = 50000 + ps_hash_pair(rank, round) % 50000;
        return is_even ? 75000 : rank % 4 ? own : own + own / 10;
}

/* The calls take no time where they are recorded: only the computations count. */
static ps_gen *ring(int is_even)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        for (uint32_t r = 0; r < RANKS; r++) {
                uint64_t t = 0;
                ps_gen_enter(g, r, 0, "main");
                for (uint32_t i = 0; i < ROUNDS; i++) {
                        t += work(r, i, is_even);
                        ps_gen_send(g, r, t, t, (r + 1) % RANKS, PS_GEN_WORLD, 0, BYTES);
                        ps_gen_recv(g, r, t, t, (r + RANKS - 1) % RANKS, PS_GEN_WORLD, 0, BYTES);
                }
                ps_gen_leave(g, r, t, "main");
        }
        ps_gen_close(g);
        return g;
}

/* What the run takes on `latency` and with factors of the ranks' computation, what they compute, and how many
 * latencies follow one another on the way to the end. */
typedef struct outcome {
        double time, longest, mean;
        uint32_t n_latencies;
} outcome;

static outcome recurrence(int is_even, const double factor[RANKS], double x)
{
        double t[RANKS] = {0}, sent[RANKS], useful[RANKS] = {0};
        uint32_t n[RANKS] = {0}, before[RANKS];
        outcome out = {0};
        for (uint32_t i = 0; i < ROUNDS; i++) {
                for (uint32_t r = 0; r < RANKS; r++) {
                        double c = (double)work(r, i, is_even) * factor[r];
                        useful[r] += c;
                        sent[r] = t[r] + c;
                }
                memcpy(before, n, sizeof(n));
                for (uint32_t r = 0; r < RANKS; r++) {
                        uint32_t left = (r + RANKS - 1) % RANKS;
                        int waits = sent[left] + x > sent[r];
                        t[r] = waits ? sent[left] + x : sent[r];
                        n[r] = waits ? before[left] + 1 : before[r];
                }
        }
        for (uint32_t r = 0; r < RANKS; r++) {
                out.n_latencies = t[r] > out.time ? n[r] : out.n_latencies;
                out.time = fmax(out.time, t[r]);
                out.longest = fmax(out.longest, useful[r]);
                out.mean += useful[r] / RANKS;
        }
        return out;
}

static void make_even(double factor[RANKS])
{
        const double one[RANKS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
        double mean = recurrence(0, one, 0).mean;
        for (uint32_t r = 0; r < RANKS; r++) {
                double own = 0;
                for (uint32_t i = 0; i < ROUNDS; i++)
                        own += (double)work(r, i, 0);
                factor[r] = mean / own;
        }
}

static const char *machine_with(uint32_t latency_ns)
{
        static char path[TEXT_MAX];
        snprintf(path, sizeof(path), "%s/machine.json", predict_dir());
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "{\"model\": \"hockney\", \"latency_s\": %.9f, \"bandwidth_bytes_per_s\": 1e9}",
                1e-9 * latency_ns);
        fclose(file);
        return path;
}

static cJSON *predicted(const ps_gen *g, const char *edits, uint32_t latency_ns)
{
        char words[2 * TEXT_MAX];
        snprintf(words, sizeof(words), "predict --machine=%s %s", machine_with(latency_ns), edits);
        return predict_told(PS_EXIT_OK, ps_gen_anchor((ps_gen *)(uintptr_t)g), words);
}

/* Computations are rounded to picoseconds, reports to nanoseconds. */
static void expect_pop(const ps_gen *g, const char *edits, outcome run, double ideal)
{
        cJSON *root = predicted(g, edits, LATENCY);
        NEAR(1e9 * predict_number(root, "trace", "duration_s"), run.time, 1.5);
        NEAR(predict_number(root, "efficiency", "load_balance"), run.mean / run.longest, 1e-6);
        NEAR(predict_number(root, "efficiency", "communication"), run.longest / run.time, 1e-6);
        NEAR(predict_number(root, "efficiency", "serialization"), run.longest / ideal, 1e-6);
        NEAR(predict_number(root, "efficiency", "transfer"), ideal / run.time, 1e-6);
        NEAR(predict_number(root, "efficiency", "parallel"), run.mean / run.time, 1e-6);
        cJSON_Delete(root);
}

PREDICT_TEST(a_ring_with_jitter)
{
        double one[RANKS], even[RANKS];
        for (uint32_t r = 0; r < RANKS; r++)
                one[r] = 1;
        make_even(even);
        outcome base = recurrence(0, one, X), ideal = recurrence(0, one, 0);
        outcome balanced = recurrence(0, even, X), both = recurrence(0, even, 0);
        ps_gen *g = ring(0);
        expect_pop(g, "", base, ideal.time);
        expect_pop(g, "ideal-network", ideal, ideal.time);
        expect_pop(g, "balance", balanced, both.time);
        expect_pop(g, "balance ideal-network", both, both.time);
        ps_gen_free(g);
        /* Each of them gains, and what they gain together is not the sum. */
        double gains = base.time - balanced.time + base.time - ideal.time, together = base.time - both.time;
        assert_true(balanced.time < base.time && ideal.time < base.time);
        assert_true(fabs(gains - together) > 0.01 * together);
        /* Balanced means that nobody computes longer, not that the ring has no jitter left. */
        NEAR(balanced.mean / balanced.longest, 1, 1e-9);
        assert_true(both.time > 1.05 * both.longest);
}

/* All compute 75 us each time: 400 * (75 + 6), and all of it but the messages is useful. */
PREDICT_TEST(a_ring_without)
{
        ps_gen *g = ring(1);
        expect_pop(g, "", (outcome){ROUNDS * 81e3, ROUNDS * 75e3, ROUNDS * 75e3, 0}, ROUNDS * 75e3);
        expect_pop(g, "ideal-network", (outcome){ROUNDS * 75e3, ROUNDS * 75e3, ROUNDS * 75e3, 0},
                   ROUNDS * 75e3);
        ps_gen_free(g);
}

/* A nanosecond more of latency costs as many as there are latencies on the critical path. */
PREDICT_TEST(the_slope_counts_latencies)
{
        double one[RANKS];
        for (uint32_t r = 0; r < RANKS; r++)
                one[r] = 1;
        outcome base = recurrence(0, one, X), slower = recurrence(0, one, X + 1);
        assert_true(base.n_latencies > 50 && base.n_latencies < ROUNDS);
        assert_true(slower.time - base.time == base.n_latencies);
        ps_gen *g = ring(0);
        cJSON *root = predicted(g, "", LATENCY + 1);
        NEAR(1e9 * predict_number(root, "trace", "duration_s"), slower.time, 0.5);
        cJSON_Delete(root);
        root = predicted(g, "--sensitivity", LATENCY);
        const cJSON *slopes = cJSON_GetObjectItem(cJSON_GetObjectItem(root, "sensitivity"), "slopes");
        NEAR(1e9 * predict_number(slopes, "latency", "slope_s"), (double)base.n_latencies * LATENCY, 1);
        cJSON_Delete(root);
        ps_gen_free(g);
}
