/* text.c - cleaning names, and writing them so that columns stay columns. */
#include "report/print/text.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One character of the input, or one byte that is none, as it is to be shown. */
typedef struct unit {
        char shown[20];
        uint8_t n_shown, n_read, columns;
} unit;

static uint8_t columns_of(uint32_t point)
{
        static const ps_char_range wide[] = {{0x1100, 0x115f}, {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},
                                             {0xf900, 0xfaff}, {0xfe30, 0xfe6f},   {0xff00, 0xff60},
                                             {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
        static const ps_char_range none[] = {
                {0x300, 0x36f}, {0x1ab0, 0x1aff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};

        if (ps_char_is_in(point, none, sizeof(none) / sizeof(*none)))
                return 0;
        return ps_char_is_in(point, wide, sizeof(wide) / sizeof(*wide)) ? 2 : 1;
}

static void unit_next(unit *out, const char *text)
{
        static const char hex[] = "0123456789abcdef";
        const unsigned char *s = (const unsigned char *)text;
        uint32_t point;
        uint8_t n = (uint8_t)ps_text_decode(text, &point);

        out->n_read = n ? n : 1;
        if (n && !ps_char_misleads(point)) {
                memcpy(out->shown, s, n);
                out->n_shown = n;
                out->columns = columns_of(point);
                return;
        }
        out->n_shown = 0;
        for (uint8_t i = 0; i < out->n_read; i++) {
                char *at = out->shown + out->n_shown;
                at[0] = '\\';
                at[1] = 'x';
                at[2] = hex[s[i] >> 4];
                at[3] = hex[s[i] & 15];
                out->n_shown = (uint8_t)(out->n_shown + 4);
        }
        out->columns = out->n_shown;
}

/* ASCII that prints as it stands: nearly all text, so that it is worth a way of its own. */
static bool is_plain(char c)
{
        return c >= ' ' && c <= '~';
}

/* As many as compilers have instructions for. */
typedef signed char bytes __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

static inline bool has_strange(bytes many, bool is_json)
{
        bytes strange = (bytes)((many < ' ') | (many == 127)); /* above 127 they are negative */
        if (is_json)
                strange |= (bytes)((many == '"') | (many == '\\'));
        halves half = (halves)strange;
        return half[0] | half[1];
}

static inline uint64_t eight_at(const char *text)
{
        uint64_t eight;
        memcpy(&eight, text, sizeof(eight));
        return eight;
}

static inline uint32_t four_at(const char *text)
{
        uint32_t four;
        memcpy(&four, text, sizeof(four));
        return four;
}

/* The last bytes of a text of n, at most as many as a vector has, with some before them. */
static inline bytes last_of(const char *text, size_t n)
{
        const char *end = text + n;
        if (n >= 8)
                return (bytes)(halves){eight_at(n < 16 ? text : end - 16), eight_at(end - 8)};
        uint64_t all = four_at(text) | (uint64_t)four_at(end - 4) << 32;
        return (bytes)(halves){all, all};
}

/* How much of text of n bytes is plain; of JSON, needs no escape either. */
static inline size_t length_without_strange(const char *text, size_t n, bool is_json)
{
        const size_t many = sizeof(bytes);
        size_t at = 0;

        for (bytes next; at + many <= n; at += many) {
                memcpy(&next, text + at, many);
                if (has_strange(next, is_json))
                        break;
        }
        if (n >= 4 && n - at < many && !has_strange(last_of(text, n), is_json))
                return n;
        while (at < n && is_plain(text[at]) && !(is_json && (text[at] == '"' || text[at] == '\\')))
                at++;
        return at;
}

static size_t plain_length(const char *text, size_t n)
{
        return length_without_strange(text, n, 0);
}

static size_t json_plain_length(const char *text, size_t n)
{
        return length_without_strange(text, n, 1);
}

char *ps_text_clean(const char *text)
{
        char *clean = ps_memory_new(4 * strlen(text) + 1);
        size_t n = 0;
        unit u;

        if (!clean)
                return NULL;
        for (; *text; text += u.n_read) {
                unit_next(&u, text);
                memcpy(clean + n, u.shown, u.n_shown);
                n += u.n_shown;
        }
        clean[n] = '\0';
        return clean;
}

void ps_text_write(ps_output *out, const char *text)
{
        unit u;

        for (const char *end = text + strlen(text); text < end;) {
                size_t n = plain_length(text, (size_t)(end - text));
                ps_output_write(out, text, n);
                text += n;
                if (text < end) {
                        unit_next(&u, text);
                        ps_output_write(out, u.shown, u.n_shown);
                        text += u.n_read;
                }
        }
}

/* A backslash of the text and one that stands for a strange byte are both written as the JSON string's own
 * backslash: reading the string gives what ps_text_clean() gives. */
static void write_json_unit(ps_output *out, const unit *u)
{
        for (uint8_t i = 0; i < u->n_shown; i++) {
                if (u->shown[i] == '"' || u->shown[i] == '\\')
                        ps_output_putc(out, '\\');
                ps_output_putc(out, u->shown[i]);
        }
}

static void write_json_inside(ps_output *out, const char *text)
{
        unit u;

        for (const char *end = text + strlen(text); text < end;) {
                size_t n = json_plain_length(text, (size_t)(end - text));
                ps_output_write(out, text, n);
                text += n;
                if (text < end) {
                        unit_next(&u, text);
                        write_json_unit(out, &u);
                        text += u.n_read;
                }
        }
}

void ps_text_write_json_two(ps_output *out, const char *text, const char *more)
{
        ps_output_putc(out, '"');
        write_json_inside(out, text);
        write_json_inside(out, more);
        ps_output_putc(out, '"');
}

void ps_text_write_json(ps_output *out, const char *text)
{
        ps_text_write_json_two(out, text, "");
}

bool ps_text_is_plain_json(const char *text, size_t n)
{
        return json_plain_length(text, n) == n;
}

static void write_char_escaped(ps_output *out, char c, const char *const escapes[PS_ASCII])
{
        const char *escape = (unsigned char)c < PS_ASCII ? escapes[(unsigned char)c] : NULL;

        if (escape)
                ps_output_puts(out, escape);
        else
                ps_output_putc(out, c);
}

void ps_text_write_escaped(ps_output *out, const char *text, const char *const escapes[PS_ASCII])
{
        unit u;

        while (*text) {
                size_t n = 0;
                while (is_plain(text[n]) && !escapes[(unsigned char)text[n]])
                        n++;
                ps_output_write(out, text, n);
                text += n;
                if (!*text)
                        return;
                unit_next(&u, text);
                for (uint8_t i = 0; i < u.n_shown; i++)
                        write_char_escaped(out, u.shown[i], escapes);
                text += u.n_read;
        }
}

/* U+2500 to U+25BF, lines and blocks that pictures are made of: of these there are many. */
static bool is_drawn(const char *text)
{
        const unsigned char *s = (const unsigned char *)text;
        return s[0] == 0xe2 && s[1] >= 0x94 && s[1] <= 0x96 && s[2] >= 0x80 && s[2] <= 0xbf;
}

unsigned ps_text_columns_before(const char *text, const char *end)
{
        unsigned columns = 0;

        while (*text && (!end || text < end)) {
                unit u;
                if (is_plain(*text) || is_drawn(text)) {
                        columns++;
                        text += is_plain(*text) ? 1 : 3;
                        continue;
                }
                unit_next(&u, text);
                columns += u.columns;
                text += u.n_read;
        }
        return columns;
}

unsigned ps_text_columns(const char *text)
{
        return ps_text_columns_before(text, NULL);
}

void ps_text_write_padded(ps_output *out, const char *text, unsigned columns)
{
        size_t n = strlen(text);
        if (n <= columns && columns <= PS_OUTPUT_ROOM && plain_length(text, n) == n) { /* nearly all are */
                char *room = ps_output_reserve(out, columns);
                memcpy(room, text, n); /* the same: NOLINT(bugprone-not-null-terminated-result) */
                memset(room + n, ' ', columns - n);
                ps_output_advance(out, columns);
                return;
        }
        unsigned whole = ps_text_columns(text), used = 0;
        unsigned dots = whole <= columns ? 0 : columns < 3 ? columns : 3;
        unit u;

        if (!dots) {
                ps_text_write(out, text);
                ps_output_repeat(out, ' ', columns - whole);
                return;
        }
        for (; *text; text += u.n_read) {
                unit_next(&u, text);
                if (used + u.columns > columns - dots)
                        break;
                ps_output_write(out, u.shown, u.n_shown);
                used += u.columns;
        }
        ps_output_repeat(out, '.', dots);
        ps_output_repeat(out, ' ', columns - dots - used);
}

void ps_text_write_styled(ps_output *out, ps_style style, const char *text)
{
        if (!*text)
                return;
        ps_output_style(out, style);
        ps_output_puts(out, text);
        ps_output_style(out, PS_PLAIN);
}

void ps_text_write_label(ps_output *out, const char *label, unsigned columns)
{
        ps_output_style(out, PS_BOLD);
        ps_output_printf(out, "%-*s", (int)columns, label);
        ps_output_style(out, PS_PLAIN);
}

void ps_text_write_heading(ps_output *out, const char *heading)
{
        ps_output_putc(out, '\n');
        ps_output_style(out, PS_BOLD);
        ps_output_puts(out, heading);
        ps_output_style(out, PS_PLAIN);
        ps_output_putc(out, '\n');
}

bool ps_text_belongs(const char *word, size_t n, const char *next)
{
        static const char *const units[] = {"%",  "ns", "us", "ms",   "s",    "B",
                                            "kB", "MB", "GB", "ps/B", "call", "calls"};
        static const char *const numbered[] = {"rank", "ranks", "thread"};

        if (isdigit((unsigned char)word[n - 1]))
                for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
                        size_t len = strlen(units[i]);
                        if (strncmp(next, units[i], len) == 0 && !isalnum((unsigned char)next[len]))
                                return true;
                }
        if (isdigit((unsigned char)*next))
                for (size_t i = 0; i < sizeof(numbered) / sizeof(*numbered); i++)
                        if (strlen(numbered[i]) == n && strncmp(word, numbered[i], n) == 0)
                                return true;
        return false;
}

void ps_text_wrap(ps_output *out, const char *text, unsigned indent, unsigned width)
{
        unsigned at = indent;

        while (*text) {
                size_t n = strcspn(text, " ");
                if (n && text[n] && ps_text_belongs(text, n, text + n + 1))
                        n += 1 + strcspn(text + n + 1, " ");
                unsigned columns = ps_text_columns_before(text, text + n);
                if (at > indent && at + 1 + columns >= width) {
                        ps_output_putc(out, '\n');
                        ps_output_repeat(out, ' ', indent);
                        at = indent;
                } else if (at > indent) {
                        ps_output_putc(out, ' ');
                        at++;
                }
                ps_output_write(out, text, n);
                at += columns;
                text += n;
                text += strspn(text, " ");
        }
}

void ps_text_wrapf(ps_output *out, unsigned indent, const char *fmt, ...)
{
        char room[PS_SENTENCE_ROOM], *clean;
        va_list args;

        va_start(args, fmt);
        vsnprintf(room, sizeof(room), fmt, args);
        va_end(args);
        clean = ps_text_clean(room);
        ps_text_wrap(out, clean ? clean : "", indent, ps_output_width(out));
        free(clean);
}

/* What printf does with texts, numbers of ranks and the first bytes of texts, for the many sentences that
 * have nothing else; -1: this one has. Words between them are few, and faster copied than looked for. */
static int put_simple(char *room, size_t size, const char *fmt, va_list args)
{
        char digits[PS_NUMBER_ROOM];
        const size_t most = size - 1;
        size_t at = 0, n;
        for (const char *piece; *fmt; fmt++) {
                if (*fmt != '%') {
                        room[at] = *fmt;
                        at += at < most;
                        continue;
                }
                if (*++fmt == 's') {
                        piece = va_arg(args, const char *);
                        n = strlen(piece);
                } else if (*fmt == 'u') {
                        piece = digits;
                        n = ps_text_u64(digits, va_arg(args, uint32_t));
                } else if (strncmp(fmt, ".*s", 3) == 0) {
                        n = (size_t)va_arg(args, int);
                        piece = va_arg(args, const char *);
                        n = strnlen(piece, n);
                        fmt += 2;
                } else {
                        return -1;
                }
                n = n < most - at ? n : most - at;
                memcpy(room + at, piece, n);
                at += n;
        }
        room[at] = '\0';
        return (int)at;
}

void ps_sentence_add(ps_sentence *sentence, const char *fmt, ...)
{
        char *room = sentence->room + sentence->n;
        size_t size = sentence->size - sentence->n;
        va_list args;

        va_start(args, fmt);
        int n = size ? put_simple(room, size, fmt, args) : 0;
        va_end(args);
        if (n < 0) {
                va_start(args, fmt);
                n = vsnprintf(room, size, fmt, args);
                va_end(args);
        }
        if (n > 0)
                sentence->n += (size_t)n < size ? (size_t)n : size - 1;
}

void ps_sentence_cut(ps_sentence *sentence, const char *text)
{
        const size_t left = sentence->size - sentence->n;
        if (left)
                ps_sentence_bytes(sentence, text, left - 1);
}

/* Where a number goes: to its place in the sentence, unless it may have to be cut. */
static inline char *room_for_number(const ps_sentence *sentence, char digits[PS_NUMBER_ROOM])
{
        return sentence->size - sentence->n >= PS_NUMBER_ROOM ? sentence->room + sentence->n : digits;
}

static inline void end_number(ps_sentence *sentence, const char *number, const char *digits, size_t n)
{
        if (number == digits)
                ps_sentence_bytes(sentence, digits, n);
        else
                sentence->n += n;
}

void ps_sentence_u64(ps_sentence *sentence, uint64_t n)
{
        char digits[PS_NUMBER_ROOM], *number = room_for_number(sentence, digits);
        end_number(sentence, number, digits, ps_text_u64(number, n));
}

void ps_sentence_count(ps_sentence *sentence, uint64_t n)
{
        char digits[PS_NUMBER_ROOM], *number = room_for_number(sentence, digits);
        end_number(sentence, number, digits, ps_text_count(number, n));
}

void ps_sentence_duration(ps_sentence *sentence, ps_time time)
{
        char digits[PS_NUMBER_ROOM], *number = room_for_number(sentence, digits);
        end_number(sentence, number, digits, ps_text_duration(number, time));
}

void ps_ranks_say(ps_sentence *s, const char *one, const char *many, const ps_proc *rank, uint32_t n)
{
        if (n == 1) {
                ps_sentence_add(s, "%s %" PRIu32, one, rank[0]);
        } else if (n > PS_RANKS_LISTED && rank[n - 1] - rank[0] == n - 1) {
                ps_sentence_add(s, "%s %" PRIu32 " to %" PRIu32, many, rank[0], rank[n - 1]);
        } else if (n > PS_RANKS_LISTED) {
                ps_sentence_add(s, "%s %" PRIu32 ", %" PRIu32 " and %" PRIu32 " more", many, rank[0], rank[1],
                                n - 2);
        } else {
                for (uint32_t i = 0; i < n; i++)
                        ps_sentence_add(s, "%s%s%" PRIu32, i ? "" : many,
                                        !i          ? " "
                                        : i + 1 < n ? ", "
                                                    : " and ",
                                        rank[i]);
        }
}
