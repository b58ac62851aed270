/* test_memory.c - a whole load in which each allocation fails in turn. It has to say so, free what it
 * has, and leave nothing behind; the sanitizers see to the rest. */
#include "core/load/share.h"
#include "core/model/focus.h"
#include "reader/reader.h"
#include "tests/simulator/dvm/samples.h"
#include "tests/support/clocks/wrong_clocks.h"
#include "tests/support/crew/crew.h"
#include "tests/support/damage.h"
#include "tests/support/failing_memory.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From one that fails to the next. */
enum { APART = THREAD_SANITIZED ? 7 : 1 };

/* Something of what takes memory: requests, also of another thread, collectives, contexts, long distances, an
 * intercommunicator, neighbours, and clocks to repair. */
static ps_gen *sample(void)
{
        static const int64_t skew[] = {0, 900000};
        const uint32_t a[] = {0}, b[] = {1};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2, .threads = 2, .mapped = 1});
        uint32_t inter = ps_gen_intercomm(g, "inter", a, 1, b, 1), win = ps_gen_window(g, "w", PS_GEN_WORLD);
        uint32_t top = ps_gen_context(g, OTF2_UNDEFINED_CALLING_CONTEXT, "main", "a.c", 12);
        for (uint32_t rank = 0; rank < 2; rank++) {
                ps_gen_neighbours(g, PS_GEN_WORLD, rank, rank ? "0" : "1");
                uint32_t at = ps_gen_at(g, rank, 0), other = ps_gen_at(g, rank, 1);
                uint64_t t = rank ? 0 : (uint64_t)skew[1]; /* rank 0 seems to be late */
                ps_gen_put(g, at, t, PS_GEN_REC_OF(CONTEXT_ENTER, .ref = top, .tag = 1));
                ps_gen_sendrecv(g, at, t + 100, t + 200, 0, 0, inter, 3, 8);
                ps_gen_isend(g, at, t + 210, t + 220, 1 - rank, PS_GEN_WORLD, 4, 300, 1);
                ps_gen_irecv(g, at, t + 230, t + 240, 2);
                ps_gen_wait(g, at, t + 250, t + 300, PS_GEN_SENT(1));
                ps_gen_wait(g, other, t + 250, t + PS_GEN_MS(30),
                            PS_GEN_GOT(1 - rank, PS_GEN_WORLD, 4, 300, 2));
                ps_gen_barrier(g, at, t + 310, t + 320, PS_GEN_WORLD);
                ps_gen_win_collective(g, "MPI_Win_fence", at, t + 330, t + 340, win);
                ps_gen_put(g, at, t + 400, PS_GEN_REC_OF(CONTEXT_LEAVE, .ref = top));
        }
        ps_gen_close(g);
        return g;
}

/* There are at least `least` allocations. */
static void fail_each_allocation_of(const ps_load_options *options, const char *path, long least)
{
        long n = 0;
        for (int done = 0; !done; n += APART) {
                ps_error err = {0};
                ps_trace *trace;
                allocations_left = n;
                ps_status status = ps_trace_load(&trace, path, options, &err);
                done = allocations_left >= 0;
                allocations_left = -1;
                if (status != PS_OK && (status != PS_E_NOMEM || trace || !err.n_causes))
                        fail_msg("allocation %ld: status %d", n, status);
                if (status == PS_OK)
                        loaded_check(trace);
                ps_trace_close(trace);
                assert_true(n < 100000);
        }
        assert_true(n > least);
}

static void fail_each_allocation(const char *path, long least)
{
        const ps_load_options options = {.n_threads = 1, .clock = PS_CLOCK_REPAIR, .pieces = &loaded_pieces};
        fail_each_allocation_of(&options, path, least);
}

TEST(every_allocation_may_fail)
{
        ps_gen *g = sample();
        fail_each_allocation(ps_gen_anchor(g), 200);
        ps_gen_free(g);
}

TEST(every_allocation_for_a_location_in_portions_may_fail)
{
        const ps_load_options options = {.n_threads = 1, .portion_bytes = 64};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        for (uint64_t t = 0; t < 30; t++) {
                ps_gen_visit(g, 0, 100 * t, 100 * t + 10, "work");
                ps_gen_isend(g, 0, 100 * t + 20, 100 * t + 30, 0, PS_GEN_WORLD, 4, 300, 1);
                ps_gen_wait(g, 0, 100 * t + 40, 100 * t + 50, PS_GEN_SENT(1));
        }
        ps_gen_close(g);
        fail_each_allocation_of(&options, ps_gen_anchor(g), 200);
        ps_gen_free(g);
}

TEST(every_allocation_for_a_dvm_trace_may_fail)
{
        char path[1024], *dir = ps_dir_new(), *text = dvm_sample_jacobi();
        snprintf(path, sizeof(path), "%s/t.ptr", dir);
        dvm_write(path, text, strlen(text));
        fail_each_allocation(path, 30);
        ps_dir_remove(dir);
        free(dir);
        free(text);
}

TEST(every_allocation_for_a_picl_trace_may_fail)
{
        fail_each_allocation("tests/fuzz/corpus/picl/four-fields", 60);
        fail_each_allocation("tests/fuzz/corpus/picl/mpicl", 60);
        fail_each_allocation("tests/fuzz/corpus/picl/verbose", 60);
}

