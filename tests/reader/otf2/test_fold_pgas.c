/* test_fold_pgas.c - calls of SHMEM and UPC that are folded where they are decoded tell what the events of a
 * batch would have told. */
#include "tests/reader/otf2/same.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

enum {
        N_THREADS = 4,
        N_WINDOWS = 3,
        N_CALLS = 1200,
        N_DAMAGED = 22,
        CALL_NS = 400,
        NO_WINDOW = 0x01000000,
        NO_RANK = -1
};

/* What a call may have in it, at most: where there are fewer, the rest is empty. */
enum { MOST_RECORDS = 3 };

static const struct {
        const char *name;
        ps_gen_kind kind[MOST_RECORDS];
        uint32_t n;
} calls[] = {{"shmem_putmem", {PS_GEN_R_PUT, PS_GEN_R_RMA_DONE_BLOCKING}, 2},
             {"shmem_int_g", {PS_GEN_R_GET, PS_GEN_R_RMA_DONE_REMOTE}, 2},
             {"shmem_long_atomic_add", {PS_GEN_R_ATOMIC, PS_GEN_R_RMA_DONE}, 2},
             {"upc_memcpy", {PS_GEN_R_GET, PS_GEN_R_PUT, PS_GEN_R_RMA_DONE_BLOCKING}, 3},
             {"shmem_putmem", {PS_GEN_R_ATOMIC}, 1},
             {"shmem_set_lock", {PS_GEN_R_RMA_LOCK_ACQUIRE}, 1},
             {"upc_lock", {PS_GEN_R_RMA_LOCK_REQUEST, PS_GEN_R_RMA_LOCK_ACQUIRE}, 2},
             {"upc_lock_attempt", {PS_GEN_R_RMA_LOCK_TRY}, 1},
             {"upc_unlock", {PS_GEN_R_RMA_LOCK_RELEASE}, 1},
             {"upc_memput", {PS_GEN_R_RMA_LOCK_TRY}, 1},
             {"upc_fence", {PS_GEN_R_RMA_SYNC}, 1},
             {"shmem_quiet", {PS_GEN_R_RMA_DONE_REMOTE, PS_GEN_R_RMA_TEST}, 2},
             {"shmem_int_wait_until", {PS_GEN_R_RMA_WAIT_CHANGE}, 1},
             {"upc_notify", {PS_GEN_R_RMA_WAIT_CHANGE}, 0},
             {"upc_wait", {PS_GEN_R_RMA_WAIT_CHANGE, PS_GEN_R_RMA_DONE_BLOCKING}, 2},
             {"upc_notify", {PS_GEN_R_RMA_WAIT_CHANGE}, 1},
             {"upc_barrier", {PS_GEN_R_RMA_COLL_BEGIN, PS_GEN_R_RMA_DONE_REMOTE, PS_GEN_R_RMA_COLL_END}, 3},
             {"shmem_barrier_all", {PS_GEN_R_RMA_COLL_BEGIN, PS_GEN_R_RMA_COLL_END}, 2},
             {"shmem_broadcast32", {PS_GEN_R_RMA_COLL_BEGIN, PS_GEN_R_RMA_COLL_END}, 2},
             {"upc_all_reduce", {PS_GEN_R_RMA_COLL_BEGIN, PS_GEN_R_RMA_COLL_END}, 2},
             {"upc_all_reduce UPC_IN_NOSYNC", {PS_GEN_R_RMA_COLL_BEGIN, PS_GEN_R_RMA_COLL_END}, 2},
             {"upc_all_alloc", {PS_GEN_R_RMA_COLL_BEGIN, PS_GEN_R_RMA_COLL_END}, 2},
             {"MPI_Win_fence", {PS_GEN_R_RMA_COLL_BEGIN, PS_GEN_R_RMA_COLL_END}, 2},
             {"MPI_Barrier", {PS_GEN_R_COLL_BEGIN, PS_GEN_R_COLL_END}, 2},
             {"shmem_foo", {PS_GEN_R_PUT, PS_GEN_R_RMA_DONE}, 2},
             {"foo", {PS_GEN_R_RMA_LOCK_ACQUIRE}, 1}};
enum { N_SORTS = sizeof calls / sizeof *calls };

