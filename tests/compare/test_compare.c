/* test_compare.c - runs that were made up, compared: against differences worked out by hand. */
#include "report/comparison/words.h"
#include "tests/compare/lab.h"
#include "tests/support/test.h"

#include "core/model/focus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ps_compare_options plain = {.tolerance = NAN};
static const double us = 1e-6;

static const ps_compared_interval *named(const ps_compare *c, const char *name)
{
        for (uint32_t i = 0; i < c->intervals.n; i++)
                if (strcmp(ps_compare_interval_row(c, &c->intervals.row[i])->name, name) == 0)
                        return &c->intervals.row[i];
        fail_msg("no interval %s", name);
        return NULL;
}

static double sum_of_parts(const ps_compare *c)
{
        double sum = 0;

        for (int part = 0; part < PS_PARTS; part++)
                sum += c->part[part].predicted - c->part[part].measured;
        return sum;
}

TEST(equal_runs_do_not_differ)
{
        ps_compare_options strict = {.tolerance = 0};
        char note[PS_COMPARE_NOTE_ROOM];
        lab_run a, b;

        lab_run_make(&a, &(lab_shape){.slow_us = 30}, 1);
        lab_run_make(&b, &(lab_shape){.slow_us = 30}, 1);
        ps_compare *c = lab_compared(&a.run, &b.run, &strict);
        lab_expect_no_difference(c);
        assert_int_equal(c->intervals.n, 4);
        assert_int_equal(c->interval_matches.both, 4);
        assert_int_equal(c->operations.matches.both, 4 * 4 * 3);
        lab_near(c->interval_errors.wape, 0);
        lab_near(c->message_errors.max_log, 0);
        assert_non_null(strstr(ps_compare_note(note, c, 0), "noise cannot be told"));
        assert_null(ps_compare_note(note, c, 1));
        ps_compare_free(c);
        lab_run_clear(&a);
        lab_run_clear(&b);
}

TEST(a_trace_agrees_with_its_own_report)
{
        ps_compare_options strict = {.tolerance = 0};
        lab_run a;
        ps_run saved;

        lab_run_make(&a, &(lab_shape){.ranks = 7, .slow_rank = 3, .slow_us = 33}, 1);
        char *json = lab_run_json(&a);
        lab_run_saved(&saved, json);
        for (int swap = 0; swap < 2; swap++) {
                ps_compare *c = lab_compared(swap ? &saved : &a.run, swap ? &a.run : &saved, &strict);
                lab_expect_no_difference(c);
                assert_int_equal(c->interval_matches.both, 4);
                assert_int_equal(c->ranks.n, 7);
                assert_true(c->sites.n > 0 && c->patterns.n > 0);
                assert_false(c->operations.is_known);
                ps_compare_free(c);
        }
        free(json);
        ps_run_clear(&saved);
        lab_run_clear(&a);
}

/* Rank 2 solves 50 us longer in each of 4 steps. Then rank 3 waits 48 us for its message and takes 2 us more
 * for it, rank 2 finds its message there (1 us instead of 4), and in the barrier ranks 0 and 1 wait 50 us,
 * rank 2 3 us. */
