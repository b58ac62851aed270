/* test_lending.c - process 0 goes through rows that others have, and finds what one process has. */
#include "core/load/lending.h"
#include "core/load/share.h"
#include "core/model/focus.h"
#include "core/model/unexplained.h"
#include "reader/reader.h"
#include "tests/support/crew/crew.h"
#include "tests/support/random_program.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t sizes[] = {1, 2, 3, 4, 7};

struct run {
        const char *path;
        const ps_trace *whole;
        ps_clock_mode clock;
        uint64_t n_members; /* that were visited, of all runs */
        bool was_away;
};

static ps_trace *load(const struct run *r, ps_exchange *x)
{
        struct ps_piece_options pieces = {.most = PS_PIECES_MOST};
        const ps_load_options options = {
                .n_threads = 1, .exchange = x, .clock = r->clock, .rows_may_stay = true, .pieces = &pieces};
        ps_error err = {0};
        ps_trace *trace = NULL;
        assert_int_equal(ps_trace_load(&trace, r->path, &options, &err), PS_OK);
        return trace;
}

static uint32_t operation_of(const ps_trace *whole, ps_ref ref)
{
        return whole->members[whole->ops[ref.loc].link[ref.op]].coll;
}

static void expect_row(const ps_loan *loan, const ps_trace *whole, ps_ref at)
{
        const ps_trace *trace = loan->trace;
        const ps_ops *a = &trace->ops[at.loc], *b = &whole->ops[at.loc];
        const bool is_coll = ps_kinds[b->kind[at.op]].cls == PS_C_COLL;
        assert_int_equal(a->kind[at.op], b->kind[at.op]);
        assert_int_equal(a->flags[at.op], b->flags[at.op]);
        assert_int_equal(ps_op_path(a, at.op), ps_op_path(b, at.op));
        assert_int_equal(ps_op_peer(a, at.op), ps_op_peer(b, at.op));
        assert_int_equal(ps_op_tag(a, at.op), ps_op_tag(b, at.op));
        assert_int_equal(ps_op_bytes(a, at.op), ps_op_bytes(b, at.op));
        assert_int_equal(a->done[at.op], b->done[at.op]);
        assert_int_equal(trace->measured.enter[at.loc][at.op], whole->measured.enter[at.loc][at.op]);
        assert_int_equal(trace->measured.leave[at.loc][at.op], whole->measured.leave[at.loc][at.op]);
        assert_int_equal(ps_op_record_begin(trace, &trace->measured, at),
                         ps_op_record_begin(whole, &whole->measured, at));
        assert_true(is_coll || a->link[at.op] == b->link[at.op]);
        if (!is_coll || !(b->flags[at.op] & PS_OP_MATCHED))
                return;
        assert_int_equal(ps_loan_operation(loan, at.op), operation_of(whole, at));
        assert_int_equal(trace->colls[trace->members[a->link[at.op]].coll].complete,
                         whole->colls[operation_of(whole, at)].complete);
}

static void expect_pieces(const ps_trace *trace, const ps_trace *whole, ps_loc loc, ps_op gap)
{
        const ps_pieces *a = &trace->pieces[loc], *b = &whole->pieces[loc];
        assert_int_equal(!a->end, !b->end);
        if (!b->end)
                return;
        assert_int_equal(ps_pieces_first(a, gap), ps_pieces_first(b, gap));
        assert_int_equal(a->end[gap], b->end[gap]);
        for (uint32_t i = ps_pieces_first(b, gap); i < b->end[gap]; i++) {
                assert_int_equal(a->piece[i].time, b->piece[i].time);
                assert_int_equal(a->piece[i].path, b->piece[i].path);
                assert_int_equal(a->piece[i].begins, b->piece[i].begins);
        }
}

/* Rows are there one after the other, with those beside them. */
static void expect_reached(ps_loan *loan, const ps_trace *whole, ps_op op)
{
        const ps_loan own = {.trace = whole, .loc = loan->loc, .end = PS_NONE};
        ps_error err = {0};
        assert_int_equal(ps_loan_reach(loan, op, &err), PS_OK);
        assert_true(!loan->lent || loan->end == PS_NONE || loan->end - loan->from <= ps_loan_at_once);
        for (ps_op at = op ? op - 1 : 0; at <= op + 1 && at < whole->ops[loan->loc].n; at++) {
                expect_row(loan, whole, (ps_ref){loan->loc, at});
                assert_int_equal(ps_loan_is_unexplained(loan, at), ps_loan_is_unexplained(&own, at));
        }
        expect_pieces(loan->trace, whole, loan->loc, op);
}

