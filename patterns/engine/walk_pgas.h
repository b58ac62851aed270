/* walk_pgas.h - the part of walk.h about PGAS programs. */
#ifndef PS_PATTERNS_ENGINE_WALK_PGAS_H
#define PS_PATTERNS_ENGINE_WALK_PGAS_H

#include "patterns/engine/walk.h"

/* walk_pgas.c */
ps_status ps_walk_find_inner(struct engine *e, ps_error *err);
void ps_walk_pgas_collective(struct local *l, ps_ref at, const ps_collective_view *view);
void ps_walk_split_barrier(struct local *l, ps_ref notify, ps_ref wait, ps_collective_view *view);

/* Which rows columns tell. Books calls from this one on, where they are plain or alone, and passes those in
 * which nobody loses anything; returns the first row that is of neither. */
void ps_walk_find_pgas(struct engine *e);
ps_op ps_walk_pgas(struct local *l, ps_op op);
/* walk_parts.c: books a barrier that does not only begin, if the call is one, in the focus as a whole; false:
 * it is not plain, and nothing is booked. */
bool ps_walk_book_pgas_barrier(struct local *l, ps_op op);

/* walk_sites.c, walk_master.c: sites are gathered of locations whose rows are here. A
 * master that nobody names is looked for by all together who walk together, once all know the roots of
 * operations; what fails, fails in all. */
ps_status ps_walk_gather_sites(struct engine *e, ps_error *err);
void ps_walk_free_sites(struct engine *e);
ps_status ps_walk_sites(struct engine *e, ps_analysis *a, ps_error *err);
ps_status ps_walk_find_master(struct engine *e, ps_error *err);
void ps_walk_note_master(struct local *l, const ps_instance *instance, ps_path path);
ps_status ps_walk_master(struct engine *e, ps_error *err);

#endif
