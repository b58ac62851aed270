/* test_stacks.c - call stacks of a location from the middle of its file: a main program that takes 20,000
 * steps of 100 ns, each with a function in it. */
#include "core/model/stack_places.h"
#include "core/views/stacks.h"
#include "reader/reader.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 20000, STEP_NS = 100 };
#define NS(n) ((ps_time)(n)*PS_PS_PER_NS)

typedef struct lab {
        ps_gen *gen;
        ps_trace *trace;
        ps_stacks *stacks;
        ps_error err;
} lab;

/* In a step: from 10 to 90; in the function: from 20 to 50. The first step begins a while after the run. */
static void open_lab(lab *l)
{
        *l = (lab){.gen = ps_gen_new(NULL, (ps_gen_options){.ranks = 2})};
        for (uint32_t rank = 0; rank < 2; rank++) {
                uint32_t at = ps_gen_at(l->gen, rank, 0);
                ps_gen_enter(l->gen, at, 0, "main");
                for (uint64_t k = 1; k <= STEPS; k++) {
                        ps_gen_enter(l->gen, at, k * STEP_NS + 10, "step");
                        ps_gen_visit(l->gen, at, k * STEP_NS + 20, k * STEP_NS + 50, "solve");
                        ps_gen_leave(l->gen, at, k * STEP_NS + 90, "step");
                }
                ps_gen_leave(l->gen, at, (uint64_t)(STEPS + 2) * STEP_NS, "main");
        }
        ps_gen_close(l->gen);
        assert_int_equal(ps_trace_load(&l->trace, ps_gen_anchor(l->gen), &(ps_load_options){.call_stacks = 1},
                                       &l->err),
                         PS_OK);
        assert_int_equal(
                ps_stacks_new(&l->stacks, l->trace, ps_reader_named("otf2"), ps_gen_anchor(l->gen), &l->err),
                PS_OK);
}

static void close_lab(lab *l)
{
        ps_stacks_free(l->stacks);
        ps_trace_close(l->trace);
        ps_gen_free(l->gen);
}

static void expect(const lab *l, const ps_stack_frame *f, const char *name, uint32_t depth, ps_time begin,
                   ps_time end)
{
        const ps_defs *defs = &l->trace->defs;
        assert_in_range(f->region, 0, defs->regions.n - 1);
        assert_string_equal(ps_defs_str(defs, defs->regions.row[f->region].name), name);
        assert_int_equal(f->depth, depth);
        assert_int_equal(f->begin, begin);
        assert_int_equal(f->end, end);
}

TEST(any_place_has_its_stack)
{
        /* In any order. */
        static const int steps[] = {12345, 1, 19999, 20000, 7, 10000, 9999, 2};
        lab l;
        open_lab(&l);
        for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
                ps_time begin = NS(steps[i]) * STEP_NS, end = begin + NS(STEP_NS);
                ps_stack_frames found;
                assert_int_equal(ps_stacks_read(l.stacks, (ps_loc)(i % 2), &l.trace->measured,
                                                (ps_span){begin, end}, 0, &found, &l.err),
                                 PS_OK);
                assert_int_equal(found.frames.n, 3);
                expect(&l, &found.frames.row[0], "solve", 2, begin + NS(20), begin + NS(50));
                expect(&l, &found.frames.row[1], "step", 1, begin + NS(10), begin + NS(90));
                expect(&l, &found.frames.row[2], "main", 0, 0, end);
                free(found.frames.row);
        }
        close_lab(&l);
}

TEST(what_is_short_is_counted)
{
        lab l;
        ps_stack_frames found;
        open_lab(&l);
        assert_int_equal(ps_stacks_read(l.stacks, 0, &l.trace->measured,
                                        (ps_span){0, NS((STEPS + 2) * STEP_NS)}, NS(60), &found, &l.err),
                         PS_OK);
        assert_int_equal(found.frames.n, STEPS + 1);
        assert_int_equal(found.n_short, STEPS);
        free(found.frames.row);
        close_lab(&l);
}

TEST(a_stack_that_is_open_ends_with_the_span)
{
        lab l;
        ps_stack_frames found;
        open_lab(&l);
        assert_int_equal(ps_stacks_read(l.stacks, 0, &l.trace->measured, (ps_span){NS(500030), NS(500040)}, 0,
                                        &found, &l.err),
                         PS_OK);
        assert_int_equal(found.frames.n, 3);
        expect(&l, &found.frames.row[0], "main", 0, 0, NS(500040));
        expect(&l, &found.frames.row[1], "step", 1, NS(500010), NS(500040));
        expect(&l, &found.frames.row[2], "solve", 2, NS(500020), NS(500040));
        free(found.frames.row);
        close_lab(&l);
}

TEST(other_formats_have_none)
{
        lab l;
        ps_stacks *none = NULL;
        open_lab(&l);
        assert_int_equal(ps_stacks_new(&none, l.trace, ps_reader_named("picl"), "none", &l.err), PS_OK);
        assert_null(none);
        close_lab(&l);
}

TEST(without_places_there_are_none)
{
        lab l;
        ps_trace *plain;
        ps_stacks *none = NULL;
        open_lab(&l);
        assert_int_equal(ps_trace_load(&plain, ps_gen_anchor(l.gen), NULL, &l.err), PS_OK);
        assert_null(plain->stack_places);
        assert_int_equal(ps_stacks_new(&none, plain, ps_reader_named("otf2"), ps_gen_anchor(l.gen), &l.err),
                         PS_OK);
        assert_null(none);
        ps_trace_close(plain);
        close_lab(&l);
}

/* An event of the lab takes some bytes: places are 64 KiB apart, or a batch more. */
TEST(places_lie_apart)
{
        lab l;
        open_lab(&l);
        const ps_stack_places *known = l.trace->stack_places;
        assert_in_range(known->places.n, 3, UINT32_MAX);
        for (uint32_t i = 1; i < known->places.n; i++) {
                assert_in_range(known->places.row[i].at.offset - known->places.row[i - 1].at.offset, 64 << 10,
                                UINT32_MAX);
                assert_in_range(known->places.row[i].time, known->places.row[i - 1].time, INT64_MAX);
                assert_in_range(known->places.row[i].n_open, 1, 3); /* in main, and maybe in a step */
        }
        close_lab(&l);
}
