/* test_profile.c - profiles of runs whose figures are known by hand, and what holds of every profile. */
#include "core/sums/profile.h"
#include "tests/support/dumped.h"
#include "tests/support/loaded.h"
#include "tests/support/made_up.h"
#include "tests/support/random_program.h"
#include "tests/support/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ps_time s = PS_PS_PER_S;

enum { SEND, RECV, BARRIER, IDLE, SCAN, N_REGIONS };

static ps_recording *processes(uint32_t n)
{
        static const char *const names[] = {"MPI_Send", "MPI_Recv", "MPI_Barrier", "idle", "MPI_Scan"};
        ps_recording *r = made_up_recording(n);
        made_up_regions(r, names, N_REGIONS, PS_PARADIGM_MPI);
        return r;
}

static void add(ps_recording *r, ps_loc location, ps_time time, ps_event event)
{
        ps_error err = {0};
        event.time = time;
        if (ps_recording_add(r, location, &event, &err) != PS_OK)
                fail_msg("%s", err.cause[0].text);
}

static void enter(ps_recording *r, ps_loc location, ps_time time, ps_region region)
{
        add(r, location, time, (ps_event){.kind = PS_EV_ENTER, .ref = region});
}

static void leave(ps_recording *r, ps_loc location, ps_time time, ps_region region)
{
        add(r, location, time, (ps_event){.kind = PS_EV_LEAVE, .ref = region});
}

static void send(ps_recording *r, ps_loc from, ps_loc to, ps_time begin, ps_time end, uint64_t bytes)
{
        enter(r, from, begin, SEND);
        add(r, from, begin, (ps_event){.kind = PS_EV_SEND, .peer = to, .comm = 0, .bytes = bytes});
        leave(r, from, end, SEND);
}

/* `idle_until`: an idle region inside the call ends then; 0: there is none. */
static void receive(ps_recording *r, ps_loc to, ps_loc from, ps_time begin, ps_time idle_until, ps_time end,
                    uint64_t bytes)
{
        enter(r, to, begin, RECV);
        if (idle_until) {
                enter(r, to, begin, IDLE);
                leave(r, to, idle_until, IDLE);
        }
        add(r, to, end, (ps_event){.kind = PS_EV_RECV, .peer = from, .comm = 0, .bytes = bytes});
        leave(r, to, end, RECV);
}

static ps_trace *finished(ps_recording *r)
{
        ps_trace *trace;
        ps_error err = {0};
        if (ps_recording_load(&trace, r, NULL, &err) != PS_OK)
                fail_msg("%s", err.cause[0].text);
        ps_recording_free(r);
        return trace;
}

static ps_profile *profile_of(const ps_trace *trace, uint32_t n_bins)
{
        ps_profile *p;
        assert_int_equal(ps_profile_make(&p, trace, &trace->measured, n_bins, NULL), PS_OK);
        return p;
}

static void expect_states(const ps_profile *p, uint32_t row, ps_time busy, ps_time overhead, ps_time idle)
{
        assert_int_equal(p->rows[row].state[PS_STATE_BUSY], busy);
        assert_int_equal(p->rows[row].state[PS_STATE_OVERHEAD], overhead);
        assert_int_equal(p->rows[row].state[PS_STATE_IDLE], idle);
}

