/* cursor.h - the merged view: all events of a trace in the order (time, location, index).
 *
 * Works by windows: all that happened until the earliest of the loaded batches ends is gathered, sorted
 * stably and handed out. No event is compared with the next one of every location. */
#ifndef PS_CORE_VIEWS_CURSOR_H
#define PS_CORE_VIEWS_CURSOR_H

#include "core/base/error.h"
#include "core/model/event.h"

/* Where a cursor gets its batches: a reader's streams, or a test's arrays. */
typedef struct ps_source {
        void *ctx;
        uint32_t n_locations;
        /* The location's next batch; n == 0 at its end. */
        ps_status (*next)(void *ctx, ps_loc location, ps_batch *out, ps_error *err);
} ps_source;

typedef struct ps_cursor ps_cursor;

typedef struct ps_cursor_event {
        ps_loc location;
        ps_event event;
} ps_cursor_event;

ps_status ps_cursor_new(ps_cursor **out, ps_source source, ps_error *err);
/* The next event, or NULL in *out at the end; valid until the next call. */
ps_status ps_cursor_next(ps_cursor *cursor, const ps_cursor_event **out, ps_error *err);
void ps_cursor_free(ps_cursor *cursor);

#endif
