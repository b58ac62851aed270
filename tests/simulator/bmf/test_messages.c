/* test_messages.c - who sends what to whom when: the message lists of the parallel operators, by hand
 * from Martinaitis, chapter 5, and his charts' peaks. Costs are those of the chart or of the hand's
 * calculation. */
#include "tests/simulator/bmf/lab.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define FLATTEN   "$Flatten = P_Map (B_Reduce (B_Op (B_Conc)))\n"
#define ONE_TO_16 "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]"

static void expect(const bmf_lab *lab, uint32_t first, const bmf_lab_message *wanted, uint32_t n, int times)
{
        assert_int_equal(lab->n - first, n);
        for (uint32_t i = 0; i < n; i++) {
                const bmf_lab_message *m = &lab->message[first + i], *w = &wanted[i];
                if (m->from != w->from || m->to != w->to || m->bytes != w->bytes)
                        fail_msg("message %u is %u->%u %lu and not %u->%u %lu", i, m->from, m->to,
                                 (unsigned long)m->bytes, w->from, w->to, (unsigned long)w->bytes);
                if (times && (m->begin != w->begin || m->end != w->end || m->arrive != w->arrive ||
                              m->done != w->done))
                        fail_msg("%u->%u is %ld/%ld/%ld/%ld and not %ld/%ld/%ld/%ld", m->from, m->to,
                                 m->begin, m->end, m->arrive, m->done, w->begin, w->end, w->arrive, w->done);
        }
}

/* That these messages were sent, in any order. */
static void expect_set(const bmf_lab *lab, uint32_t first, const bmf_lab_message *wanted, uint32_t n)
{
        assert_int_equal(lab->n - first, n);
        for (uint32_t i = 0; i < n; i++) {
                uint32_t found = 0;
                for (uint32_t j = first; j < lab->n; j++)
                        found += lab->message[j].from == wanted[i].from &&
                                 lab->message[j].to == wanted[i].to &&
                                 lab->message[j].bytes == wanted[i].bytes;
                if (found != 1)
                        fail_msg("%u->%u %lu was sent %u times", wanted[i].from, wanted[i].to,
                                 (unsigned long)wanted[i].bytes, found);
        }
}

/* Messages that begin together make a level. */
static uint32_t levels(const bmf_lab *lab, uint32_t first, uint32_t *count, uint64_t *bytes)
{
        uint32_t n = 0;
        for (uint32_t i = first; i < lab->n; i++) {
                if (i == first || lab->message[i].begin != lab->message[i - 1].begin) {
                        count[n] = 0;
                        bytes[n++] = 0;
                }
                count[n - 1]++;
                bytes[n - 1] += lab->message[i].bytes;
        }
        return n;
}

static void expect_levels(const bmf_lab *lab, uint32_t first, uint32_t n, const uint32_t *count,
                          const uint64_t *bytes)
{
        uint32_t got_count[64];
        uint64_t got_bytes[64];
        assert_int_equal(levels(lab, first, got_count, got_bytes), n);
        for (uint32_t i = 0; i < n; i++) {
                assert_int_equal(got_count[i], count[i]);
                assert_int_equal(got_bytes[i], bytes[i]);
        }
}

/* 4.7.1: a message of 5 bytes that is sent at 1: sent 6, there 11, done 16. */
TEST(one_message)
{
        static const bmf_lab_message wanted[] = {{0, 1, 5, 1, 6, 11, 16}};
        bmf_lab lab;
        ps_bmf_options o = bmf_lab_plain(1, 5);
        o.costs.work = 1;
        bmf_lab_run(&lab, "B_Comp (P_Split (B_Num 2) (B_Num 0)) (B_Id) [1,2,3,4,5,6,7,8,9,10]", &o);
        expect(&lab, 0, wanted, 1, 1);
        bmf_lab_clear(&lab);
}

