/* test_messages.c - messages through the whole load: written as an archive, expected line by line (see
 * loaded.h). The operations of a location count from 0; regions of the program are none. */
#include "tests/support/loaded.h"
#include "tests/support/test.h"

static ps_gen *two_ranks(void)
{
        return loaded_begin((ps_gen_options){.ranks = 2});
}

TEST(each_mode_of_send_is_told)
{
        ps_gen *g = two_ranks();
        ps_gen_send(g, 0, 100, 120, 1, PS_GEN_WORLD, 7, 64);
        ps_gen_ssend(g, 0, 200, 260, 1, PS_GEN_WORLD, 8, 65);
        ps_gen_send_by(g, "MPI_Bsend", 0, 300, 310, 1, PS_GEN_WORLD, 9, 66);
        ps_gen_send_by(g, "MPI_Rsend", 0, 400, 420, 1, PS_GEN_WORLD, 7, 67);
        ps_gen_recv(g, 1, 90, 140, 0, PS_GEN_WORLD, 7, 64);
        ps_gen_recv(g, 1, 240, 280, 0, PS_GEN_WORLD, 8, 65);
        ps_gen_recv(g, 1, 350, 360, 0, PS_GEN_WORLD, 9, 66);
        ps_gen_recv(g, 1, 390, 440, 0, PS_GEN_WORLD, 7, 67);
        ps_trace *t = loaded_end(g, 2, 10000);
        EXPECT_OPS(t, 0,
                   "100-120 send 1.0 comm0 #7 64B\n200-260 ssend 1.1 comm0 #8 65B\n"
                   "300-310 bsend 1.2 comm0 #9 66B\n400-420 rsend 1.3 comm0 #7 67B\n");
        EXPECT_OPS(t, 1,
                   "90-140 recv 0.0 comm0 #7 64B\n240-280 recv 0.1 comm0 #8 65B\n"
                   "350-360 recv 0.2 comm0 #9 66B\n390-440 recv 0.3 comm0 #7 67B\n");
        EXPECT_ISSUES(t, "");
        assert_int_equal(t->n_messages, 4);
        /* A quarter into the call, and a quarter before its end. */
        assert_int_equal(ps_op_record_begin(t, &t->measured, (ps_ref){0, 1}), 215000);
        assert_int_equal(ps_op_record_end(t, &t->measured, (ps_ref){1, 1}), 270000);
        assert_int_equal(t->measured.duration, 10000000);
        loaded_free(g, t);
}

TEST(requests_are_completed_by_their_ids)
{
        ps_gen *g = two_ranks();
        ps_gen_isend(g, 0, 100, 110, 1, PS_GEN_WORLD, 1, 10, 501);
        ps_gen_isend_by(g, "MPI_Issend", 0, 120, 130, 1, PS_GEN_WORLD, 2, 20, 502);
        ps_gen_rec both[] = {PS_GEN_SENT(502), PS_GEN_SENT(501)};
        ps_gen_waitall(g, 0, 200, 300, 2, both);
        ps_gen_irecv(g, 1, 100, 110, 501);
        ps_gen_irecv(g, 1, 120, 130, 502);
        ps_gen_wait(g, 1, 140, 160, PS_GEN_GOT(0, PS_GEN_WORLD, 2, 20, 502));
        ps_gen_call(g, "MPI_Test", 1, 170, 174, 1, &PS_GEN_PENDING(501));
        ps_gen_call(g, "MPI_Test", 1, 180, 184, 1, &PS_GEN_GOT(0, PS_GEN_WORLD, 1, 10, 501));
        ps_trace *t = loaded_end(g, 2, 10000);
        EXPECT_OPS(t, 0,
                   "100-110 isend 1.0 comm0 #1 10B done2\n120-130 issend 1.1 comm0 #2 20B done2\n"
                   "200-300 waitall [1 0]\n");
        EXPECT_OPS(t, 1,
                   "100-110 irecv 0.0 comm0 #1 10B done4\n120-130 irecv 0.1 comm0 #2 20B done2\n"
                   "140-160 wait [1]\n170-174 test []\n180-184 test [0]\n");
        EXPECT_ISSUES(t, "");
        assert_int_equal(ps_op_record_end(t, &t->measured, (ps_ref){1, 1}), 155000);
        loaded_free(g, t);
}

