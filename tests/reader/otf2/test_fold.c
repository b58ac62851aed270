/* test_fold.c - what is folded where it is decoded is what becomes of the events that a batch would have had:
 * the same load of sound, damaged and recorded archives. */
#include "core/model/pieces.h"
#include "reader/otf2/otf2.h"
#include "tests/reader/otf2/same.h"
#include "tests/support/corpus.h"
#include "tests/support/damage.h"
#include "tests/support/dumped.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_SEEDS = SANITIZED ? 6 : 24, N_STEPS = 300, DAMAGED_STEPS = 12, PORTIONS = 4 /* of each location */ };

static ps_gen *program_of(uint64_t seed, uint32_t steps)
{
        random_program p = {.seed = seed,
                            .ranks = 2 + (uint32_t)seed % (RANDOM_MAX_RANKS - 1),
                            .steps = steps,
                            .options = {.mapped = seed % 2 == 1, .threads = 1 + (uint32_t)seed % 3}};
        uint32_t n_messages, n_colls;
        return random_program_write(&p, &n_messages, &n_colls);
}

TEST(random_programs_load_alike)
{
        for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
                ps_gen *g = program_of(seed, N_STEPS);
                expect_same(ps_gen_anchor(g));
                ps_gen_free(g);
        }
}

/* With windows, teams of threads, and what else is rare. */
TEST(random_odd_programs_load_alike)
{
        for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
                ps_gen *g = random_program_odd(seed, N_STEPS);
                expect_same(ps_gen_anchor(g));
                ps_gen_free(g);
        }
}

TEST(damaged_archives_load_alike)
{
        expect_same_damaged(program_of(2, DAMAGED_STEPS));
        expect_same_damaged(random_program_odd(1, DAMAGED_STEPS)); /* with windows and threads */
}

enum { FEW_PLACES = 3, MANY_PLACES = 700, PLACE_NS = 400 };

/* Each of two ranks sends to the other at all places of its program, in calls that its recorder unwinds; one
 * clock is ahead, so that there are offsets to apply. */
static ps_gen *unwound_of(uint32_t n_places)
{
        static const int64_t skew[] = {0, 12345};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2, .skew = skew});
        uint32_t top = ps_gen_context(g, OTF2_UNDEFINED_CALLING_CONTEXT, "main", "app.c", 1);
        uint32_t *calls = malloc(2 * (size_t)n_places * sizeof(*calls));
        assert_non_null(calls);
        for (uint32_t i = 0; i < n_places; i++) {
                uint32_t place = ps_gen_context(g, top, "step", "app.c", 10 + i);
                calls[2 * i] = ps_gen_context(g, place, "MPI_Irecv", NULL, 0);
                calls[2 * i + 1] = ps_gen_context(g, place, "MPI_Send", NULL, 0);
        }
        for (uint32_t rank = 0; rank < 2; rank++)
                for (uint32_t i = 0; i < 2 * n_places; i++) {
                        uint32_t at = i / 2;
                        uint64_t time = (uint64_t)i * PLACE_NS;
                        ps_gen_context_call(g, calls[2 * at], rank, time, time + 50, 1,
                                            &PS_GEN_REC_OF(IRECV_REQUEST, .request = i));
                        ps_gen_context_call(g, calls[2 * at + 1], rank, time + 50, time + 100, 1,
                                            &PS_GEN_REC_OF(SEND, .peer = 1 - rank, .tag = i, .bytes = 8));
                        ps_gen_wait(g, rank, time + 100, time + 300,
                                    PS_GEN_GOT(1 - rank, PS_GEN_WORLD, i, 8, i));
                }
        ps_gen_close(g);
        free(calls);
        return g;
}

/* More places than are kept at hand. */
TEST(calls_by_calling_context_load_alike)
{
        ps_gen *g = unwound_of(MANY_PLACES);
        expect_same(ps_gen_anchor(g));
        ps_gen_free(g);
}

TEST(damaged_calls_by_calling_context_load_alike)
{
        expect_same_damaged(unwound_of(FEW_PLACES));
}

