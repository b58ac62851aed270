/* test_samples.c - which messages of a trace tell what, and machines that were planted into traces.
 */
#include "simulator/calibrate/internal.h"
#include "simulator/cost/models.h"
#include "simulator/machine/file.h"
#include "tests/simulator/calibrate/lab.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t us = 1000, ms = 1000000;
static const uint64_t sizes[] = {8, 64, 512, 4096, 16384, 32768};
enum { N_SIZES = sizeof(sizes) / sizeof(sizes[0]), REPEATS = 12, RENDEZVOUS = 100000 };

static calib_run run_new(ps_gen_options options)
{
        return (calib_run){.g = ps_gen_new(NULL, options), .now = ms, .random = 1};
}

/* The machine: on one node 5 us + 0.4 ns/B, else 20 us + 1 ns/B; of it 2 us + 0.1 ns/B at the sender and
 * 1 us + 0.1 ns/B at the receiver. */
static uint64_t way(calib_run *r, uint32_t i, uint32_t j, uint64_t bytes)
{
        return i / 2 == j / 2 ? calib_jitter(r, 5000 + 0.4 * (double)bytes)
                              : calib_jitter(r, 20000 + (double)bytes);
}

static void step_awaited(calib_run *r, uint32_t from, uint32_t to, uint64_t bytes)
{
        ps_gen_send(r->g, from, r->now, r->now + calib_sending(r, bytes), to, PS_GEN_WORLD, 0, bytes);
        ps_gen_recv(r->g, to, r->now - 10 * us, r->now + way(r, from, to, bytes), from, PS_GEN_WORLD, 0,
                    bytes);
        r->now += ms;
}

static void step_late(calib_run *r, uint32_t from, uint32_t to, uint64_t bytes)
{
        ps_gen_send(r->g, from, r->now, r->now + calib_sending(r, bytes), to, PS_GEN_WORLD, 0, bytes);
        ps_gen_recv(r->g, to, r->now + 300 * us,
                    r->now + 300 * us + calib_jitter(r, 1000 + 0.1 * (double)bytes), from, PS_GEN_WORLD, 0,
                    bytes);
        r->now += ms;
}

static void step_blocked(calib_run *r, uint32_t from, uint32_t to, uint64_t bytes)
{
        uint64_t end = r->now + 300 * us + way(r, from, to, bytes);
        ps_gen_send(r->g, from, r->now, end, to, PS_GEN_WORLD, 0, bytes);
        ps_gen_recv(r->g, to, r->now + 300 * us, end, from, PS_GEN_WORLD, 0, bytes);
        r->now += ms;
}

static void run_both_ways(calib_run *r, uint32_t i, uint32_t j)
{
        for (int k = 0; k < REPEATS; k++)
                for (int s = 0; s < N_SIZES; s++) {
                        step_awaited(r, i, j, sizes[s]);
                        step_awaited(r, j, i, sizes[s]);
                        step_late(r, i, j, sizes[s]);
                        step_late(r, j, i, sizes[s]);
                }
        step_blocked(r, i, j, RENDEZVOUS);
}

static ps_trace *planted(unsigned n_threads)
{
        calib_run r = run_new((ps_gen_options){.ranks = 4, .nodes = 2});
        run_both_ways(&r, 0, 1);
        run_both_ways(&r, 2, 3);
        run_both_ways(&r, 0, 2);
        run_both_ways(&r, 1, 3);
        ps_gen_close(r.g);
        ps_trace *trace = loaded_by(ps_gen_anchor(r.g), n_threads, PS_CLOCK_AUTO);
        ps_gen_free(r.g);
        return trace;
}

