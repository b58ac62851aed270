/* test_messages_random.c - messages of random programs against a matcher that is too simple to be
 * wrong: it sorts all rows by time of posting and looks for each receive's first fitting send from the start.
 */
#include "core/match/sends.h"
#include "tests/core/match/lab.h"
#include "tests/support/crew/crew.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"

#include <string.h>

/* -- random programs -- */

enum { MAX_ROWS = 160, MAX_LOCS = 12, MANY_TAGS = 12 };

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
        uint32_t n_tags = maker_random(&seed, 2) ? 2 : MANY_TAGS;
        p->n = maker_random(&seed, MAX_ROWS);
        for (uint32_t i = 0; i < p->n; i++) {
                maker_row *row = &p->rows[i];
                *row = (maker_row){.loc = maker_random(&seed, p->shape.n_locs),
                                   .kind = kinds[maker_random(&seed, N(kinds))],
                                   .comm = maker_random(&seed, 3),
                                   .tag = maker_random(&seed, n_tags),
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

TEST(agrees_with_a_naive_matcher)
{
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
                ps_trace *trace = match_messages(&p.shape, p.rows, p.n, 2);
                for (uint32_t i = 0; i < p.n; i++) {
                        if (partner[i] == PS_NONE)
                                match_alone(trace, p.rows, i);
                        else
                                match_pair(trace, p.rows, i, partner[i]);
                        n_messages += partner[i] != PS_NONE && is_send(&p.rows[i]);
                }
                assert_int_equal(trace->n_messages, n_messages);
                assert_int_equal(trace->issues.row[PS_I_COMM_IGNORED].count, n_messages - with_comm / 2);
                assert_leftovers(&p, trace, partner, 1);
                assert_leftovers(&p, trace, partner, 0);
                maker_free(trace);
        }
}

static void shuffle(uint32_t *list, uint32_t n, uint64_t *seed)
{
        while (n > 1) {
                uint32_t other = maker_random(seed, n--), kept = list[n];
                list[n] = list[other];
                list[other] = kept;
        }
}

/* Each round two processes send all tags in some order to a third one, which receives them round by round in
 * other orders: so what it receives has been sent in the same round. */
TEST(what_is_received_out_of_order_keeps_the_order_of_its_tag)
{
        enum { TAGS = 700, ROUNDS = 6, MESSAGES = TAGS * ROUNDS };
        static uint32_t tag[TAGS], row_of[2][ROUNDS][TAGS];
        static maker_row rows[4 * MESSAGES];
        const maker_shape shape = {.n_procs = 3};
        uint64_t seed = 1;
        uint32_t n = 0;
        for (uint32_t i = 0; i < TAGS; i++)
                tag[i] = i * 65537;
        for (uint32_t from = 0; from < 2; from++)
                for (uint32_t i = 0; i < MESSAGES; i++) {
                        if (i % TAGS == 0)
                                shuffle(tag, TAGS, &seed);
                        rows[n++] = (maker_row)SEND(from, 2, 0, tag[i % TAGS]);
                        row_of[from][i / TAGS][tag[i % TAGS] / 65537] = i;
                }
        for (uint32_t i = 0; i < 2 * MESSAGES; i++) {
                if (i / 2 % TAGS == 0 && i % 2 == 0)
                        shuffle(tag, TAGS, &seed);
                rows[n++] = (maker_row)RECV(2, i % 2, 0, tag[i / 2 % TAGS]);
        }
        ps_trace *trace = match_messages(&shape, rows, n, 1);
        assert_int_equal(trace->n_messages, 2 * MESSAGES);
        for (uint32_t i = 0; i < 2 * MESSAGES; i++) {
                ps_ref send = {i % 2, row_of[i % 2][i / 2 / TAGS][rows[2 * MESSAGES + i].tag / 65537]};
                match_points_at(trace, (ps_ref){2, i}, send);
                match_points_at(trace, send, (ps_ref){2, i});
        }
        maker_free(trace);
}

static void assert_same(const ps_trace *a, const ps_trace *b)
{
        for (ps_loc loc = 0; loc < a->n_locs; loc++) {
                const ps_ops *x = &a->ops[loc], *y = &b->ops[loc];
                assert_int_equal(x->n, y->n);
                assert_memory_equal(x->flags, y->flags, x->n);
                assert_memory_equal(x->link, y->link, x->n * sizeof(*x->link));
                for (ps_op op = 0; op < x->n; op++)
                        assert_int_equal(ps_op_peer(x, op), ps_op_peer(y, op));
        }
        assert_int_equal(a->n_messages, b->n_messages);
}

TEST(threads_change_nothing)
{
        for (uint64_t seed = 1000; seed < 1050; seed++) {
                program p;
                make_program(&p, seed, 3);
                ps_trace *one = match_messages(&p.shape, p.rows, p.n, 1);
                for (unsigned n_threads = 2; n_threads <= 7; n_threads += 5) {
                        ps_trace *many = match_messages(&p.shape, p.rows, p.n, n_threads);
                        assert_same(one, many);
                        assert_memory_equal(&one->issues, &many->issues, sizeof(one->issues));
                        maker_free(many);
                }
                maker_free(one);
        }
}

static void bring_all(ps_sends *out, const ps_trace *trace, uint32_t asked, unsigned n_threads)
{
        ps_proc first;
        assert_int_equal(ps_sends_count(out, trace, UINT32_MAX, asked, n_threads, NULL), PS_OK);
        assert_int_equal(ps_sends_bring(out, &first, trace->defs.processes.n, SIZE_MAX, n_threads, NULL),
                         PS_OK);
        assert_int_equal(first, 0);
}

static void expect_rows(const ps_sends *whole, const ps_sends *some)
{
        assert_memory_equal(whole->row + some->first_row, some->row, some->n_rows * sizeof(*whole->row));
        assert_int_equal(!whole->loc, !some->loc);
        if (whole->loc)
                assert_memory_equal(whole->loc + some->first_row, some->loc,
                                    some->n_rows * sizeof(*whole->loc));
}

TEST(sends_are_sorted_alike_in_parts)
{
        for (uint64_t seed = 1000; seed < 1200; seed++) {
                program p;
                make_program(&p, seed, 3);
                ps_trace *trace = maker_trace(&p.shape, p.rows, p.n);
                ps_sends whole;
                bring_all(&whole, trace, 0, 1);
                for (unsigned n_threads = 2; n_threads <= 7; n_threads++) {
                        ps_sends parts;
                        bring_all(&parts, trace, 1, n_threads);
                        assert_int_equal(whole.n_ends, parts.n_ends);
                        assert_memory_equal(whole.begin, parts.begin,
                                            (p.shape.n_procs + 1) * sizeof(*whole.begin));
                        expect_rows(&whole, &parts);
                        ps_sends_free(&parts);
                }
                ps_sends_free(&whole);
                maker_free(trace);
        }
}

/* However many at a time, on one thread or on three. */
TEST(sends_to_some_receivers_are_those_among_all)
{
        for (uint64_t seed = 1200; seed < 1300; seed++) {
                program p;
                make_program(&p, seed, 3);
                ps_trace *trace = maker_trace(&p.shape, p.rows, p.n);
                ps_sends whole;
                bring_all(&whole, trace, 0, 1);
                for (size_t most = 0; most < 40; most = 2 * most + 1) {
                        const unsigned n_threads = most % 2 ? 3 : 1;
                        ps_sends some;
                        assert_int_equal(ps_sends_count(&some, trace, UINT32_MAX, 1, n_threads, NULL), PS_OK);
                        for (ps_proc end = trace->defs.processes.n, first; end > 0; end = first) {
                                assert_int_equal(ps_sends_bring(&some, &first, end, most, n_threads, NULL),
                                                 PS_OK);
                                assert_in_range(first, 0, end - 1);
                                assert_true(some.n_rows <= most || first + 1 == end);
                                expect_rows(&whole, &some);
                        }
                        assert_int_equal(some.first_row, 0);
                        ps_sends_free(&some);
                }
                ps_sends_free(&whole);
                maker_free(trace);
        }
}

/* The rows of each process of the program are only in one of ours. */
struct split {
        program p;
        uint32_t owner[MAX_LOCS];
        ps_trace *whole;
        uint64_t matched[8];
        ps_match_near near[8];
        const char *difference;
};

static uint64_t count_crossing(const struct split *s)
{
        uint64_t n = 0;
        for (ps_loc l = 0; l < s->whole->n_locs; l++)
                for (ps_op op = 0; op < s->whole->ops[l].n; op++) {
                        const ps_ops *ops = &s->whole->ops[l];
                        if (ps_kinds[ops->kind[op]].cls == PS_C_SEND && ops->flags[op] & PS_OP_MATCHED)
                                n += s->owner[s->p.process[l]] != s->owner[s->p.process[ps_op_peer(ops, op)]];
                }
        return n;
}

static bool are_rows_equal(const ps_ops *x, const ps_ops *y)
{
        bool are_equal = x->n == y->n && memcmp(x->flags, y->flags, x->n) == 0 &&
                         memcmp(x->link, y->link, x->n * sizeof(*x->link)) == 0;
        for (ps_op op = 0; are_equal && op < x->n; op++)
                are_equal = ps_op_peer(x, op) == ps_op_peer(y, op);
        return are_equal;
}

/* Each receive's send stands where it points, with the time that its sender's row has. */
static ps_status look_at_sends(void *ctx, const ps_trace *trace, const ps_clock_tally *early,
                               unsigned n_threads, ps_error *err)
{
        struct split *s = ctx;
        (void)early;
        (void)n_threads;
        (void)err;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                for (ps_op op = 0; op < trace->ops[l].n; op++) {
                        const ps_ops *ops = &trace->ops[l], *whole = &s->whole->ops[l];
                        if (ps_kinds[ops->kind[op]].cls != PS_C_RECV || !(ops->flags[op] & PS_OP_MATCHED))
                                continue;
                        ps_ref here = {ps_op_peer(ops, op), ops->link[op]},
                               there = {ps_op_peer(whole, op), whole->link[op]};
                        if (ps_op_record_begin(trace, &trace->measured, here) !=
                            ps_op_record_begin(s->whole, &s->whole->measured, there))
                                s->difference = "times of sends";
                }
        return PS_OK;
}

static void match_mine(ps_exchange *x, void *ctx)
{
        struct split *s = ctx;
        ps_error err = {0};
        ps_trace *mine = maker_trace(&s->p.shape, s->p.rows, s->p.n);
        for (ps_loc l = 0; l < mine->n_locs; l++)
                if (s->owner[s->p.process[l]] != x->rank)
                        mine->ops[l] = (ps_ops){0};
        const ps_match_look look = {look_at_sends, s};
        if (ps_match_fitting_here(mine, s->owner, x, 1, &s->near[x->rank], &look, &err) != PS_OK)
                s->difference = "not done";
        s->matched[x->rank] = mine->n_messages;
        for (ps_loc l = 0; l < mine->n_locs; l++)
                if (s->owner[s->p.process[l]] == x->rank && !are_rows_equal(&mine->ops[l], &s->whole->ops[l]))
                        s->difference = "rows";
        maker_free(mine);
}

TEST(processes_change_nothing)
{
        static const uint32_t sizes[] = {1, 2, 3, 4, 7};
        for (uint64_t seed = 4000; seed < 4100; seed++) {
                struct split s = {.difference = NULL};
                uint64_t random = seed, left, matched_apart = 0, left_apart = 0, crossing = 0;
                uint32_t size = sizes[seed % N(sizes)];
                ps_error err = {0};
                make_program(&s.p, seed, 3);
                for (uint32_t p = 0; p < s.p.shape.n_procs; p++)
                        s.owner[p] = maker_random(&random, size);
                s.whole = maker_trace(&s.p.shape, s.p.rows, s.p.n);
                assert_int_equal(ps_match_fitting(s.whole, 1, &left, &err), PS_OK);
                crew_run(size, match_mine, &s);
                assert_null(s.difference);
                for (uint32_t p = 0; p < size; p++) {
                        matched_apart += s.matched[p];
                        left_apart += s.near[p].left;
                        crossing += s.near[p].crossing;
                }
                assert_int_equal(matched_apart, s.whole->n_messages);
                assert_int_equal(left_apart, left);
                assert_int_equal(crossing, count_crossing(&s));
                maker_free(s.whole);
        }
}

/* Location l becomes n - 1 - l, rotated by one. */
TEST(ranks_are_only_names)
{
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
                ps_trace *a = match_messages(&p.shape, p.rows, p.n, 1),
                         *b = match_messages(&q.shape, q.rows, q.n, 1);
                for (uint32_t i = 0; i < p.n; i++) {
                        ps_ref x = maker_ref(p.rows, i), y = maker_ref(q.rows, i);
                        uint32_t peer = ps_op_peer(&a->ops[x.loc], x.op);
                        assert_int_equal(x.op, y.op);
                        assert_int_equal(ps_op_peer(&b->ops[y.loc], y.op), peer == PS_NONE ? peer : to[peer]);
                        assert_int_equal(b->ops[y.loc].link[y.op], a->ops[x.loc].link[x.op]);
                        assert_int_equal(b->ops[y.loc].flags[y.op], a->ops[x.loc].flags[x.op]);
                }
                maker_free(a);
                maker_free(b);
        }
}

TEST(shifted_clocks_change_nothing)
{
        for (uint64_t seed = 3000; seed < 3050; seed++) {
                program p;
                make_program(&p, seed, 1);
                ps_trace *before = match_messages(&p.shape, p.rows, p.n, 1);
                for (uint32_t i = 0; i < p.n; i++)
                        p.rows[i].at += 777777 * (ps_time)((p.rows[i].loc * 5 + seed) % 3);
                ps_trace *after = match_messages(&p.shape, p.rows, p.n, 1);
                assert_same(before, after);
                maker_free(before);
                maker_free(after);
        }
}