static void expect_location(ps_loans *loans, const ps_trace *trace, const ps_trace *whole, ps_loc loc,
                            const ps_span *span)
{
        const ps_ops before = trace->ops[loc];
        const ps_time *enter = trace->measured.enter[loc];
        ps_op first = 0, n = before.n;
        ps_error err = {0};
        ps_loan loan;
        if (span)
                n = ps_rows_of_span(whole->measured.enter[loc], before.n, *span, &first);
        assert_int_equal(ps_loan_take(&loan, loans, trace, &trace->measured, loc, span, &err), PS_OK);
        assert_int_equal(trace->ops[loc].n, whole->ops[loc].n);
        assert_int_equal(loan.first, first);
        assert_int_equal(loan.behind, first + n);
        for (ps_op op = first; op < first + n; op++)
                expect_reached(&loan, whole, op);
        expect_pieces(trace, whole, loc, first + n);
        if (before.n)
                expect_reached(&loan, whole, 0);
        ps_loan_return(&loan);
        assert_memory_equal(&trace->ops[loc], &before, sizeof(before));
        assert_true(trace->measured.enter[loc] == enter);
}

/* However many rows come at a time, of one location or of several, also of those that are left out between.
 */
static void expect_locations(const ps_trace *trace, const ps_trace *whole, uint32_t n_processes)
{
        static const ps_op at_once[] = {1, 1 << 16, 2, 5, 40};
        const ps_time middle = whole->measured.duration / 2;
        const ps_span span = {middle, middle + middle / 2};
        ps_loan_at_once = at_once[(n_processes + whole->n_operations) % (sizeof(at_once) / sizeof(*at_once))];
        ps_error err = {0};
        ps_loans *loans;
        assert_int_equal(ps_loans_new(&loans, &err), PS_OK);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                expect_location(loans, trace, whole, loc, NULL);
        for (ps_loc loc = 0; loc < trace->n_locs; loc += 2)
                expect_location(loans, trace, whole, loc, &span);
        for (ps_loc loc = trace->n_locs; loc-- > 0 && loc % 2;)
                expect_location(loans, trace, whole, loc, loc % 4 ? &span : NULL);
        ps_loans_free(loans);
}

struct heard {
        const ps_trace *whole;
        ps_ref at; /* the next row */
        uint64_t n, most;
};

/* The next send of the whole trace that has a receive. */
static ps_ref next_sent(struct heard *h)
{
        for (; h->at.loc < h->whole->n_locs; h->at = (ps_ref){h->at.loc + 1, 0})
                for (; h->at.op < h->whole->ops[h->at.loc].n; h->at.op++)
                        if (ps_kinds[h->whole->ops[h->at.loc].kind[h->at.op]].cls == PS_C_SEND &&
                            ps_op_partner(h->whole, h->at).op != PS_NONE)
                                return (ps_ref){h->at.loc, h->at.op++};
        return (ps_ref){PS_NONE, PS_NONE};
}

static bool expect_message(void *ctx, const ps_loan_message *message)
{
        struct heard *h = ctx;
        const ps_ref send = next_sent(h), receive = ps_op_partner(h->whole, send);
        assert_int_equal(message->send.loc, send.loc);
        assert_int_equal(message->send.op, send.op);
        assert_int_equal(message->receive.loc, receive.loc);
        assert_int_equal(message->receive.op, receive.op);
        assert_int_equal(message->sent, ps_op_record_begin(h->whole, &h->whole->measured, send));
        assert_int_equal(message->received, ps_op_record_end(h->whole, &h->whole->measured, receive));
        assert_int_equal(message->bytes, ps_op_bytes(&h->whole->ops[send.loc], send.op));
        assert_int_equal(message->tag, ps_op_tag(&h->whole->ops[send.loc], send.op));
        return ++h->n < h->most;
}

/* All, and up to where nobody wants more. */
static void expect_messages(const ps_trace *trace, const ps_trace *whole)
{
        struct heard all = {whole, {0, 0}, 0, UINT64_MAX};
        ps_error err = {0};
        assert_int_equal(ps_loan_messages(trace, &trace->measured, &(ps_loan_senders){.n = trace->n_locs},
                                          expect_message, &all, &err),
                         PS_OK);
        assert_int_equal(next_sent(&all).loc, PS_NONE);
        struct heard some = {whole, {0, 0}, 0, all.n / 2};
        if (!some.most)
                return;
        assert_int_equal(ps_loan_messages(trace, &trace->measured, &(ps_loan_senders){.n = trace->n_locs},
                                          expect_message, &some, &err),
                         PS_OK);
        assert_int_equal(some.n, some.most);
}

