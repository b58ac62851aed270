/* stack_places.h - places in a location's file from which its call stack can be read again, and the functions
 * that are open there. They are kept while a trace is loaded, if somebody wants them: about one for every
 * 64 KiB. Times are those that were recorded. */
#ifndef PS_CORE_MODEL_STACK_PLACES_H
#define PS_CORE_MODEL_STACK_PLACES_H

#include "core/base/vector.h"
#include "core/model/format.h"

typedef struct ps_open_function {
        ps_time begin;
        ps_region region; /* PS_NONE: the trace does not define it */
        bool is_seen;     /* around a call or in a sample, never entered */
} ps_open_function;

typedef PS_VECTOR(ps_open_function) ps_open_functions; /* the outermost one first */

typedef struct ps_stack_place {
        ps_stream_mark at;
        ps_time time;           /* of the last event before it */
        uint32_t first, n_open; /* among all that are open somewhere */
} ps_stack_place;

struct ps_stack_places {
        PS_VECTOR(ps_stack_place) places; /* in the order of the file, and of time */
        ps_open_functions open;           /* of all places */
        ps_time begin;                    /* of its first event */
};
typedef struct ps_stack_places ps_stack_places;

/* Is it far enough behind the last place to be another one? */
bool ps_stack_places_want(const ps_stack_places *places, uint64_t offset);
void ps_stack_places_clear(ps_stack_places *places);

#endif
