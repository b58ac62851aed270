/* test_ids.c - what ids mean, against plain arrays. */
#include "core/base/ids.h"

#include "core/base/hash.h"
#include "tests/support/test.h"

#include <string.h>

static uint64_t next_random(uint64_t *seed)
{
        return ps_hash_mix(++*seed);
}

/* Few ids, so that they are often given again and dropped. */
TEST(ids_mean_what_they_were_last_given)
{
        enum { IDS = 50, SPACES = 3 };
        uint32_t meant[SPACES][IDS];
        uint64_t seed = 2;
        ps_ids ids = PS_IDS_EMPTY;
        memset(meant, 0xff, sizeof(meant));
        assert_int_equal(ps_ids_get(&ids, 1, 0), PS_NONE);
        assert_int_equal(ps_ids_drop(&ids, 1, 0), PS_NONE);
        for (uint32_t i = 0; i < 20000; i++) {
                uint64_t random = next_random(&seed), id = random % IDS;
                uint32_t space = (uint32_t)(random >> 32) % SPACES, *mine = &meant[space][id];
                if (random >> 63) {
                        uint32_t *row = ps_ids_at(&ids, space + 1, id);
                        assert_int_equal(*row, *mine);
                        *row = *mine = i;
                } else {
                        assert_int_equal(ps_ids_drop(&ids, space + 1, id), *mine);
                        *mine = PS_NONE;
                }
                random = next_random(&seed);
                id = random % IDS;
                space = (uint32_t)(random >> 32) % SPACES;
                assert_int_equal(ps_ids_get(&ids, space + 1, id), meant[space][id]);
        }
        ps_ids_free(&ids);
}

/* Ids that are given one after the other, as requests are, and such as lie anywhere: one in two is dropped
 * again, and a walk finds the others, each once. */
TEST(ids_mean_what_they_were_given_however_many_there_are)
{
        enum { MANY = 30000 };
        static uint8_t met[MANY];
        for (uint64_t stride = 1; stride; stride = stride == 1 ? UINT64_C(0x6c62272e07bb0142) : 0) {
                ps_ids ids = PS_IDS_EMPTY;
                uint64_t at = 0;
                uint32_t n = 0;
                memset(met, 0, sizeof(met));
                for (uint32_t i = 0; i < MANY; i++) {
                        assert_true(ps_ids_give_new(&ids, 1, i * stride, i));
                        if (i % 2)
                                assert_int_equal(ps_ids_drop(&ids, 1, i / 2 * stride), i / 2);
                }
                for (uint32_t i = 0; i < MANY; i++)
                        assert_int_equal(ps_ids_get(&ids, 1, i * stride), i < MANY / 2 ? PS_NONE : i);
                assert_false(ps_ids_give_new(&ids, 1, (MANY - 1) * stride, 7));
                for (ps_id id; ps_ids_next(&ids, &at, &id); n++) {
                        assert_true(id.row >= MANY / 2 && !met[id.row]++);
                        assert_true(id.id == id.row * stride && id.space == 1);
                }
                assert_int_equal(n, MANY / 2);
                ps_ids_free(&ids);
        }
}

/* The i-th of those that all belong at one place, however many places there are: times what their pages are
 * multiplied with it is i. Each has a page of its own. */
static uint64_t id_at_one_place(uint64_t i, uint32_t *space)
{
        const uint64_t key = i * UINT64_C(0xf1de83e19937733d);
        *space = (uint32_t)(key / (UINT64_MAX / PS_IDS_OF_PAGE + 1)) + 1;
        return key * PS_IDS_OF_PAGE;
}