/* Recorded in one order of completion, posted in another: the first posted gets the first sent. */
TEST(completion_order_is_not_posting_order)
{
        ps_gen *g = two_ranks();
        ps_gen_send(g, 0, 100, 110, 1, PS_GEN_WORLD, 5, 11);
        ps_gen_send(g, 0, 200, 210, 1, PS_GEN_WORLD, 5, 22);
        ps_gen_irecv(g, 1, 20, 30, 1);
        ps_gen_irecv(g, 1, 40, 50, 2);
        ps_gen_wait(g, 1, 100, 280, PS_GEN_GOT(0, PS_GEN_WORLD, 5, 22, 2));
        ps_gen_wait(g, 1, 290, 300, PS_GEN_GOT(0, PS_GEN_WORLD, 5, 11, 1));
        ps_trace *t = loaded_end(g, 2, 10000);
        EXPECT_OPS(t, 1,
                   "20-30 irecv 0.0 comm0 #5 11B done3\n40-50 irecv 0.1 comm0 #5 22B done2\n"
                   "100-280 wait [1]\n290-300 wait [0]\n");
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

/* MPI_ANY_SOURCE: what the record names counts, not what was posted. */
TEST(a_wildcard_takes_what_its_record_names)
{
        ps_gen *g = loaded_begin((ps_gen_options){.ranks = 3});
        ps_gen_send(g, 0, 100, 110, 2, PS_GEN_WORLD, 5, 10);
        ps_gen_send(g, 1, 90, 95, 2, PS_GEN_WORLD, 6, 20);
        ps_gen_irecv(g, 2, 10, 20, 1);
        ps_gen_irecv(g, 2, 30, 40, 2);
        ps_gen_call(g, "MPI_Waitany", 2, 50, 120, 1, &PS_GEN_GOT(1, PS_GEN_WORLD, 6, 20, 1));
        ps_gen_call(g, "MPI_Waitany", 2, 130, 150, 1, &PS_GEN_GOT(0, PS_GEN_WORLD, 5, 10, 2));
        ps_trace *t = loaded_end(g, 3, 10000);
        EXPECT_OPS(t, 2,
                   "10-20 irecv 1.0 comm0 #6 20B done2\n30-40 irecv 0.0 comm0 #5 10B done3\n"
                   "50-120 waitany [0]\n130-150 waitany [1]\n");
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

TEST(persistent_cancelled_freed)
{
        ps_gen *g = two_ranks();
        ps_gen_rec starts[] = {
                PS_GEN_REC_OF(ISEND, .peer = 1, .comm = PS_GEN_WORLD, .tag = 3, .bytes = 30, .request = 1),
                PS_GEN_REC_OF(ISEND, .peer = 1, .comm = PS_GEN_WORLD, .tag = 4, .bytes = 40, .request = 2)};
        ps_gen_call(g, "MPI_Startall", 0, 100, 120, 2, starts);
        ps_gen_rec sent[] = {PS_GEN_SENT(1), PS_GEN_SENT(2)};
        ps_gen_waitall(g, 0, 130, 150, 2, sent);
        ps_gen_call(g, "MPI_Start", 0, 160, 168, 1, starts);
        ps_gen_wait(g, 0, 170, 180, PS_GEN_SENT(1));
        ps_gen_isend(g, 0, 200, 210, 1, PS_GEN_WORLD, 9, 90, 3); /* freed, never completed */
        ps_gen_visit(g, 0, 220, 222, "MPI_Request_free");
        for (uint32_t i = 0; i < 3; i++)
                ps_gen_recv(g, 1, 200 + 40 * i, 220 + 40 * i, 0, PS_GEN_WORLD, i % 2 ? 4 : 3,
                            i % 2 ? 40 : 30);
        ps_gen_recv(g, 1, 400, 410, 0, PS_GEN_WORLD, 9, 90);
        ps_gen_irecv(g, 1, 500, 510, 8);
        ps_gen_visit(g, 1, 520, 524, "MPI_Cancel");
        ps_gen_wait(g, 1, 530, 540, PS_GEN_CANCELLED(8));
        ps_trace *t = loaded_end(g, 2, 10000);
        EXPECT_OPS(t, 0,
                   "100-120 isend+persistent 1.0 comm0 #3 30B done2\n"
                   "100-120 isend+part+persistent 1.1 comm0 #4 40B done2\n130-150 waitall [0 1]\n"
                   "160-168 isend+persistent 1.2 comm0 #3 30B done4\n170-180 wait [3]\n"
                   "200-210 isend 1.3 comm0 #9 90B\n220-222 request-free\n");
        EXPECT_OPS(t, 1,
                   "200-220 recv 0.0 comm0 #3 30B\n240-260 recv 0.1 comm0 #4 40B\n"
                   "280-300 recv 0.3 comm0 #3 30B\n400-410 recv 0.5 comm0 #9 90B\n"
                   "500-510 irecv+cancelled done6\n520-524 cancel\n530-540 wait [4]\n");
        EXPECT_ISSUES(t, "open-request=1");
        assert_int_equal(t->issues.row[PS_I_REQUEST_OPEN].location, 0);
        loaded_free(g, t);
}

TEST(a_sendrecv_is_a_send_and_a_receive)
{
        ps_gen *g = two_ranks();
        for (uint32_t i = 0; i < 2; i++)
                ps_gen_sendrecv(g, i, 100 + i, 200, 1 - i, 1 - i, PS_GEN_WORLD, 3, 8);
        ps_trace *t = loaded_end(g, 2, 10000);
        EXPECT_OPS(t, 0,
                   "100-200 sendrecv-send 1.1 comm0 #3 8B\n100-200 sendrecv-recv+part 1.0 comm0 #3 8B\n");
        EXPECT_OPS(t, 1,
                   "101-200 sendrecv-send 0.1 comm0 #3 8B\n101-200 sendrecv-recv+part 0.0 comm0 #3 8B\n");
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

/* Peers are ranks of the communicator: reversed ones of a part, and the other group of an intercommunicator.
 */
TEST(peers_are_ranks_of_the_communicator)
{
        const uint32_t reversed[] = {3, 2, 1}, a[] = {2, 0}, b[] = {1, 3};
        ps_gen *g = loaded_begin((ps_gen_options){.ranks = 4});
        uint32_t sub = ps_gen_comm(g, "reversed", reversed, 3);
        uint32_t inter = ps_gen_intercomm(g, "inter", a, 2, b, 2);
        ps_gen_send(g, 3, 100, 110, 2, sub, 5, 1);   /* rank 2 is process 1 */
        ps_gen_send(g, 3, 120, 130, 1, sub, 5, 2);   /* process 2 */
        ps_gen_send(g, 0, 140, 150, 1, inter, 5, 3); /* of b: process 3 */
        ps_gen_recv(g, 1, 100, 115, 0, sub, 5, 1);
        ps_gen_send(g, 1, 160, 170, 0, inter, 5, 4); /* of a: process 2 */
        ps_gen_recv(g, 2, 100, 135, 0, sub, 5, 2);
        ps_gen_recv(g, 3, 140, 155, 1, inter, 5, 3); /* of a: process 0 */
        ps_gen_recv(g, 2, 160, 175, 0, inter, 5, 4); /* of b: process 1 */
        ps_trace *t = loaded_end(g, 4, 10000);
        EXPECT_OPS(t, 0, "140-150 send 3.2 comm2 #5 3B\n");
        EXPECT_OPS(t, 1, "100-115 recv 3.0 comm1 #5 1B\n160-170 send 2.1 comm2 #5 4B\n");
        EXPECT_OPS(t, 2, "100-135 recv 3.1 comm1 #5 2B\n160-175 recv 1.1 comm2 #5 4B\n");
        EXPECT_OPS(t, 3,
                   "100-110 send 1.0 comm1 #5 1B\n120-130 send 2.0 comm1 #5 2B\n"
                   "140-155 recv 0.0 comm2 #5 3B\n");
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

TEST(comm_self_stays_with_its_rank)
{
        ps_gen *g = two_ranks();
        uint32_t self = ps_gen_self(g), copy = ps_gen_self(g);
        for (uint32_t i = 0; i < 2; i++) {
                ps_gen_isend(g, i, 100, 110, 0, self, 1, 8, 1);
                ps_gen_recv(g, i, 120, 130, 0, self, 1, 8);
                ps_gen_wait(g, i, 140, 150, PS_GEN_SENT(1));
                ps_gen_barrier(g, i, 200 + 100 * i, 210 + 100 * i, copy);
        }
        ps_trace *t = loaded_end(g, 2, 10000);
        EXPECT_OPS(t, 0,
                   "100-110 isend 0.1 comm1 #1 8B done2\n120-130 recv 0.0 comm1 #1 8B\n140-150 wait [0]\n"
                   "200-210 barrier coll0 comm2\n");
        EXPECT_OPS(t, 1,
                   "100-110 isend 1.1 comm1 #1 8B done2\n120-130 recv 1.0 comm1 #1 8B\n140-150 wait [0]\n"
                   "300-310 barrier coll1 comm2\n");
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

/* Messages belong to processes: any thread may send, another receive, a third complete. Location 1 is thread
 * 1 of rank 0, locations 2 and 3 are rank 1's. */
TEST(any_thread_may_complete_a_message)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2, .threads = 2});
        uint32_t at[4];
        for (uint32_t i = 0; i < 4; i++) {
                at[i] = ps_gen_at(g, i / 2, i % 2);
                ps_gen_enter(g, at[i], 0, "main");
        }
        ps_gen_send(g, at[1], 100, 110, 1, PS_GEN_WORLD, 5, 1);
        ps_gen_send(g, at[0], 200, 210, 1, PS_GEN_WORLD, 5, 2);
        ps_gen_recv(g, at[2], 300, 310, 0, PS_GEN_WORLD, 5, 2);
        ps_gen_recv(g, at[3], 150, 160, 0, PS_GEN_WORLD, 5, 1);
        ps_gen_isend(g, at[2], 400, 410, 0, PS_GEN_WORLD, 6, 3, 77);
        ps_gen_wait(g, at[3], 420, 440, PS_GEN_SENT(77));
        ps_gen_irecv(g, at[0], 400, 410, 88);
        ps_gen_wait(g, at[1], 420, 440, PS_GEN_GOT(1, PS_GEN_WORLD, 6, 3, 88));
        for (uint32_t i = 0; i < 4; i++)
                ps_gen_leave(g, at[i], 1000, "main");
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        ps_loc l[4];
        for (uint32_t i = 0; i < 4; i++)
                l[i] = t->defs.by_process[t->defs.processes.row[i / 2].first + i % 2];
        ps_ref sent = {l[1], 0}, got = {l[3], 0}, posted = {l[0], 1}, isend = {l[2], 1};
        assert_int_equal(ps_op_partner(t, sent).loc, got.loc);
        assert_int_equal(ps_op_partner(t, (ps_ref){l[0], 0}).loc, l[2]);
        assert_int_equal(ps_op_partner(t, isend).loc, posted.loc);
        assert_int_equal(ps_op_partner(t, isend).op, posted.op);
        assert_int_equal(ps_op_completion(t, posted).loc, l[1]);
        assert_int_equal(ps_op_completion(t, isend).loc, l[3]);
        assert_true(t->ops[l[0]].flags[1] & PS_OP_ELSEWHERE);
        assert_int_equal(ps_op_record_end(t, &t->measured, posted), 435000);
        assert_int_equal(t->n_foreign, 2);
        assert_int_equal(t->n_messages, 3);
        EXPECT_ISSUES(t, "");
        loaded_free(g, t);
}

/* The completing call may go on for longer than 32 bits of picoseconds can tell. */
TEST(long_wait_of_another_thread)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1, .threads = 2});
        uint32_t a = ps_gen_at(g, 0, 0), b = ps_gen_at(g, 0, 1);
        ps_gen_isend(g, a, 0, 10, 0, PS_GEN_WORLD, 1, 1, 7);
        ps_gen_recv(g, a, 20, 30, 0, PS_GEN_WORLD, 1, 1);
        ps_gen_wait(g, b, 100, 100 + PS_GEN_MS(40), PS_GEN_SENT(7)); /* over 10 ms before the end */
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        assert_int_equal(ps_op_record_end(t, &t->measured, (ps_ref){t->defs.by_process[0], 0}),
                         (100 + PS_GEN_MS(30)) * 1000);
        loaded_free(g, t);
}

