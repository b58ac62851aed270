/* test_causes.c - what is said of causes and of what mending them gains. */
#include "core/model/focus.h"
#include "core/model/kinds.h"
#include "report/causes/words.h"
#include "report/facts/verdict.h"
#include "tests/support/test.h"

#include <string.h>

static void expect_ranks(const char *text, uint32_t n, const ps_proc *rank)
{
        char room[PS_COMMENT_ROOM];
        ps_sentence said = {room, sizeof(room), 0};
        ps_ranks_say(&said, "rank", "ranks", rank, n);
        assert_string_equal(room, text);
}

TEST(few_ranks_are_listed_and_many_are_counted)
{
        expect_ranks("rank 2", 1, (ps_proc[]){2});
        expect_ranks("ranks 2 and 5", 2, (ps_proc[]){2, 5});
        expect_ranks("ranks 0, 1 and 3", 3, (ps_proc[]){0, 1, 3});
        expect_ranks("ranks 4 to 8", 5, (ps_proc[]){4, 5, 6, 7, 8});
        expect_ranks("ranks 3, 5 and 4 more", 6, (ps_proc[]){3, 5, 6, 7, 8, 9});
}

static void expect_fix(const char *text, ps_cause_fix fix)
{
        char room[PS_COMMENT_ROOM];
        ps_sentence said = {room, sizeof(room), 0};
        ps_cause_say_fix(&said, &fix, fix.run + fix.gain);
        assert_string_equal(room, text);
}

/* A run of 400 ms, 300 of them in MPI_Init: 40 ms are 40 % of the 100 that the report is about. */
TEST(a_fix_is_told_of_the_focus)
{
        const ps_time ms = 1000000 * (ps_time)PS_PS_PER_NS;
        char room[PS_COMMENT_ROOM];
        ps_sentence said = {room, sizeof(room), 0};
        ps_cause_say_fix(&said, &(ps_cause_fix){.kind = PS_FIX_BALANCED, .gain = 40 * ms, .run = 360 * ms},
                         100 * ms);
        assert_string_equal(
                room,
                "Sharing the work out evenly would make the run 40 % shorter (60 ms instead of 100 ms).");
}

/* The same of what nobody's waiting would gain: both stand beside each other. */
TEST(a_gain_is_told_of_the_focus)
{
        const ps_time ms = 1000000 * (ps_time)PS_PS_PER_NS;
        const ps_focus focus = {.length = 100 * ms};
        const ps_timing timing = {.duration = 400 * ms, .focus = &focus};
        const ps_report report = {.timing = &timing};
        char room[PS_DOUBT_ROOM];
        ps_report_gain(room, &report, &(ps_report_finding){.place_gain = 40 * ms, .has_place_gain = true});
        assert_string_equal(room, "If nobody had waited here, the run would be 40 ms shorter (40.0 %).");
}

TEST(fixes_say_how_long_the_run_is_then)
{
        const ps_time ms = 1000000 * (ps_time)PS_PS_PER_NS;
        /* 24 of 116 ms are 20.69 % */
        expect_fix("Sharing the work out evenly would make the run 21 % shorter (92 ms instead of 116 ms).",
                   (ps_cause_fix){.kind = PS_FIX_BALANCED, .gain = 24 * ms, .run = 92 * ms});
        /* 5 of 200 ms are 2.5 % */
        expect_fix("Taking 25 % less time here would make the run 2.5 % shorter (195 ms instead of 200 ms).",
                   (ps_cause_fix){.kind = PS_FIX_SPED_UP,
                                  .has_factor = 1,
                                  .factor = 0.75,
                                  .gain = 5 * ms,
                                  .run = 195 * ms});
        expect_fix("Letting transfers go on behind computation could make the run up to 10 % shorter (90 ms "
                   "instead of 100 ms), if MPI moves data meanwhile.",
                   (ps_cause_fix){.kind = PS_FIX_OVERLAPPED, .gain = 10 * ms, .run = 90 * ms});
        expect_fix("Doing without it altogether would not make the run shorter.",
                   (ps_cause_fix){.kind = PS_FIX_SPED_UP, .has_factor = 1, .gain = 0, .run = 195 * ms});
        expect_fix("Receiving in the order of sending would not make the run shorter.",
                   (ps_cause_fix){.kind = PS_FIX_REORDERED, .gain = -ms, .run = 195 * ms});
        expect_fix("Sharing the work out evenly each time in a.c:16-5 would make the run 10 % shorter (90 ms "
                   "instead of 100 ms).",
                   (ps_cause_fix){.kind = PS_FIX_BALANCED,
                                  .is_inside = 1,
                                  .edit = "balance:a.c:16-5",
                                  .gain = 10 * ms,
                                  .run = 90 * ms});
}

