/* test_pieces.c - what a location computes between its operations. A location is told as one text: gaps are
 * separated by '|', a piece is "region+ns" with a ' for each visit that begins with it; "-" is the
 * time in which the recorder was off, "." what is outside of all regions. */
#include "core/model/pieces.h"
#include "tests/support/damage.h"
#include "tests/support/loaded.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096 };

static ps_trace *load_with(const char *anchor, unsigned n_threads, ps_clock_mode clock)
{
        struct ps_piece_options pieces = {.most = 1 << 20};
        ps_load_options options = {.n_threads = n_threads, .clock = clock, .pieces = &pieces};
        ps_trace *trace;
        ps_error err = {0};
        if (ps_trace_load(&trace, anchor, &options, &err) != PS_OK)
                ps_test_die("%s", err.cause[0].text);
        loaded_check(trace);
        return trace;
}

static const char *name_of(const ps_trace *trace, ps_path path)
{
        if (path == PS_NONE)
                return "-";
        ps_region region = trace->paths[path].region;
        return region == PS_NONE ? "." : ps_defs_str(&trace->defs, trace->defs.regions.row[region].name);
}

static void describe(char *room, const ps_trace *trace, ps_loc loc)
{
        const ps_pieces *p = &trace->pieces[loc];
        size_t n = 0;
        room[0] = '\0';
        for (ps_op gap = 0; gap <= trace->ops[loc].n; gap++) {
                for (uint32_t i = ps_pieces_first(p, gap); i < p->end[gap]; i++) {
                        const ps_piece *piece = &p->piece[i];
                        n += (size_t)snprintf(room + n, ROOM - n, "%s%s+%lld%.*s",
                                              i > ps_pieces_first(p, gap) ? " " : "",
                                              name_of(trace, piece->path), (long long)(piece->time / 1000),
                                              (int)piece->begins, "''''''''''");
                }
                if (gap < trace->ops[loc].n)
                        n += (size_t)snprintf(room + n, ROOM - n, "|");
        }
}

static void expect_pieces(const ps_trace *trace, ps_loc loc, const char *expected)
{
        char found[ROOM];
        assert_non_null(trace->pieces);
        describe(found, trace, loc);
        assert_string_equal(found, expected);
}

static void expect(ps_gen *g, const char *expected)
{
        ps_gen_close(g);
        ps_trace *trace = load_with(ps_gen_anchor(g), 1, PS_CLOCK_AS_IS);
        expect_pieces(trace, 0, expected);
        ps_trace_close(trace);
        ps_gen_free(g);
}

static ps_gen *alone(void)
{
        return ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
}

static void send_to_self(ps_gen *g, uint64_t begin, uint64_t end)
{
        ps_gen_send(g, 0, begin, end, 0, PS_GEN_WORLD, 1, 8);
}

/* -- by hand -- */

/* main 0..100; a 10..50 with b 20..25 and a send 30..40; a 60..70 and 80..85. */
static ps_gen *two_of_a(void)
{
        ps_gen *g = alone();
        ps_gen_enter(g, 0, 0, "main");
        ps_gen_enter(g, 0, 10, "a");
        ps_gen_visit(g, 0, 20, 25, "b");
        send_to_self(g, 30, 40);
        ps_gen_leave(g, 0, 50, "a");
        ps_gen_visit(g, 0, 60, 70, "a");
        ps_gen_visit(g, 0, 80, 85, "a");
        ps_gen_leave(g, 0, 100, "main");
        return g;
}

/* Visits that begin in one gap are put together, but not with one that goes on from before. */
TEST(visits_begin_with_pieces)
{
        expect(two_of_a(), "main+10' a+15' b+5'|a+10 main+35 a+15''");
}

/* Visits of paths: x in x is another path. One that takes no time is there, too. */
TEST(a_path_within_itself_is_another)
{
        ps_gen *g = alone();
        ps_gen_enter(g, 0, 0, "x");
        ps_gen_visit(g, 0, 10, 15, "x");
        ps_gen_leave(g, 0, 20, "x");
        ps_gen_enter(g, 0, 20, "P");
        ps_gen_visit(g, 0, 30, 34, "Q");
        ps_gen_visit(g, 0, 40, 40, "x");
        ps_gen_leave(g, 0, 50, "P");
        ps_gen_visit(g, 0, 50, 57, "Q");
        expect(g, "x+15' x+5' P+26' Q+4' x+0' Q+7'");
}

