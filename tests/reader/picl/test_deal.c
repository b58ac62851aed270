/* test_deal.c - a PICL trace of which process 0 deals out the records: it is the same for any number of
 * processes, and nobody holds what is another's. */
#include "core/exchange/exchange.h"
#include "core/exchange/shares.h"
#include "reader/picl/picl.h"
#include "tests/reader/picl/lab.h"
#include "tests/support/crew/crew.h"
#include "tests/support/damage.h"
#include "tests/support/draw.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const ps_load_options plain = {.n_threads = 1};

/* A file that is written line by line. */
static FILE *begin_text(char **text, size_t *n)
{
        FILE *file = open_memstream(text, n);
        assert_non_null(file);
        return file;
}

static void expect_text(FILE *file, char **text, const size_t *n)
{
        assert_int_equal(fclose(file), 0);
        crew_expect_same(picl_written(*text, *n), &plain);
        free(*text);
}

/* Each node computes, and sends to the next one; node by node, or step by step. */
static void put_send(FILE *file, int node, int n_nodes, int step)
{
        fprintf(file, "-3 -21 %.6f %d 0 3 2 400 %d %d\n-4 -21 %.6f %d 0 0\n", 0.001 * step + 1e-4, node, step,
                (node + 1) % n_nodes, 0.001 * step + 2e-4, node);
        fprintf(file, "-3 -52 %.6f %d 0 2 2 %d %d\n-4 -52 %.6f %d 0 3 2 400 %d %d\n", 0.001 * step + 3e-4,
                node, step, (node + n_nodes - 1) % n_nodes, 0.001 * step + 5e-4, node, step,
                (node + n_nodes - 1) % n_nodes);
}

static void put_ring(FILE *file, int n_nodes, int n_steps, bool by_node)
{
        for (int i = 0; i < n_nodes * n_steps; i++)
                if (by_node)
                        put_send(file, i / n_steps, n_nodes, i % n_steps);
                else
                        put_send(file, i % n_nodes, n_nodes, i / n_nodes);
}

TEST(what_several_processes_read_is_what_one_reads)
{
        static const char *const seeds[] = {"arrival", "compact", "eager-overflow", "four-fields",
                                            "mpicl",   "odd",     "ties",           "verbose"};
        char path[256];
        for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++) {
                snprintf(path, sizeof(path), "tests/fuzz/corpus/picl/%s", seeds[i]);
                crew_expect_same(path, &plain);
        }
        crew_expect_same("traces/picl/scan.trf", &plain);
        crew_expect_same("tests/fuzz/corpus/picl/none", &plain);
}

TEST(traces_of_real_recorders_are_dealt_out)
{
        static const char *const names[] = {"bmf_reduce16_conc.trf",    "bmf_scan16_plus.trf",
                                            "bmf_split8.trf",           "mpicl_test.trf",
                                            "ncptl_barrier_mcast4.trf", "ncptl_coll4_deadlock.trf",
                                            "ncptl_pingpong2.trf",      "old_compact_v1.trf",
                                            "old_verbose_v1.trf",       "thesis_3_5.trf"};
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
                const char *path = picl_given(names[i]);
                if (!path)
                        skip();
                crew_expect_same(path, &plain);
        }
}

TEST(the_order_of_lines_and_the_number_of_nodes_change_nothing)
{
        for (int n = 1; n <= 40; n += 13) {
                for (int by_node = 0; by_node < 2; by_node++) {
                        char *text;
                        size_t size;
                        FILE *file = begin_text(&text, &size);
                        put_ring(file, n, 50, by_node);
                        expect_text(file, &text, &size);
                }
        }
}

/* More than a letter holds, of which a sample sees some nodes only: one in a hundred has many records. */
TEST(long_traces_go_in_several_letters)
{
        char *text;
        size_t size;
        FILE *file = begin_text(&text, &size);
        for (int node = 0; node < 300; node++)
                for (int step = 0; step < (node % 100 ? 1 : 4000); step++)
                        put_send(file, node, 300, step);
        fputs("-3 -402 99.0 -32768 0 0\n-4 -402 99.5 -32768 0 0\n-3 -402 99.0 7 3 0\n-4 -402 99.5 7 3 0\n",
              file);
        expect_text(file, &text, &size);
}

TEST(labels_lines_and_subsets_that_come_late_are_known_to_all)
{
        char *text;
        size_t size;
        FILE *file = begin_text(&text, &size);
        for (int node = 0; node < 6; node++)
                fprintf(file, "-3 %d 0.1 %d 0 0\n-4 %d 0.2 %d 0 0\n", node % 2, node, node % 2, node);
        for (int node = 0; node < 6; node++)
                fprintf(file, "-3 -785 0.3 %d 0 3 2 8 %d %d\n-4 -785 0.4 %d 0 1 2 8\n", node, node / 3 * 3,
                        node / 3, node);
        fputs("-5 1 0.5 -1 -1 1 1 \"solve\"\n-5 0 0.5 -1 -1 1 1 \"MPI_Pack\"\n"
              "-7 1 0.5 -1 -1 1 1 \"solve.c:12\"\n"
              "-202 -812 0.5 -1 -1 4 2 0 0 1 2\n-202 -812 0.5 -1 -1 4 2 1 3 4 5\n"
              "-202 -812 0.5 -1 -1 4 2 1 3 4 1\n",
              file);
        expect_text(file, &text, &size);
}

