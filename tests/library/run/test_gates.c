/* test_gates.c - quantities, selections of patterns and limits, as they are written on a command line. */
#include "app/cli/commands.h"
#include "core/model/focus.h"
#include "library/run/gate.h"
#include "library/run/select.h"
#include "tests/support/test.h"

#include <string.h>

TEST(limits_are_times_or_shares)
{
        static const struct {
                const char *text;
                ps_time ps; /* -1: a share */
                double share;
        } good[] = {
                {"10us", 10000000, 0},      {"0", 0, 0},       {"0ns", 0, 0},    {"1.5 ms", 1500000000, 0},
                {"2s", 2 * PS_PS_PER_S, 0}, {"0.001ns", 1, 0}, {"5%", -1, 0.05}, {"100 %", -1, 1}};
        static const char *const bad[] = {
                "",
                "10",
                "us",
                "-1us",
                "1m",
                "1e999s",
                "nan",
                "inf",
                "101%",
                "0x1us",
                "1us ",
                "1,5us",
                "1us%",
                "9e18s",
                "%",
                ".",
                "1111111111111111111111111111111111111111111111111111111111111111us"};
        ps_quantity q;

        for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
                assert_int_equal(ps_quantity_parse(&q, good[i].text, strlen(good[i].text), "x", NULL), PS_OK);
                assert_int_equal(q.is_share, good[i].ps < 0);
                if (q.is_share)
                        assert_true(q.share == good[i].share);
                else
                        assert_int_equal(q.time, good[i].ps);
        }
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
                assert_int_equal(ps_quantity_parse(&q, bad[i], strlen(bad[i]), "x", NULL), PS_E_USAGE);
}

/* -- selection -- */

static ps_selection select_patterns(const char *only, const char *ignore)
{
        ps_word_list wanted = {{only}, only != NULL}, ignored = {{ignore}, ignore != NULL};
        ps_selection selection;

        assert_int_equal(ps_selection_make(&selection, &wanted, &ignored, NULL), PS_OK);
        return selection;
}

static int is_shown(const ps_selection *s, const char *id)
{
        return !s->left_out[ps_pattern_find(id)];
}

static int is_evaluated(const ps_selection *s, const char *id)
{
        return !s->off[ps_pattern_find(id)];
}

TEST(families_select_their_patterns)
{
        ps_selection s = select_patterns(NULL, NULL);

        for (uint32_t p = 0; p < ps_pattern_count(); p++)
                assert_false(s.off[p] || s.left_out[p]);
        s = select_patterns("late-sender,barrier-wait", NULL);
        assert_true(is_shown(&s, "late-sender") && is_evaluated(&s, "late-sender"));
        assert_true(is_shown(&s, "late-sender-wrong-order-same-source"));
        assert_true(is_shown(&s, "barrier-wait"));
        assert_false(is_shown(&s, "late-receiver") || is_evaluated(&s, "late-receiver"));
        /* A row above a wanted one is evaluated, but not shown. */
        s = select_patterns("late-sender-wrong-order", NULL);
        assert_true(is_evaluated(&s, "late-sender") && !is_shown(&s, "late-sender"));
        assert_true(is_shown(&s, "late-sender-wrong-order"));
        assert_false(is_evaluated(&s, "barrier-wait"));
        s = select_patterns(NULL, "late-sender,,barrier-wait,");
        assert_false(is_evaluated(&s, "late-sender") || is_evaluated(&s, "late-sender-wrong-order"));
        assert_false(is_shown(&s, "barrier-wait"));
        assert_true(is_shown(&s, "late-receiver") && is_evaluated(&s, "late-receiver"));
        s = select_patterns("late-sender", "late-sender-wrong-order");
        assert_true(is_shown(&s, "late-sender"));
        assert_false(is_evaluated(&s, "late-sender-wrong-order"));
}

