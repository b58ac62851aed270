/* test_lmo.c - the parameters of LMO from round trips, and where they are kept. */
#include "simulator/cost/lmo.h"
#include "tests/support/test.h"

#include <math.h>

TEST(triples_have_a_place_each)
{
        for (uint32_t n = 3; n <= 8; n++) {
                uint64_t next = 0;
                for (uint32_t i = 0; i < n; i++)
                        for (uint32_t j = i + 1; j < n; j++)
                                for (uint32_t k = j + 1; k < n; k++)
                                        assert_int_equal(ps_lmo_triple_index(n, i, j, k), next++);
                assert_int_equal(ps_lmo_triples(n), next);
        }
        assert_int_equal(ps_lmo_triples(2), 0);
        assert_int_equal(ps_lmo_triples(5), 10);
        assert_int_equal(ps_lmo_triples(1292), UINT64_C(1292) * 1291 * 1290 / 6); /* too much for 32 bits */
        assert_int_equal(ps_lmo_triple_index(1292, 1289, 1290, 1291), ps_lmo_triples(1292) - 1);
        assert_int_equal(ps_lmo_triple_index(100000, 0, 1, 2), 0);
        assert_int_equal(ps_lmo_triple_index(100000, 99997, 99998, 99999), ps_lmo_triples(100000) - 1);
        for (uint32_t k = 2; k + 1 < 3000; k++)
                assert_int_equal(ps_lmo_triple_index(3000, 0, 1, k) + 1,
                                 ps_lmo_triple_index(3000, 0, 1, k + 1));
}

static void assert_near(double value, double expected)
{
        if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
                fail_msg("%.17g is not %.17g", value, expected);
}

/* Microseconds: T01 = 260, T02 = 230, T12 = 244; T012 = 360, T102 = 380, T201 = 324; with 1e5 bytes 3660, ...
 */
TEST(the_worked_example)
{
        const double empty[] = {0, 260e-6, 230e-6, 260e-6, 0, 244e-6, 230e-6, 244e-6, 0};
        const double full[] = {0, 3660e-6, 3430e-6, 3660e-6, 0, 3544e-6, 3430e-6, 3544e-6, 0};
        const double triple_empty[] = {360e-6, 380e-6, 324e-6}, triple_full[] = {2460e-6, 2580e-6, 2274e-6};
        ps_lmo_times times = {3, 1e5, empty, full, triple_empty, triple_full};
        ps_lmo_doubts doubts;
        ps_lmo lmo;

        assert_int_equal(ps_lmo_estimate(&lmo, &doubts, &times, NULL), PS_OK);
        assert_int_equal(doubts.n_clamped, 0);
        assert_null(doubts.parameter);
        assert_near(lmo.processing_s[0], 50e-6);
        assert_near(lmo.processing_s[1], 60e-6);
        assert_near(lmo.processing_s[2], 40e-6);
        assert_near(lmo.processing_s_per_byte[0], 4e-9);
        assert_near(lmo.processing_s_per_byte[1], 5e-9);
        assert_near(lmo.processing_s_per_byte[2], 3e-9);
        assert_near(lmo.latency_s[0 * 3 + 1], 20e-6);
        assert_near(lmo.latency_s[2 * 3 + 0], 25e-6);
        assert_near(lmo.latency_s[1 * 3 + 2], 22e-6);
        assert_near(lmo.bandwidth_bytes_per_s[1 * 3 + 0], 1 / 8e-9);
        assert_near(lmo.bandwidth_bytes_per_s[0 * 3 + 2], 1 / 9e-9);
        assert_near(lmo.bandwidth_bytes_per_s[2 * 3 + 1], 1 / 8.5e-9);
        ps_lmo_clear(&lmo);
}

/* One sends to two others and hears from both: the longer way counts. */
static double one_to_two(const ps_lmo *lmo, const uint32_t *rank, int root, double bytes)
{
        double longest = 0;
        uint32_t r = rank[root];
        for (int other = 1; other < 3; other++) {
                uint32_t x = rank[(root + other) % 3];
                size_t at = (size_t)r * lmo->n + x;
                double way = 2 * (lmo->latency_s[at] + lmo->processing_s[x]) +
                             bytes * (1 / lmo->bandwidth_bytes_per_s[at] + lmo->processing_s_per_byte[x]);
                longest = way > longest ? way : longest;
        }
        return 2 * (2 * lmo->processing_s[r] + bytes * lmo->processing_s_per_byte[r]) + longest;
}

static double draw(unsigned *seed, double low, double high)
{
        *seed = *seed * 1103515245 + 12345;
        return low + (high - low) * ((double)(*seed >> 8 & 0xffff) / 65536);
}