TEST(planted_messages_give_the_machine)
{
        ps_trace *trace = planted(1);
        ps_samples samples = calib_samples(trace);
        ps_calibration c = calib_fitted(&samples, PS_MODEL_HOCKNEY);
        NEAR(c.machine.link.latency_s, 20e-6, 0.005);
        NEAR(c.machine.link.bandwidth_bytes_per_s, 1e9, 0.01);
        assert_true(c.machine.has_intra);
        NEAR(c.machine.intra.latency_s, 5e-6, 0.005);
        NEAR(c.machine.intra.bandwidth_bytes_per_s, 2.5e9, 0.01);
        assert_int_equal(c.machine.n_node_of_rank, 4);
        assert_int_equal(c.machine.node_of_rank[1], 0);
        assert_int_equal(c.machine.node_of_rank[2], 1);
        assert_int_equal(samples.eager_seen, 32768);
        assert_int_equal(samples.blocked_seen, RENDEZVOUS);
        assert_int_equal(c.machine.eager_bytes, 32768);
        assert_int_equal(samples.unused[PS_UNUSED_BLOCKED], 2 * 4); /* both ends of each rendezvous */
        assert_int_equal(c.cls[PS_CLASS_ALL].n_pairs, 4);
        assert_int_equal(c.cls[PS_CLASS_FAR].fit[PS_SAMPLE_ONE_WAY].n_samples, 2 * 2 * REPEATS * N_SIZES);
        assert_int_equal(c.cls[PS_CLASS_ALL].fit[PS_SAMPLE_RECEIVE].n_samples, 4 * 2 * REPEATS * N_SIZES);
        assert_int_equal(c.cls[PS_CLASS_ALL].fit[PS_SAMPLE_SEND].n_samples, 4 * 4 * REPEATS * N_SIZES);
        assert_int_equal(c.cls[PS_CLASS_FAR].n_own, 2);
        assert_int_equal(samples.clocks.n_both, 4);
        assert_true(samples.clocks.largest_s < 0.5e-6);
        assert_true(c.row[0].low <= c.row[0].value && c.row[0].value <= c.row[0].high);
        assert_true(c.row[0].typical > c.row[0].value);
        ps_calibration_clear(&c);
        ps_samples_free(&samples);
        ps_trace_close(trace);
}

TEST(models_with_ends)
{
        ps_trace *trace = planted(1);
        ps_samples samples = calib_samples(trace);
        ps_calibration c = calib_fitted(&samples, PS_MODEL_LOGGP);
        NEAR(c.machine.send_overhead_s, 2e-6, 0.01);
        NEAR(c.machine.send_overhead_s_per_byte, 0.1e-9, 0.02);
        NEAR(c.machine.receive_overhead_s, 1e-6, 0.01);
        NEAR(c.machine.link.latency_s, 17e-6, 0.01);
        NEAR(c.machine.link.bandwidth_bytes_per_s, 1 / 0.8e-9, 0.02);
        NEAR(c.machine.intra.latency_s, 2e-6, 0.03);
        /* However the parts are cut, the whole is what was measured. */
        NEAR((double)ps_machine_p2p(&c.machine, 0, 2, 4096), 24.096e6, 0.005);
        NEAR((double)ps_machine_p2p(&c.machine, 0, 1, 4096), 6.6384e6, 0.01);
        ps_calibration_clear(&c);
        c = calib_fitted(&samples, PS_MODEL_HLMO);
        NEAR(c.machine.processing_s, 1.5e-6, 0.01);
        NEAR(c.machine.link.latency_s, 17e-6, 0.01);
        ps_calibration_clear(&c);
        c = calib_fitted(&samples, PS_MODEL_LMO);
        assert_int_equal(c.machine.lmo.n, 4);
        for (int i = 0; i < 4; i++) { /* 2 to send, 1 to receive */
                NEAR(c.machine.lmo.processing_s[i], 1.5e-6, 0.01);
        }
        NEAR((double)ps_machine_p2p(&c.machine, 0, 2, 4096), 24.096e6, 0.01);
        NEAR((double)ps_machine_p2p(&c.machine, 3, 2, 4096), 6.6384e6, 0.02);
        NEAR((double)ps_machine_p2p(&c.machine, 0, 3, 4096), 24.096e6, 0.01); /* of its class */
        assert_true(c.notes >> PS_NOTE_COMMON_ENDS & 1);
        ps_calibration_clear(&c);
        c = calib_fitted(&samples, PS_MODEL_PLOGP);
        assert_int_equal(c.machine.gap_table.n, N_SIZES);
        for (int s = 0; s < N_SIZES; s++)
                NEAR((double)ps_machine_p2p(&c.machine, 0, 2, sizes[s]), (20000 + (double)sizes[s]) * 1e3,
                     0.005);
        ps_calibration_clear(&c);
        ps_samples_free(&samples);
        ps_trace_close(trace);
}

