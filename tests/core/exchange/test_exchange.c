/* test_exchange.c - what processes do together, with threads for processes; with MPI: tests/mpi. */
#include "core/exchange/exchange.h"
#include "core/exchange/letters.h"
#include "core/exchange/numbers.h"
#include "core/exchange/reduce.h"
#include "tests/support/crew/crew.h"
#include "tests/support/crew/crew_laws.h"
#include "tests/support/test.h"

#include <stdatomic.h>
#include <stdlib.h>

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

/* Nobody has a row of the last thing. */
enum { THINGS = 1000, LEAST = 0, MOST = 1, ANYBODY = 2, SUMMED = 3 };

static const ps_reduced summed[SUMMED] = {
        [LEAST] = {INT64_MAX, true}, [MOST] = {INT64_MIN, true}, [ANYBODY] = {-1, false}};

static void add_rows(int64_t *to, const int64_t *row)
{
        to[LEAST] = row[LEAST] < to[LEAST] ? row[LEAST] : to[LEAST];
        to[MOST] = row[MOST] > to[MOST] ? row[MOST] : to[MOST];
        to[ANYBODY] = row[ANYBODY] > to[ANYBODY] ? row[ANYBODY] : to[ANYBODY];
}

static int64_t time_of(uint32_t rank, uint32_t thing)
{
        return thing % 10 == 9 ? INT64_MIN + rank : (int64_t)thing * 1000000007 - (int64_t)rank * 12345;
}

static bool has_row(uint32_t rank, uint32_t thing)
{
        return thing % (rank + 1) == 0 && thing + 1 < THINGS;
}

/* By the definition, of all who have a row. */
static bool is_right(const ps_exchange *x, uint32_t thing, const int64_t *row)
{
        int64_t least = INT64_MAX, most = INT64_MIN, anybody = -1;
        for (uint32_t rank = 0; rank < x->size; rank++) {
                if (!has_row(rank, thing))
                        continue;
                int64_t time = time_of(rank, thing);
                least = time < least ? time : least;
                most = time > most ? time : most;
                anybody = rank % 2 ? (int64_t)rank : anybody;
        }
        return row[LEAST] == least && row[MOST] == most && row[ANYBODY] == anybody;
}

static void reduce_rows(ps_exchange *x, void *ctx)
{
        static const ps_reduction reduction = {summed, SUMMED, add_rows};
        atomic_int *n_right = ctx;
        uint32_t id[THINGS], n = 0;
        int64_t rows[THINGS][SUMMED];
        ps_error err = {0};
        for (uint32_t thing = 0; thing < THINGS; thing++)
                if (has_row(x->rank, thing)) {
                        int64_t time = time_of(x->rank, thing);
                        rows[n][LEAST] = rows[n][MOST] = time;
                        rows[n][ANYBODY] = x->rank % 2 ? (int64_t)x->rank : -1;
                        id[n++] = thing;
                }
        assert_int_equal(ps_exchange_reduce(x, &reduction, THINGS, id, n, rows[0], &err), PS_OK);
        for (uint32_t i = 0; i < n; i++)
                *n_right += is_right(x, id[i], rows[i]);
}

/* Process p has a row of each (p + 1)-th thing. */
TEST(what_several_have_of_one_thing_is_added_up_for_each_of_them)
{
        static const uint32_t sizes[] = {1, 2, 3, 4, 7};
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
                atomic_int n_right = 0;
                int n = 0;
                crew_run(sizes[i], reduce_rows, &n_right);
                for (uint32_t rank = 0; rank < sizes[i]; rank++)
                        n += (int)((THINGS - 2) / (rank + 1) + 1);
                assert_int_equal(n_right, n);
        }
}

/* How many bytes a number takes by its bits, and that the largest and the smallest of each length come back.
 */
