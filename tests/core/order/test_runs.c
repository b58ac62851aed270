/* test_runs.c - rows of any number of runs become one run, and what is alike keeps its order. */
#include "core/base/hash.h"
#include "core/order/runs.h"
#include "tests/support/test.h"

static uint64_t next_random(uint64_t *seed)
{
        return ps_hash_mix(++*seed);
}

struct placed {
        uint32_t time, place;
};

static bool is_placed_before(const struct placed *a, const struct placed *b)
{
        return a->time < b->time;
}

PS_RUNS(placed, struct placed, is_placed_before)

/* Rows of one run, of two, of several and of as many as may be; what is at one time keeps its order. */
TEST(runs_become_one_in_order)
{
        uint64_t seed = 3;
        struct placed row[100], spare[100];
        for (uint32_t n = 0; n <= 100; n++)
                for (uint32_t longest = 1; longest <= 128; longest *= 2) {
                        uint64_t sum = 0;
                        for (uint32_t i = 0; i < n; i++) {
                                const uint32_t more = (uint32_t)next_random(&seed) % 3;
                                row[i] = (struct placed){i % longest ? row[i - 1].time + more : more, i};
                        }
                        placed_sort(row, spare, n);
                        for (uint32_t i = 0; i < n; i++) {
                                sum += row[i].place;
                                assert_false(i && is_placed_before(&row[i], &row[i - 1]));
                                assert_false(i && row[i].time == row[i - 1].time &&
                                             row[i].place < row[i - 1].place);
                        }
                        assert_int_equal(sum, n ? (uint64_t)n * (n - 1) / 2 : 0);
                }
}
