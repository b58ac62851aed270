/* test_calls.c - everything but messages through the whole load: collectives, windows, threads, call
 * paths, and what a recorder tells besides. See loaded.h for the lines. */
#include "tests/support/loaded.h"
#include "tests/support/test.h"
#include <string.h>

#define NO_ROOT OTF2_COLLECTIVE_ROOT_NONE

static ps_gen *ranks(uint32_t n)
{
        return loaded_begin((ps_gen_options){.ranks = n});
}

TEST(members_of_a_collective_are_matched)
{
        ps_gen *g = ranks(3);
        const uint32_t part[] = {2, 0};
        uint32_t sub = ps_gen_comm(g, "part", part, 2);
        for (uint32_t i = 0; i < 3; i++) {
                ps_gen_visit(g, i, 10 + i, 50, "MPI_Init");
                ps_gen_collective(g, "MPI_Reduce", i, 100, 140 + i, PS_GEN_WORLD, 2, 8, i == 2 ? 24 : 0);
                ps_gen_barrier(g, i, 200 + i, 240, PS_GEN_WORLD);
        }
        ps_gen_collective(g, "MPI_Bcast", 2, 300, 310, sub, 0, 16, 8); /* root: rank 0 is process 2 */
        ps_gen_collective(g, "MPI_Bcast", 0, 305, 330, sub, 0, 0, 8);
        for (uint32_t i = 0; i < 3; i++)
                ps_gen_visit(g, i, 400, 450, "MPI_Finalize");
        ps_trace *t = loaded_end(g, 3, 10000);
        EXPECT_OPS(t, 1,
                   "11-50 init coll0\n100-141 reduce coll1 comm0 root2 8/0\n201-240 barrier coll2 comm0\n"
                   "400-450 finalize coll3\n");
        EXPECT_OPS(t, 2,
                   "12-50 init coll0\n100-142 reduce coll1 comm0 root2 8/24\n202-240 barrier coll2 comm0\n"
                   "300-310 bcast coll4 comm1 root2 16/8\n400-450 finalize coll3\n");
        assert_int_equal(t->n_colls, 5);
        assert_int_equal(t->colls[1].n, 3);
        assert_true(t->colls[1].complete);
        assert_int_equal(t->members[t->colls[1].root].ref.loc, 2);
        assert_int_equal(t->members[t->colls[4].root].ref.loc, 2);
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

TEST(nonblocking_collectives_end_in_their_wait)
{
        ps_gen *g = ranks(2);
        for (uint32_t i = 0; i < 2; i++) {
                ps_gen_nbc(g, "MPI_Ibarrier", i, 100, 110, 1);
                ps_gen_nbc(g, "MPI_Iallreduce", i, 120, 130, 2);
                ps_gen_rec done[] = {PS_GEN_COLLECTED("MPI_Iallreduce", PS_GEN_WORLD, NO_ROOT, 8, 8, 2),
                                     PS_GEN_COLLECTED("MPI_Ibarrier", PS_GEN_WORLD, NO_ROOT, 0, 0, 1)};
                ps_gen_waitall(g, i, 200, 300, 2, done);
        }
        ps_trace *t = loaded_end(g, 2, 10000);
        for (ps_loc i = 0; i < 2; i++)
                EXPECT_OPS(t, i,
                           "100-110 barrier+n coll0 comm0 done2\n120-130 allreduce+n coll1 comm0 8/8 done2\n"
                           "200-300 waitall [1 0]\n");
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

/* A persistent collective begins in MPI_Start: its bytes must not become another's. */
TEST(a_persistent_collective_begins_in_start)
{
        ps_gen *g = ranks(2);
        for (uint32_t i = 0; i < 2; i++) {
                ps_gen_call(g, "MPI_Start", i, 100, 110, 1, &PS_GEN_REC_OF(NBC_REQUEST, .request = 1));
                ps_gen_wait(g, i, 120, 160,
                            PS_GEN_COLLECTED("MPI_Iallgather", PS_GEN_WORLD, NO_ROOT, 3, 6, 1));
                ps_gen_collective(g, "MPI_Allreduce", i, 200, 240, PS_GEN_WORLD, NO_ROOT, 5, 7);
        }
        ps_trace *t = loaded_end(g, 2, 10000);
        for (ps_loc i = 0; i < 2; i++)
                EXPECT_OPS(t, i,
                           "100-110 start\n100-110 allgather+n+part+persistent coll0 comm0 3/6 done2\n"
                           "120-160 wait [1]\n200-240 allreduce coll1 comm0 5/7\n");
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

static void wait_for_rooted(ps_gen *g, uint32_t at, const char *name, uint64_t from, uint64_t bytes,
                            uint64_t request)
{
        ps_gen_wait(g, at, from, from + 20, PS_GEN_COLLECTED(name, PS_GEN_WORLD, 1, bytes, 8, request));
}

/* One thread begins, also by MPI_Start, which does not tell what; another one completes, or cancels. */
TEST(threads_complete_for_each_other)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2, .threads = 2});
        for (uint32_t rank = 0; rank < 2; rank++) {
                uint32_t a = ps_gen_at(g, rank, 0), b = ps_gen_at(g, rank, 1);
                ps_gen_enter(g, a, 0, "main");
                ps_gen_nbc(g, "MPI_Ibcast", a, 100, 110, 1);
                ps_gen_call(g, "MPI_Start", a, 120, 130, 1, &PS_GEN_REC_OF(NBC_REQUEST, .request = 2));
                ps_gen_irecv(g, a, 140, 150, 3);
                ps_gen_irecv(g, a, 160, 170, 4);
                ps_gen_leave(g, a, 1000, "main");
                wait_for_rooted(g, b, "MPI_Ibcast", 200, rank ? 8 : 0, 1);
                wait_for_rooted(g, b, "MPI_Ireduce", 240, 8, 2);
                ps_gen_wait(g, b, 280, 300, PS_GEN_CANCELLED(3));
                ps_gen_wait(g, b, 320, 340, PS_GEN_GOT(7, PS_GEN_WORLD, 1, 1, 4)); /* there is no rank 7 */
        }
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        for (ps_proc rank = 0; rank < 2; rank++)
                EXPECT_OPS(t, t->defs.by_process[t->defs.processes.row[rank].first],
                           rank ? "100-110 bcast+n+elsewhere coll0 comm0 root1 8/8\n120-130 start\n"
                                  "120-130 reduce+n+part+persistent+elsewhere coll1 comm0 root1 8/8\n"
                                  "140-150 irecv+cancelled+elsewhere\n160-170 irecv+elsewhere comm0 #1 1B\n"
                                : "100-110 bcast+n+elsewhere coll0 comm0 root1 0/8\n120-130 start\n"
                                  "120-130 reduce+n+part+persistent+elsewhere coll1 comm0 root1 8/8\n"
                                  "140-150 irecv+cancelled+elsewhere\n160-170 irecv+elsewhere comm0 #1 1B\n");
        EXPECT_ISSUES(t, "invalid-peer=2 unmatched-receive=2");
        assert_int_equal(t->n_foreign, 8);
        loaded_free(g, t);
}

