/* lexer.h - the words of a BMF program. */
#ifndef PS_SIMULATOR_BMF_LEXER_H
#define PS_SIMULATOR_BMF_LEXER_H

#include "simulator/bmf/program.h"

typedef enum ps_bmf_token_kind {
        PS_BMF_T_END,
        PS_BMF_T_WORD, /* letters, digits, underscores */
        PS_BMF_T_NAME, /* $word; the text is without the $ */
        PS_BMF_T_NUMBER,
        PS_BMF_T_MARK /* one of ( ) [ ] { } , = */
} ps_bmf_token_kind;

typedef struct ps_bmf_token {
        ps_bmf_token_kind kind;
        ps_bmf_place place;
        const char *text;
        size_t len;
        ps_bmf_value number;
} ps_bmf_token;

typedef struct ps_bmf_lexer {
        const char *at, *end, *line_start;
        const char *path;
        uint32_t line;
} ps_bmf_lexer;

void ps_bmf_lexer_init(ps_bmf_lexer *lexer, const char *path, const char *text, size_t len);
ps_status ps_bmf_lexer_next(ps_bmf_lexer *lexer, ps_bmf_token *out, ps_error *err);

/* Case does not matter in BMF. */
bool ps_bmf_same_word(const char *text, size_t len, const char *word);

#endif