enum { N_SITES = 6 };

/* Calls whose line is told in each way there is, and now and then with something else besides. */
static ps_gen *sited_of(uint32_t n_calls)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t rank = 0; rank < 2; rank++)
                for (uint32_t i = 0; i < n_calls; i++) {
                        uint64_t time = (uint64_t)i * PLACE_NS;
                        if (i % N_SITES < 2)
                                ps_gen_site(g, rank, "app.c", 10 + i % 7);
                        if (i % N_SITES > 1 && i % N_SITES < 5) {
                                ps_gen_hint_text(g, rank, "CALLSITE_FILE", i % 4 ? "app.c" : "lib.c");
                                ps_gen_hint(g, rank, "CALLSITE_LINE",
                                            i % N_SITES == 3 ? UINT32_MAX : 10 + i % 7);
                        }
                        if (i % N_SITES == 4)
                                ps_gen_hint(g, rank, "weight", i);
                        ps_gen_rec rec = rank ? PS_GEN_REC_OF(RECV, .peer = 0, .tag = 1, .bytes = 8)
                                              : PS_GEN_REC_OF(SEND, .peer = 1, .tag = 1, .bytes = 8);
                        ps_gen_call(g, rank ? "MPI_Recv" : "MPI_Send", rank, time, time + 100, 1, &rec);
                        ps_gen_visit(g, rank, time + 150, time + 200, "work");
                }
        ps_gen_close(g);
        return g;
}

TEST(calls_at_known_lines_load_alike)
{
        ps_gen *g = sited_of(MANY_PLACES);
        expect_same(ps_gen_anchor(g));
        ps_gen_free(g);
}

TEST(damaged_calls_at_known_lines_load_alike)
{
        expect_same_damaged(sited_of(2 * N_SITES));
}

/* Messages of a length of their own each, so many that lengths are no longer looked for; then of a few
 * lengths, which are found again. Two are under way at a time, from and to calls that block and such that do
 * not. */
static ps_gen *lengths_of(uint32_t n_own, uint32_t n_few)
{
        enum { FEW = 10 };
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t i = 0; i < n_own + n_few; i++) {
                const uint64_t time = (uint64_t)i * PLACE_NS, bytes = i < n_own ? 1000 + 7 * i : i % FEW;
                ps_gen_call(g, "MPI_Irecv", 1, time, time + 20, 1,
                            &PS_GEN_REC_OF(IRECV_REQUEST, .request = i));
                ps_gen_call(g, "MPI_Send", 0, time, time + 50, 1,
                            &PS_GEN_REC_OF(SEND, .peer = 1, .tag = i % 3, .bytes = bytes));
                ps_gen_call(g, "MPI_Isend", 0, time + 50, time + 80, 1,
                            &PS_GEN_REC_OF(ISEND, .peer = 1, .tag = 7, .bytes = bytes + 1, .request = i));
                ps_gen_wait(g, 0, time + 100, time + 200, PS_GEN_SENT(i));
                ps_gen_wait(g, 1, time + 100, time + 200, PS_GEN_GOT(0, PS_GEN_WORLD, i % 3, bytes, i));
                ps_gen_call(g, "MPI_Recv", 1, time + 200, time + 250, 1,
                            &PS_GEN_REC_OF(RECV, .peer = 0, .tag = 7, .bytes = bytes + 1));
        }
        ps_gen_close(g);
        return g;
}

TEST(messages_of_lengths_of_their_own_load_alike)
{
        ps_gen *g = lengths_of(4 * MANY_PLACES, MANY_PLACES);
        expect_same(ps_gen_anchor(g));
        ps_gen_free(g);
}

/* -- calls of one message -- */

/* Sent or received, at once or begun: as the call is or some time later, in calls that take very long, below
 * which something else is called, with a second message, or one from nobody. */
