/* micro.h - micro-traces: a few lines of text that become an OTF2 archive, and what is expected of it.
 *
 * The format is described in traces/patterns/README.md. What is wrong in a file aborts with its line. */
#ifndef PS_TESTS_MICRO_H
#define PS_TESTS_MICRO_H

#include "patterns/engine/engine.h"

enum { MICRO_EXPECTS = 32 };

typedef struct micro_expect {
        uint32_t pattern;
        ps_loc loc;
        ps_time lost;
        uint64_t count;
} micro_expect;

typedef struct micro_case {
        char kind[16]; /* "has", "below", "not" */
        char title[112];
        unsigned line;
        ps_definitions definitions;
        ps_time epsilon;
        micro_expect expect[MICRO_EXPECTS];
        unsigned n_expects;
        int expects_nothing;
        ps_trace *trace;    /* loaded with its clocks as they are */
        const char *anchor; /* of the archive that it was loaded from */
} micro_case;

typedef struct micro micro;

/* `own`: the pattern that `expect` means when it names none; PS_NONE: there is none. NULL: no such file. */
micro *micro_open(const char *path, uint32_t own);
/* The next case, which lives until the one after it; NULL at the end. */
const micro_case *micro_next(micro *m);
void micro_close(micro *m);

#endif
