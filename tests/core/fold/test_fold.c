/* test_fold.c - the fold: what a location's events become. Events are given literally, so that no format and
 * no writer stands between the rule and its test. */
#include "core/fold/fold.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

enum {
        MAIN,
        SOLVE,
        SEND,
        RECV,
        IRECV,
        ISEND,
        WAITALL,
        SENDRECV,
        STARTALL,
        BCAST,
        IBARRIER,
        WAIT,
        CRITICAL,
        WTIME,
        N_REGIONS
};

static const struct {
        const char *name;
        ps_paradigm paradigm;
} region_names[N_REGIONS] = {
        [MAIN] = {"main", PS_PARADIGM_USER},
        [SOLVE] = {"solve", PS_PARADIGM_USER},
        [SEND] = {"MPI_Ssend", PS_PARADIGM_MPI},
        [RECV] = {"mpi_recv_", PS_PARADIGM_USER},
        [IRECV] = {"MPI_Irecv", PS_PARADIGM_MPI},
        [ISEND] = {"MPI_Isend", PS_PARADIGM_MPI},
        [WAITALL] = {"MPI_Waitall", PS_PARADIGM_MPI},
        [SENDRECV] = {"MPI_Sendrecv", PS_PARADIGM_MPI},
        [STARTALL] = {"MPI_Startall", PS_PARADIGM_MPI},
        [BCAST] = {"MPI_Bcast", PS_PARADIGM_MPI},
        [IBARRIER] = {"MPI_Ibarrier", PS_PARADIGM_MPI},
        [WAIT] = {"MPI_Wait", PS_PARADIGM_MPI},
        [CRITICAL] = {"!$omp critical", PS_PARADIGM_OPENMP},
        [WTIME] = {"MPI_Wtime", PS_PARADIGM_MPI},
};

/* Two processes, the first with two locations; one communicator of both. */
enum { LOC_A, LOC_A2, LOC_B, N_LOCS, APART = N_LOCS };

static const uint32_t world[] = {0, 1};

typedef struct fixture {
        ps_trace trace;
        ps_builder *builder[N_LOCS + 1];
        ps_row_pool *pool;
        ps_error err;
} fixture;

static void make_defs(ps_defs *defs)
{
        assert_int_equal(ps_defs_init(defs, NULL), PS_OK);
        for (int r = 0; r < N_REGIONS; r++) {
                ps_region_def def = {.name = ps_strings_addz(defs->strings, region_names[r].name),
                                     .paradigm = (uint8_t)region_names[r].paradigm};
                ps_defs_add_region(defs, &def, NULL, NULL);
        }
        for (int p = 0; p < 2; p++)
                ps_defs_add_process(defs, &(ps_process_def){0}, NULL, NULL);
        for (uint32_t l = 0; l < N_LOCS; l++)
                ps_defs_add_location(defs, &(ps_location_def){.process = l == LOC_B}, NULL, NULL);
        ps_defs_add_comm(defs, &(ps_comm_def){.n_members = 2, .members = world}, NULL, NULL);
        ps_defs_add_code(defs, "ANY", NULL, NULL);
        ps_str file = ps_strings_addz(defs->strings, "solve.c");
        ps_defs_add_context(defs, &(ps_context_def){PS_NONE, MAIN, 0, 0}, NULL, NULL);
        ps_defs_add_context(defs, &(ps_context_def){0, SOLVE, file, 42}, NULL, NULL);
        ps_defs_add_context(defs, &(ps_context_def){1, SEND, 0, 0}, NULL, NULL);
        ps_defs_add_context(defs, &(ps_context_def){0, SEND, file, 7}, NULL, NULL);
        assert_int_equal(ps_defs_freeze(defs, NULL), PS_OK);
}

static int setup(void **state)
{
        fixture *f = calloc(1, sizeof(*f));
        make_defs(&f->trace.defs);
        f->trace.arena = f->trace.defs.arena;
        f->trace.n_locs = N_LOCS;
        f->pool = ps_row_pool_new();
        for (ps_loc l = 0; l < N_LOCS; l++)
                ps_builder_new(&f->builder[l], &f->trace.defs, l, f->pool, NULL);
        *state = f;
        return 0;
}