static void put_one(ps_gen *g, uint32_t rank, uint32_t i)
{
        static const char *const names[] = {"MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv"};
        const uint64_t s = UINT64_C(1000000000), begin = (uint64_t)i * 20 * s,
                       told = begin + (i % 7 == 3 ? 5 * s : i % 3),
                       end = told + (i % 11 == 7 ? 5 * s : i % 2);
        const uint32_t other = i % 13 == 12 ? 99 : 1 - rank, which = i % 5 % 4;
        const uint64_t bytes = i % 17 == 16 ? UINT64_MAX : i % 3;
        const ps_gen_rec recs[] = {PS_GEN_REC_OF(SEND, .peer = other, .tag = i % 2, .bytes = bytes),
                                   PS_GEN_REC_OF(RECV, .peer = other, .tag = i % 2, .bytes = bytes),
                                   PS_GEN_REC_OF(ISEND, .peer = other, .bytes = bytes, .request = i % 31),
                                   PS_GEN_REC_OF(IRECV_REQUEST, .request = i % 31)};
        ps_gen_enter(g, rank, begin, names[which]);
        if (i % 23 == 22)
                ps_gen_visit(g, rank, begin, begin, "inner");
        ps_gen_put(g, rank, told, recs[i % 19 == 18 ? i % 4 : which]);
        if (i % 29 == 28)
                ps_gen_put(g, rank, told, recs[which]);
        ps_gen_leave(g, rank, end, names[which]);
        if (which >= 2 && i % 37 != 36)
                ps_gen_wait(g, rank, end + 10, end + 20,
                            which == 2 ? PS_GEN_SENT(i % 31)
                                       : PS_GEN_GOT(other, PS_GEN_WORLD, 0, bytes, i % 31));
}

static ps_gen *ones_of(uint32_t n)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t rank = 0; rank < 2; rank++)
                for (uint32_t i = 0; i < n; i++)
                        put_one(g, rank, i);
        ps_gen_close(g);
        return g;
}

TEST(calls_of_one_message_load_alike)
{
        ps_gen *g = ones_of(900);
        expect_same(ps_gen_anchor(g));
        ps_gen_free(g);
}

TEST(damaged_calls_of_one_message_load_alike)
{
        expect_same_damaged(ones_of(10));
}

/* -- calls of several messages -- */

#define SENT_ONE(to)        PS_GEN_REC_OF(SEND, .peer = (to), .tag = 1, .bytes = 8)
#define GOT_ONE(of)         PS_GEN_REC_OF(RECV, .peer = (of), .tag = 1, .bytes = 8)
#define SENDS(to, request_) PS_GEN_REC_OF(ISEND, .peer = (to), .tag = 2, .bytes = 16, .request = (request_))
#define RECEIVES(request_)  PS_GEN_REC_OF(IRECV_REQUEST, .request = (request_))

/* Sendrecv as recorders write it, the other way round, with one half missing, and with more than two. */
static void exchange(ps_gen *g, uint32_t rank, uint64_t time)
{
        const uint32_t other = 1 - rank;
        const ps_gen_rec both[] = {SENT_ONE(other), GOT_ONE(other)}, turned[] = {both[1], both[0]},
                         more[] = {both[0], both[1], both[0], both[1], both[1]};
        ps_gen_call(g, "MPI_Sendrecv", rank, time, time + 50, 2, both);
        ps_gen_call(g, "MPI_Sendrecv", rank, time + 50, time + 100, 2, turned);
        ps_gen_call(g, "MPI_Sendrecv", rank, time + 100, time + 150, 1, both);
        ps_gen_call(g, "MPI_Sendrecv_replace", rank, time + 150, time + 200, 1, turned);
        ps_gen_call(g, "MPI_Sendrecv", rank, time + 200, time + 250, 5, more);
        ps_gen_call(g, "MPI_Sendrecv", rank, time + 250, time + 270, 0, NULL);
        ps_gen_call(g, "MPI_Sendrecv", rank, time + 270, time + 290, 1, &SENDS(other, 99));
        ps_gen_wait(g, rank, time + 290, time + 300, PS_GEN_SENT(99));
}

