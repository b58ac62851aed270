/* test_numbers.c - decimal text to exact picoseconds, integers, ids. */
#include "reader/dvm/numbers.h"
#include "tests/support/test.h"

#include <string.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))

TEST(seconds_are_exact_picoseconds)
{
        static const struct {
                const char *text;
                ps_time ps;
        } rows[] = {{"0.00000505", 5050000},
                    {"0", 0},
                    {"0.1", 100000000000},
                    {"1", PS_PS_PER_S},
                    {"12.000000000001", 12000000000001},
                    {"1e-12", 1},
                    {"0.49e-12", 0},
                    {"0.5e-12", 1},
                    {"1.5E-05", 15000000},
                    {"2e+3", 2000 * PS_PS_PER_S},
                    {"+.25", 250000000000},
                    {"3.", 3 * PS_PS_PER_S},
                    {"-0.5", -500000000000},
                    {"0.0000000000004", 0},
                    {"0.0000000000005", 1},
                    {"9223372.036854775807", PS_TIME_MAX - 7 + 0},
                    {"99999999", PS_TIME_MAX},
                    {"1e30", PS_TIME_MAX},
                    {"0e999999999", 0},
                    {"1e-999999999", 0},
                    {"000000000000000000000000000000001.5", 1500000000000},
                    {"0.10000000000000000000000000000000000000000001", 100000000000}};
        for (size_t i = 0; i < N(rows); i++) {
                ps_time ps = -1;
                assert_true(ps_dvm_seconds(rows[i].text, rows[i].text + strlen(rows[i].text), &ps));
                /* Digits beyond the 18th are dropped: here the last one, a 7, which becomes a 0. */
                assert_int_equal(ps, rows[i].ps);
        }
}

TEST(what_is_no_number_is_refused)
{
        static const char *const rows[] = {"",   "-",   ".",   "e5",    "1e",    "1e+",
                                           "1x", "nan", "inf", "0x1p3", "1.2.3", "1 2"};
        ps_time ps;
        double real;
        int64_t n;
        for (size_t i = 0; i < N(rows); i++) {
                const char *end = rows[i] + strlen(rows[i]);
                assert_false(ps_dvm_seconds(rows[i], end, &ps));
                assert_false(ps_dvm_real(rows[i], end, &real));
                assert_false(ps_dvm_integer(rows[i], end, &n));
        }
}

TEST(integers_have_63_bits)
{
        int64_t n;
        const char *most = "9223372036854775807", *more = "9223372036854775808";
        assert_true(ps_dvm_integer(most, most + strlen(most), &n));
        assert_int_equal(n, INT64_MAX);
        assert_false(ps_dvm_integer(more, more + strlen(more), &n));
        assert_true(ps_dvm_integer("-12;", &"-12;"[3], &n));
        assert_int_equal(n, -12);
}

static int hex(const char *text, int64_t *n)
{
        return ps_dvm_hex(text, text + strlen(text), n);
}

TEST(ids_are_hexadecimal)
{
        int64_t n;
        assert_true(hex("555f8979e700", &n));
        assert_int_equal(n, 0x555f8979e700);
        assert_true(hex("0xAb", &n));
        assert_int_equal(n, 0xab);
        assert_true(hex("NULL", &n));
        assert_int_equal(n, 0);
        assert_true(hex("0000000000000000000a", &n));
        assert_int_equal(n, 10);
        assert_true(hex("ffffffffffffffff", &n));
        assert_int_equal(n, -1);
        assert_false(hex("10000000000000000", &n));
        assert_false(hex("", &n));
        assert_false(hex("0x", &n));
        assert_false(hex("nil", &n));
}

TEST(reals_are_near)
{
        double n;
        assert_true(ps_dvm_real("1.25", &"1.25"[4], &n));
        assert_true(n > 1.2499999999 && n < 1.2500000001);
        assert_true(ps_dvm_real("2e3", &"2e3"[3], &n));
        assert_true(n > 1999.999 && n < 2000.001);
        assert_false(ps_dvm_real("1e999", &"1e999"[5], &n));
}
