/* test_unexplained.c - what of a call is waiting, what is transfer, and what the trace does not explain. */
#include "core/model/unexplained.h"
#include "tests/support/analysed.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#include <string.h>

#define US(n) ((ps_time)(n)*1000 * PS_PS_PER_NS)

static ps_gen *two_ranks(ps_gen_style style)
{
        return ps_gen_new(NULL, (ps_gen_options){.ranks = 2, .style = style});
}

/* What rank 0 spends in each kind, in microseconds; frees the generator. */
static void expect_spent(ps_gen *g, int waiting, int transfer, int unexplained)
{
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        ps_times *times = analysed_times(t, 1);
        assert_int_equal(ps_times_of_kind(times, PS_TIME_WAITING)[0], US(waiting));
        assert_int_equal(ps_times_of_kind(times, PS_TIME_TRANSFER)[0], US(transfer));
        assert_int_equal(ps_times_of_kind(times, PS_TIME_UNEXPLAINED)[0], US(unexplained));
        ps_times_free(times);
        ps_trace_close(t);
        ps_gen_free(g);
}

/* -- a receive that goes on after its send began -- */

/* Rank 0 receives from 100 to 300; its message is sent at `sent`. */
static void expect_split(unsigned sent, int waiting, int transfer)
{
        ps_gen *g = two_ranks(PS_GEN_SCOREP);
        ps_gen_send(g, 1, PS_GEN_US(sent), PS_GEN_US(sent + 5), 0, PS_GEN_WORLD, 7, 100);
        ps_gen_recv(g, 0, PS_GEN_US(100), PS_GEN_US(300), 1, PS_GEN_WORLD, 7, 100);
        expect_spent(g, waiting, transfer, 0);
}

TEST(a_receive_waits_until_its_send_begins)
{
        expect_split(50, 0, 200);
        expect_split(100, 0, 200);
        expect_split(101, 1, 199);
        expect_split(180, 80, 120);
        expect_split(299, 199, 1);
}

/* The same of a receive that was posted at 10, and waited for from 100 to 300. */
TEST(so_does_the_wait_of_one)
{
        static const unsigned sent[] = {5, 50, 180};
        for (int i = 0; i < 3; i++) {
                ps_gen *g = two_ranks(PS_GEN_SCOREP);
                ps_gen_send(g, 1, PS_GEN_US(sent[i]), PS_GEN_US(sent[i] + 5), 0, PS_GEN_WORLD, 7, 100);
                ps_gen_irecv(g, 0, PS_GEN_US(10), PS_GEN_US(20), 1);
                ps_gen_wait(g, 0, PS_GEN_US(100), PS_GEN_US(300), PS_GEN_GOT(1, PS_GEN_WORLD, 7, 100, 1));
                expect_spent(g, i == 2 ? 80 : 0, i == 2 ? 130 : 210, 0);
        }
}

/* -- calls whose other ends nobody recorded -- */

static ps_unexplained why_of(const ps_trace *t, ps_loc loc, const char *region)
{
        for (ps_op i = 0; i < t->ops[loc].n; i++) {
                ps_region r = t->paths[ps_op_path(&t->ops[loc], i)].region;
                if (!strcmp(ps_defs_str(&t->defs, t->defs.regions.row[r].name), region))
                        return ps_op_unexplained_why(t, (ps_ref){loc, i});
        }
        fail_msg("there is no %s", region);
        return PS_EXPLAINED;
}

static void expect_why(ps_gen *g, const char *region, ps_unexplained why, int unexplained)
{
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        ps_unexplained found = why_of(t, 0, region);
        if (found != why)
                fail_msg("%s: %s, not %s", region,
                         found == PS_EXPLAINED ? "explained" : ps_unexplained_reasons[found].key,
                         why == PS_EXPLAINED ? "explained" : ps_unexplained_reasons[why].key);
        ps_times *times = analysed_times(t, 1);
        assert_int_equal(ps_times_of_kind(times, PS_TIME_UNEXPLAINED)[0], US(unexplained));
        ps_times_free(times);
        ps_trace_close(t);
        ps_gen_free(g);
}

/* Score-P sees the calls, but not what they receive; the send finds no partner. */
TEST(matched_probes_tell_nothing)
{
        static const char *const regions[] = {"MPI_Mprobe", "MPI_Mrecv"};
        for (int i = 0; i < 2; i++) {
                ps_gen *g = two_ranks(PS_GEN_SCOREP);
                ps_gen_send(g, 1, PS_GEN_US(50), PS_GEN_US(55), 0, PS_GEN_WORLD, 7, 100);
                ps_gen_visit(g, 0, PS_GEN_US(10), PS_GEN_US(60), "MPI_Mprobe");
                ps_gen_visit(g, 0, PS_GEN_US(70), PS_GEN_US(73), "MPI_Mrecv");
                expect_why(g, regions[i], PS_UNEXPLAINED_NO_RECORD, 50 + 3);
        }
}

