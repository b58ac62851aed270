/* test_writer.c - runs that are made up here as lines of PICL. The lines are those that the format's
 * description asks for, written down by hand. */
#include "reader/picl/table.h"
#include "reader/picl/writer.h"
#include "tests/support/made_up.h"
#include "tests/support/test.h"
#include <stdlib.h>
#include <string.h>

static const ps_time s = PS_PS_PER_S;

typedef struct text {
        char at[8192];
        size_t n;
} text;

static ps_status take(void *ctx, const char *bytes, size_t n, ps_error *err)
{
        text *t = ctx;
        (void)err;
        assert_true(t->n + n < sizeof(t->at));
        memcpy(t->at + t->n, bytes, n);
        t->n += n;
        t->at[t->n] = 0;
        return PS_OK;
}

static ps_region region(ps_recording *r, const char *name, ps_paradigm paradigm)
{
        ps_defs *defs = ps_recording_defs(r);
        ps_region out;
        ps_region_def def = {.name = ps_strings_addz(defs->strings, name), .paradigm = (uint8_t)paradigm};
        assert_int_equal(ps_defs_add_region(defs, &def, &out, NULL), PS_OK);
        return out;
}

#define ENTER(loc, at, region)                                                                               \
        made_up_event(r, loc, (ps_event){.time = (at), .kind = PS_EV_ENTER, .ref = (region)})
#define LEAVE(loc, at, region)                                                                               \
        made_up_event(r, loc, (ps_event){.time = (at), .kind = PS_EV_LEAVE, .ref = (region)})