/* The example of the thesis, 3.5, until 10. */
TEST(the_example_of_the_thesis)
{
        ps_recording *r = processes(3);
        enter(r, 0, 0, IDLE);
        leave(r, 0, s, IDLE);
        send(r, 0, 2, s, 2 * s, 5);
        enter(r, 0, 2 * s, IDLE);
        leave(r, 0, 10 * s, IDLE);
        enter(r, 1, 0, IDLE);
        leave(r, 1, 10 * s, IDLE);
        receive(r, 2, 0, 0, 4 * s, 5 * s, 5);
        enter(r, 2, 10 * s, IDLE);
        leave(r, 2, 10 * s, IDLE);
        ps_trace *trace = finished(r);
        ps_profile *p = profile_of(trace, 10);
        assert_int_equal(p->duration, 10 * s);
        expect_states(p, 0, 0, s, 9 * s);
        expect_states(p, 1, 0, 0, 10 * s);
        expect_states(p, 2, 5 * s, s, 4 * s);
        /* From 0 to 1 all three are idle, from 1 to 2 two, until 4 three, from 4 on two. */
        assert_int_equal(p->concurrency[PS_STATE_IDLE][3], 3 * s);
        assert_int_equal(p->concurrency[PS_STATE_IDLE][2], 7 * s);
        assert_int_equal(p->concurrency[PS_STATE_BUSY][1], 5 * s);
        assert_int_equal(p->concurrency[PS_STATE_BUSY][0], 5 * s);
        assert_int_equal(p->n_bins, 10);
        assert_true(p->bins[1].state[PS_STATE_OVERHEAD] == 1 && p->bins[1].state[PS_STATE_IDLE] == 2);
        assert_true(p->bins[9].state[PS_STATE_BUSY] == 1 && p->bins[9].state[PS_STATE_IDLE] == 2);
        /* Under way from the send's begin, 1, to the receive's end, 5. */
        for (uint32_t i = 0; i < 10; i++) {
                assert_true(p->bins[i].bytes == (i >= 1 && i < 5 ? 5 : 0));
                assert_int_equal(p->bins[i].most_messages, i >= 1 && i < 5);
        }
        ps_profile_free(p);
        ps_trace_close(trace);
}

/* A list of 16 bytes is handed on as in P_Distl over 16 processors: half of the rest to the middle, first.
 * A call takes a second a byte, the way 16 seconds. */
static void distribute(ps_recording *r, ps_time *clock, ps_loc first, uint32_t n)
{
        uint32_t half = 1;
        if (n < 2)
                return;
        while (2 * half < n)
                half *= 2;
        ps_loc to = first + half;
        ps_time sent = clock[first] + 16 * s, arrived = sent + 16 * s;
        send(r, first, to, clock[first], sent, 16);
        receive(r, to, first, 0, arrived, arrived + 16 * s, 16);
        clock[first] = sent;
        clock[to] = arrived + 16 * s;
        distribute(r, clock, to, n - half);
        distribute(r, clock, first, half);
}

/* The thesis has the peak: 7 messages, 112 bytes. */
TEST(the_peak_of_a_distribution)
{
        ps_time clock[16] = {0};
        ps_recording *r = processes(16);
        distribute(r, clock, 0, 16);
        ps_trace *trace = finished(r);
        ps_profile *p = profile_of(trace, 0);
        assert_int_equal(trace->n_messages, 15);
        assert_int_equal(p->n_messages, 15);
        assert_int_equal(p->n_bytes, 240);
        assert_int_equal(p->duration, 192 * s);
        assert_int_equal(p->messages.value, 7);
        assert_int_equal(p->bytes.value, 112);
        assert_int_equal(p->n_bins, PS_PROFILE_BINS);
        assert_int_equal(p->n_pairs, 15);
        ps_profile_free(p);
        ps_trace_close(trace);
}

/* Process 2 is sent 10 bytes at 1, 20 by the same process and 5 by another one at 2, and receives them from 5
 * on, one a second. */
TEST(queues_and_pairs)
{
        ps_recording *r = processes(3);
        send(r, 0, 2, 1 * s, 2 * s, 10);
        send(r, 0, 2, 2 * s, 3 * s, 20);
        send(r, 1, 2, 2 * s, 4 * s, 5);
        receive(r, 2, 0, 5 * s, 0, 6 * s, 10);
        receive(r, 2, 0, 6 * s, 0, 7 * s, 20);
        receive(r, 2, 1, 7 * s, 0, 8 * s, 5);
        ps_trace *trace = finished(r); /* its time begins with the first event */
        ps_profile *p = profile_of(trace, 7);
        assert_int_equal(p->rows[2].queue.value, 3);
        assert_int_equal(p->rows[2].queue.at, 1 * s);
        assert_int_equal(p->rows[2].queue_bytes.value, 35);
        assert_int_equal(p->rows[0].queue.value, 0);
        assert_int_equal(p->rows[2].received_bytes, 35);
        assert_int_equal(p->rows[0].sent, 2);
        assert_int_equal(p->n_pairs, 2);
        assert_int_equal(p->pairs[0].from, 0);
        assert_int_equal(p->pairs[0].to, 2);
        assert_int_equal(p->pairs[0].messages, 2);
        assert_int_equal(p->pairs[0].bytes, 30);
        assert_int_equal(p->pairs[1].from, 1);
        assert_int_equal(p->pairs[1].bytes, 5);
        /* Process 2 does not run before 4; its messages are all there. */
        expect_states(p, 2, 0, 3 * s, 4 * s);
        assert_true(p->bins[0].bytes == 10 && p->bins[1].bytes == 35 && p->bins[5].bytes == 25);
        ps_profile_free(p);
        ps_trace_close(trace);
}

