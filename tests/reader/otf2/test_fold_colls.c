/* test_fold_colls.c - records of collective operations that are known again by their bytes tell what the
 * events of a batch would have told. */
#include "tests/reader/otf2/same.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

enum { N_COLL_RANKS = 4, N_COLL_CALLS = 900, N_DAMAGED = 14, CALL_NS = 400, NO_COMM = 0x01000000 };

/* What the i-th operation of a rank tells: many communicators and roots in turn, roots that tell themselves,
 * none and nobody, numbers of few bytes and of many. */
static ps_gen_rec coll_of(const uint32_t *comm, uint32_t rank, uint32_t i)
{
        static const uint32_t roots[] = {0, 1, 2, 3, OTF2_COLLECTIVE_ROOT_NONE, OTF2_COLLECTIVE_ROOT_SELF,
                                         99};
        static const uint8_t ops[] = {OTF2_COLLECTIVE_OP_BCAST, OTF2_COLLECTIVE_OP_REDUCE,
                                      OTF2_COLLECTIVE_OP_BARRIER, OTF2_COLLECTIVE_OP_ALLTOALLV};
        return (ps_gen_rec){.kind = PS_GEN_R_COLL_END,
                            .op = ops[i / 3 % 4],
                            .comm = i % 97 == 96 ? NO_COMM : comm[i / 7 % 40],
                            .peer = i % 89 == 88 ? NO_COMM : roots[i % 31 < 25 ? i % 4 : i % 7],
                            .bytes = i % 5 ? 8 : (uint64_t)i << i % 50,
                            .received = rank + i % 3};
}

/* Begins the i-th operation: in a call of its own, as a persistent one, or as one of several such among
 * messages. */
static void begin_later(ps_gen *g, uint32_t rank, uint64_t time, uint32_t i)
{
        const ps_gen_rec several[] = {PS_GEN_REC_OF(NBC_REQUEST, .request = i + N_COLL_CALLS),
                                      PS_GEN_REC_OF(IRECV_REQUEST, .request = i + 2 * N_COLL_CALLS),
                                      PS_GEN_REC_OF(NBC_REQUEST, .request = i)};
        if (i / 5 % 3 == 1)
                ps_gen_call(g, "MPI_Startall", rank, time, time + 20, 3, several);
        else
                ps_gen_nbc(g, i / 5 % 3 ? "MPI_Start" : "MPI_Ibcast", rank, time, time + 20, i);
}

/* In calls that name the operation and such that do not; begun twice, never, outside of any call; completed
 * where nothing was begun. */
static void put_coll(ps_gen *g, uint32_t rank, uint32_t i, ps_gen_rec rec)
{
        static const char *const calls[] = {"MPI_Bcast", "MPI_Reduce", "MPI_Barrier", "MPI_Alltoallv"};
        const ps_gen_rec begun = {.kind = PS_GEN_R_COLL_BEGIN};
        const uint64_t time = (uint64_t)i * CALL_NS;
        const ps_gen_rec records[] = {begun, i % 61 == 60 ? begun : rec, rec};
        const char *call = i % 53 == 52 ? "MPI_Foo" : calls[i / 3 % 4];
        if (i % 47 == 46) {
                ps_gen_put(g, rank, time, rec);
        } else if (i % 5 != 4) {
                uint32_t first = i % 43 == 42, n = i % 61 == 60 ? 3 : 2 - first;
                ps_gen_call(g, call, rank, time, time + 100, n, records + first);
        } else {
                rec.kind = PS_GEN_R_NBC_DONE;
                rec.request = i % 41 == 40 ? 7 : i;
                begin_later(g, rank, time, i);
                ps_gen_wait(g, rank, time + 30, time + 90, rec);
        }
}

static ps_gen *collectives_of(uint32_t n_calls)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = N_COLL_RANKS});
        uint32_t comm[40], members[N_COLL_RANKS] = {0, 1, 2, 3};
        for (uint32_t c = 0; c < 40; c++)
                comm[c] = c ? ps_gen_comm(g, "comm", members, N_COLL_RANKS) : PS_GEN_WORLD;
        for (uint32_t rank = 0; rank < N_COLL_RANKS; rank++)
                for (uint32_t i = 0; i < n_calls; i++)
                        put_coll(g, rank, i, coll_of(comm, rank, i));
        ps_gen_close(g);
        return g;
}

TEST(collectives_of_many_communicators_and_roots_load_alike)
{
        ps_gen *g = collectives_of(N_COLL_CALLS);
        expect_same(ps_gen_anchor(g));
        ps_gen_free(g);
}

TEST(damaged_collectives_load_alike)
{
        expect_same_damaged(collectives_of(N_DAMAGED));
}

/* A broadcast from rank 0 and one from rank 1 again and again, of lengths that change: each row has its own.
 */