/* A barrier and a put by each of two threads. */
static char *two_threads(char path[1024])
{
        char *dir = ps_dir_new();
        for (int thread = 0; thread < 2; thread++) {
                snprintf(path, 1024, "%s/gasp_dump.%d", dir, thread);
                FILE *file = fopen(path, "wb");
                assert_non_null(file);
                fprintf(file,
                        "%d/2 0.1> [f%d.upc:1:1] UPC_BARRIER START { 0, 0 }\n"
                        "%d/2 0.2> [f%d.upc:1:1] UPC_BARRIER END { 0, 0 }\n"
                        "%d/2 0.3> [f%d.upc:2:1] UPC_MEMPUT START { <addr=0x10, thread=0, phase=0>, 1, 8 }\n"
                        "%d/2 0.4> [f%d.upc:2:1] UPC_MEMPUT END { <addr=0x10, thread=0, phase=0>, 1, 8 }\n",
                        thread, thread, thread, thread, thread, thread, thread, thread);
                assert_int_equal(fclose(file), 0);
        }
        return dir;
}

TEST(every_allocation_for_a_gasp_trace_may_fail)
{
        char path[1024], *dir = two_threads(path);
        fail_each_allocation(path, 60);
        ps_dir_remove(dir);
        free(dir);
}

/* -- several processes -- */

/* In which of two processes which allocation fails. */
struct lack {
        const char *path;
        uint32_t rank;
        long at;
        bool is_done, rows_may_stay;
        ps_clock_mode clock;
};

static void load_or_serve(ps_exchange *x, void *ctx)
{
        struct lack *lack = ctx;
        const ps_focus_wish wish = {.how = PS_FOCUS_PROGRAM};
        ps_load_options options = {.n_threads = 1,
                                   .pieces = lack->rows_may_stay ? NULL : &loaded_pieces,
                                   .exchange = x,
                                   .focus = lack->rows_may_stay ? &wish : NULL,
                                   .rows_may_stay = lack->rows_may_stay,
                                   .clock = lack->clock};
        ps_error err = {0};
        ps_trace *trace = NULL;
        ps_status status = PS_OK;
        if (x->rank == lack->rank)
                allocations_left = lack->at;
        if (x->rank)
                ps_share_serve(x, ps_reader_named, NULL);
        else
                status = ps_trace_load(&trace, lack->path, &options, &err);
        if (trace && lack->rows_may_stay)
                status = ps_share_bring(trace, &(ps_ref){trace->n_locs - 1, 2}, 1, &err);
        if (x->rank == 0)
                ps_share_dismiss(x);
        if (x->rank == lack->rank)
                lack->is_done = allocations_left >= 0;
        allocations_left = -1;
        if (status != PS_OK && (status != PS_E_NOMEM || (trace && !lack->rows_may_stay) || !err.n_causes))
                fail_msg("allocation %ld of process %u: status %d", lack->at, lack->rank, status);
        if (trace && !lack->rows_may_stay)
                loaded_check(trace);
        if (trace && lack->rows_may_stay)
                assert_true(trace->spread && trace->spread->rows_are_away);
        ps_trace_close(trace);
}

static void let_each_fail(struct lack *lack)
{
        for (lack->rank = 0; lack->rank < 2; lack->rank++) {
                lack->is_done = false;
                for (lack->at = 0; !lack->is_done; lack->at += APART)
                        crew_run(2, load_or_serve, lack);
                assert_true(lack->at > 80);
        }
}

TEST(every_allocation_of_each_process_may_fail)
{
        ps_gen *g = sample();
        struct lack lack = {.path = ps_gen_anchor(g)};
        let_each_fail(&lack);
        ps_gen_free(g);
}

TEST(every_allocation_of_each_process_may_fail_while_a_picl_trace_is_dealt_out)
{
        struct lack lack = {.path = "traces/picl/scan.trf"};
        let_each_fail(&lack);
        lack.path = "tests/fuzz/corpus/picl/verbose";
        let_each_fail(&lack);
}

TEST(every_allocation_of_each_process_may_fail_while_names_of_a_gasp_trace_are_told)
{
        char path[1024], *dir = two_threads(path);
        struct lack lack = {.path = path};
        let_each_fail(&lack);
        ps_dir_remove(dir);
        free(dir);
}

TEST(every_allocation_may_fail_where_rows_stay)
{
        uint32_t n_messages, n_colls;
        ps_gen *g = random_program_write(&(random_program){.seed = 3, .ranks = 4, .steps = 60}, &n_messages,
                                         &n_colls);
        struct lack lack = {.path = ps_gen_anchor(g), .rows_may_stay = true};
        let_each_fail(&lack);
        ps_gen_free(g);
}

TEST(every_allocation_may_fail_where_clocks_are_mended_and_rows_stay)
{
        ps_gen *g = wrong_clocks_noisy(4, 1);
        struct lack lack = {.path = ps_gen_anchor(g), .rows_may_stay = true, .clock = PS_CLOCK_REPAIR};
        let_each_fail(&lack);
        ps_gen_free(g);
}
