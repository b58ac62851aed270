/* table.h - measured round trips as text, as lmo-bench writes them: docs/CALIBRATION.md. */
#ifndef PS_SIMULATOR_CALIBRATE_TABLE_H
#define PS_SIMULATOR_CALIBRATE_TABLE_H

#include "core/base/error.h"
#include "core/base/types.h"

enum {
        PS_RTT_RANKS_MAX = 128, /* n^3 / 2 times are held at once */
        PS_RTT_ROWS_MAX = 1 << 22,
        PS_RTT_LINE_MAX = 256
};

typedef enum ps_rtt_kind {
        PS_RTT_PAIR,    /* rank[0] sends, rank[1] sends as much back */
        PS_RTT_TRIPLE,  /* rank[0] sends to the two others, which reply without data */
        PS_RTT_SCATTER, /* rank[0] is the number of processors of a flat scatter */
        PS_RTT_GATHER,  /* the same of a flat gather */
        PS_RTT_KINDS
} ps_rtt_kind;

typedef struct ps_rtt_row {
        double bytes, least_s;
        double tenth_s, median_s; /* NAN: not told */
        uint64_t repetitions;     /* 0: not told */
        uint64_t escalated;       /* of these: gathers that took ten times as long as the least one */
        double excess_s;          /* by how much longer than the median, on average */
        uint32_t rank[3];
        uint32_t line;
        uint8_t kind;
} ps_rtt_row;

typedef struct ps_rtt_table {
        uint32_t n_ranks;
        uint32_t *node_of_rank; /* nodes that are not told are nodes of their own */
        bool has_nodes;
        ps_rtt_row *row; /* sorted by kind, ranks, bytes and time; pairs have the lower rank first */
        size_t n, room;
} ps_rtt_table;

/* The first word, comments aside, is that of such a file. */
bool ps_rtt_is_table(const char *text, size_t len);
/* The `len` bytes at `text`; `path` is for messages. */
ps_status ps_rtt_parse(ps_rtt_table **out, const char *text, size_t len, const char *path, ps_error *err);
void ps_rtt_free(ps_rtt_table *table);

/* The time of a row: the least, or, of fewer than ten repetitions, the tenth percentile. */
double ps_rtt_time(const ps_rtt_row *row);
/* The rows [first, end) of a kind. */
void ps_rtt_range(const ps_rtt_table *table, ps_rtt_kind kind, size_t *first, size_t *end);

#endif
