/* test_share.c - however many processes read a trace, it is the same, and nobody waits for ever. */
#include "core/base/memory.h"
#include "core/load/share.h"
#include "core/model/focus.h"
#include "reader/reader.h"
#include "tests/support/crew/crew.h"
#include "tests/support/damage.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t sizes[] = {1, 2, 3, 4, 7};

TEST(processes_change_nothing)
{
        const ps_focus_wish wish = {.how = PS_FOCUS_REGION, .region = "main"};
        for (uint64_t seed = 1; seed <= 8; seed++) {
                ps_gen *g = random_program_of(seed);
                ps_load_options options = {.n_threads = 1 + (unsigned)seed % 2, .clock = PS_CLOCK_REPAIR};
                crew_expect_same(ps_gen_anchor(g), &options);
                options.pieces = &loaded_pieces;
                options.call_stacks = 1;
                crew_expect_same(ps_gen_anchor(g), &options);
                options.focus = &wish;
                crew_expect_same(ps_gen_anchor(g), &options);
                ps_gen_free(g);
        }
}

/* One thread starts what another one completes; both are read by the same process. */
TEST(threads_of_a_process_stay_together)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3, .threads = 2, .mapped = 1});
        for (uint32_t rank = 0; rank < 3; rank++) {
                uint32_t at = ps_gen_at(g, rank, 0), other = ps_gen_at(g, rank, 1);
                ps_gen_isend(g, at, 10, 20, (rank + 1) % 3, PS_GEN_WORLD, 4, 300, 1);
                ps_gen_irecv(g, at, 30, 40, 2);
                ps_gen_wait(g, at, 50, 60, PS_GEN_SENT(1));
                ps_gen_wait(g, other, 50, 70, PS_GEN_GOT((rank + 2) % 3, PS_GEN_WORLD, 4, 300, 2));
        }
        ps_gen_close(g);
        ps_load_options options = {.n_threads = 1, .pieces = &loaded_pieces};
        ps_trace *trace = NULL;
        ps_error err = {0};
        assert_int_equal(crew_load(&trace, ps_gen_anchor(g), &options, 3, &err), PS_OK);
        assert_int_equal(trace->n_foreign, 3);
        assert_int_equal(trace->n_messages, 3);
        ps_trace_close(trace);
        crew_expect_same(ps_gen_anchor(g), &options);
        ps_gen_free(g);
}

static ps_gen *ring_of_rounds(uint32_t n, uint32_t n_rounds, uint64_t apart)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = n});
        for (uint32_t rank = 0; rank < n; rank++)
                for (uint32_t i = 0; i < n_rounds; i++) {
                        uint64_t t = apart * i;
                        ps_gen_isend(g, rank, t + 10, t + 20, (rank + 1) % n, PS_GEN_WORLD, 4, 300, i);
                        ps_gen_barrier(g, rank, t + 30, t + 40, PS_GEN_WORLD);
                }
        ps_gen_close(g);
        return g;
}

static ps_gen *ring_of(uint32_t n)
{
        return ring_of_rounds(n, 50, 100);
}

TEST(what_is_damaged_is_damaged_in_the_same_way)
{
        ps_load_options options = {.n_threads = 1, .pieces = &loaded_pieces};
        for (uint32_t rank = 0; rank < 5; rank++) {
                ps_gen *g = ring_of(5);
                char *path = strdup(ps_gen_events_file(g, rank));
                ps_file_truncate(path, ps_file_size(path) * rank / 5);
                crew_expect_same(ps_gen_anchor(g), &options);
                remove(path);
                crew_expect_same(ps_gen_anchor(g), &options);
                free(path);
                ps_gen_free(g);
        }
}

/* Whatever the bytes then say: partners, tags, sizes or times, or nothing any more. */
TEST(bytes_that_are_wrong_are_wrong_in_the_same_way)
{
        const ps_load_options options = {.n_threads = 1, .pieces = &loaded_pieces};
        for (uint64_t seed = 1; seed <= 30; seed++) {
                uint64_t random = seed;
                random_program p = {
                        .seed = seed, .ranks = 5, .steps = 60, .options = {.mapped = seed % 2 == 1}};
                uint32_t n_messages, n_colls;
                ps_gen *g = random_program_write(&p, &n_messages, &n_colls);
                for (uint32_t i = 0; i < 1 + seed % 4; i++) {
                        uint32_t rank = maker_random(&random, 5);
                        const char *path = maker_random(&random, 5) ? ps_gen_events_file(g, rank)
                                                                    : ps_gen_defs_file(g, rank);
                        uint8_t byte = (uint8_t)maker_random(&random, 256);
                        ps_file_patch(path, maker_random(&random, (uint32_t)ps_file_size(path)), &byte, 1);
                }
                crew_expect_same(ps_gen_anchor(g), &options);
                ps_gen_free(g);
        }
}