/* The same, byte for byte, for any number of threads. */
TEST(threads_change_no_byte)
{
        char *text[2];
        for (unsigned k = 0; k < 2; k++) {
                ps_trace *trace = planted(1 + 2 * k);
                ps_samples samples = calib_samples(trace);
                ps_calibration c = calib_fitted(&samples, PS_MODEL_LMO);
                assert_int_equal(ps_machine_print(&text[k], &c.machine, NULL), PS_OK);
                ps_calibration_clear(&c);
                ps_samples_free(&samples);
                ps_trace_close(trace);
        }
        assert_string_equal(text[0], text[1]);
        free(text[0]);
        free(text[1]);
}

/* What tells nothing, each for its own reason. */
TEST(what_tells_nothing_is_left_out_with_its_reason)
{
        calib_run r = run_new((ps_gen_options){.ranks = 3});
        ps_gen *g = r.g;
        step_awaited(&r, 0, 1, 100);                                   /* both ends count */
        ps_gen_send(g, 0, r.now, r.now + us, 0, PS_GEN_WORLD, 0, 100); /* to itself: two ends */
        ps_gen_recv(g, 0, r.now + 2 * us, r.now + 3 * us, 0, PS_GEN_WORLD, 0, 100);
        r.now += ms;
        ps_gen_sendrecv(g, 0, r.now, r.now + 30 * us, 1, 1, PS_GEN_WORLD, 0,
                        100); /* two messages: four ends */
        ps_gen_sendrecv(g, 1, r.now, r.now + 30 * us, 0, 0, PS_GEN_WORLD, 0, 100);
        r.now += ms;
        ps_gen_isend(g, 0, r.now, r.now + us, 1, PS_GEN_WORLD, 0, 100, 1); /* its receiver's end counts */
        ps_gen_wait(g, 0, r.now + 50 * us, r.now + 51 * us, PS_GEN_SENT(1));
        ps_gen_recv(g, 1, r.now - us, r.now + 21 * us, 0, PS_GEN_WORLD, 0, 100);
        r.now += ms;
        ps_gen_ssend(g, 0, r.now, r.now + 30 * us, 1, PS_GEN_WORLD, 0,
                     100); /* must wait: its other end counts */
        ps_gen_recv(g, 1, r.now - us, r.now + 22 * us, 0, PS_GEN_WORLD, 0, 100);
        r.now += ms;
        /* Two at a time: the first one has left when the second one is sent, which is not alone. */
        ps_gen_send(g, 0, r.now, r.now + us, 1, PS_GEN_WORLD, 0, 100);
        ps_gen_send(g, 0, r.now + 2 * us, r.now + 3 * us, 2, PS_GEN_WORLD, 0, 100);
        ps_gen_recv(g, 1, r.now - us, r.now + 25 * us, 0, PS_GEN_WORLD, 0, 100);
        ps_gen_recv(g, 2, r.now - us, r.now + 30 * us, 0, PS_GEN_WORLD, 0, 100);
        r.now += ms;
        ps_gen_irecv(g, 1, r.now - 9 * us, r.now - 8 * us, 7); /* tested for: its sender's end counts */
        ps_gen_send(g, 0, r.now, r.now + us, 1, PS_GEN_WORLD, 0, 100);
        ps_gen_call(g, "MPI_Test", 1, r.now + 40 * us, r.now + 41 * us, 1,
                    &PS_GEN_GOT(0, PS_GEN_WORLD, 0, 100, 7));
        r.now += ms;
        /* The receiver comes late, but while the message is under way: its sender's end counts. */
        ps_gen_send(g, 0, r.now, r.now + us, 1, PS_GEN_WORLD, 0, 100);
        ps_gen_recv(g, 1, r.now + 15 * us, r.now + 20 * us, 0, PS_GEN_WORLD, 0, 100);
        r.now += ms;
        ps_gen_barrier(g, 0, r.now, r.now + us, PS_GEN_WORLD);
        ps_gen_barrier(g, 1, r.now, r.now + us, PS_GEN_WORLD);
        ps_gen_barrier(g, 2, r.now, r.now + us, PS_GEN_WORLD);
        ps_samples samples = calib_samples_of(&r);
        assert_int_equal(samples.n_messages, 10);
        assert_int_equal(samples.n_collectives, 3);
        assert_int_equal(samples.unused[PS_UNUSED_SELF], 2);
        assert_int_equal(samples.unused[PS_UNUSED_SHARED], 4);
        assert_int_equal(samples.unused[PS_UNUSED_NONBLOCKING], 1);
        assert_int_equal(samples.unused[PS_UNUSED_BLOCKED], 1);
        assert_int_equal(samples.unused[PS_UNUSED_OVERLAP], 2);
        assert_int_equal(samples.unused[PS_UNUSED_POLLED], 1);
        assert_int_equal(samples.unused[PS_UNUSED_IN_FLIGHT], 1);
        assert_int_equal(samples.n, 8);
        ps_samples_free(&samples);
}

