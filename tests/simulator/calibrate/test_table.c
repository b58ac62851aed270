/* test_table.c - tables of round trips: what they may hold, and the parameters that come of them.
 */
#include "core/base/search.h"
#include "simulator/cost/models.h"
#include "tests/simulator/calibrate/lab.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double m = 1e5;

static ps_calibration made(const ps_rtt_table *table, ps_model model)
{
        ps_samples samples = {0};
        ps_calibration c;
        assert_int_equal(ps_samples_add_table(&samples, table, NULL), PS_OK);
        assert_int_equal(ps_samples_finish(&samples, NULL), PS_OK);
        assert_int_equal(ps_calibrate(&c, &samples, table, model, NULL), PS_OK);
        ps_samples_free(&samples);
        return c;
}

static ps_calibration made_of(const char *text, ps_model model)
{
        ps_rtt_table *table = calib_parsed(text);
        ps_calibration c = made(table, model);
        ps_rtt_free(table);
        return c;
}

/* The worked example: three of the four processors, microseconds. */
static const char worked[] = "patscan-rtt 1\nprocesses 3\n"
                             "pair 0 1 0 260e-6\npair 2 0 0 230e-6\npair 1 2 0 244e-6\n"
                             "triple 0 1 2 0 360e-6\ntriple 1 0 2 0 380e-6\ntriple 2 1 0 0 324e-6\n"
                             "pair 0 1 100000 3660e-6\npair 0 2 100000 3430e-6\npair 1 2 100000 3544e-6\n"
                             "triple 0 1 2 100000 2460e-6\ntriple 1 0 2 100000 2580e-6\n"
                             "triple 2 0 1 100000 2274e-6\n";

TEST(the_worked_example_is_found)
{
        ps_calibration c = made_of(worked, PS_MODEL_LMO);
        const ps_lmo *lmo = &c.machine.lmo;
        assert_null(c.refusal);
        assert_int_equal(lmo->n, 3);
        for (int i = 0; i < 3; i++) {
                NEAR(lmo->processing_s[i], calib_worked.c[i], 1e-9);
                NEAR(lmo->processing_s_per_byte[i], calib_worked.t[i], 1e-9);
        }
        NEAR(lmo->latency_s[1], 20e-6, 1e-9);
        NEAR(lmo->bandwidth_bytes_per_s[5], 1 / 8.5e-9, 1e-9);
        assert_true(c.notes >> PS_NOTE_ONE_TRIPLE & 1);
        assert_int_equal(c.n_clamped, 0);
        ps_calibration_clear(&c);
}

static void expect_machine(const ps_lmo *lmo, const calib_lmo *real)
{
        for (uint32_t i = 0; i < real->n; i++) {
                NEAR(lmo->processing_s[i], real->c[i], 1e-8);
                NEAR(lmo->processing_s_per_byte[i], real->t[i], 1e-8);
                for (uint32_t j = 0; j < real->n; j++) {
                        size_t at = i * real->n + j;
                        if (i == j)
                                continue;
                        NEAR(lmo->latency_s[at], real->l[at], 1e-8);
                        NEAR(1 / lmo->bandwidth_bytes_per_s[at], real->inverse[at], 1e-8);
                }
        }
}

TEST(all_triples_give_the_machine)
{
        const double sizes[] = {1000, m};
        char *text = calib_table(&calib_worked, sizes, 2, 0, NULL);
        ps_calibration c = made_of(text, PS_MODEL_LMO);
        expect_machine(&c.machine.lmo, &calib_worked);
        assert_true(c.triple_spread_fixed < 1e-6 && c.triple_spread_per_byte < 1e-6);
        assert_true(!(c.notes >> PS_NOTE_COVER & 1));
        ps_calibration_clear(&c);
        c = made_of(text, PS_MODEL_HLMO);
        NEAR(c.machine.processing_s, 57.5e-6, 1e-8);
        NEAR(c.machine.link.latency_s, 160e-6 / 6, 1e-8);
        ps_calibration_clear(&c);
        /* The pairs alone: half round trips. */
        c = made_of(text, PS_MODEL_HOCKNEY);
        assert_null(c.refusal);
        assert_true(c.notes >> PS_NOTE_UNUSED_TRIPLES & 1);
        assert_int_equal(c.cls[PS_CLASS_ALL].n_pairs, 6);
        NEAR(c.cls[PS_CLASS_FAR].own_fixed[0], 115e-6, 1e-6); /* 0 and 2: 50 + 25 + 40 */
        ps_calibration_clear(&c);
        free(text);
}