/* The first one is received as it is sent, from 1 on, the second one from 3 to 6. */
TEST(a_message_that_takes_no_time_is_never_under_way)
{
        ps_recording *r = processes(2);
        send(r, 0, 1, 2 * s, 3 * s, 8);
        send(r, 0, 1, 3 * s, 4 * s, 5);
        receive(r, 1, 0, 1 * s, 0, 2 * s, 8);
        receive(r, 1, 0, 4 * s, 0, 6 * s, 5);
        ps_trace *trace = finished(r);
        ps_profile *p = profile_of(trace, 5);
        assert_int_equal(p->n_messages, 2);
        assert_int_equal(p->messages.value, 1);
        assert_int_equal(p->messages.at, 2 * s);
        assert_int_equal(p->bytes.value, 5);
        assert_int_equal(p->rows[1].queue.value, 1);
        assert_int_equal(p->rows[1].queue_bytes.at, 2 * s);
        for (unsigned bin = 0; bin < 5; bin++)
                assert_true(p->bins[bin].bytes == (bin < 2 ? 0 : 5));
        ps_profile_free(p);
        ps_trace_close(trace);
}

/* A receive waits until its send begins, a send that is held up until its receive does, a barrier for the
 * last; the rest of the calls is overhead. */
TEST(waiting_ends_with_the_partners_begin)
{
        ps_recording *r = processes(2);
        receive(r, 1, 0, 0, 0, 5 * s, 8);
        send(r, 0, 1, 3 * s, 4 * s, 8);
        send(r, 0, 1, 5 * s, 9 * s, 8);
        receive(r, 1, 0, 7 * s, 0, 9 * s, 8);
        for (ps_loc i = 0; i < 2; i++) {
                enter(r, i, (10 + i) * s, BARRIER);
                add(r, i, 12 * s,
                    (ps_event){.kind = PS_EV_COLL_END, .op = PS_K_BARRIER, .comm = 0, .peer = PS_NONE});
                leave(r, i, 12 * s, BARRIER);
        }
        ps_trace *trace = finished(r);
        ps_profile *p = profile_of(trace, 0);
        /* 0: not running 0-3; overhead 3-4; busy 4-5; idle 5-7; overhead 7-9; busy 9-10; idle 10-11 */
        expect_states(p, 0, 2 * s, 4 * s, 6 * s);
        /* 1: idle 0-3, overhead 3-5, busy 5-7, overhead 7-9, busy 9-11, overhead 11-12 */
        expect_states(p, 1, 4 * s, 5 * s, 3 * s);
        ps_profile_free(p);
        ps_trace_close(trace);
}

/* In a communicator whose rank 0 is process 1, process 0 waits in a scan for process 1, and that for nobody.
 */
TEST(a_scan_waits_in_the_order_of_ranks)
{
        static const uint32_t reversed[] = {1, 0};
        ps_comm_def def = {.parent = PS_NONE, .n_members = 2, .members = reversed};
        ps_comm comm;
        ps_error err = {0};
        ps_recording *r = processes(2);
        assert_int_equal(ps_defs_add_comm(ps_recording_defs(r), &def, &comm, &err), PS_OK);
        for (ps_loc i = 0; i < 2; i++) {
                enter(r, i, (1 + 2 * i) * s, SCAN);
                add(r, i, 5 * s,
                    (ps_event){.kind = PS_EV_COLL_END, .op = PS_K_SCAN, .comm = comm, .peer = PS_NONE});
                leave(r, i, 5 * s, SCAN);
        }
        ps_trace *trace = finished(r);
        ps_profile *p = profile_of(trace, 0);
        expect_states(p, 0, 0, 2 * s, 2 * s); /* idle 1-3, overhead 3-5 */
        expect_states(p, 1, 0, 2 * s, 2 * s); /* not running 1-3, overhead 3-5 */
        ps_profile_free(p);
        ps_trace_close(trace);
}

/* -- every profile -- */