/* Nobody has such a network, and work is there to be done. */
TEST(what_nobody_can_reach_is_told_as_the_most_that_could_be_gained)
{
        const ps_time ms = 1000000 * (ps_time)PS_PS_PER_NS;
        ps_cause_fix fix = {.kind = PS_FIX_OVERLAPPED, .has_factor = 1, .gain = 10 * ms, .run = 90 * ms};
        expect_fix("At most 10 % of the run could be gained, if no message of the program cost anything (90 "
                   "ms instead of "
                   "100 ms).",
                   fix);
        assert_false(ps_cause_is_mended_by(&fix, 100 * ms));
        fix.kind = PS_FIX_SPED_UP;
        expect_fix(
                "At most 10 % of the run could be gained, by doing without it altogether (90 ms instead of "
                "100 ms).",
                fix);
        assert_false(ps_cause_is_mended_by(&fix, 100 * ms));
        fix.factor = 0.5;
        expect_fix("Taking 50 % less time here would make the run 10 % shorter (90 ms instead of 100 ms).",
                   fix);
        assert_true(ps_cause_is_mended_by(&fix, 100 * ms));
        fix = (ps_cause_fix){.kind = PS_FIX_OVERLAPPED, .has_factor = 1, .run = 100 * ms};
        expect_fix("A faster network would not make the run shorter.", fix);
}

/* The first fix of a cause is told, unless it gains nothing and another one does. */
TEST(a_fix_that_gains_is_told_before_one_that_does_not)
{
        const ps_time ms = 1000000 * (ps_time)PS_PS_PER_NS;
        ps_cause_fix row[] = {{.kind = PS_FIX_BALANCED, .gain = 0, .run = 100 * ms},
                              {.kind = PS_FIX_EVENED, .gain = 10 * ms, .run = 90 * ms},
                              {.kind = PS_FIX_SPED_UP, .has_factor = 1, .gain = 20 * ms, .run = 80 * ms}};
        ps_cause_fixes fixes = {.are_known = 1, .row = row, .n = 3};
        ps_cause cause = {.why = PS_WHY_LONGER};
        ps_told_cause told = {.cause = &cause};
        const ps_told_cause *rows = &told;
        ps_cause_group group = {.row = &rows, .n = 1};
        ps_blame blame = {.told = &told, .fixes = &fixes};
        ps_timing timing = {.duration = 100 * ms};
        ps_report report = {.blame = &blame, .timing = &timing};
        assert_ptr_equal(ps_cause_first_fix(&report, &group), &row[1]);
        assert_ptr_equal(ps_cause_vain_fix(&report, &group), &row[0]);
        row[0].gain = ms;
        assert_ptr_equal(ps_cause_first_fix(&report, &group), &row[0]);
        assert_null(ps_cause_vain_fix(&report, &group));
        row[0].gain = row[1].gain = row[2].gain = 0;
        assert_ptr_equal(ps_cause_first_fix(&report, &group), &row[0]);
        fixes.are_known = 0;
        assert_null(ps_cause_first_fix(&report, &group));
        /* What cannot be told is nobody's to mend. */
        fixes.are_known = 1;
        group.why = PS_WHY_TRANSFER;
        group.own = 10 * ms;
        group.untold = 6 * ms;
        assert_null(ps_cause_first_fix(&report, &group));
}

/* Groups of one cause each, in a run of 100 ms on four processes. */
struct ordered {
        ps_told_cause told[4];
        const ps_told_cause *row[4];
        ps_cause_group group[4];
        uint32_t group_of[4];
};