/* The worked example, and gathers of its three processors: from 6 KB to 48 KB every tenth takes 0.2 s more.
 */
TEST(gathers_tell_where_they_escalate)
{
        char text[8192];
        int at = snprintf(text, sizeof(text), "%s", worked);
        for (int kb = 1; kb <= 96; kb += kb < 8 ? 1 : 8)
                at += snprintf(text + at, sizeof(text) - (size_t)at, "gather 3 %d %g %g %g 100 %d 0.2\n",
                               1024 * kb + 7, 1e-4 * kb, 1e-4 * kb, 1.1e-4 * kb,
                               kb >= 6 && kb <= 48 ? 10 : kb == 2);
        ps_calibration c = made_of(text, PS_MODEL_LMO);
        NEAR(c.machine.lmo.gather_low_bytes, 6 * 1024, 1e-12);
        NEAR(c.machine.lmo.gather_high_bytes, 48 * 1024 + 7, 1e-12);
        NEAR(c.machine.lmo.escalation_s, 0.2, 1e-9);
        NEAR(c.machine.lmo.escalation_probability, 0.1, 1e-9);
        assert_int_equal(c.machine.lmo.scatter_bytes, 0);
        ps_calibration_clear(&c);
}

TEST(gathers_that_always_escalate_tell_nothing)
{
        char text[4096];
        int at = snprintf(text, sizeof(text), "%s", worked);
        for (int kb = 1; kb <= 8; kb++)
                at += snprintf(text + at, sizeof(text) - (size_t)at,
                               "gather 3 %d 1e-5 1e-5 1e-5 100 10 0.2\n", 1024 * kb);
        ps_calibration c = made_of(text, PS_MODEL_LMO);
        assert_true(c.notes >> PS_NOTE_ALL_ESCALATE & 1);
        assert_true(isinf(c.machine.lmo.gather_low_bytes));
        ps_calibration_clear(&c);
}

/* Up to 16 KB the parts at once: 1 us a KB; beyond it one after the other, 3 us a KB. Scatters by themselves
 * follow another line from 10 KB on. */
TEST(steeper_lines_tell_thresholds)
{
        char text[8192];
        int at = snprintf(text, sizeof(text), "%s", worked);
        for (int kb = 1; kb <= 32; kb++)
                at += snprintf(text + at, sizeof(text) - (size_t)at, "gather 3 %d %g\nscatter 3 %d %g\n",
                               1024 * kb, 1e-5 + 1e-6 * (kb <= 16 ? kb : 16 + 3 * (kb - 16)), 1024 * kb,
                               1e-5 + 1e-6 * (kb < 10 ? kb : 30 + 2 * (kb - 10)));
        ps_calibration c = made_of(text, PS_MODEL_LMO);
        assert_true(c.machine.lmo.gather_low_bytes > 14 * 1024 &&
                    c.machine.lmo.gather_high_bytes < 19 * 1024);
        NEAR(c.machine.lmo.scatter_bytes, 10 * 1024, 1e-12);
        assert_true(c.machine.lmo.escalation_probability == 0);
        ps_calibration_clear(&c);
        c = made_of(text, PS_MODEL_HOCKNEY); /* which has no such parameters */
        assert_null(c.refusal);
        ps_calibration_clear(&c);
}

/* Without the triple of 0, 1 and 3 each processor is still in one, and the pair 0 1 in one, too; without the
 * triples of 0 and 1 nobody but the mean of its ends speaks for that pair. */
TEST(fewer_triples_may_cover_all_pairs)
{
        char *text = calib_table(&calib_worked, &m, 1, 0, NULL), line[64];
        static const int roots[2][3][3] = {{{0, 1, 3}, {1, 0, 3}, {3, 0, 1}},
                                           {{0, 1, 2}, {1, 0, 2}, {2, 0, 1}}};
        for (int k = 0; k < 2; k++) {
                for (int r = 0; r < 3; r++) {
                        const int *t = roots[k][r];
                        snprintf(line, sizeof(line), "triple %d %d %d ", t[0], t[1], t[2]);
                        for (char *at = text; (at = strstr(at, line));)
                                *at = '#';
                }
                ps_calibration c = made_of(text, PS_MODEL_LMO);
                assert_null(c.refusal);
                expect_machine(&c.machine.lmo, &calib_worked);
                assert_true(c.notes >> PS_NOTE_COVER & 1);
                ps_calibration_clear(&c);
        }
        free(text);
}

