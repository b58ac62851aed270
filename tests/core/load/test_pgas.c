/* test_pgas.c - UPC, SHMEM and coarrays through the whole load: names in every spelling, names without
 * records, records, attributes, calls inside of calls, threads that share a process. See loaded.h for the
 * lines. */
#include "tests/support/loaded.h"
#include "tests/support/test.h"
#include <stdio.h>
#include <string.h>

static ps_gen *threads(uint32_t n, OTF2_Paradigm paradigm)
{
        return loaded_begin((ps_gen_options){.ranks = n, .pgas = paradigm});
}

/* -- names -- */

TEST(calls_of_upc_are_known_in_all_spellings)
{
        static const struct {
                const char *name;
                int kind, nonblocking, family;
        } cases[] = {
                {"upc_all_broadcast", PS_K_BCAST, 0, PS_NAMES_UPC},
                {"GASP_UPC_ALL_BROADCAST", PS_K_BCAST, 0, PS_NAMES_UPC},
                {"UPC_ALL_GATHER_ALL", PS_K_ALLGATHER, 0, PS_NAMES_UPC},
                {"upc_all_gather", PS_K_GATHER, 0, PS_NAMES_UPC},
                {"upc_all_reduceUL", PS_K_REDUCE, 0, PS_NAMES_UPC},
                {"upc_all_prefix_reduceI", PS_K_SCAN, 0, PS_NAMES_UPC},
                {"upc_all_permute", PS_K_PERMUTE, 0, PS_NAMES_UPC},
                {"upc_all_alloc", PS_K_ALLOC, 0, PS_NAMES_UPC},
                {"  upc_barrier() ", PS_K_BARRIER, 0, PS_NAMES_UPC},
                {"UPC_NOTIFY [{a.upc} {7,1}-{7,9}]", PS_K_BARRIER, 1, PS_NAMES_UPC},
                {"main => work() => upc_wait", PS_K_WAIT, 0, PS_NAMES_UPC},
                {"upc_lock_attempt", PS_K_WIN_LOCK, 1, PS_NAMES_UPC},
                {"bupc_atomicI64_fetchadd_strict", PS_K_ATOMIC, 0, PS_NAMES_UPC},
                {"upc_memput", PS_K_PUT, 0, PS_NAMES_UPC},
                {"GASP_UPC_NB_GET_INIT", PS_K_GET, 0, PS_NAMES_UPC},
                {"shmem_barrier_all", PS_K_BARRIER, 0, PS_NAMES_SHMEM},
                {"pshmem_int_put", PS_K_PUT, 0, PS_NAMES_SHMEM},
                {"shmem_put32", PS_K_PUT, 0, PS_NAMES_SHMEM},
                {"shmem_ctx_longlong_atomic_fetch_add", PS_K_ATOMIC, 0, PS_NAMES_SHMEM},
                {"shmem_double_sum_to_all", PS_K_ALLREDUCE, 0, PS_NAMES_SHMEM},
                {"shmem_broadcast64", PS_K_BCAST, 0, PS_NAMES_SHMEM},
                {"shmem_quiet", PS_K_WIN_FLUSH, 0, PS_NAMES_SHMEM},
                {"shmem_test_lock", PS_K_WIN_LOCK, 1, PS_NAMES_SHMEM},
                {"shmem_n_pes", PS_K_NONE, 0, PS_NAMES_OTHER},
                {"_gfortran_caf_sync_all", PS_K_BARRIER, 0, PS_NAMES_UPC},
                {"caf_co_sum", PS_K_ALLREDUCE, 0, PS_NAMES_UPC},
                /* functions of a program */
                {"notify", PS_K_NONE, 0, PS_NAMES_OTHER},
                {"wait", PS_K_NONE, 0, PS_NAMES_OTHER},
                {"barrier", PS_K_NONE, 0, PS_NAMES_OTHER},
                {"upc_of_mine", PS_K_NONE, 0, PS_NAMES_OTHER},
                {"my_upc_barrier", PS_K_NONE, 0, PS_NAMES_OTHER},
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                ps_name_info info = ps_kind_of_name(cases[i].name);
                if (info.kind != (ps_kind)cases[i].kind || info.nonblocking != cases[i].nonblocking ||
                    info.family != cases[i].family)
                        fail_msg("%s", cases[i].name);
        }
        assert_int_equal(ps_kind_of_pgas_name("NOTIFY", PS_NAMES_UPC).kind, PS_K_BARRIER);
        assert_int_equal(ps_kind_of_pgas_name("sync all", PS_NAMES_UPC).kind, PS_K_BARRIER);
        assert_int_equal(ps_kind_of_pgas_name("put", PS_NAMES_SHMEM).kind, PS_K_PUT);
}

