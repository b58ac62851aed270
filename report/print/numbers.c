/* numbers.c - numbers as text: exact and free of binary noise where programs read them, short where people
 * do. */
#include "report/print/text.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Printf rounds what a double is exactly. Where what is behind the last digit is this far from a half, the
 * nearest integer to a product says the same; the products are below 10^9 or are long doubles, so that their
 * own error is far smaller. */
#define CLEARLY 1e-6

static bool is_clear(double rest)
{
        return rest < 0.5 - CLEARLY || rest > 0.5 + CLEARLY;
}

static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                            "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

/* Two digits that end there. */
static inline char *put_pair(char *end, uint64_t below_100)
{
        return memcpy(end - 2, &pairs[2 * below_100], 2);
}

static const uint64_t tens[] = {1,
                                10,
                                100,
                                1000,
                                10000,
                                100000,
                                1000000,
                                10000000,
                                100000000,
                                1000000000,
                                10000000000,
                                100000000000,
                                1000000000000,
                                10000000000000,
                                100000000000000,
                                1000000000000000,
                                10000000000000000,
                                100000000000000000,
                                1000000000000000000,
                                UINT64_C(10000000000000000000)};

/* How many digits n > 0 has. */
static inline size_t digits_of(uint64_t n)
{
        const unsigned about = (unsigned)(64 - __builtin_clzll(n)) * 1233 >> 12; /* log10(2), about */
        return about + (n >= tens[about]);
}

enum { EIGHT = 8, BELOW_EIGHT_ZEROS = 100000000 };

/* The eight digits of n < 10^8, each in a byte of its own, the first in the lowest: halves become fours, and
 * these pairs, all at once. Quotients by 100 and 10 are products that are exact for so few digits. */
static inline uint64_t eight_digits(uint32_t n)
{
        const uint64_t fours = n / 10000 | (uint64_t)(n % 10000) << 32;
        const uint64_t high = (fours * 10486 >> 20) & UINT64_C(0x7f0000007f);
        const uint64_t twos = high + ((fours - 100 * high) << 16);
        const uint64_t first = (twos * 103 >> 10) & UINT64_C(0xf000f000f000f);
        return first + ((twos - 10 * first) << 8);
}

/* Writes eight bytes. */
static inline void put_digits(char *room, uint64_t digits)
{
        digits = htole64(digits + UINT64_C(0x3030303030303030));
        memcpy(room, &digits, sizeof(digits));
}

size_t ps_text_u64(char *room, uint64_t n)
{
        size_t before = 0, zeros = 0;
        uint64_t digits;
        if (n < 10) { /* most are small */
                room[0] = (char)('0' + n);
                room[1] = '\0';
                return 1;
        }
        if (n >= BELOW_EIGHT_ZEROS) {
                before = ps_text_u64(room, n / BELOW_EIGHT_ZEROS);
                digits = eight_digits((uint32_t)(n % BELOW_EIGHT_ZEROS));
        } else {
                digits = eight_digits((uint32_t)n);
                zeros = (size_t)__builtin_ctzll(digits) / 8;
        }
        put_digits(room + before, digits >> 8 * zeros);
        const size_t len = before + EIGHT - zeros;
        room[len] = '\0';
        return len;
}

size_t ps_text_i64(char *room, int64_t n)
{
        room[0] = '-';
        return (size_t)(n < 0) + ps_text_u64(room + (n < 0), n < 0 ? -(uint64_t)n : (uint64_t)n);
}

size_t ps_text_count(char *room, uint64_t n)
{
        if (n < 1000)
                return ps_text_u64(room, n);
        char digits[PS_NUMBER_ROOM];
        size_t len = ps_text_u64(digits, n), used = 0;

        for (size_t i = 0; i < len; i++) {
                if (i && (len - i) % 3 == 0)
                        room[used++] = ',';
                room[used++] = digits[i];
        }
        room[used] = '\0';
        return used;
}

size_t ps_text_seconds_u64(char *room, uint64_t time, int all_decimals)
{
        const uint64_t ns_per_s = 1000000000;
        const uint64_t ns = (time / (PS_PS_PER_NS / 2) + 1) / 2; /* rounded */
        const uint32_t fraction = (uint32_t)(ns % ns_per_s), last = fraction % 10;
        size_t n = ps_text_u64(room, ns / ns_per_s);

        if (!fraction && !all_decimals)
                return n;
        const uint64_t digits = eight_digits(fraction / 10);
        room[n++] = '.';
        put_digits(room + n, digits);
        room[n + EIGHT] = (char)('0' + last);
        n += all_decimals || last ? EIGHT + 1 : EIGHT - (size_t)__builtin_clzll(digits) / 8;
        room[n] = '\0';
        return n;
}

