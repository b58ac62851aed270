/* absent.h - who never came to the operations in which locations end, where rows stay with who read them. */
#ifndef PS_CORE_LOAD_ABSENT_H
#define PS_CORE_LOAD_ABSENT_H

#include "core/model/trace.h"

/* By process 0, which has the calls in which locations end: asks the others, if there is anything to ask. */
ps_status ps_absent_find(ps_trace *trace, ps_error *err);
/* What the others do then. */
void ps_absent_tell(const ps_trace *here, unsigned n_threads, uint8_t *asked, size_t n);

#endif