static int stop(void *ctx, uint64_t done, uint64_t total)
{
        (void)done, (void)total;
        return ++*(int *)ctx >= 1;
}

TEST(summary_and_cancelling)
{
        ps_gen *g = ranks(2);
        ps_gen_send(g, 0, 100, 120, 1, PS_GEN_WORLD, 7, 64);
        ps_gen_recv(g, 1, 90, 140, 0, PS_GEN_WORLD, 7, 64);
        ps_trace *t = loaded_end(g, 2, 10000);
        assert_string_equal(t->format, "otf2");
        assert_int_equal(t->defs.processes.n, 2);
        assert_int_equal(t->n_events, 2 * 5);
        assert_int_equal(t->n_operations, 2);
        assert_int_equal(t->n_messages, 1);
        assert_int_equal(t->n_colls + ps_issues_total(&t->issues), 0);
        assert_int_equal(t->measured.duration, 10000000);
        ps_trace_close(t);
        int calls = 0;
        ps_load_options options = {.n_threads = 1, .progress = stop, .progress_ctx = &calls};
        ps_error err = {0};
        assert_int_equal(ps_trace_load(&t, ps_gen_anchor(g), &options, &err), PS_E_CANCELLED);
        assert_null(t);
        assert_int_equal(calls, 1);
        ps_gen_free(g);
}

