/* test_html_intervals.c - intervals on the page for a browser: it is well-formed whatever their names say,
 * every interval has all its anchors, and its size is bounded. */
#include "reader/dvm/dvm.h"
#include "report/formats/html_intervals.h"
#include "simulator/dvm/dvm.h"
#include "tests/report/formats/html_page.h"
#include "tests/simulator/dvm/samples.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const ps_time ms = PS_PS_PER_S / 1000;

static ps_intervals *tree_of(uint32_t n_processors, unsigned known, unsigned classes)
{
        ps_intervals *tree;

        assert_int_equal(ps_intervals_new(&tree, n_processors, known, classes, NULL), PS_OK);
        return tree;
}

static ps_share *shares(ps_intervals *tree, uint32_t interval)
{
        ps_share *share;

        assert_int_equal(ps_intervals_shares(tree, interval, &share, NULL), PS_OK);
        return share;
}

static uint32_t enter(ps_intervals *tree, uint32_t parent, const char *name, const char *file, uint32_t line)
{
        uint32_t id;
        ps_interval_key key = {.type = PS_INTERVAL_USER,
                               .name = ps_strings_addz(tree->strings, name),
                               .file = ps_strings_addz(tree->strings, file),
                               .line = line};

        assert_int_equal(ps_intervals_enter(tree, parent, &key, &id, NULL), PS_OK);
        return id;
}

/* The number that the cell has for programs; NULL: it has none. */
static const char *cell(const char *html, const char *id, char room[64])
{
        char what[64];
        const char *at;
        size_t n;

        snprintf(what, sizeof(what), "<data id=\"%s\"", id);
        at = strstr(html, what);
        if (!at)
                fail_msg("no cell %s", id);
        at += strlen(what);
        if (strncmp(at, " value=\"", 8) != 0)
                return NULL;
        n = strcspn(at + 8, "\"");
        snprintf(room, 64, "%.*s", (int)n, at + 8);
        return room;
}

static void cell_is(const char *html, const char *id, const char *expected)
{
        char room[64];
        const char *value = cell(html, id, room);

        if (!value || strcmp(value, expected))
                fail_msg("%s is %s, not %s", id, value ? value : "unknown", expected);
}

static const char *const anchors[] = {"effic",  "exec", "total", "ptime", "ptimec", "ptimes",
                                      "ptimei", "lost", "insuf", "iuser", "isyst",  "comm",
                                      "csyn",   "idle", "imbal", "synch", "vary",   "over"};
static const char *const operation_anchors[] = {"nop", "com", "synch", "vary", "over"};

static void has_cells(const char *html, uint32_t interval, const char *letters)
{
        char id[64], room[64];

        for (size_t a = 0; a < sizeof(anchors) / sizeof(*anchors); a++) {
                snprintf(id, sizeof(id), "i%u-%s", interval, anchors[a]);
                cell(html, id, room);
        }
        for (size_t a = 0; a < sizeof(operation_anchors) / sizeof(*operation_anchors); a++)
                for (const char *letter = letters; *letter; letter++) {
                        snprintf(id, sizeof(id), "i%u-%s%c", interval, operation_anchors[a], *letter);
                        cell(html, id, room);
                }
}

