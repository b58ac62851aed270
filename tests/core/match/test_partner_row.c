/* test_partner_row.c - rows that are told to the process of their partner come there as they were. */
#include "core/match/partner_row.h"
#include "tests/support/test.h"

static void tell_long(const struct told *row, struct told_has has)
{
        uint8_t bytes[ROW_BYTES_MOST + sizeof(uint64_t)] = {0};
        const uint8_t *end = ps_told_put_long(bytes, *row, has), *at = bytes;
        const struct told heard = ps_told_take_long(&at, has);
        assert_ptr_equal(at, end);
        assert_memory_equal(&heard, row, sizeof(heard));
        assert_true((size_t)(end - bytes) + 2 <= ROW_BYTES_MOST);
}

/* A send that a Wait completes, and a receive: what is told of them follows a row whose partner was row 5 of
 * location 3, and that began at 100. */
struct rows {
        uint8_t kind[3], flags[3];
        uint32_t call[3], link[3], done[3], pre[3], tag[3];
        ps_time enter[3], leave[3];
        struct ps_call calls[1];
};

enum { SEND, WAIT, RECEIVE };

static const struct rows plain = {.kind = {PS_K_ISEND, PS_K_WAIT, PS_K_RECV},
                                  .link = {5, 0, 5},
                                  .done = {WAIT, PS_NONE, PS_NONE},
                                  .pre = {2, 0, 0},
                                  .tag = {0, 1, 0},
                                  .enter = {105, 112, 101},
                                  .leave = {108, 113, 101 + (ps_time)UINT32_MAX}};
static const struct told_last last = {3, 5, 100};

static struct told_source source_of(struct rows *rows)
{
        return (struct told_source){.ops = {.n = 3,
                                            .kind = rows->kind,
                                            .flags = rows->flags,
                                            .call = rows->call,
                                            .calls = rows->calls,
                                            .link = rows->link,
                                            .done = rows->done,
                                            .pre = rows->pre,
                                            .tag = rows->tag},
                                    .enter = rows->enter,
                                    .leave = rows->leave};
}

static bool is_plain(const struct rows *rows, ps_op op, ps_loc partner, bool with_bytes)
{
        uint8_t bytes[ROW_BYTES_MOST];
        struct rows own = *rows;
        struct told_source from = source_of(&own);
        from.with_bytes = with_bytes;
        return told_put_plain(bytes, &from, &last, op, partner) != NULL;
}

/* Two bytes of kinds, one for the step to the row of the partner, and four for each time. */
TEST(a_plain_row_takes_three_bytes_and_four_for_each_of_its_times)
{
        uint8_t bytes[ROW_BYTES_MOST];
        struct rows rows = plain;
        rows.link[SEND] = 5 + 127;
        rows.link[RECEIVE] = 4;
        const struct told_source from = source_of(&rows);
        const uint8_t *at = bytes + 2, *end = told_put_plain(bytes, &from, &last, RECEIVE, 3);
        const struct told receive = told_take_plain(&at, (struct told_has){.pre = false});
        assert_ptr_equal(at, end);
        assert_int_equal(end - bytes, 11);
        assert_int_equal(bytes[0], PS_K_RECV << KIND_SHIFT | IS_PLAIN);
        assert_int_equal(bytes[1], NOTHING);
        assert_int_equal(receive.link, -1);
        assert_int_equal(receive.enter, 1);
        assert_int_equal(receive.stay, UINT32_MAX);
        at = bytes + 2;
        end = told_put_plain(bytes, &from, &last, SEND, 3);
        const struct told send = told_take_plain(&at, (struct told_has){.pre = true, .done = true});
        assert_ptr_equal(at, end);
        assert_int_equal(end - bytes, 23);
        assert_int_equal(bytes[0], PS_K_ISEND << KIND_SHIFT | IS_PLAIN);
        assert_int_equal(bytes[1], PS_K_WAIT << KIND_SHIFT | IS_TOLD);
        assert_int_equal(send.link, 127);
        assert_int_equal(send.enter, 5);
        assert_int_equal(send.stay, 3);
        assert_int_equal(send.pre, 2);
        assert_int_equal(send.done_enter, 7);
        assert_int_equal(send.done_leave, 8);
}

TEST(whatever_is_farther_or_goes_back_is_not_plain)
{
        struct rows rows[] = {plain, plain, plain, plain, plain, plain, plain};
        assert_false(is_plain(&plain, SEND, 3, true));
        assert_false(is_plain(&plain, RECEIVE, 4, false));
        assert_true(is_plain(&plain, RECEIVE, 3, true));
        rows[0].link[RECEIVE] = 5 + 128;
        rows[1].link[RECEIVE] = UINT32_MAX;
        rows[2].enter[RECEIVE] = 99;
        rows[3].leave[RECEIVE]++;
        assert_true(is_plain(&rows[4], RECEIVE, 3, false));
        for (int i = 0; i < 4; i++)
                assert_false(is_plain(&rows[i], RECEIVE, 3, false));
        rows[4].link[SEND] = rows[5].link[SEND] = rows[6].link[SEND] = 5;
        assert_true(is_plain(&rows[4], SEND, 3, false));
        rows[4].pre[SEND] = UINT32_MAX;
        rows[5].leave[WAIT] = INT64_MAX;
        rows[6].flags[SEND] = PS_OP_ELSEWHERE;
        for (int i = 4; i < 7; i++)
                assert_false(is_plain(&rows[i], SEND, 3, false));
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
                tell_long(&row, has);
        }
}