static int teardown(void **state)
{
        fixture *f = *state;
        for (ps_loc l = 0; l <= APART; l++)
                ps_builder_free(f->builder[l]);
        ps_row_pool_free(f->pool);
        ps_defs_free(&f->trace.defs);
        free(f);
        return 0;
}

static void feed(fixture *f, ps_loc l, const ps_event *events, uint32_t n)
{
        static ps_batch batch;
        batch.location = l;
        batch.n = n;
        memcpy(batch.event, events, n * sizeof(*events));
        assert_int_equal(ps_builder_add(f->builder[l], &batch, &f->err), PS_OK);
}

static void settle(fixture *f)
{
        ps_forest *forest;
        ps_path *map;
        assert_int_equal(ps_build_tie(&f->trace.defs, f->builder, &f->err), PS_OK);
        assert_int_equal(ps_forest_new(&forest, &f->err), PS_OK);
        for (ps_loc l = 0; l < N_LOCS; l++) {
                assert_int_equal(ps_forest_add(forest, f->builder[l], &map, &f->err), PS_OK);
                for (uint32_t i = 0; i < 3; i++)
                        ps_builder_settle_part(f->builder[l], 0, i, 3);
                ps_builder_settle(f->builder[l], map);
        }
        assert_int_equal(ps_forest_keep(forest, &f->trace, &f->err), PS_OK);
        ps_forest_free(forest);
}

static void finish(fixture *f)
{
        for (ps_loc l = 0; l < N_LOCS; l++)
                assert_int_equal(ps_builder_end(f->builder[l], &f->err), PS_OK);
        settle(f);
        assert_int_equal(ps_build_finish(&f->trace, f->builder, 1, &f->err), PS_OK);
}

#define FEED(f, l, ...)                                                                                      \
        do {                                                                                                 \
                const ps_event events_[] = {__VA_ARGS__};                                                    \
                feed((f), (l), events_, sizeof(events_) / sizeof(events_[0]));                               \
        } while (0)
#define EV(t, id, ...)                                                                                       \
        {                                                                                                    \
                .time = (t), .kind = PS_EV_##id, __VA_ARGS__                                                 \
        }
#define ENTER(t, r) EV(t, ENTER, .ref = (r))
#define LEAVE(t, r) EV(t, LEAVE, .ref = (r))

static uint64_t issues(const fixture *f, ps_issue_kind kind)
{
        return f->trace.issues.row[kind].count;
}

TEST_BETWEEN(a_call_becomes_one_row, setup, teardown)
{
        fixture *f = *state;
        FEED(f, LOC_B, ENTER(0, MAIN), ENTER(100, SEND),
             EV(110, SEND, .peer = 0, .comm = 0, .tag = 7, .bytes = 800), LEAVE(150, SEND), ENTER(160, RECV),
             EV(185, RECV, .peer = 0, .comm = 0, .tag = 8, .bytes = 16), LEAVE(190, RECV), LEAVE(200, MAIN));
        finish(f);
        const ps_ops *ops = &f->trace.ops[LOC_B];
        assert_int_equal(ops->n, 2);
        assert_int_equal(ops->kind[0], PS_K_SSEND); /* the mode comes from the call, not from the record */
        assert_int_equal(f->trace.measured.enter[LOC_B][0], 100);
        assert_int_equal(f->trace.measured.leave[LOC_B][0], 150);
        assert_int_equal(ops->pre[0], 10);
        assert_int_equal(ps_op_peer(ops, 0), LOC_A);
        assert_int_equal(ps_op_comm(ops, 0), 0);
        assert_int_equal(ps_op_tag(ops, 0), 7);
        assert_int_equal(ps_op_bytes(ops, 0), 800);
        assert_int_equal(ops->done[0], PS_NONE);
        assert_int_equal(ops->kind[1], PS_K_RECV); /* whatever the recorder calls the paradigm */
        assert_int_equal(ops->post[1], 5);
        assert_int_equal(f->trace.n_events, 8);
        assert_int_equal(ps_issues_total(&f->trace.issues), 0);
}

