/* writer.h - one location's events as a program makes them: each a little later than the one before. */
#ifndef PS_TESTS_BENCH_WRITER_H
#define PS_TESTS_BENCH_WRITER_H

#include "tests/support/tracegen.h"

enum { CHUNK_BYTES = 1 << 20 };

typedef struct writer {
        ps_gen *g;
        uint32_t rank, ranks;
        uint64_t time, noise, request;
        uint64_t ahead;  /* of the true time, in what its clock shows */
        uint32_t depth;  /* of calls of a function within itself */
        uint32_t longer; /* by so many bytes are messages than those of the step before */
        const uint32_t
                *contexts; /* by region: it is entered and left by this calling context; NULL: by itself */
} writer;

/* xorshift64 */
static inline uint32_t noise(writer *w)
{
        w->noise ^= w->noise << 13;
        w->noise ^= w->noise >> 7;
        w->noise ^= w->noise << 17;
        return (uint32_t)(w->noise >> 32);
}

static inline writer writer_of(ps_gen *g, uint32_t rank)
{
        return (writer){
                .g = g, .rank = rank, .noise = 88172645463325252u + rank * UINT64_C(0x9e3779b97f4a7c15)};
}

static inline void record(writer *w, uint32_t at_most_ns, ps_gen_rec rec)
{
        w->time += 1 + noise(w) % at_most_ns;
        ps_gen_put(w->g, w->rank, w->time + w->ahead, rec);
}

static inline void enter(writer *w, uint32_t region)
{
        record(w, 50,
               w->contexts ? PS_GEN_REC_OF(CONTEXT_ENTER, .ref = w->contexts[region], .tag = 1)
                           : PS_GEN_REC_OF(ENTER, .ref = region));
}

/* At most so long after the record before it. */
static inline void leave_within(writer *w, uint32_t region, uint32_t at_most_ns)
{
        record(w, at_most_ns,
               w->contexts ? PS_GEN_REC_OF(CONTEXT_LEAVE, .ref = w->contexts[region])
                           : PS_GEN_REC_OF(LEAVE, .ref = region));
}

static inline void leave(writer *w, uint32_t region)
{
        leave_within(w, region, 50);
}

/* Goes on no earlier than `time`. */
static inline void await(writer *w, uint64_t time)
{
        if (w->time < time)
                w->time = time;
}

static inline void compute(writer *w, uint32_t region, uint32_t at_most_ns)
{
        for (uint32_t i = 0; i < w->depth; i++)
                enter(w, region);
        enter(w, region);
        leave_within(w, region, at_most_ns);
        for (uint32_t i = 0; i < w->depth; i++)
                leave(w, region);
}

static inline void call(writer *w, uint32_t region, ps_gen_rec rec)
{
        enter(w, region);
        record(w, 40, rec);
        leave(w, region);
}

/* Everybody has entered before `end`, nobody leaves before it. */
static inline void collective(writer *w, uint32_t region, uint64_t end, uint32_t at_most_ns, ps_gen_rec what)
{
        enter(w, region);
        if (what.kind == PS_GEN_R_COLL_END)
                record(w, 40, (ps_gen_rec){.kind = PS_GEN_R_COLL_BEGIN});
        await(w, end);
        record(w, at_most_ns, what);
        leave(w, region);
}

/* The end of one in which all have as many bytes for all. */
static inline ps_gen_rec among_all(uint8_t op, uint64_t bytes)
{
        return PS_GEN_REC_OF(COLL_END, .op = op, .comm = PS_GEN_WORLD, .peer = OTF2_COLLECTIVE_ROOT_NONE,
                             .bytes = bytes, .received = bytes);
}

#endif
