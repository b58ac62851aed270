/* gate.h - what the files with measurements and their limits share. */
#ifndef PS_BENCH_GATE_H
#define PS_BENCH_GATE_H

#include "tests/bench/bench.h"
#include "tests/bench/verdict.h"

typedef struct bench_plan {
        uint64_t ring_events, stencil_events, findings;
        int rounds;                           /* the best of which counts */
        double ring_ratio, stencil_ratio;     /* of CPU, to the yardstick, at most */
        double ring_program, stencil_program; /* the same of the whole program, without causes */
        double causes;                        /* what causes and the replays of gains add to it */
        double speedup;                       /* of two threads on two free processors, at least */
        double bytes_per_op;                  /* at most */
        double tags_ratio;                    /* of ten times the tags, at most */
        double findings_mib;                  /* beyond the loaded trace, for `findings` of them, at most */
        uint64_t packets;                     /* through a network */
        double hop_ratio;                     /* of so many packets to NETWORK_FEW of them, at most */
        uint64_t cause_events;                /* of the longest trace whose causes are found */
        double cause_ratio;                   /* of an operation there to one in a tenth of it, at most */
        uint64_t counted_events;              /* of the longest trace of which instructions are counted */
} bench_plan;

typedef struct bench_gate {
        const bench_plan *plan;
        const char *cache;
        bench_verdict verdict;
        double event_s; /* what the yardstick takes for an event of "ring" */
} bench_gate;

/* The trace's anchor, the caller's to free. */
char *bench_prepare(const bench_gate *g, const char *kind, uint64_t size);
/* Runs this program and keeps what was best. */
void bench_measure(bench_sample *best, unsigned copies, const char *const *arguments);
void bench_expect(bench_gate *g, const char *trace, const char *what, double value, int ok, double limit);

/* gate_program.c: what the program costs in instructions, from its start to a JSON report */
void bench_counted_program(bench_gate *g);

/* gate_commands.c: what commands cost that sweep over or sort all of a trace, in instructions */
void bench_counted_commands(bench_gate *g);

/* gate_causes.c: what causes cost an operation in time, and in instructions; what their fixes cost */
void bench_cause_costs(bench_gate *g);
void bench_counted_causes(bench_gate *g);
void bench_fix_costs(bench_gate *g);

/* gate_part.c: what answers to a page that is served cost, in instructions */
void bench_counted_parts(bench_gate *g);

#endif