/* Persistent requests: started, tested, completed, and started again; cancelled; not active; started while
 * they are; and many at once. */
static void restart(ps_gen *g, uint32_t rank, uint64_t time)
{
        const uint32_t other = 1 - rank;
        const ps_gen_rec all[] = {RECEIVES(3), SENDS(other, 4), SENDS(other, 5)},
                         done[] = {PS_GEN_GOT(other, PS_GEN_WORLD, 2, 16, 3), PS_GEN_SENT(4),
                                   PS_GEN_CANCELLED(5)},
                         odd[] = {RECEIVES(6), SENT_ONE(other), GOT_ONE(other)};
        ps_gen_call(g, "MPI_Start", rank, time, time + 10, 1, &RECEIVES(1));
        ps_gen_call(g, "MPI_Start", rank, time + 10, time + 20, 1, &SENDS(other, 2));
        ps_gen_call(g, "MPI_Start", rank, time + 20, time + 30, 0, NULL);
        ps_gen_call(g, "MPI_Startall", rank, time + 30, time + 40, 3, all);
        ps_gen_call(g, "MPI_Test", rank, time + 40, time + 50, 1, &PS_GEN_PENDING(1));
        ps_gen_wait(g, rank, time + 50, time + 60, PS_GEN_GOT(other, PS_GEN_WORLD, 2, 16, 1));
        ps_gen_call(g, "MPI_Start", rank, time + 60, time + 70, 1, &RECEIVES(1));
        ps_gen_call(g, "MPI_Start", rank, time + 70, time + 80, 1, &RECEIVES(1));
        ps_gen_waitall(g, rank, time + 80, time + 120, 3, done);
        ps_gen_wait(g, rank, time + 120, time + 130, PS_GEN_SENT(2));
        ps_gen_wait(g, rank, time + 130, time + 140, PS_GEN_GOT(other, PS_GEN_WORLD, 2, 16, 1));
        ps_gen_wait(g, rank, time + 140, time + 150, PS_GEN_SENT(2));
        ps_gen_call(g, "MPI_Startall", rank, time + 150, time + 160, 3, odd);
        ps_gen_wait(g, rank, time + 160, time + 170, PS_GEN_CANCELLED(6));
}

static ps_gen *several_of(uint32_t n)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t rank = 0; rank < 2; rank++)
                for (uint32_t i = 0; i < n; i++) {
                        ps_gen_enter(g, rank, (uint64_t)i * 2 * PLACE_NS, "work");
                        exchange(g, rank, (uint64_t)i * 2 * PLACE_NS);
                        restart(g, rank, ((uint64_t)i * 2 + 1) * PLACE_NS);
                        ps_gen_leave(g, rank, ((uint64_t)i * 2 + 1) * PLACE_NS + 200, "work");
                }
        ps_gen_close(g);
        return g;
}

TEST(calls_of_several_messages_load_alike)
{
        ps_gen *g = several_of(MANY_PLACES);
        expect_same(ps_gen_anchor(g));
        ps_gen_free(g);
}

TEST(damaged_calls_of_several_messages_load_alike)
{
        expect_same_damaged(several_of(2));
}

/* What nobody needs to know of the next record: now a number, now a text, now so much that it is passed over
 * elsewhere. */
static void weigh(ps_gen *g, uint32_t rank, uint32_t i)
{
        static const char *const more[] = {"a", "b", "c", "d", "e", "f"};
        if (i % 7 == 0)
                return;
        ps_gen_hint(g, rank, "weight", (uint64_t)i << i % 60);
        if (i % 3 == 0)
                ps_gen_hint_text(g, rank, "phase", "warm");
        for (uint32_t k = 0; i % 11 == 0 && k < sizeof(more) / sizeof(*more); k++)
                ps_gen_hint(g, rank, more[k], UINT64_MAX - k);
        if (i % 13 == 0)
                ps_gen_site(g, rank, "app.c", 10 + i % 5);
}

