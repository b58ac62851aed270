/* test_finish.c - recordings written by hand become archives; what is damaged in whatever way becomes an
 * error or less of an archive, nothing worse. */
#include "core/load/load.h"
#include "core/model/trace.h"
#include "record/finish/finish.h"
#include "record/raw/raw.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 512 };

static char root[] = "/tmp/patscan-finish-XXXXXX", run[ROOM];

static const char definitions[] = PS_RAW_VERSION "\n"
                                                 "process %d 2 1 abc ns 0 host\n"
                                                 "comm 0 world 0 0 2 1\n"
                                                 "comm 1 self 0 0 1 1\n"
                                                 "module 0 - /nowhere/app\n"
                                                 "site 0 MPI_Send 0 10\n"
                                                 "site 1 MPI_Recv 0 20\n"
                                                 "site 2 MPI_Barrier 0 30\n"
                                                 "comm 2 dup 0 0 2 1\n";

static void put_file(const char *name, const void *bytes, size_t n)
{
        char path[2 * ROOM];
        snprintf(path, sizeof(path), "%s/%s", run, name);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes, 1, n, file), n);
        assert_int_equal(fclose(file), 0);
}

static void put_definitions(int rank, const char *more)
{
        char text[2048], name[32];
        int n = snprintf(text, sizeof(text), definitions, rank);
        n += snprintf(text + n, sizeof(text) - (size_t)n, "%s", more);
        snprintf(name, sizeof(name), "%d.defs", rank);
        put_file(name, text, (size_t)n);
}

/* A file of rows: head, then what row() appends. */
typedef struct rows {
        uint8_t bytes[PS_RAW_HEAD_BYTES + 2048];
        size_t n;
} rows;

static rows begin_rows(uint32_t rank)
{
        rows r = {.n = PS_RAW_HEAD_BYTES};
        ps_raw_head head = {.version = PS_RAW_VERSION, .rank = rank};
        memcpy(r.bytes, &head, sizeof(head));
        return r;
}