TEST(numbers_take_a_byte_for_seven_bits_and_come_back)
{
        ps_numbers text = {0};
        for (unsigned bits = 1; bits <= 64; bits++) {
                const uint64_t least = UINT64_C(1) << (bits - 1), most = least - 1 + least;
                const size_t before = text.n;
                ps_numbers_put(&text, least);
                assert_int_equal(text.n - before, (bits + 6) / 7);
                ps_numbers_put(&text, most);
                ps_numbers_put_signed(&text, (int64_t)most);
                ps_numbers_put_signed(&text, -(int64_t)(most >> 1) - 1);
        }
        ps_numbers_put(&text, 0);
        assert_false(text.lacks);
        const uint8_t *at = text.row;
        for (unsigned bits = 1; bits <= 64; bits++) {
                const uint64_t least = UINT64_C(1) << (bits - 1), most = least - 1 + least;
                assert_true(ps_numbers_take(&at) == least);
                assert_true(ps_numbers_take(&at) == most);
                assert_true(ps_numbers_take_signed(&at) == (int64_t)most);
                assert_true(ps_numbers_take_signed(&at) == -(int64_t)(most >> 1) - 1);
        }
        assert_true(ps_numbers_take(&at) == 0);
        assert_ptr_equal(at, text.row + text.n);
        free(text.row);
}

/* -- rows of more numbers than a word tells the lengths of -- */

enum { WIDE = PS_REDUCED_MOST };

/* Some say nothing, which is 0. */
static int64_t number_of(uint32_t rank, uint32_t thing, uint32_t field)
{
        return (thing + field) % 3 ? ((int64_t)rank + 1) << (thing + field) % 60 : 0;
}

static void keep_largest(int64_t *to, const int64_t *row)
{
        for (uint32_t i = 0; i < WIDE; i++)
                to[i] = row[i] > to[i] ? row[i] : to[i];
}

static void reduce_wide_rows(ps_exchange *x, void *ctx)
{
        static const ps_reduced fields[WIDE] = {[3] = {0, true}};
        static const ps_reduction reduction = {fields, WIDE, keep_largest};
        atomic_int *n_right = ctx;
        uint32_t id[THINGS];
        int64_t rows[THINGS][WIDE];
        ps_error err = {0};
        for (uint32_t thing = 0; thing < THINGS; thing++) {
                id[thing] = thing;
                for (uint32_t i = 0; i < WIDE; i++)
                        rows[thing][i] = number_of(x->rank, thing, i);
        }
        assert_int_equal(ps_exchange_reduce(x, &reduction, THINGS, id, THINGS, rows[0], &err), PS_OK);
        for (uint32_t thing = 0; thing < THINGS; thing++)
                for (uint32_t i = 0; i < WIDE; i++)
                        *n_right += rows[thing][i] == number_of(x->size - 1, thing, i);
}

/* The last process has the largest numbers. */
TEST(those_who_all_tell_of_the_same_things_all_hear_their_sums)
{
        for (uint32_t size = 2; size < 5; size++) {
                atomic_int n_right = 0;
                crew_run(size, reduce_wide_rows, &n_right);
                assert_int_equal(n_right, size * THINGS * WIDE);
        }
}

/* -- letters -- */

static const int64_t numbers[] = {0,
                                  1,
                                  -1,
                                  127,
                                  -128,
                                  128,
                                  -129,
                                  32767,
                                  -32768,
                                  32768,
                                  INT32_MAX,
                                  INT32_MIN,
                                  (int64_t)1 << 55,
                                  -((int64_t)1 << 55),
                                  INT64_MAX,
                                  INT64_MIN};

TEST(numbers_beside_each_other_come_back_in_as_few_bytes_as_they_need)
{
        static const size_t bytes[] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4, 4, 8, 7, 8, 8};
        for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
                ps_numbers out = {0};
                ps_packing put = {.n = 0};
                int64_t before = numbers[i];
                assert_true(ps_packing_begin(&put, &out));
                for (unsigned k = 0; k + 1 < PS_PACKED_MOST; k++)
                        ps_packing_put(&put, numbers[i]);
                ps_packing_put_step(&put, INT64_MIN, &before);
                ps_packing_end(&put, &out);
                ps_unpacking take = ps_unpacking_begin(out.row);
                assert_int_equal(ps_unpacking_take(&take), numbers[i]);
                assert_int_equal(take.at - out.row, sizeof(uint32_t) + bytes[i]);
                for (unsigned k = 1; k + 1 < PS_PACKED_MOST; k++)
                        assert_int_equal(ps_unpacking_take(&take), numbers[i]);
                before = numbers[i];
                assert_int_equal(ps_unpacking_take_step(&take, &before), INT64_MIN);
                assert_ptr_equal(take.at, out.row + out.n);
                free(out.row);
        }
}