static int by_value(const void *a, const void *b)
{
        double p = *(const double *)a, q = *(const double *)b;
        return PS_ORDER(p, q);
}

static double median_error(double *errors, int n)
{
        qsort(errors, (size_t)n, sizeof(*errors), by_value);
        return ps_quantile(errors, (size_t)n, 0.5);
}

/* Noise of 1 %: the median errors that the formulas have are 2.2 % of C0, 4 of t0, 11 of L01, 3.6 of 1/b. */
TEST(errors_under_noise_are_as_large_as_derived)
{
        enum { TRIALS = 2000 };
        static double c0[TRIALS], t0[TRIALS], l01[TRIALS], inverse[TRIALS];
        uint64_t random = 11;
        for (int k = 0; k < TRIALS; k++) {
                char *text = calib_table(&calib_worked, &m, 1, 0.01, &random);
                ps_calibration c = made_of(text, PS_MODEL_LMO);
                const ps_lmo *lmo = &c.machine.lmo;
                c0[k] = fabs(lmo->processing_s[0] / 50e-6 - 1);
                t0[k] = fabs(lmo->processing_s_per_byte[0] / 4e-9 - 1);
                l01[k] = fabs(lmo->latency_s[1] / 20e-6 - 1);
                inverse[k] = fabs(1 / lmo->bandwidth_bytes_per_s[1] / 8e-9 - 1);
                ps_calibration_clear(&c);
                free(text);
        }
        NEAR(median_error(c0, TRIALS), 0.022, 0.25);
        NEAR(median_error(t0, TRIALS), 0.04, 0.25);
        NEAR(median_error(l01, TRIALS), 0.11, 0.25);
        NEAR(median_error(inverse, TRIALS), 0.036, 0.25);
}

/* C = 50 us, t = 4 ns, L = 20 us, 1/b = 8 ns; 20 and 18 processors. */
TEST(scatters_give_one_kind_of_processor)
{
        ps_calibration c = made_of("patscan-rtt 1\nprocesses 20\nscatter 20 0 1020e-6\nscatter 18 0 920e-6\n"
                                   "scatter 20 100000 9820e-6\nscatter 18 100000 8920e-6\n",
                                   PS_MODEL_HLMO);
        assert_null(c.refusal);
        NEAR(c.machine.processing_s, 50e-6, 1e-9);
        NEAR(c.machine.processing_s_per_byte, 4e-9, 1e-9);
        NEAR(c.machine.link.latency_s, 20e-6, 1e-8);
        NEAR(c.machine.link.bandwidth_bytes_per_s, 1 / 8e-9, 1e-8);
        ps_calibration_clear(&c);
        /* Of many rows: 10 and 20 processors, the least and the largest size that both have, the least times.
         */
        c = made_of("patscan-rtt 1\nprocesses 20\nscatter 20 0 1\nscatter 10 50 1\nscatter 20 50 1\n"
                    "scatter 18 50 9\nscatter 18 9999 9\nscatter 10 50 0.001\nscatter 20 50 0.002\n"
                    "scatter 10 70 3\nscatter 20 70 8\nscatter 10 90 0.005\nscatter 20 90 0.010\nscatter 20 "
                    "99 7\n",
                    PS_MODEL_HLMO);
        assert_null(c.refusal);
        /* Slopes 1e-4 and 2e-4, so t = 1e-5 and 1/b = 0; a = -0.004 and -0.008, so C < 0 and L = 0. */
        NEAR(c.machine.processing_s_per_byte, 1e-5, 1e-8);
        assert_true(c.n_clamped >= 1);
        ps_calibration_clear(&c);
}

/* Rows beyond number, with sizes that never meet: no loop over all of them within another. */
TEST(many_rows_take_no_square_of_time)
{
        char *text;
        size_t len;
        FILE *out = open_memstream(&text, &len);
        fputs("patscan-rtt 1\nprocesses 3\n", out);
        for (int i = 0; i < 200000; i++)
                fprintf(out, "pair 0 1 %d 1\ntriple 0 1 2 %d 1\nscatter %d %d 1\n", 2 * i, 2 * i + 1,
                        2 + i % 2, i);
        fclose(out);
        ps_rtt_table *table = calib_parsed(text);
        for (int k = 0; k < 2; k++) {
                ps_calibration c = made(table, k ? PS_MODEL_HLMO : PS_MODEL_LMO);
                assert_non_null(c.refusal);
                ps_calibration_clear(&c);
        }
        ps_rtt_free(table);
        free(text);
}