/* Of all rows, in an order in which those of different processes follow each other. */
static void expect_facts(const ps_trace *trace, const ps_trace *whole)
{
        ps_ref *rows = calloc(whole->n_operations + 1, sizeof(*rows));
        int64_t *path = calloc(whole->n_operations + 1, sizeof(*path));
        int64_t *end = calloc(whole->n_operations + 1, sizeof(*end));
        ps_error err = {0};
        size_t n = 0;
        for (ps_op op = 0, goes_on = 1; goes_on; op++) {
                goes_on = 0;
                for (ps_loc loc = 0; loc < whole->n_locs; loc++)
                        if (op < whole->ops[loc].n) {
                                rows[n++] = (ps_ref){loc, op};
                                goes_on = 1;
                        }
        }
        assert_int_equal(n, whole->n_operations);
        assert_int_equal(ps_loan_facts(path, PS_LOAN_PATH, trace, &trace->measured, rows, n, &err), PS_OK);
        assert_int_equal(ps_loan_facts(end, PS_LOAN_RECORD_END, trace, &trace->measured, rows, n, &err),
                         PS_OK);
        for (size_t i = 0; i < n; i++) {
                assert_int_equal(path[i], ps_op_path(&whole->ops[rows[i].loc], rows[i].op));
                assert_int_equal(end[i], ps_op_record_end(whole, &whole->measured, rows[i]));
        }
        assert_int_equal(ps_loan_facts(path, PS_LOAN_COMPLETES, trace, &trace->measured, rows, n, &err),
                         PS_OK);
        assert_int_equal(ps_loan_facts(end, PS_LOAN_WHY, trace, &trace->measured, rows, n, &err), PS_OK);
        for (size_t i = 0; i < n; i++) {
                assert_int_equal(path[i], ps_op_completes(&whole->ops[rows[i].loc], rows[i].op));
                if (!ps_op_is_pgas(whole, rows[i]))
                        assert_int_equal(end[i], ps_op_unexplained_why(whole, rows[i]));
        }
        free(rows);
        free(path);
        free(end);
}

struct visit {
        const ps_trace *whole;
        uint32_t n, most; /* members so far, and after how many nobody wants more */
};

static bool expect_member(void *ctx, const ps_loan_member *member)
{
        struct visit *v = ctx;
        assert_true(v->n < v->whole->n_members);
        const ps_member *wanted = &v->whole->members[v->n];
        const ps_coll *coll = &v->whole->colls[wanted->coll];
        assert_int_equal(member->operation, wanted->coll);
        assert_int_equal(member->ref.loc, wanted->ref.loc);
        assert_int_equal(member->ref.op, wanted->ref.op);
        assert_int_equal(member->comm, coll->comm);
        assert_int_equal(member->kind, coll->kind);
        assert_int_equal(member->complete, coll->complete);
        assert_int_equal(member->is_root, coll->root == v->n);
        return ++v->n < v->most;
}

static void lend(ps_exchange *x, void *ctx)
{
        struct run *r = ctx;
        ps_error err = {0};
        if (x->rank) {
                ps_share_serve(x, ps_reader_named, NULL);
                return;
        }
        ps_trace *trace = load(r, x);
        r->was_away |= ps_share_is_apart(trace, &trace->measured);
        expect_locations(trace, r->whole, x->size);
        expect_facts(trace, r->whole);
        expect_messages(trace, r->whole);
        struct visit all = {r->whole, 0, UINT32_MAX}, some = {r->whole, 0, r->whole->n_members / 2};
        assert_int_equal(ps_loan_members(trace, &trace->measured, expect_member, &all, &err), PS_OK);
        assert_int_equal(all.n, r->whole->n_members);
        r->n_members += all.n;
        if (some.most)
                assert_int_equal(ps_loan_members(trace, &trace->measured, expect_member, &some, &err), PS_OK);
        assert_int_equal(some.n, some.most);
        ps_trace_close(trace);
        ps_share_dismiss(x);
}

static struct run check(ps_gen *g, ps_clock_mode clock)
{
        struct run r = {.path = ps_gen_anchor(g), .clock = clock};
        ps_trace *whole = load(&r, NULL);
        r.whole = whole;
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
                crew_run(sizes[i], lend, &r);
        ps_trace_close(whole);
        ps_gen_free(g);
        return r;
}

enum { PROGRAMS = SANITIZED ? 4 : 12 };

TEST(rows_of_others_are_those_that_one_process_reads)
{
        bool was_away = false;
        uint64_t n_members = 0;
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                struct run r = check(random_program_of(seed), seed % 2 ? PS_CLOCK_AS_IS : PS_CLOCK_REPAIR);
                was_away |= r.was_away;
                n_members += r.n_members;
        }
        assert_true(was_away && n_members);
}

/* Threads, and members that do not make the same calls. */
TEST(rows_of_odd_programs_are_lent_as_well)
{
        bool was_away = false;
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
                was_away |= check(random_program_odd(seed, 150), PS_CLOCK_AS_IS).was_away;
        assert_true(was_away);
}

/* Of each rank's own communicator the operations are counted rank by rank: rank r makes r + 1 on one and 7 -
 * r on the other, and all make one of the world between. */
TEST(operations_of_each_process_alone_are_numbered_in_the_order_of_processes)
{
        enum { RANKS = 7 };
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        const uint32_t self[] = {ps_gen_self(g), ps_gen_self(g)};
        for (uint32_t rank = 0; rank < RANKS; rank++) {
                uint64_t t = 0;
                for (uint32_t i = 0; i < RANKS + 1; i++, t += 100)
                        ps_gen_barrier(g, rank, t + 10, t + 20, self[i > rank]);
                ps_gen_barrier(g, rank, t + 10, t + 90, PS_GEN_WORLD);
        }
        ps_gen_close(g);
        struct run r = check(g, PS_CLOCK_AS_IS);
        assert_true(r.was_away);
        assert_int_equal(r.n_members, sizeof(sizes) / sizeof(*sizes) * (RANKS * (RANKS + 1) + RANKS));
}
