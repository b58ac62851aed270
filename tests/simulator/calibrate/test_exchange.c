/* test_exchange.c - programs that exchange by Waitall, by Sendrecv and by sends that wait, with a
 * planted machine: 20 us + 1 ns/B, of it 2 us + 0.1 ns/B in the call that sends. */
#include "simulator/calibrate/calibrate.h"
#include "tests/simulator/calibrate/lab.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t us = 1000, ms = 1000000;
static const uint64_t sizes[] = {8, 64, 512, 4096, 16384, 32768};
enum { N_SIZES = sizeof(sizes) / sizeof(sizes[0]), RANKS = 4, ROUNDS = 600, POSTING = 500 };

static calib_run run_new(ps_gen_options options)
{
        return (calib_run){.g = ps_gen_new(NULL, options), .now = 20 * ms, .random = 7};
}

static uint64_t way(calib_run *r, uint64_t bytes)
{
        return calib_jitter(r, 20000 + (double)bytes);
}

static uint64_t later(uint64_t a, uint64_t b)
{
        return a > b ? a : b;
}

/* When a rank comes to the exchange: they compute for 0 to 400 us. */
static uint64_t arrival(calib_run *r)
{
        return r->now + (uint64_t)(calib_uniform(&r->random) * 400e3);
}

static uint64_t size_of(calib_run *r)
{
        return sizes[(size_t)(calib_uniform(&r->random) * N_SIZES)];
}

/* Around a ring: two receives are posted, two messages are sent, all four are waited for at once. A message
 * waits for nobody, or, if `is_rendezvous`, for the receiver to come. */
static void step_waitall(calib_run *r, uint64_t bytes, int is_rendezvous)
{
        uint64_t begin[RANKS][2], end[RANKS][2], posted[RANKS], there[RANKS][2], left[RANKS];
        for (uint32_t i = 0; i < RANKS; i++) {
                posted[i] = arrival(r);
                for (int k = 0; k < 2; k++) {
                        begin[i][k] = k ? end[i][0] + 100 : posted[i] + 2 * POSTING;
                        end[i][k] = begin[i][k] + calib_sending(r, bytes);
                }
        }
        for (uint32_t i = 0; i < RANKS; i++) {
                left[i] = end[i][1] + 300;
                for (uint32_t k = 0; k < 2;
                     k++) { /* from the right its first message, from the left its second */
                        uint32_t from = (i + (k ? RANKS - 1 : 1)) % RANKS;
                        uint64_t sent = begin[from][k];
                        there[i][k] = (is_rendezvous ? later(sent, posted[i]) : sent) + way(r, bytes);
                        left[i] = later(left[i], there[i][k]);
                }
        }
        for (uint32_t i = 0; i < RANKS && is_rendezvous;
             i++) { /* a send is through when its receiver has it */
                uint32_t west = (i + RANKS - 1) % RANKS, east = (i + 1) % RANKS;
                left[i] = later(left[i], later(there[west][0], there[east][1]));
        }
        for (uint32_t i = 0; i < RANKS; i++) {
                uint32_t west = (i + RANKS - 1) % RANKS, east = (i + 1) % RANKS;
                ps_gen_irecv(r->g, i, posted[i], posted[i] + POSTING - 1, 1);
                ps_gen_irecv(r->g, i, posted[i] + POSTING, posted[i] + 2 * POSTING - 1, 2);
                ps_gen_isend(r->g, i, begin[i][0], end[i][0], west, PS_GEN_WORLD, 0, bytes, 3);
                ps_gen_isend(r->g, i, begin[i][1], end[i][1], east, PS_GEN_WORLD, 1, bytes, 4);
                const ps_gen_rec done[] = {PS_GEN_GOT(east, PS_GEN_WORLD, 0, bytes, 1),
                                           PS_GEN_GOT(west, PS_GEN_WORLD, 1, bytes, 2), PS_GEN_SENT(3),
                                           PS_GEN_SENT(4)};
                ps_gen_waitall(r->g, i, end[i][1] + 100, left[i], 4, done);
        }
        r->now += ms;
}

/* Ranks 0 and 1 exchange by Sendrecv; the message of who is there already does not hold up the other one. */
static void step_sendrecv(calib_run *r, uint64_t bytes)
{
        uint64_t come[2] = {arrival(r), arrival(r)}, left[2];
        for (uint32_t i = 0; i < 2; i++)
                left[i] = later(come[i] + calib_sending(r, bytes) + us, come[1 - i] + way(r, bytes));
        for (uint32_t i = 0; i < 2; i++)
                ps_gen_sendrecv(r->g, i, come[i], left[i], 1 - i, 1 - i, PS_GEN_WORLD, 0, bytes);
        r->now += ms;
}

