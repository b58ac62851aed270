/* ends.h - how locations begin and end whose rows stay with who read them.
 *
 * A row that is brought takes a page of each column, so that one of each location would be nearly all of a
 * trace of many small ones. So of Init and Finalize process 0 hears what the focus follows from, and it gets
 * the last call of only those locations that are told of as having ended there. */
#ifndef PS_CORE_LOAD_ENDS_H
#define PS_CORE_LOAD_ENDS_H

#include "core/model/trace.h"

/* By process 0, whose trace has columns for all locations. */
ps_status ps_ends_hear(ps_trace *trace, ps_error *err);
/* What the others do then. */
void ps_ends_tell(const ps_trace *here, unsigned n_threads, uint8_t *asked, size_t n);

#endif
