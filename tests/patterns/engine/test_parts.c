/* test_parts.c - parts in collective operations, which the walk takes off columns: who waits for whom, from
 * which epsilon on that is a finding, and that rows which are asked say the same. Records stand a quarter
 * into a call, and a quarter before its end. */
#include "tests/patterns/engine/lab.h"
#include "tests/support/analysed.h"
#include "tests/support/test.h"

#define US(n)   PS_GEN_US(n)
#define LOST(n) ((ps_time)(n)*1000 * PS_PS_PER_NS)

/* Whatever counts as a finding. */
static void expect_alike(const ps_trace *trace)
{
        for (ps_time epsilon = -1; epsilon < 2; epsilon++)
                analysed_in_full(trace, &trace->measured, epsilon);
        analysed_in_full(trace, &trace->measured, LOST(20));
}

static ps_time waited(const ps_analysis *a, ps_loc loc)
{
        ps_time sum = 0;
        for (int from = 0; from < PS_TIME_KINDS; from++)
                sum += a->moves[loc].moved[from][PS_TIME_WAITING];
        return sum;
}

static void expect_finding(const ps_analysis *a, const char *id, ps_loc loc, ps_time lost, ps_time begin,
                           ps_loc partner)
{
        const ps_finding *f = engine_finding(a, id, loc);
        assert_non_null(f);
        assert_int_equal(f->lost, lost);
        assert_int_equal(f->worst.begin, begin);
        assert_int_equal(f->worst.partner.loc, partner);
}

/* The first waits from 10 to 26 and leaves at 30, the second is inside from 26 to 46. */
TEST(a_part_is_a_finding_from_epsilon_on_and_waits_in_any_case)
{
        ps_gen *g = engine_ranks(2);
        ps_gen_barrier(g, 0, US(0), US(40), PS_GEN_WORLD);
        ps_gen_barrier(g, 1, US(16), US(56), PS_GEN_WORLD);
        ps_trace *trace = engine_load(g);
        for (ps_time more = -1; more < 2; more++) {
                ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, LOST(16) + more);
                uint64_t n = more <= 0;
                assert_int_equal(analysed_count(a, engine_row("barrier-wait"), 1), n);
                assert_int_equal(analysed_count(a, engine_row("barrier-completion"), 1), n);
                assert_int_equal(waited(a, 0), LOST(16));
                assert_int_equal(waited(a, 1), 0);
                if (n) {
                        expect_finding(a, "barrier-wait", 0, LOST(16), LOST(10), 1);
                        expect_finding(a, "barrier-completion", 1, LOST(16), LOST(26), 1);
                }
                ps_analysis_free(a);
                analysed_in_full(trace, &trace->measured, LOST(16) + more);
        }
        engine_end(NULL, trace);
}

/* The first root begins at 50, its receivers at 20 and 40; the second at 250, its receivers at 220, and one
 * that gets nothing. The root of the reduction begins at 420, who sends to it at 450; who sends nothing comes
 * last. */
TEST(roots_change_from_operation_to_operation)
{
        static const struct {
                const char *name;
                uint32_t loc, begin, end, root;
                uint64_t sent, received;
        } calls[] = {{"MPI_Bcast", 0, 40, 80, 0, 8, 8},    {"MPI_Bcast", 1, 0, 80, 0, 0, 8},
                     {"MPI_Bcast", 2, 20, 100, 0, 0, 8},   {"MPI_Bcast", 0, 200, 280, 2, 0, 8},
                     {"MPI_Bcast", 1, 200, 280, 2, 0, 0},  {"MPI_Bcast", 2, 240, 280, 2, 8, 8},
                     {"MPI_Reduce", 0, 440, 480, 1, 8, 0}, {"MPI_Reduce", 1, 400, 480, 1, 8, 8},
                     {"MPI_Reduce", 2, 460, 468, 1, 0, 0}};
        ps_gen *g = engine_ranks(3);
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
                ps_gen_collective(g, calls[i].name, calls[i].loc, US(calls[i].begin), US(calls[i].end),
                                  PS_GEN_WORLD, calls[i].root, calls[i].sent, calls[i].received);
        ps_trace *trace = engine_load(g);
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, -1);
        assert_int_equal(engine_total_loss(a, "late-broadcast"), LOST(70));
        expect_finding(a, "late-broadcast", 0, LOST(30), LOST(220), 2);
        expect_finding(a, "late-broadcast", 1, LOST(30), LOST(20), 0);
        expect_finding(a, "late-broadcast", 2, LOST(10), LOST(40), 0);
        assert_int_equal(engine_total_loss(a, "early-reduce"), LOST(30));
        expect_finding(a, "early-reduce", 1, LOST(30), LOST(420), 0);
        expect_alike(trace);
        engine_end(a, trace);
}

