/* test_trace.c - when records were written, and which operation completes which. */
#include "core/model/trace.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"

#define N(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

enum { BLOCKING, STARTED, FOREIGN, OPEN, COLL, WAIT, OTHER_WAIT };

/* Location 0 has rows 0 .. 5, location 1 the wait that completes the FOREIGN one. Each call takes 100. */
static const maker_row rows[] = {
        [BLOCKING] = {.loc = 0, .kind = PS_K_RECV, .at = 1000, .done = PS_NONE},
        [STARTED] = {.loc = 0, .kind = PS_K_IRECV, .at = 2000, .done = 5},
        [FOREIGN] = {.loc = 0, .kind = PS_K_ISEND, .at = 3000, .done = PS_NONE, .flags = PS_OP_ELSEWHERE},
        [OPEN] = {.loc = 0, .kind = PS_K_IRECV, .at = 4000, .done = PS_NONE},
        [COLL] = {.loc = 0, .kind = PS_K_BARRIER, .at = 5000, .done = 5, .flags = PS_OP_NONBLOCKING},
        [WAIT] = {.loc = 0, .kind = PS_K_WAITALL, .at = 6000, .done = PS_NONE},
        [OTHER_WAIT] = {.loc = 1, .kind = PS_K_WAIT, .at = 7000, .done = PS_NONE},
};

static ps_trace *make(void)
{
        static const ps_proc process[] = {0, 0};
        static const maker_shape shape = {.n_procs = 1, .process = process, .n_locs = 2};
        static ps_foreign foreign[] = {
                {{0, 1}, {PS_NONE, PS_NONE}}, {{0, 2}, {1, 0}}, {{1, 0}, {PS_NONE, PS_NONE}}};
        ps_trace *trace = maker_trace(&shape, rows, N(rows));
        trace->foreign = foreign;
        trace->n_foreign = N(foreign);
        return trace;
}

static void assert_ref(ps_ref ref, ps_loc loc, ps_op op)
{
        assert_int_equal(ref.loc, loc);
        assert_int_equal(ref.op, op);
}

static ps_ref ref_of(uint32_t i)
{
        return maker_ref(rows, i);
}

TEST(operations_are_completed_by_others_or_themselves)
{
        ps_trace *trace = make();
        assert_ref(ps_op_completion(trace, ref_of(BLOCKING)), 0, 0);
        assert_ref(ps_op_completion(trace, ref_of(STARTED)), 0, 5);
        assert_ref(ps_op_completion(trace, ref_of(FOREIGN)), 1, 0);
        assert_ref(ps_op_completion(trace, ref_of(OPEN)), PS_NONE, PS_NONE);
        assert_ref(ps_op_completion(trace, ref_of(COLL)), 0, 5);
        assert_ref(ps_op_completion(trace, ref_of(WAIT)), 0, 5);
        trace->n_foreign = 1;
        assert_ref(ps_op_completion(trace, ref_of(FOREIGN)), PS_NONE, PS_NONE);
        maker_free(trace);
}

TEST(records_lie_between_enter_and_leave)
{
        ps_trace *trace = make();
        for (ps_op op = 0; op < trace->ops[0].n; op++) {
                trace->ops[0].pre[op] = 3 + op;
                trace->ops[0].post[op] = 20 + op;
        }
        const ps_timing *timing = &trace->measured;
        assert_int_equal(ps_op_record_begin(trace, timing, ref_of(BLOCKING)), 1000 + 3);
        assert_int_equal(ps_op_record_begin(trace, timing, ref_of(STARTED)), 2000 + 4);
        assert_int_equal(ps_op_record_end(trace, timing, ref_of(BLOCKING)), 1100 - 20);
        assert_int_equal(ps_op_record_end(trace, timing, ref_of(STARTED)), 6100 - 21);
        assert_int_equal(ps_op_record_end(trace, timing, ref_of(FOREIGN)), 7100 - 22);
        assert_int_equal(ps_op_record_end(trace, timing, ref_of(OPEN)), 4100);
        assert_int_equal(ps_op_record_end(trace, timing, ref_of(COLL)), 6100 - 24);
        maker_free(trace);
}

TEST(long_distances_stand_apart)
{
        struct ps_wide wide[] = {{0, 1, INT64_C(5000000001)},
                                 {1, 1, INT64_C(5000000002)},
                                 {1, 0, INT64_C(5000000003)},
                                 {2, 0, INT64_C(5000000004)},
                                 {5, 1, INT64_C(5000000005)}};
        ps_trace *trace = make();
        ps_ops *ops = &trace->ops[0];
        ops->wide = wide;
        ops->n_wide = N(wide);
        ops->pre[1] = ops->post[1] = ops->pre[2] = ops->post[5] = ops->pre[0] = UINT32_MAX;
        const ps_timing *timing = &trace->measured;
        assert_int_equal(ps_op_record_begin(trace, timing, ref_of(STARTED)), 2000 + INT64_C(5000000003));
        assert_int_equal(ps_op_record_end(trace, timing, ref_of(STARTED)), 6100 - INT64_C(5000000002));
        assert_int_equal(ps_op_record_begin(trace, timing, ref_of(FOREIGN)), 3000 + INT64_C(5000000004));
        assert_int_equal(ps_op_record_end(trace, timing, ref_of(WAIT)), 6100 - INT64_C(5000000005));
        /* Only the end of row 0 stands apart: its begin is the largest distance that fits. */
        assert_int_equal(ps_op_record_begin(trace, timing, ref_of(BLOCKING)), 1000 + INT64_C(4294967295));
        maker_free(trace);
}

TEST(only_matched_messages_have_partners)
{
        ps_trace *trace = make();
        ps_ops *ops = &trace->ops[0];
        for (ps_op op = 0; op < ops->n; op++) {
                ops->peer[op] = 1;
                ops->link[op] = 40 + op;
        }
        ops->flags[0] |= PS_OP_MATCHED;
        ops->flags[4] |= PS_OP_MATCHED;
        assert_ref(ps_op_partner(trace, ref_of(BLOCKING)), 1, 40);
        assert_ref(ps_op_partner(trace, ref_of(STARTED)), PS_NONE, PS_NONE);
        assert_ref(ps_op_partner(trace, ref_of(COLL)), PS_NONE, PS_NONE);
        maker_free(trace);
}

/* Wherever a kind stands in a block and between blocks, among all others; what is behind the last row is not
 * looked at. */
TEST(rows_of_rare_kinds_are_found_wherever_they_stand)
{
        enum { ROWS = 200 };
        uint8_t kinds[ROWS];
        for (uint32_t rare = 0; rare < ROWS; rare++)
                for (uint32_t from = 0; from <= rare; from += 7)
                        for (uint32_t least = 1; least < PS_K_COUNT; least += 9) {
                                for (uint32_t i = 0; i < ROWS; i++)
                                        kinds[i] = (uint8_t)(i < from ? PS_K_COUNT - 1 : i % least);
                                kinds[rare] = (uint8_t)(rare & 1 ? least : PS_K_COUNT - 1);
                                ps_ops ops = {.n = ROWS, .kind = kinds};
                                assert_int_equal(ps_ops_seek(&ops, from, (ps_kind)least), rare);
                                ops.n = rare;
                                assert_int_equal(ps_ops_seek(&ops, from, (ps_kind)least), rare);
                        }
}