/* Rank 0 calls what nobody else does: all skip one call and are in step again, which costs less than to go on
 * without rank 0. Then the ranks do not agree on the root. */
TEST(a_surplus_collective_is_skipped_and_roots_compared)
{
        ps_gen *g = ranks(3);
        for (uint32_t i = 0; i < 3; i++) {
                ps_gen_collective(g, "MPI_Bcast", i, 100, 110, PS_GEN_WORLD, 0, 0, 0);
                if (i)
                        ps_gen_barrier(g, i, 200, 210, PS_GEN_WORLD);
                else
                        ps_gen_collective(g, "MPI_Scan", i, 200, 210, PS_GEN_WORLD, NO_ROOT, 0, 0);
                ps_gen_collective(g, "MPI_Reduce", i, 300, 310, PS_GEN_WORLD, i == 1, 0, 0);
        }
        ps_gen_barrier(g, 1, 400, 410, PS_GEN_WORLD);
        ps_gen_barrier(g, 2, 400, 410, PS_GEN_WORLD);
        ps_trace *t = loaded_end(g, 3, 10000);
        EXPECT_OPS(t, 0,
                   "100-110 bcast coll0 comm0 root0\n200-210 scan comm0\n300-310 reduce coll1 comm0 root0\n");
        EXPECT_OPS(t, 1,
                   "100-110 bcast coll0 comm0 root0\n200-210 barrier comm0\n"
                   "300-310 reduce coll1 comm0 root1\n400-410 barrier coll2 comm0\n");
        EXPECT_ISSUES(t, "mismatched-collective=3 incomplete-collective=1 root-mismatch=1");
        assert_int_equal(t->colls[1].root, PS_NONE);
        assert_false(t->colls[2].complete);
        loaded_free(g, t);
}

TEST(unended_and_bare_collectives)
{
        ps_gen *g = ranks(2);
        const ps_gen_rec begun = {.kind = PS_GEN_R_COLL_BEGIN};
        const ps_gen_rec ended = PS_GEN_REC_OF(COLL_END, .op = OTF2_COLLECTIVE_OP_BARRIER,
                                               .comm = PS_GEN_WORLD, .peer = NO_ROOT);
        for (uint32_t i = 0; i < 2; i++) {
                ps_gen_call(g, "MPI_Ibarrier", i, 100, 110, 1, &begun);
                ps_gen_put(g, i, 200, begun); /* outside of any call: a recorder that filters them */
                ps_gen_put(g, i, 220, ended);
        }
        ps_trace *t = loaded_end(g, 2, 10000);
        for (ps_loc i = 0; i < 2; i++)
                EXPECT_OPS(t, i, "100-110 barrier+n\n220-220 barrier+bare coll0 comm0\n");
        EXPECT_ISSUES(t, "unended-collective=2");
        loaded_free(g, t);
}

