/* outline.h - a location that was folded in one process, as another one knows it that does without its rows.
 *
 * Its columns are there all the same, as empty pages that nobody has touched: rows keep their numbers, and
 * those few that somebody asks for are put where they belong. */
#ifndef PS_CORE_FOLD_OUTLINE_H
#define PS_CORE_FOLD_OUTLINE_H

#include "core/base/pass.h"
#include "core/fold/fold.h"

/* Of a builder that was settled: all but its rows. */
ps_status ps_outline_pass(ps_pass *p, ps_builder *builder);
/* Into a new builder, with the map that it was settled with, which is its own then. */
ps_status ps_outline_take(ps_pass *p, ps_builder *builder, ps_path *map);

/* Room for the columns of all such locations: pages that nobody has touched. Where addresses are limited,
 * even those would be too many: then there is nothing but a place where nobody else maps anything, to which a
 * page comes with the first row that is put there. False: the system has no room. */
bool ps_outline_reserve(ps_trace *trace, size_t bytes);

/* Such pages for what holds something for a while only; NULL: there is no room. They are emptied again, and
 * given back. */
void *ps_outline_pages(size_t bytes);
void ps_outline_empty(void *pages, size_t bytes);
void ps_outline_give_back(void *pages, size_t bytes);

/* What the columns of a location take that has as many rows as these; and all but the list of what is
 * completed, which stand in one piece from the times on at which they begin. */
size_t ps_outline_rows_bytes(const ps_defs *defs, const ps_ops *ops);
size_t ps_outline_bytes(const ps_defs *defs, const ps_ops *ops);
/* Its columns are there from now on; those that stand there are to be filled, those that were placed lie in
 * such room, and nobody may read them. */
void ps_outline_stand(const ps_trace *trace, ps_loc location, void *columns);
void ps_outline_place(ps_trace *trace, ps_loc location, void *columns);

/* A row, with what its call says and the list of what it completed. The `link` of one of a collective
 * operation is that of the trace that it comes from. */
ps_status ps_outline_pass_row(ps_pass *p, const ps_trace *trace, ps_ref ref);
/* Rows from .. end of a location and what their calls say, without the lists of what they completed. */
ps_status ps_outline_pass_range(ps_pass *p, const ps_trace *trace, ps_loc location, ps_op from, ps_op end);
/* Whatever else lies in such pages. */
ps_status ps_outline_pass_placed(ps_pass *p, const ps_trace *trace, void *values, size_t count, size_t size);

#endif