static void order_causes(struct ordered *o, const ps_cause *cause, ps_cause_fixes *fixes, uint32_t n)
{
        const ps_time ms = 1000000 * (ps_time)PS_PS_PER_NS;
        for (uint32_t i = 0; i < n; i++) {
                o->told[i] = (ps_told_cause){.cause = &cause[i]};
                o->row[i] = &o->told[i];
                o->group[i] = (ps_cause_group){.row = &o->row[i], .n = 1, .waiting = cause[i].direct * ms};
        }
        ps_blame blame = {.told = o->told,
                          .group = o->group,
                          .n_groups = n,
                          .group_of = o->group_of,
                          .most_waiting = 100 * ms,
                          .fixes = fixes};
        ps_trace trace = {.defs.processes.n = 4};
        ps_timing timing = {.duration = 100 * ms};
        ps_times times = {.all = 400 * ms};
        ps_report report = {.trace = &trace, .blame = &blame, .timing = &timing, .times = &times};
        ps_cause_groups_order(&blame, &report);
}

/* By waiting they are 100, 60, 50 and 30: the first gains nothing, the last more than the one before it, and
 * no replay can mend the second, a lock. */
TEST(the_cause_that_helps_most_comes_first)
{
        const ps_time ms = 1000000 * (ps_time)PS_PS_PER_NS;
        ps_cause_fix vain = {.kind = PS_FIX_BALANCED, .run = 100 * ms},
                     more = {.kind = PS_FIX_BALANCED, .gain = 20 * ms, .run = 80 * ms},
                     less = {.kind = PS_FIX_BALANCED, .gain = 10 * ms, .run = 90 * ms};
        ps_cause_fixes fixes[] = {
                {1, &vain, 1, NULL}, {1, &less, 1, NULL}, {0, NULL, 0, NULL}, {1, &more, 1, NULL}};
        ps_cause cause[] = {
                {.direct = 100}, {.direct = 50}, {.why = PS_WHY_LOCK, .direct = 60}, {.direct = 30}};
        struct ordered o;
        order_causes(&o, cause, fixes, 4);
        assert_ptr_equal(o.group[0].row[0], &o.told[2]);
        assert_ptr_equal(o.group[1].row[0], &o.told[3]);
        assert_ptr_equal(o.group[2].row[0], &o.told[1]);
        assert_ptr_equal(o.group[3].row[0], &o.told[0]);
        assert_int_equal(o.group_of[0], 3);
        assert_int_equal(o.group_of[3], 1);
}

/* By waiting they are 100, 80 and 60: without messages, which nobody can do, 30 ms are gained, but what the
 * second explains is no more than 20 for each of four ranks; with the third 2 ms are gained by somebody. */
TEST(what_can_be_done_comes_before_what_nobody_can_reach)
{
        const ps_time ms = 1000000 * (ps_time)PS_PS_PER_NS;
        ps_cause_fix ideal = {.kind = PS_FIX_OVERLAPPED, .has_factor = 1, .gain = 30 * ms, .run = 70 * ms},
                     real = {.kind = PS_FIX_BALANCED, .gain = 2 * ms, .run = 98 * ms};
        ps_cause_fixes fixes[] = {{1, &ideal, 1, NULL}, {1, &ideal, 1, NULL}, {1, &real, 1, NULL}};
        ps_cause cause[] = {{.direct = 100}, {.direct = 80}, {.direct = 60}};
        struct ordered o;
        order_causes(&o, cause, fixes, 3);
        assert_ptr_equal(o.group[0].row[0], &o.told[2]);
        assert_ptr_equal(o.group[1].row[0], &o.told[0]);
        assert_ptr_equal(o.group[2].row[0], &o.told[1]);
        /* What gains next to nothing does not lead over it. */
        real.gain = ms / 2;
        order_causes(&o, cause, fixes, 3);
        assert_ptr_equal(o.group[0].row[0], &o.told[0]);
        assert_ptr_equal(o.group[2].row[0], &o.told[2]);
}

