/* test_fold.c - the fold: what a location's events become. */
#include "tests/core/fold/lab.h"

TEST_BETWEEN(a_call_becomes_one_row, fold_setup, fold_teardown)
{
        fold_fixture *f = *state;
        FEED(f, LOC_B, ENTER(0, MAIN), ENTER(100, SEND),
             EV(110, SEND, .peer = 0, .comm = 0, .tag = 7, .bytes = 800), LEAVE(150, SEND), ENTER(160, RECV),
             EV(185, RECV, .peer = 0, .comm = 0, .tag = 8, .bytes = 16), LEAVE(190, RECV), LEAVE(200, MAIN));
        fold_finish(f);
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

TEST_BETWEEN(the_call_tree_sums_inclusive_and_exclusive_time, fold_setup, fold_teardown)
{
        fold_fixture *f = *state;
        FEED(f, LOC_B, ENTER(0, MAIN), ENTER(10, SOLVE), ENTER(20, WTIME), LEAVE(25, WTIME), LEAVE(40, SOLVE),
             ENTER(50, SOLVE), LEAVE(70, SOLVE), LEAVE(100, MAIN));
        FEED(f, LOC_A, ENTER(0, MAIN), ENTER(30, SOLVE), LEAVE(90, SOLVE), LEAVE(100, MAIN));
        fold_finish(f);
        const ps_path_use *main_use = fold_use_of(f, LOC_B, MAIN), *solve = fold_use_of(f, LOC_B, SOLVE);
        assert_int_equal(main_use->inclusive, 100);
        assert_int_equal(main_use->exclusive, 50);
        assert_int_equal(solve->visits, 2);
        assert_int_equal(solve->inclusive, 50);
        assert_int_equal(solve->exclusive, 45);
        assert_int_equal(fold_use_of(f, LOC_A, SOLVE)->path, solve->path); /* one tree for all locations */
        assert_int_equal(f->trace.n_paths, 4);                             /* root, main, solve, MPI_Wtime */
        assert_int_equal(f->trace.ops[LOC_B].n, 0);                        /* Wtime communicates nothing */
}

TEST_BETWEEN(requests_tie_starts_to_the_wait, fold_setup, fold_teardown)
{
        fold_fixture *f = *state;
        FEED(f, LOC_B, ENTER(0, IRECV), EV(5, IRECV_POST, .request = 77), LEAVE(10, IRECV), ENTER(20, ISEND),
             EV(25, ISEND, .peer = 0, .comm = 0, .tag = 3, .bytes = 9, .request = 78), LEAVE(30, ISEND),
             ENTER(40, WAITALL), EV(80, ISEND_DONE, .request = 78),
             EV(90, IRECV, .peer = 0, .comm = 0, .tag = 4, .bytes = 11, .request = 77), LEAVE(100, WAITALL));
        fold_finish(f);
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

TEST_BETWEEN(one_call_with_several_messages_gets_several_rows, fold_setup, fold_teardown)
{
        fold_fixture *f = *state;
        FEED(f, LOC_B, ENTER(0, SENDRECV), EV(5, SEND, .peer = 0, .comm = 0, .tag = 1, .bytes = 2),
             EV(30, RECV, .peer = 0, .comm = 0, .tag = 2, .bytes = 4), LEAVE(40, SENDRECV),
             ENTER(50, STARTALL), EV(51, ISEND, .peer = 0, .comm = 0, .tag = 5, .request = 1),
             EV(52, IRECV_POST, .request = 2), LEAVE(60, STARTALL), ENTER(70, WAITALL),
             EV(75, ISEND_DONE, .request = 1), EV(76, REQUEST_CANCELLED, .request = 2), LEAVE(80, WAITALL));
        fold_finish(f);
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

TEST_BETWEEN(collectives_keep_root_sizes_and_record_times, fold_setup, fold_teardown)
{
        fold_fixture *f = *state;
        FEED(f, LOC_B, ENTER(0, BCAST), EV(3, COLL_BEGIN, .ref = 0),
             EV(16, COLL_END, .op = PS_K_BCAST, .comm = 0, .peer = 1, .bytes = 64, .received = 32),
             LEAVE(20, BCAST), ENTER(30, IBARRIER), EV(31, NBC_REQUEST, .request = 9), LEAVE(35, IBARRIER),
             ENTER(40, WAIT), EV(44, NBC_DONE, .op = PS_K_BARRIER, .comm = 0, .peer = PS_NONE, .request = 9),
             LEAVE(45, WAIT));
        uint32_t n;
        const uint64_t *received = ps_builder_received(f->builder[LOC_B], &n);
        assert_int_equal(n, 2);
        assert_int_equal(received[0], 32);
        fold_finish(f);
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

TEST_BETWEEN(calling_contexts_give_the_line_of_the_call, fold_setup, fold_teardown)
{
        fold_fixture *f = *state;
        FEED(f, LOC_B, EV(0, CONTEXT_ENTER, .ref = 0), EV(10, CONTEXT_ENTER, .ref = 2),
             EV(12, SEND, .peer = 0, .comm = 0), EV(20, CONTEXT_LEAVE, .ref = 2),
             EV(30, CONTEXT_LEAVE, .ref = 0));
        fold_finish(f);
        const ps_path_node *send = &f->trace.paths[ps_op_path(&f->trace.ops[LOC_B], 0)];
        assert_int_equal(send->region, SEND);
        assert_int_equal(send->site_line, 42);
        assert_string_equal(ps_defs_str(&f->trace.defs, send->site_file), "solve.c");
        const ps_path_node *solve = &f->trace.paths[send->parent];
        assert_int_equal(solve->region, SOLVE);
        assert_int_equal(solve->frame_line, 42);
        assert_int_equal(f->trace.paths[solve->parent].region, MAIN);
}

TEST_BETWEEN(a_line_at_the_call_of_a_library_is_that_of_the_call, fold_setup, fold_teardown)
{
        fold_fixture *f = *state;
        FEED(f, LOC_B, EV(10, CONTEXT_ENTER, .ref = 3), EV(12, SEND, .peer = 0, .comm = 0),
             EV(20, CONTEXT_LEAVE, .ref = 3));
        fold_finish(f);
        const ps_path_node *send = &f->trace.paths[ps_op_path(&f->trace.ops[LOC_B], 0)];
        assert_int_equal(send->region, SEND);
        assert_int_equal(send->site_line, 7);
        assert_string_equal(ps_defs_str(&f->trace.defs, send->site_file), "solve.c");
        assert_int_equal(f->trace.paths[send->parent].region, MAIN);
}

TEST_BETWEEN(misnested_and_unclosed_regions_are_counted_and_charged_once, fold_setup, fold_teardown)
{
        fold_fixture *f = *state;
        FEED(f, LOC_B, ENTER(0, MAIN), ENTER(10, SOLVE), ENTER(20, WTIME), LEAVE(30, SOLVE), LEAVE(50, WTIME),
             LEAVE(60, SEND), LEAVE(100, MAIN), LEAVE(101, MAIN));
        FEED(f, LOC_A, ENTER(0, MAIN), ENTER(10, SEND), EV(90, SEND, .peer = 1, .comm = 0));
        fold_finish(f);
        assert_int_equal(fold_issues(f, PS_I_NEST_LEAVE), 1);
        assert_int_equal(fold_issues(f, PS_I_NEST_STRAY_LEAVE), 2);
        assert_int_equal(fold_issues(f, PS_I_NEST_OPEN), 2);
        assert_int_equal(fold_use_of(f, LOC_B, SOLVE)->inclusive, 20);
        assert_int_equal(fold_use_of(f, LOC_B, SOLVE)->exclusive, 10);
        assert_int_equal(fold_use_of(f, LOC_B, WTIME)->inclusive, 30);
        assert_int_equal(fold_use_of(f, LOC_B, MAIN)->exclusive,
                         100 - 20 - 20); /* SOLVE, then the rest of WTIME */
        assert_int_equal(f->trace.ops[LOC_A].flags[0], PS_OP_TRUNCATED);
        assert_int_equal(f->trace.measured.leave[LOC_A][0], 90);
}

TEST_BETWEEN(defects_become_issues_and_records_without_calls_bare_rows, fold_setup, fold_teardown)
{
        fold_fixture *f = *state;
        FEED(f, LOC_B, EV(10, SEND, .peer = 9, .comm = 0), EV(20, SEND, .peer = 0, .comm = PS_NONE),
             EV(30, IRECV, .peer = 0, .comm = 0, .tag = 6, .request = 1),
             EV(40, ISEND, .peer = 0, .comm = 0, .request = 2),
             EV(50, ISEND, .peer = 0, .comm = 0, .request = 2), EV(60, PROGRAM_END, .tag = 0),
             ENTER(70, PS_NONE));
        fold_finish(f);
        const ps_ops *ops = &f->trace.ops[LOC_B];
        assert_int_equal(fold_issues(f, PS_I_PEER_INVALID), 1);
        assert_int_equal(fold_issues(f, PS_I_COMM_INVALID), 1);
        assert_int_equal(fold_issues(f, PS_I_REQUEST_UNKNOWN), 1);
        assert_int_equal(fold_issues(f, PS_I_REQUEST_REUSED), 1);
        assert_int_equal(fold_issues(f, PS_I_REQUEST_OPEN), 2);
        assert_int_equal(fold_issues(f, PS_I_EVENT_AFTER_END), 1);
        assert_int_equal(fold_issues(f, PS_I_DEF_UNKNOWN), 1);
        assert_int_equal(f->trace.issues.row[PS_I_PEER_INVALID].location, LOC_B);
        assert_int_equal(f->trace.issues.row[PS_I_PEER_INVALID].time, 10);
        assert_int_equal(ops->flags[0], PS_OP_BARE);
        assert_int_equal(ps_op_peer(ops, 0), PS_NONE);
        assert_int_equal(ops->kind[3], PS_K_IRECV); /* its start was not seen, its message was */
        assert_int_equal(ps_op_tag(ops, 3), 6);
}

TEST_BETWEEN(another_thread_may_complete_a_request, fold_setup, fold_teardown)
{
        fold_fixture *f = *state;
        FEED(f, LOC_A, ENTER(0, IRECV), EV(5, IRECV_POST, .request = 77), LEAVE(10, IRECV), ENTER(200, IRECV),
             EV(205, IRECV_POST, .request = 77), LEAVE(210, IRECV));
        FEED(f, LOC_A2, ENTER(100, WAIT), EV(120, IRECV, .peer = 1, .comm = 0, .tag = 4, .request = 77),
             LEAVE(125, WAIT));
        fold_finish(f);
        assert_int_equal(f->trace.n_foreign, 1);
        assert_int_equal(f->trace.foreign[0].start.loc, LOC_A);
        assert_int_equal(f->trace.foreign[0].start.op, 0);
        assert_int_equal(f->trace.foreign[0].done.loc, LOC_A2);
        assert_int_equal(f->trace.ops[LOC_A].flags[0], PS_OP_ELSEWHERE);
        assert_int_equal(ps_op_peer(&f->trace.ops[LOC_A], 0), LOC_B);
        assert_int_equal(ps_op_tag(&f->trace.ops[LOC_A], 0), 4);
        assert_int_equal(f->trace.ops[LOC_A].post[0], 5);
        assert_int_equal(fold_issues(f, PS_I_REQUEST_OPEN), 1); /* the second one */
        assert_int_equal(fold_issues(f, PS_I_REQUEST_UNKNOWN), 0);
}

TEST_BETWEEN(locks_wait_from_the_construct_to_the_record, fold_setup, fold_teardown)
{
        fold_fixture *f = *state;
        FEED(f, LOC_B, ENTER(10, CRITICAL), EV(25, LOCK_ACQUIRE, .ref = 3, .tag = 1),
             EV(40, LOCK_RELEASE, .ref = 3, .tag = 1), LEAVE(41, CRITICAL), EV(50, MEASUREMENT, .op = 0),
             EV(80, MEASUREMENT, .op = 1));
        fold_finish(f);
        const ps_ops *ops = &f->trace.ops[LOC_B];
        assert_int_equal(ops->kind[0], PS_K_LOCK_ACQUIRE);
        assert_int_equal(f->trace.measured.enter[LOC_B][0], 10);
        assert_int_equal(f->trace.measured.leave[LOC_B][0], 25);
        assert_int_equal(ps_op_tag(ops, 0), 3);
        assert_int_equal(ops->link[0], 1);
        assert_int_equal(ops->kind[1], PS_K_LOCK_RELEASE);
        assert_int_equal(f->trace.info[LOC_B].off, 30);
        assert_int_equal(fold_issues(f, PS_I_MEASUREMENT_OFF), 1);
}

/* More than one block of rows, distances beyond 32 bits, and request ids that collide in every table size. */
TEST_BETWEEN(large_locations_and_long_distances, fold_setup, fold_teardown)
{
        enum { N = 40000 };
        fold_fixture *f = *state;
        ps_time t = 0;
        for (uint32_t i = 0; i < N; i++, t += 10)
                FEED(f, LOC_B, ENTER(t, IRECV), EV(t + 1, IRECV_POST, .request = (uint64_t)i << 40),
                     LEAVE(t + 2, IRECV));
        FEED(f, LOC_B, ENTER(t, WAITALL));
        for (uint32_t i = N; i-- > 0; t++)
                FEED(f, LOC_B, EV(t, IRECV, .peer = 0, .comm = 0, .tag = i, .request = (uint64_t)i << 40));
        ps_time end = t + (PS_TIME_MAX >> 8);
        FEED(f, LOC_B, LEAVE(end, WAITALL));
        fold_finish(f);
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
