/* test_gains.c - what is gained where operations do not wait for their partners. */
#include <stdint.h>

#include "simulator/whatif/whatif.h"
#include "tests/simulator/replay/lab.h"
#include "tests/support/test.h"

/* Rank 0 sends at 100 and at 101; what it sends is under way for 5. The others wait from 30 on, to 105 and
 * 106, and compute until 605. Alone they would end at 530 and 529. */
static ps_trace *two_who_wait(void)
{
        replay_lab *lab = replay_lab_new(3);
        rank_compute(lab, 0, 100 * LAB_US);
        rank_calls_take(lab, 0, LAB_US);
        for (uint32_t r = 1; r < 3; r++) {
                rank_send(lab, 0, PS_K_SEND, r, 0, 8);
                rank_compute(lab, r, 30 * LAB_US);
                rank_calls_take(lab, r, (74 + r) * LAB_US);
                rank_recv(lab, r, 0, 0, 8);
                rank_compute(lab, r, (501 - r) * LAB_US);
        }
        return replay_lab_trace(lab);
}

TEST(one_wait_hides_another)
{
        ps_trace *trace = two_who_wait();
        ps_replays replays;
        ps_op first = 0;
        const ps_removal removals[] = {{1, &first, 1, 1}, {2, &first, 1, 1}, {.loc = 2}};
        ps_wish wishes[] = {
                {.first = 0, .n = 1}, {.first = 1, .n = 1}, {.first = 0, .n = 3}, {.first = 2, .n = 1}};
        ps_gains_options options = {.length = trace->measured.duration, .n_threads = 1};
        assert_int_equal(trace->measured.duration, 605 * LAB_US);
        assert_int_equal(ps_replays_make_ideal(&replays, trace, 0, 1, NULL), PS_OK);
        assert_int_equal(ps_gains_find(wishes, 4, removals, &replays, &options, NULL), PS_OK);
        for (int i = 0; i < 3; i++)
                assert_true(wishes[i].is_known);
        assert_int_equal(wishes[0].gain, 0);
        assert_int_equal(wishes[1].gain, 0);
        assert_int_equal(wishes[2].gain, 75 * LAB_US);
        assert_false(wishes[3].is_known);

        /* Where the one is gone already, the other is all that is left. */
        ps_unwaited removed;
        assert_int_equal(ps_unwaited_new(&removed, trace, NULL, NULL), PS_OK);
        assert_int_equal(ps_unwaited_add(&removed, trace, &removals[0], NULL), PS_OK);
        options.removed = &removed;
        assert_int_equal(ps_gains_find(wishes, 4, removals, &replays, &options, NULL), PS_OK);
        assert_int_equal(wishes[0].gain, 0);
        assert_int_equal(wishes[1].gain, 75 * LAB_US);
        ps_unwaited_clear(&removed);
        ps_replays_clear(&replays);
        ps_trace_close(trace);
}
