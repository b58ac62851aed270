/* test_exchange.c - what processes do together, with threads for processes; with MPI: tests/mpi. */
#include "core/exchange/exchange.h"
#include "tests/support/crew/crew.h"
#include "tests/support/crew/crew_laws.h"
#include "tests/support/test.h"

#include <stdatomic.h>

static void obey(ps_exchange *x, void *ctx)
{
        const char **broken = ctx;
        broken[x->rank] = crew_laws(x);
}

static void check_laws(uint32_t n)
{
        const char *broken[16] = {NULL};
        crew_run(n, obey, broken);
        for (uint32_t i = 0; i < n; i++)
                assert_string_equal(broken[i] ? broken[i] : "", "");
}

TEST(one_two_three_four_and_seven_processes_keep_the_laws)
{
        static const uint32_t sizes[] = {1, 2, 3, 4, 7};
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
                check_laws(sizes[i]);
}

TEST(who_works_alone_needs_no_wire)
{
        ps_exchange x = {.size = 1};
        ps_error err = {0};
        int word = 5;
        ps_exchange_broadcast(&x, &word, sizeof(word));
        assert_int_equal(word, 5);
        assert_int_equal(ps_exchange_agree(&x, PS_OK, &err), PS_OK);
        assert_int_equal(ps_exchange_agree(&x, PS_FAIL(&err, PS_E_INPUT, "bad"), &err), PS_E_INPUT);
        assert_int_equal(err.n_causes, 1);
        assert_int_equal(ps_exchange_agree(NULL, PS_E_INPUT, &err), PS_E_INPUT);
        assert_string_equal(crew_laws(&x) ? crew_laws(&x) : "", "");
        assert_int_equal(x.messages, 0);
}

static void count(ps_exchange *x, void *ctx)
{
        static char of_both[2][2 * PS_EXCHANGE_BLOCK + 1];
        char *bytes = of_both[x->rank];
        uint64_t *sent = ctx;
        if (x->rank)
                ps_exchange_send(x, 0, bytes, sizeof(*of_both));
        else
                ps_exchange_receive(x, 1, bytes, sizeof(*of_both));
        sent[2 * x->rank] = x->messages;
        sent[2 * x->rank + 1] = x->bytes;
}

TEST(large_things_go_in_blocks_which_are_counted_where_they_are_sent)
{
        uint64_t sent[4];
        crew_run(2, count, sent);
        assert_int_equal(sent[0], 0);
        assert_int_equal(sent[1], 0);
        assert_int_equal(sent[2], 3);
        assert_int_equal(sent[3], 2 * (uint64_t)PS_EXCHANGE_BLOCK + 1);
}

static void hand_round(ps_exchange *x, void *ctx)
{
        atomic_int *sum = ctx;
        uint32_t to = (x->rank + 1) % x->size, from = (x->rank + x->size - 1) % x->size, got = 0;
        ps_exchange_swap(x, to, &x->rank, sizeof(x->rank), from, &got, sizeof(got));
        *sum += got == from;
}

TEST(in_a_ring_that_all_enter_at_once_nobody_waits_for_ever)
{
        atomic_int sum = 0;
        crew_run(5, hand_round, &sum);
        assert_int_equal(sum, 5);
}
