/* test_lengths.c - how long messages are, where hardly two are of one length, and where lengths come again.
 */
#include "core/load/load.h"
#include "core/sums/profile.h"
#include "reader/otf2/otf2.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#include <stdlib.h>

enum { STEP_NS = 1000, N = 6000, PORTION_BYTES = 4096 };

typedef uint64_t length_of(uint64_t i);

static uint64_t own(uint64_t i)
{
        return 1000 + 7 * i;
}

/* Around what fits into 32 bits, and the largest that a record can tell. */
static uint64_t of_any_size(uint64_t i)
{
        return i % 97 == 0 ? (UINT64_C(1) << 32) - 2 + i % 4 : i % 101 == 0 ? UINT64_MAX - i : own(i);
}

static uint64_t few(uint64_t i)
{
        return i % 50;
}

static uint64_t own_then_few(uint64_t i)
{
        return i < N / 2 ? own(i) : few(i);
}

static uint64_t all_large(uint64_t i)
{
        return (UINT64_C(1) << 40) + i;
}

/* Rank 0 sends to rank 1: calls that block meet such that do not. */
static ps_gen *written(length_of *length, uint32_t n)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t i = 0; i < n; i += 2) {
                const uint64_t time = (uint64_t)i * STEP_NS;
                ps_gen_call(g, "MPI_Irecv", 1, time, time + 20, 1,
                            &PS_GEN_REC_OF(IRECV_REQUEST, .request = i));
                ps_gen_call(g, "MPI_Send", 0, time, time + 50, 1,
                            &PS_GEN_REC_OF(SEND, .peer = 1, .tag = 4, .bytes = length(i)));
                ps_gen_call(g, "MPI_Isend", 0, time + 50, time + 80, 1,
                            &PS_GEN_REC_OF(ISEND, .peer = 1, .tag = 7, .bytes = length(i + 1), .request = i));
                ps_gen_wait(g, 0, time + 100, time + 200, PS_GEN_SENT(i));
                ps_gen_wait(g, 1, time + 100, time + 200, PS_GEN_GOT(0, PS_GEN_WORLD, 4, length(i), i));
                ps_gen_call(g, "MPI_Recv", 1, time + 200, time + 250, 1,
                            &PS_GEN_REC_OF(RECV, .peer = 0, .tag = 7, .bytes = length(i + 1)));
        }
        ps_gen_close(g);
        return g;
}

static ps_trace *loaded(ps_gen *g, size_t portion_bytes)
{
        ps_trace *trace;
        const ps_load_options options = {.n_threads = 2, .portion_bytes = portion_bytes};
        assert_int_equal(ps_load(&trace, &ps_otf2_reader, ps_gen_anchor(g), &options, NULL), PS_OK);
        return trace;
}

static void expect_lengths(const ps_ops *ops, length_of *length, uint64_t n)
{
        uint64_t i = 0;
        for (ps_op op = 0; op < ops->n; op++)
                if (ps_kind_sends(ops->kind[op]) || ps_kind_receives(ops->kind[op])) {
                        assert_int_equal(ps_op_bytes(ops, op), length(i));
                        i++;
                }
        assert_int_equal(i, n);
}

static const struct {
        length_of *length;
        uint32_t n;
} shapes[] = {{own, N}, {own, 100}, {of_any_size, N}, {few, N}, {own_then_few, N}, {all_large, N}};

TEST(messages_are_as_long_as_their_records_say)
{
        for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
                ps_gen *g = written(shapes[s].length, shapes[s].n);
                for (size_t portion_bytes = 0; portion_bytes <= PORTION_BYTES;
                     portion_bytes += PORTION_BYTES) {
                        ps_trace *trace = loaded(g, portion_bytes);
                        assert_int_equal(trace->n_messages, shapes[s].n);
                        for (ps_loc loc = 0; loc < 2; loc++)
                                expect_lengths(&trace->ops[loc], shapes[s].length, shapes[s].n);
                        ps_trace_close(trace);
                }
                ps_gen_free(g);
        }
}

/* Beside its row: four bytes of a column, and next to nothing of the table; or no column. */
TEST(a_length_of_its_own_takes_four_bytes)
{
        for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
                ps_gen *g = written(shapes[s].length, shapes[s].n);
                ps_trace *trace = loaded(g, 0);
                const ps_ops *ops = &trace->ops[0];
                bool is_own = shapes[s].length == own;
                if (is_own || shapes[s].length == few)
                        assert_in_range(ops->n_calls, 1, is_own ? ops->n / 5 : 110);
                assert_int_equal(ops->length != NULL,
                                 shapes[s].length != few && shapes[s].length != all_large);
                ps_trace_close(trace);
                ps_gen_free(g);
        }
}

TEST(bytes_of_pairs_add_up_whether_lengths_are_their_own_or_not)
{
        for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
                ps_gen *g = written(shapes[s].length, shapes[s].n);
                ps_trace *trace = loaded(g, 0);
                ps_profile *profile;
                uint64_t sum = 0; /* which may go round */
                for (uint32_t i = 0; i < shapes[s].n; i++)
                        sum += shapes[s].length(i);
                assert_int_equal(ps_profile_make(&profile, trace, &trace->measured, 4, NULL), PS_OK);
                assert_int_equal(profile->n_pairs, 1);
                assert_int_equal(profile->pairs[0].messages, shapes[s].n);
                assert_int_equal(profile->pairs[0].bytes, sum);
                ps_profile_free(profile);
                ps_trace_close(trace);
                ps_gen_free(g);
        }
}