/* Windows, ranks, roots and ids in turn, some of which do not exist, of few bytes and of many. */
static ps_gen_rec record_of(ps_gen_kind kind, const uint32_t *window, uint32_t i)
{
        const bool has_root = kind == PS_GEN_R_RMA_COLL_END || kind == PS_GEN_R_COLL_END;
        return (ps_gen_rec){.kind = kind,
                            .ref = i % 97 == 96 ? NO_WINDOW : window[i / 7 % 5 % N_WINDOWS],
                            .peer = has_root && i % 3 ? (uint32_t)OTF2_COLLECTIVE_ROOT_NONE
                                    : i % 5 == 4      ? (uint32_t)NO_RANK
                                    : i % 31 < 29     ? i / 3 % N_THREADS
                                                      : 99,
                            .bytes = i % 5 ? 8 : (uint64_t)i << i % 50,
                            .received = i % 3,
                            .request = i % 4 ? i / 4 % 11 : (uint64_t)i << i % 40,
                            .tag = has_root ? i % 5 : 0,
                            .op = has_root ? i % 7 ? OTF2_COLLECTIVE_OP_BARRIER : OTF2_COLLECTIVE_OP_BCAST
                                  : i % 3  ? OTF2_LOCK_EXCLUSIVE
                                           : OTF2_LOCK_SHARED};
}

/* Some tell more in attributes, some where they are called, some in a parameter. */
static void put_hints(ps_gen *g, uint32_t at, uint32_t i)
{
        static const char *const in[] = {"UPC_IN_ALLSYNC", "UPC_IN_MYSYNC", "UPC_IN_NOSYNC", "UPC_FOO"};
        if (i % 3 == 1)
                ps_gen_hint_text(g, at, "UPC_IN_SYNC", in[i / 3 % 4]);
        if (i % 6 == 1)
                ps_gen_hint_text(g, at, "UPC_OUT_SYNC", "UPC_OUT_MYSYNC");
        if (i % 4 == 1)
                ps_gen_hint(g, at, "ROOT", i % 5);
        if (i % 4 == 2)
                ps_gen_hint(g, at, "LOCK_ID", i % 2 ? 7 : (uint64_t)7 << 40);
        if (i % 8 == 2)
                ps_gen_site(g, at, "a.upc", i % 3);
}

/* The call of this sort, and in some of them another one, of whatever sort. */
static uint64_t put_call(ps_gen *g, uint32_t at, uint32_t sort, const uint32_t *window, uint32_t flags,
                         uint32_t i, uint64_t time)
{
        if (i % 5 == 3)
                put_hints(g, at, i / 5);
        ps_gen_enter(g, at, time, calls[sort].name);
        if (i % 19 == 18)
                ps_gen_put(g, at, time, PS_GEN_REC_OF(PARAMETER, .ref = flags, .bytes = i % 70));
        for (uint32_t k = 0; k < calls[sort].n && (i % 53 < 52 || !k); k++)
                ps_gen_put(g, at, time += 10, record_of(calls[sort].kind[k], window, i));
        if (i % 17 == 16)
                time = put_call(g, at, i / 17 % N_SORTS, window, flags, i / 17, time);
        if (i % 211 != 210)
                ps_gen_leave(g, at, time += 10, calls[sort].name);
        return time;
}

static ps_gen *threads_of(uint32_t n_calls, OTF2_Paradigm paradigm, const char *creator)
{
        ps_gen *g =
                ps_gen_new(NULL, (ps_gen_options){.ranks = N_THREADS, .pgas = paradigm, .creator = creator});
        const uint32_t some[] = {1, 3};
        const uint32_t window[N_WINDOWS] = {ps_gen_window(g, "heap", PS_GEN_WORLD),
                                            ps_gen_window(g, "own", ps_gen_comm(g, "some", some, 2)),
                                            ps_gen_window(g, "other", PS_GEN_WORLD)};
        const uint32_t flags = ps_gen_parameter(g, "upc_flags");
        for (uint32_t at = 0; at < N_THREADS; at++) {
                uint64_t time = 100;
                for (uint32_t i = 0; i < n_calls; i++)
                        time = put_call(g, at, i * 7 % N_SORTS, window, flags, i, time + CALL_NS);
        }
        ps_gen_close(g);
        return g;
}

static void expect_same_threads(OTF2_Paradigm paradigm, const char *creator)
{
        ps_gen *g = threads_of(N_CALLS, paradigm, creator);
        expect_same(ps_gen_anchor(g));
        ps_gen_free(g);
}

TEST(calls_of_shmem_load_alike)
{
        expect_same_threads(OTF2_PARADIGM_SHMEM, NULL);
}

TEST(calls_of_upc_load_alike)
{
        expect_same_threads(OTF2_PARADIGM_UPC, NULL);
}

TEST(calls_whose_levels_tell_modes_load_alike)
{
        expect_same_threads(OTF2_PARADIGM_UPC, "patscan 1.0");
}

TEST(the_same_calls_in_programs_of_mpi_load_alike)
{
        expect_same_threads(OTF2_PARADIGM_MPI, NULL);
}

TEST(damaged_records_of_shmem_and_upc_load_alike)
{
        expect_same_damaged(threads_of(N_DAMAGED, OTF2_PARADIGM_UPC, NULL));
}

