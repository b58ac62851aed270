/* test_match_messages.c - rules by hand, and random programs against a matcher that is too simple to be
 * wrong: it sorts all rows by time of posting and looks for each receive's first fitting send from the start.
 */
#include "core/match.h"
#include "tests/support/trace_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define N(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))
#define SEND(from, to, c, t)                                                                                 \
        {                                                                                                    \
                .loc = (from), .kind = PS_K_SEND, .peer = (to), .comm = (c), .tag = (t)                      \
        }
#define RECV(at_, from, c, t)                                                                                \
        {                                                                                                    \
                .loc = (at_), .kind = PS_K_RECV, .peer = (from), .comm = (c), .tag = (t)                     \
        }

static ps_trace *match(const maker_shape *shape, const maker_row *rows, uint32_t n, unsigned n_threads)
{
        ps_trace *trace = maker_trace(shape, rows, n);
        ps_error err = {0};
        assert_int_equal(ps_match_messages(trace, n_threads, &err), PS_OK);
        return trace;
}

static void assert_points_at(const ps_trace *trace, ps_ref from, ps_ref to)
{
        const ps_ops *ops = &trace->ops[from.loc];
        assert_true(ops->flags[from.op] & PS_OP_MATCHED);
        assert_int_equal(ops->peer[from.op], to.loc);
        assert_int_equal(ops->link[from.op], to.op);
        ps_ref partner = ps_op_partner(trace, from);
        assert_int_equal(partner.loc, to.loc);
        assert_int_equal(partner.op, to.op);
}

static void assert_pair(const ps_trace *trace, const maker_row *rows, uint32_t a, uint32_t b)
{
        assert_points_at(trace, maker_ref(rows, a), maker_ref(rows, b));
        assert_points_at(trace, maker_ref(rows, b), maker_ref(rows, a));
}

static void assert_alone(const ps_trace *trace, const maker_row *rows, uint32_t i)
{
        ps_ref ref = maker_ref(rows, i);
        assert_false(trace->ops[ref.loc].flags[ref.op] & PS_OP_MATCHED);
        assert_int_equal(trace->ops[ref.loc].peer[ref.op], rows[i].peer);
        assert_int_equal(ps_op_partner(trace, ref).loc, PS_NONE);
}

static void assert_issue(const ps_trace *trace, ps_issue_kind kind, uint64_t count, ps_loc loc, ps_time time)
{
        const ps_issue *issue = &trace->issues.row[kind];
        assert_int_equal(issue->count, count);
        if (!count)
                return;
        assert_int_equal(issue->location, loc);
        assert_int_equal(issue->time, time);
}

static void matches_in_order_for_each_tag_and_communicator(void **state)
{
        (void)state;
        const maker_shape shape = {.n_procs = 2};
        const maker_row rows[] = {
                SEND(0, 1, 0, 7), SEND(0, 1, 0, 8), SEND(0, 1, 0, 7), SEND(0, 1, 1, 7),
                RECV(1, 0, 1, 7), RECV(1, 0, 0, 8), RECV(1, 0, 0, 7), RECV(1, 0, 0, 7),
        };
        ps_trace *trace = match(&shape, rows, N(rows), 1);
        assert_pair(trace, rows, 0, 6);
        assert_pair(trace, rows, 1, 5);
        assert_pair(trace, rows, 2, 7);
        assert_pair(trace, rows, 3, 4);
        assert_int_equal(trace->n_messages, 4);
        assert_int_equal(ps_issues_total(&trace->issues), 0);
        maker_free(trace);
}

/* The receiver's clock is far ahead of the sender's: it receives before anything is sent. */
static void time_between_processes_does_not_count(void **state)
{
        (void)state;
        const maker_shape shape = {.n_procs = 2};
        const maker_row rows[] = {
                {.loc = 0, .kind = PS_K_SEND, .peer = 1, .at = 5000},
                {.loc = 0, .kind = PS_K_ISEND, .peer = 1, .at = 6000},
                {.loc = 1, .kind = PS_K_IRECV, .peer = 0, .at = 10},
                {.loc = 1, .kind = PS_K_RECV, .peer = 0, .at = 20},
        };
        ps_trace *trace = match(&shape, rows, N(rows), 1);
        assert_pair(trace, rows, 0, 2);
        assert_pair(trace, rows, 1, 3);
        maker_free(trace);
}

