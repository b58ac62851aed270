/* test_recorded.c - the recording replayed by itself: nothing moves, however calls are entangled.
 * Times are microseconds. */
#include "tests/simulator/replay/lab.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"
#include "tests/support/test.h"
#include "tests/support/unchanged.h"

#define US    LAB_US
#define AT(t) PS_GEN_US(t)

static void must_end_with(ps_scenario s, const ps_trace *trace, ps_time first, ps_time second)
{
        ps_replayed out = lab_replayed(trace, &s);
        assert_false(out.stuck);
        assert_int_equal(out.end[0], first * US);
        assert_int_equal(out.end[1], second * US);
        ps_replayed_clear(&out);
}

static void must_end(const ps_trace *trace, const double *cpu, ps_time first, ps_time second)
{
        ps_scenario s;
        ps_scenario_init(&s);
        s.cpu_of_process = cpu;
        must_end_with(s, trace, first, second);
}

/* Both exchange a message from 10 and from 20 to 60, and compute until 100. Within rank 0's call a task may
 * end, whose row parts those of the call.
 *
 * Where rank 1 computes twice as long, it begins at 40. Its message takes 40, as it did, so that rank 0 has
 * it at 80, and computes 40. That of rank 0 was there 40 after rank 1 had come, as if it had waited for that:
 * rank 1 has it at 80, too, and computes 80. */
TEST(a_task_within_a_call_parts_its_rows)
{
        const double cpu[] = {1, 2};
        for (int interrupted = 0; interrupted < 2; interrupted++) {
                ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
                uint32_t team = ps_gen_team(g, "team", (uint32_t[]){0}, 1);
                for (uint32_t r = 0; r < 2; r++) {
                        ps_gen_enter(g, r, 0, "main");
                        ps_gen_enter(g, r, AT(10 + 10 * r), "MPI_Sendrecv");
                        ps_gen_put(g, r, AT(22), PS_GEN_REC_OF(SEND, .peer = !r, .bytes = 8));
                        if (!r && interrupted)
                                ps_gen_put(g, r, AT(30), PS_GEN_REC_OF(TASK_COMPLETE, .comm = team));
                        ps_gen_put(g, r, AT(55), PS_GEN_REC_OF(RECV, .peer = !r, .bytes = 8));
                        ps_gen_leave(g, r, AT(60), "MPI_Sendrecv");
                        ps_gen_leave(g, r, AT(100), "main");
                }
                ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
                assert_int_equal(trace->ops[0].n, 2 + interrupted);
                unchanged_expect(trace);
                must_end(trace, cpu, 120, 160);
                ps_trace_close(trace);
                ps_gen_free(g);
        }
}

/* Rank 0 sends from 10 to 100 and waits for its receiver, who asks in vain from 20 on and receives from 53
 * on: it waits from 20 on. Where it computes twice as long before that, both are over at 40 + 80. */
