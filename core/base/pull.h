/* pull.h - JSON that is too large for a tree: read value by value, where it stands.
 *
 * Whoever reads says what comes next; a value that nobody wants is skipped at the speed of its text. After
 * something that is not JSON, `is_bad` is set, and every question is answered with nothing:
 *
 *      for (ps_pull_open(&p, '{'); ps_pull_key(&p, &key);)
 *              if (ps_slice_is(key, "findings"))
 *                      for (ps_pull_open(&p, '['); ps_pull_element(&p);)
 *                              ...
 *              else
 *                      ps_pull_skip(&p);
 */
#ifndef PS_CORE_BASE_PULL_H
#define PS_CORE_BASE_PULL_H

#include "core/base/arena.h"

#include <stdbool.h>
#include <string.h>

/* What stands between the quotes of a string, escapes as they are. */
typedef struct ps_slice {
        const char *text;
        size_t n;
} ps_slice;

static inline bool ps_slice_is(ps_slice slice, const char *word)
{
        return slice.n && *slice.text == *word && strlen(word) == slice.n &&
               memcmp(slice.text, word, slice.n) == 0;
}

enum { PS_PULL_DEPTH = 64 };

/* Begin with {text, text + n}. */
typedef struct ps_pull {
        const char *at, *end;
        bool is_bad, is_first; /* nothing of what was opened last is read yet */
        bool owes_value;       /* the value of the last key or element is to be read next */
        unsigned depth;
} ps_pull;

/* What begins here: '{', '[', '"', a digit or '-', 't', 'f', 'n'; NUL at the end and after a mistake. */
char ps_pull_kind(ps_pull *p);

/* Opens an object or an array; false, and the value is skipped, if it is something else. */
bool ps_pull_open(ps_pull *p, char bracket);
/* The key of the next member, whose value must be read or skipped next; false: it was the last one, and the
 * object is closed. */
bool ps_pull_key(ps_pull *p, ps_slice *key);
/* The same of the elements of an array; each must be read or skipped. */
bool ps_pull_element(ps_pull *p);
/* A value, whatever it is. */
void ps_pull_skip(ps_pull *p);
/* What is no string, or no number, is skipped, and *out stays as it is. */
void ps_pull_string(ps_pull *p, ps_slice *out);
void ps_pull_number(ps_pull *p, double *out);
/* Nothing but blanks is left, and all was JSON? */
bool ps_pull_is_done(ps_pull *p);

/* The text that is meant, as UTF-8 up to the first NUL; NULL when there is no memory. */
char *ps_slice_copy(ps_arena *arena, ps_slice slice);

#endif