/* A region that is entered within a call, calls in calls. */
TEST(what_is_entered_within_a_call_is_the_calls)
{
        ps_gen *g = alone();
        ps_gen_enter(g, 0, 0, "main");
        ps_gen_enter(g, 0, 10, "MPI_Reduce");
        ps_gen_visit(g, 0, 12, 14, "a");
        ps_gen_enter(g, 0, 20, "MPI_Test");
        ps_gen_leave(g, 0, 30, "MPI_Test");
        ps_gen_leave(g, 0, 50, "MPI_Reduce");
        ps_gen_leave(g, 0, 60, "main");
        expect(g, "main+10'||MPI_Reduce+20 main+10");
}

/* A send and a receive that are one call: there is no gap between them, and nothing has to be fitted. */
TEST(rows_of_one_call_have_no_gap)
{
        ps_gen *g = alone();
        ps_gen_enter(g, 0, 0, "main");
        ps_gen_sendrecv(g, 0, 20, 40, 0, 0, PS_GEN_WORLD, 1, 8);
        ps_gen_sendrecv(g, 0, 50, 55, 0, 0, PS_GEN_WORLD, 1, 8);
        ps_gen_leave(g, 0, 100, "main");
        ps_gen_close(g);
        ps_trace *trace = load_with(ps_gen_anchor(g), 1, PS_CLOCK_AS_IS);
        expect_pieces(trace, 0, "main+20'||main+10||main+45");
        assert_true(trace->pieces[0].adds_up);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* Nobody enters what is outside of all regions. */
TEST(no_visit_begins_outside_of_all_regions)
{
        ps_gen *g = alone();
        for (uint64_t t = 0; t < 40; t += 20) {
                send_to_self(g, t, t + 10);
                ps_gen_visit(g, 0, t + 10, t + 15, "a");
        }
        send_to_self(g, 40, 50);
        expect(g, "|a+5' .+5|a+5' .+5|");
}

/* What was asked within a call is forgotten when it is left. */
TEST(what_is_entered_behind_a_call_that_calls_others_is_told_apart)
{
        ps_gen *g = alone();
        ps_gen_enter(g, 0, 0, "main");
        ps_gen_enter(g, 0, 10, "MPI_Reduce");
        ps_gen_visit(g, 0, 12, 14, "a");
        ps_gen_leave(g, 0, 20, "MPI_Reduce");
        ps_gen_visit(g, 0, 30, 35, "b");
        ps_gen_visit(g, 0, 40, 46, "c");
        ps_gen_visit(g, 0, 50, 57, "d");
        ps_gen_visit(g, 0, 60, 64, "b");
        send_to_self(g, 70, 80);
        ps_gen_leave(g, 0, 90, "main");
        expect(g, "main+10'|main+28 b+9'' c+6' d+7'|main+10");
}

/* The lock is waited for from the begin of the construct on. */
TEST(a_lock_is_waited_for_from_its_construct_on)
{
        static const char critical[] = "!$omp critical @a.c:1";
        ps_gen *g = alone();
        ps_gen_enter(g, 0, 0, "main");
        ps_gen_enter(g, 0, 10, critical);
        ps_gen_put(g, 0, 25, PS_GEN_REC_OF(LOCK_ACQUIRE, .op = OTF2_PARADIGM_OPENMP, .ref = 1, .tag = 1));
        ps_gen_put(g, 0, 40, PS_GEN_REC_OF(LOCK_RELEASE, .op = OTF2_PARADIGM_OPENMP, .ref = 1, .tag = 1));
        ps_gen_leave(g, 0, 41, critical);
        ps_gen_leave(g, 0, 50, "main");
        expect(g,
               "main+10' !$omp critical @a.c:1+0'|!$omp critical @a.c:1+15|!$omp critical @a.c:1+1 main+9");
}

TEST(time_without_the_recorder_is_in_no_piece)
{
        ps_gen *g = alone();
        ps_gen_put(g, 0, 0, PS_GEN_REC_OF(PROGRAM_BEGIN, .ref = 0));
        ps_gen_enter(g, 0, 5, "main");
        ps_gen_put(g, 0, 10, PS_GEN_REC_OF(MEASUREMENT, .op = OTF2_MEASUREMENT_OFF));
        ps_gen_put(g, 0, 30, PS_GEN_REC_OF(MEASUREMENT, .op = OTF2_MEASUREMENT_ON));
        send_to_self(g, 37, 40);
        ps_gen_leave(g, 0, 40, "main");
        expect(g, ".+5 main+12' -+20|");
}

/* Left out of order: what is above goes on where it was entered. */
TEST(what_is_above_goes_on_where_it_was_entered)
{
        ps_gen *g = alone();
        ps_gen_enter(g, 0, 0, "main");
        ps_gen_enter(g, 0, 10, "a");
        ps_gen_enter(g, 0, 20, "b");
        ps_gen_leave(g, 0, 30, "a");
        ps_gen_leave(g, 0, 50, "b");
        ps_gen_visit(g, 0, 60, 70, "a");
        ps_gen_leave(g, 0, 100, "main");
        expect(g, "main+50' a+20'' b+30'");
}

/* Only calls are entered, with the stack that was unwound: main calls f, which sends, and g, which sends
 * twice. */
TEST(an_unwound_stack_gives_call_paths)
{
        ps_gen *g = alone();
        uint32_t none = OTF2_UNDEFINED_CALLING_CONTEXT, top = ps_gen_context(g, none, "main", NULL, 0);
        uint32_t in[] = {ps_gen_context(g, top, "f", NULL, 0), ps_gen_context(g, top, "g", NULL, 0)};
        uint32_t send[] = {ps_gen_context(g, in[0], "MPI_Send", NULL, 0),
                           ps_gen_context(g, in[1], "MPI_Send", NULL, 0)};
        ps_gen_put(g, 0, 0, PS_GEN_REC_OF(PROGRAM_BEGIN, .ref = 0));
        for (int i = 0; i < 3; i++) {
                uint64_t at = 10 * ((uint64_t)i + 1);
                ps_gen_put(g, 0, at, PS_GEN_REC_OF(CONTEXT_ENTER, .ref = send[i > 0], .tag = 1));
                ps_gen_put(g, 0, at + 1,
                           PS_GEN_REC_OF(SEND, .peer = 0, .comm = PS_GEN_WORLD, .tag = 1, .bytes = 8));
                ps_gen_put(g, 0, at + 3 + (uint64_t)i, PS_GEN_REC_OF(CONTEXT_LEAVE, .ref = send[i > 0]));
        }
        ps_gen_put(g, 0, 40, PS_GEN_REC_OF(PROGRAM_END, .bytes = 0));
        expect(g, "f+10|main+7|g+6|g+5"); /* never entered */
}

/* The stack was not unwound down to main: the call that follows tells where one is. */
TEST(functions_without_a_common_one_follow_the_next_call)
{
        static const char *const names[] = {"f", "g", "g"};
        ps_gen *g = alone();
        ps_gen_put(g, 0, 0, PS_GEN_REC_OF(PROGRAM_BEGIN, .ref = 0));
        for (uint32_t i = 0; i < 3; i++) {
                uint32_t at = ps_gen_context(g, OTF2_UNDEFINED_CALLING_CONTEXT, names[i], "a.c", 5);
                uint32_t send = ps_gen_context(g, at, "MPI_Send", NULL, 0);
                ps_gen_rec sent = PS_GEN_REC_OF(SEND, .peer = 0, .comm = PS_GEN_WORLD, .tag = 1, .bytes = 8);
                ps_gen_context_call(g, send, 0, 10 + 10 * i, 13 + 10 * i, 1, &sent);
        }
        ps_gen_put(g, 0, 40, PS_GEN_REC_OF(PROGRAM_END, .bytes = 0));
        expect(g, "f+10|g+7|g+7|g+7");
}

/* A function is one, whichever of its lines the calls stand in. */
TEST(a_function_is_one_whatever_its_line)
{
        ps_gen *g = alone();
        uint32_t none = OTF2_UNDEFINED_CALLING_CONTEXT;
        ps_gen_put(g, 0, 0, PS_GEN_REC_OF(PROGRAM_BEGIN, .ref = 0));
        for (uint32_t i = 0; i < 2; i++) {
                uint32_t at_line = ps_gen_context(g, none, "main", "a.c", 5 + i);
                uint32_t send = ps_gen_context(g, at_line, "MPI_Send", NULL, 0);
                ps_gen_rec sent = PS_GEN_REC_OF(SEND, .peer = 0, .comm = PS_GEN_WORLD, .tag = 1, .bytes = 8);
                ps_gen_context_call(g, send, 0, 10 + 10 * i, 14 + 10 * i, 1, &sent);
        }
        ps_gen_put(g, 0, 40, PS_GEN_REC_OF(PROGRAM_END, .bytes = 0));
        expect(g, "main+10|main+6|main+16");
}

/* -- limits -- */

TEST(too_many_pieces_are_given_up)
{
        ps_gen *g = two_of_a();
        ps_gen_close(g);
        struct ps_piece_options pieces = {.most = 6};
        ps_load_options options = {.n_threads = 1, .pieces = &pieces};
        ps_trace *trace;
        for (; pieces.most > 4; pieces.most--) { /* there are 6 */
                assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), &options, NULL), PS_OK);
                assert_int_equal(trace->pieces != NULL, pieces.most == 6);
                ps_trace_close(trace);
        }
        ps_gen_free(g);
}