static const ps_path_use *use_of(const fixture *f, ps_loc l, ps_region region)
{
        const ps_location_info *info = &f->trace.info[l];
        for (uint32_t i = 0; i < info->n_uses; i++)
                if (f->trace.paths[info->uses[i].path].region == region)
                        return &info->uses[i];
        return NULL;
}

TEST_BETWEEN(the_call_tree_sums_inclusive_and_exclusive_time, setup, teardown)
{
        fixture *f = *state;
        FEED(f, LOC_B, ENTER(0, MAIN), ENTER(10, SOLVE), ENTER(20, WTIME), LEAVE(25, WTIME), LEAVE(40, SOLVE),
             ENTER(50, SOLVE), LEAVE(70, SOLVE), LEAVE(100, MAIN));
        FEED(f, LOC_A, ENTER(0, MAIN), ENTER(30, SOLVE), LEAVE(90, SOLVE), LEAVE(100, MAIN));
        finish(f);
        const ps_path_use *main_use = use_of(f, LOC_B, MAIN), *solve = use_of(f, LOC_B, SOLVE);
        assert_int_equal(main_use->inclusive, 100);
        assert_int_equal(main_use->exclusive, 50);
        assert_int_equal(solve->visits, 2);
        assert_int_equal(solve->inclusive, 50);
        assert_int_equal(solve->exclusive, 45);
        assert_int_equal(use_of(f, LOC_A, SOLVE)->path, solve->path); /* one tree for all locations */
        assert_int_equal(f->trace.n_paths, 4);                        /* root, main, solve, MPI_Wtime */
        assert_int_equal(f->trace.ops[LOC_B].n, 0);                   /* Wtime communicates nothing */
}

TEST_BETWEEN(requests_tie_starts_to_the_wait, setup, teardown)
{
        fixture *f = *state;
        FEED(f, LOC_B, ENTER(0, IRECV), EV(5, IRECV_POST, .request = 77), LEAVE(10, IRECV), ENTER(20, ISEND),
             EV(25, ISEND, .peer = 0, .comm = 0, .tag = 3, .bytes = 9, .request = 78), LEAVE(30, ISEND),
             ENTER(40, WAITALL), EV(80, ISEND_DONE, .request = 78),
             EV(90, IRECV, .peer = 0, .comm = 0, .tag = 4, .bytes = 11, .request = 77), LEAVE(100, WAITALL));
        finish(f);
        const ps_ops *ops = &f->trace.ops[LOC_B];
        assert_int_equal(ops->n, 3);
        assert_int_equal(ops->done[0], 2);
        assert_int_equal(ops->done[1], 2);
        assert_int_equal(ps_op_tag(ops, 0), 4);
        assert_int_equal(ps_op_bytes(ops, 0), 11);
        assert_int_equal(ops->post[0], 10); /* from its record to the end of the Waitall */
        assert_int_equal(ops->post[1], 20);
        assert_int_equal(ops->kind[2], PS_K_WAITALL);
        assert_int_equal(ps_op_tag(ops, 2), 2);
        assert_int_equal(ps_op_completed(ops, 2, 0), 1);
        assert_int_equal(ps_op_completed(ops, 2, 1), 0);
}

