/* numbers.c - decimal text is taken apart into digits and an exponent, and put together as an integer: a
 * time of 0.00000505 s is 5050000 ps, not the nearest double. */
#include "reader/dvm/numbers.h"
#include "core/base/text.h"

#include <math.h>

bool ps_dvm_integer(const char *at, const char *end, int64_t *out)
{
        int negative = at < end && *at == '-';
        int64_t n = 0;
        if (at < end && (*at == '-' || *at == '+'))
                at++;
        if (at == end)
                return false;
        for (; at < end; at++)
                if (!ps_text_is_digit(*at) || __builtin_mul_overflow(n, 10, &n) ||
                    __builtin_add_overflow(n, *at - '0', &n))
                        return false;
        *out = negative ? -n : n;
        return true;
}

static int hex_digit(char c)
{
        if (ps_text_is_digit(c))
                return c - '0';
        c = (char)(c | 0x20);
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool ps_dvm_hex(const char *at, const char *end, int64_t *out)
{
        uint64_t n = 0;
        if (end - at == 4 && at[0] == 'N' && at[1] == 'U' && at[2] == 'L' && at[3] == 'L') {
                *out = 0;
                return true;
        }
        if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x')
                at += 2;
        while (at < end && *at == '0' && end - at > 16)
                at++;
        if (at == end || end - at > 16)
                return false;
        for (; at < end; at++) {
                int digit = hex_digit(*at);
                if (digit < 0)
                        return false;
                n = n << 4 | (unsigned)digit;
        }
        *out = (int64_t)n;
        return true;
}

/* digits * 10^exponent; more than 18 digits are dropped. */
struct decimal {
        uint64_t digits;
        int64_t exponent;
        bool negative;
};

enum { DIGITS_MAX = 18, EXPONENT_MAX = 100000 };

static const char *scan_digits(const char *at, const char *end, struct decimal *d, int *n_digits,
                               int fraction)
{
        for (; at < end && ps_text_is_digit(*at); at++) {
                if (*n_digits < DIGITS_MAX) {
                        d->digits = d->digits * 10 + (unsigned)(*at - '0');
                        *n_digits += d->digits != 0;
                        d->exponent -= fraction;
                } else {
                        d->exponent += !fraction;
                }
        }
        return at;
}

static bool scan_exponent(const char *at, const char *end, struct decimal *d)
{
        int64_t exponent;
        if (at == end)
                return true;
        if ((*at | 0x20) != 'e' || !ps_dvm_integer(at + 1, end, &exponent))
                return false;
        exponent = exponent > EXPONENT_MAX ? EXPONENT_MAX : exponent;
        d->exponent += exponent < -EXPONENT_MAX ? -EXPONENT_MAX : exponent;
        return true;
}

static bool scan_decimal(const char *at, const char *end, struct decimal *d)
{
        int n_digits = 0;
        *d = (struct decimal){.negative = at < end && *at == '-'};
        if (at < end && (*at == '-' || *at == '+'))
                at++;
        const char *first = at;
        at = scan_digits(at, end, d, &n_digits, 0);
        int64_t n_chars = at - first;
        if (at < end && *at == '.') {
                first = ++at;
                at = scan_digits(at, end, d, &n_digits, 1);
                n_chars += at - first;
        }
        return n_chars > 0 && scan_exponent(at, end, d);
}

bool ps_dvm_real(const char *at, const char *end, double *out)
{
        struct decimal d;
        if (!scan_decimal(at, end, &d))
                return false;
        double n = (double)d.digits;
        if (d.digits)
                n = d.exponent < 0 ? n / pow(10, (double)-d.exponent) : n * pow(10, (double)d.exponent);
        *out = d.negative ? -n : n;
        return isfinite(n);
}

static ps_time scale_up(uint64_t digits, int64_t places)
{
        uint64_t n = digits;
        for (; places > 0 && n; places--)
                if (__builtin_mul_overflow(n, (uint64_t)10, &n) || n > (uint64_t)PS_TIME_MAX)
                        return PS_TIME_MAX;
        return (ps_time)n;
}

static ps_time scale_down(uint64_t digits, int64_t places)
{
        uint64_t unit = 1;
        if (places > DIGITS_MAX)
                return 0;
        for (; places > 0; places--)
                unit *= 10;
        return (ps_time)(digits / unit + (digits % unit >= unit - unit / 2));
}

bool ps_dvm_seconds(const char *at, const char *end, ps_time *out)
{
        enum { PLACES_OF_PS = 12 };
        struct decimal d;
        if (!scan_decimal(at, end, &d))
                return false;
        int64_t places = d.exponent + PLACES_OF_PS;
        ps_time n = places >= 0 ? scale_up(d.digits, places) : scale_down(d.digits, -places);
        *out = d.negative ? -n : n;
        return true;
}