/* Rows stand in blocks: what lies between the last of one and the first of the next is as any other. */
TEST(each_of_many_gaps_is_as_long_as_it_was)
{
        enum { N = 70000, EACH = 10, CALL = 6 };
        ps_gen *g = alone();
        ps_gen_enter(g, 0, 0, "main");
        for (uint64_t i = 0; i < N; i++)
                send_to_self(g, EACH * i + EACH - CALL, EACH * (i + 1));
        ps_gen_leave(g, 0, EACH * N + 1, "main");
        ps_gen_close(g);
        ps_trace *trace = load_with(ps_gen_anchor(g), 1, PS_CLOCK_AS_IS);
        const ps_pieces *p = &trace->pieces[0];
        assert_int_equal(p->n, N + 1);
        for (uint32_t gap = 0; gap < N; gap++) {
                assert_int_equal(p->end[gap], gap + 1);
                assert_int_equal(p->piece[gap].time, (EACH - CALL) * 1000);
                assert_int_equal(p->piece[gap].begins, gap == 0);
        }
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* A million regions deep, and one region a million times: linear, and one piece for each path. */
TEST(deep_and_often)
{
        enum { N = SANITIZED ? 100000 : 1000000 };
        ps_gen *g = alone();
        uint64_t t = 0;
        for (int i = 0; i < N; i++)
                ps_gen_enter(g, 0, t++, "a");
        for (int i = 0; i < N; i++)
                ps_gen_leave(g, 0, t++, "a");
        for (int i = 0; i < N; i++, t += 2)
                ps_gen_visit(g, 0, t, t + 1, "b");
        ps_gen_close(g);
        struct ps_piece_options pieces = {.most = 1 << 24};
        ps_load_options options = {.n_threads = 1, .pieces = &pieces};
        ps_trace *trace;
        assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), &options, NULL), PS_OK);
        assert_int_equal(trace->pieces[0].n, N + 2);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* -- laws -- */

