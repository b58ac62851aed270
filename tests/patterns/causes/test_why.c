/* test_why.c - why somebody delayed the others: what he is in meanwhile tells. Times are microseconds. */
#include "tests/patterns/causes/lab.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"
#include "tests/support/tracegen_calls.h"

#define US       PS_GEN_US
#define TIME(us) ((ps_time)(us)*1000 * PS_PS_PER_NS)
#define WORLD    PS_GEN_WORLD

/* The first cause is this location's, for this reason, and explains so much. */
static void expect_first(ps_gen *g, ps_loc loc, ps_why why, ps_time direct)
{
        ps_gen_close(g);
        ps_trace *trace = delayed_load(ps_gen_anchor(g), PS_CLOCK_AS_IS);
        delayed d = delayed_of(trace, PS_DEFINITIONS_PATSCAN, 0, 1);
        delayed_check(&d, "why");
        assert_true(d.causes->n > 0);
        assert_int_equal(d.causes->row[0].location, loc);
        assert_int_equal(d.causes->row[0].why, why);
        assert_int_equal(d.causes->row[0].direct, TIME(direct));
        delayed_free(&d);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* Only calls were recorded: rank 0 computes for 99 between its barrier and its send, rank 1 for 19. */
static ps_gen *calls_alone(uint64_t first_event)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        if (!first_event)
                ps_gen_visit(g, 0, US(0), US(1), "MPI_Comm_rank");
        ps_gen_visit(g, 1, US(0), US(1), "MPI_Comm_rank");
        ps_gen_send(g, 0, US(100), US(101), 1, WORLD, 0, 8);
        ps_gen_recv(g, 1, US(20), US(105), 0, WORLD, 0, 8);
        return g;
}

TEST(a_process_computes_outside_of_functions)
{
        expect_first(calls_alone(0), 0, PS_WHY_LONGER, 80);
}

/* Nothing is known of rank 0 before its send: 100, of which rank 1 has 19, so that 80 are 80 of 81. */
TEST(a_process_that_has_not_begun_begins_late)
{
        expect_first(calls_alone(100), 0, PS_WHY_START, 80);
}

/* Two threads of a team: the second one works for 90 until the barrier, the first one for 10. */
TEST(what_a_team_does_is_computed)
{
        static const uint64_t until[] = {US(20), US(100)};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1, .threads = 2});
        const uint32_t members[] = {ps_gen_at(g, 0, 0), ps_gen_at(g, 0, 1)};
        uint32_t team = ps_gen_team(g, "team", members, 2);
        for (unsigned t = 0; t < 2; t++) {
                ps_gen_enter(g, members[t], US(0), "main");
                ps_gen_put(g, members[t], US(10), PS_GEN_REC_OF(TEAM_BEGIN, .comm = team));
                ps_gen_enter(g, members[t], US(10), "!$omp parallel @a.c:3");
                ps_gen_visit(g, members[t], until[t], US(100), "!$omp implicit barrier @a.c:9");
                ps_gen_leave(g, members[t], US(110), "!$omp parallel @a.c:3");
                ps_gen_put(g, members[t], US(110), PS_GEN_REC_OF(TEAM_END, .comm = team));
                ps_gen_leave(g, members[t], US(110), "main");
        }
        expect_first(g, members[1], PS_WHY_LONGER, 80);
}

/* All that rank 0 does longer is a receive: 60 for its message to arrive, once it was sent. */
TEST(a_call_that_takes_long_transfers)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        ps_gen_send(g, 2, US(10), US(11), 0, WORLD, 0, 1000000);
        ps_gen_recv(g, 0, US(10), US(70), 2, WORLD, 0, 1000000);
        ps_gen_send(g, 0, US(70), US(71), 1, WORLD, 0, 8);
        ps_gen_recv(g, 1, US(10), US(75), 0, WORLD, 0, 8);
        expect_first(g, 0, PS_WHY_TRANSFER, 60);
}
