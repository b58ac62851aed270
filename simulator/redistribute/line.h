/* line.h - one dimension: blocks, cycles and positions. */
#ifndef PS_SIMULATOR_REDISTRIBUTE_LINE_H
#define PS_SIMULATOR_REDISTRIBUTE_LINE_H

#include "simulator/redistribute/redistribute.h"

__extension__ typedef unsigned __int128 ps_u128;

/* After how many elements both sides are back at their first processor, and how often that fits into the
 * extent.
 */
typedef struct ps_redist_period {
        uint64_t length, times, rest; /* extent = times * length + rest; times: 1 at least, unless all is 0 */
} ps_redist_period;

/* The elements [begin, end). */
typedef struct ps_redist_range {
        uint64_t begin, end;
} ps_redist_range;

ps_redist_period ps_redist_line_period(const ps_redist_line *a, const ps_redist_line *b);

/* The first block of a coordinate; empty when it has none below `limit`, where blocks are cut off. */
ps_redist_range ps_redist_line_first(const ps_redist_line *line, uint32_t coordinate, uint64_t limit);
/* The coordinate's next block. */
ps_redist_range ps_redist_line_next(const ps_redist_line *line, ps_redist_range block, uint64_t limit);

/* How many elements a coordinate has, and where one of its elements is among them. */
uint64_t ps_redist_line_local(const ps_redist_line *line, uint32_t coordinate);
uint64_t ps_redist_line_position(const ps_redist_line *line, uint32_t coordinate, uint64_t element);

/* Whether walking over the blocks of `a` and finding what lies of `b` in each is the cheaper way. */
bool ps_redist_line_is_outer(const ps_redist_line *a, const ps_redist_line *b);
/* How many blocks of `a` lie within one period, all coordinates together. */
ps_u128 ps_redist_line_blocks(const ps_redist_line *a, const ps_redist_period *period);

ps_status ps_redist_list_sort(ps_redist_list *list, ps_error *err);

#endif