/* One call on a path of its own below a function; its advice, for whoever spends long in it. */
static const char *advice_on(ps_region_def call, ps_why why)
{
        ps_region_def region[] = {{.kind = PS_K_NONE}, call};
        ps_path_node path[] = {{.region = PS_NONE}, {.region = 0}, {.parent = 1, .region = 1}};
        ps_trace trace = {.paths = path, .n_paths = 3, .defs.regions = {.row = region, .n = 2}};
        ps_cause cause = {.path = 2, .why = why};
        ps_told_cause told = {.cause = &cause};
        const ps_told_cause *rows = &told;
        ps_blame blame = {.told = &told};
        ps_report report = {.trace = &trace, .blame = &blame};
        return ps_cause_advice_of(&report, &(ps_cause_group){.row = &rows, .n = 1, .why = why});
}

TEST(advice_fits_the_call)
{
        static const struct {
                ps_why why;
                ps_region_def call;
                const char *word;
        } row[] = {
                {PS_WHY_TRANSFER, {.kind = PS_K_RECV}, "Move less data, or begin earlier"},
                {PS_WHY_TRANSFER, {.kind = PS_K_WAITALL}, "Move less data, or begin earlier"},
                {PS_WHY_TRANSFER, {.kind = PS_K_ALLTOALL}, "nonblocking form"},
                {PS_WHY_TRANSFER, {.kind = PS_K_BARRIER}, "barrier"},
                {PS_WHY_TRANSFER, {.kind = PS_K_COMM_MANAGE}, "Call it once"},
                {PS_WHY_TRANSFER, {.kind = PS_K_FENCE}, "synchronise less often"},
                {PS_WHY_TRANSFER, {.kind = PS_K_NONE, .paradigm = PS_PARADIGM_SHMEM}, "Call it less often"},
                {PS_WHY_TRANSFER,
                 {.kind = PS_K_TEAM_IMPLICIT_BARRIER, .paradigm = PS_PARADIGM_OPENMP},
                 "OMP_WAIT_POLICY"},
                {PS_WHY_LONGER, {.kind = PS_K_NONE, .paradigm = PS_PARADIGM_OPENMP}, "schedule(dynamic)"},
                {PS_WHY_LONGER, {.kind = PS_K_NONE}, "Share this work out more evenly"},
                {PS_WHY_LOCK, {.kind = PS_K_NONE}, "Hold the lock for a shorter time"},
        };
        for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
                const char *advice = advice_on(row[i].call, row[i].why);
                if (!strstr(advice, row[i].word))
                        fail_msg("%zu: %s", i, advice);
        }
}

/* Another order gains nothing, and the work itself half of the run. */
TEST(advice_is_not_what_gained_nothing)
{
        const ps_time ms = 1000000 * (ps_time)PS_PS_PER_NS;
        ps_cause_fix row[] = {{.kind = PS_FIX_REORDERED, .run = 100 * ms},
                              {.kind = PS_FIX_SPED_UP, .has_factor = 1, .gain = 50 * ms, .run = 50 * ms}};
        ps_cause_fixes fixes = {.are_known = 1, .row = row, .n = 2};
        ps_cause cause = {.why = PS_WHY_LATE_ORDER};
        ps_told_cause told = {.cause = &cause};
        const ps_told_cause *rows = &told;
        ps_blame blame = {.told = &told, .fixes = &fixes};
        ps_timing timing = {.duration = 100 * ms};
        const ps_trace trace = {0};
        ps_report report = {.trace = &trace, .blame = &blame, .timing = &timing};
        const ps_cause_group group = {.row = &rows, .n = 1, .why = PS_WHY_LATE_ORDER};
        assert_non_null(strstr(ps_cause_advice_of(&report, &group), "Make this work shorter"));
        row[1].gain = 0;
        assert_non_null(strstr(ps_cause_advice_of(&report, &group), "Look at the other causes first"));
        row[0].gain = 10 * ms;
        assert_string_equal(ps_cause_advice_of(&report, &group),
                            "Receive messages in the order in which they are sent.");
}