TEST(ids_mean_what_they_were_given_where_all_belong_at_one_place)
{
        enum { MANY = 5000, KEPT = 5 };
        ps_ids ids = PS_IDS_EMPTY;
        for (uint64_t round = 0; round < 2; round++) {
                uint32_t space, n = 0;
                for (uint32_t i = 0; i < MANY; i++) {
                        const uint64_t id = id_at_one_place(i, &space);
                        if (space > PS_IDS_MOST_SPACES)
                                continue;
                        assert_true(ps_ids_give_new(&ids, space, id, i));
                        assert_false(ps_ids_give_new(&ids, space, id, i));
                        n++;
                }
                assert_int_equal(ids.n_far, n - 1);
                for (uint32_t i = 0; i < MANY; i++) {
                        const uint64_t id = id_at_one_place(i, &space);
                        if (space <= PS_IDS_MOST_SPACES)
                                assert_int_equal(ps_ids_drop(&ids, space, id), i);
                }
                assert_int_equal(ids.n_far, 0);
                for (uint32_t i = 0; i < KEPT; i++) {
                        const uint64_t id = id_at_one_place(i, &space);
                        if (space > PS_IDS_MOST_SPACES)
                                continue;
                        assert_int_equal(ps_ids_get(&ids, space, id), PS_NONE);
                        assert_true(ps_ids_give_new(&ids, space, id, i));
                        assert_int_equal(ps_ids_drop(&ids, space, id), i);
                }
        }
        ps_ids_free(&ids);
}

/* Ids that lie anywhere, of which each is looked for again and again while they become more. */
TEST(ids_keep_what_they_mean_while_others_come)
{
        enum { N = 300, ROUNDS = 20 };
        uint64_t seed = 3, id[N];
        for (int round = 0; round < ROUNDS; round++) {
                ps_ids ids = PS_IDS_EMPTY;
                for (uint32_t n = 0; n < N; n++) {
                        id[n] = next_random(&seed);
                        assert_true(ps_ids_give_new(&ids, 1 + n % PS_IDS_MOST_SPACES, id[n], n));
                        for (uint32_t i = 0; i <= n; i++)
                                assert_int_equal(ps_ids_get(&ids, 1 + i % PS_IDS_MOST_SPACES, id[i]), i);
                }
                ps_ids_free(&ids);
        }
}

/* What starts and completes one after the other needs no more room as time goes by, also beside one that is
 * never completed; and places near are no more than such a program needs. */
TEST(ids_that_come_and_go_take_no_more_room)
{
        enum { MANY = 100000, UNDER_WAY = 3 };
        ps_ids ids = PS_IDS_EMPTY;
        assert_true(ps_ids_give_new(&ids, 1, 77, 1));
        for (uint32_t i = 1000; i < MANY; i++) {
                assert_true(ps_ids_give_new(&ids, 1, i, i));
                if (i >= 1000 + UNDER_WAY)
                        assert_int_equal(ps_ids_drop(&ids, 1, i - UNDER_WAY), i - UNDER_WAY);
        }
        assert_int_equal(ps_ids_get(&ids, 1, 77), 1);
        assert_true(ids.n_far <= 2 && ids.n_slots <= 64 && ids.near_shift >= 64 - 5);
        ps_ids_free(&ids);
}

/* Against a plain array: two rows of ids, one upwards and one downwards, are given side by side and dropped
 * in the one order, the other, or none. */
TEST(ids_of_neighbours_mean_what_an_array_says)
{
        enum { N = 5000, LOW = 1, HIGH = 1000000 };
        static uint32_t row[2][N];
        uint64_t seed = 5;
        for (int order = 0; order < 3; order++) {
                ps_ids ids = PS_IDS_EMPTY;
                for (uint32_t i = 0; i < N; i++) {
                        row[0][i] = 2 * i, row[1][i] = 2 * i + 1;
                        assert_true(ps_ids_give_new(&ids, 1, HIGH + i, 2 * i));
                        assert_true(ps_ids_give_new(&ids, 1, LOW + N - 1 - i, 2 * (N - 1 - i) + 1));
                }
                for (uint32_t k = 0; k < N; k++) {
                        const uint32_t i = order == 0   ? k
                                           : order == 1 ? N - 1 - k
                                                        : (uint32_t)(next_random(&seed) % N);
                        for (uint32_t side = 0; side < 2; side++) {
                                const uint64_t id = (side ? LOW : HIGH) + i;
                                assert_int_equal(ps_ids_get(&ids, 1, id), row[side][i]);
                                assert_int_equal(ps_ids_drop(&ids, 1, id), row[side][i]);
                                row[side][i] = PS_NONE;
                        }
                }
                for (uint32_t i = 0; i < N; i++)
                        for (uint32_t side = 0; side < 2; side++)
                                assert_int_equal(ps_ids_get(&ids, 1, (side ? LOW : HIGH) + i), row[side][i]);
                ps_ids_free(&ids);
        }
}