TEST(modes_of_synchronisation_are_read_from_text)
{
        static const struct {
                const char *text;
                ps_sync in, out;
        } cases[] = {{"UPC_IN_MYSYNC|UPC_OUT_NOSYNC", PS_SYNC_MY, PS_SYNC_NO},
                     {"UPC_OUT_ALLSYNC | UPC_IN_NOSYNC", PS_SYNC_NO, PS_SYNC_ALL},
                     {"upc_in_mysync", PS_SYNC_MY, PS_SYNC_ALL},
                     {"UPC_OUT_MYSYNC", PS_SYNC_ALL, PS_SYNC_MY},
                     {"UPC_IN", PS_SYNC_UNKNOWN, PS_SYNC_UNKNOWN},
                     {"", PS_SYNC_UNKNOWN, PS_SYNC_UNKNOWN}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                assert_int_equal(ps_sync_in(ps_sync_parse(cases[i].text)), cases[i].in);
                assert_int_equal(ps_sync_out(ps_sync_parse(cases[i].text)), cases[i].out);
        }
        ps_name_info info = ps_kind_of_name("upc_all_exchange(UPC_IN_MYSYNC|UPC_OUT_MYSYNC)");
        assert_int_equal(info.kind, PS_K_ALLTOALL);
        assert_int_equal(info.sync, PS_SYNC_MODES(PS_SYNC_MY, PS_SYNC_MY));
        assert_int_equal(ps_kind_of_name("shmem_alltoall32").sync, PS_SYNC_MODES(PS_SYNC_MY, PS_SYNC_MY));
}

/* -- traces -- */

