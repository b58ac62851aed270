/* verdict.h - rows of numbers and their limits; those over them are named again at the end. */
#ifndef PS_BENCH_VERDICT_H
#define PS_BENCH_VERDICT_H

enum { BENCH_MOST_TOLD = 16, BENCH_TOLD_ROOM = 120 };

typedef struct bench_verdict {
        unsigned failed;
        char told[BENCH_MOST_TOLD][BENCH_TOLD_ROOM];
} bench_verdict;

void bench_judge(bench_verdict *verdict, const char *trace, const char *what, double value, int ok,
                 double limit);
void bench_tell(const bench_verdict *verdict);

#endif