TEST(what_is_cut_off_is_cut_off_for_all)
{
        char *text;
        size_t size;
        FILE *file = begin_text(&text, &size);
        put_ring(file, 5, 20, false);
        fputs("-101 -1 0.9 3 0 1 \"%d%lf\" -21 0.200006\n", file);
        assert_int_equal(fclose(file), 0);
        for (size_t n = 0; n <= size; n += 601)
                crew_expect_same(picl_written(text, n), &plain);
        free(text);
}

/* Other nodes, times, events, sizes, or lines that are none. */
TEST(digits_that_are_wrong_are_wrong_for_all)
{
        for (uint64_t seed = 1; seed <= 30; seed++) {
                uint64_t random = seed;
                char *text;
                size_t size;
                FILE *file = begin_text(&text, &size);
                put_ring(file, 5, 20, seed % 2);
                fputs("-102 -1 0.9 4 0 1 \"%d%d\" -21 20\n", file);
                assert_int_equal(fclose(file), 0);
                for (uint64_t i = 0; i < 1 + seed % 5; i++) {
                        char *at = text + draw(&random, size);
                        *at = seed % 3 ? (char)('0' + draw(&random, 10)) : (char)draw(&random, 256);
                }
                crew_expect_same(picl_written(text, size), &plain);
                free(text);
        }
}

/* One of the others finds what process 0 would: 1 send of node 3 said to be 2, and of node 4 to be 3. */
TEST(statistics_are_compared_where_the_records_are)
{
        char *text;
        size_t size;
        ps_error err = {0};
        ps_trace *trace = NULL;
        FILE *file = begin_text(&text, &size);
        put_ring(file, 5, 1, true);
        fputs("-102 -1 0.9 4 0 1 \"%d%d\" -21 3\n-102 -1 0.9 3 0 1 \"%d%d\" -21 2\n"
              "-102 -1 0.9 0 0 1 \"%d%d\" -21 1\n",
              file);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(crew_load(&trace, picl_written(text, size), &plain, 4, &err), PS_OK);
        const ps_issue *issue = &trace->issues.row[PS_I_STATS_MISMATCH];
        assert_int_equal(issue->count, 2);
        assert_int_equal(issue->location, 3);
        assert_int_equal(issue->offset, 22);
        ps_trace_close(trace);
        free(text);
}

/* What goes wrong in process 0 while it reads: a place too many. */
TEST(who_cannot_read_on_ends_all)
{
        char *text;
        size_t size;
        FILE *file = begin_text(&text, &size);
        for (int node = 0; node <= 1 << 18; node++)
                fprintf(file, "-3 1 0.1 %d 0 0\n", node);
        assert_int_equal(fclose(file), 0);
        for (uint32_t n = 1; n <= 3; n++) {
                ps_error err = {0};
                ps_trace *trace = NULL;
                assert_int_equal(crew_load(&trace, picl_written(text, size), &plain, n, &err), PS_E_INPUT);
                assert_string_equal(err.cause[0].text,
                                    "the trace has too many processes: node=262144, limit=262144");
        }
        free(text);
}

/* -- who holds what -- */

enum { NODES = 16, STEPS = 500, RECORDS = 4 };

struct held {
        const char *path;
        uint64_t records[8];       /* by process */
        uint32_t owner[NODES + 1]; /* by node */
};

static void hold(ps_exchange *x, void *ctx)
{
        struct held *held = ctx;
        ps_defs defs;
        ps_issues issues = {0};
        ps_reader *reader;
        ps_error err = {0};
        assert_int_equal(ps_defs_init(&defs, &err), PS_OK);
        assert_int_equal(ps_picl_reader.open_together(&reader, held->path, x, &defs, &issues, &err), PS_OK);
        assert_int_equal(defs.locations.n, NODES);
        for (ps_loc l = 0; l < NODES; l++) {
                held->records[x->rank] += ps_picl_reader.weight(reader, l);
                if (!x->rank)
                        held->owner[l] = ps_picl_reader.owner(reader, l);
        }
        ps_picl_reader.close(reader);
        ps_defs_free(&defs);
}

TEST(each_process_holds_the_records_of_its_places_and_no_others)
{
        char *text;
        size_t size;
        FILE *file = begin_text(&text, &size);
        put_ring(file, NODES, STEPS, false);
        assert_int_equal(fclose(file), 0);
        for (uint32_t n = 1; n <= 4; n *= 2) {
                struct held held = {.path = picl_written(text, size)};
                crew_run(n, hold, &held);
                for (uint32_t p = 0; p < n; p++)
                        assert_int_equal(held.records[p], RECORDS * STEPS * NODES / n);
                for (uint32_t node = 0; node < NODES; node++)
                        assert_int_equal(held.owner[node], node * n / NODES);
        }
        free(text);
}

TEST(neighbours_are_dealt_out_by_their_weight)
{
        static const uint64_t weight[] = {1, 1, 1, 9, 1, 1, 1, 3};
        static const uint32_t expected[] = {0, 0, 0, 1, 2, 2, 2, 2};
        uint32_t owner[8];
        ps_shares_deal(owner, weight, 8, 0, 3);
        for (size_t i = 0; i < 8; i++)
                assert_int_equal(owner[i], expected[i]);
        ps_shares_deal(owner, weight, 2, 0, 7);
        assert_int_equal(owner[0], 0);
        assert_int_equal(owner[1], 1);
        ps_shares_deal(owner, weight, 2, 1, 7); /* the first of ours leads only */
        assert_int_equal(owner[0], 1);
        assert_int_equal(owner[1], 2);
}
