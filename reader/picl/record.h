/* record.h - a record of a PICL trace, and the place where it happened. */
#ifndef PS_READER_PICL_RECORD_H
#define PS_READER_PICL_RECORD_H

#include "core/base/types.h"
#include "reader/picl/table.h"

/* Limits of what a file can make this reader build. */
enum { PS_PICL_MAX_PLACES = 1 << 18, PS_PICL_HOST = -32768, PS_PICL_WILDCARD = -1, PS_PICL_NEAR = 1024 };

/* Rows of events that the table does not have. */
enum { PS_PICL_E_USER = PS_PICL_E_COUNT, PS_PICL_E_UNKNOWN, PS_PICL_E_ROWS };

typedef enum ps_picl_type {
        PS_PICL_MARK, /* tells nothing but that it was there */
        PS_PICL_ENTRY,
        PS_PICL_EXIT,
        PS_PICL_STAT_TIME, /* of the statistics: `row` or, in old traces, nothing; `value` */
        PS_PICL_STAT_COUNT,
        PS_PICL_STAT_SENT,
        PS_PICL_STAT_RECEIVED
} ps_picl_type;

typedef enum ps_picl_field {
        PS_PICL_BYTES = 1 << 0,
        PS_PICL_TAG = 1 << 1,
        PS_PICL_PEER = 1 << 2,
        PS_PICL_PID = 1 << 3,
        PS_PICL_SUBSET_ID = 1 << 4,
        PS_PICL_REQUEST = 1 << 5,
        PS_PICL_NO_BYTES = 1 << 6 /* the number is there, and says "none of mine" */
} ps_picl_field;

typedef struct ps_picl_rec {
        ps_time time;
        int64_t value;   /* bytes; of a statistic what it says, times in picoseconds */
        int32_t tag;     /* */
        int32_t peer;    /* node of the partner, or the root */
        int32_t extra;   /* process on the partner's node, subset, or request: `fields` tells */
        uint32_t line;   /* in the file; UINT32_MAX: that or further down */
        uint32_t region; /* a row of log.regions, or PS_NONE */
        uint32_t mate;   /* the entry of an exit and the reverse, in the same place; PS_NONE */
        uint16_t code;   /* a row of log.codes */
        uint8_t row;     /* ps_picl_event_row, or PS_PICL_E_USER, ... */
        uint8_t type;    /* ps_picl_type */
        uint8_t fields;  /* sum of ps_picl_field: which are there */
} ps_picl_rec;

/* The records of a place stand in blocks, each twice as large as the one before it, that are cut from memory
 * in large pages: pages and copies would cost as much as reading the numbers. */
enum { PS_PICL_FIRST_BLOCK = 4, PS_PICL_BLOCKS = 28 }; /* the first has 2^4 */

/* A process on a node: its records in the order of the file, then in that of the program. */
typedef struct ps_picl_place {
        int32_t node, pid;
        uint32_t owner; /* which process has its records; 0 also where all records are here */
        ps_picl_rec *block[PS_PICL_BLOCKS];
        ps_picl_rec *next, *end; /* where the next one goes, and the end of that block */
        uint32_t n, n_blocks;
        ps_time last;
        uint32_t last_tracing; /* the last record that says that tracing goes on; 0: none */
        /* Of old traces: a call that is recorded as a point and whose end is still to come. */
        ps_picl_rec pending;
        uint8_t is_pending, n_compstats;
        uint32_t depth; /* of open blocks that are collective operations */
} ps_picl_place;

static inline ps_picl_rec *ps_picl_rec_at(const ps_picl_place *place, uint32_t i)
{
        uint32_t at = i + (1u << PS_PICL_FIRST_BLOCK);
        unsigned bit = 31u - (unsigned)__builtin_clz(at);
        return &place->block[bit - PS_PICL_FIRST_BLOCK][at - (1u << bit)];
}

#endif
