/* number.c - see number.h. */
#include "core/base/number.h"
#include "core/base/text.h"

#include <assert.h>
#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ps_number_whole(const char **at, uint64_t most, uint64_t *out)
{
        const char *p = *at;
        uint64_t number = 0;
        for (; ps_text_is_digit(*p); p++) {
                uint64_t digit = (uint64_t)(*p - '0');
                if (number > most / 10 || digit > most - number * 10)
                        return 0;
                number = number * 10 + digit;
        }
        if (p == *at)
                return 0;
        *at = p;
        *out = number;
        return 1;
}

bool ps_number_real(const char **at, double *out)
{
        const char *p = *at + (**at == '.');
        char *end;
        if (!ps_text_is_digit(*p) || (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')))
                return 0;
        *out = strtod(*at, &end);
        *at = end;
        return isfinite(*out);
}

bool ps_number_is(const char *text, size_t n, double *out)
{
        char room[64]; /* more digits than that say nothing */
        const char *at = room;
        if (n >= sizeof(room))
                return 0;
        memcpy(room, text, n);
        room[n] = '\0';
        return ps_number_real(&at, out) && at == room + n;
}

void ps_number_print(char out[PS_NUMBER_BYTES], double number)
{
        for (int digits = 15; digits <= 17; digits++) {
                snprintf(out, PS_NUMBER_BYTES, "%.*g", digits, number);
                if (strtod(out, NULL) == number)
                        break;
        }
}

static const char hex_digits[] = "0123456789abcdef";

/* Each digit in a byte of its own, all at once: those up to 9 are behind '0', and a lies 39 further. */
static inline void put_eight(char *out, uint32_t number)
{
        const uint64_t each = UINT64_C(0x0101010101010101);
        uint64_t digits = number;
        digits = (digits | digits << 16) & UINT64_C(0x0000ffff0000ffff);
        digits = (digits | digits << 8) & UINT64_C(0x00ff00ff00ff00ff);
        digits = (digits | digits << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
        digits += '0' * each + ((digits + 6 * each) >> 4 & each) * ('a' - '9' - 1);
        digits = htobe64(digits);
        memcpy(out, &digits, sizeof(digits));
}

const char *ps_number_print_hex(char out[PS_HEX_BYTES], uint64_t number)
{
        put_eight(out, (uint32_t)(number >> 32));
        put_eight(out + 8, (uint32_t)number);
        out[PS_HEX_BYTES - 1] = '\0';
        return out;
}

bool ps_number_is_hex(const char *text, uint64_t *out)
{
        if (strlen(text) != PS_HEX_BYTES - 1 || strspn(text, hex_digits) != PS_HEX_BYTES - 1)
                return false;
        return ps_number_hex(&text, out);
}

bool ps_number_hex(const char **at, uint64_t *out)
{
        size_t n = strspn(*at, hex_digits);
        uint64_t number = 0;
        for (size_t i = 0; i < n; i++) {
                if (number >> 60)
                        return false;
                number = number << 4 | (uint64_t)(strchr(hex_digits, (*at)[i]) - hex_digits);
        }
        *at += n;
        *out = number;
        return n > 0;
}

bool ps_number_signed(const char **at, int64_t least, int64_t most, int64_t *out)
{
        const char *p = *at + (**at == '-');
        bool is_negative = **at == '-';
        uint64_t number;
        assert(least <= 0 && most >= 0);
        if (!ps_number_whole(&p, is_negative ? 0 - (uint64_t)least : (uint64_t)most, &number))
                return false;
        *at = p;
        *out = is_negative ? (int64_t)(0 - number) : (int64_t)number;
        return true;
}

bool ps_number_range(const char **at, uint64_t most, uint64_t *from, uint64_t *to)
{
        bool is_good = ps_number_whole(at, most, from);
        *to = *from;
        if (is_good && **at == '-') {
                ++*at;
                is_good = ps_number_whole(at, most, to);
        }
        return is_good && *from <= *to;
}
