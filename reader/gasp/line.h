/* line.h - one line of a gasp-dump trace, taken to pieces. */
#ifndef PS_READER_GASP_LINE_H
#define PS_READER_GASP_LINE_H

#include "core/base/types.h"
#include <stddef.h>

/* The tool itself writes at most 1024 bytes. */
enum { PS_GASP_LINE_BYTES = 4096, PS_GASP_MOST_THREADS = 1 << 16 };

typedef enum ps_gasp_type { PS_GASP_START, PS_GASP_END, PS_GASP_ATOMIC } ps_gasp_type;

typedef struct ps_gasp_text {
        const char *at;
        size_t n;
} ps_gasp_text;

typedef struct ps_gasp_line {
        uint32_t thread, threads;
        ps_time time;      /* since the thread's start */
        bool out_of_range; /* the time was clamped */
        ps_gasp_text file, tag, arguments;
        uint32_t line;
        ps_gasp_type type;
} ps_gasp_line;

/* Takes `n` bytes without their newline to pieces. NULL when it is an event, else what is wrong with it. */
const char *ps_gasp_line_parse(ps_gasp_line *out, const char *text, size_t n);

/* Lines that the tool writes beside events. */
bool ps_gasp_line_is_chatter(const char *text, size_t n);

/* The i-th of the arguments; an empty text when there are fewer. */
ps_gasp_text ps_gasp_argument(const ps_gasp_line *line, unsigned i);
/* A decimal number; 0 when it is none. */
uint64_t ps_gasp_number(ps_gasp_text argument);
/* The thread that a shared pointer points to; PS_NONE when the text does not tell, or names none of them. */
uint32_t ps_gasp_thread(const ps_gasp_line *line, ps_gasp_text argument);
/* A number for a text: two that differ hardly ever have the same one. */
uint64_t ps_gasp_id(ps_gasp_text argument);

#endif