TEST(rows_of_a_table_are_read)
{
        ps_rtt_table *t = calib_parsed("\n# made by hand\npatscan-rtt 1\r\nprocesses 4\nnode 0 a\nnode 2 a\n"
                                       "pair 3 1 8 2e-6 3e-6 4e-6 5 # few\npair 1 3 8 1e-6\n"
                                       "triple 2 3 0 0 1\nscatter 9 0 0.5\n");
        assert_int_equal(t->n, 4);
        assert_int_equal(t->row[0].rank[0], 1);
        assert_int_equal(t->row[0].rank[1], 3);
        NEAR(ps_rtt_time(&t->row[0]), 1e-6, 0);
        NEAR(ps_rtt_time(&t->row[1]), 3e-6, 0); /* five repetitions: the tenth percentile */
        assert_int_equal(t->row[2].rank[0], 2);
        assert_int_equal(t->row[2].rank[1], 0);
        assert_int_equal(t->row[2].rank[2], 3);
        assert_int_equal(t->node_of_rank[2], 0);
        assert_int_equal(t->node_of_rank[3], 3);
        ps_rtt_free(t);
}

TEST(broken_tables_are_refused_with_the_reason)
{
#define HEAD "patscan-rtt 1\nprocesses 3\n"
        static const char *const texts[][2] = {
                {"", "there are none"},
                {"patscan-rtt 2\n", "version 1"},
                {"patscan-rtt 1\npair 0 1 0 1\n", "must come first"},
                {"patscan-rtt 1\nprocesses 129\n", "out of range"},
                {"patscan-rtt 1\nprocesses 1e99\n", "out of range"},
                {"patscan-rtt 1\nprocesses 2 3\n", "more than"},
                {HEAD "processes 3\n", "twice"},
                {HEAD "pair 0 3 0 1\n", "out of range"},
                {HEAD "pair 0 0 0 1\n", "twice"},
                {HEAD "pair 0 1 0.5 1\n", "not whole"},
                {HEAD "pair 0 1 0 nan\n", "no number"},
                {HEAD "pair 0 1 0 0\n", "out of range"},
                {HEAD "pair 0 1 0 -1\n", "out of range"},
                {HEAD "pair 0 1 0 inf\n", "no number"},
                {HEAD "pair 0 1 0 0x10\n", "no number"},
                {HEAD "pair 0 1 0\n", "missing"},
                {HEAD "pair 0 1 0 1 0.5 2 3\n", "out of range"},
                {HEAD "pair 0 1 0 1 2\n", "missing"},
                {HEAD "pair 0 1 0 1 2 3 4 5\n", "goes on"},
                {HEAD "triple 0 1 1 0 1\n", "twice"},
                {HEAD "node 0\n", "one word"},
                {HEAD "node 0 a\nnode 0 b\n", "twice"},
                {HEAD "trip 0 1 0 1\n", "is not processes"},
        };
        for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
                ps_rtt_table *table;
                ps_error err = {0};
                assert_int_equal(ps_rtt_parse(&table, texts[i][0], strlen(texts[i][0]), "x", &err),
                                 PS_E_INPUT);
                assert_null(table);
                if (!strstr(err.cause[0].text, texts[i][1]))
                        fail_msg("%zu: \"%s\" does not say \"%s\"", i, err.cause[0].text, texts[i][1]);
        }
}

/* A table that lacks something is told what. */
TEST(a_table_is_told_what_it_lacks)
{
        static const struct {
                const char *without, *says;
        } cases[] = {{"pair 0 1 100000", "all pairs"},
                     {"triple 1 0 2 0", "all three roots"},
                     {"triple 0 1 2 100000", "all three roots"}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                char text[sizeof(worked)];
                memcpy(text, worked, sizeof(worked));
                *strstr(text, cases[i].without) = '#';
                ps_calibration c = made_of(text, PS_MODEL_LMO);
                assert_non_null(c.refusal);
                if (!strstr(c.refusal, cases[i].says))
                        fail_msg("\"%s\" does not say \"%s\"", c.refusal, cases[i].says);
                ps_calibration_clear(&c);
        }
        ps_calibration c = made_of("patscan-rtt 1\nprocesses 2\npair 0 1 0 1e-5\n", PS_MODEL_LMO);
        assert_non_null(strstr(c.refusal, "three processors"));
        ps_calibration_clear(&c);
        c = made_of("patscan-rtt 1\nprocesses 2\npair 0 1 0 1e-5\npair 0 1 1000 2e-5\n", PS_MODEL_HOCKNEY);
        assert_null(c.refusal);
        NEAR(c.machine.link.latency_s, 5e-6, 1e-9);
        NEAR(c.machine.link.bandwidth_bytes_per_s, 2e8, 1e-9);
        ps_calibration_clear(&c);
}