static void put_fence(ps_gen *g, uint32_t loc, uint32_t window, uint64_t begin, uint64_t end)
{
        const ps_gen_rec records[] = {PS_GEN_REC_OF(RMA_COLL_BEGIN, .ref = window),
                                      PS_GEN_REC_OF(RMA_COLL_END, .op = OTF2_COLLECTIVE_OP_BARRIER,
                                                    .ref = window, .tag = OTF2_RMA_SYNC_LEVEL_PROCESS,
                                                    .peer = OTF2_COLLECTIVE_ROOT_NONE)};
        ps_gen_call(g, "MPI_Win_fence", loc, begin, end, 2, records);
}

/* They are inside from 160 to 320, 200 to 360 and 240 to 320. The second time the first one has left when the
 * last one comes, so that nobody has waited. */
TEST(a_fence_makes_wait_unless_somebody_has_left_before)
{
        static const uint32_t times[][4] = {{80, 400, 500, 540}, {120, 440, 500, 700}, {200, 360, 600, 700}};
        ps_gen *g = engine_ranks(3);
        const uint32_t window = ps_gen_window(g, "window", PS_GEN_WORLD);
        const ps_gen_rec put = PS_GEN_REC_OF(PUT, .ref = window, .peer = 1, .bytes = 8);
        ps_gen_call(g, "MPI_Put", 0, US(0), US(40), 1, &put);
        for (uint32_t loc = 0; loc < 3; loc++) {
                put_fence(g, loc, window, US(times[loc][0]), US(times[loc][1]));
                put_fence(g, loc, window, US(times[loc][2]), US(times[loc][3]));
        }
        ps_trace *trace = engine_load(g);
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, -1);
        assert_int_equal(engine_total_loss(a, "fence-wait"), LOST(80 + 40));
        expect_finding(a, "fence-wait", 0, LOST(80), LOST(160), 2);
        expect_finding(a, "fence-wait", 1, LOST(40), LOST(200), 2);
        assert_null(engine_finding(a, "early-transfer", 0));
        expect_alike(trace);
        engine_end(a, trace);
}

/* They begin at 50, 30 and 20, and end at 70, 50 and 60; the second time the first one sends nothing. */
TEST(who_scans_waits_for_lower_ranks_that_send)
{
        ps_gen *g = engine_ranks(3);
        for (uint64_t t = 0, sent = 8; t <= 200; t += 200, sent = 0) {
                ps_gen_collective(g, "MPI_Scan", 0, US(t + 40), US(t + 80), PS_GEN_WORLD,
                                  OTF2_COLLECTIVE_ROOT_NONE, sent, 8);
                ps_gen_collective(g, "MPI_Scan", 1, US(t + 20), US(t + 60), PS_GEN_WORLD,
                                  OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
                ps_gen_collective(g, "MPI_Scan", 2, US(t), US(t + 80), PS_GEN_WORLD,
                                  OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
        }
        ps_trace *trace = engine_load(g);
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, -1);
        assert_null(engine_finding(a, "early-scan", 0));
        expect_finding(a, "early-scan", 1, LOST(20), LOST(30), 0);
        expect_finding(a, "early-scan", 2, LOST(30 + 10), LOST(20), 0);
        expect_alike(trace);
        engine_end(a, trace);
}

/* -- nonblocking ones -- */

enum { BARRIER = 1, REDUCTION };

static void wait_for_both(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t end)
{
        const ps_gen_rec done[] = {
                PS_GEN_COLLECTED("MPI_Ibarrier", PS_GEN_WORLD, OTF2_COLLECTIVE_ROOT_NONE, 0, 0, BARRIER),
                PS_GEN_COLLECTED("MPI_Iallreduce", PS_GEN_WORLD, OTF2_COLLECTIVE_ROOT_NONE, 8, 8, REDUCTION)};
        ps_gen_waitall(g, loc, US(begin), US(end), 2, done);
}

/* The first waits from 20 to 60 for a barrier that the other one begins at 31 and a reduction that it begins
 * at 41. Back in its Waitall that one is when `back` says. */
static ps_trace *begun_by_two(uint64_t back)
{
        ps_gen *g = engine_ranks(2);
        ps_gen_nbc(g, "MPI_Ibarrier", 0, US(0), US(4), BARRIER);
        ps_gen_nbc(g, "MPI_Iallreduce", 0, US(8), US(12), REDUCTION);
        wait_for_both(g, 0, 20, 60);
        ps_gen_nbc(g, "MPI_Ibarrier", 1, US(30), US(34), BARRIER);
        ps_gen_nbc(g, "MPI_Iallreduce", 1, US(40), US(44), REDUCTION);
        wait_for_both(g, 1, back, 64);
        return engine_load(g);
}

TEST(of_several_operations_the_latest_is_waited_for_once)
{
        ps_trace *trace = begun_by_two(50);
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, -1);
        expect_finding(a, "nonblocking-collective-wait", 0, LOST(21), LOST(20), 1);
        expect_finding(a, "wait-transfer", 0, LOST(19), LOST(20), 1);
        assert_null(engine_finding(a, "nonblocking-collective-wait", 1));
        expect_finding(a, "wait-transfer", 1, LOST(14), LOST(50), 1);
        expect_alike(trace);
        engine_end(a, trace);
}

