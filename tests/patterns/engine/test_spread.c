/* test_spread.c - what processes find in the rows that each of them has is what one finds in all. */
#include "core/base/hash.h"
#include "core/load/share.h"
#include "patterns/engine/works.h"
#include "reader/reader.h"
#include "tests/support/analysed.h"
#include "tests/support/crew/crew.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <string.h>

static const uint32_t sizes[] = {1, 2, 3, 4, 7};

struct run {
        const char *path;
        ps_focus_how focus;
        bool rows_may_stay, are_away;
        ps_analysis_options options;
        ps_analysis *analysis[2]; /* two walks over the same rows */
        ps_trace *trace;
        uint64_t match_bytes, crossing;
        uint64_t walk_bytes; /* of those, what the walks took */
};

/* By process 0, and the others with it. */
static void analyse(ps_exchange *x, void *ctx)
{
        struct run *run = ctx;
        ps_error err = {0};
        const ps_focus_wish wish = {
                .how = run->focus, .from = 700 * PS_PS_PER_NS, .to = PS_TIME_MAX, .region = "main"};
        ps_load_options options = {.n_threads = 1,
                                   .exchange = x,
                                   .focus = &wish,
                                   .clock = PS_CLOCK_AS_IS,
                                   .rows_may_stay = run->rows_may_stay};
        if (x && x->rank) {
                ps_share_serve(x, ps_reader_named, ps_engine_works);
                return;
        }
        assert_int_equal(ps_trace_load(&run->trace, run->path, &options, &err), PS_OK);
        uint64_t before = x ? x->told.match_bytes : 0;
        for (int i = 0; i < 2; i++)
                assert_int_equal(
                        ps_analyse(&run->analysis[i], run->trace, &run->trace->measured, &run->options, &err),
                        PS_OK);
        run->match_bytes = x ? x->told.match_bytes : 0;
        run->walk_bytes = run->match_bytes - before;
        run->crossing = x ? x->told.crossing : 0;
        run->are_away = run->trace->spread && run->trace->spread->rows_are_away;
        if (x)
                ps_share_dismiss(x);
        run->trace->spread = NULL;
}

static void free_run(struct run *run)
{
        for (int i = 0; i < 2; i++)
                ps_analysis_free(run->analysis[i]);
        ps_trace_close(run->trace);
}

static void expect_equal(const struct run *one, const struct run *many, int i)
{
        const ps_analysis *a = one->analysis[i], *b = many->analysis[i];
        analysed_expect_alike(one->trace, a, b);
        assert_memory_equal(a->count, b->count, sizeof(a->count));
}

/* Of two processes or more each walks over its own, whether process 0 has the rows of the others or not. */
static void expect_same_of(const char *path, ps_focus_how focus, const ps_analysis_options *options,
                           uint64_t *found)
{
        struct run one = {.path = path, .focus = focus, .options = *options};
        analyse(NULL, &one);
        for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(*sizes); i++) {
                uint32_t size = sizes[i / 2];
                struct run many = {.path = path, .focus = focus, .rows_may_stay = i % 2, .options = *options};
                crew_run(size, analyse, &many);
                assert_true((many.walk_bytes > 0) == (size > 1));
                assert_true(many.are_away == (size > 1 && many.rows_may_stay));
                expect_equal(&one, &many, 0);
                expect_equal(&one, &many, 1);
                free_run(&many);
        }
        for (unsigned p = 0; p < ps_pattern_count(); p++)
                found[p] += one.analysis[0]->count[p];
        free_run(&one);
}

static void expect_same(const char *path, ps_focus_how focus, const ps_analysis_options *options)
{
        uint64_t found[PS_MAX_PATTERNS] = {0};
        expect_same_of(path, focus, options, found);
}

/* Random programs that are looked at, and those that are listened to, at each number of processes. */
enum { PROGRAMS = SANITIZED ? 6 : 12, HEARD = SANITIZED ? 3 : 6 };

