/* test_base.c - the small parts of the core that everything else stands on. */
#include "core/base/arena.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/base/text.h"
#include "core/model/issue.h"
#include "core/model/kinds.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(error_keeps_the_innermost_causes)
{
        ps_error err = {0};
        assert_int_equal(PS_FAIL(&err, PS_E_INPUT, "cannot read: offset=%d", 512), PS_E_INPUT);
        for (int i = 0; i < 10; i++)
                (void)PS_CAUSE(&err, PS_E_INPUT, "layer %d", i);
        assert_int_equal(err.n_causes, PS_ERROR_CAUSES);
        assert_string_equal(err.cause[0].text, "cannot read: offset=512");
        assert_string_equal(err.cause[1].text, "layer 0");
        assert_string_equal(err.cause[PS_ERROR_CAUSES - 1].text, "layer 9");
        assert_int_equal(PS_FAIL(NULL, PS_E_NOMEM, "nobody listens"), PS_E_NOMEM);
}

TEST(arena_objects_are_zeroed_apart_and_checked)
{
        ps_arena *arena = ps_arena_new();
        assert_non_null(arena);
        uint64_t *first = NULL;
        for (size_t n = 1; n < 100000; n = n * 3 + 1) {
                uint64_t *object = PS_ARENA_NEW(arena, uint64_t, n);
                assert_non_null(object);
                assert_int_equal((uintptr_t)object % sizeof(uint64_t), 0);
                for (size_t i = 0; i < n; i++)
                        assert_int_equal(object[i], 0);
                memset(object, 0xff, n * sizeof(*object));
                first = first ? first : object;
        }
        assert_int_equal(first[0], UINT64_MAX);
        assert_null(ps_arena_alloc(arena, SIZE_MAX / 2, 4));
        assert_non_null(ps_arena_alloc(arena, 0, 8));
        assert_int_equal(ps_arena_adopt(arena, malloc(10)), 0);
        ps_arena_free(arena);
        ps_arena_free(NULL);
}

/* Enough for blocks of all sizes; an empty object comes first. */
TEST(what_an_arena_held_lives_in_the_one_that_joined_it)
{
        enum { OBJECTS = 3000, BYTES = 20000 };
        static unsigned char *object[OBJECTS];
        ps_arena *arena = ps_arena_new(), *other = ps_arena_new();
        assert_non_null(ps_arena_room(other, 0));
        for (size_t i = 0; i < OBJECTS; i++) {
                size_t bytes = i % 100 ? BYTES : 50 * BYTES;
                assert_non_null(object[i] = ps_arena_room(other, bytes));
                memset(object[i], (int)(i % 251), bytes);
        }
        assert_null(ps_arena_room(other, SIZE_MAX));
        assert_int_equal(ps_arena_join(arena, other), 0);
        assert_non_null(ps_arena_room(other, BYTES));
        ps_arena_free(other);
        for (size_t i = 0; i < OBJECTS; i++)
                for (size_t k = 0; k < BYTES; k++)
                        if (object[i][k] != i % 251)
                                fail_msg("object %zu was overwritten at %zu", i, k);
        ps_arena_free(arena);
}

TEST(strings_are_kept_once)
{
        ps_arena *arena = ps_arena_new();
        ps_strings *strings = ps_strings_new(arena);
        enum { N = 5000 };
        ps_str id[N];
        char text[32];
        for (int i = 0; i < N; i++) {
                snprintf(text, sizeof(text), "region %d", i);
                id[i] = ps_strings_addz(strings, text);
                assert_int_equal(id[i], i + 1);
        }
        for (int i = 0; i < N; i++) {
                snprintf(text, sizeof(text), "region %d", i);
                assert_int_equal(ps_strings_addz(strings, text), id[i]);
                assert_string_equal(ps_strings_get(strings, id[i]), text);
        }
        assert_int_equal(ps_strings_add(strings, "region 17 and more", 9), id[17]);
        assert_int_equal(ps_strings_add(strings, "region 1\0hidden", 15), id[1]);
        assert_int_equal(ps_strings_addz(strings, ""), 0);
        assert_string_equal(ps_strings_get(strings, PS_NONE), "");
        ps_strings_free(strings);
        ps_arena_free(arena);
}

TEST(names_in_every_spelling_have_their_kind)
{
        static const struct {
                const char *name;
                int kind, nonblocking, family;
        } cases[] = {
                {"MPI_Send", PS_K_SEND, 0, 1},
                {"PMPI_Send", PS_K_SEND, 0, 1},
                {"mpi_send_", PS_K_SEND, 0, 1},
                {"MPI_SEND", PS_K_SEND, 0, 1},
                {"mpi_send__", PS_K_SEND, 0, 1},
                {"mpi_send_f08_", PS_K_SEND, 0, 1},
                {"MPI_Send()", PS_K_SEND, 0, 1},
                {"main => relax => MPI_Send()", PS_K_SEND, 0, 1},
                {"MPI_Send => log", PS_K_NONE, 0, 0},
                {"mpi_send_()", PS_K_SEND, 0, 1},
                {"MPI_Ibarrier", PS_K_BARRIER, 1, 1},
                {"MPI_Sendrecv_replace", PS_K_SENDRECV_SEND, 0, 1},
                {"MPI_Comm_rank", PS_K_NONE, 0, 1},
                {"MPI_", PS_K_NONE, 0, 0},
                {"mpi_helper_of_mine", PS_K_NONE, 0, 1},
                {"main", PS_K_NONE, 0, 0},
                {"", PS_K_NONE, 0, 0},
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                ps_name_info info = ps_kind_of_name(cases[i].name);
                assert_int_equal(info.kind, cases[i].kind);
                assert_int_equal(info.nonblocking, cases[i].nonblocking);
                assert_int_equal(info.family, cases[i].family);
        }
        char long_name[500] = "MPI_";
        memset(long_name + 4, 'x', sizeof(long_name) - 5);
        assert_int_equal(ps_kind_of_name(long_name).kind, PS_K_NONE);

        char room[PS_CALL_NAME_ROOM];
        for (int kind = 0; kind < PS_K_COUNT; kind++)
                for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
                        if (!ps_name_of_kind(room, (ps_kind)kind, nonblocking))
                                continue;
                        assert_int_equal(ps_kind_of_name(room).kind, kind);
                        assert_int_equal(ps_kind_of_name(room).nonblocking, nonblocking);
                }
        assert_string_equal(ps_name_of_kind(room, PS_K_ALLREDUCE, 1), "MPI_Iallreduce");
        assert_null(ps_name_of_kind(room, PS_K_NONE, 0));
        assert_null(ps_name_of_kind(room, PS_K_COLLECTIVE, 0));
}

