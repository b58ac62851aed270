/* opening.h - what a trace holds besides events, as process 0 or all processes together learn it. */
#ifndef PS_CORE_LOAD_OPENING_H
#define PS_CORE_LOAD_OPENING_H

#include "core/load/folding.h"

/* Opens the reader of a load; by process 0, and with the others where the format wants that. */
ps_status ps_opening_lead(struct ps_folding *f, ps_error *err);
/* What the others do then: of what is opened `n` bytes tell. They have a trace and a reader, unless all
 * failed. */
ps_status ps_opening_follow(struct ps_folding *f, ps_exchange *x, size_t n,
                            const ps_reader_class *(*find)(const char *name), ps_error *err);

/* What tells the trace from others, where each process opens it; the reader is open. */
ps_status ps_opening_print(struct ps_folding *f, ps_error *err);

#endif