TEST(unknown_patterns_are_refused_with_the_nearest)
{
        uint32_t pattern;
        ps_error err = {0};

        assert_int_equal(ps_select_pattern(&pattern, "late-sendr", 10, &err), PS_E_USAGE);
        assert_string_equal(err.cause[0].text, "no such pattern \"late-sendr\": did you mean late-sender?");
        err = (ps_error){0};
        assert_int_equal(ps_select_pattern(&pattern, "xyzzy", 5, &err), PS_E_USAGE);
        assert_string_equal(err.cause[0].text, "no such pattern \"xyzzy\": `patscan patterns` lists them");
        for (uint32_t p = 0; p < ps_pattern_count(); p++) {
                const char *id = ps_pattern_at(p)->id;
                assert_int_equal(ps_select_pattern(&pattern, id, strlen(id), NULL), PS_OK);
                assert_int_equal(pattern, p);
        }
}

/* -- limits -- */

TEST(gates_are_read_from_text)
{
        static const char *const bad[] = {"",
                                          ",",
                                          "late-sender",
                                          "late-sender>",
                                          "total>5",
                                          "total<5%",
                                          "new>1",
                                          "total>5%,",
                                          "sometimes>5%",
                                          ">5%",
                                          "total>=-1ms",
                                          "late-sendr>5%",
                                          "duration>5%",
                                          "duration<1s",
                                          "parallel>80%",
                                          "parallel<1s",
                                          "parallel<0.8",
                                          "parallel<=101%",
                                          "parallel",
                                          "late-sender<5%",
                                          "transfer<",
                                          "<80%"};
        ps_gates gates = {0};

        assert_int_equal(ps_gates_parse(&gates, "late-sender>5%, total >= 20ms ,new", NULL), PS_OK);
        assert_int_equal(gates.n, 3);
        assert_int_equal(gates.row[0].subject, PS_GATE_PATTERN);
        assert_int_equal(gates.row[0].pattern, ps_pattern_find("late-sender"));
        assert_true(gates.row[0].limit.is_share && gates.row[0].limit.share == 0.05);
        assert_false(gates.row[0].or_equal);
        assert_int_equal(gates.row[1].subject, PS_GATE_TOTAL);
        assert_int_equal(gates.row[1].limit.time, 20 * (PS_PS_PER_S / 1000));
        assert_true(gates.row[1].or_equal);
        assert_int_equal(gates.row[2].subject, PS_GATE_NEW);
        assert_true(ps_gates_need_baseline(&gates));
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
                gates = (ps_gates){0};
                assert_int_equal(ps_gates_parse(&gates, bad[i], NULL), PS_E_USAGE);
        }
}

TEST(gates_that_cannot_be_hit)
{
        ps_gates gates = {0};
        uint8_t left_out[PS_MAX_PATTERNS] = {0};

        assert_int_equal(ps_gates_parse(&gates, "test-spin>5%", NULL), PS_OK);
        assert_int_equal(ps_gates_check(&gates, left_out, PS_DEFINITIONS_PATSCAN, NULL), PS_OK);
        assert_int_equal(ps_gates_check(&gates, left_out, PS_DEFINITIONS_SCALASCA, NULL), PS_E_USAGE);
        left_out[ps_pattern_find("test-spin")] = 1;
        assert_int_equal(ps_gates_check(&gates, left_out, PS_DEFINITIONS_PATSCAN, NULL), PS_E_USAGE);
}

static int is_hit(const char *text, const ps_report *report, char told[PS_LIMIT_TOLD])
{
        ps_gates gates = {0};

        assert_int_equal(ps_gates_parse(&gates, text, NULL), PS_OK);
        ps_limit_verdict verdict = ps_gate_judge(&gates.row[0], report, told);
        assert_int_not_equal(verdict, PS_LIMIT_UNKNOWN);
        return verdict == PS_LIMIT_HIT;
}

