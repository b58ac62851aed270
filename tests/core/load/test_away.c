/* test_away.c - rows stay with the processes that have read them where nobody else needs all of them. */
#include "core/base/memory.h"
#include "core/load/share.h"
#include "core/model/focus.h"
#include "core/sums/ending.h"
#include "reader/reader.h"
#include "tests/support/crew/crew.h"
#include "tests/support/damage.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static const uint32_t sizes[] = {1, 2, 3, 4, 7};

struct stays {
        const char *path;
        const ps_trace *whole;
        ps_clock_mode clock;
        bool are_brought; /* by the load itself */
        bool are_away;
};

/* Of who took part in a collective operation it tells whether all did. */
static void expect_row(const ps_trace *trace, const ps_trace *whole, ps_ref at)
{
        const ps_ops *a = &trace->ops[at.loc], *b = &whole->ops[at.loc];
        const bool is_coll = ps_kinds[b->kind[at.op]].cls == PS_C_COLL;
        assert_int_equal(a->kind[at.op], b->kind[at.op]);
        assert_int_equal(a->flags[at.op], b->flags[at.op]);
        if (is_coll && b->flags[at.op] & PS_OP_MATCHED)
                assert_int_equal(trace->colls[trace->members[a->link[at.op]].coll].complete,
                                 whole->colls[whole->members[b->link[at.op]].coll].complete);
        assert_int_equal(ps_op_path(a, at.op), ps_op_path(b, at.op));
        assert_int_equal(ps_op_peer(a, at.op), ps_op_peer(b, at.op));
        assert_int_equal(ps_op_comm(a, at.op), ps_op_comm(b, at.op));
        assert_int_equal(ps_op_tag(a, at.op), ps_op_tag(b, at.op));
        assert_int_equal(ps_op_bytes(a, at.op), ps_op_bytes(b, at.op));
        assert_true(is_coll || a->link[at.op] == b->link[at.op]);
        assert_int_equal(trace->measured.enter[at.loc][at.op], whole->measured.enter[at.loc][at.op]);
        assert_int_equal(trace->measured.leave[at.loc][at.op], whole->measured.leave[at.loc][at.op]);
}

/* Rows that nobody has asked for: where the sanitizer of addresses watches, nobody may look at them. */
static void expect_nothing(const ps_trace *trace, ps_loc location)
{
#ifdef PS_POISON
        ps_op op = trace->ops[location].n / 3;
        bool is_away = trace->spread && !ps_share_is_here(trace, location);
        assert_int_equal(__asan_address_is_poisoned(&trace->ops[location].kind[op]), is_away);
        assert_int_equal(__asan_address_is_poisoned(&trace->measured.enter[location][op]), is_away);
#else
        (void)trace, (void)location;
#endif
}

static void bring_some(const ps_trace *trace, const ps_trace *whole, bool are_brought)
{
        ps_error err = {0};
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                uint32_t n = whole->ops[l].n;
                assert_int_equal(trace->ops[l].n, n);
                if (!n)
                        continue;
                if (!are_brought)
                        expect_nothing(trace, l);
                const ps_ref rows[] = {{l, n / 2}, {l, n - 1}};
                assert_int_equal(ps_share_bring(trace, rows, 2, &err), PS_OK);
                for (unsigned i = 0; i < 2; i++)
                        expect_row(trace, whole, rows[i]);
        }
}

static void expect_ending(const ps_trace *trace, const ps_trace *whole)
{
        ps_error err = {0};
        ps_ending a, b;
        assert_int_equal(ps_ending_find(&a, trace, &err), PS_OK);
        assert_int_equal(ps_ending_find(&b, whole, &err), PS_OK);
        assert_int_equal(a.is_finished, b.is_finished);
        assert_int_equal(a.n_stuck, b.n_stuck);
        for (uint32_t i = 0; i < b.n_stuck; i++)
                assert_memory_equal(&a.stuck[i], &b.stuck[i], sizeof(*b.stuck));
        ps_ending_clear(&a);
        ps_ending_clear(&b);
}