/* -- what they tell -- */

static void put_step(ps_gen *g, uint32_t at, uint32_t window, uint32_t step)
{
        const uint64_t time = PS_GEN_US(10) * step, target = (at + 1) % N_THREADS;
        const ps_gen_rec moves[] = {PS_GEN_REC_OF(PUT, .ref = window, .peer = (uint32_t)target,
                                                  .bytes = 100 + at, .request = step),
                                    PS_GEN_REC_OF(RMA_DONE_BLOCKING, .ref = window, .request = step)};
        const ps_gen_rec takes[] = {
                PS_GEN_REC_OF(RMA_LOCK_ACQUIRE, .ref = window, .peer = (uint32_t)NO_RANK, .request = 77)};
        const ps_gen_rec gives[] = {
                PS_GEN_REC_OF(RMA_LOCK_RELEASE, .ref = window, .peer = (uint32_t)NO_RANK, .request = 77)};
        const ps_gen_rec meets[] = {PS_GEN_REC_OF(RMA_COLL_BEGIN, .ref = window),
                                    PS_GEN_REC_OF(RMA_COLL_END, .ref = window, .op = OTF2_COLLECTIVE_OP_BCAST,
                                                  .peer = 2, .bytes = 8, .received = 8)};
        ps_gen_call(g, "shmem_putmem", at, time, time + 1000, 2, moves);
        ps_gen_call(g, "shmem_set_lock", at, time + 1000, time + 2000, 1, takes);
        ps_gen_call(g, "shmem_clear_lock", at, time + 2000, time + 3000, 1, gives);
        ps_gen_call(g, "shmem_broadcast32", at, time + 5000, time + 6000, 2, meets);
        ps_gen_call(g, "upc_notify", at, time + 6000, time + 6500, 0, NULL);
        ps_gen_call(g, "upc_wait", at, time + 7000, time + 8000, 0, NULL);
}

static void check_step(const ps_trace *t, ps_loc at, uint32_t step)
{
        const ps_ops *ops = &t->ops[at];
        const ps_op put = 6 * step, take = put + 1, give = put + 2, meet = put + 3, notify = put + 4,
                    wait = put + 5;
        assert_int_equal(ops->kind[put], PS_K_PUT);
        assert_int_equal(ps_op_peer(ops, put), (at + 1) % N_THREADS);
        assert_int_equal(ps_op_bytes(ops, put), 100 + at);
        assert_int_equal(ops->done[put], put);
        assert_int_equal(ops->pre[put], 250 * PS_PS_PER_NS);
        assert_int_equal(ops->kind[take], PS_K_WIN_LOCK);
        assert_int_equal(ps_op_bytes(ops, take), 77);
        assert_int_equal(ps_op_tag(ops, take), OTF2_LOCK_EXCLUSIVE);
        assert_int_equal(ops->kind[give], PS_K_WIN_UNLOCK);
        assert_int_equal(ps_op_bytes(ops, give), 77);
        assert_int_equal(ops->kind[meet], PS_K_BCAST);
        assert_int_equal(ps_op_peer(ops, meet), 2);
        assert_int_equal(ps_op_comm(ops, meet), t->defs.pgas_comm);
        assert_int_equal(ps_op_tag(ops, meet), PS_SYNC_MODES(PS_SYNC_MY, PS_SYNC_MY));
        assert_int_equal(ops->post[meet], 250 * PS_PS_PER_NS);
        assert_int_equal(ops->kind[notify], PS_K_BARRIER);
        assert_true(ops->flags[notify] & PS_OP_NONBLOCKING);
        assert_int_equal(ops->done[notify], wait);
        assert_int_equal(ps_op_comm(ops, notify), t->defs.pgas_comm);
        assert_int_equal(ops->kind[wait], PS_K_WAIT);
        assert_int_equal(ps_op_tag(ops, wait), 1);
        assert_int_equal(ps_op_completed(ops, wait, 0), notify);
}

TEST(what_calls_of_shmem_and_upc_tell_is_known)
{
        enum { N_STEPS = 100 };
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = N_THREADS, .pgas = OTF2_PARADIGM_SHMEM});
        const uint32_t window = ps_gen_window(g, "heap", PS_GEN_WORLD);
        for (uint32_t at = 0; at < N_THREADS; at++)
                for (uint32_t step = 0; step < N_STEPS; step++)
                        put_step(g, at, window, step);
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        ps_gen_free(g);
        for (ps_loc at = 0; at < N_THREADS; at++) {
                assert_int_equal(t->ops[at].n, 6 * N_STEPS);
                for (uint32_t step = 0; step < N_STEPS; step++)
                        check_step(t, at, step);
        }
        ps_trace_close(t);
}