static void row(rows *r, uint32_t site, uint64_t enter, uint64_t leave, const uint8_t *notes, uint32_t n)
{
        ps_raw_row head = {enter, leave, site, (n + 7) / 8 * 8};
        memcpy(r->bytes + r->n, &head, sizeof(head));
        memcpy(r->bytes + r->n + sizeof(head), notes, n);
        r->n += sizeof(head) + head.size;
}
#define ROW(rows, site, enter, leave, ...)                                                                   \
        row(rows, site, enter, leave, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void put_rows(const char *name, const rows *r, size_t n)
{
        put_file(name, r->bytes, n);
}

/* Rank 0 sends 5 bytes with tag 300 at 1000 ns, rank 1 receives them from 500 to 1500 ns on the copy of the
 * world; both enter a barrier, which rank 1 never leaves. */
static rows sender(void)
{
        rows r = begin_rows(0);
        ROW(&r, 0, 1000, 1100, PS_RAW_SEND, 1, 2, 0xac, 2, 5);
        ROW(&r, 2, 2000, 2500, PS_RAW_COLL, PS_RAW_OP_BARRIER, 0, PS_RAW_ROOT_NONE, 0, 0);
        return r;
}

static rows receiver(void)
{
        rows r = begin_rows(1);
        ROW(&r, 1, 500, 1500, PS_RAW_RECV, 0, 2, 0xac, 2, 5);
        ROW(&r, 2, 2400, 0, PS_RAW_COLL, PS_RAW_OP_BARRIER, 0, PS_RAW_ROOT_NONE, 0, 0);
        memset(r.bytes + r.n, 0, 64); /* room that was allocated, and not used */
        r.n += 64;
        return r;
}

static void put_whole_run(void)
{
        rows r[2] = {sender(), receiver()};
        mkdir(run, 0777);
        put_definitions(0, "processors 0-3,8\nend\n");
        put_definitions(1, "");
        put_rows("0.0.rows", &r[0], r[0].n);
        put_rows("1.0.rows", &r[1], r[1].n);
}

static ps_status finish(ps_finished *out)
{
        return ps_finish(run, 1, NULL, out, NULL);
}

static ps_trace *load(void)
{
        ps_trace *trace = NULL;
        assert_int_equal(ps_trace_load(&trace, root, &(ps_load_options){.n_threads = 1}, NULL), PS_OK);
        return trace;
}

static int setup(void **state)
{
        (void)state;
        if (!mkdtemp(root))
                return -1;
        snprintf(run, sizeof(run), "%s/" PS_RAW_PREFIX "1", root);
        return 0;
}

static int clean(void **state)
{
        char command[ROOM];
        (void)state;
        snprintf(command, sizeof(command), "rm -rf %s/*", root);
        return system(command);
}

static int teardown(void **state)
{
        clean(state);
        return rmdir(root);
}

TESTS_BETWEEN(setup, teardown)

#define RUN_TEST(name) TEST_BETWEEN(name, NULL, clean)

RUN_TEST(rows_become_an_archive)
{
        ps_finished finished;
        char *due;
        put_whole_run();
        assert_int_equal(ps_finish_is_due(root, 0, &due), 1);
        assert_string_equal(due, run);
        free(due);
        assert_int_equal(finish(&finished), PS_OK);
        assert_int_equal(finished.n_ranks, 2);
        assert_int_equal(finished.n_recorded, 2);
        assert_string_equal(finished.incomplete, "");
        assert_int_equal(ps_finish_is_due(root, 0, &due), 0); /* nothing is left to be done */
        ps_trace *trace = load();
        const ps_ops *sent = &trace->ops[0], *received = &trace->ops[1];
        assert_int_equal(trace->n_locs, 2);
        assert_string_equal(ps_defs_str(&trace->defs, trace->defs.processes.row[0].processors), "0-3,8");
        assert_int_equal(trace->defs.processes.row[1].processors, 0);
        assert_int_equal(trace->n_messages, 1);
        assert_int_equal(sent->n, 2);
        assert_int_equal(received->n, 2);
        assert_int_equal(ps_op_tag(sent, 0), 300);
        assert_int_equal(ps_op_bytes(sent, 0), 5);
        assert_true(sent->flags[0] & PS_OP_MATCHED);
        assert_string_equal(ps_defs_str(&trace->defs, trace->defs.comms.row[ps_op_comm(sent, 0)].name),
                            "dup 2");
        assert_int_equal(trace->measured.enter[1][0], 0);
        assert_int_equal(trace->measured.enter[0][0], 500 * PS_PS_PER_NS);
        ps_trace_close(trace);
}

static void expect_end(const ps_trace *trace, ps_proc process, ps_process_end end, uint32_t awaits)
{
        assert_int_equal(trace->defs.processes.row[process].end, end);
        assert_int_equal(trace->defs.processes.row[process].awaits, awaits == PS_NONE ? 0 : awaits + 1);
}

/* Rank 0 has ended, and never came to the barrier that rank 1 waits in. */
RUN_TEST(who_never_came_to_a_barrier_is_told)
{
        ps_finished finished;
        put_whole_run();
        assert_int_equal(finish(&finished), PS_OK);
        ps_trace *trace = load();
        expect_end(trace, 0, PS_END_REACHED, PS_NONE);
        expect_end(trace, 1, PS_END_CUT_OFF, 0);
        ps_trace_close(trace);
}

/* Each waits for the other: one in a Recv, one in a Wait for the second of two messages, of which the first
 * has come. With another request open, of any source, nobody can say. */
RUN_TEST(whom_open_calls_wait_for_is_told)
{
        for (int is_open = 0; is_open <= 1; is_open++) {
                ps_finished finished;
                rows a = begin_rows(0), b = begin_rows(1);
                ROW(&a, 1, 500, 0, PS_RAW_AWAITS, 2, 2);
                ROW(&b, 3, 100, 110, PS_RAW_IRECV_POST, 1, 2, 0);
                ROW(&b, 3, 200, 210, PS_RAW_IRECV_POST, 2, 1, 2);
                if (is_open)
                        ROW(&b, 3, 220, 230, PS_RAW_IRECV_POST, 3, 0, 0);
                ROW(&b, 4, 300, 400, PS_RAW_IRECV, 1, 0, 7, 5, 1);
                ROW(&b, 4, 500, 0, 0);
                mkdir(run, 0777);
                put_definitions(0, "");
                put_definitions(1, "site 3 MPI_Irecv 0 40\nsite 4 MPI_Wait 0 50\n");
                put_rows("0.0.rows", &a, a.n);
                put_rows("1.0.rows", &b, b.n);
                assert_int_equal(finish(&finished), PS_OK);
                ps_trace *trace = load();
                expect_end(trace, 0, PS_END_CUT_OFF, 1);
                expect_end(trace, 1, PS_END_CUT_OFF, is_open ? PS_NONE : 0);
                ps_trace_close(trace);
                clean(state);
        }
}

/* Rank 1 is in Abort, rank 0 receives from anybody. */
RUN_TEST(an_abort_is_told)
{
        ps_finished finished;
        rows a = begin_rows(0), b = begin_rows(1);
        ROW(&a, 1, 500, 0, PS_RAW_AWAITS, 0, 0);
        ROW(&b, 3, 600, 0, 0);
        mkdir(run, 0777);
        put_definitions(0, "");
        put_definitions(1, "site 3 MPI_Abort 0 40\n");
        put_rows("0.0.rows", &a, a.n);
        put_rows("1.0.rows", &b, b.n);
        assert_int_equal(finish(&finished), PS_OK);
        ps_trace *trace = load();
        expect_end(trace, 0, PS_END_CUT_OFF, PS_NONE);
        expect_end(trace, 1, PS_END_ABORT, PS_NONE);
        ps_trace_close(trace);
}

/* Two threads of rank 0 begin a parallel region at 1100 ns, the second is done at 1200, the first at 2000,
 * when they are joined. In it the first waits for a lock from 1300 to 1500, which the second held from 1150
 * on. */
static void put_threads(bool is_joined)
{
        enum { FORK = 3, LOCK = 4, UNLOCK = 5 };
        rows a = begin_rows(0), b = begin_rows(0);
        ROW(&a, FORK, 1000, 1000, PS_RAW_TEAM_FORK, 1);
        ROW(&a, FORK, 1100, 1100, PS_RAW_TEAM_BEGIN, 1);
        ROW(&a, LOCK, 1300, 1300, PS_RAW_REGION_ENTER);
        ROW(&a, 0, 1500, 1500, PS_RAW_LOCK_TAKEN, 7, 2, PS_RAW_REGION_LEAVE);
        ROW(&a, 0, 1600, 1650, PS_RAW_SEND, 1, 2, 3, 5);
        ROW(&a, FORK, 2000, 2000, PS_RAW_TEAM_END, 1);
        if (is_joined)
                ROW(&a, FORK, 2000, 2000, PS_RAW_TEAM_JOIN, 1);
        ROW(&b, FORK, 1100, 1100, PS_RAW_TEAM_BEGIN, 1);
        ROW(&b, LOCK, 1150, 1150, PS_RAW_REGION_ENTER, PS_RAW_LOCK_TAKEN, 7, 1, PS_RAW_REGION_LEAVE);
        ROW(&b, UNLOCK, 1200, 1200, PS_RAW_REGION_ENTER, PS_RAW_LOCK_GIVEN, 7, 1, PS_RAW_REGION_LEAVE);
        ROW(&b, FORK, 1200, 1200, PS_RAW_TEAM_END, 1);
        put_whole_run();
        put_definitions(0, "site 3 !PARALLEL: 0 40\nsite 4 !LOCK: 0 50\nsite 5 !UNLOCK: 0 60\n");
        put_rows("0.0.rows", &a, a.n);
        put_rows("0.1.rows", &b, b.n);
}

static void expect_row(const ps_trace *trace, ps_loc loc, ps_op op, ps_kind kind, int from_ns, int to_ns)
{
        assert_int_equal(trace->ops[loc].kind[op], kind); /* times count from the earliest event */
        assert_int_equal(trace->measured.enter[loc][op], (from_ns - 500) * PS_PS_PER_NS);
        assert_int_equal(trace->measured.leave[loc][op], (to_ns - 500) * PS_PS_PER_NS);
}

RUN_TEST(threads_wait_until_their_team_is_joined)
{
        ps_finished finished;
        put_threads(1);
        assert_int_equal(finish(&finished), PS_OK);
        ps_trace *trace = load();
        expect_row(trace, 1, 3, PS_K_TEAM_IMPLICIT_BARRIER, 1200, 2000);
        expect_row(trace, 0, 2, PS_K_LOCK_ACQUIRE, 1300, 1500);
        expect_row(trace, 0, 3, PS_K_SEND, 1600, 1650);
        expect_row(trace, 0, 4, PS_K_TEAM_IMPLICIT_BARRIER, 2000, 2000);
        assert_int_equal(trace->defs.comms.row[ps_op_comm(&trace->ops[1], 3)].n_members, 2);
        ps_path outer =
                trace->paths[ps_op_path(&trace->ops[0], 3)].parent; /* a call stands inside of the region */
        ps_str name = trace->defs.regions.row[trace->paths[outer].region].name;
        assert_string_equal(ps_defs_str(&trace->defs, name), "!$omp parallel");
        assert_string_equal(ps_path_region_name(trace, ps_op_path(&trace->ops[1], 2)), "omp_unset_lock");
        ps_trace_close(trace);
}

RUN_TEST(threads_that_are_never_joined_still_wait)
{
        ps_finished finished;
        put_threads(0);
        assert_int_equal(finish(&finished), PS_OK);
        ps_trace *trace = load();
        assert_int_equal(trace->ops[1].kind[3], PS_K_TEAM_IMPLICIT_BARRIER);
        assert_true(trace->ops[1].flags[3] & PS_OP_TRUNCATED);
        ps_trace_close(trace);
}

RUN_TEST(a_silent_rank_is_told)
{
        ps_finished finished;
        put_whole_run();
        char path[2 * ROOM];
        snprintf(path, sizeof(path), "%s/1.defs", run);
        assert_int_equal(remove(path), 0);
        assert_int_equal(finish(&finished), PS_OK);
        assert_string_equal(finished.incomplete, "nothing was recorded of rank 1");
        ps_trace *trace = load();
        assert_int_equal(trace->issues.row[PS_I_RECORDING_PARTIAL].count, 1);
        assert_int_equal(trace->n_locs, 2);
        ps_trace_close(trace);
}

/* Definitions lie in a file that is mapped: behind the last line are zeros. */
RUN_TEST(a_rank_that_was_killed_as_it_began_is_silent)
{
        static const char begun[] = PS_RAW_VERSION "\nprocess 1 2 1 abc ns 0 host\ncomm 0 world 0 0 2 1\ncom";
        for (size_t n = 0; n < sizeof(begun); n++) {
                char text[4096] = "";
                ps_finished finished;
                put_whole_run();
                memcpy(text, begun, n);
                put_file("1.defs", text, sizeof(text));
                assert_int_equal(finish(&finished), PS_OK);
                assert_string_equal(finished.incomplete, "nothing was recorded of rank 1");
                clean(state);
        }
}

RUN_TEST(rows_without_a_head_are_none)
{
        static const rows empty = {.n = PS_RAW_HEAD_BYTES};
        ps_finished finished;
        put_whole_run();
        put_rows("1.0.rows", &empty, empty.n);
        assert_int_equal(finish(&finished), PS_OK);
        ps_trace *trace = load();
        assert_int_equal(trace->ops[0].n, 2);
        assert_int_equal(trace->ops[1].n, 0);
        ps_trace_close(trace);
}

/* An older archive stays what it was, and is read again. */
RUN_TEST(a_run_in_which_nobody_left_anything_is_gone)
{
        ps_finished finished;
        char *due;
        put_whole_run();
        assert_int_equal(finish(&finished), PS_OK);
        mkdir(run, 0777);
        put_file("0.defs", "", 0);
        assert_int_equal(ps_finish_is_due(root, 0, &due), 1);
        free(due);
        assert_int_equal(finish(&finished), PS_OK);
        assert_int_equal(finished.n_recorded, 0);
        assert_int_equal(ps_finish_is_due(root, 0, &due), 0);
        ps_trace *trace = load();
        assert_int_equal(trace->n_messages, 1);
        ps_trace_close(trace);
}

/* A run is removed when its archive is in its place: what is left if that is broken off is no run. */
RUN_TEST(half_of_a_run_is_never_taken_for_one)
{
        char half[ROOM], *due;
        ps_finished finished;
        put_whole_run();
        snprintf(half, sizeof(half), "%s/finished.0", root);
        assert_int_equal(rename(run, half), 0);
        assert_int_equal(ps_finish_is_due(root, 0, &due), 0);
        put_whole_run();
        assert_int_equal(finish(&finished), PS_OK);
        assert_int_not_equal(access(half, F_OK), 0);
        assert_int_equal(finish(&finished), PS_OK); /* who comes later finds that it is done */
        assert_true(finished.is_done);
}

RUN_TEST(why_rows_are_missing_is_told)
{
        ps_finished finished;
        rows r = sender();
        ps_raw_head head = {.version = PS_RAW_VERSION, .end = PS_RAW_NO_SPACE};
        put_whole_run();
        memcpy(r.bytes, &head, sizeof(head));
        put_rows("0.0.rows", &r, r.n);
        put_definitions(1, "cut 5\nend\n");
        assert_int_equal(finish(&finished), PS_OK);
        assert_string_equal(finished.incomplete,
                            "the disk was full: 1 thread, rank 0 first; "
                            "files may not be so large (ulimit -f): 1 thread, rank 1 first");
}

RUN_TEST(rows_that_end_anywhere_are_read_up_to_there)
{
        rows r = sender();
        for (size_t n = 0; n <= r.n; n += n < PS_RAW_HEAD_BYTES - 8 ? 512 : 1) {
                ps_finished finished;
                put_whole_run();
                put_rows("0.0.rows", &r, n);
                ps_status status = finish(&finished);
                assert_true(status == PS_OK || status == PS_E_INPUT);
                clean(state);
        }
}

RUN_TEST(broken_bytes_break_nothing_else)
{
        for (size_t at = PS_RAW_HEAD_BYTES; at < sender().n; at++)
                for (int value = 0; value < 256; value += 85) {
                        ps_finished finished;
                        rows r = sender();
                        r.bytes[at] = (uint8_t)value;
                        put_whole_run();
                        put_rows("0.0.rows", &r, r.n);
                        if (finish(&finished) == PS_OK)
                                ps_trace_close(load());
                        clean(state);
                }
}

RUN_TEST(definitions_that_make_no_sense_end_there)
{
        static const char *const wrong[] = {"comm 3 dup 9 0 2 1\n",
                                            "comm 77 dup 0 0 2 1\n",
                                            "members 9 0 1\n",
                                            "neighbours 9 0 1\n",
                                            "site 3 MPI_Send 4 10\n",
                                            "site 3 MPI_Send 0 10 3\n",
                                            "site 3 MPI_Send 0 10 -2\n",
                                            "site 3 MPI_Send 0 +10 -1\n",
                                            "comm 3 dup 0 x 2 1\n",
                                            "comm 3 dup 0 2147483648 2 1\n",
                                            "pair x y\n",
                                            "window 0 12\n",
                                            "body 9 0 1\n",
                                            "body 0 9 1\n",
                                            "jump 9 X 0 1\n",
                                            "group 5 0 1\n",
                                            "process 9 2\n",
                                            "processors 0-3,x\n",
                                            "comm 3",
                                            "module\n",
                                            "\n",
                                            "offset 1\n",
                                            "cut 99\n"};
        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
                ps_finished finished;
                put_whole_run();
                put_definitions(0, wrong[i]);
                assert_int_equal(finish(&finished), PS_OK);
                ps_trace_close(load());
                clean(state);
        }
}

