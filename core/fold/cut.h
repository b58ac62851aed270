/* cut.h - what of a location's call tree lies in given spans of time.
 *
 * The fold keeps sums, so that what lies before a moment is found by folding up to there again; what lies
 * behind one is often known already (see stays.c). Nobody reads further than needed. */
#ifndef PS_CORE_FOLD_CUT_H
#define PS_CORE_FOLD_CUT_H

#include "core/fold/fold.h"
#include "core/model/focus.h"

typedef struct ps_cut ps_cut;

/* The spans are those of the focus; what the clocks' repair has added to the location's times is `shift`.
 * `whole` has been ended, and merged into the common call tree. */
ps_status ps_cut_new(ps_cut **out, const ps_builder *whole, const ps_focus *focus, ps_time shift,
                     ps_row_pool *pool, ps_error *err);
void ps_cut_free(ps_cut *cut);

/* Are events needed, those of the location from its first one on? */
bool ps_cut_needs_more(const ps_cut *cut);
/* Takes a batch, which is changed. */
ps_status ps_cut_add(ps_cut *cut, ps_batch *batch, ps_error *err);

/* The outcome, once nothing more is needed or there are no more events; `part->uses` has room for all that
 * the location was in. */
void ps_cut_finish(ps_cut *cut, ps_focus_part *part);

/* When the location visited the regions that somebody wants to know of, as its events tell. */
const ps_span *ps_builder_visits(const ps_builder *builder, uint32_t *n);
/* When its first event was, as recorded. */
ps_time ps_builder_first(const ps_builder *builder);
/* All that is known of it, at the times that were recorded; it keeps the rows in there. */
ps_location_info ps_builder_info(const ps_builder *builder);

#endif
