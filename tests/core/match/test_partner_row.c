/* test_partner_row.c - rows that are told to the process of their partner come there as they were. */
#include "core/match/partner_row.h"
#include "tests/support/test.h"

/* Behind what is put, and heard of how many bytes it took. */
static size_t tell(const struct told *row, struct told_has has)
{
        uint8_t bytes[ROW_BYTES_MOST + sizeof(uint64_t)] = {0};
        struct told heard = {0};
        const bool is_plain = told_is_plain(row, has);
        const uint8_t *end = is_plain ? told_put_plain(bytes, row, has) : ps_told_put_long(bytes, *row, has),
                      *taken = is_plain ? told_take_plain(bytes, &heard, has)
                                        : ps_told_take_long(bytes, &heard, has);
        assert_ptr_equal(taken, end);
        assert_memory_equal(&heard, row, sizeof(heard));
        assert_true((size_t)(end - bytes) + 2 <= ROW_BYTES_MOST);
        return (size_t)(end - bytes);
}

/* A byte for the step to the row of the partner, and four for each time. */
TEST(a_plain_row_takes_a_byte_and_four_for_each_of_its_times)
{
        const struct told receive = {.link = -128, .enter = 1, .stay = UINT32_MAX}, send = {.link = 127,
                                                                                            .enter = 5,
                                                                                            .stay = 3,
                                                                                            .pre = 2,
                                                                                            .done_enter = 7,
                                                                                            .done_leave = 8};
        assert_int_equal(tell(&receive, (struct told_has){.pre = false}), 9);
        assert_int_equal(tell(&send, (struct told_has){.pre = true, .done = true}), 21);
}

TEST(whatever_is_farther_or_goes_back_is_told_with_its_lengths)
{
        const struct told_has all = {true, true, true, true}, some = {.done = true};
        const struct told rows[] = {{.link = 128},
                                    {.link = -129},
                                    {.enter = -1},
                                    {.stay = INT64_C(1) << 32},
                                    {.done_enter = INT64_MIN, .done_leave = INT64_MAX}};
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                assert_false(told_is_plain(&rows[i], some));
                tell(&rows[i], some);
                tell(&rows[i], all);
        }
        const struct told small = {.link = 1, .enter = 1};
        assert_false(told_is_plain(&small, all));
        assert_true(told_is_plain(&small, some));
}

static int64_t draw(uint64_t *random)
{
        *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407U;
        const uint64_t number = *random >> (*random >> 58);
        return (int64_t)(*random & 1 << 20 ? number : 0 - number);
}

TEST(rows_of_any_numbers_come_as_they_were)
{
        uint64_t random = 1;
        for (int i = 0; i < 20000; i++) {
                struct told_has has = {draw(&random) & 4, draw(&random) & 4, draw(&random) & 4,
                                       draw(&random) & 4};
                const struct told row = {.partner = has.partner ? (int32_t)draw(&random) : 0,
                                         .link = (int32_t)draw(&random),
                                         .enter = draw(&random),
                                         .stay = draw(&random),
                                         .pre = has.pre ? draw(&random) : 0,
                                         .done_enter = has.done ? draw(&random) : 0,
                                         .done_leave = has.done ? draw(&random) : 0,
                                         .length = has.length ? draw(&random) : 0};
                tell(&row, has);
        }
}
