/* lab.c - see lab.h. */
#include "tests/core/match/lab.h"
#include "tests/support/test.h"

ps_trace *match_messages(const maker_shape *shape, const maker_row *rows, uint32_t n, unsigned n_threads)
{
        ps_trace *trace = maker_trace(shape, rows, n);
        ps_error err = {0};
        assert_int_equal(ps_match_messages(trace, n_threads, NULL, &err), PS_OK);
        return trace;
}

void match_points_at(const ps_trace *trace, ps_ref from, ps_ref to)
{
        const ps_ops *ops = &trace->ops[from.loc];
        assert_true(ops->flags[from.op] & PS_OP_MATCHED);
        assert_int_equal(ps_op_peer(ops, from.op), to.loc);
        assert_int_equal(ops->link[from.op], to.op);
        ps_ref partner = ps_op_partner(trace, from);
        assert_int_equal(partner.loc, to.loc);
        assert_int_equal(partner.op, to.op);
}

void match_pair(const ps_trace *trace, const maker_row *rows, uint32_t a, uint32_t b)
{
        match_points_at(trace, maker_ref(rows, a), maker_ref(rows, b));
        match_points_at(trace, maker_ref(rows, b), maker_ref(rows, a));
}

void match_alone(const ps_trace *trace, const maker_row *rows, uint32_t i)
{
        ps_ref ref = maker_ref(rows, i);
        assert_false(trace->ops[ref.loc].flags[ref.op] & PS_OP_MATCHED);
        assert_int_equal(ps_op_peer(&trace->ops[ref.loc], ref.op), rows[i].peer);
        assert_int_equal(ps_op_partner(trace, ref).loc, PS_NONE);
}

ps_trace *match_collectives(const maker_shape *shape, const maker_row *rows, uint32_t n)
{
        ps_trace *trace = maker_trace(shape, rows, n);
        ps_error err = {0};
        assert_int_equal(ps_match_collectives(trace, maker_received(trace, rows, n), 2, &err), PS_OK);
        return trace;
}

uint32_t match_coll_of(const ps_trace *trace, const maker_row *rows, uint32_t i)
{
        ps_ref ref = maker_ref(rows, i);
        const ps_ops *ops = &trace->ops[ref.loc];
        if (!(ops->flags[ref.op] & PS_OP_MATCHED))
                return PS_NONE;
        assert_in_range(ops->link[ref.op], 0, trace->n_members - 1);
        const ps_member *member = &trace->members[ops->link[ref.op]];
        assert_int_equal(member->ref.loc, ref.loc);
        assert_int_equal(member->ref.op, ref.op);
        assert_int_equal(member->received, rows[i].received);
        return member->coll;
}

void match_colls(const ps_trace *trace, const maker_row *rows, const uint32_t *expected, uint32_t n)
{
        uint32_t next = 0, mismatched = 0;
        for (uint32_t i = 0; i < n; i++) {
                assert_int_equal(match_coll_of(trace, rows, i), expected[i]);
                mismatched += expected[i] == PS_NONE;
        }
        assert_int_equal(trace->n_members, n - mismatched);
        for (uint32_t c = 0; c < trace->n_colls; c++) {
                const ps_coll *coll = &trace->colls[c];
                assert_int_equal(coll->first, next);
                next += coll->n;
                for (uint32_t k = coll->first; k < next; k++) {
                        assert_int_equal(trace->members[k].coll, c);
                        if (k > coll->first)
                                assert_true(trace->members[k - 1].ref.loc < trace->members[k].ref.loc);
                }
        }
        assert_int_equal(next, trace->n_members);
}

void match_issues(const ps_trace *trace, uint64_t mismatches, uint64_t incomplete)
{
        assert_int_equal(trace->issues.row[PS_I_COLL_MISMATCH].count, mismatches);
        assert_int_equal(trace->issues.row[PS_I_COLL_INCOMPLETE].count, incomplete);
        assert_int_equal(trace->issues.row[PS_I_COMM_INVALID].count, 0); /* noted with the record */
}