/* A record that completes something of another sort tells of an operation that nobody saw begin; what was
 * started stays open. */
TEST(completion_of_another_sort)
{
        ps_gen *g = two_ranks();
        ps_gen_nbc(g, "MPI_Ibarrier", 0, 100, 110, 1);
        ps_gen_wait(g, 0, 120, 140, PS_GEN_GOT(1, PS_GEN_WORLD, 3, 30, 1));
        ps_gen_send(g, 1, 100, 110, 0, PS_GEN_WORLD, 3, 30);
        ps_gen_irecv(g, 1, 200, 210, 2);
        ps_gen_wait(g, 1, 220, 240,
                    PS_GEN_COLLECTED("MPI_Ibarrier", PS_GEN_WORLD, OTF2_COLLECTIVE_ROOT_NONE, 0, 0, 2));
        ps_trace *t = loaded_end(g, 2, 10000);
        EXPECT_OPS(t, 0, "100-110 barrier+n\n120-140 wait [2]\n120-140 irecv+part 1.0 comm0 #3 30B done1\n");
        EXPECT_OPS(t, 1,
                   "100-110 send 0.2 comm0 #3 30B\n200-210 irecv\n220-240 wait [3]\n"
                   "220-240 barrier+n+part coll0 comm0 done2\n");
        EXPECT_ISSUES(t, "open-request=2 unknown-request=2 incomplete-collective=1");
        loaded_free(g, t);
}

