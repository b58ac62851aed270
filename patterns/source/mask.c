/* mask.c - a lexer that knows just enough to see where code ends and something else begins.
 *
 * It works in place and left to right, looks at each byte a bounded number of times and takes any input:
 * what is never closed ends with its line or with the text. */
#include "patterns/source/mask.h"

#include <ctype.h>
#include <string.h>

enum { MOST_NESTED = 64, LONGEST_DELIMITER = 16 };

/* Which branch of an #if we are in. */
enum branch {
        FIRST, /* the one whose braces count */
        OTHER, /* a further one */
        OFF,   /* after #if 0 */
        ON,    /* after #if 1 */
        ENDED  /* what follows the branch that is ON */
};

typedef struct mask {
        char *text;
        size_t len;
        bool raw_strings;
        unsigned depth; /* of nested #if; more than MOST_NESTED are counted only */
        unsigned char branch[MOST_NESTED];
        bool dead, other; /* in a branch that is not compiled; in an alternative one */
} mask;

static char at(const mask *m, size_t i)
{
        return i < m->len ? m->text[i] : '\0';
}

static void blank(mask *m, size_t from, size_t to)
{
        for (size_t i = from; i < to && i < m->len; i++)
                if (m->text[i] != '\n')
                        m->text[i] = ' ';
}

static size_t skip_blanks(const mask *m, size_t i)
{
        while (at(m, i) == ' ' || at(m, i) == '\t')
                i++;
        return i;
}

static size_t line_end(const mask *m, size_t i)
{
        const char *end = i < m->len ? memchr(m->text + i, '\n', m->len - i) : NULL;
        return end ? (size_t)(end - m->text) : m->len;
}

/* The start of the next line if a backslash at `i` joins it to this one, else 0. */
static size_t joined(const mask *m, size_t i)
{
        if (at(m, i) != '\\')
                return 0;
        size_t end = skip_blanks(m, i + 1);
        return at(m, end) == '\n' ? end + 1 : 0;
}

/* -- preprocessor -- */

static void update(mask *m)
{
        m->dead = m->other = 0;
        for (unsigned i = 0; i < m->depth && i < MOST_NESTED; i++) {
                m->dead |= m->branch[i] == OFF || m->branch[i] == ENDED;
                m->other |= m->branch[i] == OTHER;
        }
}

/* A condition that is 0 or 1 and nothing else. */
static enum branch first_branch(const mask *m, size_t i, int plain_if)
{
        i = skip_blanks(m, i);
        size_t rest = skip_blanks(m, i + 1);
        if (!plain_if || (at(m, rest) != '\n' && at(m, rest) != '/' && rest < m->len))
                return FIRST;
        return at(m, i) == '0' ? OFF : at(m, i) == '1' ? ON : FIRST;
}

/* `i` stands behind the '#'. */
static void take_condition(mask *m, size_t i)
{
        static const unsigned char next[] = {
                [FIRST] = OTHER, [OTHER] = OTHER, [OFF] = FIRST, [ON] = ENDED, [ENDED] = ENDED};
        size_t word = skip_blanks(m, i), end = word;
        while (ps_scan_is_word(at(m, end)))
                end++;
        const char *text = m->text + word;
        size_t n = end - word;
        if (n >= 2 && memcmp(text, "if", 2) == 0) {
                if (m->depth < MOST_NESTED)
                        m->branch[m->depth] = (unsigned char)first_branch(m, end, n == 2);
                m->depth++;
        } else if (n >= 4 && memcmp(text, "el", 2) == 0 && m->depth && m->depth <= MOST_NESTED) {
                m->branch[m->depth - 1] = next[m->branch[m->depth - 1]];
        } else if (n == 5 && memcmp(text, "endif", 5) == 0 && m->depth) {
                m->depth--;
        }
        update(m);
}

/* -- C and C++ -- */

static size_t block_comment(const mask *m, size_t i)
{
        for (i += 2; i < m->len; i++)
                if (m->text[i] == '*' && at(m, i + 1) == '/')
                        return i + 2;
        return m->len;
}

static size_t line_comment(const mask *m, size_t i)
{
        for (size_t next; i < m->len && m->text[i] != '\n'; i = next)
                next = joined(m, i) ? joined(m, i) : i + 1;
        return i;
}

static size_t literal(const mask *m, size_t i)
{
        char quote = m->text[i++];
        while (i < m->len && m->text[i] != '\n') {
                if (m->text[i] == quote)
                        return i + 1;
                size_t next = joined(m, i);
                i = next ? next : m->text[i] == '\\' && at(m, i + 1) != '\n' ? i + 2 : i + 1;
        }
        return i < m->len ? i : m->len;
}

/* `i` stands at the quote of R"x( ... )x". */
static size_t raw_literal(const mask *m, size_t i)
{
        size_t open = i + 1;
        while (open - i <= LONGEST_DELIMITER && open < m->len && !strchr("( )\\\n\"", m->text[open]))
                open++;
        if (at(m, open) != '(')
                return literal(m, i);
        size_t n = open - i - 1;
        for (size_t end = open + 1; end + n + 1 < m->len; end++)
                if (m->text[end] == ')' && m->text[end + n + 1] == '"' &&
                    memcmp(m->text + end + 1, m->text + i + 1, n) == 0)
                        return end + n + 2;
        return m->len;
}

static size_t directive(mask *m, size_t i)
{
        take_condition(m, i + 1);
        while (i < m->len && m->text[i] != '\n') {
                size_t next = joined(m, i);
                if (next)
                        i = next;
                else if (m->text[i] == '/' && at(m, i + 1) == '*')
                        i = block_comment(m, i);
                else if (m->text[i] == '/' && at(m, i + 1) == '/')
                        i = line_comment(m, i);
                else if (m->text[i] == '"')
                        i = literal(m, i);
                else
                        i++;
        }
        return i;
}

