/* test_neighbours.c - exchanges among neighbours in a replay: each waits for those whose data it gets, and
 * for nobody else. Times are microseconds. */
#include "tests/simulator/replay/lab.h"
#include "tests/support/loaded.h"
#include "tests/support/machines.h"
#include "tests/support/random_program.h"
#include "tests/support/test.h"
#include "tests/support/unchanged.h"

#define US    LAB_US
#define AT(t) PS_GEN_US(t)
#define WORLD PS_GEN_WORLD

enum { N_SEEDS = 30, RANKS = 4 };

static void exchange(ps_gen *g, uint32_t rank, uint64_t from, uint64_t until)
{
        ps_gen_enter(g, rank, AT(from), "MPI_Neighbor_alltoall");
        ps_gen_put(g, rank, AT(from), (ps_gen_rec){.kind = PS_GEN_R_COLL_BEGIN});
        ps_gen_put(g, rank, AT(until),
                   PS_GEN_REC_OF(COLL_END, .op = OTF2_COLLECTIVE_OP_ALLTOALL, .comm = WORLD,
                                 .peer = OTF2_COLLECTIVE_ROOT_NONE, .bytes = 16, .received = 16));
        ps_gen_leave(g, rank, AT(until), "MPI_Neighbor_alltoall");
}

static void must_end(const ps_trace *trace, double factor, const ps_time *end, uint32_t n)
{
        double cpu[] = {1, 1, factor, 1};
        ps_scenario s;
        ps_scenario_init(&s);
        s.cpu_of_process = cpu;
        ps_replayed out = lab_replayed(trace, &s);
        assert_false(out.stuck);
        for (uint32_t r = 0; r < n; r++)
                if (out.end[r] != end[r] * US)
                        fail_msg("rank %u ends at %lld, factor %g", r, (long long)(out.end[r] / US), factor);
        ps_replayed_clear(&out);
}

TEST(nothing_moves_where_nothing_changes)
{
        for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
                random_program p = {.seed = seed,
                                    .ranks = 2 + (uint32_t)seed % (RANDOM_MAX_RANKS - 1),
                                    .steps = 100,
                                    .neighbours = true};
                uint32_t n_messages, n_colls;
                ps_gen *g = random_program_write(&p, &n_messages, &n_colls);
                ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
                unchanged_expect(trace);
                ps_trace_close(trace);
                ps_gen_free(g);
        }
}

/* In a ring ranks 1 and 3 wait for rank 2 from 100 to 300; all exchanges take 10 from when all are there. If
 * rank 2 computes a third, all end at 110; if it computes twice as long, rank 0 still does. */
TEST(those_next_to_a_late_rank_wait_for_it)
{
        static const char *const others[] = {"1 3", "0 2", "1 3", "0 2"};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        for (uint32_t r = 0; r < RANKS; r++) {
                uint64_t from = r == 2 ? 300 : 100;
                ps_gen_neighbours(g, WORLD, r, others[r]);
                ps_gen_visit(g, r, AT(0), AT(from), "work");
                exchange(g, r, from, r ? 310 : 110);
        }
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        must_end(trace, 1, (const ps_time[]){110, 310, 310, 310}, RANKS);
        must_end(trace, 1.0 / 3, (const ps_time[]){110, 110, 110, 110}, RANKS);
        must_end(trace, 2, (const ps_time[]){110, 610, 610, 610}, RANKS);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* Ranks 0 and 1 exchange data, and 2 gets some of 1. It comes only after a message that 0 sends when it is
 * through: who is nobody's neighbour keeps nobody from going on. */
TEST(others_may_come_when_all_is_over)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        static const char *const others[] = {"1", "0", "1"};
        for (uint32_t r = 0; r < 3; r++)
                ps_gen_neighbours(g, WORLD, r, others[r]);
        ps_gen_visit(g, 0, AT(0), AT(100), "work");
        exchange(g, 0, 100, 110);
        ps_gen_send(g, 0, AT(110), AT(120), 2, WORLD, 0, 8);
        ps_gen_visit(g, 1, AT(0), AT(50), "work");
        exchange(g, 1, 50, 110);
        ps_gen_recv(g, 2, AT(0), AT(130), 0, WORLD, 0, 8);
        ps_gen_visit(g, 2, AT(130), AT(200), "work");
        exchange(g, 2, 200, 210);
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        unchanged_expect(trace);
        must_end(trace, 2, (const ps_time[]){120, 110, 280}, 3);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* Where nobody tells who they are, calls take what they took. */
TEST(without_neighbours_each_is_on_its_own)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        for (uint32_t r = 0; r < RANKS; r++) {
                uint64_t from = r == 2 ? 300 : 100;
                ps_gen_visit(g, r, AT(0), AT(from), "work");
                exchange(g, r, from, 310);
        }
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        must_end(trace, 1.0 / 3, (const ps_time[]){310, 310, 110, 310}, RANKS);
        ps_trace_close(trace);
        ps_gen_free(g);
}

static void must_end_on(const ps_trace *trace, const char *machine, const ps_time *end)
{
        ps_machine *m = machine_of(machine);
        ps_scenario s;
        ps_scenario_init(&s);
        s.machine = m;
        ps_replayed out = lab_replayed(trace, &s);
        assert_false(out.stuck);
        for (uint32_t r = 0; r < trace->n_locs; r++)
                if (out.end[r] != end[r] * US)
                        fail_msg("rank %u ends at %lld ps", r, (long long)out.end[r]);
        ps_replayed_clear(&out);
        ps_machine_free(m);
}

#define MACHINE                                                                                              \
        "{\"model\":\"hockney\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":1e9,"                           \
        "\"send_overhead_s\":2e-6,\"receive_overhead_s\":2e-6"

/* A path of three ranks on a machine with 2 us for each send and receive, 5 us and 1 ns a byte under way, and
 * 1000 bytes a message. Rank 1 sends to 0 from 50 on and to 2 from 52 on, and both are through after 54. Rank
 * 0 begins at 10, has sent at 12, and gets rank 1's at 52 + 6: it is through at 60. Rank 1 has rank 0's,
 * which was there at 18, at 56, and then rank 2's: that begins at 100, and its message is there at 102 + 6.
 * So rank 1 ends at 110. Rank 2 has sent at 102, and rank 1's was there before: it ends at 104.
 *
 * Where messages wait for their receivers rank 2 has rank 1's at 100 + 6, and ends at 108; rank 1 has rank
 * 0's at 56, and ends as before. Where they cost nothing each waits for those next to it. */
TEST(on_a_machine_neighbours_exchange_messages)
{
        static const char *const others[] = {"1", "0 2", "1"};
        static const uint64_t from[] = {10, 50, 100};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        for (uint32_t r = 0; r < 3; r++) {
                uint64_t bytes = r == 1 ? 2000 : 1000;
                ps_gen_neighbours(g, WORLD, r, others[r]);
                ps_gen_visit(g, r, AT(0), AT(from[r]), "work");
                ps_gen_collective(g, "MPI_Neighbor_alltoall", r, AT(from[r]), AT(300), WORLD,
                                  OTF2_COLLECTIVE_ROOT_NONE, bytes, bytes);
        }
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        must_end_on(trace, MACHINE "}", (const ps_time[]){60, 110, 104});
        must_end_on(trace, MACHINE ",\"eager_bytes\":500}", (const ps_time[]){60, 110, 108});
        must_end_on(trace, MACHINE ",\"collectives\":{\"default\":\"free\"}}",
                    (const ps_time[]){50, 100, 100});
        ps_trace_close(trace);
        ps_gen_free(g);
}