TEST(one_sided_calls_belong_to_their_window)
{
        ps_gen *g = ranks(2);
        uint32_t win = ps_gen_window(g, "grid", PS_GEN_WORLD);
        ps_gen_rec put[] = {PS_GEN_REC_OF(PUT, .ref = win, .peer = 1, .bytes = 64, .request = 5)};
        ps_gen_rec get[] = {PS_GEN_REC_OF(GET, .ref = win, .peer = 1, .bytes = 32, .request = 6),
                            PS_GEN_REC_OF(RMA_DONE_BLOCKING, .ref = win, .request = 6)};
        ps_gen_rec lock[] = {PS_GEN_REC_OF(RMA_LOCK_REQUEST, .ref = win, .peer = 1, .request = 3,
                                           .op = OTF2_LOCK_EXCLUSIVE)};
        ps_gen_rec unlock[] = {PS_GEN_REC_OF(RMA_LOCK_RELEASE, .ref = win, .peer = 1, .request = 3)};
        for (uint32_t i = 0; i < 2; i++) {
                ps_gen_win_collective(g, "MPI_Win_create", i, 50, 60, win);
                ps_gen_win_collective(g, "MPI_Win_fence", i, 100, 120, win);
        }
        ps_gen_call(g, "MPI_Put", 0, 130, 140, 1, put);
        for (uint32_t i = 0; i < 2; i++) {
                ps_gen_enter(g, i, 200, "MPI_Win_fence");
                ps_gen_put(g, i, 205, PS_GEN_REC_OF(RMA_COLL_BEGIN, .ref = 0));
                if (i == 0)
                        ps_gen_put(g, 0, 210, PS_GEN_REC_OF(RMA_DONE_REMOTE, .ref = win, .request = 5));
                ps_gen_put(g, i, 215,
                           PS_GEN_REC_OF(RMA_COLL_END, .op = OTF2_COLLECTIVE_OP_BARRIER, .ref = win,
                                         .tag = OTF2_RMA_SYNC_LEVEL_PROCESS, .peer = NO_ROOT));
                ps_gen_leave(g, i, 220, "MPI_Win_fence");
        }
        ps_gen_call(g, "MPI_Win_lock", 0, 300, 320, 1, lock);
        ps_gen_call(g, "MPI_Get", 0, 330, 340, 2, get);
        ps_gen_call(g, "MPI_Win_unlock", 0, 350, 360, 1, unlock);
        for (uint32_t i = 0; i < 2; i++)
                ps_gen_win_collective(g, "MPI_Win_free", i, 400, 410, win);
        ps_trace *t = loaded_end(g, 2, 10000);
        EXPECT_OPS(t, 0,
                   "50-60 win-create coll0 win0\n100-120 fence coll1 win0\n130-140 put >1 win0 64B done3\n"
                   "200-220 fence coll2 win0\n300-320 win-lock >1 win0 lock3\n330-340 get >1 win0 32B done5\n"
                   "350-360 win-unlock >1 win0 lock3\n400-410 win-free coll3 win0\n");
        EXPECT_ISSUES(t, "");
        assert_int_equal(t->colls[1].comm, PS_GEN_WORLD);
        loaded_free(g, t);
}

/* A region is known again by its bytes, but not its team: that is the innermost each time. Behind all teams
 * there is none, and a team that is cut off is over with the trace. */
TEST(a_barrier_belongs_to_the_team_in_which_it_is_entered)
{
        static const char barrier[] = "!$omp barrier @a.c:3";
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        const uint32_t at[] = {0}, outer = ps_gen_team(g, "outer", at, 1),
                       inner = ps_gen_team(g, "inner", at, 1);
        uint64_t time = 0;
        const uint32_t begins[] = {outer, inner};
        for (int i = 0; i < 2; i++) {
                ps_gen_put(g, 0, time, PS_GEN_REC_OF(TEAM_BEGIN, .comm = begins[i]));
                ps_gen_visit(g, 0, time + 10, time + 20, barrier);
                time += 30;
        }
        for (int i = 2; i-- > 0; time += 30) {
                ps_gen_put(g, 0, time, PS_GEN_REC_OF(TEAM_END, .comm = begins[i]));
                ps_gen_visit(g, 0, time + 10, time + 20, barrier);
        }
        ps_gen_put(g, 0, time, PS_GEN_REC_OF(TEAM_BEGIN, .comm = inner));
        ps_gen_enter(g, 0, time + 10, barrier);
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        EXPECT_OPS(t, 0,
                   "0-0 team-begin+bare comm1 #0\n10-20 team-barrier coll0 comm1\n"
                   "30-30 team-begin+bare comm2 #0\n40-50 team-barrier coll2 comm2\n"
                   "60-60 team-end+bare comm2 #0\n70-80 team-barrier coll1 comm1\n"
                   "90-90 team-end+bare comm1 #0\n100-110 team-barrier\n"
                   "120-120 team-begin+bare comm2 #0\n130-130 team-barrier+truncated coll3 comm2\n");
        loaded_free(g, t);
}