TEST_BETWEEN(one_call_with_several_messages_gets_several_rows, setup, teardown)
{
        fixture *f = *state;
        FEED(f, LOC_B, ENTER(0, SENDRECV), EV(5, SEND, .peer = 0, .comm = 0, .tag = 1, .bytes = 2),
             EV(30, RECV, .peer = 0, .comm = 0, .tag = 2, .bytes = 4), LEAVE(40, SENDRECV),
             ENTER(50, STARTALL), EV(51, ISEND, .peer = 0, .comm = 0, .tag = 5, .request = 1),
             EV(52, IRECV_POST, .request = 2), LEAVE(60, STARTALL), ENTER(70, WAITALL),
             EV(75, ISEND_DONE, .request = 1), EV(76, REQUEST_CANCELLED, .request = 2), LEAVE(80, WAITALL));
        finish(f);
        const ps_ops *ops = &f->trace.ops[LOC_B];
        assert_int_equal(ops->n, 5);
        assert_int_equal(ops->kind[0], PS_K_SENDRECV_SEND);
        assert_int_equal(ops->kind[1], PS_K_SENDRECV_RECV);
        assert_int_equal(ops->flags[1], PS_OP_PART);
        for (int i = 0; i < 2; i++) {
                assert_int_equal(f->trace.measured.enter[LOC_B][i], 0);
                assert_int_equal(f->trace.measured.leave[LOC_B][i], 40);
        }
        assert_int_equal(ops->post[1], 10);
        assert_int_equal(ops->kind[2], PS_K_ISEND);
        assert_int_equal(ops->flags[2], PS_OP_PERSISTENT);
        assert_int_equal(ops->kind[3], PS_K_IRECV);
        assert_int_equal(ops->flags[3], PS_OP_PERSISTENT | PS_OP_PART | PS_OP_CANCELLED);
        assert_int_equal(f->trace.measured.leave[LOC_B][3], 60);
        assert_int_equal(ops->done[3], 4);
}

TEST_BETWEEN(collectives_keep_root_sizes_and_record_times, setup, teardown)
{
        fixture *f = *state;
        FEED(f, LOC_B, ENTER(0, BCAST), EV(3, COLL_BEGIN, .ref = 0),
             EV(16, COLL_END, .op = PS_K_BCAST, .comm = 0, .peer = 1, .bytes = 64, .received = 32),
             LEAVE(20, BCAST), ENTER(30, IBARRIER), EV(31, NBC_REQUEST, .request = 9), LEAVE(35, IBARRIER),
             ENTER(40, WAIT), EV(44, NBC_DONE, .op = PS_K_BARRIER, .comm = 0, .peer = PS_NONE, .request = 9),
             LEAVE(45, WAIT));
        uint32_t n;
        const uint64_t *received = ps_builder_received(f->builder[LOC_B], &n);
        assert_int_equal(n, 2);
        assert_int_equal(received[0], 32);
        finish(f);
        const ps_ops *ops = &f->trace.ops[LOC_B];
        assert_int_equal(ops->kind[0], PS_K_BCAST);
        assert_int_equal(ps_op_peer(ops, 0), 1); /* the root is a process */
        assert_int_equal(ps_op_bytes(ops, 0), 64);
        assert_int_equal(ops->pre[0], 3);
        assert_int_equal(ops->post[0], 4);
        assert_int_equal(ops->kind[1], PS_K_BARRIER);
        assert_int_equal(ops->flags[1], PS_OP_NONBLOCKING);
        assert_int_equal(ops->done[1], 2);
        assert_int_equal(ps_op_peer(ops, 1), PS_NONE);
}

TEST_BETWEEN(calling_contexts_give_the_line_of_the_call, setup, teardown)
{
        fixture *f = *state;
        FEED(f, LOC_B, EV(0, CONTEXT_ENTER, .ref = 0), EV(10, CONTEXT_ENTER, .ref = 2),
             EV(12, SEND, .peer = 0, .comm = 0), EV(20, CONTEXT_LEAVE, .ref = 2),
             EV(30, CONTEXT_LEAVE, .ref = 0));
        finish(f);
        const ps_path_node *send = &f->trace.paths[ps_op_path(&f->trace.ops[LOC_B], 0)];
        assert_int_equal(send->region, SEND);
        assert_int_equal(send->site_line, 42);
        assert_string_equal(ps_defs_str(&f->trace.defs, send->site_file), "solve.c");
        const ps_path_node *solve = &f->trace.paths[send->parent];
        assert_int_equal(solve->region, SOLVE);
        assert_int_equal(solve->frame_line, 42);
        assert_int_equal(f->trace.paths[solve->parent].region, MAIN);
}

