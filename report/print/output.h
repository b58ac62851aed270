/* output.h - where a report or a dump goes: stdout, or a file that appears only when it is whole.
 *
 * A file is written beside its target, without a name or under a temporary one, and put in its place by
 * ps_output_commit(), so that nobody ever reads half of one. What is no regular file (a pipe, a device) is
 * written in place. Errors are kept: the writing functions return nothing, the commit tells the first
 * failure. */
#ifndef PS_REPORT_PRINT_OUTPUT_H
#define PS_REPORT_PRINT_OUTPUT_H

#include "core/base/error.h"

#include <string.h>

typedef enum ps_color_mode {
        PS_COLOR_AUTO, /* on a terminal, unless NO_COLOR is set or TERM is dumb */
        PS_COLOR_ALWAYS,
        PS_COLOR_NEVER
} ps_color_mode;

typedef enum ps_style { PS_PLAIN, PS_BOLD, PS_DIM, PS_RED, PS_GREEN, PS_YELLOW, PS_CYAN } ps_style;

enum { PS_WIDTH_DEFAULT = 80 };

/* What is written is gathered, so that most writing is a copy without a call. */
typedef struct ps_output {
        int fd;                                              /* -1: in memory, or what `take` gets */
        int (*take)(void *ctx, const char *bytes, size_t n); /* NULL: it is no such output */
        void *ctx;
        int failed;     /* errno of the first failure, or 0 */
        unsigned lacks; /* of memory, before it was opened */
        int color;
        unsigned width;
        char *name;               /* as it was asked for */
        char *target, *temporary; /* NULL: written in place */
        bool is_named;            /* there is a file called `temporary` */
        char *buffer;
        size_t used, size;
        unsigned n_flushes; /* so often the buffer was given away */
} ps_output;

/* `path` "-" is stdout. */
ps_status ps_output_open(ps_output **out, const char *path, ps_color_mode color, ps_error *err);
/* An output that only gathers text; ps_output_text() shows it, NUL-terminated, or NULL without memory. */
ps_status ps_output_open_memory(ps_output **out, unsigned width, ps_error *err);
/* One whose text a function takes, a part at a time; an answer other than 0 is a failure to write. */
ps_status ps_output_open_taker(ps_output **out, int (*take)(void *ctx, const char *bytes, size_t n),
                               void *ctx, unsigned width, bool has_color, ps_error *err);
const char *ps_output_text(ps_output *out);
static inline size_t ps_output_gathered(const ps_output *out) /* bytes of it */
{
        return out->used;
}
void ps_output_clear(ps_output *out); /* forgets the gathered text */

/* Writes what is left, renames and frees. `out` is gone in any case; NULL is fine. */
ps_status ps_output_commit(ps_output *out, ps_error *err);
/* Drops the output: a file keeps what it held before. What is written in place gets the part that there is.
 */
void ps_output_discard(ps_output *out);

/* True once a write has failed: whoever produces much can stop. */
static inline bool ps_output_failed(const ps_output *out)
{
        return out->failed != 0;
}
unsigned ps_output_width(const ps_output *out); /* columns */
bool ps_output_has_color(const ps_output *out);

/* Room for n bytes (n <= PS_OUTPUT_ROOM); the caller tells with ps_output_advance() how many it used. */
enum { PS_OUTPUT_ROOM = 4096 };
void ps_output_make_room(ps_output *out, size_t n);
static inline char *ps_output_reserve(ps_output *out, size_t n)
{
        if (out->size - out->used < n)
                ps_output_make_room(out, n);
        return out->buffer + out->used;
}
static inline void ps_output_advance(ps_output *out, size_t n)
{
        out->used += n;
}
/* The same: where in that room they end. */
static inline void ps_output_end(ps_output *out, const char *end)
{
        out->used = (size_t)(end - out->buffer);
}

void ps_output_write_parts(ps_output *out, const char *bytes, size_t n);
static inline void ps_output_write(ps_output *out, const char *bytes, size_t n)
{
        if (n > PS_OUTPUT_ROOM) {
                ps_output_write_parts(out, bytes, n);
                return;
        }
        memcpy(ps_output_reserve(out, n), bytes, n);
        out->used += n;
}
/* The same for writers that know no outputs: never fails, because the output tells when it is committed. */
ps_status ps_output_take(void *out, const char *bytes, size_t n, ps_error *err);
static inline void ps_output_puts(ps_output *out, const char *text)
{
        ps_output_write(out, text, strlen(text));
}
static inline void ps_output_putc(ps_output *out, char c)
{
        *ps_output_reserve(out, 1) = c;
        out->used++;
}
void ps_output_repeat(ps_output *out, char c, size_t n);
void ps_output_printf(ps_output *out, const char *fmt, ...) PS_FORMAT(2, 3);
void ps_output_style(ps_output *out, ps_style style); /* nothing without colour */

#endif
