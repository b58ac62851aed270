/* stacks.h - what a location was in at any time, function by function. A trace keeps operations and a call
 * tree: what does not follow from these is read from the file again, from a place near by.
 *
 * The load keeps such places, if it is asked to (core/model/stack_places.h). */
#ifndef PS_CORE_VIEWS_STACKS_H
#define PS_CORE_VIEWS_STACKS_H

#include "core/base/vector.h"
#include "core/model/format.h"
#include "core/model/trace.h"

typedef struct ps_stacks ps_stacks;

typedef struct ps_stack_frame {
        ps_time begin, end; /* as the trace has its times */
        uint32_t depth;
        ps_region region; /* PS_NONE: the trace does not define it */
} ps_stack_frame;

typedef struct ps_stack_frames {
        PS_VECTOR(ps_stack_frame) frames; /* by end, but those that are still open come last */
        uint64_t n_short;                 /* that were left out */
} ps_stack_frames;

/* Opens the file once more; the trace has to be there as long as something is read. *out is NULL where the
 * format cannot be read from the middle, or nobody asked the load for places to read from. */
ps_status ps_stacks_new(ps_stacks **out, const ps_trace *trace, const ps_reader_class *format,
                        const char *path, ps_error *err);
void ps_stacks_free(ps_stacks *stacks); /* NULL is fine */

/* Are they those of this trace, or of one whose operations were moved? */
bool ps_stacks_are_of(const ps_stacks *stacks, const ps_trace *trace);

/* The visits that overlap the span, but shorter ones than `least`; all times are of that timing of the trace.
 * One that is open where the span ends, ends there. To be freed, also after a failure. One caller at a time.
 */
ps_status ps_stacks_read(ps_stacks *stacks, ps_loc location, const ps_timing *timing, ps_span span,
                         ps_time least, ps_stack_frames *out, ps_error *err);

#endif
