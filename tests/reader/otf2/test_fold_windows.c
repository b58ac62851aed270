/* test_fold_windows.c - records of windows that are known again by their bytes tell what the events of a
 * batch would have told. */
#include "tests/reader/otf2/same.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

enum { N_RANKS = 4, N_WINDOWS = 20, N_CALLS = 900, N_DAMAGED = 14, CALL_NS = 400, NO_WINDOW = 0x01000000 };

/* A call whose records come one after the other. */
static void put_call(ps_gen *g, const char *call, uint32_t rank, uint64_t time, uint32_t n,
                     const ps_gen_rec *records)
{
        ps_gen_enter(g, rank, time, call);
        for (uint32_t k = 0; k < n; k++)
                ps_gen_put(g, rank, time + 20 * (k + 1), records[k]);
        ps_gen_leave(g, rank, time + 80, call);
}

/* Many windows and targets in turn, some of which do not exist, numbers of few bytes and of many. */
static ps_gen_rec target_of(const uint32_t *window, uint32_t i)
{
        return (ps_gen_rec){.ref = i % 97 == 96 ? NO_WINDOW : window[i / 7 % N_WINDOWS],
                            .peer = i % 89 == 88  ? NO_WINDOW
                                    : i % 31 < 27 ? i % N_RANKS
                                                  : 99,
                            .bytes = i % 5 ? 8 : (uint64_t)i << i % 50,
                            .request = i % 41 == 40 ? 7 : i,
                            .op = i % 3 ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED};
}

static ps_gen_rec as(ps_gen_rec rec, ps_gen_kind kind)
{
        rec.kind = kind;
        return rec;
}

/* A transfer, of which the next call tells that it is over: in another transfer, in calls that complete, or
 * in none that is known. */
static void put_transfer(ps_gen *g, uint32_t rank, uint32_t i, ps_gen_rec rec, ps_gen_rec before)
{
        static const char *const calls[] = {"MPI_Put",       "MPI_Get",     "MPI_Rput",
                                            "MPI_Win_flush", "MPI_Waitall", "MPI_Foo"};
        const uint64_t time = (uint64_t)i * CALL_NS;
        const ps_gen_rec records[] = {as(rec, i % 2 ? PS_GEN_R_PUT : PS_GEN_R_GET),
                                      as(before, i % 3 ? PS_GEN_R_RMA_DONE : PS_GEN_R_RMA_DONE_BLOCKING)};
        ps_gen_call(g, calls[i % 6], rank, time, time + 100, i % 53 == 52 ? 0 : 2 - i % 2, records);
}

/* With every other one a transfer is over before it is given back. */
static void put_lock(ps_gen *g, uint32_t rank, uint32_t i, ps_gen_rec rec, ps_gen_rec before)
{
        const uint64_t time = (uint64_t)i * CALL_NS;
        const uint32_t is_over = i % 8 == 2;
        const ps_gen_rec took = as(rec, PS_GEN_R_RMA_LOCK_ACQUIRE),
                         gave[] = {as(before, i % 5 ? PS_GEN_R_RMA_DONE_BLOCKING : PS_GEN_R_RMA_DONE),
                                   as(rec, PS_GEN_R_RMA_LOCK_RELEASE)};
        put_call(g, i % 43 == 42 ? "MPI_Put" : "MPI_Win_lock", rank, time, 1, &took);
        ps_gen_call(g, i % 47 == 46 ? "MPI_Foo" : "MPI_Win_unlock", rank, time + 120, time + 200, 1 + is_over,
                    gave + !is_over);
}

/* In calls that name the operation, and such that name none or another one. */
static void put_coll(ps_gen *g, uint32_t rank, uint32_t i, ps_gen_rec rec)
{
        static const char *const calls[] = {"MPI_Win_fence", "MPI_Win_free", "MPI_Foo", "MPI_Barrier"};
        const uint64_t time = (uint64_t)i * CALL_NS;
        rec.op = OTF2_COLLECTIVE_OP_BARRIER;
        rec.peer = i % 7 ? OTF2_COLLECTIVE_ROOT_NONE : rec.peer;
        rec.tag = OTF2_RMA_SYNC_LEVEL_PROCESS;
        rec.received = i % 3;
        const ps_gen_rec records[] = {as(rec, PS_GEN_R_RMA_COLL_BEGIN), as(rec, PS_GEN_R_RMA_COLL_END)};
        ps_gen_call(g, calls[i % 13 < 10 ? 0 : i % 13 - 9], rank, time, time + 100, i % 61 == 60 ? 1 : 2,
                    records);
}

static ps_gen *windows_of(uint32_t n_calls)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = N_RANKS});
        uint32_t window[N_WINDOWS];
        for (uint32_t w = 0; w < N_WINDOWS; w++)
                window[w] = ps_gen_window(g, "window", PS_GEN_WORLD);
        for (uint32_t rank = 0; rank < N_RANKS; rank++)
                for (uint32_t i = 0; i < n_calls; i++) {
                        const ps_gen_rec rec = target_of(window, i),
                                         before = target_of(window, i ? i - 1 : i);
                        if (i % 4 == 3)
                                put_coll(g, rank, i, rec);
                        else if (i % 4 == 2)
                                put_lock(g, rank, i, rec, before);
                        else
                                put_transfer(g, rank, i, rec, before);
                }
        ps_gen_close(g);
        return g;
}

