/* pull.c - see pull.h. */
#include "core/base/pull.h"

#include "core/base/number.h"

#include <assert.h>
#include <limits.h>
#include <stdint.h>

/* Asked before each token, of which most follow one another without a blank. */
static inline char kind_of(ps_pull *p)
{
        while (p->at < p->end && (uint8_t)*p->at <= ' ' &&
               (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r'))
                p->at++;
        return p->is_bad || p->at == p->end ? '\0' : *p->at;
}

char ps_pull_kind(ps_pull *p)
{
        return kind_of(p);
}

static bool fail_pull(ps_pull *p)
{
        p->is_bad = true;
        return false;
}

/* -- strings and numbers -- */

/* From the opening quote; what follows a backslash ends no string. */
static bool read_string(ps_pull *p, ps_slice *out)
{
        const char *begin = ++p->at, *quote = NULL;
        for (;;) {
                if (!quote || quote < p->at)
                        quote = memchr(p->at, '"', (size_t)(p->end - p->at));
                const char *back = quote ? memchr(p->at, '\\', (size_t)(quote - p->at)) : NULL;
                if (!quote || (back && p->end - back < 2))
                        return fail_pull(p);
                p->at = back ? back + 2 : quote + 1;
                if (back)
                        continue;
                *out = (ps_slice){begin, (size_t)(quote - begin)};
                return true;
        }
}

static const bool ends_word[UCHAR_MAX + 1] = {
        [','] = true,  [']'] = true, ['}'] = true, [' '] = true, ['\n'] = true, ['\t'] = true,
        ['\r'] = true, ['"'] = true, [':'] = true, ['{'] = true, ['['] = true};

static ps_slice read_word(ps_pull *p)
{
        const char *begin = p->at;
        while (p->at < p->end && !ends_word[(unsigned char)*p->at])
                p->at++;
        return (ps_slice){begin, (size_t)(p->at - begin)};
}

/* Most numbers are such; a double holds each of so many digits. */
static bool is_short_whole(ps_slice word, double *out)
{
        enum { DIGITS_MOST = 15 };
        uint64_t number = 0;
        if (!word.n || word.n > DIGITS_MOST)
                return false;
        for (size_t i = 0; i < word.n; i++) {
                unsigned digit = (unsigned char)word.text[i] - (unsigned)'0';
                if (digit > 9)
                        return false;
                number = number * 10 + digit;
        }
        *out = (double)number;
        return true;
}

static bool is_number(ps_slice word, double *out)
{
        bool is_negative = word.n && *word.text == '-';
        double number;
        if (is_short_whole(word, out))
                return true;
        if (!ps_number_is(word.text + is_negative, word.n - is_negative, &number))
                return false;
        *out = is_negative ? -number : number;
        return true;
}

void ps_pull_string(ps_pull *p, ps_slice *out)
{
        p->owes_value = false;
        if (kind_of(p) == '"')
                read_string(p, out);
        else
                ps_pull_skip(p);
}

void ps_pull_number(ps_pull *p, double *out)
{
        char kind = kind_of(p);
        p->owes_value = false;
        if (kind != '-' && (kind < '0' || kind > '9'))
                ps_pull_skip(p);
        else if (!is_number(read_word(p), out))
                fail_pull(p);
}

/* -- objects and arrays -- */

bool ps_pull_open(ps_pull *p, char bracket)
{
        if (kind_of(p) != bracket) {
                ps_pull_skip(p);
                return false;
        }
        if (p->depth == PS_PULL_DEPTH)
                return fail_pull(p);
        p->owes_value = false;
        p->at++;
        p->depth++;
        p->is_first = true;
        return true;
}

/* Is there another one, with its comma before it, or does the bracket come that closes all? */
static bool has_next(ps_pull *p, char bracket)
{
        bool is_first = p->is_first;
        assert(!p->owes_value);
        char next = kind_of(p);
        p->is_first = false;
        if (next == bracket) {
                p->at++;
                p->depth--;
                return false;
        }
        if (is_first)
                return next || fail_pull(p);
        if (next != ',')
                return fail_pull(p);
        p->at++;
        return true;
}

bool ps_pull_element(ps_pull *p)
{
        p->owes_value = !p->is_bad && p->depth && has_next(p, ']');
        return p->owes_value;
}

bool ps_pull_key(ps_pull *p, ps_slice *key)
{
        if (p->is_bad || !p->depth || !has_next(p, '}'))
                return false;
        if (kind_of(p) != '"' || !read_string(p, key) || kind_of(p) != ':')
                return fail_pull(p);
        p->at++;
        p->owes_value = true;
        return true;
}

/* As many brackets must close as open; whether a '}' closes a '{' is not checked in what is skipped. */
static void skip_nested(ps_pull *p)
{
        size_t depth = 0;
        ps_slice slice;
        do {
                switch (kind_of(p)) {
                case '{':
                case '[':
                        depth++;
                        p->at++;
                        break;
                case '}':
                case ']':
                        depth--;
                        p->at++;
                        break;
                case '"':
                        read_string(p, &slice);
                        break;
                case '\0':
                        fail_pull(p);
                        break;
                case ',':
                case ':':
                        p->at++;
                        break;
                default:
                        read_word(p);
                }
        } while (depth && !p->is_bad);
}

/* Does it look like a number? Who skips it need not know which. */
static bool is_like_number(ps_slice word)
{
        for (size_t i = 0; i < word.n; i++)
                if ((word.text[i] < '0' || word.text[i] > '9') &&
                    (!word.text[i] || !strchr(".-+eE", word.text[i])))
                        return false;
        return word.n;
}

void ps_pull_skip(ps_pull *p)
{
        ps_slice slice;
        p->owes_value = false;
        switch (kind_of(p)) {
        case '{':
        case '[':
                skip_nested(p);
                break;
        case '"':
                read_string(p, &slice);
                break;
        case '\0':
                fail_pull(p);
                break;
        default:
                slice = read_word(p);
                if (!is_like_number(slice) && !ps_slice_is(slice, "null") && !ps_slice_is(slice, "true") &&
                    !ps_slice_is(slice, "false"))
                        fail_pull(p);
        }
}

bool ps_pull_is_done(ps_pull *p)
{
        return !kind_of(p) && !p->is_bad && !p->depth;
}

/* -- what a string means -- */

static int hex_digit(char c)
{
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
}

/* The four digits behind \u; -1: there are none. */
static int32_t code_at(const char *at, const char *end)
{
        int32_t code = 0;
        if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
                return -1;
        for (int i = 2; i < 6; i++) {
                int digit = hex_digit(at[i]);
                if (digit < 0)
                        return -1;
                code = code << 4 | digit;
        }
        return code;
}

static char *put_utf8(char *to, uint32_t point)
{
        if (point < 0x80) {
                *to++ = (char)point;
        } else if (point < 0x800) {
                *to++ = (char)(0xc0 | point >> 6);
                *to++ = (char)(0x80 | (point & 0x3f));
        } else {
                if (point < 0x10000) {
                        *to++ = (char)(0xe0 | point >> 12);
                } else {
                        *to++ = (char)(0xf0 | point >> 18);
                        *to++ = (char)(0x80 | (point >> 12 & 0x3f));
                }
                *to++ = (char)(0x80 | (point >> 6 & 0x3f));
                *to++ = (char)(0x80 | (point & 0x3f));
        }
        return to;
}

/* An escape at *at, which begins with a backslash. Halves of a pair that stand alone are no characters. */
static char *put_escape(char *to, const char **at, const char *end)
{
        static const char named[] = "b\bf\fn\nr\rt\t";
        int32_t code = code_at(*at, end), low = code >= 0 ? code_at(*at + 6, end) : -1;
        if (code < 0) {
                char c = (*at)[1];
                for (const char *name = named; *name; name += 2)
                        if (*name == c)
                                c = name[1];
                *to++ = c;
                *at += 2;
                return to;
        }
        *at += 6;
        if (code >= 0xd800 && code < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
                *at += 6;
                return put_utf8(to, 0x10000 + ((uint32_t)(code - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
        }
        return put_utf8(to, code >= 0xd800 && code < 0xe000 ? 0xfffd : (uint32_t)code);
}

char *ps_slice_copy(ps_arena *arena, ps_slice slice)
{
        /* No escape is shorter than what it means. */
        char *copy = ps_arena_room(arena, slice.n + 1), *to = copy;
        const char *end = slice.text + slice.n;
        if (!copy)
                return NULL;
        for (const char *at = slice.text; at < end;) {
                const char *back = memchr(at, '\\', (size_t)(end - at));
                size_t n = (size_t)((back ? back : end) - at);
                memcpy(to, at, n);
                to += n;
                at += n;
                if (back)
                        to = put_escape(to, &at, end);
        }
        *to = '\0';
        return copy;
}