/* Process 0 has locations 0 and 2, process 1 has 1 and 3. Peers name the first location of a process. */
static void threads_of_a_process_share_one_order(void **state)
{
        (void)state;
        const ps_proc process[] = {0, 1, 0, 1};
        const maker_shape shape = {.n_procs = 2, .process = process, .n_locs = 4};
        const maker_row rows[] = {
                {.loc = 2, .kind = PS_K_SEND, .peer = 1, .at = 10},
                {.loc = 0, .kind = PS_K_SEND, .peer = 1, .at = 20},
                {.loc = 2, .kind = PS_K_SEND, .peer = 1, .at = 30},
                {.loc = 2, .kind = PS_K_SEND, .peer = 1, .at = 40},
                {.loc = 0, .kind = PS_K_SEND, .peer = 1, .at = 40}, /* a tie: location 0 is first */
                {.loc = 3, .kind = PS_K_RECV, .peer = 0, .at = 1},
                {.loc = 1, .kind = PS_K_RECV, .peer = 0, .at = 2},
                {.loc = 1, .kind = PS_K_RECV, .peer = 0, .at = 3},
                {.loc = 3, .kind = PS_K_RECV, .peer = 0, .at = 4},
                {.loc = 3, .kind = PS_K_RECV, .peer = 0, .at = 5},
        };
        ps_trace *trace = match(&shape, rows, N(rows), 1);
        assert_pair(trace, rows, 0, 5);
        assert_pair(trace, rows, 1, 6);
        assert_pair(trace, rows, 2, 7);
        assert_pair(trace, rows, 4, 8);
        assert_pair(trace, rows, 3, 9);
        maker_free(trace);
}

static void cancelled_rows_take_no_part(void **state)
{
        (void)state;
        const maker_shape shape = {.n_procs = 2};
        const maker_row rows[] = {
                {.loc = 0, .kind = PS_K_ISEND, .peer = 1, .flags = PS_OP_CANCELLED},
                SEND(0, 1, 0, 0),
                {.loc = 1, .kind = PS_K_IRECV, .peer = 0, .flags = PS_OP_CANCELLED},
                RECV(1, 0, 0, 0),
        };
        ps_trace *trace = match(&shape, rows, N(rows), 1);
        assert_pair(trace, rows, 1, 3);
        assert_alone(trace, rows, 0);
        assert_alone(trace, rows, 2);
        assert_int_equal(trace->n_messages, 1);
        assert_int_equal(ps_issues_total(&trace->issues), 0);
        maker_free(trace);
}

/* The i-th row is entered at 1000 (i + 1); the first place is that of the lowest location. */
static void notes_what_is_left_over(void **state)
{
        (void)state;
        const maker_shape shape = {.n_procs = 3};
        const maker_row rows[] = {
                SEND(2, 0, 0, 0),       SEND(1, 0, 0, 1), SEND(1, PS_NONE, 0, 1), SEND(1, 99, 0, 1),
                RECV(2, PS_NONE, 0, 0), RECV(0, 2, 0, 5), RECV(0, 2, 0, 0),       RECV(0, 2, 0, 0),
        };
        ps_trace *trace = match(&shape, rows, N(rows), 2);
        assert_pair(trace, rows, 0, 6);
        for (uint32_t i = 0; i < N(rows); i++)
                if (i != 0 && i != 6)
                        assert_alone(trace, rows, i);
        assert_issue(trace, PS_I_SEND_UNMATCHED, 3, 1, 2000);
        assert_issue(trace, PS_I_RECV_UNMATCHED, 3, 0, 6000);
        assert_int_equal(trace->n_messages, 1);
        maker_free(trace);
}

