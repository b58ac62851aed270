/* words.h - finds a word of a fixed list: names of functions, keys of parameters. */
#ifndef PS_READER_DVM_WORDS_H
#define PS_READER_DVM_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PS_DVM_WORD_SLOTS = 1024, PS_DVM_WORD_NONE = UINT16_MAX };

typedef struct ps_dvm_word {
        const char *text;
        uint8_t len;
        uint16_t index;
} ps_dvm_word;

/* Open addressing; {0} is empty. Lists are far shorter than the table. */
typedef struct ps_dvm_words {
        ps_dvm_word slot[PS_DVM_WORD_SLOTS];
} ps_dvm_words;

/* `len` is at least 1. */
static inline unsigned ps_dvm_word_hash(const char *text, size_t len)
{
        unsigned h = (unsigned)len;
        h = h * 31 + (unsigned char)text[0];
        h = h * 31 + (unsigned char)text[len / 2];
        h = h * 31 + (unsigned char)text[len - 1];
        h = h * 31 + (unsigned char)text[len / 4];
        return (h ^ h >> 10) % PS_DVM_WORD_SLOTS;
}

void ps_dvm_words_add(ps_dvm_words *words, const char *text, uint16_t index);

/* The word's index, or PS_DVM_WORD_NONE. */
static inline uint16_t ps_dvm_words_find(const ps_dvm_words *words, const char *text, size_t len)
{
        for (unsigned i = ps_dvm_word_hash(text, len);; i = (i + 1) % PS_DVM_WORD_SLOTS) {
                const ps_dvm_word *word = &words->slot[i];
                if (!word->text)
                        return PS_DVM_WORD_NONE;
                if (word->len == len && memcmp(word->text, text, len) == 0)
                        return word->index;
        }
}

#endif