#define EVENT(loc, at, kind_, ...)                                                                           \
        made_up_event(r, loc, (ps_event){.time = (at), .kind = PS_EV_##kind_, __VA_ARGS__})

static uint64_t written_as(ps_recording *r, int thesis, const char *lines)
{
        text t = {.n = 0};
        ps_picl_written written;
        ps_defs *defs = ps_recording_defs(r);
        assert_int_equal(ps_defs_freeze(defs, NULL), PS_OK);
        assert_int_equal(ps_picl_write(&written, (ps_picl_sink){&t, take}, defs, ps_recording_source(r),
                                       &(ps_picl_write_options){thesis}, NULL),
                         PS_OK);
        assert_string_equal(t.at, lines);
        ps_recording_free(r);
        return written.n_lossy;
}

/* The example of the thesis, 3.5: a message of 5 bytes is sent from 1 to 2, arrives at 4, is received at 5.
 */
TEST(the_example_of_the_thesis)
{
        for (int thesis = 0; thesis < 2; thesis++) {
                ps_recording *r = made_up_recording(3);
                ps_region send = region(r, "send", PS_PARADIGM_MPI),
                          recv = region(r, "recv", PS_PARADIGM_MPI);
                ps_region idle = region(r, "idle", ps_picl_events[PS_PICL_E_IDLE].paradigm);
                for (ps_loc i = 0; i < 2; i++)
                        ENTER(i, 0, idle);
                LEAVE(0, s, idle);
                ENTER(0, s, send);
                EVENT(0, s, SEND, .peer = 2, .comm = 0, .tag = 1, .bytes = 5);
                LEAVE(0, 2 * s, send);
                ENTER(0, 2 * s, idle);
                ENTER(2, 0, recv);
                ENTER(2, 0, idle);
                LEAVE(2, 4 * s, idle);
                EVENT(2, 5 * s, RECV, .peer = 0, .comm = 0, .tag = 1, .bytes = 5);
                LEAVE(2, 5 * s, recv);
                ENTER(2, 10 * s, idle);
                uint64_t lossy = written_as(r, thesis,
                                            thesis ? "-3 -601 0.000000 0 -1 0\n"
                                                     "-3 -601 0.000000 1 -1 0\n"
                                                     "-3 -601 0.000000 2 -1 0\n"
                                                     "-4 -601 1.000000 0 -1 0\n"
                                                     "-3 -21 1.000000 0 -1 3 2 5 1 2\n"
                                                     "-4 -21 2.000000 0 -1 0\n"
                                                     "-3 -601 2.000000 0 -1 0\n"
                                                     "-4 -601 4.000000 2 -1 0\n"
                                                     "-3 -51 4.000000 2 -1 1 2 1\n"
                                                     "-4 -51 5.000000 2 -1 3 2 5 1 0\n"
                                                     "-3 -601 10.000000 2 -1 0\n"
                                                   : "-3 -601 0.000000 0 0 0\n"
                                                     "-3 -601 0.000000 1 0 0\n"
                                                     "-3 -51 0.000000 2 0 2 2 1 0\n"
                                                     "-3 -601 0.000000 2 0 0\n"
                                                     "-4 -601 1.000000 0 0 0\n"
                                                     "-3 -21 1.000000 0 0 3 2 5 1 2\n"
                                                     "-4 -21 2.000000 0 0 0\n"
                                                     "-3 -601 2.000000 0 0 0\n"
                                                     "-4 -601 4.000000 2 0 0\n"
                                                     "-4 -51 5.000000 2 0 3 2 5 1 0\n"
                                                     "-3 -601 10.000000 2 0 0\n");
                assert_int_equal(lossy, 0);
        }
}

/* Times keep their last picosecond; an event ends before the next one begins. */
TEST(times_are_exact)
{
        ps_recording *r = made_up_recording(1);
        ps_region work = region(r, "work", PS_PARADIGM_USER), rest = region(r, "a \"b\"\n", PS_PARADIGM_USER);
        ENTER(0, -s, work);
        LEAVE(0, -s + 1, work);
        ENTER(0, -s + 1, rest);
        LEAVE(0, 1000, rest);
        ENTER(0, 1000000, rest);
        assert_int_equal(written_as(r, 0,
                                    "-5 0 0.000000 -1 -1 1 1 \"work\"\n"
                                    "-5 1 0.000000 -1 -1 1 1 \"a 'b'?\"\n"
                                    "-3 0 0.000000 0 0 0\n"
                                    "-4 0 0.000000000001 0 0 0\n"
                                    "-3 1 0.000000000001 0 0 0\n"
                                    "-4 1 1.000000001 0 0 0\n"
                                    "-3 1 1.000001 0 0 0\n"),
                         0);
}

/* Requests, a Waitall that becomes one wait after the other, a call without records, a test in vain. */
TEST(nonblocking_calls_become_events)
{
        ps_recording *r = made_up_recording(2);
        ps_region isend = region(r, "MPI_Isend", PS_PARADIGM_MPI),
                  irecv = region(r, "MPI_Irecv", PS_PARADIGM_MPI);
        ps_region all = region(r, "MPI_Waitall", PS_PARADIGM_MPI),
                  test = region(r, "MPI_Test", PS_PARADIGM_MPI);
        ps_region rank = region(r, "MPI_Comm_rank", PS_PARADIGM_MPI);
        ENTER(0, 0, irecv);
        EVENT(0, 0, IRECV_POST, .request = 7);
        LEAVE(0, s, irecv);
        ENTER(0, s, isend);
        EVENT(0, s, ISEND, .peer = 1, .comm = 0, .tag = 3, .bytes = 100, .request = 8);
        LEAVE(0, 2 * s, isend);
        ENTER(0, 2 * s, rank);
        LEAVE(0, 3 * s, rank);
        ENTER(0, 3 * s, test);
        EVENT(0, 3 * s, REQUEST_TEST, .request = 7);
        LEAVE(0, 4 * s, test);
        ENTER(0, 4 * s, all);
        EVENT(0, 5 * s, IRECV, .peer = 1, .comm = 0, .tag = 4, .bytes = 9, .request = 7);
        EVENT(0, 6 * s, ISEND_DONE, .request = 8);
        LEAVE(0, 7 * s, all);
        assert_int_equal(written_as(r, 0,
                                    "-5 0 0.000000 -1 -1 1 1 \"MPI_Isend\"\n"
                                    "-5 1 0.000000 -1 -1 1 1 \"MPI_Irecv\"\n"
                                    "-5 2 0.000000 -1 -1 1 1 \"MPI_Waitall\"\n"
                                    "-5 3 0.000000 -1 -1 1 1 \"MPI_Test\"\n"
                                    "-5 4 0.000000 -1 -1 1 1 \"MPI_Comm_rank\"\n"
                                    "-3 -57 0.000000 0 0 2 2 -1 -2\n"
                                    "-4 -57 1.000000 0 0 1 2 7\n"
                                    "-3 -27 1.000000 0 0 3 2 100 3 1\n"
                                    "-4 -27 2.000000 0 0 1 2 8\n"
                                    "-3 4 2.000000 0 0 0\n"
                                    "-4 4 3.000000 0 0 0\n"
                                    "-3 -59 3.000000 0 0 1 2 7\n"
                                    "-4 -59 4.000000 0 0 0\n"
                                    "-3 -61 4.000000 0 0 1 2 7\n"
                                    "-4 -61 5.000000 0 0 3 2 9 4 1\n"
                                    "-3 -31 5.000000 0 0 1 2 8\n"
                                    "-4 -31 7.000000 0 0 0\n"),
                         1);
}

TEST(collectives_name_their_subset)
{
        static const uint32_t pair[] = {1, 0};
        ps_recording *r = made_up_recording(3);
        ps_region bcast = region(r, "MPI_Bcast", PS_PARADIGM_MPI),
                  sum = region(r, "MPI_Allreduce", PS_PARADIGM_MPI);
        ps_region barrier = region(r, "MPI_Barrier", PS_PARADIGM_MPI),
                  put = region(r, "MPI_Put", PS_PARADIGM_MPI);
        ps_comm two;
        ps_defs_add_comm(ps_recording_defs(r), &(ps_comm_def){.parent = 0, .n_members = 2, .members = pair},
                         &two, NULL);
        ENTER(0, 0, bcast);
        EVENT(0, 0, COLL_BEGIN, .code = 0);
        EVENT(0, s, COLL_END, .op = PS_K_BCAST, .comm = two, .peer = 0, .received = 8);
        LEAVE(0, s, bcast);
        ENTER(0, s, sum);
        EVENT(0, s, COLL_END, .op = PS_K_ALLREDUCE, .comm = 0, .peer = PS_NONE, .bytes = INT64_C(1) << 40);
        LEAVE(0, 2 * s, sum);
        ENTER(0, 2 * s, barrier);
        EVENT(0, 2 * s, COLL_END, .op = PS_K_BARRIER, .comm = 0, .peer = PS_NONE);
        LEAVE(0, 3 * s, barrier);
        ENTER(0, 3 * s, put);
        EVENT(0, 3 * s, RMA_PUT, .ref = 0, .peer = 1);
        LEAVE(0, 4 * s, put);
        assert_int_equal(written_as(r, 0,
                                    "-202 -812 0.000000 -1 -1 3 2 1 1 0\n"
                                    "-5 0 0.000000 -1 -1 1 1 \"MPI_Bcast\"\n"
                                    "-5 1 0.000000 -1 -1 1 1 \"MPI_Allreduce\"\n"
                                    "-5 2 0.000000 -1 -1 1 1 \"MPI_Barrier\"\n"
                                    "-5 3 0.000000 -1 -1 1 1 \"MPI_Put\"\n"
                                    "-3 -785 0.000000 0 0 3 2 -1 1 1\n"
                                    "-4 -785 1.000000 0 0 1 2 8\n"
                                    "-3 -782 1.000000 0 0 2 3 1099511627776 -1\n"
                                    "-4 -782 2.000000 0 0 0\n"
                                    "-3 -402 2.000000 0 0 1 2 -1\n"
                                    "-4 -402 3.000000 0 0 0\n"
                                    "-3 3 3.000000 0 0 0\n"
                                    "-4 3 4.000000 0 0 0\n"),
                         1);
}

/* A receive that is never left holds nothing back for ever, and what happens elsewhere keeps its order. */
TEST(an_open_call_is_written_at_the_end)
{
        ps_recording *r = made_up_recording(2);
        ps_region recv = region(r, "MPI_Recv", PS_PARADIGM_MPI), work = region(r, "work", PS_PARADIGM_USER);
        ENTER(0, 0, recv);
        for (int i = 0; i < 3; i++) {
                ENTER(1, (2 * i + 1) * s, work);
                LEAVE(1, (2 * i + 2) * s, work);
        }
        assert_int_equal(written_as(r, 0,
                                    "-5 0 0.000000 -1 -1 1 1 \"MPI_Recv\"\n"
                                    "-5 1 0.000000 -1 -1 1 1 \"work\"\n"
                                    "-3 0 0.000000 0 0 0\n"
                                    "-3 1 1.000000 1 0 0\n"
                                    "-4 1 2.000000 1 0 0\n"
                                    "-3 1 3.000000 1 0 0\n"
                                    "-4 1 4.000000 1 0 0\n"
                                    "-3 1 5.000000 1 0 0\n"
                                    "-4 1 6.000000 1 0 0\n"),
                         0);
}

/* What a PICL trace had no label for is its number, and others make room for it. A number of PICL's own table
 * is another event. */
TEST(events_without_a_label_keep_their_number)
{
        ps_recording *r = made_up_recording(1);
        const ps_region a = region(r, "work", PS_PARADIGM_USER),
                        b = region(r, "user event 0", PS_PARADIGM_USER),
                        c = region(r, "user event 07", PS_PARADIGM_USER),
                        d = region(r, "picl event -777", PS_PARADIGM_OTHER),
                        e = region(r, "picl event -21", PS_PARADIGM_OTHER),
                        f = region(r, "user event 0", PS_PARADIGM_USER), all[] = {a, b, c, d, e, f};
        for (int i = 0; i < 6; i++) {
                ENTER(0, 2 * i * s, all[i]);
                LEAVE(0, (2 * i + 1) * s, all[i]);
        }
        assert_int_equal(written_as(r, 0,
                                    "-5 1 0.000000 -1 -1 1 1 \"work\"\n"
                                    "-5 2 0.000000 -1 -1 1 1 \"user event 07\"\n"
                                    "-5 3 0.000000 -1 -1 1 1 \"picl event -21\"\n"
                                    "-5 4 0.000000 -1 -1 1 1 \"user event 0\"\n"
                                    "-3 1 0.000000 0 0 0\n-4 1 1.000000 0 0 0\n"
                                    "-3 0 2.000000 0 0 0\n-4 0 3.000000 0 0 0\n"
                                    "-3 2 4.000000 0 0 0\n-4 2 5.000000 0 0 0\n"
                                    "-3 -777 6.000000 0 0 0\n-4 -777 7.000000 0 0 0\n"
                                    "-3 3 8.000000 0 0 0\n-4 3 9.000000 0 0 0\n"
                                    "-3 4 10.000000 0 0 0\n-4 4 11.000000 0 0 0\n"),
                         0);
}

static ps_status refuse(void *ctx, const char *bytes, size_t n, ps_error *err)
{
        (void)ctx, (void)bytes, (void)n;
        return PS_FAIL(err, PS_E_OUTPUT, "the disk is full");
}

/* Names come from traces: quotes would end the string, the others steer a terminal or mislead the eye. */
TEST(names_cannot_mislead)
{
        static const struct {
                const char *name, *written;
        } cases[] = {{"say \"x\"", "\"say 'x'\""},
                     {"\033[31mred\x7f", "\"?[31mred?\""},
                     {"a\xc2\x9b"
                      "31m",
                      "\"a?31m\""}, /* a control sequence in C1 */
                     {"a\xe2\x80\xae"
                      "b",
                      "\"a?b\""},              /* from right to left */
                     {"a\xff\xc3", "\"a??\""}, /* no UTF-8 */
                     {"gr\xc3\xb6\xc3\x9f"
                      "e",
                      "\"gr\xc3\xb6\xc3\x9f"
                      "e\""},
                     {"\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3"
                      "\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6"
                      "\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3"
                      "\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6"
                      "end",
                      "\xc3\xb6"
                      "end\""}}; /* longer than a part */
        for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                text t = {.n = 0};
                ps_picl_written written;
                ps_recording *r = made_up_recording(1);
                ps_region of = region(r, cases[i].name, PS_PARADIGM_USER);
                ENTER(0, 0, of);
                LEAVE(0, s, of);
                ps_defs *defs = ps_recording_defs(r);
                assert_int_equal(ps_defs_freeze(defs, NULL), PS_OK);
                assert_int_equal(ps_picl_write(&written, (ps_picl_sink){&t, take}, defs,
                                               ps_recording_source(r), &(ps_picl_write_options){0}, NULL),
                                 PS_OK);
                if (!strstr(t.at, cases[i].written))
                        fail_msg("no %s in: %s", cases[i].written, t.at);
                ps_recording_free(r);
        }
}

TEST(a_sink_that_fails_ends_it)
{
        ps_recording *r = made_up_recording(1);
        ps_region work = region(r, "work", PS_PARADIGM_USER);
        ps_defs *defs = ps_recording_defs(r);
        ps_picl_written written;
        ps_error err = {0};
        ENTER(0, 0, work);
        assert_int_equal(ps_defs_freeze(defs, NULL), PS_OK);
        assert_int_equal(ps_picl_write(&written, (ps_picl_sink){NULL, refuse}, defs, ps_recording_source(r),
                                       &(ps_picl_write_options){0}, &err),
                         PS_E_OUTPUT);
        assert_string_equal(err.cause[0].text, "the disk is full");
        ps_recording_free(r);
}

/* More lines than the queue begins with, all held back by one, come out whole and in order. */
TEST(the_queue_grows)
{
        enum { LINES = 3000 };
        text *t = calloc(1, sizeof(*t));
        assert_non_null(t);
        ps_picl_queue queue = {.sink = {t, take}};
        for (uint64_t i = 0; i < LINES; i++)
                assert_int_equal(
                        ps_picl_queue_add(&queue, &(ps_picl_queued){.time = (ps_time)i, .record = -3}), i);
        ps_picl_queue_pass(&queue);
        assert_int_equal(queue.n_written, 0);
        for (uint64_t i = 1; i < LINES; i++)
                ps_picl_queue_at(&queue, i)->state = PS_PICL_DROPPED;
        assert_int_equal(ps_picl_queue_at(&queue, 2999)->time, 2999);
        ps_picl_queue_at(&queue, 0)->state = PS_PICL_READY;
        ps_picl_queue_pass(&queue);
        assert_int_equal(ps_picl_queue_end(&queue, NULL), PS_OK);
        assert_string_equal(t->at, "-3 0 0.000000 0 0 0\n");
        ps_picl_queue_free(&queue);
        free(t);
}