/* Who knows windows records what a flush completes: without a record that was nothing. */
TEST(a_flush_completes_nothing_where_transfers_are_told)
{
        for (int knows = 0; knows < 2; knows++) {
                ps_gen *g = two_ranks(PS_GEN_SCOREP);
                if (knows)
                        (void)ps_gen_window(g, "window", PS_GEN_WORLD);
                ps_gen_visit(g, 0, PS_GEN_US(10), PS_GEN_US(60), "MPI_Win_flush_all");
                ps_gen_visit(g, 0, PS_GEN_US(70), PS_GEN_US(73), "MPI_Comm_rank");
                expect_why(g, "MPI_Win_flush_all", knows ? PS_EXPLAINED : PS_UNEXPLAINED_NO_RECORD,
                           knows ? 0 : 50);
        }
}

/* EZTrace has these as regions, without any record. */
TEST(regions_alone_tell_nothing)
{
        static const char *const regions[] = {"MPI_Scan", "MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Put",
                                              "MPI_Get"};
        for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
                ps_gen *g = two_ranks(PS_GEN_EZTRACE);
                for (uint32_t r = 0; r < 2; r++)
                        ps_gen_visit(g, r, PS_GEN_US(10), PS_GEN_US(50), regions[i]);
                expect_why(g, regions[i], PS_UNEXPLAINED_NO_RECORD, 40);
        }
}

/* Nobody records who takes part in a collective operation on a file; others wait for no one. */
TEST(collective_calls_of_files_tell_nothing)
{
        static const char *const regions[] = {"MPI_File_write_at_all", "MPI_FILE_READ_ALL",
                                              "mpi_file_write_ordered_end_", "MPI_File_close",
                                              "MPI_File_write_at"};
        for (int i = 0; i < 5; i++) {
                ps_gen *g = two_ranks(PS_GEN_SCOREP);
                for (uint32_t r = 0; r < 2; r++)
                        ps_gen_visit(g, r, PS_GEN_US(10), PS_GEN_US(50), regions[i]);
                if (i < 4)
                        expect_why(g, regions[i], PS_UNEXPLAINED_OF_FILES, 40);
                else
                        expect_spent(g, 0, 0, 0);
        }
}

/* Whose message was never received, or not recorded to be. */
TEST(messages_without_a_partner)
{
        ps_gen *g = two_ranks(PS_GEN_SCOREP);
        ps_gen_ssend(g, 0, PS_GEN_US(10), PS_GEN_US(50), 1, PS_GEN_WORLD, 7, 100);
        ps_gen_visit(g, 1, PS_GEN_US(10), PS_GEN_US(20), "work");
        expect_why(g, "MPI_Ssend", PS_UNEXPLAINED_NO_PARTNER, 40);
}

/* -- calls that complete nothing -- */

/* One whose request stays open, as far as the records tell. */
TEST(a_wait_without_a_completion)
{
        ps_gen *g = two_ranks(PS_GEN_EZTRACE);
        ps_gen_isend(g, 0, PS_GEN_US(10), PS_GEN_US(12), 1, PS_GEN_WORLD, 7, 100, 1);
        ps_gen_visit(g, 0, PS_GEN_US(20), PS_GEN_US(60), "MPI_Wait");
        ps_gen_recv(g, 1, PS_GEN_US(10), PS_GEN_US(30), 0, PS_GEN_WORLD, 7, 100);
        expect_why(g, "MPI_Wait", PS_UNEXPLAINED_NO_COMPLETION, 40);
}

/* Where all requests are completed elsewhere, a call that completes nothing had none. */
TEST(null_requests_need_no_explanation)
{
        ps_gen *g = two_ranks(PS_GEN_SCOREP);
        ps_gen_isend(g, 0, PS_GEN_US(10), PS_GEN_US(12), 1, PS_GEN_WORLD, 7, 100, 1);
        ps_gen_wait(g, 0, PS_GEN_US(20), PS_GEN_US(25), PS_GEN_SENT(1));
        ps_gen_visit(g, 0, PS_GEN_US(30), PS_GEN_US(34), "MPI_Waitall");
        ps_gen_recv(g, 1, PS_GEN_US(10), PS_GEN_US(30), 0, PS_GEN_WORLD, 7, 100);
        expect_why(g, "MPI_Waitall", PS_EXPLAINED, 0);
}

/* A recorder that tells of no requests at all: nobody knows. */
TEST(requests_that_nobody_recorded)
{
        ps_gen *g = two_ranks(PS_GEN_SCOREP);
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_visit(g, r, PS_GEN_US(30), PS_GEN_US(34), "MPI_Waitall");
        expect_why(g, "MPI_Waitall", PS_UNEXPLAINED_NO_COMPLETION, 4);
}