TEST(the_slower_region_is_found_first)
{
        char room[PS_COMPARE_VERDICT_ROOM];
        lab_run a, b;

        lab_run_make(&a, &(lab_shape){0}, 1);
        lab_run_make(&b, &(lab_shape){.slow_rank = 2, .slow_us = 50}, 1);
        ps_compare *c = lab_compared(&a.run, &b.run, &plain);
        lab_near(c->duration.measured, 456 * us);
        lab_near(c->duration.predicted, 656 * us);
        lab_near(c->part[PS_PART_COMPUTE].measured, 424 * us);
        lab_near(c->part[PS_PART_COMPUTE].predicted, 474 * us);
        lab_near(c->part[PS_PART_OVERHEAD].measured, 32 * us);
        lab_near(c->part[PS_PART_OVERHEAD].predicted, 33 * us);
        lab_near(c->part[PS_PART_P2P_WAIT].predicted - c->part[PS_PART_P2P_WAIT].measured, 47 * us);
        lab_near(c->part[PS_PART_COLLECTIVE_WAIT].predicted - c->part[PS_PART_COLLECTIVE_WAIT].measured,
                 102 * us);
        lab_near(sum_of_parts(c), 200 * us);
        assert_ptr_equal(named(c, "solve"), &c->intervals.row[0]);
        assert_int_equal(c->intervals.row[0].worst, 2);
        lab_near(c->intervals.row[0].weight, 200 * us);
        lab_near(c->intervals.row[0].worst_work.measured, 400 * us);
        lab_near(c->intervals.row[0].worst_work.predicted, 600 * us);
        lab_near(c->intervals.row[0].execution.predicted, 600 * us);
        lab_near(named(c, "exchange")->weight, 12 * us);
        lab_near(c->imbalance.measured, 0);
        lab_near(c->imbalance.predicted, 624. / 474 - 1);
        lab_near(c->ranks.row[2].work.predicted - c->ranks.row[2].work.measured, 192 * us);
        assert_int_equal(c->operations.matches.only[0] + c->operations.matches.only[1], 0);
        assert_true(c->operations.parts_ways);
        assert_int_equal(c->operations.at_processor, 2);
        assert_string_equal(c->operations.at_call, "MPI_Send");
        lab_near(c->operations.at.measured, 0);
        lab_near(c->operations.at.predicted, 50 * us);
        assert_non_null(strstr(ps_compare_parting(room, c), "exchange"));
        ps_compare_free(c);
        lab_run_clear(&a);
        lab_run_clear(&b);
}

TEST(swapped_runs_differ_the_other_way)
{
        lab_run a, b;

        lab_run_make(&a, &(lab_shape){0}, 1);
        lab_run_make(&b, &(lab_shape){.slow_rank = 1, .slow_us = 20, .no_output = 1}, 1);
        ps_compare *c = lab_compared(&a.run, &b.run, &plain), *d = lab_compared(&b.run, &a.run, &plain);
        assert_int_equal(c->n_contributions, d->n_contributions);
        for (unsigned i = 0; i < c->n_contributions; i++)
                lab_near(c->contribution[i].difference_s, -d->contribution[i].difference_s);
        for (int part = 0; part < PS_PARTS; part++)
                lab_near(c->part[part].predicted - c->part[part].measured,
                         d->part[part].measured - d->part[part].predicted);
        assert_int_equal(c->interval_matches.only[PS_MEASURED], 1);
        assert_int_equal(d->interval_matches.only[PS_PREDICTED], 1);
        assert_int_equal(c->site_matches.only[PS_MEASURED], d->site_matches.only[PS_PREDICTED]);
        lab_near(c->interval_errors.mean_log, d->interval_errors.mean_log);
        for (uint32_t i = 0; i < c->ranks.n; i++)
                lab_near(c->ranks.row[i].work.measured, d->ranks.row[i].work.predicted);
        ps_compare_free(c);
        ps_compare_free(d);
        lab_run_clear(&a);
        lab_run_clear(&b);
}

/* An interval of one run only is told, and part of the comparison is missing. */
TEST(missing_intervals_are_told)
{
        char room[PS_COMPARE_NOTE_ROOM];
        lab_run a, b;

        lab_run_make(&a, &(lab_shape){0}, 1);
        lab_run_make(&b, &(lab_shape){.no_output = 1}, 1);
        ps_compare *c = lab_compared(&a.run, &b.run, &plain);
        const ps_compared_interval *output = named(c, "output");
        assert_int_equal(output->row[PS_PREDICTED], PS_NONE);
        lab_near(output->execution.measured, 20 * us);
        assert_true(isnan(output->execution.predicted));
        lab_near(output->weight, 20 * us);
        lab_near(sum_of_parts(c), -20 * us);
        lab_near(c->contribution[0].difference_s, -20 * us);
        assert_ptr_equal(&c->intervals.row[c->contribution[0].interval], output);
        assert_int_equal(c->operations.matches.both, 48);
        assert_true(c->is_partial);
        assert_non_null(strstr(ps_compare_note(room, c, 0), "1 only first"));
        ps_compare_free(c);
        lab_run_clear(&a);
        lab_run_clear(&b);
}

