/* cache_fuzzer.c - takes a trace out of columns that somebody has changed, as if the sum of their cache were
 * right, and does with it what commands do.
 *
 * The columns are those of a trace that is made up, because how they lie changes with the program. The input
 * says what is changed, in rows of 13 bytes: the place in four, how many bytes as a power of two, and their
 * values. */
#include "core/cache/columns.h"
#include "core/model/focus.h"
#include "core/sums/ending.h"
#include "core/sums/overview.h"
#include "core/sums/profile.h"
#include "patterns/engine/engine.h"
#include "tests/support/fuzz_lab.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, ROW = 13, STEPS = 12 };

static struct {
        uint8_t *at;
        size_t n;
} columns;

static void make_columns(void)
{
        const random_program program = {.seed = 5, .ranks = 3, .steps = STEPS, .neighbours = true};
        const ps_focus_wish wish = {.how = PS_FOCUS_RANGE, .from = 1, .to = PS_TIME_MAX, .ranks = "0-1"};
        const ps_load_options options = {
                .n_threads = 1, .pieces = &loaded_pieces, .focus = &wish, .call_stacks = 1};
        uint32_t n_messages, n_colls;
        ps_gen *g = random_program_write(&program, &n_messages, &n_colls);
        ps_trace *trace;
        void *at;
        fuzz_must(ps_trace_load(&trace, ps_gen_anchor(g), &options, NULL) == PS_OK);
        fuzz_must(ps_cache_columns_measure(&columns.n, trace, NULL) == PS_OK);
        fuzz_must(posix_memalign(&at, PAGE, columns.n) == 0);
        memset(at, 0, columns.n);
        fuzz_must(ps_cache_columns_put(at, columns.n, trace, NULL) == PS_OK);
        columns.at = at;
        ps_trace_close(trace);
        ps_gen_free(g);
}

static void change(uint8_t *bytes, const uint8_t *row)
{
        size_t at = row[0] | (size_t)row[1] << 8 | (size_t)row[2] << 16 | (size_t)row[3] << 24;
        size_t n = (size_t)1 << row[4] % 4;
        at %= columns.n;
        memcpy(bytes + at, row + ROW - 8, n < columns.n - at ? n : columns.n - at);
}

/* Numbers may be wrong then, but each has to be found. */
static void use_trace(const ps_trace *trace)
{
        ps_overview overview = {0};
        ps_ending ending = {0};
        ps_profile *profile = NULL;
        ps_analysis *analysis = NULL;
        const ps_analysis_options options = {.n_threads = 1};

        (void)ps_overview_collect(&overview, trace, NULL);
        (void)ps_ending_find(&ending, trace, NULL);
        (void)ps_profile_make(&profile, trace, &trace->measured, 10, NULL);
        (void)ps_analyse(&analysis, trace, &trace->measured, &options, NULL);
        ps_analysis_free(analysis);
        ps_profile_free(profile);
        ps_ending_clear(&ending);
        ps_overview_clear(&overview);
}

static void take_columns(const uint8_t *bytes)
{
        ps_trace *trace;
        ps_error err = {0};
        if (ps_trace_new(&trace, NULL, NULL) != PS_OK)
                return;
        ps_status status = ps_cache_columns_take(trace, bytes, columns.n, 1, &err);
        fuzz_must(status == PS_OK || ((status == PS_E_INPUT || status == PS_E_NOMEM) && err.n_causes));
        if (status == PS_OK)
                use_trace(trace);
        ps_trace_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        void *at;
        if (!columns.at)
                make_columns();
        if (posix_memalign(&at, PAGE, columns.n) != 0)
                return 0;
        memcpy(at, columns.at, columns.n);
        for (; size >= ROW; size -= ROW, data += ROW)
                change(at, data);
        take_columns(at);
        free(at);
        return 0;
}
