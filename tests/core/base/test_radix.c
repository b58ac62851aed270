/* test_radix.c - sorting by bytes of numbers. */
#include "core/base/allocate.h"

#include "core/base/radix.h"

#include "core/base/limit.h"
#include "core/base/types.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SOME = 5000, ROWS = PS_RADIX_VERY_MANY + 1 };

typedef struct row {
        int64_t first;
        double second;
        uint32_t place;
} row;

static uint64_t first_of(const void *at)
{
        const row *r = at;
        return ps_radix_signed(r->first);
}

static uint64_t second_of(const void *at)
{
        const row *r = at;
        return ps_radix_double(r->second);
}

static ps_row_number *const keys[] = {first_of, second_of};

/* Of two rows, the first key decides, then the second one, then where they stood. */
static bool is_in_order(const row *a, const row *b, unsigned n_keys)
{
        if (a->first != b->first)
                return a->first < b->first;
        if (n_keys > 1 && a->second != b->second)
                return a->second < b->second;
        return a->place < b->place;
}

static void sort_and_look(row *rows, uint32_t n, unsigned n_keys)
{
        static bool is_there[ROWS];
        for (uint32_t i = 0; i < n; i++) {
                rows[i].place = i;
                is_there[i] = false;
        }
        assert_int_equal(ps_radix_sort(rows, n, sizeof(*rows), keys, n_keys), 0);
        for (uint32_t i = 0; i < n; i++) {
                assert_false(is_there[rows[i].place]);
                is_there[rows[i].place] = true;
                assert_true(i == 0 || is_in_order(&rows[i - 1], &rows[i], n_keys));
        }
}

TEST(rows_are_sorted_by_one_number_and_then_the_next)
{
        static row rows[ROWS];
        static const uint32_t sizes[] = {0, 1, 2, 3, 300, SOME, ROWS};
        uint64_t seed = 1;
        for (unsigned k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
                for (unsigned n_keys = 1; n_keys <= 2; n_keys++) {
                        for (uint32_t i = 0; i < sizes[k]; i++) {
                                seed = seed * 6364136223846793005 + 1442695040888963407;
                                rows[i].first = (int64_t)(seed >> 40) % 17 - 8;
                                rows[i].second = (double)((int64_t)(seed >> 33) % 100 - 50) / 7;
                        }
                        sort_and_look(rows, sizes[k], n_keys);
                }
}

TEST(numbers_that_differ_in_some_bits_only_are_sorted)
{
        static row rows[ROWS];
        static const uint32_t sizes[] = {300, SOME, ROWS};
        uint64_t seed = 3;
        for (unsigned width = 1; width <= 63; width += SANITIZED ? 31 : 5)
                for (unsigned k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
                        for (unsigned low = 0; low + width <= 63; low += 1 + (63 - width) / 2) {
                                for (uint32_t i = 0; i < sizes[k]; i++) {
                                        seed = seed * 6364136223846793005 + 1442695040888963407;
                                        rows[i].first = (int64_t)(seed >> (64 - width) << low);
                                        rows[i].second = 0;
                                }
                                sort_and_look(rows, sizes[k], 1);
                        }
}

TEST(numbers_at_the_ends_of_their_range_are_sorted)
{
        row rows[] = {
                {INT64_MAX, INFINITY, 0}, {INT64_MIN, -1e-300, 0}, {0, 1e300, 0}, {-1, -1e300, 0}, {1, 0, 0},
                {INT64_MAX, 5e-324, 0},   {0, -5e-324, 0}};
        sort_and_look(rows, 7, 2);
        assert_true(ps_radix_double(-1) < ps_radix_double(-0.5));
        assert_true(ps_radix_double(-INFINITY) < ps_radix_double(-1e300));
        assert_true(ps_radix_double(-5e-324) < ps_radix_double(0));
}

/* Of n numbers that are i * 3 modulo n for each i, n not a multiple of 3, what stands in place k is k, and so
 * it is where their last digit is moved to the right of their others. */
TEST(the_number_in_a_place_is_found)
{
        static const uint64_t sizes[] = {1, 2, 4, 10, 2048, SOME};
        static uint64_t numbers[SOME];
        for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
                for (uint64_t k = 0, n = sizes[i]; k < n; k += 1 + n / 10)
                        for (unsigned shift = 1; shift < 52; shift += 10) {
                                for (uint64_t at = 0; at < n; at++)
                                        numbers[at] = at * 3 % n / 2 << shift | at * 3 % n % 2;
                                assert_true(ps_radix_select(numbers, n, k) == (k / 2 << shift | k % 2));
                        }
}

TEST(equal_numbers_stand_in_many_places)
{
        uint64_t numbers[] = {9, 5, 5, 1, 5};
        assert_int_equal(ps_radix_select(numbers, 5, 3), 5);
        uint64_t same[] = {7, 7, 7};
        assert_int_equal(ps_radix_select(same, 3, 1), 7);
}

TEST(a_double_comes_back_from_its_number)
{
        static const double values[] = {0, -0.5, 1, -1e300, 5e-324, INFINITY, -INFINITY};
        for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++)
                assert_true(ps_radix_to_double(ps_radix_double(values[i])) == values[i]);
}

/* -- in a file -- */

static uint64_t mixed(uint64_t number)
{
        number *= UINT64_C(0x9E3779B97F4A7C15);
        return number ^ number >> 29;
}

static row row_at(uint32_t place)
{
        uint64_t number = mixed(place);
        return (row){(int64_t)(number % 1000) - 500, (double)(number >> 40 & 15), place};
}

/* Rows that are all different and all there from the start are all there when each is before the next one. */
static int sort_in_a_file(void)
{
        enum { MANY = 3 * (PS_RADIX_RUN_BYTES / sizeof(row)) + 7 };
        /* A sanitizer alone takes more than the lesser one, so that pages would come and go all the time;
         * below the other one rows are in memory. */
        const size_t limit = (size_t)(SANITIZED ? 256 : 32) << 20;
        ps_blocks_limit(ps_limit_resident() + limit);
        row *rows = malloc(MANY * sizeof(*rows));
        if (setenv("TMPDIR", "/var/tmp", 1) || !rows || (!SANITIZED && !ps_space_holds(rows)))
                return 1;
        for (unsigned n_keys = 1; n_keys <= 2; n_keys++) {
                for (uint32_t i = 0; i < MANY; i++)
                        rows[i] = row_at(i);
                if (ps_radix_sort(rows, MANY, sizeof(*rows), keys, n_keys))
                        return 2;
                for (uint32_t i = 0; i < MANY; i++) {
                        row own = row_at(rows[i].place);
                        if (own.first != rows[i].first || own.second != rows[i].second)
                                return 3;
                        if (i && !is_in_order(&rows[i - 1], &rows[i], n_keys))
                                return 4;
                }
        }
        free(rows);
        return 0;
}

TEST(rows_in_a_file_are_sorted_in_the_same_order)
{
        int how;
        pid_t child = fork(); /* a limit is that of a whole process */
        assert_true(child >= 0);
        if (child == 0)
                _exit(sort_in_a_file());
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFEXITED(how));
        assert_int_equal(WEXITSTATUS(how), 0);
}
