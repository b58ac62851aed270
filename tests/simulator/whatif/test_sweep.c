/* test_sweep.c - edits with several values: which are, what they are, and all combinations of them. */
#include <stdint.h>
#include <string.h>

#include "simulator/whatif/sweep.h"
#include "tests/support/test.h"

TEST(lists_are_told_from_names)
{
        static const char *const swept[] = {"L*1,2,4",       "bw*1/4..4",        "L/1,2",
                                            "eager=4k..64k", "region:a/b*0.5,1", "rank:0-3,7*1..4"};
        static const char *const single[] = {
                "L*2",           "bw/4",    "eager=64k", "region:a,b*0.5",          "rank:0,1*2",
                "balance:a*b,c", "overlap", "map=1,2",   "coll:allreduce=ring,ring"};

        for (size_t i = 0; i < sizeof(swept) / sizeof(*swept); i++)
                assert_true(ps_edit_is_swept(swept[i]));
        for (size_t i = 0; i < sizeof(single) / sizeof(*single); i++)
                assert_false(ps_edit_is_swept(single[i]));
}

static void expect_words(const ps_sweep_axis *axis, const char *lead, const char *const *words, uint32_t n)
{
        assert_string_equal(axis->lead, lead);
        assert_int_equal(axis->n, n);
        for (uint32_t i = 0; i < n; i++)
                assert_string_equal(axis->word[i], words[i]);
}

TEST(values_are_listed_and_doubled)
{
        static const char *const edits[] = {"L*1,3,0.5", "bw*1/4..4", "eager=1k..5k,64k",
                                            "region:a/b*0.3..1"};
        ps_edit_sweep s;

        assert_int_equal(ps_edit_sweep_parse(&s, edits, 4, NULL), PS_OK);
        assert_int_equal(s.n_axes, 4);
        assert_int_equal(s.n_rows, 3 * 5 * 4 * 2);
        expect_words(&s.axis[0], "L*", (const char *[]){"1", "3", "0.5"}, 3);
        expect_words(&s.axis[1], "bw*", (const char *[]){"0.25", "0.5", "1", "2", "4"}, 5);
        expect_words(&s.axis[2], "eager=", (const char *[]){"1024", "2048", "4096", "65536"}, 4);
        expect_words(&s.axis[3], "region:a/b*", (const char *[]){"0.3", "0.6"}, 2);
        ps_edit_sweep_clear(&s);
}

/* The last one changes first, and what has one value stands before all. */
TEST(all_combinations_are_rows)
{
        static const char *const edits[] = {"L*1,2", "overlap", "bw*1..4"};
        const char *out[PS_EDITS_MAX];
        ps_edit_sweep s;

        assert_int_equal(ps_edit_sweep_parse(&s, edits, 3, NULL), PS_OK);
        assert_int_equal(s.n_rows, 6);
        for (uint32_t row = 0; row < 6; row++) {
                static const char *const bw[] = {"bw*1", "bw*2", "bw*4"};
                assert_int_equal(ps_edit_sweep_texts(out, &s, row, NULL), PS_OK);
                assert_string_equal(out[0], "overlap");
                assert_string_equal(out[1], row < 3 ? "L*1" : "L*2");
                assert_string_equal(out[2], bw[row % 3]);
        }
        ps_edit_sweep_clear(&s);
}

TEST(bad_lists_are_refused)
{
        static const char *const bad[] = {"L*1,",    "L*,1",      "L*1,,2",     "bw*4..1",      "bw*0..4",
                                          "L*1/0,2", "L*1..2..4", "L*1.5.2,1",  "eager=1/2,4",  "L*1k,2",
                                          "L*1..",   "L*..2",     "L*1/4..1/8", "L*1..1e300,2/"};
        ps_edit_sweep s;

        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
                ps_error err = {0};
                if (!ps_edit_is_swept(bad[i]))
                        continue; /* then it is a bad edit */
                if (ps_edit_sweep_parse(&s, &bad[i], 1, &err) != PS_E_USAGE)
                        fail_msg("%s is taken", bad[i]);
                ps_edit_sweep_clear(&s);
        }
        const char *many[9];
        for (size_t i = 0; i < 9; i++)
                many[i] = "L*1..1024";
        assert_int_equal(ps_edit_sweep_parse(&s, many, 9, NULL), PS_E_USAGE);
        ps_edit_sweep_clear(&s);
        many[0] = "L*0.001..9999999999";
        assert_int_equal(ps_edit_sweep_parse(&s, many, 1, NULL), PS_OK);
        ps_edit_sweep_clear(&s);
}
