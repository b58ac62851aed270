/* amount.c - see amount.h. */
#include "simulator/cost/amount.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const ps_amount_info ps_amounts[PS_N_AMOUNTS] = {
#define PS_AMOUNT(id, type, least, most, is_whole, null, unit) {least, most, is_whole, null, unit},
#include "simulator/cost/amounts.def"
#undef PS_AMOUNT
};

#define PS_ON(model) (UINT32_C(1) << PS_MODEL_##model)
#define PS_ALL       ((UINT32_C(1) << PS_N_MODELS) - 1)

const ps_machine_key ps_machine_keys[] = {
#define PS_MACHINE_KEY(key, symbol, type, field, must, may, doc)                                             \
        {key, symbol, PS_A_##type, offsetof(ps_machine, field), must, may},
#include "simulator/cost/machine_keys.def"
#undef PS_MACHINE_KEY
};

const uint32_t ps_n_machine_keys = sizeof(ps_machine_keys) / sizeof(ps_machine_keys[0]);

bool ps_amount_fits(ps_amount type, double value)
{
        const ps_amount_info *info = &ps_amounts[type];
        if (isinf(value))
                return value == info->null;
        return value >= info->least && value <= info->most && (!info->is_whole || value == floor(value));
}

double ps_machine_get(const ps_machine *machine, const ps_machine_key *key)
{
        const char *at = (const char *)machine + key->field;
        uint32_t count;
        uint64_t bytes;
        double value;
        switch (key->type) {
        case PS_A_COUNT:
                memcpy(&count, at, sizeof(count));
                return count;
        case PS_A_BYTES:
                memcpy(&bytes, at, sizeof(bytes));
                return bytes == UINT64_MAX ? INFINITY : (double)bytes;
        default:
                memcpy(&value, at, sizeof(value));
                return value;
        }
}

void ps_machine_set(ps_machine *machine, const ps_machine_key *key, double value)
{
        char *at = (char *)machine + key->field;
        uint32_t count;
        uint64_t bytes;
        switch (key->type) {
        case PS_A_COUNT:
                count = (uint32_t)value;
                memcpy(at, &count, sizeof(count));
                break;
        case PS_A_BYTES:
                bytes = isinf(value) ? UINT64_MAX : (uint64_t)value;
                memcpy(at, &bytes, sizeof(bytes));
                break;
        default:
                memcpy(at, &value, sizeof(value));
        }
}

int ps_amount_print(char *room, size_t size, const char *name, ps_amount type, double value)
{
        static const char *const small[] = {"p", "n", "u", "m", "", "k", "M", "G", "T", "P"};
        enum { ONE = 4, LAST = 9 };
        const char *unit = ps_amounts[type].unit;
        int step = ONE, is_size = type == PS_A_SIZE || type == PS_A_BYTES;

        if (isinf(value))
                return snprintf(room, size, ", %s=unlimited", name);
        while (*unit && !is_size && value != 0 && value < 0.9999995 && step > 0)
                value *= 1000, step--;
        while (type == PS_A_RATE && value >= 999.9995 && step < LAST)
                value /= 1000, step++;
        return snprintf(room, size, ", %s=%.*g%s%s%s", name, is_size ? 16 : 6, value, *unit ? " " : "",
                        small[step], unit);
}