/* What lies before the focus and behind it follows from calls of Init and Finalize that are elsewhere. */
static void expect_outside(const ps_trace *trace, const ps_trace *whole)
{
        ps_focus_outside a[PS_FOCUS_OUTSIDE_MOST], b[PS_FOCUS_OUTSIDE_MOST];
        const unsigned n = ps_focus_find_outside(b, whole, &whole->measured);
        assert_int_equal(ps_focus_find_outside(a, trace, &trace->measured), n);
        for (unsigned i = 0; i < n; i++) {
                assert_int_equal(a[i].region, b[i].region);
                assert_int_equal(a[i].time, b[i].time);
        }
}

static void load_without_rows(ps_exchange *x, void *ctx)
{
        struct stays *s = ctx;
        const ps_focus_wish wish = {.how = PS_FOCUS_PROGRAM};
        const ps_load_options options = {
                .n_threads = 1, .exchange = x, .focus = &wish, .clock = s->clock, .rows_may_stay = true};
        ps_error err = {0};
        ps_trace *trace = NULL;
        if (x->rank) {
                ps_share_serve(x, ps_reader_named, NULL);
                return;
        }
        assert_int_equal(ps_trace_load(&trace, s->path, &options, &err), PS_OK);
        s->are_away = trace->spread && trace->spread->rows_are_away;
        assert_int_equal(trace->n_operations, s->whole->n_operations);
        assert_int_equal(trace->n_messages, s->whole->n_messages);
        assert_memory_equal(trace->events_by_code, s->whole->events_by_code,
                            trace->defs.codes.n * sizeof(uint64_t));
        assert_memory_equal(&trace->issues, &s->whole->issues, sizeof(trace->issues));
        assert_int_equal(trace->measured.duration, s->whole->measured.duration);
        assert_int_equal(trace->measured.focus->length, s->whole->measured.focus->length);
        assert_memory_equal(trace->measured.focus->span, s->whole->measured.focus->span, sizeof(ps_span));
        expect_ending(trace, s->whole);
        expect_outside(trace, s->whole);
        bring_some(trace, s->whole, s->are_brought);
        ps_trace_close(trace);
        ps_share_dismiss(x);
}

/* Of a row that nobody has asked for: is there a page for it? */
static bool has_page(const void *row)
{
        unsigned char is_in;
        uintptr_t page = (uintptr_t)row / 4096 * 4096;
        return mincore((void *)page, 4096, &is_in) ==
               0; // NOLINT(performance-no-int-to-ptr): of what is asked
}

static void look_for_pages(ps_exchange *x, void *ctx)
{
        const struct stays *s = ctx;
        const ps_load_options options = {.n_threads = 1, .exchange = x, .rows_may_stay = true};
        struct rlimit addresses;
        ps_error err = {0};
        ps_trace *trace = NULL;
        if (x->rank) {
                ps_share_serve(x, ps_reader_named, NULL);
                return;
        }
        assert_int_equal(getrlimit(RLIMIT_AS, &addresses), 0);
        assert_int_equal(ps_trace_load(&trace, s->path, &options, &err), PS_OK);
        ps_loc last = trace->n_locs - 1;
        ps_op middle = trace->ops[last].n / 2;
        const bool are_limited = addresses.rlim_cur != RLIM_INFINITY;
        assert_int_equal(has_page(&trace->measured.enter[last][middle]), !are_limited);
        assert_int_equal(has_page(&trace->measured.enter[last][trace->ops[last].n - 1]), !are_limited);
        assert_int_equal(ps_share_bring(trace, &(ps_ref){last, middle}, 1, &err), PS_OK);
        assert_true(has_page(&trace->measured.enter[last][middle]));
        expect_row(trace, s->whole, (ps_ref){last, middle});
        ps_trace_close(trace);
        ps_share_dismiss(x);
}

