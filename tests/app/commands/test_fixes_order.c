/* test_fixes_order.c - what it gains to receive in the order of sending. Times are microseconds. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/app/commands/fixes_lab.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"
#include "tests/support/tracegen_calls.h"

/* Rank 0 sends at 10 and at 31, which takes 1. */
static ps_gen *two_sends(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_enter(g, r, 0, "main");
        ps_gen_send_by(g, "MPI_Send", 0, PS_GEN_US(10), PS_GEN_US(11), 1, PS_GEN_WORLD, 1, 1000);
        ps_gen_send_by(g, "MPI_Send", 0, PS_GEN_US(31), PS_GEN_US(32), 1, PS_GEN_WORLD, 2, 1000);
        ps_gen_leave(g, 0, PS_GEN_US(32), "main");
        return g;
}

/* Rank 1 asks for the second message first, works for 5 and asks
 * for the other one, which is there, and works for 5. A message takes 2. */
static ps_gen *wrong_order(void)
{
        ps_gen *g = two_sends();
        ps_gen_recv(g, 1, 0, PS_GEN_US(33), 0, PS_GEN_WORLD, 2, 1000);
        ps_gen_recv(g, 1, PS_GEN_US(38), PS_GEN_US(39), 0, PS_GEN_WORLD, 1, 1000);
        ps_gen_leave(g, 1, PS_GEN_US(44), "main");
        ps_gen_close(g);
        return g;
}

/* The early message is there at 12, the other one is asked for at 17 and there at 33; 5 follow. */
PREDICT_TEST(receives_are_reordered)
{
        ps_gen *g = wrong_order();
        const char *a = ps_gen_anchor(g);
        predict_takes(a, "reorder:late-sender-wrong-order", 38);
        predict_takes(a, "reorder:late-sender", 38);
        predict_takes(a, "reorder:late-sender-wrong-order region:main*2", 20 + 1 + 40 + 2 + 10);
        predict_takes(a, "reorder:late-broadcast", 44);
        predict_refused(a, "predict reorder:late-sendr", "did you mean late-sender");
        predict_refused(a, "predict reorder:0123456789abcdef", "there is no such pattern, finding or cause");
        predict_refused(a, "predict reorder:", ": with a pattern or a finding is missing");
        cJSON *root = predict_told(PS_EXIT_OK, a, "analyze");
        const cJSON *cause = cJSON_GetArrayItem(fixes_causes(root), 0);
        char edit[TEXT_MAX / 2], words[TEXT_MAX];
        assert_string_equal(fixes_text(cause, "why"), "late-order");
        snprintf(edit, sizeof(edit), "reorder:%s", fixes_text(cause, "id"));
        fixes_expect(root, "reordered", edit, 6, 38);
        fixes_expect_first(root, 2, edit, "region:main!@0*0");
        assert_true(fixes_count_pattern(root, "late-sender-wrong-order-same-source") == 1);
        cJSON_Delete(root);
        snprintf(words, sizeof(words), "predict %s --causes=none", edit);
        root = predict_told(PS_EXIT_OK, a, words);
        assert_true(fixes_count_pattern(root, "late-sender-wrong-order-same-source") == 0);
        assert_true(fixes_count_pattern(root, "late-standard-send") == 2);
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* Rank 0 works for 1000, the others for 10. Rank 1 needs what ranks 0 and 2 send, and asks rank 0 first,
 * although rank 2 is done long before. */
static ps_gen *needs_both(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        for (uint32_t r = 0; r < 3; r++) {
                ps_gen_enter(g, r, 0, "main");
                ps_gen_visit(g, r, 0, PS_GEN_US(r ? 10 : 1000), "work");
        }
        ps_gen_send(g, 0, PS_GEN_US(1000), PS_GEN_US(1001), 1, PS_GEN_WORLD, 1, 8);
        ps_gen_send(g, 2, PS_GEN_US(10), PS_GEN_US(11), 1, PS_GEN_WORLD, 1, 8);
        ps_gen_recv(g, 1, PS_GEN_US(10), PS_GEN_US(1002), 0, PS_GEN_WORLD, 1, 8);
        ps_gen_recv(g, 1, PS_GEN_US(1002), PS_GEN_US(1003), 2, PS_GEN_WORLD, 1, 8);
        for (uint32_t r = 0; r < 3; r++)
                ps_gen_leave(g, r, PS_GEN_US(r == 0 ? 1001 : r == 1 ? 1003 : 11), "main");
        ps_gen_close(g);
        return g;
}

/* The other order gains 1 of 1003. Work that is shared out ends at (1000 + 10 + 10) / 3, and then 2 and 1
 * follow: that is what is told, and why. */
PREDICT_TEST(an_order_that_hardly_gains_is_not_what_is_told)
{
        ps_gen *g = needs_both();
        predict_takes(ps_gen_anchor(g), "reorder:late-sender", 1002);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze");
        const cJSON *first = cJSON_GetArrayItem(fixes_causes(root), 0);
        assert_string_equal(fixes_text(first, "why"), "late-order");
        fixes_expect(root, "balanced", "balance:main>work!", 1003 - 343, 343);
        assert_non_null(strstr(fixes_text(first, "comment"), "Rank 0 takes 1 ms in work"));
        assert_null(strstr(fixes_text(first, "advice"), "order"));
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* The same with requests, `late`: that of the early message is posted behind the first wait. */
static ps_gen *waits_in_wrong_order(bool late)
{
        ps_gen *g = two_sends();
        ps_gen_irecv(g, 1, PS_GEN_US(0), PS_GEN_US(1), 20);
        if (!late)
                ps_gen_irecv(g, 1, PS_GEN_US(1), PS_GEN_US(2), 10);
        ps_gen_wait(g, 1, PS_GEN_US(2), PS_GEN_US(33), PS_GEN_GOT(0, PS_GEN_WORLD, 2, 1000, 20));
        if (late)
                ps_gen_irecv(g, 1, PS_GEN_US(36), PS_GEN_US(37), 10);
        ps_gen_wait(g, 1, PS_GEN_US(38), PS_GEN_US(39), PS_GEN_GOT(0, PS_GEN_WORLD, 1, 1000, 10));
        ps_gen_leave(g, 1, PS_GEN_US(44), "main");
        ps_gen_close(g);
        return g;
}

/* As above: the early message is there at 12, work goes on until 17, and the other one is there at 33. */
PREDICT_TEST(requests_are_waited_for_in_the_order_of_sending)
{
        ps_gen *g = waits_in_wrong_order(0);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze");
        const cJSON *cause = cJSON_GetArrayItem(fixes_causes(root), 0);
        char edit[TEXT_MAX / 2], words[TEXT_MAX];
        assert_string_equal(fixes_text(cause, "why"), "late-order");
        snprintf(edit, sizeof(edit), "reorder:%s", fixes_text(cause, "id"));
        fixes_expect(root, "reordered", edit, 6, 38);
        cJSON_Delete(root);
        snprintf(words, sizeof(words), "predict %s --causes=none", edit);
        root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), words);
        predict_near(1e6 * predict_number(root, "trace", "duration_s"), 38, 1e-3, edit);
        assert_true(fixes_count_pattern(root, "late-sender-wrong-order-same-source") == 0);
        cJSON_Delete(root);
        ps_gen_free(g);
        g = waits_in_wrong_order(1); /* nobody can wait for it before it is posted */
        predict_takes(ps_gen_anchor(g), "reorder:late-sender-wrong-order", 44);
        ps_gen_free(g);
}