/* It comes back at 58, for 14 it was elsewhere, and 2 later the wait is over. */
TEST(who_comes_back_late_is_waited_for)
{
        ps_trace *trace = begun_by_two(58);
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, -1);
        expect_finding(a, "nonblocking-collective-wait", 0, LOST(38), LOST(20), 1);
        assert_int_equal(engine_finding(a, "nonblocking-collective-wait", 0)->worst.partner.op, 2);
        expect_finding(a, "wait-transfer", 0, LOST(2), LOST(20), 1);
        expect_alike(trace);
        engine_end(a, trace);
}

/* -- what is not plain -- */

TEST(a_call_that_completes_a_message_too_is_asked)
{
        ps_gen *g = engine_ranks(2);
        ps_gen_irecv(g, 0, US(0), US(4), 7);
        ps_gen_nbc(g, "MPI_Ibarrier", 0, US(8), US(12), BARRIER);
        const ps_gen_rec done[] = {
                PS_GEN_COLLECTED("MPI_Ibarrier", PS_GEN_WORLD, OTF2_COLLECTIVE_ROOT_NONE, 0, 0, BARRIER),
                PS_GEN_GOT(1, PS_GEN_WORLD, 0, 8, 7)};
        ps_gen_waitall(g, 0, US(20), US(60), 2, done);
        ps_gen_nbc(g, "MPI_Ibarrier", 1, US(30), US(34), BARRIER);
        ps_gen_send(g, 1, US(40), US(44), 0, PS_GEN_WORLD, 0, 8);
        ps_gen_wait(g, 1, US(56), US(60), done[0]);
        ps_trace *trace = engine_load(g);
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, -1);
        assert_int_equal(engine_total_loss(a, "late-sender"), 0);
        expect_finding(a, "nonblocking-collective-wait", 0, LOST(36), LOST(20), 1);
        expect_alike(trace);
        engine_end(a, trace);
}

TEST(an_operation_that_lacks_a_member_is_not_explained)
{
        ps_gen *g = engine_ranks(3);
        ps_gen_barrier(g, 0, US(0), US(40), PS_GEN_WORLD);
        ps_gen_barrier(g, 1, US(16), US(56), PS_GEN_WORLD);
        ps_gen_visit(g, 2, US(0), US(60), "work");
        ps_trace *trace = engine_load(g);
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, -1);
        expect_finding(a, "barrier-wait", 0, LOST(16), LOST(10), 1);
        assert_non_null(engine_finding(a, "not-explained", 0));
        assert_non_null(engine_finding(a, "not-explained", 1));
        expect_alike(trace);
        engine_end(a, trace);
}

/* Operations of other kinds, of a recorder that begins and ends none, and of no bytes. */
TEST(other_operations_are_told_as_rows_tell_them)
{
        static const char *const names[] = {"MPI_Alltoall",      "MPI_Allgatherv", "MPI_Gather",
                                            "MPI_Scatterv",      "MPI_Exscan",     "MPI_Comm_dup",
                                            "MPI_Reduce_scatter"};
        ps_gen *g = engine_ranks(3);
        uint64_t t = 0;
        for (uint64_t bytes = 0; bytes < 3; bytes++)
                for (size_t i = 0; i < sizeof names / sizeof *names; i++, t += 100)
                        for (uint32_t loc = 0; loc < 3; loc++) {
                                uint64_t begin = US(t + (loc * 13 + i * 7 + bytes) % 40);
                                uint64_t has = bytes == 2 ? loc % 2 : bytes;
                                ps_gen_collective(g, names[i], loc, begin, US(t + 60 + loc % 2 * 20),
                                                  PS_GEN_WORLD, (uint32_t)(i + bytes) % 3, has, has);
                                ps_gen_visit(g, loc, US(t + 90), US(t + 91), "MPI_Allreduce");
                        }
        ps_trace *trace = engine_load(g);
        expect_alike(trace);
        engine_end(NULL, trace);
}
