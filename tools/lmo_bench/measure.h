/* measure.h - the round trips of pairs and triples, and what one to all others takes. */
#ifndef PS_TOOLS_LMO_BENCH_MEASURE_H
#define PS_TOOLS_LMO_BENCH_MEASURE_H

enum { RANKS_MAX = 128, SIZES_MAX = 32, REPEATS_MAX = 10000, TAG_CONTROL = 1, TAG_DATA = 2 };

typedef struct settings {
        double size[SIZES_MAX], sweep[SIZES_MAX];
        int n_sizes, n_sweep;
        double triple_bytes;
        int least, most; /* repetitions */
        double precision;
        int cover; /* triples that each process begins; 0: all triples */
        int is_serial;
} settings;

enum { PAIR, TRIPLE, SCATTER, GATHER };

/* A line of the table. Doubles only, so that it can be sent as such. */
typedef struct row {
        double kind, rank[3], bytes, least, tenth, median,
                repetitions;      /* of the last two: rank[0] is how many there are */
        double escalated, excess; /* gathers that took ten times as long as the least one, and by how much
                                     longer than the median on average */
} row;

enum { ROW_DOUBLES = sizeof(row) / sizeof(double) };

typedef struct bench {
        settings how;
        int rank, n_ranks;
        char *buffer;
        double *times; /* of the repetitions at hand */
        row *rows;     /* of which this process was the root */
        int n_rows, room;
} bench;

/* Says so, and ends all processes. */
void die(const char *what);

int by_value(const void *a, const void *b); /* of doubles, for qsort */

/* All processes call these; what is measured becomes rows of its root. */
void run_pairs(bench *b, double bytes);
void run_triples(bench *b, double bytes);
void run_sweep(bench *b, int is_gather);

#endif