TEST_BETWEEN(a_line_at_the_call_of_a_library_is_that_of_the_call, setup, teardown)
{
        fixture *f = *state;
        FEED(f, LOC_B, EV(10, CONTEXT_ENTER, .ref = 3), EV(12, SEND, .peer = 0, .comm = 0),
             EV(20, CONTEXT_LEAVE, .ref = 3));
        finish(f);
        const ps_path_node *send = &f->trace.paths[ps_op_path(&f->trace.ops[LOC_B], 0)];
        assert_int_equal(send->region, SEND);
        assert_int_equal(send->site_line, 7);
        assert_string_equal(ps_defs_str(&f->trace.defs, send->site_file), "solve.c");
        assert_int_equal(f->trace.paths[send->parent].region, MAIN);
}

TEST_BETWEEN(misnested_and_unclosed_regions_are_counted_and_charged_once, setup, teardown)
{
        fixture *f = *state;
        FEED(f, LOC_B, ENTER(0, MAIN), ENTER(10, SOLVE), ENTER(20, WTIME), LEAVE(30, SOLVE), LEAVE(50, WTIME),
             LEAVE(60, SEND), LEAVE(100, MAIN), LEAVE(101, MAIN));
        FEED(f, LOC_A, ENTER(0, MAIN), ENTER(10, SEND), EV(90, SEND, .peer = 1, .comm = 0));
        finish(f);
        assert_int_equal(issues(f, PS_I_NEST_LEAVE), 1);
        assert_int_equal(issues(f, PS_I_NEST_STRAY_LEAVE), 2);
        assert_int_equal(issues(f, PS_I_NEST_OPEN), 2);
        assert_int_equal(use_of(f, LOC_B, SOLVE)->inclusive, 20);
        assert_int_equal(use_of(f, LOC_B, SOLVE)->exclusive, 10);
        assert_int_equal(use_of(f, LOC_B, WTIME)->inclusive, 30);
        assert_int_equal(use_of(f, LOC_B, MAIN)->exclusive,
                         100 - 20 - 20); /* SOLVE, then the rest of WTIME */
        assert_int_equal(f->trace.ops[LOC_A].flags[0], PS_OP_TRUNCATED);
        assert_int_equal(f->trace.measured.leave[LOC_A][0], 90);
}

TEST_BETWEEN(defects_become_issues_and_records_without_calls_bare_rows, setup, teardown)
{
        fixture *f = *state;
        FEED(f, LOC_B, EV(10, SEND, .peer = 9, .comm = 0), EV(20, SEND, .peer = 0, .comm = PS_NONE),
             EV(30, IRECV, .peer = 0, .comm = 0, .tag = 6, .request = 1),
             EV(40, ISEND, .peer = 0, .comm = 0, .request = 2),
             EV(50, ISEND, .peer = 0, .comm = 0, .request = 2), EV(60, PROGRAM_END, .tag = 0),
             ENTER(70, PS_NONE));
        finish(f);
        const ps_ops *ops = &f->trace.ops[LOC_B];
        assert_int_equal(issues(f, PS_I_PEER_INVALID), 1);
        assert_int_equal(issues(f, PS_I_COMM_INVALID), 1);
        assert_int_equal(issues(f, PS_I_REQUEST_UNKNOWN), 1);
        assert_int_equal(issues(f, PS_I_REQUEST_REUSED), 1);
        assert_int_equal(issues(f, PS_I_REQUEST_OPEN), 2);
        assert_int_equal(issues(f, PS_I_EVENT_AFTER_END), 1);
        assert_int_equal(issues(f, PS_I_DEF_UNKNOWN), 1);
        assert_int_equal(f->trace.issues.row[PS_I_PEER_INVALID].location, LOC_B);
        assert_int_equal(f->trace.issues.row[PS_I_PEER_INVALID].time, 10);
        assert_int_equal(ops->flags[0], PS_OP_BARE);
        assert_int_equal(ps_op_peer(ops, 0), PS_NONE);
        assert_int_equal(ops->kind[3], PS_K_IRECV); /* its start was not seen, its message was */
        assert_int_equal(ps_op_tag(ops, 3), 6);
}

