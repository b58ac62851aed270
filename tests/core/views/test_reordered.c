/* test_reordered.c - receives and waits that change places stay what they are, and are in the order of
 * sending. */
#include "core/base/hash.h"
#include "core/load/load.h"
#include "core/views/reordered.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"
#include "tests/support/tracegen_calls.h"

enum { MESSAGES = 24, REQUEST = 100 };

/* Rank 0 sends one message after the other; rank 1 gets them in any order: some by a receive, the others,
 * which were posted before, by a wait, or two of them at once. */
static ps_gen *program(uint64_t seed, uint32_t *n_pairs)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        uint32_t order[MESSAGES];
        uint64_t t = 0;
        *n_pairs = 0;
        for (uint32_t m = 0; m < MESSAGES; m++) {
                uint32_t at = (uint32_t)(ps_hash_mix(seed + m) % (m + 1));
                order[m] = order[at];
                order[at] = m;
                ps_gen_send(g, 0, PS_GEN_US(10 * m), PS_GEN_US(10 * m + 1), 1, PS_GEN_WORLD, m, 8);
                if (m % 3)
                        ps_gen_irecv(g, 1, t + 10 * m, t + 10 * m + 5, REQUEST + m);
        }
        t = PS_GEN_US(10 * MESSAGES);
        for (uint32_t i = 0; i < MESSAGES; i++, t += 1000) {
                uint32_t m = order[i], next = i + 1 < MESSAGES ? order[i + 1] : 0;
                const ps_gen_rec both[] = {PS_GEN_GOT(0, PS_GEN_WORLD, m, 8, REQUEST + m),
                                           PS_GEN_GOT(0, PS_GEN_WORLD, next, 8, REQUEST + next)};
                if (m % 3 == 0) {
                        ps_gen_recv(g, 1, t, t + 500, 0, PS_GEN_WORLD, m, 8);
                } else if (m % 3 == 2 && next % 3) {
                        ps_gen_waitall(g, 1, t, t + 500, 2, both);
                        i++;
                        ++*n_pairs;
                } else {
                        ps_gen_wait(g, 1, t, t + 500, both[0]);
                }
        }
        ps_gen_close(g);
        return g;
}

static int is_wait(const ps_ops *ops, ps_op row)
{
        return ps_kinds[ops->kind[row]].cls == PS_C_COMPLETE;
}

/* Which message a call is about, by its tag; all that it completes know it. */
static uint32_t message_of(const ps_ops *ops, ps_op row)
{
        if (!is_wait(ops, row))
                return ps_op_tag(ops, row);
        for (uint32_t i = 0; i < ps_op_tag(ops, row); i++)
                assert_int_equal(ops->done[ps_op_completed(ops, row, i)], row);
        return ps_op_tag(ops, ps_op_completed(ops, row, 0));
}

static void check(const ps_trace *trace, const ps_trace *before, uint32_t n_pairs)
{
        const ps_ops *ops = &trace->ops[1];
        uint32_t n = 0, pairs = 0, last = 0;
        for (ps_op row = 0; row < ops->n; row++) {
                if (!is_wait(ops, row) && !(ps_kinds[ops->kind[row]].traits & PS_T_BLOCKING)) {
                        assert_int_equal(ps_op_tag(ops, row),
                                         ps_op_tag(&before->ops[1], row)); /* posted as before */
                        continue;
                }
                uint32_t message = message_of(ops, row);
                if (is_wait(ops, row) && ps_op_tag(ops, row) == 2) {
                        assert_int_equal(message, message_of(&before->ops[1], row));
                        pairs++;
                        continue;
                }
                assert_true(!n++ || message > last);
                last = message;
                ps_ref sender = {ps_op_peer(ops, is_wait(ops, row) ? ps_op_completed(ops, row, 0) : row),
                                 message};
                ps_ref partner = ps_op_partner(trace, sender);
                assert_int_equal(ps_op_completion(trace, partner).op, row);
        }
        assert_int_equal(pairs, n_pairs);
        assert_int_equal(n + 2 * pairs, MESSAGES);
}

TEST(calls_are_in_the_order_of_sending)
{
        for (uint64_t seed = 1; seed <= 20; seed++) {
                ps_error err = {0};
                uint32_t n_pairs, n = 0;
                ps_gen *g = program(seed, &n_pairs);
                ps_trace *trace;
                ps_reordered out;
                ps_ref late[2 * MESSAGES];
                const ps_load_options load = {.n_threads = 1, .clock = PS_CLOCK_AS_IS};
                assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), &load, &err), PS_OK);
                for (ps_op row = 0; row < trace->ops[1].n; row++)
                        late[n++] = (ps_ref){1, row};
                assert_int_equal(ps_reordered_new(&out, trace, late, n, &err), PS_OK);
                check(&out.trace, trace, n_pairs);
                ps_reordered_clear(&out);
                ps_trace_close(trace);
                ps_gen_free(g);
        }
}