/* Times that contradict the model: negative parameters become 0 and are counted. */
TEST(parameters_below_zero_become_zero)
{
        char text[sizeof(worked)];
        memcpy(text, worked, sizeof(worked));
        memcpy(strstr(text, "360e-6"), "200e-6", 6); /* shorter than the pair of it */
        ps_calibration c = made_of(text, PS_MODEL_LMO);
        assert_null(c.refusal);
        assert_true(c.n_clamped > 0 && (c.notes >> PS_NOTE_CLAMPED & 1));
        assert_true(c.machine.lmo.processing_s[0] == 0);
        /* Of the pairs of processor 0 the sum is still as measured: 260 us there and back. */
        assert_true(c.worst_pair < 1e-9);
        NEAR((double)ps_machine_p2p(&c.machine, 0, 1, 0), 130e6, 1e-9);
        assert_true(calib_row(&c, "processing_s")->is_assumed); /* a third of them came out negative */
        ps_calibration_clear(&c);
        c = made_of(worked, PS_MODEL_LMO);
        for (uint32_t i = 0; i < c.n_rows; i++)
                assert_false(c.row[i].is_assumed);
        assert_false(c.notes >> PS_NOTE_SUMS_KNOWN & 1);
        ps_calibration_clear(&c);
}

/* Processors that share cores: with data a triple takes longer than its pairs allow. t would be 493, 218 and
 * 480 ps/B, and 1/B below nothing. */
TEST(triples_may_contradict_their_pairs)
{
        static const char text[] =
                "patscan-rtt 1\nprocesses 3\n"
                "pair 0 2 0 2.267e-06\npair 0 1 0 2.221e-06\npair 1 2 0 1.779e-06\n"
                "pair 0 2 4096 4.694e-06\npair 0 1 4096 7.367e-06\npair 1 2 4096 7.428e-06\n"
                "triple 0 1 2 0 2.585e-06\ntriple 1 0 2 0 2.345e-06\ntriple 2 0 1 0 2.556e-06\n"
                "triple 0 1 2 4096 7.13e-06\ntriple 1 0 2 4096 5.812e-06\n"
                "triple 2 0 1 4096 6.86e-06\n";
        static const double empty[] = {2.221, 2.267, 1.779}, full[] = {7.367, 4.694, 7.428};
        for (int k = 0; k < 2; k++) {
                ps_calibration c = made_of(text, k ? PS_MODEL_HLMO : PS_MODEL_LMO);
                assert_null(c.refusal);
                assert_true(c.worst_pair > 0.2);
                assert_true(c.notes >> PS_NOTE_DOUBTFUL & 1 && c.notes >> PS_NOTE_SUMS_KNOWN & 1);
                assert_false(calib_row(&c, "processing_s")->is_assumed);
                assert_false(calib_row(&c, "latency_s")->is_assumed);
                assert_true(calib_row(&c, "processing_s_per_byte")->is_assumed);
                assert_true(calib_row(&c, "bandwidth_bytes_per_s")->is_assumed);
                NEAR(c.sum[0].median, 2.221e-6 / 2, 1e-9);
                NEAR(c.sum[1].least, (4.694e-6 - 2.267e-6) / 2 / 4096, 1e-9);
                NEAR(c.sum[1].most, (7.428e-6 - 1.779e-6) / 2 / 4096, 1e-9);
                for (uint32_t i = 0, at = 0; !k && i < 3; i++)
                        for (uint32_t j = i + 1; j < 3; j++, at++) { /* the machine is right about pairs */
                                NEAR((double)ps_machine_p2p(&c.machine, i, j, 0), empty[at] * 0.5e6, 1e-5);
                                NEAR((double)ps_machine_p2p(&c.machine, i, j, 4096), full[at] * 0.5e6, 1e-5);
                        }
                ps_calibration_clear(&c);
        }
}