/* Each rank begins and ends at a time of its own: the focus follows from the latest Init and Finalize. */
static ps_gen *ring_with_ends(uint32_t n)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = n});
        for (uint32_t rank = 0; rank < n; rank++) {
                ps_gen_visit(g, rank, rank, 100 + 10 * ((rank + 2) % n), "MPI_Init");
                for (uint32_t i = 0; i < 40; i++) {
                        uint64_t t = 1000 + 100 * i;
                        ps_gen_isend(g, rank, t + 10, t + 20, (rank + 1) % n, PS_GEN_WORLD, 4, 300, 2 * i);
                        ps_gen_irecv(g, rank, t + 21, t + 25, 2 * i + 1);
                        ps_gen_wait(g, rank, t + 30, t + 60, PS_GEN_SENT(2 * i));
                        ps_gen_wait(g, rank, t + 61, t + 70,
                                    PS_GEN_GOT((rank + n - 1) % n, PS_GEN_WORLD, 4, 300, 2 * i + 1));
                        ps_gen_barrier(g, rank, t + 75, t + 90, PS_GEN_WORLD);
                }
                ps_gen_visit(g, rank, 6000 + 7 * ((rank + 1) % n), 7000, "MPI_Finalize");
        }
        ps_gen_close(g);
        return g;
}

static struct stays load_stays(ps_gen *g, const ps_trace *whole, uint32_t n)
{
        struct stays s = {.path = ps_gen_anchor(g),
                          .whole = whole,
                          .are_brought = whole->issues.row[PS_I_FILE_COPIED].count > 0};
        crew_run(n, load_without_rows, &s);
        return s;
}

TEST(rows_stay_where_they_were_read_but_for_those_that_are_asked_for)
{
        const ps_focus_wish wish = {.how = PS_FOCUS_PROGRAM};
        const ps_load_options options = {.n_threads = 1, .focus = &wish};
        ps_gen *g = ring_with_ends(8);
        ps_trace *whole = NULL;
        ps_error err = {0};
        assert_int_equal(ps_trace_load(&whole, ps_gen_anchor(g), &options, &err), PS_OK);
        assert_int_equal(whole->measured.focus->length, (6000 + 49 - 170) * PS_PS_PER_NS);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
                assert_int_equal(load_stays(g, whole, sizes[i]).are_away, sizes[i] > 1);
        ps_trace_close(whole);
        ps_gen_free(g);
}

/* Columns of several pages each. The limit is far away: what counts is that there is one. */
TEST(where_addresses_are_limited_rows_that_are_elsewhere_take_none_until_they_come)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        struct rlimit before, limited;
        ps_trace *whole = NULL;
        ps_error err = {0};
        if (THREAD_SANITIZED) /* which has its own idea of what may lie where */
                skip();
        for (uint32_t rank = 0; rank < 3; rank++)
                for (uint64_t t = rank; t < 100000; t += 20)
                        ps_gen_barrier(g, rank, t, t + 9, PS_GEN_WORLD);
        ps_gen_close(g);
        assert_int_equal(ps_trace_load(&whole, ps_gen_anchor(g), NULL, &err), PS_OK);
        const struct stays s = {.path = ps_gen_anchor(g), .whole = whole};
        assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
        crew_run(3, look_for_pages, (void *)&s);
        limited = before;
        limited.rlim_cur = (rlim_t)1 << 46;
        assert_int_equal(setrlimit(RLIMIT_AS, &limited), 0);
        crew_run(3, look_for_pages, (void *)&s);
        assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
        ps_trace_close(whole);
        ps_gen_free(g);
}

static void expect_stay(ps_gen *g, bool are_away)
{
        const ps_focus_wish wish = {.how = PS_FOCUS_PROGRAM};
        const ps_load_options options = {.n_threads = 1, .focus = &wish};
        ps_trace *whole = NULL;
        ps_error err = {0};
        assert_int_equal(ps_trace_load(&whole, ps_gen_anchor(g), &options, &err), PS_OK);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
                assert_int_equal(load_stays(g, whole, sizes[i]).are_away, are_away && sizes[i] > 1);
        ps_trace_close(whole);
}

/* Whatever the times say. */
static void expect_odd(ps_gen *g)
{
        const ps_focus_wish wish = {.how = PS_FOCUS_PROGRAM};
        const ps_load_options options = {.n_threads = 1, .focus = &wish, .clock = PS_CLOCK_AS_IS};
        struct stays s = {.path = ps_gen_anchor(g), .clock = PS_CLOCK_AS_IS, .are_brought = true};
        ps_trace *whole = NULL;
        ps_error err = {0};
        assert_int_equal(ps_trace_load(&whole, s.path, &options, &err), PS_OK);
        s.whole = whole;
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
                crew_run(sizes[i], load_without_rows, &s);
                assert_int_equal(s.are_away, sizes[i] > 1);
        }
        ps_trace_close(whole);
}