/* 3.5: the send takes 1, the transport 2, the receive 1; then processor 2 computes for 5. */
TEST(example_of_the_tracefile)
{
        static const bmf_lab_message wanted[] = {{0, 2, 5, 1, 2, 4, 5}};
        bmf_lab lab;
        ps_bmf_options o = bmf_lab_plain(0, 2);
        o.costs.send_fixed = o.costs.receive_fixed = o.costs.work = 1;
        o.n_processors = 4;
        bmf_lab_run(&lab,
                    "B_Comp (P_Map (B_Map (B_Id))) (B_Comp (P_Split (B_Num 2) (B_Num 1)) (B_Id)) "
                    "[1,2,3,4,5,6,7,8,9,10]",
                    &o);
        expect(&lab, 0, wanted, 1, 1);
        assert_int_equal(lab.end, 10);
        assert_string_equal(lab.run.result, "[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]");
        bmf_lab_clear(&lab);
}

TEST(split_of_15_items_over_8)
{
        static const bmf_lab_message wanted[] = {
                {0, 4, 7, 0, 7, 12, 19},   {0, 2, 4, 7, 11, 16, 20},  {0, 1, 2, 11, 13, 18, 20},
                {4, 6, 3, 19, 22, 27, 30}, {2, 3, 2, 20, 22, 27, 29}, {4, 5, 2, 22, 24, 29, 31},
                {6, 7, 1, 30, 31, 36, 37},
        };
        bmf_lab lab;
        ps_bmf_options o = bmf_lab_plain(1, 5);
        bmf_lab_run(&lab, "P_Split (B_Num 8) (B_Num 0) [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]", &o);
        expect(&lab, 0, wanted, 7, 1);
        assert_int_equal(lab.end, 37);
        assert_int_equal(lab.run.n_processors, 8);
        assert_string_equal(lab.run.result,
                            "[[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12], [13, 14], [15]]");
        bmf_lab_clear(&lab);
}

static const bmf_lab_message split_16[] = {
        {.from = 0, .to = 8, .bytes = 8},   {.from = 8, .to = 12, .bytes = 4},
        {.from = 12, .to = 14, .bytes = 2}, {.from = 14, .to = 15, .bytes = 1},
        {.from = 12, .to = 13, .bytes = 1}, {.from = 8, .to = 10, .bytes = 2},
        {.from = 10, .to = 11, .bytes = 1}, {.from = 8, .to = 9, .bytes = 1},
        {.from = 0, .to = 4, .bytes = 4},   {.from = 4, .to = 6, .bytes = 2},
        {.from = 6, .to = 7, .bytes = 1},   {.from = 4, .to = 5, .bytes = 1},
        {.from = 0, .to = 2, .bytes = 2},   {.from = 2, .to = 3, .bytes = 1},
        {.from = 0, .to = 1, .bytes = 1}};

TEST(split_of_16_items_over_16)
{
        bmf_lab lab;
        ps_bmf_options o = bmf_lab_plain(1, 5);
        bmf_lab_run(&lab, "P_Split (B_Num 16) (B_Num 0) " ONE_TO_16, &o);
        expect_set(&lab, 0, split_16, 15);
        bmf_lab_clear(&lab);
}

/* 5.3.4: an outer split with a stride of 4, then a split of each row over its own four processors. */
TEST(nested_splits)
{
        static const bmf_lab_message wanted[] = {
                {.from = 0, .to = 8, .bytes = 8},   {.from = 8, .to = 12, .bytes = 4},
                {.from = 0, .to = 4, .bytes = 4},   {.from = 4, .to = 6, .bytes = 2},
                {.from = 6, .to = 7, .bytes = 1},   {.from = 4, .to = 5, .bytes = 1},
                {.from = 0, .to = 2, .bytes = 2},   {.from = 2, .to = 3, .bytes = 1},
                {.from = 0, .to = 1, .bytes = 1},   {.from = 8, .to = 10, .bytes = 2},
                {.from = 10, .to = 11, .bytes = 1}, {.from = 8, .to = 9, .bytes = 1},
                {.from = 12, .to = 14, .bytes = 2}, {.from = 14, .to = 15, .bytes = 1},
                {.from = 12, .to = 13, .bytes = 1}};
        bmf_lab lab;
        ps_bmf_options o = bmf_lab_plain(1, 5);
        bmf_lab_run(&lab,
                    "B_Comp (P_Map (B_Map (P_Split (B_Num 4) (B_Num 0)))) (P_Split (B_Num 4) (B_Num 2))"
                    "[[0,1,2,3],[5,6,7,8],[9,10,11,12],[13,14,15,16]]",
                    &o);
        expect_set(&lab, 0, wanted, 15);
        assert_int_equal(lab.run.n_processors, 16);
        for (uint32_t i = 0; i < lab.n; i++) /* no row is split before all of them are there */
                assert_true(i < 3 ? lab.message[i].bytes >= 4 : lab.message[i].begin >= lab.message[2].done);
        bmf_lab_clear(&lab);
}

