/* pieces.h - the fold keeps the computations between operations, where that is asked for. */
#ifndef PS_CORE_FOLD_PIECES_H
#define PS_CORE_FOLD_PIECES_H

#include "core/fold/fold.h"

struct ps_piecing;

/* Somebody wants to know where the location has been until `time`: before anything changes about that; before
 * it enters a region; before it leaves open region number `at`. What is plain of these
 * is done in place: see core/fold/piecing.h. */
void ps_builder_charge_watched(ps_builder *b, ps_time time);
void ps_builder_enter_slowly(ps_builder *b, ps_path node, ps_time time);
void ps_builder_leave_slowly(ps_builder *b, uint32_t at, ps_time time);
/* Only pieces are asked for, and right from `above` it enters the region of an operation, or one of the
 * program's own; or it leaves the innermost region. */
void ps_builder_enter_call(ps_builder *b, ps_path above, ps_path node, ps_time enter);
void ps_builder_enter_own(ps_builder *b, ps_path above, ps_path node, ps_time time);
void ps_builder_leave_own(ps_builder *b, ps_path path, ps_time time);
/* The last two at once, where nothing happens between: false, and it does not count as entered, where that is
 * not plain. */
bool ps_builder_pass_own(ps_builder *b, ps_path above, ps_path node, ps_time enter, ps_time leave);
/* An operation is begun, whose row is the next one: before it has that. */
void ps_builder_end_gap(ps_builder *b, ps_time enter);
/* A region was left that is not the innermost one. */
void ps_builder_left_outer(ps_builder *b);
/* Makes room for what the next ROW_FRESH rows need without asking; -1 when there is none. */
int ps_builder_make_piece_room(ps_builder *b);
/* Is what it does now kept, since it is between operations? */
bool ps_builder_is_between(ps_builder *b);
/* A sample saw it in `node`; 0: something was entered or left since. */
void ps_builder_be_sampled(struct ps_piecing *p, ps_path node);
/* Up to `until` the location was where the last sample saw it. */
void ps_builder_charge_sample(ps_builder *b, ps_time until);
/* It has been there until its last event; nothing follows. */
void ps_builder_charge_rest(ps_builder *b, ps_time now);
void ps_builder_end_pieces(ps_builder *b);
void ps_builder_free_pieces(ps_builder *b);
/* For ps_builder_settle and ps_build_finish: were all kept; the paths of the common tree; into the trace. */
bool ps_builder_has_pieces(const ps_builder *b);
void ps_builder_map_pieces(ps_builder *b, const ps_path *map);
ps_status ps_builder_give_pieces(ps_builder *b, ps_trace *trace, ps_error *err);

#endif