static void make_random(ps_lmo *lmo, uint32_t n)
{
        unsigned seed = 1;
        assert_int_equal(ps_lmo_alloc(lmo, n, NULL), PS_OK);
        for (uint32_t i = 0; i < n; i++) {
                lmo->processing_s[i] = draw(&seed, 20e-6, 90e-6);
                lmo->processing_s_per_byte[i] = draw(&seed, 1e-9, 9e-9);
                for (uint32_t j = 0; j < i; j++) {
                        double latency_s = draw(&seed, 10e-6, 50e-6), rate = draw(&seed, 5e7, 5e8);
                        lmo->latency_s[i * n + j] = lmo->latency_s[j * n + i] = latency_s;
                        lmo->bandwidth_bytes_per_s[i * n + j] = rate;
                        lmo->bandwidth_bytes_per_s[j * n + i] = rate;
                }
        }
}

/* The round trips between two, and of one to two others, that the machine has by the model. */
static void time_pairs(double *out, const ps_lmo *lmo, double bytes)
{
        for (uint32_t i = 0; i < lmo->n; i++)
                for (uint32_t j = 0; j < lmo->n; j++) {
                        size_t at = (size_t)i * lmo->n + j;
                        double fixed = lmo->processing_s[i] + lmo->latency_s[at] + lmo->processing_s[j];
                        double per_byte = lmo->processing_s_per_byte[i] + 1 / lmo->bandwidth_bytes_per_s[at] +
                                          lmo->processing_s_per_byte[j];
                        if (i != j)
                                out[at] = 2 * (fixed + bytes * per_byte);
                }
}

static void time_triples(double *out, const ps_lmo *lmo, double bytes)
{
        for (uint32_t i = 0; i < lmo->n; i++)
                for (uint32_t j = i + 1; j < lmo->n; j++)
                        for (uint32_t k = j + 1; k < lmo->n; k++) {
                                const uint32_t rank[] = {i, j, k};
                                double *three = out + 3 * ps_lmo_triple_index(lmo->n, i, j, k);
                                for (int root = 0; root < 3; root++)
                                        three[root] = one_to_two(lmo, rank, root, bytes);
                        }
}

TEST(any_machine_comes_back)
{
        enum { N = 7 };
        const double large = 1e6;
        ps_lmo real, found;
        ps_lmo_doubts doubts;
        double pair[2][N * N] = {{0}}, triple[2][3 * N * (N - 1) * (N - 2) / 6];

        make_random(&real, N);
        for (int f = 0; f < 2; f++) {
                time_pairs(pair[f], &real, f * large);
                time_triples(triple[f], &real, f * large);
        }
        ps_lmo_times times = {N, large, pair[0], pair[1], triple[0], triple[1]};
        assert_int_equal(ps_lmo_estimate(&found, &doubts, &times, NULL), PS_OK);
        /* The longest way without data need not be the longest one with data: then t is only close. */
        for (uint32_t i = 0; i < N; i++) {
                assert_true(fabs(found.processing_s[i] - real.processing_s[i]) < 1e-12);
                for (uint32_t j = 0; j < N; j++) {
                        double off = found.latency_s[i * N + j] - real.latency_s[i * N + j];
                        assert_true(i == j || fabs(off) < 1e-12);
                }
        }
        ps_lmo_clear(&real);
        ps_lmo_clear(&found);
}

/* A one-to-two operation that is faster than its longer half makes C negative. */
TEST(noise_is_clamped_and_told)
{
        const double empty[] = {0, 260e-6, 230e-6, 260e-6, 0, 244e-6, 230e-6, 244e-6, 0};
        const double full[] = {0, 3660e-6, 3430e-6, 3660e-6, 0, 3544e-6, 3430e-6, 3544e-6, 0};
        const double triple_empty[] = {250e-6, 380e-6, 324e-6}, triple_full[] = {2460e-6, 2580e-6, 2274e-6};
        ps_lmo_times times = {3, 1e5, empty, full, triple_empty, triple_full};
        ps_lmo_doubts doubts;
        ps_error err = {0};
        ps_lmo lmo;

        assert_int_equal(ps_lmo_estimate(&lmo, &doubts, &times, NULL), PS_OK);
        assert_true(lmo.processing_s[0] == 0);
        assert_true(doubts.n_clamped == 1);
        assert_string_equal(doubts.parameter, "processing_s");
        ps_lmo_clear(&lmo);
        times.n = 2;
        assert_int_equal(ps_lmo_estimate(&lmo, &doubts, &times, &err), PS_E_USAGE);
}

TEST(hlmo_comes_back)
{
        const ps_hlmo_times times = {{0, 1e5}, {18, 20}, {{920e-6, 1020e-6}, {8920e-6, 9820e-6}}};
        ps_hlmo_times same = times;
        ps_lmo_doubts doubts;
        ps_machine m;

        assert_int_equal(ps_hlmo_estimate(&m, &doubts, &times, NULL), PS_OK);
        assert_near(m.processing_s, 50e-6);
        assert_near(m.processing_s_per_byte, 4e-9);
        assert_true(fabs(m.link.latency_s - 20e-6) < 1e-15);
        assert_near(1 / m.link.bandwidth_bytes_per_s, 8e-9);
        assert_int_equal(doubts.n_clamped, 0);
        same.n[0] = 20;
        assert_int_equal(ps_hlmo_estimate(&m, &doubts, &same, NULL), PS_E_USAGE);
}