RUN_TEST(neighbours_are_those_of_a_communicator)
{
        ps_finished finished;
        put_whole_run();
        put_definitions(1, "neighbours 2 0\nneighbours 2 0\n"); /* many come in several lines */
        assert_int_equal(finish(&finished), PS_OK);
        ps_trace *trace = load();
        assert_int_equal(trace->defs.near_lists.n + trace->issues.row[PS_I_DEF_INVALID].count, 2);
        ps_trace_close(trace);
}

/* The first site has none before it that it could have been called from. */
RUN_TEST(a_site_is_never_called_from_a_later_one)
{
        static const char text[] = PS_RAW_VERSION "\n"
                                                  "process 0 2 1 abc ns 0 host\n"
                                                  "comm 0 world 0 0 2 1\n"
                                                  "comm 1 self 0 0 1 1\n"
                                                  "module 0 - /nowhere/app\n"
                                                  "site 0 MPI_Send 0 10 4000000\n";
        ps_finished finished;
        put_whole_run();
        put_file("0.defs", text, sizeof(text) - 1);
        assert_int_equal(finish(&finished), PS_OK);
        ps_trace_close(load());
}

RUN_TEST(another_version_is_refused_and_kept)
{
        ps_finished finished;
        char *due;
        put_whole_run();
        put_file("0.defs", "patscan-rows-99\nend\n", 20);
        assert_int_equal(finish(&finished), PS_E_INPUT);
        assert_int_equal(ps_finish_is_due(root, 0, &due), 1);
        free(due);
}