TEST(what_each_finds_is_what_one_finds)
{
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                ps_gen *g = random_program_of(seed);
                for (int d = 0; d < PS_N_DEFINITIONS; d++) {
                        ps_analysis_options options = {.definitions = (ps_definitions)d,
                                                       .epsilon = seed % 3 ? 0 : -1,
                                                       .n_threads = 1 + (unsigned)seed % 2};
                        expect_same(ps_gen_anchor(g), (ps_focus_how)(seed % PS_FOCUS_HOWS), &options);
                }
                ps_gen_free(g);
        }
}

/* What waits for one of the ranks, and it for them, is added up by location. */
TEST(a_master_that_somebody_names_is_the_same_for_all_processes)
{
        uint64_t found[PS_MAX_PATTERNS] = {0};
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                ps_gen *g = random_program_of(seed);
                const ps_analysis_options options = {.epsilon = seed % 2 ? 0 : -1,
                                                     .n_threads = 1 + (unsigned)seed % 2,
                                                     .has_master = 1,
                                                     .master = (uint32_t)seed % 2};
                expect_same_of(ps_gen_anchor(g), PS_FOCUS_WHOLE_RUN, &options, found);
                ps_gen_free(g);
        }
        assert_true(found[ps_pattern_find("pgas-slow-workers")] +
                    found[ps_pattern_find("pgas-overloaded-master")]);
}

/* Threads, locks, and members that do not make the same calls. */
TEST(what_each_finds_of_odd_programs_is_what_one_finds)
{
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                ps_gen *g = random_program_odd(seed, 150);
                ps_analysis_options options = {.definitions = (ps_definitions)(seed % PS_N_DEFINITIONS),
                                               .epsilon = seed % 5 ? 0 : -1,
                                               .n_threads = 1 + (unsigned)seed % 2};
                expect_same(ps_gen_anchor(g), (ps_focus_how)(seed % PS_FOCUS_HOWS), &options);
                ps_gen_free(g);
        }
}

/* Programs of a sort, in some of which calls are lost: all these patterns are found in some. */
static void expect_found(random_program program, const char *const *patterns, size_t n)
{
        uint64_t found[PS_MAX_PATTERNS] = {0};
        const ps_analysis_options options = {.n_threads = 1};
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                uint32_t n_messages, n_colls;
                program.seed = seed;
                program.steps = 200;
                program.ranks = 2 + (uint32_t)seed % 7;
                if (program.options.threads)
                        program.ranks = 2 * (2 + (uint32_t)seed % 3);
                program.loses_calls = seed % 3 ? 0 : 50;
                ps_gen *g = random_program_write(&program, &n_messages, &n_colls);
                expect_same_of(ps_gen_anchor(g), PS_FOCUS_WHOLE_RUN, &options, found);
                ps_gen_free(g);
        }
        for (size_t i = 0; i < n; i++)
                assert_true(found[ps_pattern_find(patterns[i])] > 0);
}

#define EXPECT_FOUND(program, ...)                                                                           \
        do {                                                                                                 \
                const char *const patterns[] = {__VA_ARGS__};                                                \
                expect_found(program, patterns, sizeof(patterns) / sizeof(*patterns));                       \
        } while (0)

TEST(what_each_finds_of_one_sided_communication_is_what_one_finds)
{
        EXPECT_FOUND(((random_program){.windows = true}), "fence-wait", "window-wait", "late-post",
                     "early-transfer", "early-wait", "late-complete", "window-lock-wait",
                     "wait-for-progress");
}

TEST(what_each_finds_of_neighbours_is_what_one_finds)
{
        EXPECT_FOUND(((random_program){.neighbours = true, .nonblocking = true}), "neighbor-wait",
                     "nonblocking-collective-wait");
}

