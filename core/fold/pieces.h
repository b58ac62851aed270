/* pieces.h - the fold keeps the computations between operations, where that is asked for. */
#ifndef PS_CORE_FOLD_PIECES_H
#define PS_CORE_FOLD_PIECES_H

#include "core/fold/fold.h"

/* Somebody wants to know where the location has been until `time`: before anything changes about that; before
 * it leaves open region number `at`; an operation is begun. What is plain of these is done in place: see
 * core/fold/piecing.h. */
void ps_builder_charge_watched(ps_builder *b, ps_time time);
void ps_builder_leave_slowly(ps_builder *b, uint32_t at, ps_time time);
void ps_builder_end_gap_slowly(ps_builder *b, ps_time enter);
/* It enters a region: from `above`, right above it, or from PS_NONE, which is elsewhere. */
void ps_builder_enter_watched(ps_builder *b, ps_path above, ps_path node, const ps_region_def *def,
                              ps_time time);
/* It leaves the innermost region, which is not only an operation. */
void ps_builder_leave_charged(ps_builder *b, ps_path path, ps_time time);
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
