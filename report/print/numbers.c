/* numbers.c - numbers as text: exact and free of binary noise where programs read them, short where people
 * do. */
#include "report/print/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

size_t ps_text_u64(char *room, uint64_t n)
{
        char digits[20];
        size_t len = 0;

        do
                digits[len++] = (char)('0' + n % 10);
        while (n /= 10);
        for (size_t i = 0; i < len; i++)
                room[i] = digits[len - 1 - i];
        room[len] = '\0';
        return len;
}

size_t ps_text_count(char *room, uint64_t n)
{
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
        uint64_t ns = time / PS_PS_PER_NS + (time % PS_PS_PER_NS >= PS_PS_PER_NS / 2);
        uint64_t fraction = ns % ns_per_s;
        size_t n = ps_text_u64(room, ns / ns_per_s);

        if (!fraction && !all_decimals)
                return n;
        room[n] = '.';
        for (size_t i = 9; i > 0; i--, fraction /= 10)
                room[n + i] = (char)('0' + fraction % 10);
        n += 10;
        while (!all_decimals && room[n - 1] == '0')
                n--;
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

/* Four digits of `value` in the largest of n units in which it is at least 1; each is 1000 of the one before.
 */
static size_t with_unit(char *room, double value, const char *const *units, int n)
{
        int unit = 0, decimals;

        for (; unit < n - 1 && value >= 999.95; unit++)
                value /= 1000;
        decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
        snprintf(room, PS_NUMBER_ROOM, "%.*f", decimals, value);
        size_t len = strlen(room);
        if (decimals) {
                while (room[len - 1] == '0')
                        len--;
                len -= room[len - 1] == '.';
        }
        return len + (size_t)snprintf(room + len, PS_NUMBER_ROOM - len, " %s", units[unit]);
}

size_t ps_text_duration(char *room, ps_time time)
{
        static const char *const units[] = {"ns", "us", "ms", "s"};
        double ns = (double)time / (double)PS_PS_PER_NS;
        size_t sign = time < 0;

        room[0] = '-';
        return sign + with_unit(room + sign, sign ? -ns : ns, units, 4);
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
        static const char *const units[] = {"Hz", "kHz", "MHz", "GHz"};

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