TEST(kinds_of_messages_fit_a_64_bit_set)
{
        for (int k = 0; k < PS_K_COUNT; k++)
                if (ps_kinds[k].cls <= PS_C_REQUEST)
                        assert_true(k < 64);
}

TEST(issues_keep_the_first_place)
{
        ps_issues a = {0}, b = {0};
        ps_issue_note(&b, PS_I_NEST_OPEN, (ps_place){7, 0, 70, 700});
        ps_issue_note(&b, PS_I_NEST_OPEN, (ps_place){8, 0, 80, 800});
        ps_issues_merge(&a, &b);
        ps_issue_note_many(&a, PS_I_NEST_OPEN, 3, (ps_place){9, 0, 90, 900});
        ps_issue_note_many(&a, PS_I_PEER_INVALID, 0, (ps_place){9, 0, 90, 900});
        assert_int_equal(a.row[PS_I_NEST_OPEN].count, 5);
        assert_int_equal(a.row[PS_I_NEST_OPEN].location, 7);
        assert_int_equal(a.row[PS_I_NEST_OPEN].offset, 70);
        assert_int_equal(a.row[PS_I_PEER_INVALID].count, 0);
        assert_int_equal(ps_issues_total(&a), 5);
}

enum { ROUNDS = 1000 };

static ps_status count_round(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        (void)worker;
        unsigned char *seen = ctx;
        seen[i]++;
        return i == 400 || i == 500 ? PS_FAIL(err, PS_E_INPUT, "round %u", i) : PS_OK;
}

static ps_status ask_in_vain(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        (void)ctx;
        (void)worker;
        (void)err;
        if (i % 2)
                assert_null(ps_memory_zeroed(SIZE_MAX, 2));
        return PS_OK;
}

TEST(who_has_work_done_lacks_the_memory_that_is_lacking_for_it)
{
        for (unsigned threads = 1; threads <= 4; threads++) {
                unsigned before = ps_memory_lacks();
                assert_int_equal(ps_parallel_for(threads, 400, ask_in_vain, NULL, NULL), PS_OK);
                assert_int_equal(ps_memory_lacks() - before, 200);
        }
}

TEST(parallel_rounds_run_once_and_report_the_first_failure)
{
        for (unsigned threads = 1; threads <= 7; threads += 3) {
                unsigned char seen[ROUNDS] = {0};
                ps_error err = {0};
                assert_int_equal(ps_parallel_for(threads, 400, count_round, seen, &err), PS_OK);
                for (int i = 0; i < ROUNDS; i++)
                        assert_int_equal(seen[i], i < 400);
                memset(seen, 0, sizeof(seen));
                assert_int_equal(ps_parallel_for(threads, ROUNDS, count_round, seen, &err), PS_E_INPUT);
                assert_string_equal(err.cause[0].text, "round 400");
                for (int i = 0; i < ROUNDS; i++)
                        assert_true(seen[i] <= 1 && (i > 400 || seen[i] == 1));
        }
        assert_int_equal(ps_parallel_for(3, 0, count_round, NULL, NULL), PS_OK);
}

/* Who asks for threads gets them; else there are some where there is something to do. */
TEST(few_events_are_not_worth_several_threads)
{
        assert_int_equal(ps_parallel_worth(0, 10000), 1);
        assert_int_equal(ps_parallel_worth(0, 1000000), 0);
        assert_int_equal(ps_parallel_worth(3, 10000), 3);
}

TEST(words_are_quoted_where_a_shell_would_read_something_else)
{
        static const struct {
                const char *word, *quoted;
        } cases[] = {{"run.otf2", "run.otf2"}, {"", "''"},      {"a b", "'a b'"}, {"$(ls)", "'$(ls)'"},
                     {"it's", "'it'\\''s'"},   {"'", "''\\'''"}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                char *quoted = ps_text_quoted(cases[i].word);
                assert_non_null(quoted);
                assert_string_equal(quoted, cases[i].quoted);
                free(quoted);
        }
}

TEST(paths_are_quoted_so_that_no_command_takes_them_for_options)
{
        static const char *const cases[][2] = {
                {"-run", "./-run"}, {"--run 1", "'./--run 1'"}, {"-", "-"}, {"a-b", "a-b"}, {"", "''"}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                char *quoted = ps_text_quoted_path(cases[i][0]);
                assert_non_null(quoted);
                assert_string_equal(quoted, cases[i][1]);
                free(quoted);
        }
}