/* A name, a keyword or a number, which may have apostrophes inside. */
static size_t word(const mask *m, size_t i)
{
        int number = isdigit((unsigned char)m->text[i]);
        while (ps_scan_is_word(at(m, i)) || (number && at(m, i) == '\'' && ps_scan_is_word(at(m, i + 1))))
                i++;
        return i;
}

static bool is_raw_prefix(const mask *m, size_t from, size_t to)
{
        size_t n = to - from;
        return m->raw_strings && n && n <= 3 && m->text[to - 1] == 'R' && at(m, to) == '"' &&
               (n == 1 || strchr("uUL8", m->text[to - 2]));
}

/* One token that begins at `i`; *hidden when it is to be blanked. */
static size_t c_token(const mask *m, size_t i, int *hidden)
{
        char c = m->text[i], next = at(m, i + 1);
        *hidden = 1;
        if (c == '/' && next == '/')
                return line_comment(m, i);
        if (c == '/' && next == '*')
                return block_comment(m, i);
        if (c == '"' || c == '\'')
                return literal(m, i);
        if (joined(m, i))
                return i + 1;
        *hidden = m->other && (c == '{' || c == '}');
        if (!ps_scan_is_word(c))
                return i + 1;
        size_t end = word(m, i);
        if (!is_raw_prefix(m, i, end))
                return end;
        *hidden = 1;
        return raw_literal(m, end);
}

static void mask_c(mask *m)
{
        int fresh = 1; /* nothing but blanks in this line so far */
        for (size_t i = 0, end; i < m->len; i = end) {
                end = i + 1;
                if (m->text[i] == '\n') {
                        fresh = 1;
                } else if (m->text[i] == '#' && fresh) {
                        end = directive(m, i);
                        blank(m, i, end);
                } else if (m->text[i] != ' ' && m->text[i] != '\t') {
                        int hidden, comment = m->text[i] == '/' && at(m, i + 1) == '*';
                        end = c_token(m, i, &hidden);
                        fresh = fresh && comment;
                        if (hidden || m->dead)
                                blank(m, i, end);
                }
        }
}

/* -- Fortran -- */

/* The column (from 0) of the mark that makes a line of fixed form go on from the one before; 0: it does not.
 */
static size_t fixed_mark(const mask *m, size_t line, size_t end)
{
        if (line < end && m->text[line] == '\t')
                return line + 1 < end && m->text[line + 1] >= '1' && m->text[line + 1] <= '9' ? 1 : 0;
        size_t first = skip_blanks(m, line);
        return first == line + 5 && first < end && m->text[first] != '0' ? 5 : 0;
}

static bool fixed_comment(const mask *m, size_t line)
{
        return line < m->len && m->text[line] && strchr("cC*dD!", m->text[line]);
}

/* Where the text of a line of free form that goes on begins. */
static size_t free_rest(const mask *m, size_t line)
{
        size_t first = skip_blanks(m, line);
        return at(m, first) == '&' ? first + 1 : line;
}

/* Blanks literals and the comment in [i, end). Gives the quote of a literal that is still open. */
static char fortran_line(mask *m, size_t i, size_t end, char quote)
{
        for (; i < end; i++) {
                char c = m->text[i];
                if (!quote && c == '!') {
                        blank(m, i, end);
                        return '\0';
                }
                if (!quote && c != '\'' && c != '"')
                        continue;
                quote = !quote ? c : c == quote ? '\0' : quote;
                m->text[i] = ' ';
        }
        return quote;
}

/* A literal that is open at the end of a line of free form goes on only behind an '&'. */
static int goes_on(mask *m, size_t line, size_t end)
{
        size_t last = end;
        while (last > line && (m->text[last - 1] == ' ' || m->text[last - 1] == '\t'))
                last--;
        return last > line && m->text[last - 1] == '&' ? (int)(last - line) : 0;
}

static void mask_fortran(mask *m, int fixed)
{
        char quote = '\0';
        for (size_t line = 0, end; line < m->len; line = end + 1) {
                end = line_end(m, line);
                size_t mark = fixed ? fixed_mark(m, line, end) : 0;
                if (m->text[line] == '#') {
                        take_condition(m, line + 1);
                        blank(m, line, end);
                        continue;
                }
                if (m->dead || (fixed && fixed_comment(m, line))) {
                        blank(m, line, end);
                        continue;
                }
                if (mark)
                        m->text[line + mark] = '&';
                if (fixed && !mark)
                        quote = '\0';
                size_t from = mark ? line + mark + 1 : quote ? free_rest(m, line) : line;
                int on = fixed ? 0 : goes_on(m, line, end);
                quote = fortran_line(m, from, end, quote);
                if (quote && !fixed && !on)
                        quote = '\0';
                if (quote && on)
                        m->text[line + (size_t)on - 1] = '&';
        }
}

void ps_source_mask(char *text, size_t len, ps_scan_language language)
{
        mask m = {.text = text, .len = len, .raw_strings = language == PS_SCAN_CPP};
        for (size_t i = 0; i < len; i++)
                if (text[i] == '\0' || text[i] == '\r' || text[i] == '\f' || text[i] == '\v')
                        text[i] = ' ';
        if (language == PS_SCAN_FORTRAN || language == PS_SCAN_FORTRAN_FIXED)
                mask_fortran(&m, language == PS_SCAN_FORTRAN_FIXED);
        else
                mask_c(&m);
}