TEST(what_is_known_of_a_collective_is_what_it_tells)
{
        enum { N = 100 };
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t rank = 0; rank < 2; rank++)
                for (uint32_t i = 0; i < N; i++)
                        ps_gen_collective(g, "MPI_Bcast", rank, (uint64_t)i * CALL_NS,
                                          (uint64_t)i * CALL_NS + 100, PS_GEN_WORLD, i / 2 % 2, i / 10 % 3,
                                          1000 + i % 5);
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        ps_gen_free(g);
        for (ps_loc loc = 0; loc < 2; loc++)
                for (ps_op op = 0; op < N; op++) {
                        const ps_ops *ops = &t->ops[loc];
                        assert_int_equal(ops->kind[op], PS_K_BCAST);
                        assert_int_equal(ps_op_peer(ops, op), op / 2 % 2);
                        assert_int_equal(ps_op_bytes(ops, op), op / 10 % 3);
                        assert_int_equal(t->members[ops->link[op]].received, 1000 + op % 5);
                }
        ps_trace_close(t);
}

/* A request is started and waited for five times: each time the call that starts it has a row, and the
 * operation one that is part of it. */
TEST(a_persistent_collective_is_one_operation_each_time)
{
        enum { N = 5, ROWS = 3 };
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t rank = 0; rank < 2; rank++)
                for (uint32_t i = 0; i < N; i++) {
                        const uint64_t time = (uint64_t)i * CALL_NS;
                        ps_gen_nbc(g, "MPI_Start", rank, time, time + 20, 1);
                        ps_gen_wait(g, rank, time + 30, time + 90,
                                    PS_GEN_COLLECTED("MPI_Ibcast", PS_GEN_WORLD, 1, 8, 100 + i, 1));
                }
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        ps_gen_free(g);
        assert_int_equal(t->n_colls, N);
        for (ps_loc loc = 0; loc < 2; loc++)
                for (ps_op op = 0; op < N * ROWS; op += ROWS) {
                        const ps_ops *ops = &t->ops[loc];
                        assert_int_equal(ops->kind[op], PS_K_START);
                        assert_int_equal(ops->kind[op + 1], PS_K_BCAST);
                        assert_int_equal(ops->flags[op + 1],
                                         PS_OP_PART | PS_OP_PERSISTENT | PS_OP_NONBLOCKING | PS_OP_MATCHED);
                        assert_int_equal(ops->done[op + 1], op + 2);
                        assert_int_equal(ps_op_peer(ops, op + 1), 1);
                        assert_int_equal(t->members[ops->link[op + 1]].received, 100 + op / ROWS);
                }
        ps_trace_close(t);
}

/* Calls of one operation and nothing else: begun and ended as the call is or some time later, in calls that
 * take very long, whose end is told in another way, or below which something else is called. */
static void put_whole(ps_gen *g, uint32_t rank, uint32_t i)
{
        const uint64_t begin = (uint64_t)i * 20 * UINT64_C(1000000000), s = UINT64_C(1000000000);
        const uint64_t begun = begin + (i % 7 == 3 ? 5 * s : i % 3), ended = begun + (i % 5 ? 10 : 0),
                       end = ended + (i % 11 == 7 ? 5 * s : i % 2);
        const bool is_bcast = i % 13 < 9;
        const char *name = is_bcast ? "MPI_Bcast" : "MPI_Allreduce";
        const ps_gen_rec rec = {.kind = PS_GEN_R_COLL_END,
                                .op = is_bcast ? OTF2_COLLECTIVE_OP_BCAST : OTF2_COLLECTIVE_OP_ALLREDUCE,
                                .comm = PS_GEN_WORLD,
                                .peer = is_bcast ? i % 2 : OTF2_COLLECTIVE_ROOT_NONE,
                                .bytes = i % 17 == 16 ? i : 8,
                                .received = i % 19 == 18 ? UINT64_MAX : rank};
        ps_gen_enter(g, rank, begin, name);
        if (i % 23 == 22)
                ps_gen_visit(g, rank, begin, begin, "inner");
        ps_gen_put(g, rank, begun, (ps_gen_rec){.kind = PS_GEN_R_COLL_BEGIN});
        ps_gen_put(g, rank, ended, rec);
        if (i % 29 == 28)
                ps_gen_put(g, rank, ended, rec);
        ps_gen_leave(g, rank, end, name);
}

static ps_gen *whole_calls_of(uint32_t n, bool has_offsets)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t rank = 0; rank < 2; rank++) {
                if (has_offsets) {
                        ps_gen_clock_offset(g, rank, 0, 0);
                        ps_gen_clock_offset(g, rank, (uint64_t)n * 10 * UINT64_C(1000000000), 1000);
                        ps_gen_clock_offset(g, rank, (uint64_t)n * 20 * UINT64_C(1000000000), -500);
                }
                for (uint32_t i = 0; i < n; i++)
                        put_whole(g, rank, i);
        }
        ps_gen_close(g);
        return g;
}

TEST(calls_of_one_collective_load_alike)
{
        for (int has_offsets = 0; has_offsets < 2; has_offsets++) {
                ps_gen *g = whole_calls_of(N_COLL_CALLS, has_offsets);
                expect_same(ps_gen_anchor(g));
                ps_gen_free(g);
        }
}

TEST(damaged_calls_of_one_collective_load_alike)
{
        expect_same_damaged(whole_calls_of(N_DAMAGED, false));
}