/* The sender waits for 300 us; then it takes 5 us and 1 ns for each byte. */
static void step_meeting(calib_run *r, uint32_t from, uint32_t to, uint64_t bytes)
{
        uint64_t end = r->now + 300 * us + calib_jitter(r, 5000 + (double)bytes);
        ps_gen_send(r->g, from, r->now, end, to, PS_GEN_WORLD, 0, bytes);
        ps_gen_recv(r->g, to, r->now + 300 * us, end, from, PS_GEN_WORLD, 0, bytes);
        r->now += 10 * ms;
}

static int has_note(const ps_calibration *c, ps_calibrate_note note)
{
        return (int)(c->notes >> note & 1);
}

static ps_samples exchanged(ps_gen_style style, const int64_t *skew)
{
        calib_run r = run_new((ps_gen_options){.ranks = RANKS, .nodes = RANKS, .style = style, .skew = skew});
        for (int i = 0; i < ROUNDS; i++)
                step_waitall(&r, size_of(&r), 0);
        return calib_samples_of(&r);
}

TEST(messages_of_a_waitall_give_the_machine)
{
        ps_samples samples = exchanged(PS_GEN_SCOREP, NULL);
        ps_calibration c = calib_fitted(&samples, PS_MODEL_HOCKNEY);
        NEAR(c.machine.link.latency_s, 20e-6, 0.005);
        NEAR(c.machine.link.bandwidth_bytes_per_s, 1e9, 0.01);
        assert_true(c.cls[PS_CLASS_FAR].fit[PS_SAMPLE_ONE_WAY].n_samples > ROUNDS / 4);
        assert_int_equal(samples.eager_seen, 32768);
        const ps_fit *send = &c.cls[PS_CLASS_ALL].fit[PS_SAMPLE_SEND];
        NEAR(send->fast.fixed_s, 2e-6, 0.005);
        NEAR(send->fast.per_byte_s, 0.1e-9, 0.01);
        assert_true(has_note(&c, PS_NOTE_NONBLOCKING_SENDS));
        assert_false(has_note(&c, PS_NOTE_PAIRED));
        assert_false(calib_row(&c, "latency_s")->is_assumed);
        assert_true(calib_row(&c, "eager_bytes")->is_assumed); /* none was seen to wait */
        assert_int_equal(c.cls[PS_CLASS_ALL].fit[PS_SAMPLE_RECEIVE].n_samples, 0);
        ps_calibration_clear(&c);
        /* What receiving costs is not to be seen: there is no splitting the sums. */
        assert_int_equal(ps_calibrate(&c, &samples, NULL, PS_MODEL_LOGGP, NULL), PS_OK);
        assert_non_null(c.refusal);
        ps_calibration_clear(&c);
        ps_samples_free(&samples);
}

/* Clocks that have nothing in common: only sums of both directions count. */
TEST(clocks_apart_leave_sums_of_both_directions)
{
        static const int64_t skew[] = {0, 3700000, -5200000, 910000};
        ps_samples samples = exchanged(PS_GEN_EZTRACE, skew);
        ps_calibration c = calib_fitted(&samples, PS_MODEL_HOCKNEY);
        NEAR(c.machine.link.latency_s, 20e-6, 0.01);
        NEAR(c.machine.link.bandwidth_bytes_per_s, 1e9, 0.015);
        NEAR(samples.clocks.largest_s, 8.9e-3, 0.001); /* between ranks 1 and 2 */
        assert_int_equal(samples.clocks.n_both, RANKS);
        assert_int_equal(samples.clocks.n_refused, 0);
        ps_calibration_clear(&c);
        ps_samples_free(&samples);
}

/* If each message waits for its receiver, nothing shows that the own messages of a call did not hold it up.
 */
TEST(messages_that_wait_for_receivers_are_no_samples)
{
        calib_run r = run_new((ps_gen_options){.ranks = RANKS, .nodes = RANKS});
        ps_calibration c;
        for (int i = 0; i < 100; i++)
                step_waitall(&r, size_of(&r), 1);
        ps_samples samples = calib_samples_of(&r);
        assert_int_equal(samples.eager_seen, 0);
        assert_int_equal(samples.n, 0);
        assert_int_equal(ps_calibrate(&c, &samples, NULL, PS_MODEL_HOCKNEY, NULL), PS_OK);
        assert_non_null(c.refusal);
        ps_calibration_clear(&c);
        ps_samples_free(&samples);
}