/* Ranks are threads of UPC: one a process, among messages and windows of MPI, or two. */
#define PGAS_PATTERNS                                                                                        \
        "pgas-in-sync-wait", "pgas-late-broadcast", "pgas-late-gather", "pgas-early-prefix-reduce",          \
                "pgas-early-gather", "pgas-in-sync-many-to-many", "pgas-alone-in-collective",                \
                "pgas-out-sync-wait", "pgas-assumed-in-sync", "pgas-lock-wait", "pgas-barrier-wait",         \
                "pgas-alloc-wait", "pgas-fence-wait", "pgas-split-barrier-wait", "pgas-atomic-wait",         \
                "pgas-change-wait"

TEST(what_each_finds_of_upc_is_what_one_finds)
{
        EXPECT_FOUND(((random_program){.pgas = true, .windows = true, .prefixes = true}), PGAS_PATTERNS);
}

TEST(what_each_finds_of_upc_in_threads_is_what_one_finds)
{
        EXPECT_FOUND(((random_program){.pgas = true, .options = {.threads = 2}}), PGAS_PATTERNS);
}

/* All begin at once, rank 0 a little later, and wait from 300 on, but for those who come back only when
 * the others have waited long: rank 0 at 600, and of two groups rank 1 of the odd ones at 700. */
static void expect_returns(const char *call, bool of_groups)
{
        enum { RANKS = 8, ROUNDS = 10 };
        static const uint32_t even[] = {0, 2, 4, 6}, odd[] = {1, 3, 5, 7};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        uint32_t comm = of_groups ? ps_gen_intercomm(g, "between", even, 4, odd, 4) : PS_GEN_WORLD;
        for (uint32_t rank = 0; rank < RANKS; rank++)
                for (uint64_t i = 0, t = 0; i < ROUNDS; i++, t += 1000) {
                        uint64_t came = rank == 0 ? 600 : rank == 1 && of_groups ? 700 : 300;
                        uint64_t left = of_groups && rank % 2 == 0 ? 720 : came == 700 ? 710 : 620;
                        uint64_t begun = t + 200 + (rank ? 0 : 20);
                        ps_gen_nbc(g, call, rank, begun, begun + 10, i);
                        ps_gen_wait(g, rank, t + came, t + left,
                                    PS_GEN_COLLECTED(call, comm, OTF2_COLLECTIVE_ROOT_NONE, 8, 8, i));
                }
        ps_gen_close(g);
        uint64_t found[PS_MAX_PATTERNS] = {0};
        const ps_analysis_options options = {.n_threads = 1};
        expect_same_of(ps_gen_anchor(g), PS_FOCUS_WHOLE_RUN, &options, found);
        assert_int_equal(found[ps_pattern_find("nonblocking-collective-wait")], ROUNDS * 7);
        ps_gen_free(g);
}

TEST(who_waits_for_lower_ranks_to_come_back_knows_when_they_do)
{
        expect_returns("MPI_Iscan", false);
}

/* The even ones for rank 1, rank 0 among them; the odd ones for rank 0, but for rank 1. */
TEST(who_waits_for_another_group_to_come_back_knows_when_it_does)
{
        expect_returns("MPI_Iallreduce", true);
}

/* What whoever listens hears of each location, in order. */
struct heard {
        uint8_t wants[PS_MAX_PATTERNS];
        uint32_t n;
        uint64_t of[64], all;
};

static void hear(void *ctx, const ps_instance *instance, ps_path path)
{
        struct heard *heard = ctx;
        assert_true(instance->at.loc < sizeof(heard->of) / sizeof(*heard->of));
        if (!heard->wants[instance->pattern])
                return;
        const uint64_t said[] = {
                instance->pattern,        path,
                instance->at.op,          (uint64_t)instance->begin,
                (uint64_t)instance->lost, ps_hash_bytes(&instance->partner, sizeof(instance->partner))};
        uint64_t *of = &heard->of[instance->at.loc];
        *of = ps_hash_pair(*of, ps_hash_bytes(said, sizeof(said)));
        heard->all = ps_hash_pair(heard->all, *of);
        heard->n++;
}

