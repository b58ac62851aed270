/* par_words.c - see par.h. A comment is a line that begins with two slashes. */
#include "simulator/machine/par.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ps_status ps_par_fail(const ps_par *par, const char *fmt, ...)
{
        char reason[PS_ERROR_TEXT];
        va_list args;
        va_start(args, fmt);
        vsnprintf(reason, sizeof(reason), fmt, args);
        va_end(args);
        return PS_FAIL(par->err, PS_E_INPUT,
                       "cannot read the machine: path=\"%.60s\", line=%u, column=%u, reason=\"%.80s\"",
                       par->path, par->token.line, par->token.column, reason);
}

static void step_character(ps_par *par)
{
        char c = *par->at++;
        par->column++;
        if (c == '\n') {
                par->line++;
                par->column = 1;
                par->is_line_begin = true;
        } else if (!isspace((unsigned char)c)) {
                par->is_line_begin = false;
        }
}

static void skip_blanks(ps_par *par)
{
        for (;;) {
                if (par->is_line_begin && par->at[0] == '/' && par->at[1] == '/')
                        while (*par->at && *par->at != '\n')
                                step_character(par);
                if (!*par->at || !isspace((unsigned char)*par->at))
                        return;
                step_character(par);
        }
}

static size_t digits(const char *at)
{
        size_t n = 0;
        while (isdigit((unsigned char)at[n]))
                n++;
        return n;
}

/* [-]12[.34][e[+-]5]: no more is a number here; an x behind it is a word of its own. */
static size_t number_length(const char *at)
{
        size_t n = *at == '-' || *at == '+', whole = digits(at + n), part = 0, sign;
        n += whole;
        if (at[n] == '.') {
                part = digits(at + n + 1);
                n += 1 + part;
        }
        if (!whole && !part)
                return 0;
        if (at[n] == 'e' || at[n] == 'E') {
                sign = at[n + 1] == '-' || at[n + 1] == '+';
                if (digits(at + n + 1 + sign))
                        n += 1 + sign + digits(at + n + 1 + sign);
        }
        return n;
}

static size_t word_length(const char *at)
{
        size_t n = 0;
        if (!isalpha((unsigned char)*at) && *at != '_')
                return 0;
        while (isalnum((unsigned char)at[n]) || at[n] == '_' || at[n] == '-')
                n++;
        return n;
}

ps_status ps_par_next(ps_par *par)
{
        skip_blanks(par);
        par->token.line = par->line;
        par->token.column = par->column;
        size_t n = number_length(par->at);
        par->token.type = *par->at;
        if (n)
                par->token.type = 'n';
        else if ((n = word_length(par->at)))
                par->token.type = 'w';
        if (n > PS_PAR_WORD)
                return ps_par_fail(par, "a word is longer than %d letters", PS_PAR_WORD);
        for (size_t i = 0; i < n; i++) {
                par->token.word[i] = (char)tolower((unsigned char)*par->at);
                step_character(par);
        }
        par->token.word[n] = '\0';
        if (par->token.type == 'n') /* and a sign may be before it, unlike in core/base/number.h */
                par->token.number = strtod(par->token.word, NULL);
        else if (!n && par->token.type)
                step_character(par);
        return PS_OK;
}

ps_status ps_par_begin(ps_par *par, const char *text, const char *path, ps_error *err)
{
        *par = (ps_par){.path = path, .at = text, .line = 1, .column = 1, .is_line_begin = 1, .err = err};
        if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
                par->at += 3;
        return ps_par_next(par);
}

ps_status ps_par_take(ps_par *par, char sign)
{
        if (par->token.type != sign)
                return ps_par_fail(par, "there must be '%c'", sign);
        return ps_par_next(par);
}

ps_status ps_par_try(ps_par *par, char sign, bool *taken)
{
        *taken = par->token.type == sign;
        return *taken ? ps_par_next(par) : PS_OK;
}

ps_status ps_par_number(ps_par *par, ps_amount type, double factor, double *out)
{
        const ps_amount_info *info = &ps_amounts[type];
        if (par->token.type != 'n')
                return ps_par_fail(par, "there must be a number");
        double value = par->token.number / factor;
        if (isinf(value) || !ps_amount_fits(type, value))
                return ps_par_fail(par, "%s is not between %g and %g%s", par->token.word,
                                   info->least * factor, info->most * factor,
                                   info->is_whole ? ", or not whole" : "");
        *out = value;
        return ps_par_next(par);
}

ps_status ps_par_count(ps_par *par, uint32_t least, uint32_t *out)
{
        double value = 0;
        if (par->token.type == 'n' && par->token.number < least)
                return ps_par_fail(par, "%s is less than %u", par->token.word, least);
        ps_status status = ps_par_number(par, PS_A_COUNT, 1, &value);
        *out = (uint32_t)value;
        return status;
}

ps_status ps_par_rate(ps_par *par, double *out)
{
        double s_per_byte = 0;
        ps_par before = *par;
        PS_TRY(ps_par_number(par, PS_A_SECONDS_PER_BYTE, 1e6, &s_per_byte));
        *out = 1 / s_per_byte;
        if (!ps_amount_fits(PS_A_RATE, *out))
                return ps_par_fail(&before, "%s is too small", before.token.word);
        return PS_OK;
}

ps_status ps_par_word(ps_par *par, char out[PS_PAR_WORD + 1])
{
        if (par->token.type != 'w')
                return ps_par_fail(par, "there must be a word");
        memcpy(out, par->token.word, PS_PAR_WORD + 1);
        return ps_par_next(par);
}

bool ps_par_is(const ps_par *par, const char *word)
{
        return par->token.type == 'w' && strcmp(par->token.word, word) == 0;
}

ps_status ps_par_search(ps_par *par)
{
        uint32_t mode = 0;
        ps_par before = *par;
        PS_TRY(ps_par_count(par, 0, &mode));
        if (mode > 5 || mode == 4)
                return ps_par_fail(&before, "search is 0, 1, 2, 3 or 5");
        return PS_OK;
}