static const maker_row wrong_comms[] = {
        SEND(0, 1, 3, 7), SEND(0, 1, 0, 7), SEND(0, 1, 4, 8),
        RECV(1, 0, 0, 7), RECV(1, 0, 0, 7), RECV(1, 0, 0, 9),
};

/* The first receive takes the send of its own communicator, the second what is left. */
static void unreliable_communicators_are_ignored_in_the_end(void **state)
{
        (void)state;
        const maker_shape shape = {.n_procs = 2, .recv_comm_unreliable = 1};
        ps_trace *trace = match(&shape, wrong_comms, N(wrong_comms), 1);
        assert_pair(trace, wrong_comms, 1, 3);
        assert_pair(trace, wrong_comms, 0, 4);
        assert_alone(trace, wrong_comms, 2);
        assert_alone(trace, wrong_comms, 5);
        assert_int_equal(trace->n_messages, 2);
        assert_issue(trace, PS_I_COMM_IGNORED, 1, 1, 5000);
        assert_issue(trace, PS_I_SEND_UNMATCHED, 1, 0, 3000);
        assert_issue(trace, PS_I_RECV_UNMATCHED, 1, 1, 6000);
        maker_free(trace);
}

static void reliable_communicators_are_kept_apart(void **state)
{
        (void)state;
        const maker_shape shape = {.n_procs = 2};
        ps_trace *trace = match(&shape, wrong_comms, N(wrong_comms), 1);
        assert_int_equal(trace->n_messages, 1);
        assert_issue(trace, PS_I_COMM_IGNORED, 0, 0, 0);
        assert_issue(trace, PS_I_SEND_UNMATCHED, 2, 0, 1000);
        maker_free(trace);
}

static void messages_to_oneself(void **state)
{
        (void)state;
        const maker_shape shape = {.n_procs = 2};
        const maker_row rows[] = {
                {.loc = 0, .kind = PS_K_IRECV, .peer = 0},
                {.loc = 1, .kind = PS_K_IRECV, .peer = 1},
                SEND(1, 1, 0, 0),
                SEND(0, 0, 0, 0),
        };
        ps_trace *trace = match(&shape, rows, N(rows), 1);
        assert_pair(trace, rows, 0, 3);
        assert_pair(trace, rows, 1, 2);
        maker_free(trace);
}

static void nothing_to_match(void **state)
{
        (void)state;
        const maker_shape shape = {.n_procs = 0};
        ps_trace *trace = match(&shape, NULL, 0, 7);
        assert_int_equal(trace->n_messages, 0);
        maker_free(trace);
}

/* -- random programs -- */

enum { MAX_ROWS = 160, MAX_LOCS = 12 };

typedef struct program {
        maker_shape shape;
        ps_proc process[MAX_LOCS];
        ps_loc first[MAX_LOCS]; /* the first location of each process */
        maker_row rows[MAX_ROWS];
        uint32_t n;
} program;

static void make_locations(program *p, uint64_t *seed, uint32_t max_threads)
{
        uint32_t n_procs = 1 + maker_random(seed, 4);
        uint32_t n_locs = n_procs * (1 + maker_random(seed, max_threads));
        for (uint32_t l = 0; l < n_locs; l++)
                p->process[l] = l < n_procs ? l : maker_random(seed, n_procs);
        for (uint32_t l = n_locs; l-- > 1;) {
                uint32_t other = maker_random(seed, l + 1);
                ps_proc swap = p->process[l];
                p->process[l] = p->process[other];
                p->process[other] = swap;
        }
        for (uint32_t l = n_locs; l-- > 0;)
                p->first[p->process[l]] = l;
        p->shape = (maker_shape){.n_procs = n_procs, .process = p->process, .n_locs = n_locs};
}

