/* random_program.h - programs that are valid by the way they are made up: one step after the other, each a
 * message or a collective operation whose two sides both know. Each message carries a number of bytes of its
 * own, so that a right match shows. */
#ifndef PS_TESTS_RANDOM_PROGRAM_H
#define PS_TESTS_RANDOM_PROGRAM_H

#include "tests/support/tracegen.h"

#include <stdbool.h>

enum { RANDOM_MAX_RANKS = 8 };

typedef struct random_program {
        uint64_t seed;
        uint32_t ranks, steps;
        const uint32_t *rename; /* by rank: its name in the archive; NULL: its own */
        int64_t noise;          /* messages take at least this many ticks */
        bool neighbours;        /* there are exchanges with those next to one in a communicator, too */
        bool hides_neighbours;  /* the archive does not say who they are */
        bool groups;            /* there are operations between two groups, the even ranks and the odd ones */
        bool teams;             /* threads share work and locks, and complete what others have begun */
        bool nonblocking;       /* collective operations are begun, and completed later */
        bool windows;           /* there is one-sided communication, in epochs of all sorts */
        bool pgas;     /* there are calls of UPC; of several threads of a process each is a rank, and there
                        * is nothing else */
        bool prefixes; /* and there are those in which each waits for those before it */
        uint32_t loses_calls;   /* of so many collective calls one is missing, and one is of another sort; 0:
                                   none */
        uint32_t loses_ends;    /* of so many messages one is not sent, and one is not received; 0: none */
        ps_gen_options options; /* ranks are filled in */
        const char *path;       /* of the archive; NULL: one that is gone with it */
} random_program;

/* Closed; the caller's to free. *n_messages, *n_colls: how many there are. */
ps_gen *random_program_write(const random_program *program, uint32_t *n_messages, uint32_t *n_colls);
/* One of `steps` steps in which there is whatever is rare; what it loses is the seed's, too. */
random_program random_program_rare(uint64_t seed, uint32_t steps);
ps_gen *random_program_odd(uint64_t seed, uint32_t steps);
/* One of 200 steps: its ranks, and whether its archive has mappings, are the seed's. */
ps_gen *random_program_of(uint64_t seed);

#endif