size_t ps_text_seconds(char *room, ps_time time)
{
        uint64_t size = time < 0 ? -(uint64_t)time : (uint64_t)time;
        size_t sign = time < 0 && size >= PS_PS_PER_NS / 2;

        room[0] = '-';
        return sign + ps_text_seconds_u64(room + sign, size, 0);
}

/* Is value * ten, of which this is whole, to be rounded up? A half goes to what is even, as in printf.
 * Products of few bits are exact, and so is the difference of what is nearly the same. */
static bool is_rounded_up(double value, double ten, uint64_t whole)
{
        double high = (double)(float)value, low = value - high;
        double over = high * ten - ((double)whole + 0.5), missing = -low * ten;
        return over > missing || (over == missing && whole % 2);
}

/* "%.*f" of a small number, with up to three decimals. */
static size_t with_decimals(char *room, double value, int decimals)
{
        const double ten = (double)tens[decimals];
        double scaled = value * ten;
        if (!(scaled >= 0 && scaled < 1e9))
                return (size_t)snprintf(room, PS_NUMBER_ROOM, "%.*f", decimals, value);
        uint64_t whole = (uint64_t)scaled, part = tens[decimals];
        uint64_t all = whole + is_rounded_up(value, ten, whole);
        size_t n = ps_text_u64(room, all / part);
        room[n] = '.';
        for (int i = decimals; i > 0; i--, all /= 10)
                room[n + (size_t)i] = (char)('0' + all % 10);
        n += decimals ? (size_t)decimals + 1 : 0;
        room[n] = '\0';
        return n;
}

enum { SHARE_DIGITS = 9, LEAST_POWER = -15 };

/* 10^(SHARE_DIGITS - 1 - power): exact. */
static long double scale_of(int power)
{
        static const long double scales[] = {1,     1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,
                                             1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L,
                                             1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L};
        return scales[SHARE_DIGITS - 1 - power];
}

/* Nine digits and where the point is: value = 0.d1d2... * 10^(power + 1). */
static bool to_digits(double value, uint64_t *digits, int *power)
{
        const uint64_t least = 100000000;
        if (!(value >= 1e-15 && value < 1e8))
                return false;
        int binary; /* the value is at least 2^(binary - 1); 1233 / 4096 is log10(2), about */
        frexp(value, &binary);
        *power = ((binary - 1) * 1233 - LEAST_POWER * 4096) / 4096 + LEAST_POWER;
        long double scaled = value * scale_of(*power);
        if (scaled >= 10 * least)
                scaled = value * scale_of(++*power);
        if (scaled < least || scaled >= 10 * least)
                return false;
        *digits = (uint64_t)scaled;
        double rest = (double)(scaled - *digits);
        *digits += rest > 0.5;
        if (*digits == 10 * least) {
                *digits = least;
                ++*power;
        }
        return is_clear(rest);
}

/* With a point behind the first digit, and an exponent. */
static size_t put_exponent(char *room, const char *digits, size_t n, int power)
{
        room[0] = digits[0];
        size_t at = 1;
        if (n > 1) {
                room[at++] = '.';
                memcpy(room + at, digits + 1, n - 1);
                at += n - 1;
        }
        unsigned size = (unsigned)(power < 0 ? -power : power);
        room[at++] = 'e';
        room[at++] = power < 0 ? '-' : '+';
        room[at++] = (char)('0' + size / 10);
        room[at++] = (char)('0' + size % 10);
        room[at] = '\0';
        return at;
}

size_t ps_text_nine_digits(char *room, double value)
{
        uint64_t all;
        int power;
        char digits[PS_NUMBER_ROOM];
        if (!to_digits(value, &all, &power))
                return (size_t)snprintf(room, PS_NUMBER_ROOM, "%.9g", value);
        size_t n = ps_text_u64(digits, all), at = 0;
        while (n > 1 && digits[n - 1] == '0')
                n--;
        if (power < -4)
                return put_exponent(room, digits, n, power);
        if (power < 0) {
                memcpy(room, "0.000", 5);
                at = (size_t)(1 - power);
                memcpy(room + at, digits, n);
                room[at + n] = '\0';
                return at + n;
        }
        for (size_t i = 0; i < n || i <= (size_t)power; i++) {
                if (i == (size_t)power + 1)
                        room[at++] = '.';
                room[at++] = i < n ? digits[i] : '0';
        }
        room[at] = '\0';
        return at;
}

