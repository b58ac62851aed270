/* rows.h - the rows of a location under way.
 *
 * Rows in flight are structs of one cache line in blocks, because events keep touching the newest few; at the
 * location's end they are turned into columns block by block, each block being given back as it is done, so
 * that the peak stays near the size of the result. */
#ifndef PS_CORE_FOLD_ROWS_H
#define PS_CORE_FOLD_ROWS_H

#include "core/base/memory.h"
#include "core/fold/fold.h"

/* A block is one large page. */
enum { ROW_BLOCK = PS_LARGE_PAGE / 64 };

#define ROW_OPEN PS_TIME_MAX /* the leave time of a call that goes on */

struct row {
        ps_time enter, leave;
        uint64_t bytes;
        uint32_t path, peer, comm, tag;
        uint32_t link; /* of COLL: its place in `received`; of COMPLETE: its first in `completed` */
        uint32_t done;
        uint32_t pre, post;
        uint8_t kind, flags;
        uint32_t next; /* the next row of the same call, or PS_NONE */
};

_Static_assert(sizeof(struct row) == 64, "a row is a cache line");

/* Blocks that a worker's next location may use again, and the columns of those that have ended. */
struct ps_row_pool {
        struct row *block[16];
        unsigned n;
        ps_arena *columns;
};

/* A new row with everything unknown; NULL when memory or numbers are out. */
struct row *ps_rows_add(ps_builder *b, ps_kind kind, ps_path path, ps_time enter);
/* A distance of a row's record, negative or too long for 32 bits; such long ones go to `wide`. */
uint32_t ps_rows_distance_odd(ps_builder *b, ps_op op, bool is_post, ps_time distance);

static inline uint32_t ps_rows_distance(ps_builder *b, ps_op op, bool is_post, ps_time distance)
{
        return (uint64_t)distance < UINT32_MAX ? (uint32_t)distance
                                               : ps_rows_distance_odd(b, op, is_post, distance);
}

ps_status ps_rows_freeze(ps_builder *b, ps_error *err);
void ps_rows_free(ps_builder *b);

#endif