/* The same between two threads of a process, where the row that was started is of the wrong sort. */
TEST(completion_of_another_sort_elsewhere)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1, .threads = 2});
        uint32_t a = ps_gen_at(g, 0, 0), b = ps_gen_at(g, 0, 1);
        ps_gen_isend(g, a, 0, 10, 0, PS_GEN_WORLD, 1, 1, 7);
        ps_gen_recv(g, a, 20, 30, 0, PS_GEN_WORLD, 1, 1);
        ps_gen_wait(g, b, 40, 60,
                    PS_GEN_COLLECTED("MPI_Ibarrier", PS_GEN_WORLD, OTF2_COLLECTIVE_ROOT_NONE, 0, 0, 7));
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        assert_int_equal(t->n_foreign, 0);
        EXPECT_ISSUES(t, "open-request=1 unknown-request=1");
        loaded_free(g, t);
}

TEST(messages_without_partner_are_told)
{
        ps_gen *g = two_ranks();
        ps_gen_send(g, 0, 100, 110, 1, PS_GEN_WORLD, 1, 8);
        ps_gen_send(g, 0, 200, 210, 1, PS_GEN_WORLD, 2, 8);
        ps_gen_send(g, 0, 300, 310, 9, PS_GEN_WORLD, 2, 8); /* there is no rank 9 */
        ps_gen_send(g, 0, 400, 410, 1, 5, 2, 8);            /* nor communicator 5 */
        ps_gen_recv(g, 1, 100, 120, 0, PS_GEN_WORLD, 2, 8);
        ps_gen_recv(g, 1, 200, 220, 0, PS_GEN_WORLD, 3, 8);
        ps_trace *t = loaded_end(g, 2, 10000);
        EXPECT_OPS(t, 0,
                   "100-110 send ?1 comm0 #1 8B\n200-210 send 1.0 comm0 #2 8B\n300-310 send comm0 #2 8B\n"
                   "400-410 send\n");
        EXPECT_OPS(t, 1, "100-120 recv 0.1 comm0 #2 8B\n200-220 recv ?0 comm0 #3 8B\n");
        EXPECT_ISSUES(t, "undefined-reference=1 invalid-peer=1 invalid-communicator=1 unmatched-send=2 "
                         "unmatched-receive=1 receive-before-send=1");
        assert_int_equal(t->issues.row[PS_I_SEND_UNMATCHED].location, 0);
        assert_int_equal(t->issues.row[PS_I_SEND_UNMATCHED].time, 102000);
        loaded_free(g, t);
}