/* Intact; with one file that ends after so many parts of it; and without that. The archive is freed. */
static void expect_odd_and_damaged(ps_gen *g, uint64_t seed, uint64_t parts)
{
        expect_odd(g);
        char *path = strdup(ps_gen_events_file(g, (uint32_t)seed % 2));
        ps_file_truncate(path, ps_file_size(path) * seed / parts);
        expect_odd(g);
        remove(path);
        expect_odd(g);
        free(path);
        ps_gen_free(g);
}

/* Threads, and members that do not make the same calls; then one file ends too early, or is not there. */
TEST(rows_of_odd_programs_stay_intact_or_damaged)
{
        for (uint64_t seed = 1; seed <= 12; seed++)
                expect_odd_and_damaged(random_program_odd(seed, 100), seed, 12);
}

/* Epochs of all sorts; then one file ends too early, or is not there, or calls are lost. */
TEST(rows_of_one_sided_communication_stay_intact_or_damaged)
{
        for (uint64_t seed = 1; seed <= 6; seed++) {
                uint32_t n_messages, n_colls;
                ps_gen *g = random_program_write(&(random_program){.seed = seed,
                                                                   .ranks = 2 + (uint32_t)seed,
                                                                   .steps = 100,
                                                                   .windows = true,
                                                                   .loses_calls = seed % 2 ? 0 : 20},
                                                 &n_messages, &n_colls);
                expect_odd_and_damaged(g, seed, 6);
        }
}

/* Threads of UPC, each a process among others of MPI, or two in one. */
TEST(rows_of_upc_stay_intact_or_damaged)
{
        for (uint64_t seed = 1; seed <= 6; seed++) {
                uint32_t n_messages, n_colls, n_threads = 1 + (uint32_t)seed % 2;
                ps_gen *g =
                        random_program_write(&(random_program){.seed = seed,
                                                               .ranks = n_threads * (2 + (uint32_t)seed / 2),
                                                               .steps = 100,
                                                               .pgas = true,
                                                               .loses_calls = seed % 3 ? 0 : 20,
                                                               .options = {.threads = n_threads}},
                                             &n_messages, &n_colls);
                expect_odd_and_damaged(g, seed, 6);
        }
}

/* A request that is used again, regions and calls that are never left, and messages that nobody receives. */
TEST(rows_stay_where_the_events_have_issues_and_messages_of_one_side_find_nobody)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 5});
        for (uint32_t rank = 0; rank < 5; rank++) {
                ps_gen_enter(g, rank, 1, "MPI_Init");
                ps_gen_leave(g, rank, 5 + rank, "MPI_Init");
                for (uint32_t i = 0; i < 20; i++) {
                        uint64_t t = 100 + 100 * i;
                        ps_gen_isend(g, rank, t + 10, t + 20, (rank + 1) % 5, PS_GEN_WORLD, 4, 300, i / 2);
                        ps_gen_barrier(g, rank, t + 30, t + 40, PS_GEN_WORLD);
                }
                ps_gen_enter(g, rank, 3000 + rank, rank % 2 ? "MPI_Recv" : "main");
        }
        ps_gen_close(g);
        expect_stay(g, true);
        ps_gen_free(g);
}

/* So often that there are rows that nobody asks for; at times of its own, or files are taken for copies. */
static void meet(ps_gen *g, uint32_t rank, uint64_t from)
{
        for (uint64_t t = from; t < from + 400; t += 10)
                ps_gen_barrier(g, rank, t, t + 9, PS_GEN_WORLD);
}

/* The send of rank 0 finds nobody; of its two messages one comes, and one goes nowhere. */
TEST(who_receives_as_many_messages_as_it_loses_tells_of_those)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        ps_gen_send(g, 0, 10, 20, 1, PS_GEN_WORLD, 4, 300);
        ps_gen_send(g, 1, 10, 20, 0, PS_GEN_WORLD, 4, 300);
        ps_gen_recv(g, 0, 30, 40, 1, PS_GEN_WORLD, 4, 300);
        for (uint32_t rank = 0; rank < 2; rank++)
                meet(g, rank, 50 + rank);
        ps_gen_close(g);
        expect_stay(g, true);
        ps_gen_free(g);
}