/* A recorder that knows nothing of UPC: user functions of a program of MPI. */
TEST(names_alone_do_not_make_calls_of_upc)
{
        ps_gen *g = loaded_begin((ps_gen_options){.ranks = 2});
        for (uint32_t i = 0; i < 2; i++) {
                ps_gen_visit(g, i, 10 + i, 50, "upc_all_exchange");
                ps_gen_visit(g, i, 100 + i, 110, "upc_notify");
                ps_gen_visit(g, i, 120, 150, "upc_wait");
                ps_gen_visit(g, i, 200, 210, "notify");
                ps_gen_visit(g, i, 300, 310, "upc_fence");
                ps_gen_visit(g, i, 400, 410, "upc_all_alloc");
                ps_gen_visit(g, i, 500, 510, "upc_lock");
                ps_gen_visit(g, i, 520, 530, "upc_unlock");
        }
        ps_trace *t = loaded_end(g, 2, 1000);
        EXPECT_OPS(t, 0,
                   "10-50 alltoall coll0 comm0\n100-110 barrier+n coll1 comm0 done2\n120-150 wait [1]\n"
                   "300-310 win-flush #0\n400-410 alloc coll2 comm0 root0\n500-510 win-lock #0\n"
                   "520-530 win-unlock #0\n");
        assert_int_equal(t->n_colls, 3);
        assert_true(t->colls[1].complete && t->colls[1].pgas);
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

TEST(attributes_tell_modes_and_root)
{
        ps_gen *g = threads(2, OTF2_PARADIGM_UPC);
        for (uint32_t i = 0; i < 2; i++) {
                ps_gen_hint_text(g, i, "UPC_IN_SYNC", "UPC_IN_MYSYNC");
                ps_gen_hint_text(g, i, "UPC_OUT_SYNC", "UPC_OUT_NOSYNC");
                ps_gen_hint(g, i, "ROOT", 1);
                ps_gen_visit(g, i, 10, 20, "upc_all_broadcast");
                ps_gen_visit(g, i, 30, 40, "upc_all_broadcast"); /* nothing is known of the next one */
                ps_gen_hint(g, i, "LOCK_ID", UINT64_C(77) << 40);
                ps_gen_visit(g, i, 50 + 20 * i, 60 + 20 * i, "upc_lock");
        }
        ps_trace *t = loaded_end(g, 2, 1000);
        EXPECT_OPS(t, 1,
                   "10-20 bcast coll0 comm0 root1 sync2/3\n30-40 bcast coll1 comm0\n"
                   "70-80 win-lock lock84662395338752\n");
        assert_int_equal(t->members[t->colls[0].root].ref.loc, 1);
        assert_int_equal(t->colls[1].root, PS_NONE);
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

static void broadcast_with(ps_gen *g, uint32_t loc, uint32_t win, uint32_t level)
{
        ps_gen_rec records[] = {{.kind = PS_GEN_R_RMA_COLL_BEGIN},
                                PS_GEN_REC_OF(RMA_COLL_END, .op = OTF2_COLLECTIVE_OP_BCAST, .ref = win,
                                              .tag = level, .peer = 1, .bytes = loc ? 16 : 0, .received = 8)};
        ps_gen_call(g, "upc_all_broadcast", loc, 100, 140, 2, records);
}

static void test_records_by(const char *creator, const char *lines)
{
        ps_gen *g = loaded_begin((ps_gen_options){.ranks = 2, .pgas = OTF2_PARADIGM_UPC, .creator = creator});
        uint32_t win = ps_gen_window(g, "UPC shared heap", PS_GEN_WORLD);
        uint32_t flags = ps_gen_parameter(g, "upc_flags");
        uint32_t text = ps_gen_string(g, "UPC_IN_NOSYNC|UPC_OUT_ALLSYNC");
        for (uint32_t i = 0; i < 2; i++) {
                broadcast_with(g, i, win, OTF2_RMA_SYNC_LEVEL_MEMORY);
                ps_gen_enter(g, i, 200, "upc_all_scatter");
                ps_gen_put(g, i, 200, PS_GEN_REC_OF(PARAMETER_TEXT, .ref = flags, .tag = text));
                ps_gen_leave(g, i, 210, "upc_all_scatter");
        }
        ps_trace *t = loaded_end(g, 2, 1000);
        EXPECT_OPS(t, 1, lines);
        assert_int_equal(t->members[t->colls[0].root].ref.loc, 1);
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

/* The level is a mode only where it is known to be one. */
TEST(a_level_is_a_mode_where_it_is_known_to_be_one)
{
        test_records_by("patscan-gen", "100-140 bcast coll0 comm0 root1 sync0/2 16/8\n"
                                       "200-210 scatter coll1 comm0 sync3/1\n");
        test_records_by("another", "100-140 bcast coll0 comm0 root1 16/8\n"
                                   "200-210 scatter coll1 comm0 sync3/1\n");
}

TEST(a_description_tells_the_modes)
{
        ps_gen *g = threads(2, OTF2_PARADIGM_UPC);
        ps_gen_describe(g, ps_gen_region(g, "upc_all_gather", "", 0), "with UPC_IN_MYSYNC | UPC_OUT_NOSYNC");
        for (uint32_t i = 0; i < 2; i++) {
                ps_gen_visit(g, i, 10, 20, "upc_all_gather");
                ps_gen_visit(g, i, 30, 40, "upc_all_scatter");
        }
        ps_trace *t = loaded_end(g, 2, 1000);
        EXPECT_OPS(t, 0, "10-20 gather coll0 comm0 sync2/3\n30-40 scatter coll1 comm0\n");
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

/* One number, several meanings: 17 is IN_ALLSYNC and OUT_MYSYNC by the new headers, and by the old ones two
 * modes for the begin, which is nonsense. */
TEST(numeric_flags_are_read_by_the_chosen_header)
{
        static const struct {
                uint64_t flags;
                const char *sync[4]; /* by ps_upc_flags */
        } cases[] = {{1 | 16, {"", " sync1/2", "", ""}},
                     {2 | 4, {"", "", " sync2/3", " sync2/3"}},
                     {2, {"", " sync2/1", " sync2/1", " sync2/1"}},
                     {0, {"", " sync1/1", " sync1/1", " sync1/1"}},
                     {16 | 32, {"", "", " sync1/1", ""}},
                     {64, {"", "", "", ""}}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                ps_gen *g = threads(2, OTF2_PARADIGM_UPC);
                uint32_t flags = ps_gen_parameter(g, "upc_flags");
                for (uint32_t rank = 0; rank < 2; rank++) {
                        ps_gen_rec record = PS_GEN_REC_OF(PARAMETER, .ref = flags, .bytes = cases[i].flags);
                        ps_gen_call(g, "upc_all_exchange", rank, 10, 20, 1, &record);
                        ps_gen_leave(g, rank, 1000, "main");
                }
                ps_gen_close(g);
                for (ps_upc_flags meaning = PS_UPC_FLAGS_UNKNOWN; meaning <= PS_UPC_FLAGS_MTU; meaning++) {
                        const ps_load_options options = {
                                .n_threads = 1, .clock = PS_CLOCK_AS_IS, .upc_flags = meaning};
                        ps_trace *t;
                        char expected[64];
                        assert_int_equal(ps_trace_load(&t, ps_gen_anchor(g), &options, NULL), PS_OK);
                        snprintf(expected, sizeof(expected), "10-20 alltoall coll0 comm0%s\n",
                                 cases[i].sync[meaning]);
                        EXPECT_OPS(t, 0, expected);
                        ps_trace_close(t);
                }
                ps_gen_free(g);
        }
}

/* A region that the table does not know, by its record. */
TEST(a_record_tells_what_the_name_does_not)
{
        ps_gen *g = threads(2, OTF2_PARADIGM_UPC);
        uint32_t win = ps_gen_window(g, "heap", PS_GEN_WORLD);
        for (uint32_t i = 0; i < 2; i++) {
                ps_gen_rec records[] = {{.kind = PS_GEN_R_RMA_COLL_BEGIN},
                                        PS_GEN_REC_OF(RMA_COLL_END, .op = OTF2_COLLECTIVE_OP_ALLGATHER,
                                                      .ref = win, .peer = OTF2_COLLECTIVE_ROOT_NONE)};
                ps_gen_call(g, "upc_all_of_mine", i, 10, 50, 2, records);
        }
        ps_trace *t = loaded_end(g, 2, 1000);
        EXPECT_OPS(t, 0, "10-50 allgather coll0 comm0\n");
        loaded_free(g, t);
}

/* A reduction made of barriers and puts is one reduction. */
TEST(what_a_reduction_is_made_of_is_not_counted_again)
{
        ps_gen *g = threads(2, OTF2_PARADIGM_UPC);
        uint32_t win = ps_gen_window(g, "heap", PS_GEN_WORLD);
        for (uint32_t i = 0; i < 2; i++) {
                ps_gen_enter(g, i, 10, "upc_all_reduce");
                ps_gen_visit(g, i, 20, 30, "upc_barrier");
                ps_gen_enter(g, i, 40, "helper");
                ps_gen_rec put = PS_GEN_REC_OF(PUT, .ref = win, .peer = 1 - i, .bytes = 4, .request = 1);
                ps_gen_call(g, "upc_memput", i, 50, 60, 1, &put);
                ps_gen_leave(g, i, 70, "helper");
                ps_gen_leave(g, i, 80, "upc_all_reduce");
                ps_gen_call(g, "upc_memput", i, 90, 95, 1, &put);
        }
        ps_trace *t = loaded_end(g, 2, 1000);
        EXPECT_OPS(t, 0, "10-80 reduce coll0 comm0\n90-95 put >1 win0 4B\n");
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

TEST(locks_of_upc_are_asked_for_and_got)
{
        ps_gen *g = threads(2, OTF2_PARADIGM_UPC);
        uint32_t win = ps_gen_window(g, "heap", PS_GEN_WORLD);
        ps_gen_rec lock[] = {PS_GEN_REC_OF(RMA_LOCK_REQUEST, .ref = win, .peer = 0, .request = 5),
                             PS_GEN_REC_OF(RMA_LOCK_ACQUIRE, .ref = win, .peer = 0, .request = 5)};
        ps_gen_rec failed = PS_GEN_REC_OF(RMA_LOCK_TRY, .ref = win, .peer = 0, .request = 5);
        ps_gen_rec unlock = PS_GEN_REC_OF(RMA_LOCK_RELEASE, .ref = win, .peer = 0, .request = 5);
        ps_gen_call(g, "upc_lock", 1, 10, 20, 2, lock);
        ps_gen_call(g, "upc_unlock", 1, 30, 40, 1, &unlock);
        ps_gen_call(g, "upc_lock_attempt", 0, 15, 16, 1, &failed);
        ps_gen_call(g, "upc_lock_attempt", 0, 50, 60, 2, lock);
        ps_trace *t = loaded_end(g, 2, 1000);
        EXPECT_OPS(t, 0, "15-16 win-lock+n+cancelled >0 win0 lock5\n50-60 win-lock+n >0 win0 lock5\n");
        EXPECT_OPS(t, 1, "10-20 win-lock >0 win0 lock5\n30-40 win-unlock >0 win0 lock5\n");
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

/* Several threads of the program in one process: members, roots and targets are locations. */
TEST(threads_of_a_process)
{
        ps_gen *g = loaded_begin((ps_gen_options){.ranks = 2, .threads = 2, .pgas = OTF2_PARADIGM_UPC});
        uint32_t win = ps_gen_window(g, "heap", PS_GEN_WORLD);
        for (uint32_t i = 0; i < 4; i++) {
                ps_gen_hint(g, i, "ROOT", 1); /* the second thread of the first process */
                ps_gen_visit(g, i, 10 + i, 30, "upc_all_broadcast");
                ps_gen_rec put = PS_GEN_REC_OF(PUT, .ref = win, .peer = 3, .bytes = 4, .request = 1);
                ps_gen_call(g, "upc_memput", i, 40, 50, 1, &put);
        }
        ps_trace *t = loaded_end(g, 2, 1000);
        assert_true(t->defs.comms.row[0].team);
        assert_int_equal(t->n_colls, 1);
        assert_int_equal(t->colls[0].n, 4);
        ps_loc root = t->members[t->colls[0].root].ref.loc, target = ps_op_peer(&t->ops[0], 1);
        assert_int_equal(t->defs.locations.row[root].process, 0);
        assert_int_equal(t->defs.locations.row[root].thread, 1);
        assert_int_equal(t->defs.locations.row[target].process, 1);
        assert_int_equal(t->defs.locations.row[target].thread, 1);
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

TEST(calls_of_shmem_are_known)
{
        ps_gen *g = threads(2, OTF2_PARADIGM_SHMEM);
        for (uint32_t i = 0; i < 2; i++) {
                ps_gen_visit(g, i, 10 + i, 50, "shmem_barrier_all");
                ps_gen_visit(g, i, 60 + i, 80, "shmem_broadcast32");
                ps_gen_visit(g, i, 90 + i, 100, "shmem_malloc");
        }
        ps_trace *t = loaded_end(g, 2, 1000);
        EXPECT_OPS(t, 0,
                   "10-50 barrier coll0 comm0\n60-80 bcast coll1 comm0 sync2/2\n"
                   "90-100 symmetric-alloc coll2 comm0\n");
        assert_int_equal(t->colls[1].root, PS_NONE);
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

/* Some call MPI where others call UPC: whoever is asked, it is one operation, and one of UPC. */
TEST(an_operation_is_one_of_upc_if_any_of_its_calls_is)
{
        for (uint32_t of_upc = 0; of_upc < 2; of_upc++) {
                ps_gen *g = threads(2, OTF2_PARADIGM_UPC);
                ps_gen_visit(g, of_upc, 10, 50, "upc_barrier");
                ps_gen_barrier(g, 1 - of_upc, 20, 50, PS_GEN_WORLD);
                ps_trace *t = loaded_end(g, 2, 1000);
                assert_int_equal(t->n_colls, 1);
                assert_int_equal(t->colls[0].n, 2);
                assert_true(t->colls[0].pgas);
                EXPECT_ISSUES(t, "");
                loaded_free(g, t);
        }
}

/* Names alone: if there is one process, its threads are those of the program. */
TEST(one_process_of_threads)
{
        ps_gen *g = loaded_begin((ps_gen_options){.ranks = 1, .threads = 3, .style = PS_GEN_SCOREP});
        for (uint32_t i = 0; i < 3; i++)
                ps_gen_visit(g, i, 10 + i, 50, "upc_barrier");
        ps_trace *t = loaded_end(g, 1, 1000);
        assert_int_equal(t->n_colls, 1);
        assert_int_equal(t->colls[0].n, 3);
        loaded_free(g, t);
}