/* Three ranks whose clocks differ by `skew` ns and less meet in messages and barriers. */
static ps_gen *skewed(int64_t skew)
{
        int64_t *ahead = calloc(3, sizeof(*ahead));
        ahead[1] = skew;
        ahead[2] = -skew / 3;
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3, .style = PS_GEN_EZTRACE, .skew = ahead});
        uint64_t t[3] = {5000, 5000, 5000};
        for (uint32_t r = 0; r < 3; r++)
                ps_gen_enter(g, r, t[r], "main");
        for (uint32_t i = 0; i < 40; i++) {
                uint32_t from = i % 3, to = (i + 1) % 3;
                ps_gen_visit(g, from, t[from] + 10, t[from] + 300 + 7 * i, i % 2 ? "a" : "b");
                t[from] += 300 + 7 * i;
                ps_gen_send(g, from, t[from], t[from] + 50, to, PS_GEN_WORLD, 1, 8);
                uint64_t arrival = t[from] + 60;
                uint64_t end = arrival > t[to] + 20 ? arrival : t[to] + 20;
                ps_gen_recv(g, to, t[to], end, from, PS_GEN_WORLD, 1, 8);
                t[from] += 50;
                t[to] = end;
        }
        for (uint32_t r = 0; r < 3; r++)
                ps_gen_leave(g, r, t[r] + 100, "main");
        ps_gen_close(g);
        free(ahead);
        return g;
}

/* load_with() checks the sums. */
TEST(corrected_clocks_keep_the_sums)
{
        static const int64_t skews[] = {0, 90, 600, 5000, 4000000};
        uint64_t n_moved = 0, n_repaired = 0;
        for (size_t i = 0; i < sizeof(skews) / sizeof(*skews); i++) {
                ps_gen *g = skewed(skews[i]);
                for (int mode = PS_CLOCK_AUTO; mode <= PS_CLOCK_REPAIR; mode++) {
                        ps_trace *trace = load_with(ps_gen_anchor(g), 1, (ps_clock_mode)mode);
                        assert_non_null(trace->pieces);
                        n_moved += trace->clock.moved;
                        n_repaired += trace->clock.repaired;
                        ps_trace_close(trace);
                }
                ps_gen_free(g);
        }
        assert_true(n_moved > 0 && n_repaired > 0);
}

TEST(threads_do_not_matter)
{
        ps_gen *g = skewed(600);
        char one[ROOM], many[ROOM];
        ps_trace *a = load_with(ps_gen_anchor(g), 1, PS_CLOCK_AUTO);
        ps_trace *b = load_with(ps_gen_anchor(g), 3, PS_CLOCK_AUTO);
        for (ps_loc loc = 0; loc < 3; loc++) {
                describe(one, a, loc);
                describe(many, b, loc);
                assert_string_equal(one, many);
                assert_non_null(strstr(one, "'"));
        }
        ps_trace_close(a);
        ps_trace_close(b);
        ps_gen_free(g);
}