TEST(regions_of_openmp_are_matched_in_their_team)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1, .threads = 2});
        uint32_t at[] = {ps_gen_at(g, 0, 0), ps_gen_at(g, 0, 1)};
        uint32_t team = ps_gen_team(g, "OpenMP Team", at, 2);
        ps_gen_put(g, at[0], 0, PS_GEN_REC_OF(FORK, .op = OTF2_PARADIGM_OPENMP, .tag = 2));
        for (uint32_t i = 0; i < 2; i++) {
                ps_gen_put(g, at[i], 10, PS_GEN_REC_OF(TEAM_BEGIN, .comm = team));
                ps_gen_enter(g, at[i], 20, "!$omp parallel @a.c:5");
                ps_gen_enter(g, at[i], 30 + i, "!$omp critical @a.c:6");
                ps_gen_put(g, at[i], 40 + 20 * i,
                           PS_GEN_REC_OF(LOCK_ACQUIRE, .op = OTF2_PARADIGM_OPENMP, .ref = 9, .tag = i + 1));
                ps_gen_put(g, at[i], 50 + 20 * i,
                           PS_GEN_REC_OF(LOCK_RELEASE, .op = OTF2_PARADIGM_OPENMP, .ref = 9, .tag = i + 1));
                ps_gen_leave(g, at[i], 52 + 20 * i, "!$omp critical @a.c:6");
                ps_gen_put(g, at[i], 100, PS_GEN_REC_OF(TASK_CREATE, .comm = team, .peer = i, .tag = 1));
                ps_gen_put(g, at[i], 110, PS_GEN_REC_OF(TASK_SWITCH, .comm = team, .peer = i, .tag = 1));
                ps_gen_put(g, at[i], 120, PS_GEN_REC_OF(TASK_COMPLETE, .comm = team, .peer = i, .tag = 1));
                ps_gen_visit(g, at[i], 200 + i, 210, "!$omp implicit barrier @a.c:9");
                ps_gen_leave(g, at[i], 220, "!$omp parallel @a.c:5");
                ps_gen_put(g, at[i], 230, PS_GEN_REC_OF(TEAM_END, .comm = team));
        }
        ps_gen_put(g, at[0], 240, PS_GEN_REC_OF(JOIN, .op = OTF2_PARADIGM_OPENMP));
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        EXPECT_OPS(t, 0,
                   "0-0 thread-fork+bare #2\n10-10 team-begin+bare comm1 #0\n30-40 lock-acquire #9 1\n"
                   "50-50 lock-release+bare #9 1\n100-100 task-create+bare >0 comm1 #1\n"
                   "110-110 task-switch+bare >0 comm1 #1\n120-120 task-complete+bare >0 comm1 #1\n"
                   "200-210 team-implicit-barrier coll0 comm1\n230-230 team-end+bare comm1 #0\n"
                   "240-240 thread-join+bare #0\n");
        assert_int_equal(t->n_colls, 1);
        assert_int_equal(t->colls[0].n, 2);
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

TEST(places_of_calls)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        uint32_t top = ps_gen_context(g, OTF2_UNDEFINED_CALLING_CONTEXT, "main", "a.c", 12);
        uint32_t other = ps_gen_context(g, OTF2_UNDEFINED_CALLING_CONTEXT, "main", "a.c", 13);
        uint32_t call = ps_gen_context(g, top, "MPI_Barrier", NULL, 0);
        uint32_t again = ps_gen_context(g, other, "MPI_Barrier", NULL, 0);
        ps_gen_rec barrier[] = {{.kind = PS_GEN_R_COLL_BEGIN},
                                PS_GEN_REC_OF(COLL_END, .op = OTF2_COLLECTIVE_OP_BARRIER,
                                              .comm = PS_GEN_WORLD, .peer = NO_ROOT)};
        ps_gen_context_call(g, call, 0, 100, 110, 2, barrier);
        ps_gen_context_call(g, again, 0, 120, 130, 2, barrier);
        ps_gen_context_call(g, call, 0, 140, 150, 2, barrier);
        ps_gen_enter(g, 0, 200, "solve");
        ps_gen_site(g, 0, "solve.c", 77);
        ps_gen_barrier(g, 0, 210, 220, PS_GEN_WORLD);
        ps_gen_leave(g, 0, 230, "solve");
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        EXPECT_PATH(t, 0, 0, "main@a.c:12/MPI_Barrier");
        EXPECT_PATH(t, 0, 1, "main@a.c:13/MPI_Barrier");
        EXPECT_PATH(t, 0, 3, "solve@solve.c:77/MPI_Barrier");
        assert_int_equal(ps_op_path(&t->ops[0], 0), ps_op_path(&t->ops[0], 2));
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

