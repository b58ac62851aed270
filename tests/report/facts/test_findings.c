/* test_findings.c - what a report makes of an analysis: names, sums, sites, sentences, certainty. */
#include "tests/support/late_sender.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

TEST(waits_are_summed_up_by_place)
{
        late_sender f;
        const ps_report_pattern *late = NULL;

        late_sender_report(&f, &late_sender_plain);
        assert_int_equal(f.report->n_findings, 1);
        assert_int_equal(f.report->total, LOST_TWO);
        assert_true(f.report->total_share == 15.0 / (2 * DURATION_MS));
        assert_true(f.report->findings[0].share == 15.0 / (2 * DURATION_MS));
        for (uint32_t i = 0; i < f.report->n_patterns; i++) {
                const ps_report_pattern *row = &f.report->patterns[i];
                assert_true(row->row->definitions & PS_BY_SCALASCA);
                if (strcmp(row->row->id, "late-sender") == 0)
                        late = row;
                else
                        assert_int_equal(row->total, 0);
        }
        assert_non_null(late);
        assert_int_equal(late->count, 2);
        assert_int_equal(late->lost, LOST_TWO);
        assert_int_equal(late->by_location[0], 0);
        assert_int_equal(late->by_location[1], LOST_TWO);
        late_sender_clear(&f);
}

/* The same again, of another pattern and at the first location. */
static void find_more(ps_analysis *a, uint32_t pattern, ps_time lost)
{
        ps_finding *findings = malloc((a->n_findings + 1) * sizeof(*findings));
        assert_non_null(findings);
        memcpy(findings, a->findings, a->n_findings * sizeof(*findings));
        ps_finding *more = &findings[a->n_findings++];
        *more = findings[0];
        more->pattern = more->worst.pattern = pattern;
        more->location = 0;
        more->count = 1;
        more->lost = more->least = lost;
        a->count[pattern] = 1;
        free(a->findings);
        a->findings = findings;
}

/* Children give to their parents, and what is left out gives to nobody. */
TEST(children_give_to_their_parents)
{
        late_sender f;
        uint32_t child = ps_pattern_find("late-sender-wrong-order-same-source");
        uint8_t left_out[PS_MAX_PATTERNS] = {0};
        int seen = 0;

        late_sender_load(&f, &late_sender_plain);
        late_sender_analyse(&f, &(ps_report_settings){.trace_path = "t"});
        find_more(f.analysis, child, 7);
        ps_report_free(f.report);
        assert_int_equal(ps_report_new(&f.report, f.trace, &f.trace->measured, f.analysis, f.sources,
                                       &(ps_report_settings){0}, NULL),
                         PS_OK);
        assert_int_equal(f.report->total, LOST_TWO); /* by the table of times, not by the rows */
        for (uint32_t i = 0; i < f.report->n_patterns; i++) {
                const ps_report_pattern *row = &f.report->patterns[i];
                if (strcmp(row->row->id, "late-sender") == 0) {
                        assert_int_equal(row->lost, LOST_TWO);
                        assert_int_equal(row->total, LOST_TWO + 7);
                        assert_int_equal(row->by_location[0], 7);
                        assert_int_equal(row->total_count, 3);
                        seen++;
                } else if (strcmp(row->row->id, "late-sender-wrong-order") == 0) {
                        assert_int_equal(row->lost, 0);
                        assert_int_equal(row->total, 7);
                        assert_int_equal(row->depth, 1);
                        seen++;
                }
        }
        assert_int_equal(seen, 2);
        ps_report_free(f.report);
        left_out[ps_pattern_find("late-sender")] = 1;
        assert_int_equal(ps_report_new(&f.report, f.trace, &f.trace->measured, f.analysis, f.sources,
                                       &(ps_report_settings){.left_out = left_out}, NULL),
                         PS_OK);
        assert_int_equal(f.report->total, LOST_TWO); /* whatever is shown of it */
        assert_int_equal(f.report->n_findings, 1);   /* the other one */
        late_sender_clear(&f);
}

/* FNV-1a and splitmix64 over "main", "MPI_Recv", "late-sender", "a.c", worked out apart: saved reports hold
 * these.
 */
