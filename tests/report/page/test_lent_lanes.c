/* test_lent_lanes.c - lanes of rows that others have, borrowed some at a time, are those of one process. */
#include "core/load/share.h"
#include "patterns/engine/works.h"
#include "reader/reader.h"
#include "report/page/lanes.h"
#include "tests/support/crew/crew.h"
#include "tests/support/late_sender.h"
#include "tests/support/random_program.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

struct run {
        const char *path;
        ps_lanes_of what;
        ps_op at_once;
        PS_VECTOR(ps_lane_stretch) told; /* of all locations */
        bool was_away;
};

static void take_stretch(void *ctx, const ps_lane_stretch *s)
{
        struct run *run = ctx;
        ps_lane_stretch copy;
        memset(&copy, 0, sizeof(copy)); /* what is between its parts is compared, too */
        copy.begin = s->begin;
        copy.end = s->end;
        copy.path = s->path;
        copy.op = s->op;
        copy.partner = s->partner;
        copy.finding = s->finding;
        copy.pattern = s->pattern;
        copy.state = s->state;
        assert_int_equal(PS_PUSH(run->told, copy), 0);
}

/* Twice, as a page does, and from a moment to another one. */
static void walk_lanes(struct run *run, const ps_lanes *lanes)
{
        const ps_trace *trace = lanes->report->trace;
        const ps_time duration = trace->measured.duration;
        ps_error err = {0};
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                ps_loan loan;
                for (unsigned i = 0; i < 2; i++)
                        assert_int_equal(ps_lanes_walk(lanes, &loan, loc, take_stretch, run, &err), PS_OK);
                assert_int_equal(ps_lanes_walk_span(lanes, loc, (ps_span){duration / 3, duration / 2},
                                                    take_stretch, run, &err),
                                 PS_OK);
        }
}

static void draw(ps_exchange *x, void *ctx)
{
        struct run *run = ctx;
        struct ps_piece_options pieces = {.most = PS_PIECES_MOST};
        const ps_load_options options = {.n_threads = 1,
                                         .exchange = x,
                                         .clock = PS_CLOCK_AS_IS,
                                         .rows_may_stay = true,
                                         .pieces = &pieces};
        const ps_analysis_options how = {.definitions = PS_DEFINITIONS_SCALASCA, .n_threads = 1};
        late_sender f = {.trace = NULL};
        ps_error err = {0};
        ps_sites *sites;
        ps_lanes lanes;
        if (x && x->rank) {
                ps_share_serve(x, ps_reader_named, ps_engine_works);
                return;
        }
        assert_int_equal(ps_trace_load(&f.trace, run->path, &options, &err), PS_OK);
        run->was_away = ps_share_is_apart(f.trace, &f.trace->measured);
        late_sender_analyse(&f, &(ps_report_settings){.trace_path = "t.otf2", .options = &how});
        assert_int_equal(ps_sites_new(&sites, f.report, false, &err), PS_OK);
        assert_int_equal(ps_lanes_make(&lanes, f.report, sites, run->what, &err), PS_OK);
        ps_loan_at_once = run->at_once;
        walk_lanes(run, &lanes);
        ps_lanes_clear(&lanes);
        ps_sites_free(sites);
        ps_report_free(f.report);
        ps_sources_free(f.sources);
        ps_analysis_free(f.analysis);
        ps_trace_close(f.trace);
        if (x)
                ps_share_dismiss(x);
}

static void expect_same(ps_gen *g, ps_lanes_of what)
{
        static const struct {
                uint32_t size;
                ps_op at_once;
        } crews[] = {{2, 1}, {3, 3}, {4, 1 << 16}, {7, 11}};
        struct run one = {.path = ps_gen_anchor(g), .what = what, .at_once = 1};
        draw(NULL, &one);
        assert_true(one.told.n > 0);
        for (size_t i = 0; i < sizeof(crews) / sizeof(*crews); i++) {
                struct run many = {.path = one.path, .what = what, .at_once = crews[i].at_once};
                crew_run(crews[i].size, draw, &many);
                assert_true(many.was_away);
                assert_int_equal(many.told.n, one.told.n);
                assert_memory_equal(many.told.row, one.told.row, one.told.n * sizeof(*one.told.row));
                free(many.told.row);
        }
        free(one.told.row);
        ps_gen_free(g);
}

enum { PROGRAMS = SANITIZED ? 2 : 6 };

TEST(lanes_of_rows_that_are_borrowed_are_those_of_one_process)
{
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
                expect_same(random_program_of(seed), seed % 2 ? PS_LANES_OF_WAITS : PS_LANES_OF_PATTERNS);
}

/* Threads, members that do not make the same calls, and calls that the trace does not explain. */
TEST(lanes_of_odd_programs_are_lent_as_well)
{
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
                expect_same(random_program_odd(seed, 80),
                            seed % 2 ? PS_LANES_OF_PATTERNS : PS_LANES_OF_WAITS);
}
