/* text.h - making values fit to be read: names from traces, which nobody vouches for, and numbers.
 *
 * Every byte that comes from a trace reaches a terminal or a report through ps_text_write() or
 * ps_text_clean(): what could steer a terminal or mislead the eye (control and direction characters, broken
 * UTF-8) appears as \xNN. */
#ifndef PS_REPORT_PRINT_TEXT_H
#define PS_REPORT_PRINT_TEXT_H

#include "core/base/types.h"
#include "core/model/defs.h"
#include "report/print/output.h"

/* The cleaned text in fresh memory; NULL when there is none. */
char *ps_text_clean(const char *text);
void ps_text_write(ps_output *out, const char *text);
/* The same as a JSON string, with its quotes. */
void ps_text_write_json(ps_output *out, const char *text);
bool ps_text_is_plain_json(const char *text, size_t n); /* does it need no more than quotes? */
void ps_text_write_json_two(ps_output *out, const char *text, const char *more); /* of both together */

/* The cleaned text, with escapes[c] instead of each ASCII character c that has one. */
enum { PS_ASCII = 128 };
void ps_text_write_escaped(ps_output *out, const char *text, const char *const escapes[PS_ASCII]);

/* Columns that the cleaned text takes up on a terminal, all of it or what is before `end`. */
unsigned ps_text_columns(const char *text);
unsigned ps_text_columns_before(const char *text, const char *end);
/* The cleaned text, cut with "..." or filled with spaces, so that it takes up exactly `columns`. */
void ps_text_write_padded(ps_output *out, const char *text, unsigned columns);
/* Trusted text; nothing at all for "". */
void ps_text_write_styled(ps_output *out, ps_style style, const char *text);
/* Trusted texts in bold: one that fills `columns`, and a line of its own behind an empty one. */
void ps_text_write_label(ps_output *out, const char *label, unsigned columns);
void ps_text_write_heading(ps_output *out, const char *heading);
/* Whether what follows a blank belongs on the same line as the word of n bytes before it: "3 ms", "rank 3".
 */
bool ps_text_belongs(const char *word, size_t n, const char *next);
/* Words of trusted text, broken into lines that end before `width` columns; the first begins at the column
 * where the output is, `indent`, and so do the others. A number stays with its unit. The last line is not
 * ended. */
void ps_text_wrap(ps_output *out, const char *text, unsigned indent, unsigned width);
/* The same of a sentence that is cleaned, in the width of the output. What is longer than the room is cut. */
enum { PS_SENTENCE_ROOM = 1024 };
void ps_text_wrapf(ps_output *out, unsigned indent, const char *fmt, ...) PS_FORMAT(3, 4);

/* A sentence in the making: what is more than the room is cut. `room` holds it, ended, from the first words
 * on. */
typedef struct ps_sentence {
        char *room;
        size_t size, n;
} ps_sentence;
void ps_sentence_add(ps_sentence *sentence, const char *fmt, ...) PS_FORMAT(2, 3);
/* The same of n bytes, a text, a number, one with separators, or a duration: for sentences of which there are
 * many. */
void ps_sentence_cut(ps_sentence *sentence, const char *text); /* as much as there is room for */
static inline void ps_sentence_bytes(ps_sentence *sentence, const char *text, size_t n)
{
        if (__builtin_expect(n >= sentence->size - sentence->n, 0)) {
                ps_sentence_cut(sentence, text);
                return;
        }
        char *end = memcpy(sentence->room + sentence->n, text, n);
        end[n] = '\0';
        sentence->n += n;
}
static inline void ps_sentence_text(ps_sentence *sentence, const char *text)
{
        ps_sentence_bytes(sentence, text, strlen(text));
}
void ps_sentence_u64(ps_sentence *sentence, uint64_t n);
void ps_sentence_count(ps_sentence *sentence, uint64_t n);
void ps_sentence_duration(ps_sentence *sentence, ps_time time);

/* Each writes into `room` and returns the number of bytes, without the NUL that it adds. */
enum { PS_NUMBER_ROOM = 40 };
size_t ps_text_u64(char *room, uint64_t n);
size_t ps_text_i64(char *room, int64_t n);
size_t ps_text_count(char *room, uint64_t n); /* with separators: 1,234,567 */
/* Seconds, rounded to nanoseconds: "0.25", or with all nine decimals. */
size_t ps_text_seconds(char *room, ps_time time);
size_t ps_text_seconds_u64(char *room, uint64_t time, int all_decimals);
size_t ps_text_duration(char *room, ps_time time);                 /* for people: "1.23 ms" */
size_t ps_text_seconds_short(char *room, double seconds);          /* the same of more than a ps_time */
size_t ps_text_hertz(char *room, uint64_t hz);                     /* "2.6 GHz" */
size_t ps_text_nine_digits(char *room, double value);              /* "%.9g" */
size_t ps_text_percent(char *room, uint64_t part, uint64_t whole); /* "12.3 %", "<0.1 %" */
const char *ps_text_share(char *room, double share);               /* returns `room` */

/* "rank 2", "ranks 0, 1 and 3", "ranks 4 to 63", "ranks 3, 5 and 60 more"; in rising order. Up to so many are
 * listed. */
enum { PS_RANKS_LISTED = 4 };
void ps_ranks_say(ps_sentence *s, const char *one, const char *many, const ps_proc *rank, uint32_t n);

#endif
