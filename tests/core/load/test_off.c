/* test_off.c - time of which the recorder tells nothing, since it was switched off or wrote what it had
 * recorded: no region is charged with it. Times are nanoseconds. */
#include "core/model/focus.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

#include <string.h>

/* What is entered while the recorder is off is charged with what it saw of it, and nobody with less than
 * nothing. Off: 100-200, in `a` from 150 on; 400-500, in `b` the whole time. */
TEST(time_without_the_recorder_is_nobodys)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        ps_gen_enter(g, 0, 0, "main");
        ps_gen_put(g, 0, 100, PS_GEN_REC_OF(MEASUREMENT, .op = OTF2_MEASUREMENT_OFF));
        ps_gen_enter(g, 0, 150, "a");
        ps_gen_put(g, 0, 200, PS_GEN_REC_OF(MEASUREMENT, .op = OTF2_MEASUREMENT_ON));
        ps_gen_leave(g, 0, 210, "a");
        ps_gen_enter(g, 0, 300, "b");
        ps_gen_put(g, 0, 400, PS_GEN_REC_OF(MEASUREMENT, .op = OTF2_MEASUREMENT_OFF));
        ps_gen_put(g, 0, 500, PS_GEN_REC_OF(MEASUREMENT, .op = OTF2_MEASUREMENT_ON));
        ps_gen_leave(g, 0, 600, "b");
        ps_gen_put(g, 0, 900, PS_GEN_REC_OF(MEASUREMENT, .op = OTF2_MEASUREMENT_OFF));
        ps_gen_leave(g, 0, 1000, "main");
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        assert_int_equal(t->info[0].off, 300000);
        assert_int_equal(loaded_use(t, 0, "a")->inclusive, 60000);
        assert_int_equal(loaded_use(t, 0, "a")->exclusive, 10000);
        assert_int_equal(loaded_use(t, 0, "b")->exclusive, 200000);
        /* 1000 - 60 - 300 in the two, off in it: 50 before `a`, 100 at the end. */
        assert_int_equal(loaded_use(t, 0, "main")->exclusive, 490000);
        EXPECT_ISSUES(t, "measurement-off=3");
        loaded_free(g, t);
}

static void flush(ps_gen *g, uint64_t from, uint64_t to)
{
        ps_gen_put(g, 0, from, PS_GEN_REC_OF(FLUSH, .bytes = to));
}

/* Of 1000 in main, 200 in `a` and 100 in `b`; told to have been written from 100 to 160 before `a` is entered
 * at 100, from 250 to 290 before it is left at 250, for no time, and from 900 on until behind the end. */
static ps_gen *flushed(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        ps_gen_enter(g, 0, 0, "main");
        flush(g, 100, 160);
        ps_gen_enter(g, 0, 100, "a");
        flush(g, 250, 290);
        ps_gen_leave(g, 0, 250, "a");
        ps_gen_barrier(g, 0, 300, 340, PS_GEN_WORLD);
        flush(g, 340, 340);
        ps_gen_visit(g, 0, 500, 600, "b");
        flush(g, 900, 1200);
        ps_gen_leave(g, 0, 1000, "main");
        return g;
}

TEST(time_of_writing_is_nobodys)
{
        ps_gen *g = flushed();
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        assert_int_equal(t->info[0].off, (60 + 40 + 100) * PS_PS_PER_NS);
        assert_int_equal(loaded_use(t, 0, "a")->inclusive, 150 * PS_PS_PER_NS);
        assert_int_equal(loaded_use(t, 0, "a")->exclusive, 90 * PS_PS_PER_NS);
        assert_int_equal(loaded_use(t, 0, "b")->exclusive, 100 * PS_PS_PER_NS);
        /* 1000 but for 150, 40 and 100 in calls, 40 behind `a` and 100 at the end */
        assert_int_equal(loaded_use(t, 0, "main")->exclusive, 570 * PS_PS_PER_NS);
        EXPECT_ISSUES(t, "buffer-flush=3");
        loaded_free(g, t);
}

/* Parts of the run, which end while it is written, have each its part of that. */
TEST(parts_of_writing_add_up)
{
        static const uint64_t cuts[] = {0, 100, 130, 160, 250, 270, 400, 950, 1000};
        enum { N = sizeof(cuts) / sizeof(cuts[0]) };
        ps_time off = 0, in_a = 0, in_main = 0;
        for (unsigned i = 0; i + 1 < N; i++) {
                const ps_focus_wish wish = {.how = PS_FOCUS_RANGE,
                                            .from = (ps_time)cuts[i] * PS_PS_PER_NS,
                                            .to = (ps_time)cuts[i + 1] * PS_PS_PER_NS};
                const ps_load_options how = {.n_threads = 1, .clock = PS_CLOCK_AS_IS, .focus = &wish};
                ps_gen *g = flushed();
                ps_trace *t;
                ps_gen_close(g);
                assert_int_equal(ps_trace_load(&t, ps_gen_anchor(g), &how, NULL), PS_OK);
                const ps_focus_part part = ps_focus_part_of(t, &t->measured, 0);
                off += part.off;
                for (uint32_t k = 0; k < part.n_uses; k++) {
                        const char *name = ps_path_region_name(t, part.uses[k].path);
                        in_a += strcmp(name, "a") ? 0 : part.uses[k].exclusive;
                        in_main += strcmp(name, "main") ? 0 : part.uses[k].exclusive;
                }
                loaded_free(g, t);
        }
        assert_int_equal(off, 200 * PS_PS_PER_NS);
        assert_int_equal(in_a, 90 * PS_PS_PER_NS);
        assert_int_equal(in_main, 570 * PS_PS_PER_NS);
}

/* What comes before it is over, in a trace that contradicts itself, is not charged with less than nothing. */
TEST(writing_may_be_told_to_last_longer_than_it_did)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        ps_gen_enter(g, 0, 0, "main");
        flush(g, 100, 400);
        flush(g, 100, 150); /* and once more within it */
        ps_gen_visit(g, 0, 200, 300, "a");
        ps_gen_leave(g, 0, 1000, "main");
        ps_trace *t = loaded(g, PS_CLOCK_AS_IS);
        assert_int_equal(t->info[0].off, 300 * PS_PS_PER_NS);
        assert_int_equal(loaded_use(t, 0, "a")->inclusive, 100 * PS_PS_PER_NS);
        assert_int_equal(loaded_use(t, 0, "a")->exclusive, 0);
        assert_int_equal(loaded_use(t, 0, "main")->exclusive, 700 * PS_PS_PER_NS);
        loaded_free(g, t);
}