TEST_BETWEEN(another_thread_may_complete_a_request, setup, teardown)
{
        fixture *f = *state;
        FEED(f, LOC_A, ENTER(0, IRECV), EV(5, IRECV_POST, .request = 77), LEAVE(10, IRECV), ENTER(200, IRECV),
             EV(205, IRECV_POST, .request = 77), LEAVE(210, IRECV));
        FEED(f, LOC_A2, ENTER(100, WAIT), EV(120, IRECV, .peer = 1, .comm = 0, .tag = 4, .request = 77),
             LEAVE(125, WAIT));
        finish(f);
        assert_int_equal(f->trace.n_foreign, 1);
        assert_int_equal(f->trace.foreign[0].start.loc, LOC_A);
        assert_int_equal(f->trace.foreign[0].start.op, 0);
        assert_int_equal(f->trace.foreign[0].done.loc, LOC_A2);
        assert_int_equal(f->trace.ops[LOC_A].flags[0], PS_OP_ELSEWHERE);
        assert_int_equal(ps_op_peer(&f->trace.ops[LOC_A], 0), LOC_B);
        assert_int_equal(ps_op_tag(&f->trace.ops[LOC_A], 0), 4);
        assert_int_equal(f->trace.ops[LOC_A].post[0], 5);
        assert_int_equal(issues(f, PS_I_REQUEST_OPEN), 1); /* the second one */
        assert_int_equal(issues(f, PS_I_REQUEST_UNKNOWN), 0);
}

TEST_BETWEEN(locks_wait_from_the_construct_to_the_record, setup, teardown)
{
        fixture *f = *state;
        FEED(f, LOC_B, ENTER(10, CRITICAL), EV(25, LOCK_ACQUIRE, .ref = 3, .tag = 1),
             EV(40, LOCK_RELEASE, .ref = 3, .tag = 1), LEAVE(41, CRITICAL), EV(50, MEASUREMENT, .op = 0),
             EV(80, MEASUREMENT, .op = 1));
        finish(f);
        const ps_ops *ops = &f->trace.ops[LOC_B];
        assert_int_equal(ops->kind[0], PS_K_LOCK_ACQUIRE);
        assert_int_equal(f->trace.measured.enter[LOC_B][0], 10);
        assert_int_equal(f->trace.measured.leave[LOC_B][0], 25);
        assert_int_equal(ps_op_tag(ops, 0), 3);
        assert_int_equal(ops->link[0], 1);
        assert_int_equal(ops->kind[1], PS_K_LOCK_RELEASE);
        assert_int_equal(f->trace.info[LOC_B].off, 30);
        assert_int_equal(issues(f, PS_I_MEASUREMENT_OFF), 1);
}