TEST(a_defect_that_is_asked_to_be_an_error_is_one)
{
        ps_load_options options = {.n_threads = 1, .strict = 1};
        ps_gen *g = ring_of(3); /* nobody receives */
        ps_trace *trace = NULL;
        ps_error err = {0};
        assert_int_equal(crew_load(&trace, ps_gen_anchor(g), &options, 3, &err), PS_E_INPUT);
        assert_null(trace);
        ps_gen_free(g);
}

/* It has one location, and no other process anything to do. */
TEST(a_format_that_cannot_be_dealt_out_is_read_by_process_0_alone)
{
        const ps_load_options options = {.n_threads = 1};
        crew_expect_same("traces/dvm/jacobi.ptr", &options);
        crew_expect_same("tests/fuzz/corpus/dvm/none", &options);
}

static char other_path[1024];

static ps_status open_other(ps_reader **out, const char *path, ps_defs *defs, ps_issues *issues,
                            ps_error *err)
{
        (void)path;
        return ps_reader_named("otf2")->open(out, other_path, defs, issues, err);
}

static unsigned parts_of_other(char *out[PS_TRACE_PARTS], const char *path)
{
        (void)path;
        return ps_reader_named("otf2")->parts(out, other_path);
}

static ps_reader_class mistaken;

static const ps_reader_class *find_mistaken(const char *name)
{
        mistaken = *ps_reader_named(name);
        mistaken.open = open_other;
        mistaken.parts = parts_of_other;
        return &mistaken;
}

static void load_or_mistake(ps_exchange *x, void *ctx)
{
        ps_error err = {0};
        ps_trace *trace = NULL;
        ps_load_options options = {.n_threads = 1, .exchange = x};
        if (x->rank) {
                ps_share_serve(x, x->rank == 1 ? find_mistaken : ps_reader_named, NULL);
                return;
        }
        assert_int_equal(ps_trace_load(&trace, ctx, &options, &err), PS_E_INPUT);
        assert_non_null(strstr(err.cause[0].text, "there is another trace at this path here"));
        assert_string_equal(err.cause[1].text, "another process cannot go on: process=1");
        ps_share_dismiss(x);
}

/* One with another number of processes, or of events, or only of other times. */
TEST(who_finds_another_trace_ends_the_load)
{
        ps_gen *g = ring_of(4),
               *others[] = {ring_of(5), ring_of_rounds(4, 49, 100), ring_of_rounds(4, 50, 1000)};
        char *path = strdup(ps_gen_anchor(g));
        for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
                snprintf(other_path, sizeof(other_path), "%s", ps_gen_anchor(others[i]));
                crew_run(3, load_or_mistake, path);
                ps_gen_free(others[i]);
        }
        free(path);
        ps_gen_free(g);
}

/* A trace that the first reads and the others help with, and what is told of it then. */
struct counted {
        const char *path;
        void (*expect)(const ps_exchange *x);
};

static void count(ps_exchange *x, void *ctx)
{
        const struct counted *counted = ctx;
        ps_error err = {0};
        ps_trace *trace = NULL;
        ps_load_options options = {.n_threads = 1, .exchange = x};
        if (x->rank) {
                ps_share_serve(x, ps_reader_named, NULL);
                return;
        }
        assert_int_equal(ps_trace_load(&trace, counted->path, &options, &err), PS_OK);
        counted->expect(x);
        ps_trace_close(trace);
        ps_share_dismiss(x);
}

/* Two processes that exchange a message each, read by one or by two. */
static void expect_two(const ps_exchange *x)
{
        assert_int_equal(x->told.messages, 2);
        assert_int_equal(x->told.collectives, 1);
        assert_int_equal(x->told.crossing, x->size == 1 ? 0 : 2);
        assert_true((x->told.read_bytes > 0) == (x->size > 1));
        assert_true((x->told.match_bytes > 0) == (x->size > 1));
}

TEST(messages_that_cross_are_counted)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t rank = 0; rank < 2; rank++) {
                ps_gen_sendrecv(g, rank, 10, 20, 1 - rank, 1 - rank, PS_GEN_WORLD, 3, 8);
                ps_gen_barrier(g, rank, 30, 40, PS_GEN_WORLD);
        }
        ps_gen_close(g);
        struct counted two = {ps_gen_anchor(g), expect_two};
        crew_run(1, count, &two);
        crew_run(2, count, &two);
        ps_gen_free(g);
}

enum { AROUND = 50 };

static void expect_ring(const ps_exchange *x)
{
        assert_int_equal(x->told.messages, 8 * AROUND);
        assert_int_equal(x->told.crossing, x->size == 1 ? 0 : (x->size - x->leads_only) * AROUND);
        assert_true(x->told.match_bytes <= x->told.crossing * 96);
}

