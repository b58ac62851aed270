/* random_machine.h - what runs a random program: shared by random_program.c and random_windows.c. */
#ifndef PS_TESTS_RANDOM_MACHINE_H
#define PS_TESTS_RANDOM_MACHINE_H

#include "tests/support/random_program.h"
#include "tests/support/trace_maker.h"

enum { MAX_OPEN = 6, N_COMMS = 4, N_WINDOWS = 2 };

typedef struct rank {
        uint32_t team;
        uint64_t now, ready;           /* `ready`: when the last of the open operations can be over */
        ps_gen_rec open[MAX_OPEN + 1]; /* a message to itself opens two at once */
        uint32_t n_open;
        uint64_t next_request;
} rank;

typedef struct comm {
        uint32_t id, n, members[RANDOM_MAX_RANKS]; /* ranks of the program */
} comm;

/* A window of the first or the second communicator. */
typedef struct window {
        uint32_t id, transfers;
        uint32_t group[2], n[2], members[2][RANDOM_MAX_RANKS]; /* places of origins and targets there */
        uint64_t is_free[RANDOM_MAX_RANKS];                    /* the lock of that place, from then on */
} window;

typedef struct machine {
        const random_program *p;
        ps_gen *g;
        uint64_t state;
        rank rank[RANDOM_MAX_RANKS];
        comm comm[N_COMMS], between; /* the last is between two groups */
        window window[N_WINDOWS];
        uint32_t names[RANDOM_MAX_RANKS];
        uint32_t heap; /* the window of all that UPC shares */
        uint32_t n_messages, n_colls;
} machine;

static inline uint32_t pick(machine *m, uint32_t below)
{
        return maker_random(&m->state, below);
}

static inline uint32_t name(const machine *m, uint32_t r)
{
        return m->names[r];
}

/* The rank goes on for a while, and stands at the call's begin. */
static inline uint64_t begin(machine *m, uint32_t r)
{
        return m->rank[r].now += 10 + pick(m, 400);
}

/* All of the communicator come to a collective call; when the last one's data has come to others. */
static inline uint64_t begin_all(machine *m, const comm *c, uint64_t *from)
{
        uint64_t last = 0;
        m->n_colls++;
        for (uint32_t i = 0; i < c->n; i++) {
                from[i] = begin(m, c->members[i]);
                last = from[i] > last ? from[i] : last;
        }
        return last + 40 + (uint64_t)m->p->noise;
}

static inline bool loses(machine *m, uint32_t one_of)
{
        return one_of && !pick(m, one_of);
}

/* Those of the first two communicators, and a step in which somebody uses one of them. */
void random_make_windows(machine *m);
void random_use_window(machine *m);
/* And one of UPC, of all ranks. */
void random_share_memory(machine *m);

#endif
