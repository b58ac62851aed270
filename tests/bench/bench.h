/* bench.h - measuring how fast and in how much memory traces are loaded and analysed.
 *
 * One program: its driver (main.c) runs itself again for each measurement, so that each has a process, a
 * heap and a peak of memory of its own. What a run has to say besides its resources it prints as one line of
 * key=value. Nothing is measured against a clock alone: the yardstick is the OTF2 library itself, reading the
 * same trace on the same machine in the same minute. */
#ifndef PS_BENCH_H
#define PS_BENCH_H

#include <stdint.h>

/* The traces; `size` is the number of events, about, of messages of "tags",
 * of "findings", or of calls of "visits" and "metrics". */
typedef struct bench_kind {
        const char *name, *summary;
        void (*write)(const char *path, uint64_t size);
} bench_kind;

extern const bench_kind bench_kinds[];
extern const unsigned bench_n_kinds;

/* generate_collectives.c, generate_visits.c */
void bench_write_collectives(const char *path, uint64_t size);
void bench_write_visits(const char *path, uint64_t size);
void bench_write_metrics(const char *path, uint64_t size);
/* generate_calls.c */
void bench_write_sendrecv(const char *path, uint64_t size);
void bench_write_persistent(const char *path, uint64_t size);
void bench_write_polls(const char *path, uint64_t size);
void bench_write_pairs(const char *path, uint64_t size);

/* generate_pgas.c */
void bench_write_shmem(const char *path, uint64_t size);
void bench_write_upc(const char *path, uint64_t size);

/* generate_threads.c */
void bench_write_regions(const char *path, uint64_t size);
void bench_write_tasks(const char *path, uint64_t size);
void bench_write_sections(const char *path, uint64_t size);
void bench_write_puts(const char *path, uint64_t size);
void bench_write_locks(const char *path, uint64_t size);

/* The trace's anchor below `cache`, made at the first call; the caller's to free. NULL: unknown kind. */
char *bench_trace(const char *cache, const char *kind, uint64_t size);

/* All measurements; how many limits are passed, without traces that take long when `is_quick`. */
unsigned bench_all(const char *cache, int is_quick);

uint64_t bench_cpu_ns(void); /* of this process */

/* Runs that a process is made for; the exit status is returned. */
int bench_floor(const char *anchor);                  /* reads with the library's local readers, one thread */
int bench_load(const char *anchor, unsigned threads); /* ps_trace_load */
int bench_program(const char *anchor, const char *option); /* patscan analyze, a JSON report, one thread */
int bench_shared(const char *anchor, const char *threads); /* the same without causes, on several */
/* patscan info, profile (info --profile), calibrate or compare (with itself), one thread; text or jsonl
 * (dump). */
int bench_command(const char *name, const char *anchor);
int bench_comparison(const char *anchor, const char *other);
/* Loads and analyses, with causes or without; load_cpu_ns is what they cost behind that. */
int bench_causes(const char *anchor, int with_causes);
int bench_fixes(
        const char *anchor); /* load_cpu_ns: one replay; report_cpu_ns: the fixes that are tried unasked */
int bench_report(const char *anchor); /* what only the JSON report costs */
/* report_cpu_ns: the answer to a page that is served and asks for one in so many of the run, of all ranks; 0:
 * it does not ask. */
int bench_part(const char *anchor, uint64_t one_in);
int bench_bmf(const char *processors); /* a BMF program on so many; messages as events */
int bench_text(uint64_t records);      /* loads a PICL trace, and splits it into numbers */
int bench_network(const char *preset, uint64_t packets);
int bench_predict(uint32_t calls); /* a DVM program of so many calls on 64 grids */
/* A ring, stencil or wavefront of so many ranks, replayed: load_cpu_ns on one machine, report_cpu_ns on eight
 * at once, network_cpu_ns with contention; replay_bytes is the peak beyond the trace. */
int bench_replay(const char *program, uint32_t ranks, uint32_t rounds);
int bench_redistribute(uint32_t procs); /* redistributions on so many processors */

/* What one run cost and said; what it did not say is 0. */
typedef struct bench_sample {
        double wall_s, cpu_s, user_s; /* cpu: user and system */
        uint64_t peak_bytes, events, operations, stretches, findings, load_cpu_ns, floor_cpu_ns,
                report_cpu_ns, hops, network_cpu_ns, replay_bytes;
} bench_sample;

/* Runs `copies` processes of this program with `arguments` (NULL at the end) at once and takes the last one's
 * word; wall: until all have ended, cpu: of all, peak: of the largest. -1: one of them failed. */
int bench_run(bench_sample *out, unsigned copies, const char *const *arguments);

/* The instructions of such a run, where valgrind is. */
int bench_can_count(void);
uint64_t bench_count(const char *const *arguments);
uint64_t bench_count_busiest(const char *const *arguments); /* of its threads */
/* How often it reads what a cache of 1 MiB does not have. */
uint64_t bench_count_misses(const char *const *arguments);

/* Keeps the least of each time and the largest peak. */
void bench_keep_best(bench_sample *best, const bench_sample *sample);

#endif
