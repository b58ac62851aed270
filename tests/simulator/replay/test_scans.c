/* test_scans.c - scans in a replay: each member waits for the ranks below its own, and for nobody else.
 * Times are microseconds. */
#include "tests/simulator/replay/lab.h"
#include "tests/support/loaded.h"
#include "tests/support/machines.h"
#include "tests/support/test.h"
#include "tests/support/unchanged.h"

#define US    LAB_US
#define AT(t) PS_GEN_US(t)
#define WORLD PS_GEN_WORLD

static void scan(ps_gen *g, uint32_t at, uint32_t comm, uint64_t from, uint64_t until)
{
        ps_gen_enter(g, at, AT(from), "MPI_Scan");
        ps_gen_put(g, at, AT(from), (ps_gen_rec){.kind = PS_GEN_R_COLL_BEGIN});
        ps_gen_put(g, at, AT(until),
                   PS_GEN_REC_OF(COLL_END, .op = OTF2_COLLECTIVE_OP_SCAN, .comm = comm,
                                 .peer = OTF2_COLLECTIVE_ROOT_NONE, .bytes = 8, .received = 8));
        ps_gen_leave(g, at, AT(until), "MPI_Scan");
}

static void must_end(const ps_trace *trace, const double *cpu, const ps_time *end, uint32_t n)
{
        ps_scenario s;
        ps_scenario_init(&s);
        s.cpu_of_process = cpu;
        ps_replayed out = lab_replayed(trace, &s);
        assert_false(out.stuck);
        for (uint32_t r = 0; r < n; r++)
                if (out.end[r] != end[r] * US)
                        fail_msg("location %u ends at %lld", r, (long long)(out.end[r] / US));
        ps_replayed_clear(&out);
}

/* Rank 2 comes to the scan only after a message that 0 sends when it is through. It computes 70, and 140 in
 * the scenario, and is 10 in the scan. */
TEST(higher_ranks_may_come_when_lower_ones_are_through)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        ps_gen_visit(g, 0, AT(0), AT(100), "work");
        scan(g, 0, WORLD, 100, 110);
        ps_gen_send(g, 0, AT(110), AT(120), 2, WORLD, 0, 8);
        ps_gen_visit(g, 1, AT(0), AT(50), "work");
        scan(g, 1, WORLD, 50, 110);
        ps_gen_recv(g, 2, AT(0), AT(130), 0, WORLD, 0, 8);
        ps_gen_visit(g, 2, AT(130), AT(200), "work");
        scan(g, 2, WORLD, 200, 210);
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        unchanged_expect(trace);
        must_end(trace, (const double[]){1, 1, 1}, (const ps_time[]){120, 110, 210}, 3);
        must_end(trace, (const double[]){1, 1, 2}, (const ps_time[]){120, 110, 280}, 3);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* Rank 0 of the communicator is process 1: process 0 waits for it from 100 to 300, and the scan takes 10
 * after that. Where process 1 computes 600, both end at 610; where process 0 does, 1 has long gone on. */
TEST(ranks_of_the_communicator_count)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        uint32_t comm = ps_gen_comm(g, "reversed", (uint32_t[]){1, 0}, 2);
        for (uint32_t r = 0; r < 2; r++) {
                ps_gen_visit(g, r, AT(0), AT(r ? 300 : 100), "work");
                scan(g, r, comm, r ? 300 : 100, 310);
        }
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        unchanged_expect(trace);
        must_end(trace, (const double[]){1, 2}, (const ps_time[]){610, 610}, 2);
        must_end(trace, (const double[]){6, 1}, (const ps_time[]){610, 310}, 2);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* The same with two threads of one process, whose ranks are in a team. */
TEST(threads_have_their_ranks_in_a_team)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1, .threads = 2});
        uint32_t at[] = {ps_gen_at(g, 0, 0), ps_gen_at(g, 0, 1)};
        uint32_t team = ps_gen_team(g, "reversed", (uint32_t[]){at[1], at[0]}, 2);
        for (uint32_t t = 0; t < 2; t++) {
                ps_gen_visit(g, at[t], AT(0), AT(t ? 300 : 100), "work");
                scan(g, at[t], team, t ? 300 : 100, 310);
        }
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        assert_int_equal(trace->n_colls, 1);
        unchanged_expect(trace);
        must_end(trace, (const double[]){2}, (const ps_time[]){610, 610}, 2);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* In a communicator of ranks 2, 1, 0 process 1 waits for 2, whose message nobody receives where senders wait:
 * process 1 would do so behind the scan. Process 0 waits for 1, and nobody for it. */
TEST(who_is_stuck_in_a_scan_waits_for_a_lower_rank)
{
        static const char strict[] = "{\"model\":\"hockney\",\"latency_s\":5e-6,"
                                     "\"bandwidth_bytes_per_s\":1e9,\"send_mode\":\"synchronous\"}";
        static const uint32_t ranks[] = {2, 1, 0};
        replay_lab *lab = replay_lab_new(3);
        ps_comm comm = replay_lab_comm(lab, ranks, 3);
        rank_send(lab, 2, PS_K_SEND, 1, 0, 8);
        for (uint32_t r = 3; r-- > 1;)
                rank_coll(lab, r, PS_K_SCAN, comm, PS_NONE, 8);
        rank_recv(lab, 1, 2, 0, 8);
        rank_send(lab, 1, PS_K_SEND, 0, 0, 8);
        rank_recv(lab, 0, 1, 0, 8);
        rank_coll(lab, 0, PS_K_SCAN, comm, PS_NONE, 8);
        ps_trace *trace = replay_lab_trace(lab);
        ps_machine *m = machine_of(strict);
        ps_scenario s;
        ps_scenario_init(&s);
        s.machine = m;
        ps_replayed out = lab_replayed(trace, &s);
        assert_true(out.stuck && out.is_circle);
        assert_int_equal(out.n_stuck, 3);
        assert_int_equal(out.n_cycle, 2);
        for (uint32_t i = 0; i < 2; i++)
                assert_int_equal(out.cycle[i].loc, 1 + i);
        ps_replayed_clear(&out);
        ps_machine_free(m);
        ps_trace_close(trace);
}
