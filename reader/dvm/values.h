/* values.h - the parameters of the half of a call (before it, after it) that is being read.
 *
 * Lines hold KEY=VALUE; and KEY[i]=VALUE; in any order, with or without the semicolon, among words of no use.
 * Keys are compared whole, so that PSRef is not found in PSRefPtr. A key that comes twice keeps its first
 * value. Numbers are only complained of when they are asked for. */
#ifndef PS_READER_DVM_VALUES_H
#define PS_READER_DVM_VALUES_H

#include "core/base/error.h"
#include "reader/dvm/words.h"

typedef enum ps_dvm_key {
#define PS_DVM_KEY(id, key, form) PS_DVM_K_##id,
#include "reader/dvm/keys.def"
#undef PS_DVM_KEY
        PS_DVM_K_COUNT
} ps_dvm_key;

typedef enum ps_dvm_value_form { PS_DVM_V_INTEGER, PS_DVM_V_HEX, PS_DVM_V_REAL } ps_dvm_value_form;

typedef struct ps_dvm_key_info {
        const char *name;
        uint8_t form; /* ps_dvm_value_form */
} ps_dvm_key_info;

extern const ps_dvm_key_info ps_dvm_key_infos[PS_DVM_K_COUNT];

/* In place of numbers that were not given, or are none. */
#define PS_DVM_ABSENT INT64_MIN
#define PS_DVM_BAD    (INT64_MIN + 1)

/* The elements of a key, a single value being the first; reals stand as their bits. Another round's are old.
 */
typedef struct ps_dvm_value {
        uint64_t round;
        int64_t single;
        int64_t *at;
        uint32_t n, cap;
} ps_dvm_value;

typedef enum ps_dvm_pattern { PS_DVM_PATTERN_NONE, PS_DVM_PATTERN_VIEW, PS_DVM_PATTERN_ARRAY } ps_dvm_pattern;

typedef struct ps_dvm_values {
        ps_dvm_words keys;
        uint64_t round;
        ps_dvm_value value[PS_DVM_K_COUNT];
        ps_dvm_pattern pattern; /* what the word in parentheses says */
} ps_dvm_values;

void ps_dvm_values_init(ps_dvm_values *values);
void ps_dvm_values_free(ps_dvm_values *values);

/* Forgets all values. */
static inline void ps_dvm_values_clear(ps_dvm_values *values)
{
        values->round++;
        values->pattern = PS_DVM_PATTERN_NONE;
}

/* Takes the values of a line; fails only for want of memory. */
ps_status ps_dvm_values_add(ps_dvm_values *values, const char *at, const char *end, ps_error *err);

/* The single value, PS_DVM_ABSENT or PS_DVM_BAD. */
static inline int64_t ps_dvm_value_of(const ps_dvm_values *values, ps_dvm_key key)
{
        const ps_dvm_value *value = &values->value[key];
        return value->round == values->round ? value->single : PS_DVM_ABSENT;
}

#endif