/* Letters of a few bytes, and of many pages, whose ends lie anywhere. */
struct dealt {
        size_t each;
        atomic_int n_right;
};

static uint8_t byte_of(uint32_t rank, size_t i)
{
        return (uint8_t)((rank + i / 1000) % 101);
}

/* To process p `each` times its number. */
static ps_numbers *write_letters(const ps_exchange *x, size_t each)
{
        ps_numbers *letters;
        assert_int_equal(ps_letters_new(&letters, x, NULL), PS_OK);
        for (uint32_t p = 0; p < x->size; p++)
                for (size_t i = 0; i < each * p; i++)
                        ps_numbers_put(&letters[p], byte_of(x->rank, i));
        return letters;
}

static bool is_letter_of(uint32_t rank, const uint8_t *letter, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (letter[i] != byte_of(rank, i))
                        return false;
        return true;
}

static void deal_letters(ps_exchange *x, void *ctx)
{
        struct dealt *dealt = ctx;
        ps_error err = {0};
        ps_numbers *letters = write_letters(x, dealt->each);
        for (int deals = 0; deals < 2; deals++) {
                ps_pile in;
                assert_int_equal(deals ? ps_letters_deal(&in, letters, x, PS_OK, &err)
                                       : ps_letters_deal_copies(&in, letters, x, PS_OK, &err),
                                 PS_OK);
                for (uint32_t p = 0; p < x->size; p++) {
                        size_t n;
                        const uint8_t *at = ps_pile_part(&in, p, &n);
                        dealt->n_right += n == dealt->each * x->rank && is_letter_of(p, at, n);
                }
                ps_pile_clear(&in);
        }
}

enum { FEW_BYTES = 1000, MANY_BYTES = 5300000 };

TEST(letters_of_which_copies_are_dealt_may_be_dealt_again)
{
        for (uint32_t size = 2; size < 5; size++) {
                struct dealt dealt = {.each = size == 2 ? MANY_BYTES : FEW_BYTES};
                crew_run(size, deal_letters, &dealt);
                assert_int_equal(dealt.n_right, 2 * size * size);
        }
}

struct hearing {
        ps_exchange *x;
        size_t each;
        uint32_t n_right, n_heard;
};

static void hear_one(void *ctx, uint32_t p, const uint8_t *letter, size_t n)
{
        struct hearing *h = ctx;
        h->n_right += n == h->each * h->x->rank && is_letter_of(p, letter, n);
        h->n_heard++;
}

/* With a status other than PS_OK in the last process. */
static uint32_t hear_in_turn(ps_exchange *x, size_t each, ps_status of_last)
{
        struct hearing h = {.x = x, .each = each};
        ps_error err = {0};
        ps_numbers *letters = write_letters(x, each);
        const ps_status own = x->rank + 1 == x->size ? of_last : PS_OK;
        assert_int_equal(ps_letters_deal_in_turn(letters, x, hear_one, &h, own, &err), of_last);
        assert_int_equal(h.n_heard, of_last == PS_OK ? x->size : 0);
        return h.n_right;
}

static void hear_letters(ps_exchange *x, void *ctx)
{
        struct dealt *dealt = ctx;
        dealt->n_right +=
                (int)(hear_in_turn(x, dealt->each, PS_OK) + hear_in_turn(x, dealt->each, PS_E_NOMEM));
}

TEST(letters_that_are_read_as_they_come_are_those_of_all_or_of_nobody)
{
        for (uint32_t size = 2; size < 5; size++) {
                struct dealt dealt = {.each = size == 3 ? MANY_BYTES : FEW_BYTES};
                crew_run(size, hear_letters, &dealt);
                assert_int_equal(dealt.n_right, size * size);
        }
}