/* In each of four functions rank 0 sends two messages, of which rank 1 wants the second one first. What
 * changes the order needs a replay of its own: unasked there are two of them, and the most that can be gained
 * for each cause. */
PREDICT_TEST(orders_are_tried_as_far_as_there_is_room)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_enter(g, r, 0, "main");
        for (uint32_t i = 0; i < 4; i++) {
                const char name[] = {(char)('a' + i), '\0'};
                uint64_t t = PS_GEN_US(100 * i);
                ps_gen_enter(g, 0, t, name);
                ps_gen_send(g, 0, t + PS_GEN_US(10), t + PS_GEN_US(11), 1, PS_GEN_WORLD, 2 * i, 8);
                ps_gen_send(g, 0, t + PS_GEN_US(31 + i), t + PS_GEN_US(32 + i), 1, PS_GEN_WORLD, 2 * i + 1,
                            8);
                ps_gen_leave(g, 0, t + PS_GEN_US(40), name);
                ps_gen_recv(g, 1, t, t + PS_GEN_US(33 + i), 0, PS_GEN_WORLD, 2 * i + 1, 8);
                ps_gen_recv(g, 1, t + PS_GEN_US(38 + i), t + PS_GEN_US(39 + i), 0, PS_GEN_WORLD, 2 * i, 8);
        }
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_leave(g, r, PS_GEN_US(400), "main");
        ps_gen_close(g);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze");
        assert_int_equal(fixes_count(root, "reordered"), 2);
        assert_true(fixes_count(root, "sped-up") >= 4);
        cJSON_Delete(root);
        root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze --causes=all");
        assert_int_equal(fixes_count(root, "reordered"),
                         2 * 4); /* what the first send takes itself is one, too */
        cJSON_Delete(root);
        ps_gen_free(g);
}
