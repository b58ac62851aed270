/* internal.h - what the files of the micro-traces share: the case that is read now, and its words. */
#ifndef PS_TESTS_MICRO_INTERNAL_H
#define PS_TESTS_MICRO_INTERNAL_H

#include "tests/support/micro/micro.h"
#include "tests/support/tracegen.h"

#include <stdio.h>

enum { LINE_ROOM = 512, WORDS = 48, NAMES = 16, REQUESTS = 256 };

struct name {
        char text[32];
        uint32_t id;
};

/* What a request will be completed by. */
struct open_request {
        ps_gen_rec record;
        uint32_t loc;
};

struct micro {
        FILE *file;
        char path[256];
        unsigned line;
        uint32_t own;
        char header[LINE_ROOM]; /* of the next case; "": none */
        char text[LINE_ROOM];
        char *word[WORDS];
        unsigned n_words;
        ps_gen *gen; /* NULL until the case needs it */
        ps_gen_options options;
        struct name names[NAMES];
        unsigned n_names;
        struct open_request requests[REQUESTS];
        unsigned n_requests;
        micro_case now;
};

/* Ends the test with the line that is read. */
#define DIE(m, ...) micro_die(m, (m)->line, __VA_ARGS__)

void micro_die(const micro *m, unsigned line, const char *what, const char *detail);
const char *micro_word_at(const micro *m, unsigned i);
uint64_t micro_number(const micro *m, const char *word);
uint64_t micro_number_at(const micro *m, unsigned i);
/* Nanoseconds: "10us", "9.999us", "3ms", "1s", "7ns". */
uint64_t micro_time_of(const micro *m, const char *word);
uint64_t micro_time_at(const micro *m, unsigned i);
/* "2" is the first thread of rank 2, "2.1" its second. */
uint32_t micro_loc_of(micro *m, const char *word);
uint32_t micro_id_of(const micro *m, const char *name);
int micro_is_number(const micro *m, unsigned i);
/* LOCATION BEGIN REGION END [KEY VALUE]... */
void micro_put_event(micro *m);

#endif
