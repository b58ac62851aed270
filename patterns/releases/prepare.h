/* prepare.h - what rules need to know of other locations beside the matches: whom threads waited
 * for, and how long messages of a size travel. Computed once, before the walk. */
#ifndef PS_PATTERNS_RELEASES_PREPARE_H
#define PS_PATTERNS_RELEASES_PREPARE_H

#include "patterns/releases/threads.h"

typedef struct ps_prepared ps_prepared;

ps_status ps_prepare(ps_prepared **out, const ps_trace *trace, const ps_timing *timing, ps_error *err);
void ps_prepared_free(ps_prepared *prepared);
/* The same by all processes together that have some of the rows, each with those of its locations and the
 * partners of its messages; who have agreed before that all is well. */
ps_status ps_prepare_together(ps_prepared **out, const ps_trace *trace, ps_error *err);

const ps_threads *ps_prepared_threads(const ps_prepared *prepared);
/* The shortest time that a message of about this size took once both ends were there; 0: none was seen. */
ps_time ps_prepared_transfer(const ps_prepared *prepared, uint64_t bytes);

#endif