static void make_program(program *p, uint64_t seed, uint32_t max_threads)
{
        static const uint8_t kinds[] = {PS_K_SEND, PS_K_ISEND,         PS_K_SENDRECV_SEND,
                                        PS_K_RECV, PS_K_SENDRECV_RECV, PS_K_IRECV};
        make_locations(p, &seed, max_threads);
        p->shape.recv_comm_unreliable = (int)maker_random(&seed, 2);
        p->n = maker_random(&seed, MAX_ROWS);
        for (uint32_t i = 0; i < p->n; i++) {
                maker_row *row = &p->rows[i];
                *row = (maker_row){.loc = maker_random(&seed, p->shape.n_locs),
                                   .kind = kinds[maker_random(&seed, N(kinds))],
                                   .comm = maker_random(&seed, 3),
                                   .tag = maker_random(&seed, 2),
                                   .at = 100 + i / 2 * 10};
                row->peer = p->first[maker_random(&seed, p->shape.n_procs)];
                if (maker_random(&seed, 20) == 0)
                        row->peer = PS_NONE;
                if (maker_random(&seed, 20) == 0)
                        row->flags = PS_OP_CANCELLED;
        }
}

static int posted_before(const maker_row *a, const maker_row *b)
{
        if (a->at != b->at)
                return a->at < b->at;
        return a->loc != b->loc ? a->loc < b->loc : a < b;
}

static int is_send(const maker_row *row)
{
        return ps_kinds[row->kind].cls == PS_C_SEND;
}

static int fits(const program *p, const maker_row *send, const maker_row *recv, int with_comm)
{
        return send->peer != PS_NONE && recv->peer != PS_NONE &&
               p->process[send->peer] == p->process[recv->loc] &&
               p->process[recv->peer] == p->process[send->loc] && send->tag == recv->tag &&
               (!with_comm || send->comm == recv->comm);
}

/* partner[i]: the row that row i is matched with, or PS_NONE. */
static void match_naively(const program *p, uint32_t *partner, int with_comm)
{
        for (uint32_t done = 0; done < p->n; done++) {
                uint32_t recv = PS_NONE, send = PS_NONE;
                for (uint32_t i = 0; i < p->n; i++)
                        if (partner[i] == PS_NONE && !is_send(&p->rows[i]) &&
                            !(p->rows[i].flags & PS_OP_CANCELLED) &&
                            (recv == PS_NONE || posted_before(&p->rows[i], &p->rows[recv])))
                                for (uint32_t k = 0; k < p->n; k++)
                                        if (partner[k] == PS_NONE && is_send(&p->rows[k]) &&
                                            !(p->rows[k].flags & PS_OP_CANCELLED) &&
                                            fits(p, &p->rows[k], &p->rows[i], with_comm))
                                                recv = i;
                for (uint32_t k = 0; recv != PS_NONE && k < p->n; k++)
                        if (partner[k] == PS_NONE && is_send(&p->rows[k]) &&
                            !(p->rows[k].flags & PS_OP_CANCELLED) &&
                            fits(p, &p->rows[k], &p->rows[recv], with_comm) &&
                            (send == PS_NONE || posted_before(&p->rows[k], &p->rows[send])))
                                send = k;
                if (recv == PS_NONE)
                        return;
                partner[recv] = send;
                partner[send] = recv;
        }
}

static void assert_leftovers(const program *p, const ps_trace *trace, const uint32_t *partner, int sends)
{
        uint64_t count = 0;
        ps_loc first = PS_NONE;
        for (uint32_t i = 0; i < p->n; i++) {
                if (is_send(&p->rows[i]) != sends || partner[i] != PS_NONE ||
                    p->rows[i].flags & PS_OP_CANCELLED)
                        continue;
                count++;
                first = p->rows[i].loc < first ? p->rows[i].loc : first;
        }
        const ps_issue *issue = &trace->issues.row[sends ? PS_I_SEND_UNMATCHED : PS_I_RECV_UNMATCHED];
        assert_int_equal(issue->count, count);
        if (count)
                assert_int_equal(issue->location, first);
}