#define DISTL_16                                                                                             \
        "B_Comp (P_Distl) (B_Comp (B_Alltup [B_Comp (B_Op (B_Iota)) (B_Con (B_Int 16)), B_Id]) "             \
        "(P_Split (B_Num 16) (B_Num 0))) " ONE_TO_16

/* 5.4.1: the same pairs as P_Split, 16 bytes each, and at most 7 of them at once, 112 bytes. */
TEST(distl_of_16_bytes)
{
        static const int transports[] = {0, 1, 5, 16, 50, 300};
        for (size_t t = 0; t < sizeof(transports) / sizeof(*transports); t++) {
                bmf_lab_message wanted[15];
                uint32_t peak;
                uint64_t peak_bytes;
                bmf_lab lab;
                ps_bmf_options o = bmf_lab_plain(1, transports[t]);
                memcpy(wanted, split_16, sizeof(wanted));
                for (int i = 0; i < 15; i++)
                        wanted[i].bytes = 16;
                bmf_lab_run(&lab, DISTL_16, &o);
                expect_set(&lab, 15, wanted, 15);
                bmf_lab_peak(&lab, 15, 15, &peak, &peak_bytes);
                assert_int_equal(peak, 7);
                assert_int_equal(peak_bytes, 112);
                if (transports[t] == 16)
                        assert_int_equal(lab.end - lab.message[15].begin, 192);
                bmf_lab_clear(&lab);
        }
}

/* With overheads that hardly depend on the size, as by default, a split has the same peak. */
TEST(split_has_the_peak_of_distl)
{
        bmf_lab lab;
        uint32_t peak;
        uint64_t bytes;
        ps_bmf_options o = {.costs = ps_bmf_costs_default};
        bmf_lab_run(&lab, DISTL_16, &o);
        bmf_lab_peak(&lab, 0, 15, &peak, &bytes);
        assert_int_equal(peak, 7);
        bmf_lab_peak(&lab, 15, 15, &peak, &bytes);
        assert_int_equal(peak, 7);
        bmf_lab_clear(&lab);
}

static void run_split_and(bmf_lab *lab, const char *then, int n, const char *flatten, const ps_bmf_options *o)
{
        char text[2048], *at = text;
        at += sprintf(at, FLATTEN "B_Comp (%s) (%s (P_Split (B_Num %d) (B_Num 0))) [1", then, flatten, n);
        for (int i = 2; i <= n; i++)
                at += sprintf(at, ", %d", i);
        strcpy(at, "]");
        bmf_lab_run(lab, text, o);
}

TEST(reduce_of_8)
{
        static const bmf_lab_message wanted[] = {
                {.from = 1, .to = 0, .bytes = 1}, {.from = 3, .to = 2, .bytes = 1},
                {.from = 5, .to = 4, .bytes = 1}, {.from = 7, .to = 6, .bytes = 1},
                {.from = 2, .to = 0, .bytes = 2}, {.from = 6, .to = 4, .bytes = 2},
                {.from = 4, .to = 0, .bytes = 4}};
        bmf_lab lab;
        ps_bmf_options o = bmf_lab_plain(1, 5);
        run_split_and(&lab, "P_Reduce (B_Op (B_Conc))", 8, "B_Comp (B_Id)", &o);
        expect(&lab, 7, wanted, 7, 0);
        assert_string_equal(lab.run.result, "[1, 2, 3, 4, 5, 6, 7, 8]");
        bmf_lab_clear(&lab);
}