/* Late senders take 20 ms, 10 %; all patterns together 30 ms, 15 %. */
TEST(a_gate_is_hit_at_its_limit)
{
        const ps_time ms = PS_PS_PER_S / 1000;
        ps_report_pattern row = {.pattern = ps_pattern_find("late-sender"), .total = 20 * ms, .share = 0.1};
        ps_report_finding findings[2] = {{.is_new = 0}, {.is_new = 0}};
        ps_report report = {.patterns = &row,
                            .n_patterns = 1,
                            .total = 30 * ms,
                            .total_share = 0.15,
                            .findings = findings,
                            .n_findings = 2};
        char told[PS_LIMIT_TOLD];

        assert_true(is_hit("late-sender>9.9%", &report, told));
        assert_string_equal(told, "late-sender>9.9%: 10 %, limit 9.9 %");
        assert_false(is_hit("late-sender>10%", &report, told));
        assert_true(is_hit("late-sender>=10%", &report, told));
        assert_false(is_hit("late-sender>20ms", &report, told));
        assert_true(is_hit("late-sender>=20ms", &report, told));
        assert_true(is_hit("total>20ms", &report, told));
        assert_string_equal(told, "total>20ms: 30 ms, limit 20 ms");
        assert_false(is_hit("total>15%", &report, told));
        assert_false(is_hit("new", &report, told));
        findings[1].is_new = 1;
        assert_true(is_hit("new", &report, told));
        assert_string_equal(told, "new: 1 finding is not in the baseline");
}

/* The run takes 3 s; between Init and Finalize it is 2 s. */
TEST(a_gate_on_the_length_is_on_that_of_the_focus)
{
        ps_span span = {PS_PS_PER_S / 2, 5 * (PS_PS_PER_S / 2)};
        ps_focus focus = {.span = &span, .n_spans = 1, .length = 2 * PS_PS_PER_S};
        ps_timing timing = {.duration = 3 * PS_PS_PER_S, .focus = &focus};
        ps_report report = {.timing = &timing};
        char told[PS_LIMIT_TOLD];

        assert_false(is_hit("duration>2s", &report, told));
        assert_true(is_hit("duration>=2s", &report, told));
        assert_true(is_hit("duration>1999ms", &report, told));
        assert_string_equal(told, "duration>1999ms: 2 s, limit 1.999 s");
        timing.focus = NULL;
        assert_true(is_hit("duration>2.5s", &report, told));
}

TEST(gates_on_efficiencies)
{
        ps_report report = {.efficiency = {.is_known = 1,
                                           .parallel = 0.72,
                                           .load_balance = 0.8,
                                           .communication = 0.9,
                                           .serialization = 0.95,
                                           .transfer = 0.94}};
        ps_gates gates = {0};
        char told[PS_LIMIT_TOLD];

        assert_true(is_hit("parallel<80%", &report, told));
        assert_string_equal(told, "parallel<80%: 72 %, limit 80 %");
        assert_false(is_hit("parallel < 72%", &report, told));
        assert_true(is_hit("parallel<=72%", &report, told));
        assert_true(is_hit("load-balance<90%", &report, told));
        assert_false(is_hit("communication<90%", &report, told));
        /* Nothing was replayed: the parts of communication are not known. */
        assert_int_equal(ps_gates_parse(&gates, "transfer<50%,serialization<50%", NULL), PS_OK);
        assert_true(ps_gates_need_split(&gates));
        assert_false(ps_gates_are_on_waits(&gates));
        assert_int_equal(ps_gate_judge(&gates.row[0], &report, told), PS_LIMIT_UNKNOWN);
        assert_string_equal(told, "transfer<50%: not known, limit 50 %");
        assert_int_equal(ps_gate_judge(&gates.row[1], &report, told), PS_LIMIT_UNKNOWN);
        report.efficiency.is_split = 1;
        assert_int_equal(ps_gate_judge(&gates.row[0], &report, told), PS_LIMIT_KEPT);
        assert_true(is_hit("transfer<95%", &report, told));
        /* Clocks that nobody knows tell none of them. */
        report.efficiency.is_untold = 1;
        gates.n = 0;
        assert_int_equal(ps_gates_parse(&gates, "parallel<80%", NULL), PS_OK);
        assert_false(ps_gates_need_split(&gates));
        assert_int_equal(ps_gate_judge(&gates.row[0], &report, told), PS_LIMIT_UNKNOWN);
}

/* The command's list of formats is the table of formats. */
TEST(formats_of_analyze)
{
        const char *reports = ps_command_find("analyze")->reports;

        for (unsigned i = 0; i < ps_report_n_formats; i++)
                assert_int_equal(
                        ps_choice_find(reports, ps_report_formats[i].name, strlen(ps_report_formats[i].name)),
                        i);
        unsigned n = 1;
        for (const char *c = reports; *c; c++)
                n += *c == '|';
        assert_int_equal(n, ps_report_n_formats);
}
