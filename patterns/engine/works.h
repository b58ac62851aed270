/* works.h - what process 0 lets all do with the rows that they have (core/load/share.h). */
#ifndef PS_PATTERNS_ENGINE_WORKS_H
#define PS_PATTERNS_ENGINE_WORKS_H

#include "core/load/share.h"
#include "patterns/engine/shown.h"
#include "patterns/table/view.h"

enum { PS_WORK_OPERATIONS = PS_WORKS_OF_PATTERNS, PS_WORK_APART, PS_WORK_WALK, PS_WORK_SHOWN, PS_WORKS };

extern const ps_share_work ps_engine_works[PS_WORKS];

/* interval_parts.c */
void ps_operations_work(const ps_trace *trace, unsigned n_threads, uint8_t *asked, size_t n);
/* apart_told.c: ps_apart_find(), with all who have rows at these times. */
ps_status ps_apart_find_all(uint8_t **out, const ps_trace *trace, const ps_timing *timing, ps_error *err);
void ps_apart_work(const ps_trace *trace, unsigned n_threads, uint8_t *asked, size_t n);
/* spread.c */
void ps_walk_work(const ps_trace *trace, unsigned n_threads, uint8_t *asked, size_t n);
/* The same, where what is found is kept in another way: see sink_walk in engine.h. */
void ps_walk_work_kept(const ps_keeper *keeper, const ps_trace *trace, unsigned n_threads, uint8_t *asked,
                       size_t n);
/* shown.c */
void ps_shown_work(const ps_trace *trace, unsigned n_threads, uint8_t *asked, size_t n);
/* coll_told.c: the sums of all members for the rows that are here, by all processes that have some of a
 * trace, together, who have agreed before that all is well. */
ps_status ps_coll_sums_together(ps_coll_sums **out, const ps_trace *trace, unsigned n_threads, ps_error *err);
/* coll_kept.c: until somebody asks for the same sums again: who makes sums of his own meanwhile finds the
 * operations as they were. Without memory they are gone, and NULL. */
void ps_coll_sums_put_away(ps_coll_sums **sums);
void ps_coll_sums_take_up(ps_coll_sums *sums, const ps_trace *trace);

#endif