TEST(asked_before_received)
{
        const double cpu[] = {1, 2};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_enter(g, r, 0, "main");
        ps_gen_ssend(g, 0, AT(10), AT(100), 1, PS_GEN_WORLD, 0, 8);
        for (uint32_t i = 0; i < 3; i++)
                ps_gen_visit(g, 1, AT(20 + 11 * i), AT(30 + 11 * i), "MPI_Iprobe");
        ps_gen_recv(g, 1, AT(53), AT(100), 0, PS_GEN_WORLD, 0, 8);
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_leave(g, r, AT(100), "main");
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        unchanged_expect(trace);
        must_end(trace, cpu, 120, 120);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* Waiting for a lock begins where its construct does, 5 us before a task that is made within. */
TEST(lock_around_a_record)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        uint32_t team = ps_gen_team(g, "team", (uint32_t[]){0}, 1);
        ps_gen_enter(g, 0, 0, "main");
        ps_gen_enter(g, 0, AT(10), "!$omp critical @a.c:1");
        ps_gen_put(g, 0, AT(15), PS_GEN_REC_OF(TASK_CREATE, .comm = team));
        ps_gen_put(g, 0, AT(20), PS_GEN_REC_OF(LOCK_ACQUIRE, .op = OTF2_PARADIGM_OPENMP, .ref = 1));
        ps_gen_leave(g, 0, AT(20), "!$omp critical @a.c:1");
        ps_gen_leave(g, 0, AT(30), "main");
        ps_gen_visit(g, 1, 0, AT(10), "main");
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        EXPECT_OPS(trace, 0, "15000-15000 task-create+bare >0 comm1 #0\n10000-20000 lock-acquire #1 0\n");
        unchanged_expect(trace);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* A thread that was there before the fork, in the middle of a call. */
TEST(team_within_a_call)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.threads = 2});
        uint32_t master = ps_gen_at(g, 0, 0), other = ps_gen_at(g, 0, 1);
        uint32_t team = ps_gen_team(g, "team", (uint32_t[]){master, other}, 2);
        ps_gen_enter(g, master, 0, "main");
        ps_gen_put(g, master, AT(20), PS_GEN_REC_OF(FORK, .op = OTF2_PARADIGM_OPENMP, .tag = 2));
        ps_gen_put(g, master, AT(70), PS_GEN_REC_OF(JOIN, .op = OTF2_PARADIGM_OPENMP));
        ps_gen_leave(g, master, AT(80), "main");
        ps_gen_enter(g, other, AT(10), "MPI_Test");
        ps_gen_put(g, other, AT(30), PS_GEN_REC_OF(TEAM_BEGIN, .comm = team));
        ps_gen_put(g, other, AT(40), PS_GEN_REC_OF(TEAM_END, .comm = team));
        ps_gen_leave(g, other, AT(60), "MPI_Test");
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        unchanged_expect(trace);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* Two messages of 1000 bytes cross and are sent before anybody receives; then a send of none is held up for
 * 50 of its 60 us. From that it does not follow that longer ones wait: they would do so for ever. */
TEST(eager_ones_stay_so)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++) {
                ps_gen_enter(g, r, 0, "main");
                ps_gen_send(g, r, AT(10), AT(12), !r, PS_GEN_WORLD, 0, 1000);
                ps_gen_recv(g, r, AT(20), AT(30), !r, PS_GEN_WORLD, 0, 1000);
        }
        ps_gen_send(g, 0, AT(40), AT(100), 1, PS_GEN_WORLD, 0, 0);
        ps_gen_recv(g, 1, AT(90), AT(100), 0, PS_GEN_WORLD, 0, 0);
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_leave(g, r, AT(110), "main");
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        unchanged_expect(trace);
        ps_trace_close(trace);
        ps_gen_free(g);
}

static void nonblocking_barrier(ps_gen *g, uint32_t rank, uint64_t begin, uint64_t wait, uint64_t over)
{
        ps_gen_nbc(g, "MPI_Ibarrier", rank, AT(begin), AT(begin + 1), begin);
        ps_gen_wait(g, rank, AT(wait), AT(over),
                    PS_GEN_COLLECTED("MPI_Ibarrier", PS_GEN_WORLD, OTF2_COLLECTIVE_ROOT_NONE, 0, 0, begin));
}

/* Two barriers from 10 and from 40 on. Rank 0 waits for rank 1 in the first one, who enters at 30, until 32:
 * what comes after the last one takes 2. Its second Wait takes 3, from 50 on; the last one came at 42.
 *
 * A Wait takes 1 itself, as rank 1's does from 31 on, and a barrier 1 more after the last one has come.
 * Where rank 1 computes twice as long it comes at 60 and 82. Rank 0 is over at 62, and in its second Wait
 * from 80 to 82 + 2; if it does not wait it takes 3, and no more than that. It computes 47 after it. */
