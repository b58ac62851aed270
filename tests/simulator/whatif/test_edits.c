/* test_edits.c - the words that say what is different. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "simulator/cost/collectives.h"
#include "simulator/whatif/whatif.h"
#include "tests/support/test.h"

static void near(double value, double expected, double most, const char *what)
{
        if (!(fabs(value - expected) <= most))
                fail_msg("%s is %.12g, not %.12g", what, value, expected);
}
#define NEAR(value, expected, most) near((value), (expected), (most), #value)

static ps_edits parsed(unsigned n, const char *const *texts)
{
        ps_edits e;
        ps_error err = {0};
        if (ps_edits_parse(&e, texts, n, &err) < 0)
                fail_msg("%s", err.cause[0].text);
        return e;
}

TEST(each_form_is_read)
{
        static const char *const texts[] = {"region:solve*0.5",
                                            "rank:3,5-7*0.8",
                                            "balance",
                                            "balance:a/b*c",
                                            "L*2",
                                            "bw/4",
                                            "eager=64k",
                                            "overlap",
                                            "coll:allreduce=ring",
                                            "remove:late-sender",
                                            "ideal-network",
                                            "map=nodes.txt",
                                            "region:f/4",
                                            "coll:bcast=flat,free"};
        ps_edits e = parsed(sizeof(texts) / sizeof(*texts), texts);
        assert_int_equal(e.n_works, 3);
        assert_string_equal(e.works[0].name, "solve");
        NEAR(e.works[0].factor, 0.5, 0);
        assert_int_equal(e.works[0].change, PS_WORK_SCALE);
        assert_string_equal(e.works[1].name, "a/b*c");
        assert_int_equal(e.works[1].change, PS_WORK_BALANCE);
        NEAR(e.works[2].factor, 0.25, 0);
        assert_int_equal(e.n_ranks, 2);
        assert_int_equal(e.ranks[0].first, 3);
        assert_int_equal(e.ranks[0].last, 3);
        assert_int_equal(e.ranks[1].first, 5);
        assert_int_equal(e.ranks[1].last, 7);
        NEAR(e.ranks[0].factor, 0.8, 0);
        NEAR(e.ranks[1].factor, 0.8, 0);
        assert_true(e.balanced && e.overlap && e.ideal && e.has_eager);
        NEAR(e.latency, 2, 0);
        NEAR(e.per_byte, 4, 0);
        assert_int_equal(e.eager_bytes, 65536);
        assert_int_equal(e.n_collectives, 2);
        assert_int_equal(e.collectives[0].kind, PS_K_ALLREDUCE);
        assert_int_equal(e.collectives[0].shape[0], PS_SHAPE_RING);
        assert_int_equal(e.collectives[0].shape[1], PS_SHAPE_FREE);
        assert_int_equal(e.collectives[1].shape[0], PS_SHAPE_FLAT);
        assert_string_equal(e.removed[0].id, "late-sender");
        assert_string_equal(e.map, "nodes.txt");
        ps_edits_clear(&e);
}

TEST(factors_are_multiplied)
{
        static const char *const texts[] = {"L*2",  "L*3",  "L/4",
                                            "bw*4", "bw/2", "region:std::map<A*,B>::at*2"};
        ps_edits e = parsed(6, texts);
        NEAR(e.latency, 1.5, 1e-15);
        NEAR(e.per_byte, 0.5, 1e-15);
        assert_string_equal(e.works[0].name, "std::map<A*,B>::at");
        ps_edits_clear(&e);
        e = parsed(0, texts);
        NEAR(e.latency, 1, 0);
        assert_false(e.has_eager || e.balanced || e.n_works);
        ps_edits_clear(&e);
}

/* Of 20,000 ranks every second one: a fix may name as many as a run has. */
TEST(lists_of_ranks_have_any_length)
{
        enum { N = 10000 };
        static char work[16 * N] = "balance:solve@0", start[16 * N] = "start:0", rank[16 * N] = "rank:0";
        for (unsigned i = 1; i < N; i++) {
                char one[16];
                snprintf(one, sizeof(one), ",%u", 2 * i);
                strcat(work, one);
                strcat(start, one);
                strcat(rank, one);
        }
        strcat(rank, "*2");
        ps_edits e = parsed(3, (const char *const[]){work, start, rank});
        assert_int_equal(e.works[0].n_ranks, N);
        assert_string_equal(e.works[0].bare, "solve");
        assert_int_equal(e.works[0].ranks[N - 1].last, 2 * (N - 1));
        assert_int_equal(e.n_starts, N);
        assert_int_equal(e.starts[N - 1].first, 2 * (N - 1));
        assert_int_equal(e.n_ranks, N);
        assert_int_equal(e.ranks[N - 1].first, 2 * (N - 1));
        ps_edits_clear(&e);
}

TEST(errors_name_the_column)
{
        static const struct {
                const char *edit, *part;
        } wrong[] = {{"regoin:a*2", "did you mean region?"},
                     {"", "unknown edit"},
                     {"L", "column=2"},
                     {"L2", "unknown edit \"L2\""},
                     {"L*", "column=3"},
                     {"L*-1", "column=3"},
                     {"L*nan", "column=3"},
                     {"L*inf", "column=3"},
                     {"L*1e10", "too large"},
                     {"L*0x10", "the factor is missing"},
                     {"L/0", "0 or too large"},
                     {"L*2x", "nothing may follow here: edit=\"L*2x\", column=4"},
                     {"bw*0", "column=3"},
                     {"region*2", ": with a name is missing: edit=\"region*2\", column=7"},
                     {"region:*2", "a name is missing"},
                     {"region:solve", "* or / with a factor"},
                     {"balance:", "a name is missing"},
                     {"balance*2", "nothing may follow here"},
                     {"rank:x*2", "column=6"},
                     {"region:f@3-1*2", "column=13"},
                     {"rank:3-*2", "column=8"},
                     {"rank:4-3*2", "greater than the last"},
                     {"rank:99999999999*2", "too large"},
                     {"rank:1", "* or / with a factor"},
                     {"eager", "column=6"},
                     {"eager=x", "column=7"},
                     {"eager=1q", "nothing may follow here"},
                     {"eager=99999999999999999999", "too large"},
                     {"eager=18446744073709551614G", "too large"},
                     {"overlap=1", "nothing may follow here"},
                     {"map", "= with a file is missing"},
                     {"map=", "= with a file is missing"},
                     {"coll:allredcue=ring", "did you mean allreduce?"},
                     {"coll:allreduce=rign", "did you mean ring?"},
                     {"coll:send=ring", "no collective operation"},
                     {"coll:allreduce", "= with a shape is missing"},
                     {"remove:", "column=8"},
                     {"remove:a b", "column=9"},
                     {"ideal-netwrok", "did you mean ideal-network?"}};
        for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
                ps_edits e;
                ps_error err = {0};
                assert_int_equal(ps_edits_parse(&e, &wrong[i].edit, 1, &err), PS_E_USAGE);
                if (!strstr(err.cause[0].text, wrong[i].part))
                        fail_msg("%s: %s", wrong[i].edit, err.cause[0].text);
                ps_edits_clear(&e);
        }
}
