/* quantity.c - see quantity.h. */
#include "library/run/quantity.h"

#include "core/base/number.h"

#include <inttypes.h>
#include <string.h>

enum { TEXT_MAX = 63 };

static const struct unit {
        const char *name;
        double ps;
} units[] = {{"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};

static int set_time(ps_quantity *out, double number, const char *unit)
{
        for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
                if (strcmp(unit, units[i].name) == 0 && number * units[i].ps < 9e18) {
                        out->time = (ps_time)(number * units[i].ps + 0.5);
                        return 0;
                }
        return -1;
}

static int parse(ps_quantity *out, const char *text)
{
        const char *unit = text;
        double number;

        if (!ps_number_real(&unit, &number))
                return -1;
        unit += strspn(unit, " ");
        *out = (ps_quantity){.is_share = strcmp(unit, "%") == 0, .share = number / 100};
        if (out->is_share)
                return number <= 100 ? 0 : -1;
        if (!*unit)
                return number > 0 ? -1 : 0;
        return set_time(out, number, unit);
}

ps_status ps_quantity_parse(ps_quantity *out, const char *text, size_t len, const char *what, ps_error *err)
{
        char copy[TEXT_MAX + 1] = "";

        if (len <= TEXT_MAX)
                memcpy(copy, text, len);
        if (len > TEXT_MAX || parse(out, copy))
                return PS_FAIL(err, PS_E_USAGE,
                               "%s needs a time or a share: value=\"%.*s\", forms=\"10us, 0.5ms, 2s, 5%%\"",
                               what, len > TEXT_MAX ? TEXT_MAX : (int)len, text);
        return PS_OK;
}

ps_status ps_whole_parse(uint64_t *out, const char *name, const char *text, uint64_t least, uint64_t most,
                         ps_error *err)
{
        const char *at = text;

        if (ps_number_whole(&at, most, out) && !*at && *out >= least)
                return PS_OK;
        return most == UINT64_MAX
                       ? PS_FAIL(err, PS_E_USAGE, "--%s needs a whole number: value=\"%s\", least=%" PRIu64,
                                 name, text, least)
                       : PS_FAIL(err, PS_E_USAGE,
                                 "--%s needs a whole number: value=\"%s\", least=%" PRIu64 ", most=%" PRIu64,
                                 name, text, least, most);
}

ps_status ps_size_parse(uint64_t *out, const char *text, const char *what, ps_error *err)
{
        static const char powers[] = "KMGT", *const endings[] = {"", "i", "B", "iB"};
        const char *at = text;
        bool is_large = !ps_number_whole(&at, INT64_MAX, out);
        at += is_large ? strspn(at, "0123456789") : 0;
        bool is_number = at > text && (is_large || *out > 0);
        const char *unit = *at ? strchr(powers, *at == 'k' ? 'K' : *at) : NULL;
        unsigned shift = unit ? 10 * (unsigned)(unit - powers + 1) : 0, ending = 0;

        at += unit != NULL;
        while (ending < 4 && strcmp(at, endings[ending]) != 0)
                ending++;
        if (!is_number || ending == 4 || (ending && !unit))
                return PS_FAIL(err, PS_E_USAGE, "%s needs a size, such as 500M or 2G: value=\"%.60s\"", what,
                               text);
        if (is_large || *out > (uint64_t)INT64_MAX >> shift)
                return PS_FAIL(err, PS_E_USAGE, "%s needs a size below 8388608T: value=\"%.60s\"", what,
                               text);
        *out <<= shift;
        return PS_OK;
}

int ps_choice_find(const char *choices, const char *word, size_t len)
{
        for (int i = 0;; i++) {
                size_t n = strcspn(choices, "|");
                if (n == len && strncmp(choices, word, n) == 0)
                        return i;
                if (!choices[n])
                        return -1;
                choices += n + 1;
        }
}
