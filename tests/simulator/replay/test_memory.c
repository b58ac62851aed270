/* test_memory.c - replays with other computations in which each allocation fails in turn. */
#include "core/model/pieces.h"
#include "tests/simulator/replay/lab.h"
#include "tests/support/damage.h"
#include "tests/support/failing_memory.h"
#include "tests/support/loaded.h"
#include "tests/support/machines.h"
#include "tests/support/test.h"

#include <stdlib.h>

/* Two ranks visit a region and meet. */
static ps_trace *run(const struct ps_piece_options *pieces)
{
        replay_lab *lab = replay_lab_new(2);
        ps_region region = replay_lab_region(lab, "a");
        for (uint32_t rank = 0; rank < 2; rank++) {
                rank_visit(lab, rank, region, (1 + rank) * LAB_US);
                rank_coll(lab, rank, PS_K_BARRIER, 0, PS_NONE, 0);
        }
        return replay_lab_trace_with(lab, pieces);
}

/* At least `least` allocations. */
static void fail_each_allocation(const ps_trace *trace, const ps_scenario *s, long least)
{
        ps_replay *replay;
        long n = 0;
        assert_int_equal(ps_replay_new(&replay, trace, &trace->measured, 1, NULL), PS_OK);
        for (int done = 0; !done; n++) {
                ps_error err = {0};
                ps_replay_options options = {.n_threads = 1};
                ps_replayed out;
                ps_path_times times = {0};
                allocations_left = n;
                ps_status status = ps_replay_run(&out, replay, s, 1, &options, &err);
                if (status == PS_OK)
                        ps_replayed_clear(&out);
                if (status == PS_OK)
                        status = ps_replay_path_times(&times, replay, s, &err);
                ps_path_times_clear(&times);
                done = allocations_left >= 0;
                allocations_left = -1;
                assert_true(done ? status == PS_OK : status == PS_E_NOMEM && err.n_causes);
        }
        assert_true(n > least);
        ps_replay_free(replay);
}

TEST(every_allocation_may_fail)
{
        for (int has_pieces = 0; has_pieces < 2; has_pieces++) {
                ps_scenario s;
                ps_trace *trace = run(has_pieces ? &loaded_pieces : NULL);
                ps_work_edit works[] = {lab_work(trace, NULL, PS_WORK_BALANCE, 1),
                                        lab_work(trace, "a", PS_WORK_EVEN, 1),
                                        lab_work(trace, "a", PS_WORK_SCALE, 0.5)};
                ps_scenario_init(&s);
                s.works = works;
                s.n_works = 3;
                fail_each_allocation(trace, &s, 30);
                ps_trace_close(trace);
        }
}

/* Two ranks that exchange data as neighbours, and meet in a scan. */
static ps_gen *by_rank(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t rank = 0; rank < 2; rank++) {
                ps_gen_neighbours(g, PS_GEN_WORLD, rank, rank ? "0" : "1");
                ps_gen_collective(g, "MPI_Neighbor_alltoall", rank, PS_GEN_US(10 * rank), PS_GEN_US(20),
                                  PS_GEN_WORLD, OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
                ps_gen_collective(g, "MPI_Scan", rank, PS_GEN_US(20), PS_GEN_US(30), PS_GEN_WORLD,
                                  OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
        }
        return g;
}

TEST(operations_by_rank_may_lack_memory)
{
        ps_gen *g = by_rank();
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        ps_machine *m =
                machine_of("{\"model\":\"hockney\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":1e9}");
        for (int on_machine = 0; on_machine < 2; on_machine++) {
                ps_scenario s;
                ps_scenario_init(&s);
                s.machine = on_machine ? m : NULL;
                fail_each_allocation(trace, &s, 10);
        }
        bool done = false;
        for (long n = 0; !done; n++) {
                ps_replay *replay = NULL;
                ps_error err = {0};
                allocations_left = n;
                ps_status status = ps_replay_new(&replay, trace, &trace->measured, 1, &err);
                done = allocations_left >= 0;
                allocations_left = -1;
                assert_true(done ? status == PS_OK : status == PS_E_NOMEM && err.n_causes);
                ps_replay_free(replay);
        }
        ps_machine_free(m);
        ps_trace_close(trace);
        ps_gen_free(g);
}