/* Each sort of record with attributes. */
static ps_gen *weighed_of(uint32_t n_calls)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t rank = 0; rank < 2; rank++)
                for (uint32_t i = 0; i < n_calls; i++) {
                        const uint64_t time = (uint64_t)i * PLACE_NS;
                        const char *region = i % 3 == 2 ? "work" : rank ? "MPI_Recv" : "MPI_Send";
                        weigh(g, rank, 3 * i);
                        ps_gen_enter(g, rank, time, region);
                        if (i % 3 < 2) {
                                weigh(g, rank, 3 * i + 1);
                                ps_gen_put(g, rank, time + 50,
                                           rank ? PS_GEN_REC_OF(RECV, .peer = 0, .tag = i, .bytes = 8)
                                                : PS_GEN_REC_OF(SEND, .peer = 1, .tag = i, .bytes = 8));
                        }
                        weigh(g, rank, 3 * i + 2);
                        ps_gen_leave(g, rank, time + 100, region);
                }
        ps_gen_close(g);
        return g;
}

TEST(records_with_attributes_of_any_sort_load_alike)
{
        ps_gen *g = weighed_of(MANY_PLACES);
        expect_same(ps_gen_anchor(g));
        ps_gen_free(g);
}

TEST(damaged_records_with_attributes_load_alike)
{
        expect_same_damaged(weighed_of(2 * N_SITES));
}

enum { INNER = 1, OUTER = 0, N_TEAMS = 2, LOCKS = 3 };

/* In a team one thread is a team of its own for a while, does a task, and comes back; barriers are entered in
 * either, also by way of the same region. Of the locks one is given back late and one never; a task's region
 * is left after another task's. In the end the inner team goes on. */
static ps_gen *teams_of(uint32_t n_rounds)
{
        static const char barrier[] = "!$omp barrier @a.c:9", task[] = "!$omp task @a.c:4";
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1, .threads = 2});
        const uint32_t thread[] = {ps_gen_at(g, 0, 0), ps_gen_at(g, 0, 1)},
                       team[N_TEAMS] = {ps_gen_team(g, "outer", thread, 2),
                                        ps_gen_team(g, "inner", thread, 1)};
        for (uint32_t t = 0; t < 2; t++)
                for (uint32_t i = 0; i < n_rounds; i++) {
                        const uint64_t at = (uint64_t)i * PLACE_NS;
                        const uint32_t loc = thread[t], lock = i % LOCKS;
                        const OTF2_Paradigm omp = OTF2_PARADIGM_OPENMP;
                        ps_gen_put(g, loc, at, PS_GEN_REC_OF(FORK, .op = omp, .tag = i));
                        ps_gen_put(g, loc, at + 5, PS_GEN_REC_OF(TEAM_BEGIN, .comm = team[OUTER]));
                        ps_gen_visit(g, loc, at + 10, at + 20, barrier);
                        ps_gen_enter(g, loc, at + 25, "!$omp critical @a.c:5");
                        ps_gen_put(g, loc, at + 30,
                                   PS_GEN_REC_OF(LOCK_ACQUIRE, .op = omp, .ref = lock, .tag = i));
                        ps_gen_leave(g, loc, at + 35, "!$omp critical @a.c:5");
                        ps_gen_put(g, loc, at + 40, PS_GEN_REC_OF(TEAM_BEGIN, .comm = team[INNER]));
                        ps_gen_put(g, loc, at + 45,
                                   PS_GEN_REC_OF(TASK_CREATE, .comm = team[INNER], .peer = t, .tag = i));
                        ps_gen_put(g, loc, at + 50,
                                   PS_GEN_REC_OF(TASK_SWITCH, .comm = team[INNER], .peer = t, .tag = i));
                        ps_gen_enter(g, loc, at + 55, task);
                        ps_gen_visit(g, loc, at + 60, at + 70, barrier);
                        ps_gen_put(g, loc, at + 75,
                                   PS_GEN_REC_OF(TASK_SWITCH, .comm = team[INNER], .peer = t, .tag = 0));
                        ps_gen_leave(g, loc, at + 80, task);
                        ps_gen_put(g, loc, at + 85,
                                   PS_GEN_REC_OF(TASK_COMPLETE, .comm = team[INNER], .peer = t, .tag = i));
                        ps_gen_visit(g, loc, at + 90, at + 100, barrier);
                        if (i + 1 == n_rounds)
                                break;
                        ps_gen_put(g, loc, at + 105, PS_GEN_REC_OF(TEAM_END, .comm = team[INNER]));
                        ps_gen_visit(g, loc, at + 110, at + 120, barrier);
                        if (lock)
                                ps_gen_put(g, loc, at + 130,
                                           PS_GEN_REC_OF(LOCK_RELEASE, .op = omp, .ref = lock, .tag = i));
                        ps_gen_put(g, loc, at + 140, PS_GEN_REC_OF(TEAM_END, .comm = team[OUTER]));
                        ps_gen_visit(g, loc, at + 150, at + 160, barrier);
                        ps_gen_put(g, loc, at + 170, PS_GEN_REC_OF(JOIN, .op = omp));
                }
        ps_gen_close(g);
        return g;
}