/* Who does not come back, and whom it waits for. */
struct stuck {
        ps_proc process, partner;
};

/* The archive is closed and freed. */
static void expect_stuck(ps_gen *g, const struct stuck *stuck, uint32_t n)
{
        ps_trace *whole = NULL;
        ps_error err = {0};
        ps_ending ending;
        ps_gen_close(g);
        assert_int_equal(ps_trace_load(&whole, ps_gen_anchor(g), NULL, &err), PS_OK);
        assert_int_equal(ps_ending_find(&ending, whole, &err), PS_OK);
        assert_int_equal(ending.n_stuck, n);
        for (uint32_t i = 0; i < n; i++) {
                assert_int_equal(ending.stuck[i].process, stuck[i].process);
                assert_int_equal(ending.stuck[i].partner, stuck[i].partner);
        }
        ps_ending_clear(&ending);
        ps_trace_close(whole);
        expect_stay(g, true);
        ps_gen_free(g);
}

/* Ranks 0 and 3 wait for one and the same of two requests, rank 1 for either of two, rank 2 for nothing. */
TEST(a_wait_that_is_never_left_is_about_requests_that_are_not_completed)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 4});
        for (uint32_t rank = 0; rank < 4; rank++) {
                meet(g, rank, rank);
                for (uint32_t i = 0; i < 2; i++) {
                        uint64_t t = 510 + 20 * i, to = rank == 1 ? 2 * i : 1;
                        ps_gen_isend(g, rank, t, t + 9, (uint32_t)to, PS_GEN_WORLD, 4, 300, i);
                }
                if (rank == 2)
                        ps_gen_waitall(g, rank, 550, 560, 2, (ps_gen_rec[]){PS_GEN_SENT(0), PS_GEN_SENT(1)});
                ps_gen_enter(g, rank, 570, "MPI_Waitall");
        }
        expect_stuck(g, (const struct stuck[]){{0, 1}, {1, PS_NONE}, {3, 1}}, 3);
}

/* Rank 3 waits for a message that never comes, so that the others never leave their Finalize. */
TEST(who_never_came_to_an_operation_is_told_wherever_its_members_are)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 5});
        for (uint32_t rank = 0; rank < 5; rank++) {
                ps_gen_visit(g, rank, 0, 10, "MPI_Init");
                meet(g, rank, 10 + rank);
                ps_gen_enter(g, rank, 570, rank == 3 ? "MPI_Recv" : "MPI_Finalize");
        }
        expect_stuck(g, (const struct stuck[]){{0, 3}, {1, 3}, {2, 3}, {3, PS_NONE}, {4, 3}}, 5);
}

/* All at the same times. */
static ps_gen *ring_of_sends(uint32_t n)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = n});
        for (uint32_t rank = 0; rank < n; rank++)
                for (uint32_t i = 0; i < 50; i++) {
                        uint64_t t = 100 * i;
                        ps_gen_isend(g, rank, t + 10, t + 20, (rank + 1) % n, PS_GEN_WORLD, 4, 300, i);
                        ps_gen_barrier(g, rank, t + 30, t + 40, PS_GEN_WORLD);
                }
        ps_gen_close(g);
        return g;
}

/* Whether one is the copy of another one, the rows of both tell. */
TEST(a_copied_file_is_told_where_rows_stay)
{
        ps_gen *g = ring_of_sends(5);
        char *from = strdup(ps_gen_events_file(g, 1)), *to = strdup(ps_gen_events_file(g, 2));
        remove(to);
        assert_int_equal(link(from, to), 0);
        ps_trace *whole = NULL;
        ps_error err = {0};
        assert_int_equal(ps_trace_load(&whole, ps_gen_anchor(g), NULL, &err), PS_OK);
        assert_int_equal(whole->issues.row[PS_I_FILE_COPIED].count, 1);
        ps_trace_close(whole);
        expect_stay(g, true);
        free(from);
        free(to);
        ps_gen_free(g);
}