/* A C program on an EZTrace recorder: requests are never completed; Fortran: the wrong communicator. */
TEST(what_eztrace_leaves_out_is_filled_in)
{
        const uint32_t both[] = {0, 1};
        const int64_t skew[] = {0, 5000};
        ps_gen *g = loaded_begin(
                (ps_gen_options){.ranks = 2, .style = PS_GEN_EZTRACE, .fortran = 1, .skew = skew});
        uint32_t sub = ps_gen_comm(g, "MPI_COMM_7", both, 2);
        ps_gen_isend(g, 0, 100, 110, 1, sub, 4, 40, 1);
        ps_gen_wait(g, 0, 120, 130, PS_GEN_SENT(1));
        ps_gen_irecv(g, 1, 90, 100, 1);
        ps_gen_wait(g, 1, 120, 160, PS_GEN_GOT(0, PS_GEN_WORLD, 4, 40, 1));
        ps_gen_isend(g, 1, 200, 210, 0, PS_GEN_WORLD, 4, 40, 1);
        ps_gen_recv(g, 0, 200, 220, 1, PS_GEN_WORLD, 4, 40);
        ps_trace *t = loaded_end(g, 2, 10000);
        EXPECT_OPS(t, 0,
                   "100-110 isend 1.0 comm1 #4 40B done1\n120-130 wait [0]\n200-220 recv 1.2 comm0 #4 40B\n");
        EXPECT_OPS(t, 1,
                   "5090-5100 irecv 0.0 comm0 #4 40B done1\n5120-5160 wait [0]\n5200-5210 isend 0.2 comm0 #4 "
                   "40B\n");
        /* Two promised events each, and group 0 twice, are what this recorder always writes. */
        EXPECT_ISSUES(t, "duplicate-definition=1 wrong-event-count=2 open-request=1 communicator-ignored=1 "
                         "receive-before-send=1");
        assert_true(t->defs.clock_per_process);
        /* It defines each function once a process; they are one, and so are the call paths. */
        for (ps_region a = 0; a < t->defs.regions.n; a++)
                for (ps_region b = a + 1; b < t->defs.regions.n; b++)
                        assert_int_not_equal(t->defs.regions.row[a].name, t->defs.regions.row[b].name);
        loaded_free(g, t);
}

