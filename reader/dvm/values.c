/* values.c - one pass over a line. The bytes that may stand in a name are a table, because most bytes of
 * a trace are looked at here. */
#include "reader/dvm/values.h"

#include "core/base/vector.h"
#include "reader/dvm/chars.h"
#include "reader/dvm/numbers.h"

#include <stdlib.h>

const ps_dvm_key_info ps_dvm_key_infos[PS_DVM_K_COUNT] = {
#define PS_DVM_KEY(id, key, form) {key, PS_DVM_V_##form},
#include "reader/dvm/keys.def"
#undef PS_DVM_KEY
};

/* How many elements of an array may be left out before one that is given: memory follows the file's size. */
enum { GAP_MAX = 16 };

void ps_dvm_values_init(ps_dvm_values *values)
{
        memset(values, 0, sizeof(*values));
        for (unsigned i = 0; i < PS_DVM_K_COUNT; i++)
                ps_dvm_words_add(&values->keys, ps_dvm_key_infos[i].name, (uint16_t)i);
        values->round = 1;
}

void ps_dvm_values_free(ps_dvm_values *values)
{
        for (unsigned i = 0; i < PS_DVM_K_COUNT; i++)
                free(values->value[i].at);
}

static int64_t parse_value(ps_dvm_value_form form, const char *at, const char *end)
{
        int64_t n = PS_DVM_BAD;
        double real;
        int good = 0;
        if (form == PS_DVM_V_INTEGER)
                good = ps_dvm_integer(at, end, &n);
        else if (form == PS_DVM_V_HEX)
                good = ps_dvm_hex(at, end, &n);
        else if ((good = ps_dvm_real(at, end, &real))) {
                real = real == 0 ? 0 : real; /* the bits of -0 would be those of PS_DVM_ABSENT */
                memcpy(&n, &real, sizeof(n));
        }
        return good && n > PS_DVM_BAD ? n : PS_DVM_BAD;
}

static ps_status put_element(ps_dvm_value *value, int64_t index, int64_t n, ps_error *err)
{
        if (index < 0 || index > (int64_t)value->n + GAP_MAX || index >= UINT32_MAX / 2)
                return PS_OK; /* its array stays too short, and that is told when it is asked for */
        while (value->n <= index)
                if (PS_APPEND(value->at, value->n, value->cap, PS_DVM_ABSENT))
                        return PS_NOMEM(err, "parameters", value->n);
        if (value->at[index] == PS_DVM_ABSENT)
                value->at[index] = n;
        return PS_OK;
}

/* `index` is -1 for a key without one. */
static ps_status put_value(ps_dvm_values *values, uint16_t key, int64_t index, const char *at,
                           const char *end, ps_error *err)
{
        ps_dvm_value *value = &values->value[key];
        if (value->round != values->round) {
                value->round = values->round;
                value->single = PS_DVM_ABSENT;
                value->n = 0;
        }
        int64_t n = parse_value(ps_dvm_key_infos[key].form, at, end);
        if (index >= 0)
                return put_element(value, index, n, err);
        if (value->single == PS_DVM_ABSENT)
                value->single = n;
        return PS_OK;
}

/* The index in brackets behind a key; -1 without brackets, -2 when they hold something else. Moves *at behind
 * them. */
static int64_t scan_index(const char **at, const char *end)
{
        enum { INDEX_MAX = INT32_MAX / 10 };
        const char *p = ps_dvm_skip_blanks(*at, end), *first;
        int64_t index = 0;
        *at = p;
        if (p == end || *p != '[')
                return -1;
        for (first = ++p; p < end && *p >= '0' && *p <= '9' && index < INDEX_MAX; p++)
                index = index * 10 + (*p - '0');
        if (p == first || p == end || *p != ']')
                return -2;
        *at = ps_dvm_skip_blanks(p + 1, end);
        return index;
}

static const char *scan_pattern(ps_dvm_values *values, const char *at, const char *end)
{
        if (PS_DVM_BEGINS(at, end, "(AMView)"))
                values->pattern = PS_DVM_PATTERN_VIEW;
        else if (PS_DVM_BEGINS(at, end, "(DisArray)"))
                values->pattern = PS_DVM_PATTERN_ARRAY;
        return ps_dvm_skip_word(at, end);
}

ps_status ps_dvm_values_add(ps_dvm_values *values, const char *at, const char *end, ps_error *err)
{
        while ((at = ps_dvm_skip_blanks(at, end)) < end) {
                const char *name = at;
                if (*at == ';') {
                        at++;
                        continue;
                }
                at = ps_dvm_skip_name(at, end);
                if (at == name) {
                        at = *at == '(' ? scan_pattern(values, at, end) : ps_dvm_skip_word(at, end);
                        continue;
                }
                size_t len = (size_t)(at - name);
                int64_t index = scan_index(&at, end);
                if (index < -1 || at == end || *at != '=') {
                        at = ps_dvm_skip_word(name + len, end);
                        continue;
                }
                const char *value = ps_dvm_skip_blanks(at + 1, end);
                at = ps_dvm_skip_word(value, end);
                uint16_t key = ps_dvm_words_find(&values->keys, name, len);
                if (key != PS_DVM_WORD_NONE)
                        PS_TRY(put_value(values, key, index, value, at, err));
        }
        return PS_OK;
}