enum { UNIT_BYTES = 4 };

/* Four digits of `value` in the largest of n units in which it is at least 1; each is 1000 of the one before.
 */
static size_t with_unit(char *room, double value, const char (*units)[UNIT_BYTES], int n)
{
        int unit = 0, decimals;

        for (; unit < n - 1 && value >= 999.95; unit++)
                value /= 1000;
        decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
        size_t len = with_decimals(room, value, decimals);
        if (decimals) {
                while (room[len - 1] == '0')
                        len--;
                len -= room[len - 1] == '.';
        }
        room[len++] = ' ';
        for (const char *at = units[unit]; *at; at++)
                room[len++] = *at;
        room[len] = '\0';
        return len;
}

static const char time_units[][UNIT_BYTES] = {"ns", "us", "ms", "s"};

/* The same of so many picoseconds, counted in whole numbers; 0: that cannot tell what a double would say,
 * which is not exact where a half is to be rounded. */
static size_t with_time_unit(char *room, uint64_t time)
{
        enum { SHOWN = 4, NS_DIGITS = 3 };
        const uint64_t most = tens[14]; /* doubles know less of such numbers than that it is no half */
        if (!time || time >= most)
                return 0;
        size_t n = digits_of(time);
        const uint64_t scale = n > SHOWN ? tens[n - SHOWN] : 1, rest = 2 * (time % scale);
        if (rest == scale)
                return 0;
        uint64_t all = time / scale + (rest > scale);
        if (all == tens[SHOWN]) {
                all /= 10;
                n++;
        }
        const size_t unit = n > NS_DIGITS ? (n - SHOWN) / 3 : 0;
        const size_t whole = n > NS_DIGITS ? n - NS_DIGITS - 3 * unit : 1;
        char digits[2 * SHOWN] = {0}; /* so that as many are copied from anywhere in them */
        put_pair(digits + 2, all / 100);
        put_pair(digits + SHOWN, all % 100);
        size_t len = SHOWN;
        while (len > whole && digits[len - 1] == '0')
                len--;
        memcpy(room, digits, SHOWN);
        room[whole] = '.';
        memcpy(room + whole + 1, digits + whole, SHOWN);
        len += len > whole;
        room[len] = ' ';
        memcpy(room + len + 1, time_units[unit], UNIT_BYTES);
        return len + 2 + (unit < 3);
}

size_t ps_text_duration(char *room, ps_time time)
{
        size_t n = time > 0 ? with_time_unit(room, (uint64_t)time) : 0;
        if (n)
                return n;
        double ns = (double)time / (double)PS_PS_PER_NS;
        size_t sign = time < 0;

        room[0] = '-';
        return sign + with_unit(room + sign, sign ? -ns : ns, time_units, 4);
}

size_t ps_text_seconds_short(char *room, double seconds)
{
        const double most_s = (double)INT64_MAX / 2 / (double)PS_PS_PER_S;

        if (seconds > -most_s && seconds < most_s)
                return ps_text_duration(room, (ps_time)llround(seconds * (double)PS_PS_PER_S));
        snprintf(room, PS_NUMBER_ROOM, "%.4g s", seconds);
        return strlen(room);
}

size_t ps_text_hertz(char *room, uint64_t hz)
{
        static const char units[][UNIT_BYTES] = {"Hz", "kHz", "MHz", "GHz"};

        return with_unit(room, (double)hz, units, 4);
}

size_t ps_text_percent(char *room, uint64_t part, uint64_t whole)
{
        double share = whole ? 100.0 * (double)part / (double)whole : 0;

        if (part && share < 0.05) /* little, but not nothing */
                return (size_t)snprintf(room, PS_NUMBER_ROOM, "<0.1 %%");
        return (size_t)snprintf(room, PS_NUMBER_ROOM, "%.1f %%", share);
}

const char *ps_text_share(char *room, double share)
{
        snprintf(room, PS_NUMBER_ROOM, share > 0 && share < 0.0005 ? "<0.1 %%" : "%.1f %%", 100 * share);
        return room;
}