TEST(site_never_changes)
{
        static const late_sender_run same = {"/elsewhere/a.c", 4711, 1, 321}, moved = {"b.c", 40, 2, 0};
        late_sender f;

        late_sender_report(&f, &late_sender_plain);
        assert_string_equal(f.report->findings[0].site, "bc059bf1d317044d");
        assert_string_equal(f.report->findings[0].id, "a40b182f8682e6db");
        late_sender_clear(&f);
        late_sender_report(&f, &same);
        assert_string_equal(f.report->findings[0].site, "bc059bf1d317044d");
        assert_string_equal(f.report->findings[0].id, "a40b182f8682e6db");
        late_sender_clear(&f);
        late_sender_report(&f, &moved);
        assert_string_not_equal(f.report->findings[0].site, "bc059bf1d317044d");
        late_sender_clear(&f);
}

TEST(a_comment_says_what_happened)
{
        static const late_sender_run one = {"src/a.c", 40, 1, 0};
        late_sender f;
        char room[PS_COMMENT_ROOM];

        late_sender_report(&f, &late_sender_plain);
        assert_string_equal(ps_report_comment(f.report, &f.report->findings[0], room),
                            "MPI_Recv waited 15 ms in 2 calls, 10 ms at worst (at 30 ms) for rank 0, which "
                            "was to send at a.c:33.");
        assert_string_equal(f.report->findings[0].advice, f.report->findings[0].pattern->advice);
        late_sender_clear(&f);
        late_sender_report(&f, &one);
        assert_string_equal(
                ps_report_comment(f.report, &f.report->findings[0], room),
                "MPI_Recv waited 5 ms in one call (at 15 ms) for rank 0, which was to send at a.c:33.");
        late_sender_clear(&f);
}

/* The worst wait takes 10 ms: whoever calls 9 ms later still waits. */
TEST(a_call_is_to_be_moved_behind_its_wait)
{
        const ps_time ms = 1000000 * (ps_time)PS_PS_PER_NS;
        late_sender f;
        char room[PS_COMMENT_ROOM];

        late_sender_report(&f, &late_sender_plain);
        f.report->findings[0].is_late = 1;
        f.analysis->findings[0].worst.later = 11 * ms;
        assert_non_null(strstr(ps_report_comment(f.report, &f.report->findings[0], room),
                               " Calling it 11 ms later would have avoided the longest wait."));
        f.analysis->findings[0].worst.later = 9 * ms;
        assert_null(strstr(ps_report_comment(f.report, &f.report->findings[0], room), "Calling it"));
        late_sender_clear(&f);
}

static ps_confidence confidence_with(const ps_clock_info *clock, int issue)
{
        late_sender f;
        ps_confidence confidence;

        late_sender_load(&f, &late_sender_plain);
        f.trace->clock = *clock;
        if (issue >= 0)
                ps_issue_note(&f.trace->issues, (ps_issue_kind)issue, PS_NOWHERE);
        late_sender_analyse(&f, &(ps_report_settings){0});
        confidence = f.report->findings[0].confidence;
        f.trace->clock = (ps_clock_info){0};
        late_sender_clear(&f);
        return confidence;
}

/* The text that is written when the clocks are in this state and waits of `epsilon` count. */
static void says_of(const ps_clock_info *clock, ps_time epsilon, ps_time doubtful, const char *part)
{
        late_sender f;
        ps_output *out;
        ps_error err = {0};
        const char *text;

        late_sender_load(&f, &late_sender_plain);
        f.trace->clock = *clock;
        late_sender_analyse(&f, &(ps_report_settings){0});
        f.analysis->epsilon = epsilon;
        f.analysis->doubtful = doubtful;
        assert_int_equal(ps_output_open_memory(&out, 400, &err), PS_OK);
        assert_int_equal(ps_report_write_text(f.report, out, &err), PS_OK);
        text = ps_output_text(out);
        if (!text || !strstr(text, part))
                fail_msg("not said: %s\nin: %s", part, text ? text : "");
        ps_output_discard(out);
        f.trace->clock = (ps_clock_info){0};
        late_sender_clear(&f);
}

static void says(const ps_clock_info *clock, ps_time epsilon, const char *part)
{
        says_of(clock, epsilon, 0, part);
}

