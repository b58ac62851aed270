/* chars.h - the kinds of bytes that a DVM trace is made of. A table, because every byte is looked at. */
#ifndef PS_READER_DVM_CHARS_H
#define PS_READER_DVM_CHARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PS_DVM_CH_NAME = 1, PS_DVM_CH_BLANK = 2, PS_DVM_CH_END = 4 /* ends a value, and is no blank */ };

extern const uint8_t ps_dvm_chars[256];

static inline bool ps_dvm_is(char c, unsigned kinds)
{
        return (ps_dvm_chars[(unsigned char)c] & kinds) != 0;
}

static inline const char *ps_dvm_skip_blanks(const char *at, const char *end)
{
        while (at < end && ps_dvm_is(*at, PS_DVM_CH_BLANK))
                at++;
        return at;
}

static inline const char *ps_dvm_skip_name(const char *at, const char *end)
{
        while (at < end && ps_dvm_is(*at, PS_DVM_CH_NAME))
                at++;
        return at;
}

/* Up to a blank or a semicolon. */
static inline const char *ps_dvm_skip_word(const char *at, const char *end)
{
        while (at < end && !ps_dvm_is(*at, PS_DVM_CH_BLANK | PS_DVM_CH_END))
                at++;
        return at;
}

/* Whether the text begins with a literal word. */
#define PS_DVM_BEGINS(at, end, word)                                                                         \
        ((size_t)((end) - (at)) >= sizeof(word) - 1 && memcmp((at), (word), sizeof(word) - 1) == 0)

#endif