static void check_rows(const ps_profile *p)
{
        for (int state = 0; state < PS_STATE_COUNT; state++) {
                ps_time all = 0;
                double weighed = 0, rows = 0, bins = 0;
                for (uint32_t k = 0; k <= p->n_rows; k++) {
                        all += p->concurrency[state][k];
                        weighed += (double)k * (double)p->concurrency[state][k];
                }
                assert_int_equal(all, p->duration);
                for (uint32_t i = 0; i < p->n_rows; i++)
                        rows += (double)p->rows[i].state[state];
                for (uint32_t i = 0; i < p->n_bins; i++)
                        bins += p->bins[i].state[state] * (double)(p->bins[i].end - p->bins[i].begin);
                assert_true(fabs(weighed - rows) <= 1e-9 * weighed + 1);
                assert_true(fabs(bins - rows) <= 1e-9 * rows + 1);
        }
        for (uint32_t i = 0; i < p->n_rows; i++) {
                ps_time all = 0;
                for (int state = 0; state < PS_STATE_COUNT; state++) {
                        assert_true(p->rows[i].state[state] >= 0);
                        all += p->rows[i].state[state];
                }
                assert_int_equal(all, p->duration);
        }
        for (uint32_t i = 0; i < p->n_bins; i++) {
                assert_int_equal(p->bins[i].begin, i ? p->bins[i - 1].end : 0);
                assert_true(p->bins[i].most_messages <= p->messages.value);
                assert_true(p->bins[i].messages <= (double)p->bins[i].most_messages + 1e-9);
        }
        assert_true(!p->n_bins || p->bins[p->n_bins - 1].end == p->duration);
}

/* The same by going through all messages for each message. */
static void check_traffic(const ps_trace *trace, const ps_profile *p)
{
        uint64_t n = 0, bytes = 0, most = 0, sent = 0;
        double under_way = 0, bins = 0;
        ps_span *span = calloc(trace->n_messages + 1, sizeof(*span));
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                for (ps_op op = 0; op < trace->ops[loc].n; op++) {
                        ps_ref ref = {loc, op}, recv = ps_op_partner(trace, ref);
                        if (ps_kinds[trace->ops[loc].kind[op]].cls != PS_C_SEND || recv.op == PS_NONE)
                                continue;
                        ps_ref done = ps_op_completion(trace, recv);
                        span[n].begin = trace->measured.enter[loc][op];
                        span[n].end =
                                done.op == PS_NONE ? p->duration : trace->measured.leave[done.loc][done.op];
                        under_way += span[n].end > span[n].begin ? (double)(span[n].end - span[n].begin) : 0;
                        bytes += ps_op_bytes(&trace->ops[loc], op);
                        n++;
                }
        for (uint64_t i = 0; i < n; i++) {
                uint64_t here = 0;
                for (uint64_t k = 0; k < n; k++)
                        here += span[k].begin <= span[i].begin && span[k].end > span[i].begin;
                most = here > most ? here : most;
        }
        for (uint32_t i = 0; i < p->n_bins; i++)
                bins += p->bins[i].messages * (double)(p->bins[i].end - p->bins[i].begin);
        for (size_t i = 0; i < p->n_pairs; i++)
                sent += p->pairs[i].messages;
        assert_int_equal(p->n_messages, n);
        assert_int_equal(sent, n);
        assert_int_equal(p->n_bytes, bytes);
        assert_int_equal(p->messages.value, most);
        assert_true(fabs(bins - under_way) <= 1e-9 * under_way + 1); /* nothing is left at the end */
        free(span);
}

static void check(const char *anchor, const char *title)
{
        (void)title;
        ps_trace *trace = loaded_by(anchor, 1, PS_CLOCK_AUTO);
        for (uint32_t n_bins = 1; n_bins < 200; n_bins += 66) {
                ps_profile *p = profile_of(trace, n_bins);
                check_rows(p);
                check_traffic(trace, p);
                ps_profile_free(p);
        }
        ps_trace_close(trace);
}

TEST(micro_traces_add_up)
{
        dumped_each_micro(check);
}

TEST(random_programs_add_up)
{
        static const int64_t skew[RANDOM_MAX_RANKS] = {0, 5000, -3000, 700, 0, 1, 2, 3};
        for (uint64_t seed = 0; seed < 6; seed++) {
                uint32_t n_messages, n_colls;
                random_program program = {.seed = seed, .ranks = 6, .steps = 300, .noise = 1000};
                program.options.style = seed % 2 ? PS_GEN_EZTRACE : PS_GEN_SCOREP;
                program.options.skew = seed > 2 ? skew : NULL;
                ps_gen *g = random_program_write(&program, &n_messages, &n_colls);
                check(ps_gen_anchor(g), "random program");
                ps_gen_free(g);
        }
}

