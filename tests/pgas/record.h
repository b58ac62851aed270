/* record.h - notes the calls of one process of a PGAS program, and leaves them in a file for archive.c.
 *
 * What is here is part of the program that is looked at, so it needs nothing but the C library. */
#ifndef PS_TESTS_PGAS_RECORD_H
#define PS_TESTS_PGAS_RECORD_H

#include <stdint.h>

typedef struct pgas_call {
        const char *name; /* of the function, a literal */
        const char *file; /* where it is called; "": unknown */
        int line;
        const char *in, *out;  /* modes: "ALL", "MY", "NO"; NULL: none, or not known */
        int64_t root, target;  /* ranks; -1: none */
        int64_t lock;          /* its id; -1: none */
        uint64_t bytes;        /* moved */
        uint64_t enter, leave; /* ns of the monotonic clock */
        int failed;            /* an attempt to take a lock that was held */
} pgas_call;

uint64_t pgas_now(void);

void pgas_record(const pgas_call *call);

/* Writes $PGAS_RECORD/RANK.calls; nothing if that is not set. `creator` says what the times are of. 0: done.
 */
int pgas_record_write(const char *creator, int rank, int ranks);

#endif