TEST(records_of_many_windows_and_targets_load_alike)
{
        ps_gen *g = windows_of(N_CALLS);
        expect_same(ps_gen_anchor(g));
        ps_gen_free(g);
}

TEST(damaged_records_of_windows_load_alike)
{
        expect_same_damaged(windows_of(N_DAMAGED));
}

/* Of three puts the first is over with the second, which is never over, and the third with its own call. */
TEST(a_transfer_is_over_with_the_call_that_tells_so)
{
        enum { N = 150 };
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        const uint32_t window = ps_gen_window(g, "a", PS_GEN_WORLD);
        for (uint32_t i = 0; i < N; i++) {
                const ps_gen_rec records[] = {
                        PS_GEN_REC_OF(PUT, .ref = window, .peer = 1, .bytes = 8, .request = i),
                        PS_GEN_REC_OF(RMA_DONE_BLOCKING, .ref = window, .request = i % 3 == 1 ? i - 1 : i)};
                ps_gen_call(g, "MPI_Put", 0, (uint64_t)i * CALL_NS, (uint64_t)i * CALL_NS + 100,
                            i % 3 ? 2 : 1, records);
        }
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        ps_gen_free(g);
        const ps_ops *ops = &t->ops[0];
        assert_int_equal(ops->n, N);
        for (ps_op op = 0; op < N; op += 3) {
                assert_int_equal(ops->done[op], op + 1);
                assert_int_equal(ops->done[op + 1], PS_NONE);
                assert_int_equal(ops->done[op + 2], op + 2);
        }
        ps_trace_close(t);
}

/* Each third transfer is over in the call that gives the lock back, which takes some time until then; the
 * others are over at once. */
TEST(a_lock_is_what_its_records_tell)
{
        enum { N = 150, PICOSECONDS = 1000 };
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        const uint32_t window = ps_gen_window(g, "a", PS_GEN_WORLD);
        for (uint32_t i = 0; i < N; i++) {
                const uint64_t time = (uint64_t)i * CALL_NS;
                const ps_gen_rec rec = {.ref = window,
                                        .peer = 1 + i % 2,
                                        .request = i,
                                        .bytes = 8,
                                        .op = i % 4 ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED};
                const uint32_t goes_on = i % 3 == 0;
                ps_gen_rec lock = as(rec, PS_GEN_R_RMA_LOCK_ACQUIRE);
                lock.request = i % 5;
                const ps_gen_rec over = as(rec, PS_GEN_R_RMA_DONE_BLOCKING),
                                 get[] = {as(rec, PS_GEN_R_GET), over},
                                 gives[] = {over, as(lock, PS_GEN_R_RMA_LOCK_RELEASE)};
                put_call(g, "MPI_Win_lock", 0, time, 1, &lock);
                put_call(g, "MPI_Get", 0, time + 100, 2 - goes_on, get);
                put_call(g, "MPI_Win_unlock", 0, time + 200, 1 + goes_on, gives + !goes_on);
        }
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        ps_gen_free(g);
        const ps_ops *ops = &t->ops[0];
        assert_int_equal(ops->n, 3 * N);
        for (ps_op i = 0; i < N; i++) {
                const ps_op took = 3 * i, gave = took + 2;
                assert_int_equal(ops->kind[took], PS_K_WIN_LOCK);
                assert_int_equal(ops->kind[gave], PS_K_WIN_UNLOCK);
                assert_int_equal(ops->tag[took], i % 4 ? 0 : 1);
                assert_int_equal(ops->done[took + 1], i % 3 ? took + 1 : gave);
                for (ps_op op = took; op <= gave; op += 2) {
                        assert_int_equal(ops->link[op], 0);
                        assert_int_equal(ps_op_peer(ops, op), 1 + i % 2);
                        assert_int_equal(ps_op_bytes(ops, op), i % 5);
                        assert_int_equal(t->measured.leave[0][op] - t->measured.enter[0][op],
                                         80 * PICOSECONDS);
                }
                assert_int_equal(ops->pre[gave], (i % 3 ? 20 : 40) * PICOSECONDS);
        }
        ps_trace_close(t);
}

/* Puts and gets to two targets behind two windows again and again, of lengths that change. */
TEST(what_is_known_of_a_target_is_what_its_records_tell)
{
        enum { N = 200 };
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        const uint32_t window[] = {ps_gen_window(g, "a", PS_GEN_WORLD), ps_gen_window(g, "b", PS_GEN_WORLD)};
        for (uint32_t i = 0; i < N; i++) {
                const ps_gen_rec rec = {.kind = i % 2 ? PS_GEN_R_PUT : PS_GEN_R_GET,
                                        .ref = window[i / 4 % 2],
                                        .peer = 1 + i / 2 % 2,
                                        .bytes = 1000 + i % 5,
                                        .request = i};
                ps_gen_call(g, i % 2 ? "MPI_Put" : "MPI_Get", 0, (uint64_t)i * CALL_NS,
                            (uint64_t)i * CALL_NS + 100, 1, &rec);
        }
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        ps_gen_free(g);
        const ps_ops *ops = &t->ops[0];
        for (ps_op op = 0; op < N; op++) {
                assert_int_equal(ops->kind[op], op % 2 ? PS_K_PUT : PS_K_GET);
                assert_int_equal(ps_op_comm(ops, op), op / 4 % 2);
                assert_int_equal(ps_op_peer(ops, op), 1 + op / 2 % 2);
                assert_int_equal(ps_op_bytes(ops, op), 1000 + op % 5);
        }
        ps_trace_close(t);
}