/* Four processors do the same 0.1 s of calculation and 0.02 s of system calls: three times too often. */
TEST(every_characteristic_stands_at_its_anchor)
{
        const unsigned known = PS_KNOWS_SYSTEM | PS_KNOWS_IO | PS_KNOWS_INSUFFICIENT | PS_KNOWS_OVERLAP;
        ps_intervals *tree = tree_of(4, known, 1u << PS_IC_SHADOW);
        ps_share *share = shares(tree, 0);
        report_lab lab;
        ps_output *out;
        char room[64];

        for (int p = 0; p < 4; p++) {
                share[p] = (ps_share){.cpu = 100 * ms,
                                      .system = 20 * ms,
                                      .insufficient_cpu = 75 * ms,
                                      .insufficient_system = 15 * ms};
                share[p].communication[PS_IC_SHADOW] = 30 * ms;
                share[p].synchronization[PS_IC_SHADOW] = p * ms;
                share[p].overlap[PS_IC_SHADOW] = 2 * ms;
        }
        tree->row[0].operations[PS_IC_SHADOW] = 7;
        assert_int_equal(ps_intervals_finish(tree, NULL), PS_OK);
        const char *html = html_page(&lab, tree, &out);
        cell_is(html, "i0-exec", "0.15");
        cell_is(html, "i0-total", "0.6");
        cell_is(html, "i0-effic", "0.2");
        cell_is(html, "i0-ptime", "0.12");
        cell_is(html, "i0-ptimec", "0.1");
        cell_is(html, "i0-ptimes", "0.02");
        cell_is(html, "i0-ptimei", "0");
        cell_is(html, "i0-lost", "0.48");
        cell_is(html, "i0-insuf", "0.36");
        cell_is(html, "i0-iuser", "0.3");
        cell_is(html, "i0-isyst", "0.06");
        cell_is(html, "i0-comm", "0.12");
        cell_is(html, "i0-csyn", "0.006");
        cell_is(html, "i0-synch", "0.006");
        cell_is(html, "i0-over", "0.008");
        cell_is(html, "i0-nops", "7");
        cell_is(html, "i0-coms", "0.12");
        cell_is(html, "i0-synchs", "0.006");
        cell_is(html, "i0-overs", "0.008");
        assert_null(cell(html, "i0-vary", room));
        assert_null(cell(html, "i0-varys", room));
        has_cells(html, 0, "s");
        for (size_t a = 0; a < sizeof(anchors) / sizeof(*anchors); a++) {
                char bare[128];
                snprintf(bare, sizeof(bare), "<span id=\"%s\"><data id=\"i0-%s\"", anchors[a], anchors[a]);
                assert_int_equal(html_count(html, bare), 1);
        }
        html_page_close(&lab, out);
        ps_intervals_free(tree);
}

TEST(what_is_not_known_is_a_dash_that_says_why)
{
        ps_intervals *tree = tree_of(2, PS_KNOWS_CLOCKS, 1u << PS_IC_COLLECTIVE);
        report_lab lab;
        ps_output *out;
        char room[64];

        shares(tree, 0)[1].cpu = 3 * ms;
        assert_int_equal(ps_intervals_finish(tree, NULL), PS_OK);
        const char *html = html_page(&lab, tree, &out);
        static const char *const unknown[] = {"ptimes", "ptimei", "insuf", "iuser", "isyst",
                                              "vary",   "over",   "varyc", "overc"};
        for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
                char id[64], full[128];
                snprintf(id, sizeof(id), "i0-%s", unknown[i]);
                assert_null(cell(html, id, room));
                snprintf(full, sizeof(full), "<data id=\"%s\" class=\"unknown\" title=\"Not known: ", id);
                assert_non_null(strstr(html, full));
        }
        cell_is(html, "i0-ptimec", "0.003");
        html_page_close(&lab, out);
        ps_intervals_free(tree);
}

TEST(one_can_walk_the_tree)
{
        ps_intervals *tree = tree_of(1, 0, 0);
        report_lab lab;
        ps_output *out;
        uint32_t a = enter(tree, 0, "a", "", 0), b = enter(tree, 0, "b", "", 0);

        enter(tree, a, "c", "x.c", 5); /* made after b, told before it */
        enter(tree, b, "", "x.c", 6);
        assert_int_equal(ps_intervals_finish(tree, NULL), PS_OK);
        const char *html = html_page(&lab, tree, &out);
        assert_int_equal(html_count(html, "<tr id=\"interval-"), 5);
        assert_non_null(strstr(html, "<tr id=\"interval-2\"><th scope=\"row\">c</th>"));
        assert_non_null(strstr(html, "<a href=\"#interval-4\">User x.c:6</a>"));
        assert_non_null(strstr(html, "\"intervals\":[[0,1,"));
        assert_non_null(strstr(html, "\n[1,4,1,0,\"a\","));
        assert_non_null(strstr(html, "\n[2,4,1,5,\"c\","));
        assert_non_null(strstr(html, "\n[1,4,1,0,\"b\","));
        assert_non_null(strstr(html, "\n[2,4,1,6,\"\",\"User x.c:6\","));
        ps_output_discard(out);
        lab.report.settings.interval_levels = 1;
        html = report_lab_write(&lab, &out, ps_report_write_html);
        html_check_links(html);
        assert_int_equal(html_count(html, "<tr id=\"interval-"), 3);
        html_page_close(&lab, out);
        ps_intervals_free(tree);
}

