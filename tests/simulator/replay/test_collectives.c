/* test_collectives.c - collective operations of a replay on a machine that names a library: members come when
 * they come, and go on as far as the messages of the others let them. X(b) = 5 us + b ns. */
#include "simulator/cost/collectives.h"
#include "tests/simulator/replay/lab.h"
#include "tests/support/test.h"
#include "tests/support/unchanged.h"

#include <stdlib.h>
#include <string.h>

static ps_machine machine_of_library(ps_shape library)
{
        ps_machine m;
        ps_machine_init(&m, PS_MODEL_HOCKNEY);
        m.link = (ps_link){5e-6, 1e9};
        m.eager_bytes = 65536;
        if (library != PS_N_SHAPES)
                ps_collectives_of_library(&m, library);
        return m;
}

static ps_time x(uint64_t bytes)
{
        return 5 * LAB_US + (ps_time)bytes * 1000;
}

static ps_time time_of(replay_lab *lab, ps_shape library)
{
        ps_machine m = machine_of_library(library);
        ps_trace *trace = replay_lab_trace(lab);
        ps_time time = lab_time_on(trace, &m);
        ps_trace_close(trace);
        return time;
}

static replay_lab *many_of(ps_kind kind, uint32_t n_ranks, uint32_t times, uint64_t bytes)
{
        replay_lab *lab = replay_lab_new(n_ranks);
        uint32_t root = ps_kinds[kind].traits & (PS_T_ONE_TO_ALL | PS_T_ALL_TO_ONE) ? 0 : PS_NONE;
        for (uint32_t r = 0; r < n_ranks; r++)
                for (uint32_t i = 0; i < times; i++)
                        rank_coll(lab, r, kind, 0, root, bytes);
        return lab;
}

TEST(ten_broadcasts_overtake_one_another)
{
        /* 3 levels of a binary tree, all ten on their way at once; one after the other by the formula. */
        assert_int_equal(time_of(many_of(PS_K_BCAST, 8, 10, 8), PS_SHAPE_OPENMPI), 3 * x(8));
        assert_int_equal(time_of(many_of(PS_K_REDUCE, 8, 10, 8), PS_SHAPE_OPENMPI), 3 * x(8));
        assert_int_equal(time_of(many_of(PS_K_BCAST, 8, 10, 8), PS_N_SHAPES), 10 * 3 * x(8));
        assert_int_equal(time_of(many_of(PS_K_BCAST, 64, 10, 32768), PS_SHAPE_OPENMPI), 3 * x(32768));
        /* All wait for all. */
        assert_int_equal(time_of(many_of(PS_K_ALLREDUCE, 8, 10, 1024), PS_SHAPE_OPENMPI), 10 * 3 * x(1024));
        assert_int_equal(time_of(many_of(PS_K_BARRIER, 8, 10, 0), PS_SHAPE_MPICH), 10 * 3 * x(0));
}

TEST(who_is_late_holds_up_those_who_need_it)
{
        for (int kind = 0; kind < 2; kind++) {
                replay_lab *lab = replay_lab_new(8);
                rank_compute(lab, 7, 100 * LAB_US);    /* a leaf below 3, 1 and 0 */
                rank_calls_take(lab, 0, 500 * LAB_US); /* or it would not have waited for anybody */
                for (uint32_t r = 0; r < 8; r++)
                        rank_coll(lab, r, kind ? PS_K_REDUCE : PS_K_BCAST, 0, 0, 8);
                rank_compute(lab, 0, 200 * LAB_US);
                assert_int_equal(time_of(lab, PS_SHAPE_OPENMPI),
                                 200 * LAB_US + (kind ? 100 * LAB_US + 3 * x(8) : 0));
        }
}

/* Rank 1 comes to the broadcast only when it has what the root sends after it. */
TEST(nobody_waits_for_those_it_does_not_need)
{
        static const ps_shape shapes[] = {PS_SHAPE_OPENMPI, PS_SHAPE_MPICH, PS_SHAPE_P2P};
        for (uint32_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
                replay_lab *lab = replay_lab_new(8);
                rank_recv(lab, 1, 0, 1, 100);
                for (uint32_t r = 0; r < 8; r++)
                        rank_coll(lab, r, PS_K_BCAST, 0, 0, 8);
                rank_send(lab, 0, PS_K_SEND, 1, 1, 100);
                ps_time time = time_of(lab, shapes[i]);
                assert_true(time >= x(100) && time <= x(100) + 3 * x(8));
        }
}

TEST(large_messages_wait_for_their_receivers)
{
        /* Two ranks exchange halves, reduced, and halves again; a rendezvous takes as long as any message. */
        assert_int_equal(time_of(many_of(PS_K_ALLREDUCE, 2, 1, 1 << 20), PS_SHAPE_OPENMPI), 2 * x(1 << 19));
        replay_lab *lab = replay_lab_new(16);
        rank_compute(lab, 8, 1000 * LAB_US); /* gets the first of the root's messages */
        for (uint32_t r = 0; r < 16; r++)
                rank_coll(lab, r, PS_K_BCAST, 0, 0, 100000);
        /* The root's one to 4 waits for that to 8; 8 passes on to 12, 12 to 14, 14 to 15. */
        ps_machine m = machine_of_library(PS_SHAPE_MPICH);
        memset(m.collective, 0, sizeof(m.collective));
        m.collective[PS_K_BCAST][0] = PS_SHAPE_P2P;
        ps_trace *trace = replay_lab_trace(lab);
        assert_int_equal(lab_time_on(trace, &m), 1000 * LAB_US + 4 * x(100000));
        ps_trace_close(trace);
}

TEST(parts_of_all_ranks_meet_by_themselves)
{
        const uint32_t odd[] = {5, 3, 1};
        replay_lab *lab = replay_lab_new(6);
        ps_comm comm = replay_lab_comm(lab, odd, 3);
        for (uint32_t i = 0; i < 3; i++)
                rank_coll(lab, odd[i], PS_K_ALLREDUCE, comm, PS_NONE, 16);
        rank_compute(lab, 0, 300 * LAB_US);
        rank_coll(lab, 0, PS_K_BARRIER, 0, PS_NONE, 0);
        for (uint32_t r = 1; r < 6; r++)
                rank_coll(lab, r, PS_K_BARRIER, 0, PS_NONE, 0);
        /* Open MPI has a linear barrier for 4 to 7: to the root and back. */
        assert_int_equal(time_of(lab, PS_SHAPE_OPENMPI), 300 * LAB_US + x(0));
}

TEST(many_ranks_take_a_formula)
{
        assert_int_equal(time_of(many_of(PS_K_ALLTOALL, 1024, 1, 4096 * 1024), PS_SHAPE_OPENMPI), x(4096));
        assert_int_equal(time_of(many_of(PS_K_ALLTOALL, 300, 1, 4096 * 300), PS_SHAPE_MPICH), x(4096));
}