TEST(teams_tasks_and_locks_load_alike)
{
        ps_gen *g = teams_of(MANY_PLACES);
        expect_same(ps_gen_anchor(g));
        ps_gen_free(g);
}

TEST(damaged_teams_tasks_and_locks_load_alike)
{
        expect_same_damaged(teams_of(3));
}

static void expect_case_same(const char *anchor, const char *title)
{
        (void)title;
        expect_same(anchor);
}

/* One of each pattern, with all sorts of calls. */
TEST(traces_of_patterns_load_alike)
{
        dumped_each_micro(expect_case_same);
}

TEST(recorded_traces_load_alike)
{
        const cJSON *entry;
        int is_there = corpus_open();
        cJSON_ArrayForEach(entry, corpus.manifest)
        {
                corpus_path anchor;
                corpus_unpack(corpus_text(entry, "file"));
                corpus_join(anchor, "%s/%s", corpus.unpacked, corpus_text(entry, "anchor"));
                expect_same(anchor);
        }
        corpus_close();
        if (!is_there)
                skip();
}

/* -- portions -- */

static unsigned n_joined;

static ps_status count_joined(ps_stream *stream, const ps_stream_portion *portion, ps_error *err)
{
        n_joined++;
        return ps_otf2_reader.portions->pass(stream, portion, err);
}

static void expect_joined(ps_gen *g, unsigned n)
{
        ps_stream_portions counted = *ps_otf2_reader.portions;
        ps_reader_class class = ps_otf2_reader;
        ps_trace *trace;
        counted.pass = count_joined;
        class.portions = &counted;
        n_joined = 0;
        const ps_load_options options = {.n_threads = 2, .portion_bytes = PORTION_BYTES};
        assert_int_equal(ps_load(&trace, &class, ps_gen_anchor(g), &options, NULL), PS_OK);
        assert_int_equal(n_joined, n);
        ps_trace_close(trace);
        expect_same(ps_gen_anchor(g));
        ps_gen_free(g);
}

TEST(portions_of_a_sound_location_are_joined)
{
        expect_joined(sited_of(MANY_PLACES), 2 * (PORTIONS - 1));
        expect_joined(unwound_of(MANY_PLACES), 2 * (PORTIONS - 1));
}

TEST(no_portion_is_joined_while_a_request_is_under_way)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t rank = 0; rank < 2; rank++) {
                ps_gen_isend(g, rank, 0, 10, 1 - rank, PS_GEN_WORLD, 4, 300, 1);
                for (uint64_t i = 1; i < MANY_PLACES; i++)
                        ps_gen_visit(g, rank, i * PLACE_NS, i * PLACE_NS + 50, "work");
                ps_gen_wait(g, rank, (uint64_t)MANY_PLACES * PLACE_NS, (uint64_t)MANY_PLACES * PLACE_NS + 90,
                            PS_GEN_SENT(1));
        }
        ps_gen_close(g);
        expect_joined(g, 0);
}
