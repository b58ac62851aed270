/* lexer.c - see lexer.h. Comments go from -- to the end of the line, as in Ada, the language of the
 * thesis' simulator. */
#include "simulator/bmf/lexer.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 400, SHOWN = 40 };

void ps_bmf_lexer_init(ps_bmf_lexer *x, const char *path, const char *text, size_t len)
{
        *x = (ps_bmf_lexer){text, text + len, text, path, 1};
}

bool ps_bmf_same_word(const char *text, size_t len, const char *word)
{
        for (size_t i = 0; i < len; i++)
                if (!word[i] || tolower((unsigned char)text[i]) != tolower((unsigned char)word[i]))
                        return 0;
        return !word[len];
}

static bool has(const ps_bmf_lexer *x, size_t ahead)
{
        return (size_t)(x->end - x->at) > ahead;
}

static bool is_digit_at(const ps_bmf_lexer *x, size_t ahead)
{
        return has(x, ahead) && isdigit((unsigned char)x->at[ahead]);
}

static void skip_blanks(ps_bmf_lexer *x)
{
        while (x->at < x->end) {
                if (*x->at == '\n') {
                        x->line++;
                        x->line_start = ++x->at;
                } else if (*x->at == ' ' || *x->at == '\t' || *x->at == '\r') {
                        x->at++;
                } else if (has(x, 1) && x->at[0] == '-' && x->at[1] == '-') {
                        while (x->at < x->end && *x->at != '\n')
                                x->at++;
                } else {
                        return;
                }
        }
}

static size_t word_length(const ps_bmf_lexer *x, size_t from)
{
        size_t n = from;
        while (has(x, n) && (isalnum((unsigned char)x->at[n]) || x->at[n] == '_'))
                n++;
        return n;
}

static size_t skip_digits(const ps_bmf_lexer *x, size_t n)
{
        while (is_digit_at(x, n))
                n++;
        return n;
}

/* [-]digits[.digits][e[+-]digits]; *is_real tells which it was. */
static size_t number_length(const ps_bmf_lexer *x, bool *is_real)
{
        size_t n = skip_digits(x, x->at[0] == '-');
        *is_real = 0;
        if (has(x, n) && x->at[n] == '.' && is_digit_at(x, n + 1)) {
                *is_real = 1;
                n = skip_digits(x, n + 1);
        }
        if (has(x, n) && (x->at[n] == 'e' || x->at[n] == 'E')) {
                size_t digits = n + 1 + (has(x, n + 1) && (x->at[n + 1] == '+' || x->at[n + 1] == '-'));
                if (is_digit_at(x, digits)) {
                        *is_real = 1;
                        n = skip_digits(x, digits);
                }
        }
        return n;
}

static ps_status read_number_token(ps_bmf_lexer *x, ps_bmf_token *t, ps_error *err)
{
        char room[LONGEST_NUMBER + 1];
        bool is_real;
        t->kind = PS_BMF_T_NUMBER;
        t->len = number_length(x, &is_real);
        if (t->len > LONGEST_NUMBER || word_length(x, t->len) != t->len)
                return ps_bmf_fail(err, PS_E_INPUT, &t->place, NULL, "this is no number: \"%.*s\"",
                                   t->len < SHOWN ? (int)t->len + 1 : SHOWN, t->text);
        memcpy(room, t->text, t->len);
        room[t->len] = '\0';
        errno = 0; /* only the size is left to be checked; core/base/number.h reads no signs */
        if (is_real)
                t->number = (ps_bmf_value){.type = PS_BMF_REAL, .real = strtod(room, NULL)};
        else
                t->number = ps_bmf_integer(strtoll(room, NULL, 10));
        if ((is_real && !isfinite(t->number.real)) || (!is_real && errno))
                return ps_bmf_fail(err, PS_E_INPUT, &t->place, NULL, "the number is too large: \"%.*s\"",
                                   t->len < SHOWN ? (int)t->len : SHOWN, t->text);
        return PS_OK;
}

static ps_status reject_byte(const ps_bmf_token *t, ps_error *err)
{
        unsigned char c = (unsigned char)*t->text;
        if (isprint(c))
                return ps_bmf_fail(err, PS_E_INPUT, &t->place, NULL, "unexpected \"%c\"", c);
        return ps_bmf_fail(err, PS_E_INPUT, &t->place, NULL, "unexpected byte 0x%02x", c);
}

ps_status ps_bmf_lexer_next(ps_bmf_lexer *x, ps_bmf_token *t, ps_error *err)
{
        ps_status status = PS_OK;
        skip_blanks(x);
        *t = (ps_bmf_token){.kind = PS_BMF_T_END, .text = x->at};
        t->place = (ps_bmf_place){x->path, x->line, (uint32_t)(x->at - x->line_start) + 1};
        if (x->at == x->end)
                return PS_OK;
        if (is_digit_at(x, *x->at == '-')) {
                status = read_number_token(x, t, err);
        } else if (isalpha((unsigned char)*x->at)) {
                t->kind = PS_BMF_T_WORD;
                t->len = word_length(x, 0);
        } else if (*x->at == '$' && word_length(x, 1) > 1) {
                x->at++;
                t->kind = PS_BMF_T_NAME;
                t->text++;
                t->len = word_length(x, 0);
        } else if (strchr("()[]{},=", *x->at) && *x->at) {
                t->kind = PS_BMF_T_MARK;
                t->len = 1;
        } else {
                status = reject_byte(t, err);
        }
        x->at += t->len;
        return status;
}