/* Without its interval an operation is known by the one around it. */
TEST(operations_of_an_unknown_interval_align)
{
        lab_run a, b;

        lab_run_make(&a, &(lab_shape){0}, 1);
        lab_run_make(&b, &(lab_shape){0}, 1);
        for (uint32_t i = 0; i < b.run.intervals.n; i++)
                if (strcmp(b.run.intervals.row[i].name, "exchange") == 0)
                        b.run.intervals.row[i].name = "swap";
        ps_compare *c = lab_compared(&a.run, &b.run, &plain);
        assert_int_equal(c->interval_matches.only[PS_MEASURED], 1);
        assert_int_equal(c->operations.matches.both, 48);
        assert_int_equal(c->operations.matches.only[0] + c->operations.matches.only[1], 0);
        ps_compare_free(c);
        lab_run_clear(&a);
        lab_run_clear(&b);
}

TEST(a_map_undoes_a_rotation)
{
        static const uint32_t map[] = {1, 2, 3, 0}, twice[] = {1, 1, 2, 3}, part[] = {1, 2, PS_NONE, PS_NONE};
        static const uint32_t beyond[] = {0, 1, 2, 4};
        ps_compare_options options = {.tolerance = 0, .processors = map, .n_processors = 4};
        ps_error err = {0};
        lab_run a, b;

        lab_run_make(&a, &(lab_shape){.slow_rank = 1, .slow_us = 40}, 1);
        lab_run_make(&b, &(lab_shape){.slow_rank = 1, .slow_us = 40, .rotate = 1}, 1);
        ps_compare *c = lab_compared(&a.run, &b.run, &plain);
        assert_int_equal(c->intervals.row[0].worst, 1);
        lab_near(c->intervals.row[0].weight, 160 * us);
        assert_true(c->spearman < 0);
        ps_compare_free(c);
        c = lab_compared(&a.run, &b.run, &options);
        lab_expect_no_difference(c);
        assert_int_equal(c->operations.matches.both, 48);
        lab_near(c->spearman, 1);
        ps_compare_free(c);
        options.processors = part;
        c = lab_compared(&a.run, &b.run, &options);
        assert_int_equal(c->ranks.n, 2);
        assert_true(c->is_partial);
        ps_compare_free(c);
        options.processors = twice;
        assert_int_equal(ps_compare_new(&c, &a.run, &b.run, &options, &err), PS_E_USAGE);
        options.processors = beyond;
        assert_int_equal(ps_compare_new(&c, &a.run, &b.run, &options, &err), PS_E_USAGE);
        lab_run_clear(&a);
        lab_run_clear(&b);
}

/* 4 and 6 ranks: totals and means of a rank are compared, and nothing is cut off silently. */
TEST(other_numbers_of_ranks_are_told)
{
        char room[PS_COMPARE_NOTE_ROOM];
        lab_run a, b;

        lab_run_make(&a, &(lab_shape){0}, 1);
        lab_run_make(&b, &(lab_shape){.ranks = 6}, 1);
        ps_compare *c = lab_compared(&a.run, &b.run, &plain);
        assert_true(c->ranks_differ && c->is_partial);
        assert_int_equal(c->ranks.n, 0);
        assert_false(c->operations.is_known);
        lab_near(c->duration.predicted, c->duration.measured);
        lab_near(named(c, "solve")->work.predicted, 400 * us);
        lab_near(sum_of_parts(c), 0);
        assert_non_null(strstr(ps_compare_note(room, c, 0), "--rank-map"));
        ps_compare_free(c);
        lab_run_clear(&a);
        lab_run_clear(&b);
}