static void agrees_with_a_naive_matcher(void **state)
{
        (void)state;
        for (uint64_t seed = 1; seed <= 400; seed++) {
                program p;
                uint32_t partner[MAX_ROWS], with_comm = 0;
                uint64_t n_messages = 0;
                make_program(&p, seed, 3);
                memset(partner, 0xff, sizeof(partner));
                match_naively(&p, partner, 1);
                for (uint32_t i = 0; i < p.n; i++)
                        with_comm += partner[i] != PS_NONE;
                if (p.shape.recv_comm_unreliable)
                        match_naively(&p, partner, 0);
                ps_trace *trace = match(&p.shape, p.rows, p.n, 2);
                for (uint32_t i = 0; i < p.n; i++) {
                        if (partner[i] == PS_NONE)
                                assert_alone(trace, p.rows, i);
                        else
                                assert_pair(trace, p.rows, i, partner[i]);
                        n_messages += partner[i] != PS_NONE && is_send(&p.rows[i]);
                }
                assert_int_equal(trace->n_messages, n_messages);
                assert_int_equal(trace->issues.row[PS_I_COMM_IGNORED].count, n_messages - with_comm / 2);
                assert_leftovers(&p, trace, partner, 1);
                assert_leftovers(&p, trace, partner, 0);
                maker_free(trace);
        }
}

static void assert_same(const ps_trace *a, const ps_trace *b)
{
        for (ps_loc loc = 0; loc < a->n_locs; loc++) {
                const ps_ops *x = &a->ops[loc], *y = &b->ops[loc];
                assert_int_equal(x->n, y->n);
                assert_memory_equal(x->flags, y->flags, x->n);
                assert_memory_equal(x->peer, y->peer, x->n * sizeof(*x->peer));
                assert_memory_equal(x->link, y->link, x->n * sizeof(*x->link));
        }
        assert_int_equal(a->n_messages, b->n_messages);
}

static void threads_change_nothing(void **state)
{
        (void)state;
        for (uint64_t seed = 1000; seed < 1050; seed++) {
                program p;
                make_program(&p, seed, 3);
                ps_trace *one = match(&p.shape, p.rows, p.n, 1);
                for (unsigned n_threads = 2; n_threads <= 7; n_threads += 5) {
                        ps_trace *many = match(&p.shape, p.rows, p.n, n_threads);
                        assert_same(one, many);
                        assert_memory_equal(&one->issues, &many->issues, sizeof(one->issues));
                        maker_free(many);
                }
                maker_free(one);
        }
}

/* Location l becomes n - 1 - l, rotated by one. */
static void ranks_are_only_names(void **state)
{
        (void)state;
        for (uint64_t seed = 2000; seed < 2050; seed++) {
                program p, q;
                make_program(&p, seed, 1);
                p.shape.process = NULL;
                for (uint32_t l = 0; l < MAX_LOCS; l++)
                        p.process[l] = p.first[l] = l;
                uint32_t n = p.shape.n_procs, to[MAX_LOCS];
                for (uint32_t l = 0; l < n; l++)
                        to[l] = (2 * n - 2 - l) % n;
                make_program(&q, seed, 1);
                q.shape.process = NULL;
                for (uint32_t i = 0; i < p.n; i++) {
                        q.rows[i].loc = to[p.rows[i].loc];
                        q.rows[i].peer = p.rows[i].peer == PS_NONE ? PS_NONE : to[p.rows[i].peer];
                }
                ps_trace *a = match(&p.shape, p.rows, p.n, 1), *b = match(&q.shape, q.rows, q.n, 1);
                for (uint32_t i = 0; i < p.n; i++) {
                        ps_ref x = maker_ref(p.rows, i), y = maker_ref(q.rows, i);
                        uint32_t peer = a->ops[x.loc].peer[x.op];
                        assert_int_equal(x.op, y.op);
                        assert_int_equal(b->ops[y.loc].peer[y.op], peer == PS_NONE ? peer : to[peer]);
                        assert_int_equal(b->ops[y.loc].link[y.op], a->ops[x.loc].link[x.op]);
                        assert_int_equal(b->ops[y.loc].flags[y.op], a->ops[x.loc].flags[x.op]);
                }
                maker_free(a);
                maker_free(b);
        }
}

