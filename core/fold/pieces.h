/* pieces.h - the fold keeps the computations between operations, where that is asked for. */
#ifndef PS_CORE_FOLD_PIECES_H
#define PS_CORE_FOLD_PIECES_H

#include "core/fold/fold.h"

/* The location has been where it is until `now`, when what it enters was called from `caller`
 * (PS_NONE: it enters nothing); until its last event; an operation is begun, and has ended; a region was
 * pushed on the stack; region number `at` of the stack is taken from it; nothing follows. */
void ps_builder_charge_piece(ps_builder *b, ps_time now, ps_path caller);
void ps_builder_charge_rest(ps_builder *b, ps_time now);
void ps_builder_end_gap(ps_builder *b, ps_time enter);
void ps_builder_begin_gap(ps_builder *b, ps_time leave);
void ps_builder_push_visit(ps_builder *b, ps_path node, ps_region region);
void ps_builder_pop_visit(ps_builder *b, uint32_t at);
void ps_builder_end_pieces(ps_builder *b);
void ps_builder_free_pieces(ps_builder *b);
/* For ps_build_finish: were all kept; the paths of the common tree; into the trace. */
bool ps_builder_has_pieces(const ps_builder *b);
void ps_builder_map_pieces(ps_builder *b, const ps_path *map);
ps_status ps_builder_give_pieces(ps_builder *b, ps_trace *trace, ps_error *err);

#endif