/* Gathers of three ranks that begin together and take 1 ms a kilobyte; from 8 to 16 KB every tenth takes 0.5
 * s. Those that somebody comes late to do not count. */
TEST(gathers_of_a_trace_tell_where_they_escalate)
{
        calib_run r = run_new((ps_gen_options){.ranks = 3});
        for (uint64_t kb = 2; kb <= 32; kb *= 2)
                for (int k = 0; k < 40; k++) {
                        uint64_t took = kb >= 8 && kb <= 16 && k % 10 == 5 ? 500 * ms : kb * ms,
                                 late = k % 10 == 9 ? took / 2 : 0;
                        for (uint32_t rank = 0; rank < 3; rank++)
                                ps_gen_collective(r.g, "MPI_Gather", rank,
                                                  r.now + (rank == 2 ? late : rank * us), r.now + late + took,
                                                  PS_GEN_WORLD, 0, rank ? 1024 * kb : 0,
                                                  rank ? 0 : 2048 * kb);
                        r.now += 2 * took;
                }
        ps_samples samples = calib_samples_of(&r);
        assert_int_equal(samples.sweeps.n, 5 * 36);
        ps_calibration c = {.n_rows = 0};
        ps_machine_init(&c.machine, PS_MODEL_LMO);
        assert_int_equal(ps_calibrate_sweeps(&c, &samples, NULL), PS_OK);
        NEAR(c.machine.lmo.gather_low_bytes, 8192, 1e-12);
        NEAR(c.machine.lmo.gather_high_bytes, 16384, 1e-12);
        NEAR(c.machine.lmo.escalation_probability, 8.0 / 72, 1e-9);
        NEAR(c.machine.lmo.escalation_s, 0.488, 0.01);
        ps_calibration_clear(&c);
        ps_samples_free(&samples);
}

/* Clocks that are 37 us apart make 20 us into 57 and -17. */
static ps_samples skewed(int both, ps_gen_style style)
{
        static const int64_t skew[] = {0, 37000};
        calib_run r = run_new((ps_gen_options){.ranks = 2, .style = style, .skew = skew});
        for (int k = 0; k < 11; k++)
                for (uint32_t up = 0; up < (both ? 2U : 1U); up++) {
                        uint32_t from = up, to = 1 - up;
                        ps_gen_send(r.g, from, r.now, r.now + us, to, PS_GEN_WORLD, 0, 10);
                        ps_gen_recv(r.g, to, r.now - 100 * us, r.now + 20010 + (uint64_t)(k % 3) * 100, from,
                                    PS_GEN_WORLD, 0, 10);
                        r.now += ms;
                }
        return calib_samples_of(&r);
}

/* A clock that gains 50 us in every second, and 20 us from one process to the other: 400 messages of 10 bytes
 * in 0.4 s. What is measured at its end is 20 us off what is measured at the begin. */