/* Figures 5-15 and 5-16: bursts of the same height with concatenation, and half as many messages each time.
 */
TEST(levels_of_reduce)
{
        static const uint32_t counts[] = {8, 4, 2, 1};
        static const uint64_t conc[] = {8, 8, 8, 8}, plus[] = {8, 4, 2, 1};
        bmf_lab lab;
        ps_bmf_options o = bmf_lab_plain(1, 5);
        run_split_and(&lab, "P_Reduce (B_Op (B_Conc))", 16, "B_Comp (B_Id)", &o);
        expect_levels(&lab, 15, 4, counts, conc);
        assert_int_equal(lab.end - lab.message[15].begin, 50); /* 2 * (1 + 2 + 4 + 8) + 4 * 5 */
        bmf_lab_clear(&lab);
        run_split_and(&lab, "P_Reduce (B_Op (B_Plus))", 16, "B_Comp ($Flatten)", &o);
        expect_levels(&lab, 15, 4, counts, plus);
        assert_string_equal(lab.run.result, "136");
        bmf_lab_clear(&lab);
}

TEST(an_odd_last_item_passes_on)
{
        static const bmf_lab_message wanted[] = {{.from = 1, .to = 0, .bytes = 1},
                                                 {.from = 3, .to = 2, .bytes = 1},
                                                 {.from = 2, .to = 0, .bytes = 2},
                                                 {.from = 4, .to = 0, .bytes = 1}};
        bmf_lab lab;
        ps_bmf_options o = bmf_lab_plain(1, 5);
        run_split_and(&lab, "P_Reduce (B_Op (B_Conc))", 5, "B_Comp (B_Id)", &o);
        expect_set(&lab, 4, wanted, 4);
        assert_string_equal(lab.run.result, "[1, 2, 3, 4, 5]");
        bmf_lab_clear(&lab);
}

/* 5.8: 15, 14, 12 and 8 messages; with concatenation 15, 27, 42 and 36 bytes. */
TEST(levels_of_scan)
{
        static const struct {
                int n;
                uint32_t n_levels, count[4];
                uint64_t conc[4];
        } rows[] = {{16, 4, {15, 14, 12, 8}, {15, 27, 42, 36}},
                    {8, 3, {7, 6, 4}, {7, 11, 10}},
                    {5, 3, {4, 3, 1}, {4, 5, 1}},
                    {3, 2, {2, 1}, {2, 1}},
                    {2, 1, {1}, {1}}};
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                bmf_lab lab;
                uint64_t plus[4];
                ps_bmf_options o = bmf_lab_plain(1, 5);
                uint32_t first = (uint32_t)rows[i].n - 1;
                for (int l = 0; l < 4; l++)
                        plus[l] = rows[i].count[l];
                run_split_and(&lab, "P_Scan (B_Op (B_Conc))", rows[i].n, "B_Comp (B_Id)", &o);
                expect_levels(&lab, first, rows[i].n_levels, rows[i].count, rows[i].conc);
                if (rows[i].n == 16)
                        assert_int_equal(lab.end - lab.message[first].begin, 50);
                bmf_lab_clear(&lab);
                run_split_and(&lab, "P_Scan (B_Op (B_Plus))", rows[i].n, "B_Comp ($Flatten)", &o);
                expect_levels(&lab, first, rows[i].n_levels, rows[i].count, plus);
                if (rows[i].n == 16) {
                        assert_int_equal(lab.end - lab.message[first].begin, 28);
                        assert_string_equal(lab.run.result, "[1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, "
                                                            "91, 105, 120, 136]");
                }
                bmf_lab_clear(&lab);
        }
}

static void run_project(bmf_lab *lab, const char *places, const ps_bmf_options *o)
{
        char text[512];
        snprintf(
                text, sizeof(text),
                "B_Comp (P_Project) (B_Alltup [B_Comp (P_Split (B_Num 16) (B_Num 0)) (B_Comp (B_Op (B_Iota)) "
                "(B_Con (B_Int 16))), B_Id]) %s",
                places);
        bmf_lab_run(lab, text, o);
}

