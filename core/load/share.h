/* share.h - the reading of a trace, dealt out to several processes (core/exchange).
 *
 * Process 0 loads; the others serve it. Each process of the program that was traced is read by one of ours,
 * all of its threads together; what is left of it after the fold travels to process 0, which goes on as if it
 * had read it. Only process 0 decides what is done, so that whatever fails in it ends nobody else's waiting.
 */
#ifndef PS_CORE_LOAD_SHARE_H
#define PS_CORE_LOAD_SHARE_H

#include "core/exchange/exchange.h"
#include "core/model/format.h"
#include "core/model/loading.h"

struct ps_folding;

/* The stage of a load: all locations have builders that were ended. */
ps_status ps_share_fold(struct ps_folding *f, ps_error *err);
/* For ps_exchange.told, of a trace that was loaded. */
void ps_share_count(const struct ps_folding *f);

/* What the processes other than 0 do until they are dismissed: what process 0 asks them for. `find` knows
 * formats by their names. What fails is process 0's to tell. */
void ps_share_serve(ps_exchange *x, const ps_reader_class *(*find)(const char *name));
/* By process 0: there is nothing more to do. */
void ps_share_dismiss(ps_exchange *x);

#endif