/* The same program by a recorder with mapping tables and corrected clocks is the program without them. */
TEST(scorep_maps_and_corrects)
{
        const int64_t skew[] = {0, 123456789, -400};
        const uint32_t part[] = {2, 1};
        ps_trace *t[2];
        ps_gen *g[2];
        for (int k = 0; k < 2; k++) {
                g[k] = loaded_begin((ps_gen_options){.ranks = 3, .mapped = k, .skew = k ? skew : NULL});
                uint32_t sub = ps_gen_comm(g[k], "part", part, 2);
                ps_gen_send(g[k], 1, 100, 110, 0, sub, 5, 1);
                ps_gen_recv(g[k], 2, 90, 130, 1, sub, 5, 1);
                for (uint32_t i = 0; i < 3; i++)
                        ps_gen_collective(g[k], "MPI_Bcast", i, 200, 220 + i, PS_GEN_WORLD, 1,
                                          i == 1 ? 24 : 0, 8);
                t[k] = loaded_end(g[k], 3, 10000);
        }
        EXPECT_OPS(t[1], 2, "90-130 recv 1.0 comm1 #5 1B\n200-222 bcast coll0 comm0 root1 0/8\n");
        EXPECT_ISSUES(t[1], "");
        const char *difference = loaded_difference(t[0], t[1], 0);
        assert_null(difference);
        for (int k = 0; k < 2; k++)
                loaded_free(g[k], t[k]);
}