#define REVERSED "[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]"

/* 5.9: all send at once (Figure 5-28), or one of them to all the others, one after the other (5-30). */
TEST(projections)
{
        bmf_lab lab;
        ps_bmf_options o = bmf_lab_plain(1, 5);
        run_project(&lab, REVERSED, &o);
        assert_int_equal(lab.n, 15 + 16);
        for (uint32_t i = 15; i < lab.n; i++) {
                assert_int_equal(lab.message[i].to, 15 - lab.message[i].from);
                assert_int_equal(lab.message[i].begin, lab.message[15].begin);
                assert_int_equal(lab.message[i].done, lab.message[15].begin + 7);
        }
        bmf_lab_clear(&lab);
        run_project(&lab, "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]", &o);
        assert_int_equal(lab.n, 15);
        bmf_lab_clear(&lab);
        run_project(&lab, "[15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15]", &o);
        assert_int_equal(lab.n, 15 + 15);
        for (uint32_t i = 16; i < lab.n; i++) {
                assert_int_equal(lab.message[i].from, 15);
                assert_int_equal(lab.message[i].to, i - 15);
                assert_int_equal(lab.message[i].begin, lab.message[i - 1].end);
        }
        bmf_lab_clear(&lab);
}

/* 6.4: what each receiver of a level waits for on a tree with links that carry a byte a unit. */
TEST(scan_on_a_tree)
{
        static const long first[16] = {0, 4, 6, 4, 8, 4, 6, 4, 10, 4, 6, 4, 8, 4, 6, 4};
        bmf_lab lab;
        ps_bmf_options o = bmf_lab_plain(1, 0);
        o.network = "tree";
        run_split_and(&lab, "P_Scan (B_Op (B_Plus))", 16, "B_Comp ($Flatten)", &o);
        assert_int_equal(lab.n, 15 + 15 + 14 + 12 + 8);
        for (uint32_t i = 15; i < 30; i++)
                assert_int_equal(lab.message[i].done - lab.message[15].begin, first[lab.message[i].to]);
        for (uint32_t i = lab.n - 8; i < lab.n; i++) {
                assert_int_equal(lab.message[i].to, i - (lab.n - 8) + 8);
                assert_int_equal(lab.message[i].done - lab.message[i].begin, 10 + (long)(i - (lab.n - 8)));
        }
        bmf_lab_clear(&lab);
}

static void spread_of_a_reversal(const char *network, long least, long most)
{
        bmf_lab lab;
        long first = 1000, last = 0;
        ps_bmf_options o = bmf_lab_plain(1, 0);
        o.network = network;
        run_project(&lab, REVERSED, &o);
        for (uint32_t i = 15; i < lab.n; i++) {
                long arrival = lab.message[i].arrive - lab.message[i].begin;
                first = arrival < first ? arrival : first;
                last = arrival > last ? arrival : last;
        }
        assert_int_equal(first, least);
        assert_int_equal(last, most);
        bmf_lab_clear(&lab);
}

/* Figures 6-7 and 6-8: the root of a tree holds up more than any link of a mesh. */
TEST(reversal_on_networks)
{
        spread_of_a_reversal("tree", 9, 16);
        spread_of_a_reversal("mesh:4x4", 3, 7);
}

TEST(levels_of_reduce_share_no_link)
{
        bmf_lab lab;
        ps_bmf_options o = bmf_lab_plain(1, 0);
        o.network = "tree";
        run_split_and(&lab, "P_Reduce (B_Op (B_Plus))", 16, "B_Comp ($Flatten)", &o);
        for (uint32_t i = 15; i < lab.n; i++) {
                uint32_t apart = lab.message[i].from - lab.message[i].to;
                long hops = apart == 1 ? 2 : apart == 2 ? 4 : apart == 4 ? 6 : 8;
                assert_int_equal(lab.message[i].arrive - lab.message[i].end, hops);
        }
        bmf_lab_clear(&lab);
}
