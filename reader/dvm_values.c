/* dvm_values.c - one pass over a line. The bytes that may stand in a name are a table, because most bytes of
 * a trace are looked at here. */
#include "reader/dvm_values.h"

#include "reader/dvm_numbers.h"

#include <stdlib.h>

const ps_dvm_key_info ps_dvm_key_infos[PS_DVM_K_COUNT] = {
#define PS_DVM_KEY(id, key, form) {key, PS_DVM_V_##form},
#include "reader/dvm_keys.def"
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

static int is_blank(char c)
{
        return c == ' ' || c == '\t';
}

static int is_name(char c)
{
        static const uint8_t table[256] = {
                ['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1, ['5'] = 1, ['6'] = 1, ['7'] = 1,
                ['8'] = 1, ['9'] = 1, ['A'] = 1, ['B'] = 1, ['C'] = 1, ['D'] = 1, ['E'] = 1, ['F'] = 1,
                ['G'] = 1, ['H'] = 1, ['I'] = 1, ['J'] = 1, ['K'] = 1, ['L'] = 1, ['M'] = 1, ['N'] = 1,
                ['O'] = 1, ['P'] = 1, ['Q'] = 1, ['R'] = 1, ['S'] = 1, ['T'] = 1, ['U'] = 1, ['V'] = 1,
                ['W'] = 1, ['X'] = 1, ['Y'] = 1, ['Z'] = 1, ['_'] = 1, ['a'] = 1, ['b'] = 1, ['c'] = 1,
                ['d'] = 1, ['e'] = 1, ['f'] = 1, ['g'] = 1, ['h'] = 1, ['i'] = 1, ['j'] = 1, ['k'] = 1,
                ['l'] = 1, ['m'] = 1, ['n'] = 1, ['o'] = 1, ['p'] = 1, ['q'] = 1, ['r'] = 1, ['s'] = 1,
                ['t'] = 1, ['u'] = 1, ['v'] = 1, ['w'] = 1, ['x'] = 1, ['y'] = 1, ['z'] = 1};
        return table[(unsigned char)c];
}

static const char *skip_blanks(const char *at, const char *end)
{
        while (at < end && is_blank(*at))
                at++;
        return at;
}

static const char *skip_word(const char *at, const char *end)
{
        while (at < end && !is_blank(*at) && *at != ';')
                at++;
        return at;
}

static int64_t number_of(ps_dvm_value_form form, const char *at, const char *end)
{
        int64_t n = PS_DVM_BAD;
        double real;
        int good = 0;
        if (form == PS_DVM_V_INTEGER)
                good = ps_dvm_integer(at, end, &n);
        else if (form == PS_DVM_V_HEX)
                good = ps_dvm_hex(at, end, &n);
        else if ((good = ps_dvm_real(at, end, &real)))
                memcpy(&n, &real, sizeof(n));
        return good && n > PS_DVM_BAD ? n : PS_DVM_BAD;
}

static ps_status put_element(ps_dvm_value *value, int64_t index, int64_t n, ps_error *err)
{
        if (index < 0 || index > (int64_t)value->n + GAP_MAX || index >= UINT32_MAX / 2)
                return PS_OK; /* its array stays too short, and that is told when it is asked for */
        if (index >= value->cap) {
                uint32_t cap = 2 * ((uint32_t)index + 8);
                int64_t *at = realloc(value->at, cap * sizeof(*at));
                if (!at)
                        return PS_NOMEM(err, "parameters", cap);
                value->at = at;
                value->cap = cap;
        }
        while (value->n <= index)
                value->at[value->n++] = PS_DVM_ABSENT;
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
        int64_t n = number_of(ps_dvm_key_infos[key].form, at, end);
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
        const char *p = skip_blanks(*at, end);
        int64_t index;
        *at = p;
        if (p == end || *p != '[')
                return -1;
        const char *closing = memchr(p, ']', (size_t)(end - p));
        if (!closing || !ps_dvm_integer(p + 1, closing, &index) || index < 0)
                return -2;
        *at = skip_blanks(closing + 1, end);
        return index;
}

static const char *scan_pattern(ps_dvm_values *values, const char *at, const char *end)
{
        static const char view[] = "(AMView)", array[] = "(DisArray)";
        size_t n = (size_t)(end - at);
        if (n >= sizeof(view) - 1 && memcmp(at, view, sizeof(view) - 1) == 0)
                values->pattern = PS_DVM_PATTERN_VIEW;
        else if (n >= sizeof(array) - 1 && memcmp(at, array, sizeof(array) - 1) == 0)
                values->pattern = PS_DVM_PATTERN_ARRAY;
        return skip_word(at, end);
}

ps_status ps_dvm_values_add(ps_dvm_values *values, const char *at, const char *end, ps_error *err)
{
        while ((at = skip_blanks(at, end)) < end) {
                const char *name = at;
                if (*at == ';') {
                        at++;
                        continue;
                }
                while (at < end && is_name(*at))
                        at++;
                if (at == name) {
                        at = *at == '(' ? scan_pattern(values, at, end) : skip_word(at, end);
                        continue;
                }
                size_t len = (size_t)(at - name);
                int64_t index = scan_index(&at, end);
                if (index < -1 || at == end || *at != '=') {
                        at = skip_word(name + len, end);
                        continue;
                }
                const char *value = skip_blanks(at + 1, end);
                at = skip_word(value, end);
                uint16_t key = ps_dvm_words_find(&values->keys, name, len);
                ps_status status =
                        key == PS_DVM_WORD_NONE ? PS_OK : put_value(values, key, index, value, at, err);
                if (status < 0)
                        return status;
        }
        return PS_OK;
}