TEST(clocks_that_run_apart_are_aligned_in_windows)
{
        calib_run r = run_new((ps_gen_options){.ranks = 2, .style = PS_GEN_EZTRACE});
        for (uint64_t k = 0; k < 400; k++) {
                uint32_t from = k & 1, to = 1 - from;
                uint64_t ahead = 50000 + r.now / 20000, begin = r.now + (from ? ahead : 0),
                         there = r.now + (to ? ahead : 0);
                ps_gen_send(r.g, from, begin, begin + us, to, PS_GEN_WORLD, 0, 10);
                ps_gen_recv(r.g, to, there - 10 * us, there + 20000 + k % 7 * 10, from, PS_GEN_WORLD, 0, 10);
                r.now += ms;
        }
        ps_samples samples = calib_samples_of(&r);
        ps_calibration c = calib_fitted(&samples, PS_MODEL_HOCKNEY);
        assert_int_equal(samples.clocks.n_drifting, 1);
        NEAR(samples.clocks.largest_s, 70e-6, 0.01);
        for (size_t i = 0; i < samples.n; i++)
                if (samples.row[i].kind == PS_SAMPLE_ONE_WAY)
                        NEAR(samples.row[i].s, 20.03e-6, 0.03);
        NEAR(c.machine.link.latency_s, 20e-6, 0.03);
        ps_calibration_clear(&c);
        ps_samples_free(&samples);
}

TEST(clocks_apart_are_aligned_first)
{
        ps_samples samples = skewed(1, PS_GEN_EZTRACE);
        ps_calibration c = calib_fitted(&samples, PS_MODEL_HOCKNEY);
        NEAR(samples.clocks.largest_s, 37e-6, 1e-6);
        NEAR(c.machine.link.latency_s, 20.01e-6, 1e-6);
        assert_int_equal(samples.clocks.n_both, 1);
        ps_calibration_clear(&c);
        ps_samples_free(&samples);

        samples = skewed(0, PS_GEN_EZTRACE); /* one direction, clocks without a common zero */
        assert_int_equal(samples.unused[PS_UNUSED_CLOCK], 22);
        assert_int_equal(samples.clocks.n_refused, 1);
        assert_int_equal(ps_calibrate(&c, &samples, NULL, PS_MODEL_HOCKNEY, NULL), PS_OK);
        assert_non_null(c.refusal);
        assert_non_null(strstr(c.refusal, "cannot be told from the difference of the clocks"));
        assert_true(c.notes >> PS_NOTE_CLOCK_REFUSED & 1);
        ps_calibration_clear(&c);
        ps_samples_free(&samples);

        samples = skewed(0, PS_GEN_SCOREP); /* one direction, clocks that were put right by the recorder */
        c = calib_fitted(&samples, PS_MODEL_HOCKNEY);
        NEAR(c.machine.link.latency_s, 20.01e-6, 1e-6);
        assert_int_equal(samples.clocks.n_single, 1);
        assert_true(c.notes >> PS_NOTE_ONE_DIRECTION & 1);
        ps_calibration_clear(&c);
        ps_samples_free(&samples);
}

/* Messages alone do not tell whose time it is. */
TEST(messages_alone_give_no_split_model)
{
        static const ps_model split[] = {PS_MODEL_LOGGP, PS_MODEL_LMO, PS_MODEL_HLMO, PS_MODEL_PLOGP};
        ps_samples samples = {0};
        ps_calibration c;
        for (int model = -1; model < 4; model++) {
                assert_int_equal(
                        ps_calibrate(&c, &samples, NULL, model < 0 ? PS_MODEL_HOCKNEY : split[model], NULL),
                        PS_OK);
                assert_non_null(c.refusal);
                ps_calibration_clear(&c);
        }
        for (int i = 0; i < 40; i++)
                assert_int_equal(ps_samples_add(&samples,
                                                &(ps_sample){.s = 20e-6 + 1e-9 * i * 100,
                                                             .bytes = (uint64_t)i * 100,
                                                             .to = 1,
                                                             .kind = PS_SAMPLE_ONE_WAY},
                                                NULL),
                                 PS_OK);
        samples.n_processes = 2;
        for (int model = 0; model < 4; model++) {
                assert_int_equal(ps_calibrate(&c, &samples, NULL, split[model], NULL), PS_OK);
                assert_non_null(c.refusal);
                ps_calibration_clear(&c);
        }
        c = calib_fitted(&samples, PS_MODEL_HOCKNEY);
        NEAR(c.machine.link.latency_s, 20e-6, 1e-6);
        NEAR(c.machine.link.bandwidth_bytes_per_s, 1e9, 1e-6);
        assert_true(c.notes >> PS_NOTE_SUMS & 1);
        ps_calibration_clear(&c);
        ps_samples_free(&samples);
}