/* Rank 2 is late at the first send; what is looked at begins with the barrier behind it. */
TEST(runs_part_ways_in_the_focus)
{
        lab_run a, b;

        lab_run_make(&a, &(lab_shape){0}, 1);
        lab_run_make(&b, &(lab_shape){.slow_rank = 2, .slow_us = 50}, 1);
        const ps_time us_ps = 1000 * PS_PS_PER_NS;
        ps_span span = {106 * us_ps, 456 * us_ps};
        const ps_focus focus = {.span = &span, .n_spans = 1}, *whole = a.trace->measured.focus;
        a.trace->measured.focus = &focus;
        ps_compare *c = lab_compared(&a.run, &b.run, &plain);
        assert_true(c->operations.parts_ways);
        assert_string_equal(c->operations.at_call, "MPI_Barrier");
        ps_compare_free(c);
        a.trace->measured.focus = whole;
        lab_run_clear(&a);
        lab_run_clear(&b);
}

/* Rank 0 sends 1 us later in each step: 4 of the 456 us in all, which is less than one in a hundred; but more
 * than that of 20 us that are looked at. */
TEST(runs_part_ways_as_far_as_the_focus_is_long)
{
        lab_run a, b;

        lab_run_make(&a, &(lab_shape){0}, 1);
        lab_run_make(&b, &(lab_shape){.slow_us = 1}, 1);
        ps_compare *c = lab_compared(&a.run, &b.run, &plain);
        assert_false(c->operations.parts_ways);
        ps_compare_free(c);
        a.run.duration_s = 20 * us;
        c = lab_compared(&a.run, &b.run, &plain);
        assert_true(c->operations.parts_ways);
        assert_int_equal(c->operations.at_processor, 0);
        lab_near(c->operations.at.measured, 0);
        lab_near(c->operations.at.predicted, 1 * us);
        ps_compare_free(c);
        lab_run_clear(&a);
        lab_run_clear(&b);
}

/* Two sends and receives more on rank 0, of 0 and 1 us, in no interval. */
TEST(further_operations_are_left_out)
{
        lab_run a, b;

        lab_run_make(&a, &(lab_shape){0}, 1);
        lab_run_make(&b, &(lab_shape){.extra_sends = 2}, 1);
        ps_compare *c = lab_compared(&a.run, &b.run, &plain);
        assert_int_equal(c->operations.matches.both, 48);
        assert_int_equal(c->operations.matches.only[PS_MEASURED], 0);
        assert_int_equal(c->operations.matches.only[PS_PREDICTED], 4);
        assert_int_equal(c->operations.by_differences, 1);
        assert_int_equal(c->operations.by_counts, 0);
        for (uint32_t i = 0; i < c->intervals.n; i++)
                assert_int_equal(c->intervals.row[i].unmatched[PS_PREDICTED],
                                 c->intervals.row[i].row[0] ? 0 : 4);
        lab_near(sum_of_parts(c), c->duration.predicted - c->duration.measured);
        ps_compare_free(c);
        lab_run_clear(&a);
        lab_run_clear(&b);
}

/* A message takes 3 us from when its receiver is ready, 3 us after it was sent; with a flight of 15 us 13. */
TEST(messages_are_told_by_size)
{
        lab_run a, b;

        lab_run_make(&a, &(lab_shape){0}, 1);
        lab_run_make(&b, &(lab_shape){.flight_us = 15}, 1);
        ps_compare *c = lab_compared(&a.run, &b.run, &plain);
        assert_int_equal(c->sizes.n, 1);
        assert_int_equal(c->sizes.row[0].least_bytes, 8);
        assert_int_equal(c->sizes.row[0].most_bytes, 15);
        assert_int_equal(c->sizes.row[0].n, 16);
        lab_near(c->sizes.row[0].median.measured, 3 * us);
        lab_near(c->sizes.row[0].median.predicted, 13 * us);
        lab_near(c->sizes.row[0].errors.mean_log, 10. / 3);
        assert_int_equal(c->sizes.row[0].worst_from, 0);
        assert_int_equal(c->sizes.row[0].worst_to, 1);
        lab_near(c->duration.predicted - c->duration.measured, 40 * us);
        lab_near(c->part[PS_PART_OVERHEAD].predicted - c->part[PS_PART_OVERHEAD].measured, 40 * us);
        ps_compare_free(c);
        lab_run_clear(&a);
        lab_run_clear(&b);
}