/* Jacobi on 2 x 2 processors of a bus, as the Predictor itself prints it. */
TEST(a_simulated_run_of_dvm_has_its_page)
{
        char path[] = "/tmp/patscan-html-XXXXXX", *text = dvm_sample_jacobi();
        int fd = mkstemp(path);
        ps_machine machine;
        ps_dvm_options options = {.grid = {2, {2, 2}}, .pipelining = PS_PIPELINING_CODE};
        ps_dvm *dvm;
        ps_dvm_run run;
        report_lab lab;
        ps_output *out;

        close(fd);
        dvm_write(path, text, strlen(text));
        assert_int_equal(ps_dvm_read(&dvm, path, NULL), PS_OK);
        unlink(path);
        free(text);
        ps_machine_init(&machine, PS_MODEL_BUS);
        machine.link = (ps_link){75e-6, 5e6};
        assert_int_equal(ps_dvm_simulate(&run, dvm, &machine, &options, NULL), PS_OK);
        const char *html = html_page(&lab, run.intervals, &out);
        cell_is(html, "i0-exec", "0.0076216");
        cell_is(html, "i0-effic", "0.716385011021");
        cell_is(html, "i0-ptimec", "0.0218");
        cell_is(html, "i0-ptimes", "4e-05");
        cell_is(html, "i0-comr", "0.0027168");
        cell_is(html, "i0-coms", "0.0052096");
        for (uint32_t i = 0; i < run.intervals->n; i++)
                has_cells(html, i, "irsad");
        assert_non_null(strstr(html, "\n[1,4,2,20,\"1\",\"User t.cdv:20 (1)\","));
        html_page_close(&lab, out);
        ps_dvm_run_clear(&run);
        ps_machine_clear(&machine);
        ps_dvm_free(dvm);
}

TEST(no_name_breaks_out)
{
        static const char evil[] =
                "</script><script>alert(1)</script>\"' onclick=x &lt;\x1b[31m\xff\xc3\n`-->]]>";
        ps_intervals *tree = tree_of(2, 0, 1u << PS_IC_SHADOW);
        report_lab lab;
        ps_output *out;

        enter(tree, 0, evil, evil, 3);
        enter(tree, 0, "", evil, 3);
        assert_int_equal(ps_intervals_finish(tree, NULL), PS_OK);
        report_lab_open(&lab, &(lab_names){evil, evil, evil, evil});
        lab.report.settings.trace_path = lab.report.settings.baseline = evil;
        const char *html = html_page_of(&lab, tree, &out);
        assert_int_equal(html_count(html, "<script"), 2);
        assert_int_equal(html_count(html, "</script"), 2);
        assert_int_equal(html_count(html, "alert(1)"),
                         html_count(html, "&lt;script&gt;alert(1)") +
                                 html_count(html, "\\u003cscript\\u003ealert(1)"));
        assert_null(strstr(html, "\xff"));
        assert_non_null(strstr(html, "\\x1b[31m\\xff\\xc3\\x0a"));
        html_page_close(&lab, out);
        ps_intervals_free(tree);
}

/* Processor p loses p % 100 ms. */
static const char *page_with_processors(report_lab *lab, uint32_t n, ps_output **out)
{
        ps_intervals *tree = tree_of(n, 0, 1u << PS_IC_COLLECTIVE);
        ps_share *share = shares(tree, 0);
        const char *html;

        for (uint32_t p = 0; p < n; p++) {
                share[p].communication[PS_IC_COLLECTIVE] = p % 100 * ms;
                share[p].cpu = (100 - p % 100) * ms;
        }
        assert_int_equal(ps_intervals_finish(tree, NULL), PS_OK);
        html = html_page(lab, tree, out);
        ps_intervals_free(tree);
        return html;
}

TEST(many_processors_are_summed_up)
{
        report_lab lab;
        ps_output *out;
        const char *html = page_with_processors(&lab, PS_HTML_PROCESSORS, &out);

        assert_non_null(strstr(html, "\"0\":[[\"0\","));
        assert_non_null(strstr(html, ",[\"255\","));
        assert_null(strstr(html, "[\"1st quartile"));
        assert_non_null(strstr(html, ",[\"Mean\","));
        html_page_close(&lab, out);
        html = page_with_processors(&lab, PS_HTML_PROCESSORS + 44, &out);
        assert_non_null(strstr(html, "{\"count\":300,"));
        assert_non_null(strstr(html, ",[\"1st quartile\","));
        /* Three each of 99, 98, .. 79 ms, and the first of those of 78 ms. */
        assert_non_null(strstr(html, "[\"78\","));
        assert_null(strstr(html, "[\"178\","));
        assert_non_null(strstr(html, "[\"179\","));
        assert_null(strstr(html, "[\"77\","));
        html_page_close(&lab, out);
}

