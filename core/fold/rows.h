/* rows.h - the rows of a location under way, in columns already.
 *
 * Nobody knows beforehand how many rows there will be, so they stand in blocks that each hold a piece of
 * every column; at the location's end the pieces are put together block by block, each being given back as it
 * is done, so that the peak stays near the size of the result. */
#ifndef PS_CORE_FOLD_ROWS_H
#define PS_CORE_FOLD_ROWS_H

#include "core/base/memory.h"
#include "core/fold/fold.h"

enum {
        ROW_BLOCK = PS_AT_ONCE(32768, 2048), /* of rows */
        ROW_FRESH = 128,                     /* so many at a time get the values that a row has at first */
        ROW_APART = 48 /* so that not all columns of a row meet in the same few places of a cache */
};

/* The leave time of a call that goes on, and in its lower half the next row of the same call, or PS_NONE. */
#define ROW_OPEN (INT64_C(1) << 62)

/* COLUMN(type, name, each byte at first); the times, and what is named as in ps_ops. */
#define ROW_TIMES(COLUMN)                                                                                    \
        COLUMN(ps_time, enter, 0)                                                                            \
        COLUMN(ps_time, leave, 0)
#define ROW_OPS(COLUMN)                                                                                      \
        COLUMN(uint32_t, call, 0)                                                                            \
        COLUMN(uint32_t, tag, 0)                                                                             \
        COLUMN(uint32_t, link,                                                                               \
               0xff) /* of COLL: its place in `received`; of COMPLETE: its first completed */                \
        COLUMN(uint32_t, done, 0xff)                                                                         \
        COLUMN(uint32_t, pre, 0)                                                                             \
        COLUMN(uint32_t, post, 0)                                                                            \
        COLUMN(uint8_t, kind, 0)                                                                             \
        COLUMN(uint8_t, flags, 0)

struct row_block {
#define COLUMN(type, name, first) type name[ROW_BLOCK + ROW_APART];
        ROW_TIMES(COLUMN)
        ROW_OPS(COLUMN)
#undef COLUMN
        uint32_t length[ROW_BLOCK + ROW_APART]; /* of calls that vary */
};

/* Blocks come so many at a time, one behind the other, so that they fill large pages. */
enum { BLOCKS_AT_ONCE = PS_AT_ONCE(4, 1), BYTES_AT_ONCE = PS_AT_ONCE(3 * PS_LARGE_PAGE, 96 << 10) };
_Static_assert(BLOCKS_AT_ONCE * sizeof(struct row_block) <= BYTES_AT_ONCE, "they fit");

/* What a row holds in a column. */
#define CELL(b, column, op) (ps_rows_block(b, op)->column[(op) % ROW_BLOCK])

/* The first ones of blocks that a worker's next location may use again, and the columns of those that have
 * ended. */
struct ps_row_pool {
        struct row_block *block[3];
        unsigned n;
        ps_arena *columns;
        ps_error err; /* of the builder that is at work */
        /* What the last one came to, and the next one begins with: locations often do the same. */
        uint32_t n_nodes, n_calls;
        struct ps_known {
                struct address *row; /* its places, to be forgotten; NULL: to be made */
                uint32_t bits;
        } addresses, collectives, targets;
};

/* A new row with everything unknown; PS_NONE when memory or numbers are out. */
ps_op ps_rows_add(ps_builder *b, ps_kind kind, ps_path path, ps_time enter);
/* Makes room for the next ROW_FRESH rows; -1 when there is none. */
int ps_rows_room(ps_builder *b);
/* Appends the rows of `apart`, whose memory the builder has then, with their nodes in the builder's tree. */
ps_status ps_rows_append(ps_builder *b, ps_builder *apart, const ps_path *map, unsigned n_threads,
                         ps_error *err);
/* A distance of a row's record, negative or too long for 32 bits; such long ones go to `wide`. */
__attribute__((cold)) uint32_t ps_rows_distance_odd(ps_builder *b, ps_op op, bool is_post, ps_time distance);

__attribute__((always_inline)) static inline uint32_t ps_rows_distance(ps_builder *b, ps_op op, bool is_post,
                                                                       ps_time distance)
{
        return (uint64_t)distance < UINT32_MAX ? (uint32_t)distance
                                               : ps_rows_distance_odd(b, op, is_post, distance);
}

/* Of a trace with these definitions, and with a length in each row if `ops` has them: what the columns of `n`
 * rows take, and where they are from then on. */
size_t ps_rows_bytes(const ps_defs *defs, const ps_ops *ops, size_t n);
void ps_rows_place(const ps_defs *defs, ps_ops *ops, ps_time **enter, ps_time **leave, void *at, size_t n);
/* Room for the columns of `n` rows, in which the builder's are from then on; NULL: there is none. */
void *ps_rows_take(ps_builder *b, size_t n);
ps_status ps_rows_freeze(ps_builder *b, ps_error *err);
/* Once there are columns: what else lives as long moves to them, so that the next location's may stand where
 * it stood, and pages in which all else was freed can be given back. */
ps_status ps_rows_keep_tables(ps_builder *b, ps_error *err);
void ps_rows_free(ps_builder *b);

#endif
