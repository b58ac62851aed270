/* test_needs.c - the walk passes over messages and calls in which a row finds nothing, by what the row says
 * that it needs: tried with thousands of messages and calls that lack it. */
#include "patterns/engine/engine.h"
#include "tests/support/test.h"

enum { TRIES = 20000, SPAN = 6 };

static uint64_t seed = 1;

static ps_time any_time(void)
{
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        return (ps_time)((seed >> 40) % SPAN);
}

static ps_side any_side(bool blocks)
{
        ps_side side = {.enter = any_time(), .kind = (ps_kind)any_time()};
        side.leave = side.enter + any_time();
        side.wait_enter = blocks ? side.enter : side.leave + any_time();
        side.wait_leave = blocks ? side.leave : side.wait_enter + any_time();
        side.wait_kind = blocks ? side.kind : PS_K_WAIT;
        return side;
}

/* Does the row, which needs this much, say that it has no business with this message? `receives`: it looks at
 * the receiver. */
static bool is_passed_over(const ps_pattern *row, unsigned needs, const ps_message_view *view)
{
        bool receives = row->subject == PS_ON_RECEIVER;
        const ps_side *own = receives ? &view->recv : &view->send,
                      *other = receives ? &view->send : &view->recv;
        return (needs & PS_NEEDS_LATE_FOR_CALL && other->enter <= own->wait_enter) ||
               (needs & PS_NEEDS_LATE_FOR_POST && other->enter <= own->enter) ||
               (needs & PS_NEEDS_UNDER_WAY && other->enter >= own->wait_leave + view->tolerance);
}

static void assert_finds_nothing(const ps_pattern *row, const ps_formula *formula,
                                 const ps_message_view *view)
{
        ps_time lost = formula->message(view);
        if (row->is_defect)
                assert_true(lost < 0);
        else
                assert_true(lost <= 0);
}

TEST(rows_find_nothing_in_messages_that_lack_what_they_need)
{
        uint32_t passed_over = 0;
        for (int i = 0; i < TRIES; i++) {
                ps_message_view view = {.send = any_side(any_time() & 1),
                                        .recv = any_side(any_time() & 1),
                                        .bytes = (uint64_t)any_time(),
                                        .eager_bytes = (uint64_t)any_time(),
                                        .tolerance = any_time()};
                for (uint32_t p = 0; p < ps_pattern_count(); p++) {
                        const ps_pattern *row = ps_pattern_at(p);
                        if (row->parent ||
                            !(row->needs & (PS_NEEDS_LATE_FOR_CALL | PS_NEEDS_LATE_FOR_POST)) ||
                            !is_passed_over(row, row->needs | row->own_needs, &view))
                                continue;
                        passed_over++;
                        assert_finds_nothing(row, row->formula, &view);
                        if (row->paper_formula && is_passed_over(row, row->needs, &view))
                                assert_finds_nothing(row, row->paper_formula, &view);
                }
        }
        assert_true(passed_over > TRIES);
}

TEST(what_columns_say_of_a_message_is_what_its_formula_finds)
{
        uint32_t asked = 0;
        for (int i = 0; i < TRIES; i++) {
                ps_message_view view = {.send = any_side(any_time() & 1),
                                        .recv = any_side(any_time() & 1),
                                        .tolerance = any_time()};
                for (uint32_t p = 0; p < ps_pattern_count(); p++) {
                        const ps_pattern *row = ps_pattern_at(p);
                        unsigned needs = row->needs | row->own_needs;
                        if (!(needs & PS_LOSES_UNTIL_OTHER) || is_passed_over(row, needs, &view))
                                continue;
                        bool receives = row->subject == PS_ON_RECEIVER;
                        const ps_side *own = receives ? &view.recv : &view.send,
                                      *other = receives ? &view.send : &view.recv;
                        ps_time until = other->enter < own->wait_leave ? other->enter : own->wait_leave;
                        assert_int_equal(row->formula->message(&view), until - own->wait_enter);
                        asked++;
                }
        }
        assert_true(asked > TRIES / 10);
}

TEST(what_columns_say_is_left_of_a_call_is_what_its_formula_finds)
{
        uint32_t asked = 0;
        for (uint32_t p = 0; p < ps_pattern_count(); p++) {
                const ps_pattern *row = ps_pattern_at(p);
                for (int i = 0; row->own_needs & PS_LOSES_REST && i < TRIES; i++, asked++) {
                        ps_call_view view = {.enter = any_time(), .kind = (ps_kind)any_time(), .messages = 1};
                        view.leave = view.enter + any_time();
                        view.charged = any_time();
                        assert_int_equal(row->formula->call(&view), view.leave - view.enter - view.charged);
                }
        }
        assert_true(asked > 0);
}

TEST(rows_find_nothing_in_calls_that_are_too_short_or_too_large)
{
        for (int i = 0; i < TRIES; i++) {
                ps_call_view view = {.enter = any_time(), .bytes = (uint64_t)any_time() * 100, .messages = 1};
                view.leave = view.enter + any_time();
                view.charged = any_time();
                for (uint32_t p = 0; p < ps_pattern_count(); p++) {
                        const ps_pattern *row = ps_pattern_at(p);
                        if (row->needs & PS_NEEDS_EPSILON)
                                assert_true(row->formula->call(&view) <= view.leave - view.enter);
                        if (row->most_bytes && view.bytes > row->most_bytes)
                                assert_int_equal(row->formula->call(&view), PS_NOT_SO);
                }
        }
}