/* A prediction's idle regions keep their distance from the operations around them. */
TEST(idle_regions_move_with_their_operations)
{
        ps_recording *r = processes(2);
        receive(r, 1, 0, 0, 4 * s, 5 * s, 8);
        enter(r, 1, 6 * s, IDLE);
        leave(r, 1, 8 * s, IDLE);
        send(r, 0, 1, s, 2 * s, 8);
        ps_trace *trace = finished(r);
        ps_time enter_0[] = {s}, leave_0[] = {2 * s}, enter_1[] = {0}, leave_1[] = {3 * s};
        ps_time *enters[] = {enter_0, enter_1}, *leaves[] = {leave_0, leave_1};
        ps_timing timing = {.enter = enters, .leave = leaves, .duration = 6 * s};
        ps_profile *p;
        assert_int_equal(ps_profile_make(&p, trace, &timing, 0, NULL), PS_OK);
        /* The receive, shortened to 3, is idle all the time; busy 3-4; idle 4-6. */
        expect_states(p, 1, s, 0, 5 * s);
        ps_profile_free(p);
        ps_trace_close(trace);
}

/* Times that are read from somewhere may be anything: a call that begins before the run does is told from
 * there on. */
TEST(what_begins_before_the_run_is_told_from_its_begin)
{
        ps_recording *r = processes(1);
        for (ps_time at = 0; at < 3; at++) {
                enter(r, 0, at * s, BARRIER);
                leave(r, 0, at * s, BARRIER);
        }
        ps_trace *trace = finished(r);
        ps_time enter_0[] = {-s, 2 * s, 3 * s}, leave_0[] = {s, 3 * s, 3 * s};
        ps_time *enters[] = {enter_0}, *leaves[] = {leave_0};
        ps_timing timing = {.enter = enters, .leave = leaves, .duration = 4 * s};
        ps_profile *p;
        assert_int_equal(trace->ops[0].n, 3);
        assert_int_equal(ps_profile_make(&p, trace, &timing, 0, NULL), PS_OK);
        assert_int_equal(p->rows[0].state[PS_STATE_OVERHEAD], 2 * s);
        ps_profile_free(p);
        ps_trace_close(trace);
}

/* 4 s long, of which 256 bins take 15.625 ms each: the receiver's queue is 2 messages and 12 bytes for the
 * first second, then 1 and 8 for the next two. */
TEST(queues_are_told_over_time)
{
        ps_recording *r = processes(2);
        send(r, 0, 1, 0, 0, 4);
        send(r, 0, 1, 0, 0, 8);
        receive(r, 1, 0, 0, 0, s, 4);
        receive(r, 1, 0, 2 * s, 0, 3 * s, 8);
        enter(r, 0, 3 * s, BARRIER);
        leave(r, 0, 4 * s, BARRIER);
        ps_trace *trace = finished(r);
        ps_profile *p;
        assert_int_equal(ps_profile_make_fine(&p, trace, &trace->measured, NULL), PS_OK);
        assert_int_equal(p->n_bins, PS_PROFILE_BINS_FINE);
        assert_int_equal(p->n_queue_bins, 256);
        for (uint32_t bin = 0; bin < 256; bin++) {
                double messages = bin < 64 ? 2 : bin < 192 ? 1 : 0, bytes = bin < 64 ? 12 : bin < 192 ? 8 : 0;
                assert_true(fabs(p->queue[bin]) < 1e-9 && fabs(p->queue_bytes[bin]) < 1e-9);
                assert_true(fabs(p->queue[256 + bin] - messages) < 1e-9);
                assert_true(fabs(p->queue_bytes[256 + bin] - bytes) < 1e-9);
        }
        ps_profile_free(p);
        ps_trace_close(trace);
}

TEST(a_run_without_time_has_an_empty_profile)
{
        ps_trace *trace = finished(processes(2));
        ps_profile *p = profile_of(trace, 0);
        assert_int_equal(p->n_bins, 0);
        assert_int_equal(p->n_rows, 2);
        assert_int_equal(p->messages.value, 0);
        ps_profile_free(p);
        ps_trace_close(trace);
}