/* More than one block of rows, distances beyond 32 bits, and request ids that collide in every table size. */
TEST_BETWEEN(large_locations_and_long_distances, setup, teardown)
{
        enum { N = 40000 };
        fixture *f = *state;
        ps_time t = 0;
        for (uint32_t i = 0; i < N; i++, t += 10)
                FEED(f, LOC_B, ENTER(t, IRECV), EV(t + 1, IRECV_POST, .request = (uint64_t)i << 40),
                     LEAVE(t + 2, IRECV));
        FEED(f, LOC_B, ENTER(t, WAITALL));
        for (uint32_t i = N; i-- > 0; t++)
                FEED(f, LOC_B, EV(t, IRECV, .peer = 0, .comm = 0, .tag = i, .request = (uint64_t)i << 40));
        ps_time end = t + (PS_TIME_MAX >> 8);
        FEED(f, LOC_B, LEAVE(end, WAITALL));
        finish(f);
        const ps_ops *ops = &f->trace.ops[LOC_B];
        assert_int_equal(ops->n, N + 1);
        assert_int_equal(ops->n_wide, N);
        assert_int_equal(ps_op_tag(ops, N), N);
        for (uint32_t i = 0; i < N; i++) {
                assert_int_equal(ps_op_tag(ops, i), i);
                assert_int_equal(ops->done[i], N);
                assert_int_equal(ops->completed[i], N - 1 - i);
                assert_int_equal(ops->wide[i].op, i);
                assert_int_equal(ops->wide[i].distance, end - (N * 10 + (N - 1 - i)));
        }
        assert_int_equal(ps_issues_total(&f->trace.issues), 0);
}

/* -- a portion -- */

/* Of what follows on LOC_B, in a place of its own. */
static ps_builder *begin_apart(fixture *f)
{
        ps_builder **apart = &f->builder[APART];
        assert_int_equal(ps_builder_new_apart(apart, &f->trace.defs, LOC_B, f->pool, &f->err), PS_OK);
        return *apart;
}

/* 32,768 rows are a block: these go from one to the next at other rows than those that they stand behind. */
TEST_BETWEEN(a_portion_of_several_blocks_keeps_the_order_of_its_rows, setup, teardown)
{
        enum { BEFORE = 5, APART_ROWS = 100000, ALL = BEFORE + APART_ROWS + 1 };
        fixture *f = *state;
        ps_builder *apart = begin_apart(f);
        FEED(f, LOC_B, ENTER(0, MAIN));
        for (uint32_t i = 0; i < ALL; i++) {
                const ps_loc to = i >= BEFORE && i < ALL - 1 ? APART : LOC_B;
                const ps_time t = 10 * (ps_time)i;
                if (i == ALL - 1) {
                        assert_true(ps_builder_may_join(f->builder[LOC_B], apart));
                        assert_int_equal(ps_builder_join(f->builder[LOC_B], apart, 3, &f->err), PS_OK);
                }
                FEED(f, to, ENTER(t + 1, SEND), EV(t + 2, SEND, .peer = 0, .comm = 0, .tag = i, .bytes = 8),
                     LEAVE(t + 3, SEND));
        }
        finish(f);
        const ps_ops *ops = &f->trace.ops[LOC_B];
        assert_int_equal(ops->n, ALL);
        for (uint32_t i = 0; i < ALL; i++) {
                assert_int_equal(ops->kind[i], PS_K_SSEND);
                assert_int_equal(ps_op_tag(ops, i), i);
                assert_int_equal(ps_op_bytes(ops, i), 8);
                assert_int_equal(f->trace.measured.enter[LOC_B][i], 10 * (ps_time)i + 1);
                assert_int_equal(f->trace.measured.leave[LOC_B][i], 10 * (ps_time)i + 3);
        }
}

