/* test_lines.c - machines that cannot be are not handed out: latencies below what the ends take, and rates of
 * lines that explain nothing. */
#include "tests/simulator/calibrate/lab.h"
#include "tests/support/test.h"

static void add_sample(ps_samples *samples, ps_sample_kind kind, uint64_t bytes, double seconds)
{
        ps_sample sample = {.s = seconds, .bytes = bytes, .from = 0, .to = 1, .kind = (uint8_t)kind};
        assert_int_equal(ps_samples_add(samples, &sample, NULL), PS_OK);
}

static ps_calibration hockney_of(ps_samples *samples)
{
        ps_calibration c;
        assert_int_equal(ps_calibrate(&c, samples, NULL, PS_MODEL_HOCKNEY, NULL), PS_OK);
        assert_null(c.refusal);
        ps_samples_free(samples);
        return c;
}

static bool has(const ps_calibration *c, ps_calibrate_note note)
{
        return c->notes >> note & 1;
}

/* 8 ns + 1 ns a byte for the whole way, of which 58 ns are the sender's and 40 ns the receiver's. */
TEST(a_latency_is_no_less_than_both_ends)
{
        ps_samples samples = {0};
        for (uint64_t bytes = 100; bytes <= 100000; bytes *= 10) {
                add_sample(&samples, PS_SAMPLE_ONE_WAY, bytes, 8e-9 + 1e-9 * (double)bytes);
                add_sample(&samples, PS_SAMPLE_SEND, bytes, 58e-9);
                add_sample(&samples, PS_SAMPLE_RECEIVE, bytes, 40e-9);
        }
        ps_calibration c = hockney_of(&samples);
        NEAR(c.machine.link.latency_s, 98e-9, 1e-6);
        NEAR(c.machine.link.bandwidth_bytes_per_s, 1e9, 1e-6);
        assert_true(has(&c, PS_NOTE_LATENCY_OF_ENDS));
        assert_true(c.row[0].is_assumed);
        ps_calibration_clear(&c);
}

TEST(a_latency_above_both_ends_stays)
{
        ps_samples samples = {0};
        for (uint64_t bytes = 100; bytes <= 100000; bytes *= 10) {
                add_sample(&samples, PS_SAMPLE_ONE_WAY, bytes, 20e-6 + 1e-9 * (double)bytes);
                add_sample(&samples, PS_SAMPLE_SEND, bytes, 2e-6);
                add_sample(&samples, PS_SAMPLE_RECEIVE, bytes, 1e-6);
        }
        ps_calibration c = hockney_of(&samples);
        NEAR(c.machine.link.latency_s, 20e-6, 1e-6);
        assert_false(has(&c, PS_NOTE_LATENCY_OF_ENDS) || has(&c, PS_NOTE_POOR_FIT));
        assert_false(c.row[0].is_assumed || c.row[1].is_assumed);
        ps_calibration_clear(&c);
}

/* Four sizes whose least times are 1, 30, 2 and 31 us, whatever the size; the medians are 40 us for all. */
TEST(a_line_that_explains_nothing_gives_way_to_what_is_typical)
{
        static const double least[] = {1e-6, 30e-6, 2e-6, 31e-6};
        ps_samples samples = {0};
        uint64_t bytes = 8;
        for (int size = 0; size < 4; size++, bytes *= 8) {
                add_sample(&samples, PS_SAMPLE_ONE_WAY, bytes, least[size]);
                for (int i = 0; i < 11; i++)
                        add_sample(&samples, PS_SAMPLE_ONE_WAY, bytes, 40e-6);
        }
        ps_calibration c = hockney_of(&samples);
        assert_true(has(&c, PS_NOTE_POOR_FIT));
        NEAR(c.machine.link.latency_s, 40e-6, 1e-6);
        assert_true(c.row[1].is_assumed); /* the rate */
        ps_calibration_clear(&c);
}