static void put_metric(ps_gen *g, uint32_t loc, uint64_t time)
{
        OTF2_Type type = OTF2_TYPE_UINT64;
        OTF2_MetricValue value = {.unsigned_int = 7};
        OTF2_EvtWriter_Metric(ps_gen_writer(g, loc), NULL, 1000000000 + time, 0, 1, &type, &value);
}

static void define_metric(OTF2_GlobalDefWriter *w, void *ctx)
{
        uint32_t *names = ctx;
        OTF2_MetricMemberRef member = 0;
        OTF2_GlobalDefWriter_WriteMetricMember(w, 0, names[0], names[0], OTF2_METRIC_TYPE_OTHER,
                                               OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64,
                                               OTF2_BASE_DECIMAL, 0, names[0]);
        OTF2_GlobalDefWriter_WriteMetricClass(w, 0, 1, &member, OTF2_METRIC_ASYNCHRONOUS,
                                              OTF2_RECORDER_KIND_CPU);
}

/* Locations of metrics and accelerators are counted but take no part: their calls match with nobody. */
TEST(metrics_and_accelerators_take_no_part)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1, .threads = 3});
        uint32_t at[3], names[1] = {ps_gen_string(g, "PAPI_TOT_CYC")};
        for (uint32_t i = 0; i < 3; i++)
                at[i] = ps_gen_at(g, 0, i);
        ps_gen_more_defs(g, define_metric, names);
        ps_gen_location_type(g, at[1], OTF2_LOCATION_TYPE_METRIC);
        ps_gen_location_type(g, at[2], OTF2_LOCATION_TYPE_ACCELERATOR_STREAM);
        uint32_t level = ps_gen_parameter(g, "level");
        ps_gen_enter(g, at[0], 0, "main");
        ps_gen_put(g, at[0], 5, PS_GEN_REC_OF(PARAMETER, .ref = level, .bytes = 3));
        ps_gen_barrier(g, at[0], 10, 20, PS_GEN_WORLD);
        ps_gen_leave(g, at[0], 30, "main");
        put_metric(g, at[1], 7);
        ps_gen_promise(g, at[1], 1);
        ps_gen_visit(g, at[2], 8, 25, "kernel");
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        assert_int_equal(t->n_events, 7 + 1 + 2);
        assert_int_equal(t->defs.processes.row[0].n_locs, 1);
        assert_int_equal(t->defs.locations.row[1].type, PS_LOCATION_METRIC);
        assert_int_equal(t->defs.locations.row[2].type, PS_LOCATION_ACCELERATOR);
        EXPECT_OPS(t, 0, "10-20 barrier coll0 comm0\n");
        EXPECT_OPS(t, 1, "");
        assert_int_equal(loaded_use(t, 2, "kernel")->inclusive, 17000);
        assert_true(t->colls[0].complete);
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

static uint8_t paradigm_of(const ps_trace *t, const char *name)
{
        for (ps_region r = 0; r < t->defs.regions.n; r++)
                if (!strcmp(ps_defs_str(&t->defs, t->defs.regions.row[r].name), name))
                        return t->defs.regions.row[r].paradigm;
        return UINT8_MAX;
}

/* Recorders give them a role, and no paradigm. */
TEST(calls_that_read_and_write_files_are_no_functions_of_the_program)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        ps_gen_enter(g, 0, 0, "main");
        ps_gen_visit(g, 0, 10, 20, "lseek");
        ps_gen_visit(g, 0, 20, 30, "pwrite");
        ps_gen_leave(g, 0, 40, "main");
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        assert_int_equal(paradigm_of(t, "pwrite"), PS_PARADIGM_IO);
        assert_int_equal(paradigm_of(t, "lseek"), PS_PARADIGM_IO);
        assert_int_equal(paradigm_of(t, "main"), PS_PARADIGM_USER);
        loaded_free(g, t);
}