TEST_BETWEEN(a_portion_that_is_joined_goes_on_with_what_was_open, setup, teardown)
{
        fixture *f = *state;
        ps_builder *apart = begin_apart(f);
        FEED(f, LOC_B, ENTER(0, MAIN), ENTER(10, SOLVE), ENTER(20, SEND),
             EV(25, SEND, .peer = 0, .comm = 0, .tag = 7, .bytes = 800), LEAVE(30, SEND));
        FEED(f, APART, ENTER(40, IRECV), EV(45, IRECV_POST, .request = 1), LEAVE(50, IRECV), LEAVE(60, SOLVE),
             ENTER(70, WAIT), EV(80, IRECV, .peer = 0, .comm = 0, .tag = 8, .bytes = 16, .request = 1));
        assert_true(ps_builder_may_join(f->builder[LOC_B], apart));
        assert_int_equal(ps_builder_join(f->builder[LOC_B], apart, 2, &f->err), PS_OK);
        FEED(f, LOC_B, LEAVE(90, WAIT), ENTER(95, SOLVE), LEAVE(105, SOLVE), LEAVE(110, MAIN));
        finish(f);
        const ps_ops *ops = &f->trace.ops[LOC_B];
        assert_int_equal(ops->n, 3);
        assert_int_equal(ops->kind[0], PS_K_SSEND);
        assert_int_equal(ops->kind[1], PS_K_IRECV);
        assert_int_equal(ops->kind[2], PS_K_WAIT);
        assert_int_equal(ops->done[1], 2);
        assert_int_equal(ps_op_completed(ops, 2, 0), 1);
        assert_int_equal(ops->post[1], 10);
        assert_int_equal(f->trace.measured.leave[LOC_B][2], 90);
        const ps_path_use *main_use = use_of(f, LOC_B, MAIN), *solve = use_of(f, LOC_B, SOLVE);
        assert_int_equal(solve->visits, 2);
        assert_int_equal(solve->inclusive, 50 + 10);
        assert_int_equal(solve->exclusive, 60 - 10 - 10); /* without MPI_Ssend and MPI_Irecv */
        assert_int_equal(main_use->inclusive, 110);
        assert_int_equal(main_use->exclusive, 110 - 60 - 20);
        assert_int_equal(f->trace.n_paths, 6); /* root, main, solve, and three calls */
        assert_int_equal(f->trace.n_events, 15);
        assert_int_equal(ps_issues_total(&f->trace.issues), 0);
}

TEST_BETWEEN(a_portion_takes_nothing_that_hangs_on_what_stands_before_it, setup, teardown)
{
        fixture *f = *state;
        ps_builder *apart = begin_apart(f);
        assert_false(ps_builder_may_take(apart, &(ps_event)EV(0, ISEND_DONE, .request = 1)));
        assert_false(ps_builder_may_take(apart, &(ps_event)EV(0, REQUEST_CANCELLED, .request = 1)));
        assert_false(ps_builder_may_take(apart, &(ps_event)EV(0, TEAM_BEGIN, .comm = 0)));
        assert_false(ps_builder_may_take(apart, &(ps_event)EV(0, MEASUREMENT, .op = 1)));
        assert_false(ps_builder_may_take(apart, &(ps_event)EV(0, PROGRAM_END, .tag = 0)));
        assert_false(ps_builder_may_take(apart, &(ps_event)LEAVE(0, PS_NONE)));
        FEED(f, APART, LEAVE(10, SOLVE), ENTER(20, MAIN));
        assert_false(ps_builder_may_take(apart, &(ps_event)LEAVE(30, SOLVE))); /* out of order */
}

TEST_BETWEEN(a_portion_is_joined_only_to_what_it_takes_for_granted, setup, teardown)
{
        fixture *f = *state;
        ps_builder *apart = begin_apart(f), *before = f->builder[LOC_B];
        FEED(f, APART, LEAVE(50, SOLVE));
        FEED(f, LOC_B, ENTER(0, MAIN));
        assert_false(ps_builder_may_join(before, apart)); /* another region is to be left */
        FEED(f, LOC_B, ENTER(10, SOLVE));
        assert_true(ps_builder_may_join(before, apart));
        FEED(f, LOC_B, ENTER(20, WTIME));
        assert_false(ps_builder_may_join(before, apart)); /* a call goes on */
        FEED(f, LOC_B, LEAVE(25, WTIME), ENTER(26, IRECV), EV(27, IRECV_POST, .request = 1),
             LEAVE(28, IRECV));
        assert_false(ps_builder_may_join(before, apart)); /* a request is under way */
        FEED(f, LOC_B, ENTER(30, WAIT), EV(31, REQUEST_CANCELLED, .request = 1), LEAVE(32, WAIT));
        assert_true(ps_builder_may_join(before, apart));
        FEED(f, LOC_B, EV(40, MEASUREMENT, .op = 0));
        assert_false(ps_builder_may_join(before, apart)); /* the recorder is off */
}