/* Two messages sent together to one Waitall: it may have ended with either. */
TEST(messages_sent_together_tell_no_order)
{
        calib_run r = run_new((ps_gen_options){.ranks = 3});
        for (int i = 0; i < 12; i++) {
                uint64_t gap = i < 6 ? us : 100 * us;
                ps_gen_irecv(r.g, 0, r.now - 20 * us, r.now - 19 * us, 1);
                ps_gen_irecv(r.g, 0, r.now - 18 * us, r.now - 17 * us, 2);
                ps_gen_send(r.g, 1, r.now, r.now + us, 0, PS_GEN_WORLD, 0, 100);
                ps_gen_send(r.g, 2, r.now + gap, r.now + gap + us, 0, PS_GEN_WORLD, 0, 100);
                const ps_gen_rec done[] = {PS_GEN_GOT(1, PS_GEN_WORLD, 0, 100, 1),
                                           PS_GEN_GOT(2, PS_GEN_WORLD, 0, 100, 2)};
                ps_gen_waitall(r.g, 0, r.now - 10 * us, r.now + gap + 20 * us, 2, done);
                r.now += ms;
        }
        ps_samples samples = calib_samples_of(&r);
        assert_int_equal(samples.unused[PS_UNUSED_SHARED], 12 + 6);
        for (size_t i = 0; i < samples.n; i++)
                if (samples.row[i].kind == PS_SAMPLE_ONE_WAY) {
                        assert_int_equal(samples.row[i].from, 2);
                        NEAR(samples.row[i].s, 20e-6, 1e-9);
                }
        assert_int_equal(samples.n, 6 + 24);
        ps_samples_free(&samples);
}

TEST(messages_of_a_sendrecv_give_the_machine)
{
        calib_run r = run_new((ps_gen_options){.ranks = 2, .nodes = 2});
        for (int i = 0; i < ROUNDS; i++)
                step_sendrecv(&r, size_of(&r));
        ps_samples samples = calib_samples_of(&r);
        ps_calibration c = calib_fitted(&samples, PS_MODEL_HOCKNEY);
        NEAR(c.machine.link.latency_s, 20e-6, 0.005);
        NEAR(c.machine.link.bandwidth_bytes_per_s, 1e9, 0.01);
        assert_true(has_note(&c, PS_NOTE_PAIRED));
        assert_int_equal(samples.graded[PS_GRADE_BEST], 0);
        ps_calibration_clear(&c);
        ps_samples_free(&samples);
}

/* Where there are better samples, the second best are left out. */
TEST(better_samples_leave_out_second_best)
{
        calib_run r = run_new((ps_gen_options){.ranks = 2, .nodes = 2});
        for (int i = 0; i < 20; i++) {
                step_sendrecv(&r, 64);
                ps_gen_recv(r.g, 1, r.now, r.now + 50 * us + way(&r, 64), 0, PS_GEN_WORLD, 0, 64);
                ps_gen_send(r.g, 0, r.now + 50 * us, r.now + 52 * us, 1, PS_GEN_WORLD, 0, 64);
                r.now += ms;
        }
        ps_samples samples = calib_samples_of(&r);
        assert_int_equal(samples.graded[PS_GRADE_BEST], 2 * 20);
        assert_int_equal(samples.graded[PS_GRADE_PAIRED], 0);
        assert_int_equal(samples.unused[PS_UNUSED_SHARED], 4 * 20);
        ps_samples_free(&samples);
}

/* Large messages whose sender waits give the rate; small ones nothing. */
TEST(large_messages_that_wait_give_the_rate)
{
        calib_run r = run_new((ps_gen_options){.ranks = 2, .nodes = 2});
        for (int i = 0; i < 20; i++) {
                step_meeting(&r, 0, 1, 1 << 22);
                step_meeting(&r, 1, 0, 100);
        }
        ps_samples samples = calib_samples_of(&r);
        ps_calibration c = calib_fitted(&samples, PS_MODEL_HOCKNEY);
        assert_int_equal(samples.graded[PS_GRADE_MEETING], 20);
        assert_int_equal(samples.n, 20);
        NEAR(c.machine.link.bandwidth_bytes_per_s, 1e9, 0.01);
        assert_true(c.machine.link.latency_s == 0);
        assert_true(calib_row(&c, "latency_s")->is_assumed);
        assert_false(calib_row(&c, "bandwidth_bytes_per_s")->is_assumed);
        assert_true(has_note(&c, PS_NOTE_MEETINGS) && has_note(&c, PS_NOTE_ONE_SIZE_RATE));
        ps_calibration_clear(&c);
        ps_samples_free(&samples);
}

/* One message tells little, and the report says so. */
TEST(one_message_tells_little)
{
        calib_run r = run_new((ps_gen_options){.ranks = 2, .nodes = 2});
        ps_gen_recv(r.g, 1, r.now, r.now + 70 * us, 0, PS_GEN_WORLD, 0, 64);
        ps_gen_send(r.g, 0, r.now + 50 * us, r.now + 52 * us, 1, PS_GEN_WORLD, 0, 64);
        ps_samples samples = calib_samples_of(&r);
        ps_calibration c = calib_fitted(&samples, PS_MODEL_HOCKNEY);
        NEAR(c.machine.link.latency_s, 20e-6, 1e-9);
        assert_true(isnan(calib_row(&c, "latency_s")->low));
        assert_true(calib_row(&c, "bandwidth_bytes_per_s")->is_assumed);
        assert_true(has_note(&c, PS_NOTE_FEW_SAMPLES) && has_note(&c, PS_NOTE_ONE_DIRECTION));
        ps_calibration_clear(&c);
        ps_samples_free(&samples);
}