/* As TAU does; what only looks like it stays as it is. */
TEST(names_may_tell_where_regions_are)
{
        static const struct {
                const char *given, *name, *file;
                uint32_t line, line_end;
        } cases[] = {{"relax [{/src/heat.c} {17,1}-{30,2}]", "relax", "/src/heat.c", 17, 30},
                     {"int main(int, char **) C [{ring.c} {7,1}-{9,1}]", "int main(int, char **) C", "ring.c",
                      7, 9},
                     {"[SAMPLE] kernel [{heat.c} {21}]", "[SAMPLE] kernel", "heat.c", 21, 0},
                     {"a [{b.c} {1,1}] [{c.c} {2}]", "a [{b.c} {1,1}]", "c.c", 2, 0},
                     {"MPI_Send()", "MPI_Send()", "", 0, 0},
                     {"odd [{heat.c} {17,1}-{30,2}", "odd [{heat.c} {17,1}-{30,2}", "", 0, 0},
                     {"odd [{heat.c} {-1}]", "odd [{heat.c} {-1}]", "", 0, 0},
                     {"odd [{heat.c} {4294967296}]", "odd [{heat.c} {4294967296}]", "", 0, 0},
                     {"odd [{heat.c} {1,}]", "odd [{heat.c} {1,}]", "", 0, 0},
                     {"odd [{heat.c}]", "odd [{heat.c}]", "", 0, 0},
                     {" [{heat.c} {1}]", " [{heat.c} {1}]", "", 0, 0}};
        enum { N = sizeof(cases) / sizeof(cases[0]) };
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        for (unsigned i = 0; i < N; i++)
                ps_gen_region(g, cases[i].given, "", 0);
        ps_gen_visit(g, 0, 0, 10, cases[0].given);
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        assert_int_equal(t->defs.regions.n, N);
        for (unsigned i = 0; i < N; i++) {
                const ps_region_def *region = &t->defs.regions.row[i];
                assert_string_equal(ps_defs_str(&t->defs, region->name), cases[i].name);
                assert_string_equal(ps_defs_str(&t->defs, region->file), cases[i].file);
                assert_int_equal(region->line, cases[i].line);
                assert_int_equal(region->line_end, cases[i].line_end);
        }
        loaded_free(g, t);
}

TEST(leaves_out_of_order_are_mended_and_told)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        ps_gen_put(g, 0, 0, PS_GEN_REC_OF(PROGRAM_BEGIN, .ref = 0));
        ps_gen_enter(g, 0, 0, "main");
        ps_gen_enter(g, 0, 100, "a");
        ps_gen_enter(g, 0, 200, "b");
        ps_gen_leave(g, 0, 300, "a"); /* b is open */
        ps_gen_leave(g, 0, 400, "b");
        ps_gen_leave(g, 0, 450, "c"); /* never entered */
        ps_gen_enter(g, 0, 500, "d");
        ps_gen_enter(g, 0, 600, "MPI_Recv");
        ps_gen_put(g, 0, 700, PS_GEN_REC_OF(PROGRAM_END, .bytes = 0));
        ps_gen_enter(g, 0, 800, "e");
        ps_gen_leave(g, 0, 900, "e");
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        EXPECT_OPS(t, 0, "600-900 recv+truncated\n");
        EXPECT_ISSUES(t, "event-after-end=2 misnested-leave=1 stray-leave=1 unclosed-region=3");
        assert_int_equal(loaded_use(t, 0, "a")->inclusive, 200000);
        assert_int_equal(loaded_use(t, 0, "a")->exclusive, 100000);
        assert_int_equal(loaded_use(t, 0, "b")->inclusive, 200000);
        assert_int_equal(t->issues.row[PS_I_NEST_LEAVE].time, 300000);
        assert_string_equal(ps_defs_str(&t->defs, t->issues.row[PS_I_NEST_LEAVE].file), "traces/0.evt");
        assert_int_not_equal(t->issues.row[PS_I_NEST_LEAVE].offset, UINT64_MAX);
        loaded_free(g, t);
}