TEST(no_wait_is_not_longer)
{
        const double cpu[] = {1, 2};
        const uint64_t second_wait = 1 << 3, *unwaited[] = {&second_wait, NULL};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_enter(g, r, 0, "main");
        nonblocking_barrier(g, 0, 10, 20, 32);
        nonblocking_barrier(g, 1, 30, 31, 32);
        nonblocking_barrier(g, 0, 40, 50, 53);
        nonblocking_barrier(g, 1, 42, 60, 63);
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_leave(g, r, AT(100), "main");
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        unchanged_expect(trace);
        must_end(trace, cpu, 84 + 47, 120 + 74);
        ps_scenario s;
        ps_scenario_init(&s);
        s.cpu_of_process = cpu;
        s.unwaited = unwaited;
        must_end_with(s, trace, 83 + 47, 120 + 74);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* Rank 1 comes to a barrier at 90, and both end at 100. A stream of an accelerator runs a kernel from 5 to
 * 98, which nobody depends on, and may tell something at 110.
 *
 * Where rank 1 computes twice as fast it comes at 45, and the barrier is over at 47; rank 0 ends at 55, rank
 * 1 at 51: so long does the run last, and 10 more where something is told behind its end. */
TEST(streams_do_not_tell_how_long_a_run_lasts)
{
        const double cpu[] = {1, 0.5};
        for (int is_told = 0; is_told < 2; is_told++) {
                ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2, .threads = 2});
                uint32_t stream = ps_gen_at(g, 0, 1), rank[] = {ps_gen_at(g, 0, 0), ps_gen_at(g, 1, 0)};
                ps_gen_location_type(g, stream, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM);
                for (uint32_t r = 0; r < 2; r++) {
                        ps_gen_enter(g, rank[r], 0, "main");
                        ps_gen_barrier(g, rank[r], AT(r ? 90 : 10), AT(92), PS_GEN_WORLD);
                        ps_gen_leave(g, rank[r], AT(100), "main");
                }
                ps_gen_visit(g, stream, AT(5), AT(98), "kernel");
                if (is_told)
                        ps_gen_visit(g, stream, AT(110), AT(110), "kernel");
                ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
                unchanged_expect(trace);
                ps_scenario s;
                ps_scenario_init(&s);
                s.cpu_of_process = cpu;
                ps_replayed out = lab_replayed(trace, &s);
                assert_int_equal(out.end[rank[0]], 55 * US);
                assert_int_equal(out.end[rank[1]], 51 * US);
                assert_int_equal(out.total, (is_told ? 65 : 55) * US);
                assert_int_equal(out.timing->duration, out.total);
                assert_true(out.end[stream] <= out.total);
                ps_replayed_clear(&out);
                loaded_free(g, trace);
        }
}

/* Windows in epochs of all sorts, and UPC and SHMEM beside them. Whoever computes for longer, or not at all,
 * waits for nobody who waits for him. */
TEST(one_sided_calls_stay_as_they_are_and_get_stuck_nowhere)
{
        static const double cpu[][RANDOM_MAX_RANKS] = {{0, 1, 3, 1, 0, 2, 1, 5}, {4, 0.5, 1, 0, 7, 1, 0, 1}};
        enum { SEEDS = 40 };
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                const random_program p = {.seed = seed,
                                          .ranks = 2 + (uint32_t)seed % (RANDOM_MAX_RANKS - 1),
                                          .steps = 150,
                                          .windows = true,
                                          .pgas = seed % 2};
                uint32_t n_messages, n_colls;
                ps_gen *g = random_program_write(&p, &n_messages, &n_colls);
                ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
                unchanged_expect(trace);
                for (size_t i = 0; i < sizeof(cpu) / sizeof(*cpu); i++) {
                        ps_scenario s;
                        ps_scenario_init(&s);
                        s.cpu_of_process = cpu[i];
                        ps_replayed out = lab_replayed(trace, &s);
                        if (out.stuck)
                                fail_msg("seed %llu gets stuck", (unsigned long long)seed);
                        ps_replayed_clear(&out);
                }
                ps_trace_close(trace);
                ps_gen_free(g);
        }
}