/* Two walks each. Who has the rows of all walks alone. Returns whether any walked together. */
static bool expect_heard(const char *path, const struct heard *one, const ps_analysis_options *options)
{
        bool are_several = false;
        for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(*sizes); i++) {
                struct heard heard = *one;
                struct run many = {.path = path, .rows_may_stay = i % 2, .options = *options};
                heard.n = 0;
                heard.all = 0;
                memset(heard.of, 0, sizeof(heard.of));
                many.options.sink_ctx = &heard;
                many.options.sink_wants = heard.wants;
                crew_run(sizes[i / 2], analyse, &many);
                assert_true(many.rows_may_stay || !many.walk_bytes);
                are_several |= many.walk_bytes > 0;
                assert_int_equal(heard.n, one->n);
                assert_memory_equal(heard.of, one->of, sizeof(heard.of));
                assert_true(options->sink_is_shared || heard.all == one->all);
                free_run(&many);
        }
        return are_several;
}

static void expect_all_heard(uint8_t sink_is_shared)
{
        bool are_several = false;
        for (uint64_t seed = 1; seed <= HEARD; seed++) {
                ps_gen *g = random_program_of(seed);
                struct heard one = {.n = 0};
                struct run run = {.path = ps_gen_anchor(g),
                                  .options = {.sink = hear,
                                              .sink_is_shared = sink_is_shared,
                                              .has_master = seed % 3 == 0,
                                              .n_threads = 1}};
                for (uint32_t p = 0; p < PS_MAX_PATTERNS; p++)
                        one.wants[p] = (p + seed) % 3 || seed % 2;
                run.options.sink_ctx = &one;
                analyse(NULL, &run);
                assert_true(one.n > 0);
                are_several |= expect_heard(run.path, &one, &run.options);
                free_run(&run);
                ps_gen_free(g);
        }
        assert_true(are_several);
}

TEST(whoever_listens_hears_of_all_processes_what_one_would_show)
{
        expect_all_heard(1);
}

/* And in the same order. */
TEST(whoever_must_hear_all_in_order_hears_of_one_location_after_the_other)
{
        expect_all_heard(0);
}

/* But where it has the rows of all. */
TEST(whoever_must_hear_all_in_order_is_told_by_one_process_that_has_all_rows)
{
        ps_gen *g = random_program_of(1);
        struct heard heard = {.n = 0};
        struct run run = {.path = ps_gen_anchor(g),
                          .options = {.sink = hear, .sink_ctx = &heard, .n_threads = 1}};
        crew_run(2, analyse, &run);
        assert_int_equal(run.walk_bytes, 0);
        free_run(&run);
        ps_gen_free(g);
}

enum { RANKS = 8, ROUNDS = 60 };

enum sort { MESSAGES, LOCKS, BARRIERS, SCANS, BEGUN_LATER, SORTS };