/* Of a ring, one message a round leaves each part that is in one piece. */
TEST(neighbours_are_read_by_the_same_process)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 8});
        for (uint32_t rank = 0; rank < 8; rank++)
                for (uint64_t t = 0; t < 100 * AROUND; t += 100)
                        ps_gen_sendrecv(g, rank, t + 10, t + 20, (rank + 1) % 8, (rank + 7) % 8, PS_GEN_WORLD,
                                        3, 8);
        ps_gen_close(g);
        struct counted ring = {ps_gen_anchor(g), expect_ring};
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
                crew_run(sizes[i], count, &ring);
        ps_gen_free(g);
}

/* In each round process 3 has its message 5 ns before it was sent, and process 6 8 ns. */
static void send_around(ps_gen *g, uint32_t rank, uint64_t t)
{
        const bool is_early = rank == 3 || rank == 6;
        const uint64_t got = rank == 3 ? 18 : rank == 6 ? 14 : 92;
        ps_gen_send(g, rank, t + (is_early ? 1 : 10), t + (is_early ? 5 : 50), (rank + 1) % 8, PS_GEN_WORLD,
                    3, 8);
        ps_gen_recv(g, rank, t + (is_early ? 6 : 52), t + got, (rank + 7) % 8, PS_GEN_WORLD, 3, 8);
}

TEST(contradictions_are_counted_wherever_a_message_is_received)
{
        const ps_load_options options = {.n_threads = 1, .clock = PS_CLOCK_AS_IS};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 8});
        for (uint32_t rank = 0; rank < 8; rank++)
                for (uint64_t t = 0; t < 100 * AROUND; t += 100)
                        send_around(g, rank, t);
        ps_gen_close(g);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
                ps_trace *trace = NULL;
                ps_error err = {0};
                assert_int_equal(crew_load(&trace, ps_gen_anchor(g), &options, sizes[i], &err), PS_OK);
                assert_int_equal(trace->clock.message_violations, 2 * AROUND);
                assert_int_equal(trace->clock.worst, 8 * PS_PS_PER_NS);
                assert_int_equal(trace->issues.row[PS_I_CLOCK_MESSAGE].count, 2 * AROUND);
                assert_int_equal(trace->issues.row[PS_I_CLOCK_MESSAGE].location, 3);
                ps_trace_close(trace);
        }
        ps_gen_free(g);
}

/* In each round all but process 5 enter the barrier at 10 ns, it at 50 ns. Processes 2 and 6 leave at 30 ns
 * and 20 ns, all others at 90 ns: one contradiction that begins with process 2. Records stand a quarter of
 * the call inside of it, at most: that process 5 has begun is known at 60 ns, that process 6 was through
 * at 18. */
TEST(contradictions_of_collective_operations_are_counted_once_wherever_their_members_are)
{
        const ps_load_options options = {.n_threads = 1, .clock = PS_CLOCK_AS_IS};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 8});
        for (uint32_t rank = 0; rank < 8; rank++)
                for (uint64_t t = 0; t < 100 * AROUND; t += 100)
                        ps_gen_barrier(g, rank, t + (rank == 5 ? 50 : 10),
                                       t + (rank == 2   ? 30
                                            : rank == 6 ? 20
                                                        : 90),
                                       PS_GEN_WORLD);
        ps_gen_close(g);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
                ps_trace *trace = NULL;
                ps_error err = {0};
                assert_int_equal(crew_load(&trace, ps_gen_anchor(g), &options, sizes[i], &err), PS_OK);
                assert_int_equal(trace->clock.collective_violations, AROUND);
                assert_int_equal(trace->clock.message_violations, 0);
                assert_int_equal(trace->clock.worst, 42 * PS_PS_PER_NS);
                assert_int_equal(trace->issues.row[PS_I_CLOCK_COLLECTIVE].count, AROUND);
                assert_int_equal(trace->issues.row[PS_I_CLOCK_COLLECTIVE].location, 2);
                ps_trace_close(trace);
        }
        ps_gen_free(g);
}

static ps_reader_class weighing;
static atomic_uint n_weighed;

static uint64_t weigh(const ps_reader *reader, ps_loc location)
{
        n_weighed++;
        return ps_reader_named("otf2")->weight(reader, location);
}

static const ps_reader_class *find_weighing(const char *name)
{
        (void)name;
        return &weighing;
}

static void load_weighed(ps_exchange *x, void *ctx)
{
        ps_error err = {0};
        ps_trace *trace = NULL;
        ps_load_options options = {.n_threads = 1, .exchange = x};
        if (x->rank) {
                ps_share_serve(x, find_weighing, NULL);
                return;
        }
        assert_int_equal(ps_trace_load(&trace, ctx, &options, &err), PS_OK);
        ps_trace_close(trace);
        ps_share_dismiss(x);
}

/* Of ten files the processes behind process 0 have seven or eight. */
TEST(only_process_0_asks_for_the_sizes_of_all_files)
{
        ps_gen *g = ring_of(10);
        char *path = strdup(ps_gen_anchor(g));
        weighing = *ps_reader_named("otf2");
        weighing.weight = weigh;
        crew_run(4, load_weighed, path);
        assert_in_range(n_weighed, 7, 8);
        free(path);
        ps_gen_free(g);
}