TEST(what_clocks_leave_open_does_not_count)
{
        const ps_time ms = PS_PS_PER_S / 1000;
        const ps_clock_info good = {0},
                            repaired = {.trust = PS_CLOCK_BOUNDED, .repaired = 1, .likely = 4 * ms},
                            open = {.trust = PS_CLOCK_UNKNOWN, .repaired = 1, .likely = PS_TIME_MAX},
                            left = {.left = 1, .worst = 8 * ms},
                            rough = {.trust = PS_CLOCK_BOUNDED, .repaired = 1, .likely = 7 * ms},
                            useless = {.trust = PS_CLOCK_BOUNDED, .repaired = 1, .likely = 72 * ms};

        /* 15 ms of two times 100 ms. */
        says(&good, 0, "7.5 % of all time was lost: 15 ms of 2 x 100 ms.\nEvery wait counts;");
        says(&good, ms, "Waits of 1 ms or more are listed;");
        /* Of the two waits, 10 and 5 ms, the clocks leave 6 and 1 for certain. */
        says(&repaired, ms,
             "7.5 % of all time was lost: 15 ms of 2 x 100 ms.\nAt least 7 ms of that is certain;");
        says(&repaired, ms, "between two of them they may be wrong by up to 4 ms. Record with");
        says(&rough, ms, "15 ms of 2 x 100 ms.\nAt least 3 ms of that is certain;");
        says_of(&rough, ms, 5 * ms, "Waits that seem shorter than that are left out, 5 ms in all.");
        says_of(&useless, ms, 16 * ms,
                "How much was lost cannot be told: the clocks of the ranks are uncertain by 72 ms.\n");
        says(&left, ms, "disagree by up to 8 ms. Waits of 1 ms or more count,");
        says(&left, 8 * ms, "disagree by up to 8 ms. Only waits of 8 ms or more count.");
        says(&open, ms, "does not tell by how much");
}

/* 7.5 ms on average. */
TEST(confidence_falls_with_uncertain_clocks)
{
        const ps_time ms = PS_PS_PER_S / 1000;
        const ps_clock_info good = {0}, sure = {.trust = PS_CLOCK_BOUNDED, .repaired = 1, .likely = 3 * ms},
                            fair = {.trust = PS_CLOCK_BOUNDED, .repaired = 1, .likely = 4 * ms},
                            poor = {.trust = PS_CLOCK_BOUNDED, .repaired = 1, .likely = 8 * ms},
                            open = {.trust = PS_CLOCK_UNKNOWN, .repaired = 1, .likely = PS_TIME_MAX},
                            left = {.left = 1, .worst = 8 * ms};

        assert_int_equal(confidence_with(&good, -1), PS_CONFIDENCE_HIGH);
        assert_int_equal(confidence_with(&sure, -1), PS_CONFIDENCE_HIGH);
        assert_int_equal(confidence_with(&fair, -1), PS_CONFIDENCE_MEDIUM);
        assert_int_equal(confidence_with(&poor, -1), PS_CONFIDENCE_LOW);
        assert_int_equal(confidence_with(&open, -1), PS_CONFIDENCE_LOW);
        assert_int_equal(confidence_with(&left, -1), PS_CONFIDENCE_LOW);
        assert_int_equal(confidence_with(&good, PS_I_FILE_TRUNCATED), PS_CONFIDENCE_LOW);
        assert_int_equal(confidence_with(&good, PS_I_DEF_UNKNOWN), PS_CONFIDENCE_MEDIUM);
        assert_int_equal(confidence_with(&good, PS_I_SEND_UNMATCHED), PS_CONFIDENCE_HIGH);
}

TEST(a_finding_has_its_call_path)
{
        late_sender f;
        const char *names[2];
        ps_path path;

        late_sender_report(&f, &late_sender_plain);
        path = f.analysis->findings[0].path;
        assert_int_equal(ps_report_callpath(f.report, path, names, 2), 2);
        assert_string_equal(names[0], "main");
        assert_string_equal(names[1], "MPI_Recv");
        assert_int_equal(ps_report_callpath(f.report, path, names, 1), 2);
        assert_string_equal(names[0], "MPI_Recv");
        late_sender_clear(&f);
}