static void shifted_clocks_change_nothing(void **state)
{
        (void)state;
        for (uint64_t seed = 3000; seed < 3050; seed++) {
                program p;
                make_program(&p, seed, 1);
                ps_trace *before = match(&p.shape, p.rows, p.n, 1);
                for (uint32_t i = 0; i < p.n; i++)
                        p.rows[i].at += 777777 * (ps_time)((p.rows[i].loc * 5 + seed) % 3);
                ps_trace *after = match(&p.shape, p.rows, p.n, 1);
                assert_same(before, after);
                maker_free(before);
                maker_free(after);
        }
}

/* -- cost -- */

static maker_row *reversed_tags(uint32_t n)
{
        maker_row *rows = calloc(2 * (size_t)n, sizeof(*rows));
        assert_non_null(rows);
        for (uint32_t i = 0; i < n; i++) {
                rows[i] = (maker_row)SEND(0, 1, 0, i);
                rows[n + i] = (maker_row)RECV(1, 0, 0, n - 1 - i);
        }
        return rows;
}

/* The least processor time of some runs. */
static double match_reversed_tags(uint32_t n)
{
        const maker_shape shape = {.n_procs = 2};
        maker_row *rows = reversed_tags(n);
        double least = 1e9;
        for (int run = 0; run < 5; run++) {
                ps_trace *trace = maker_trace(&shape, rows, 2 * n);
                clock_t begin = clock();
                assert_int_equal(ps_match_messages(trace, 1, NULL), PS_OK);
                double used = (double)(clock() - begin) / CLOCKS_PER_SEC;
                least = used < least ? used : least;
                assert_int_equal(trace->n_messages, n);
                for (uint32_t i = 0; i < n; i++)
                        assert_int_equal(trace->ops[0].link[i], n - 1 - i);
                maker_free(trace);
        }
        free(rows);
        return least;
}

/* Ten times the tags; a search through what is outstanding would take a hundred times as long. */
static void outstanding_tags_cost_no_search(void **state)
{
        (void)state;
        double few = match_reversed_tags(20000), many = match_reversed_tags(200000);
        assert_true(many < 50 * few + 0.01);
}

/* More sends than are sorted at once. Process 0 sends message i to process 1 + i % 3, all of them with one
 * tag; each receives every third one. */
static void many_sends_are_taken_in_groups(void **state)
{
        (void)state;
        enum { MANY = 300000 };
        const maker_shape shape = {.n_procs = 4};
        maker_row *rows = calloc(2 * MANY, sizeof(*rows));
        assert_non_null(rows);
        for (uint32_t i = 0; i < MANY; i++) {
                rows[i] = (maker_row)SEND(0, 1 + i % 3, 0, 0);
                rows[MANY + i] = (maker_row)RECV(1 + i % 3, 0, 0, 0);
        }
        ps_trace *trace = match(&shape, rows, 2 * MANY, 2);
        assert_int_equal(trace->n_messages, MANY);
        for (uint32_t i = 0; i < MANY; i++) {
                ps_ref send = {0, i}, recv = {1 + i % 3, i / 3};
                assert_points_at(trace, send, recv);
                assert_points_at(trace, recv, send);
        }
        maker_free(trace);
        free(rows);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(matches_in_order_for_each_tag_and_communicator),
                cmocka_unit_test(time_between_processes_does_not_count),
                cmocka_unit_test(threads_of_a_process_share_one_order),
                cmocka_unit_test(cancelled_rows_take_no_part),
                cmocka_unit_test(notes_what_is_left_over),
                cmocka_unit_test(unreliable_communicators_are_ignored_in_the_end),
                cmocka_unit_test(reliable_communicators_are_kept_apart),
                cmocka_unit_test(messages_to_oneself),
                cmocka_unit_test(nothing_to_match),
                cmocka_unit_test(agrees_with_a_naive_matcher),
                cmocka_unit_test(threads_change_nothing),
                cmocka_unit_test(ranks_are_only_names),
                cmocka_unit_test(shifted_clocks_change_nothing),
                cmocka_unit_test(outstanding_tags_cost_no_search),
                cmocka_unit_test(many_sends_are_taken_in_groups),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
