/* pgas.h - the fold knows calls of programs with a partitioned global address space: what their
 * parameters mean, and where they begin and end. */
#ifndef PS_CORE_FOLD_PGAS_H
#define PS_CORE_FOLD_PGAS_H

#include "core/fold/fold.h"

struct frame;

/* A thread of the program by its rank: a process, or a location where several of them share a process;
 * PS_NONE: there is none. And its location. */
uint32_t ps_builder_pgas_thread(const ps_builder *b, ps_comm comm, uint32_t rank);
uint32_t ps_builder_pgas_target(const ps_builder *b, ps_comm comm, uint32_t rank);
void ps_builder_begin_pgas(ps_builder *b, ps_op op, const ps_event *e);
/* The same where no attribute tells anything. */
void ps_builder_begin_plain_pgas(ps_builder *b, ps_op op);
/* What attributes tell of it then; `lock`: NULL: not told. */
void ps_builder_tell_pgas(ps_builder *b, ps_op op, uint32_t modes, uint32_t root, const uint64_t *lock);
/* A frame with MARK_MODES. */
void ps_builder_end_pgas(ps_builder *b, const struct frame *f);
void ps_builder_pgas_level(ps_builder *b, ps_op op, const struct frame *f, uint32_t level);
void ps_builder_pgas_root(ps_builder *b, ps_op op, uint32_t root);
void ps_builder_on_parameter(ps_builder *b, const ps_event *e);

#endif