TEST(no_processors_and_no_time_are_no_trouble)
{
        report_lab lab;
        ps_output *out;

        page_with_processors(&lab, 0, &out);
        html_page_close(&lab, out);
        page_with_processors(&lab, 1, &out);
        html_page_close(&lab, out);
}

/* Interval i spends i ms in a collective operation of one processor while the others are idle. */
static ps_intervals *tree_of_many(uint32_t n, uint32_t n_processors)
{
        ps_intervals *tree = tree_of(n_processors, 0, 1u << PS_IC_COLLECTIVE);

        for (uint32_t i = 1; i < n; i++) {
                char name[32];
                snprintf(name, sizeof(name), i % 7 ? "loop %u" : "</script>&\"\\%u", i);
                uint32_t id = enter(tree, i % 10 ? i - i % 10 : 0, name, i % 2000 ? "a.c" : "b.c", i);
                shares(tree, id)[i % n_processors].communication[PS_IC_COLLECTIVE] = i * ms;
        }
        assert_int_equal(ps_intervals_finish(tree, NULL), PS_OK);
        return tree;
}

static void keep(const char *name, const char *html)
{
        FILE *file = getenv(name) ? fopen(getenv(name), "w") : NULL;

        if (file) {
                fputs(html, file);
                fclose(file);
        }
}

TEST(ten_thousand_intervals_are_a_small_page)
{
        enum { N = 10000, PROCESSORS = 256, MOST_BYTES = 3500000 };
        ps_intervals *tree = tree_of_many(N, PROCESSORS);
        report_lab lab;
        ps_output *out;
        const char *html = html_page(&lab, tree, &out);

        keep("PS_KEEP_BIG_PAGE", html);
        assert_true(strlen(html) < MOST_BYTES);
        assert_int_equal(html_count(html, "The 512 of 10000 intervals that lost most"), 1);
        assert_int_equal(html_count(html, "of the 64 intervals that lost most"), 1);
        assert_int_equal(html_count(html, "only the 64 intervals that lost most are told in full"), 1);
        assert_int_equal(html_count(html, "<tr id=\"interval-"), 512);
        /* 10 i ms are lost in interval i = 9990, 9980, .. 1010 with those below, so no leaf is among 512. */
        assert_int_equal(html_count(html, "<a href=\"#interval-9990\">"), 1);
        assert_int_equal(html_count(html, "#interval-9999"), 0);
        assert_int_equal(html_count(html, "\"loop 9999\""), 1);
        html_page_close(&lab, out);
        ps_intervals_free(tree);
}

/* Of each interval: what it is called and what it lost, in the order of the cells of the whole run. */
TEST(what_is_not_written_is_data)
{
        enum { N = 100, PROCESSORS = 2 };
        ps_intervals *tree = tree_of_many(N, PROCESSORS);
        report_lab lab;
        ps_output *out;
        const char *html = html_page(&lab, tree, &out);

        keep("PS_KEEP_PAGE_OF_DATA", html);
        assert_int_equal(html_count(html, "<tr id=\"interval-"), N);
        assert_int_equal(html_count(html, "intervals that lost most; --report json"), 0);
        assert_int_equal(html_count(html, "only the 64 intervals that lost most are told in full"), 1);
        assert_int_equal(html_count(html, "<script"), 2);
        assert_int_equal(html_count(html, "</script"), 2);
        /* Efficiency, execution, total, productive (all, CPU), lost, communication (all, SYN), idle,
         * imbalance, synchronization; operations: none, 0.003 s. No system calls, input, variation or overlap
         * are known. */
        assert_non_null(strstr(html, "\n[1,4,1,3,\"loop 3\",0,0,0,0,0.003,0.006,0,0,0.006,0.003,0,0.003,0,0,"
                                     "0,0.003,0],\n"));
        assert_non_null(strstr(html, "\n[1,4,1,7,\"\\u003c/script\\u003e\\u0026\\\"\\\\7\",0,0,0,0,0.007,"));
        assert_non_null(strstr(html, "\n\"3\":[[\"0\",0,0,0.003,"));
        html_page_close(&lab, out);
        ps_intervals_free(tree);
}