/* 456 us against 466: 2.2 %. solve takes 400 us against 410: 2.5 %. */
TEST(tolerances_hold_for_the_run_and_its_intervals)
{
        static const struct {
                double tolerance;
                int total;
                unsigned intervals;
        } cases[] = {{.03, 0, 0}, {.024, 0, 1}, {.02, 1, 1}};
        char room[PS_COMPARE_VERDICT_ROOM];
        lab_run a, b;

        lab_run_make(&a, &(lab_shape){.steps = 4}, 1);
        lab_run_make(&b, &(lab_shape){.steps = 4}, 1);
        b.run.duration_s += 10 * us;
        for (uint32_t i = 0; i < b.run.intervals.n; i++)
                if (strcmp(b.run.intervals.row[i].name, "solve") == 0)
                        b.run.intervals.row[i].execution_s += 10 * us;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                ps_compare_options options = {.tolerance = cases[i].tolerance};
                ps_compare *c = lab_compared(&a.run, &b.run, &options);
                assert_int_equal(c->total_exceeded, cases[i].total);
                assert_int_equal(c->intervals_exceeded, cases[i].intervals);
                assert_true((strstr(ps_compare_verdict(room, c), "Within") != NULL) ==
                            (!cases[i].total && !cases[i].intervals));
                ps_compare_free(c);
        }
        lab_run_clear(&a);
        lab_run_clear(&b);
}

TEST(calibration_is_no_validation)
{
        lab_run a, b;

        lab_run_make(&a, &(lab_shape){0}, 1);
        lab_run_make(&b, &(lab_shape){0}, 1);
        b.run.is_predicted = 1;
        b.run.machine_source = "fitted to runs/lab.trf by least squares";
        ps_compare *c = lab_compared(&a.run, &b.run, &plain);
        assert_true(c->is_calibration);
        ps_compare_free(c);
        b.run.machine_source = "fitted to other.trf";
        c = lab_compared(&a.run, &b.run, &plain);
        assert_false(c->is_calibration);
        ps_compare_free(c);
        lab_run_clear(&a);
        lab_run_clear(&b);
}

TEST(the_number_of_threads_does_not_show)
{
        static ps_status (*const writers[])(const ps_compare *, ps_output *,
                                            ps_error *) = {ps_compare_write_text, ps_compare_write_json,
                                                           ps_compare_write_html, ps_compare_write_markdown};
        lab_shape shape = {.ranks = 9, .slow_rank = 4, .slow_us = 77, .extra_sends = 3};
        char *first[4] = {0};

        for (unsigned threads = 1; threads < 8; threads += threads) {
                lab_run a, b;
                lab_run_make(&a, &(lab_shape){.ranks = 9}, threads);
                lab_run_make(&b, &shape, threads);
                ps_compare *c = lab_compared(&a.run, &b.run, &plain);
                for (int i = 0; i < 4; i++) {
                        char *text = lab_compare_write(c, writers[i]);
                        if (first[i])
                                assert_string_equal(text, first[i]);
                        else
                                first[i] = strdup(text);
                        free(text);
                }
                ps_compare_free(c);
                lab_run_clear(&a);
                lab_run_clear(&b);
        }
        for (int i = 0; i < 4; i++)
                free(first[i]);
}