/* No network gains anything, but messages that cost nothing at all half of the run. */
TEST(calls_that_take_time_themselves_are_called_less_often)
{
        const ps_time ms = 1000000 * (ps_time)PS_PS_PER_NS;
        ps_cause_fix row = {.kind = PS_FIX_OVERLAPPED, .has_factor = 1, .run = 100 * ms};
        ps_cause_fixes fixes = {.are_known = 1, .row = &row, .n = 1};
        ps_cause cause = {.why = PS_WHY_TRANSFER};
        ps_told_cause told = {.cause = &cause};
        const ps_told_cause *rows = &told;
        ps_blame blame = {.told = &told, .fixes = &fixes};
        ps_timing timing = {.duration = 100 * ms};
        const ps_trace trace = {0};
        ps_report report = {.trace = &trace,
                            .blame = &blame,
                            .timing = &timing,
                            .efficiency = {.is_split = 1, .transfer = 0.5}};
        const ps_cause_group group = {.row = &rows, .n = 1, .why = PS_WHY_TRANSFER};
        assert_non_null(strstr(ps_cause_advice_of(&report, &group), "Call it less often, with more at once"));
        report.efficiency.transfer = 1;
        assert_non_null(strstr(ps_cause_advice_of(&report, &group), "Look at the other causes first"));
}

/* Rank 1 of two had to share a processor; rank 0 had not. */
TEST(who_shared_a_processor_is_not_blamed_for_sure)
{
        uint8_t is_crowded[] = {0, 1};
        ps_process_def process[] = {{.n_locs = 1}, {.n_locs = 1}};
        ps_location_def location[] = {{.process = 0}, {.process = 1}};
        ps_trace trace = {
                .defs = {.processes = {.row = process, .n = 2}, .locations = {.row = location, .n = 2}}};
        const ps_report report = {.trace = &trace, .cautions.crowding.is_crowded = is_crowded};
        for (ps_loc loc = 0; loc < 2; loc++) {
                char room[PS_COMMENT_ROOM];
                ps_sentence said = {room, sizeof(room), 0};
                ps_cause cause = {.location = loc, .why = PS_WHY_ALONE, .direct = 1};
                ps_told_cause told = {.cause = &cause, .process = loc};
                const ps_told_cause *rows = &told;
                ps_cause_say_what(&said, &report,
                                  &(ps_cause_group){.row = &rows, .n = 1, .why = PS_WHY_ALONE});
                assert_string_equal(
                        room, loc ? "Rank 1 alone is in code whose functions were not recorded, or waits "
                                    "for a processor"
                                  : "Rank 0 alone is in code whose functions were not recorded");
        }
}

/* Four ranks in a run of 400 ms. */
static bool are_trifling(ps_focus_how how, ps_time length, ps_time waiting_of_all)
{
        const ps_time us = 1000 * (ps_time)PS_PS_PER_NS;
        const ps_focus focus = {.how = how, .length = length};
        const ps_timing timing = {.duration = 400000 * us, .focus = &focus};
        ps_times times = {.all = 4 * length};
        ps_causes causes = {.waiting = waiting_of_all};
        const ps_blame blame = {.causes = &causes};
        const ps_report report = {.timing = &timing, .times = &times, .blame = &blame};
        ps_time waiting = 0;
        bool are = ps_causes_are_trifling(&waiting, &report);
        assert_true(!are || waiting == waiting_of_all / 4);
        return are;
}

/* Most of 300 us are waiting, in a run that takes a thousand times as long: not worth mending, unless
 * somebody asks for just this part. */
TEST(a_program_that_hardly_runs_has_nothing_worth_mending)
{
        const ps_time us = 1000 * (ps_time)PS_PS_PER_NS;
        assert_true(are_trifling(PS_FOCUS_PROGRAM, 300 * us, 800 * us));
        assert_false(are_trifling(PS_FOCUS_REGION, 300 * us, 800 * us));
        assert_false(are_trifling(PS_FOCUS_RANGE, 300 * us, 800 * us));
        assert_false(are_trifling(PS_FOCUS_PROGRAM, 3000 * us, 4 * 400 * us)); /* a thousandth of the run */
        assert_true(are_trifling(PS_FOCUS_PROGRAM, 3000 * us, 4 * 396 * us));
        assert_false(are_trifling(PS_FOCUS_PROGRAM, 4000 * us, 800 * us)); /* a hundredth of it */
}
