/* words.c - filling the table. */
#include "reader/dvm/words.h"

void ps_dvm_words_add(ps_dvm_words *words, const char *text, uint16_t index)
{
        size_t len = strlen(text);
        unsigned i = ps_dvm_word_hash(text, len);
        while (words->slot[i].text)
                i = (i + 1) % PS_DVM_WORD_SLOTS;
        words->slot[i] = (ps_dvm_word){text, (uint8_t)len, index};
}