/* A ring in which each waits for its neighbour, or a collective operation a round in which one is late. */
static ps_gen *rounds_of(enum sort sort)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        uint32_t window = ps_gen_window(g, "window", PS_GEN_WORLD);
        for (uint32_t rank = 0; rank < RANKS; rank++)
                for (uint64_t i = 0; i < ROUNDS; i++) {
                        uint64_t t = 1000 * i;
                        if (sort == LOCKS) {
                                uint64_t at = 200 + (rank + i) % RANKS * 10;
                                ps_gen_rec lock = PS_GEN_REC_OF(RMA_LOCK_ACQUIRE, .ref = window,
                                                                .peer = (uint32_t)i % RANKS, .request = 1,
                                                                .op = OTF2_LOCK_EXCLUSIVE);
                                ps_gen_call(g, "MPI_Win_lock", rank, t + 100, t + at, 1, &lock);
                                lock.kind = PS_GEN_R_RMA_LOCK_RELEASE;
                                ps_gen_call(g, "MPI_Win_unlock", rank, t + at + 2, t + at + 6, 1, &lock);
                        } else if (sort == MESSAGES) {
                                ps_gen_isend(g, rank, t + 10 + 7 * rank, t + 20 + 7 * rank,
                                             (rank + 1) % RANKS, PS_GEN_WORLD, 4, 300, 2 * i);
                                ps_gen_recv(g, rank, t + 90, t + 120, (rank + RANKS - 1) % RANKS,
                                            PS_GEN_WORLD, 4, 300);
                                ps_gen_wait(g, rank, t + 130, t + 140, PS_GEN_SENT(2 * i));
                        } else if (sort == BARRIERS) {
                                ps_gen_barrier(g, rank, t + 200 + (rank + i) % RANKS * 10, t + 300,
                                               PS_GEN_WORLD);
                        } else if (sort == SCANS) {
                                ps_gen_collective(g, "MPI_Scan", rank, t + 200 + (rank + i) % RANKS * 10,
                                                  t + 400, PS_GEN_WORLD, OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
                        } else {
                                uint64_t late = (rank + i) % RANKS * 10;
                                ps_gen_nbc(g, "MPI_Iallreduce", rank, t + 200 + late, t + 205 + late, i);
                                ps_gen_wait(g, rank, t + 300 + late, t + 600,
                                            PS_GEN_COLLECTED("MPI_Iallreduce", PS_GEN_WORLD,
                                                             OTF2_COLLECTIVE_ROOT_NONE, 8, 8, i));
                        }
                }
        ps_gen_close(g);
        return g;
}

static const ps_analysis_options all = {.epsilon = 0, .n_threads = 1};

/* With what the matching takes. */
TEST(of_a_message_that_crosses_at_most_96_bytes_are_sent)
{
        ps_gen *g = rounds_of(MESSAGES);
        expect_same(ps_gen_anchor(g), PS_FOCUS_WHOLE_RUN, &all);
        for (uint32_t n = 2; n <= 4; n++) {
                struct run run = {.path = ps_gen_anchor(g), .options = all, .focus = PS_FOCUS_WHOLE_RUN};
                crew_run(n, analyse, &run);
                assert_true(run.walk_bytes > 0);
                assert_true(run.match_bytes - run.walk_bytes / 2 <= run.crossing * 96);
                free_run(&run);
        }
        ps_gen_free(g);
}

/* Each waits for the one before, and most of their targets are elsewhere. */
TEST(of_a_call_for_a_lock_and_what_it_waited_for_at_most_64_bytes_are_sent)
{
        ps_gen *g = rounds_of(LOCKS);
        expect_same(ps_gen_anchor(g), PS_FOCUS_WHOLE_RUN, &all);
        for (uint32_t n = 2; n <= 8; n++) {
                struct run run = {.path = ps_gen_anchor(g), .options = all, .focus = PS_FOCUS_WHOLE_RUN};
                crew_run(n, analyse, &run);
                assert_true(run.walk_bytes / 2 <= UINT64_C(64) * 2 * RANKS * ROUNDS);
                free_run(&run);
        }
        ps_gen_free(g);
}

/* Matching, contradictions and what was waited for together. */
static void expect_few_bytes(enum sort sort)
{
        ps_gen *g = rounds_of(sort);
        expect_same(ps_gen_anchor(g), PS_FOCUS_WHOLE_RUN, &all);
        for (uint32_t n = 2; n <= 8; n++) {
                struct run run = {.path = ps_gen_anchor(g), .options = all, .focus = PS_FOCUS_WHOLE_RUN};
                crew_run(n, analyse, &run);
                assert_true(run.walk_bytes > 0);
                uint64_t bytes = run.match_bytes - run.walk_bytes / 2;
                assert_true(bytes <= (uint64_t)ROUNDS * n * PS_WAYS * 64);
                free_run(&run);
        }
        ps_gen_free(g);
}

TEST(of_a_collective_operation_each_process_tells_and_is_told_in_at_most_64_bytes)
{
        for (int sort = BARRIERS; sort < SORTS; sort++)
                expect_few_bytes((enum sort)sort);
}
