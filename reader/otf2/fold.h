/* fold.h - decoding the event file of a location and folding it in the same loop. */
#ifndef PS_READER_OTF2_FOLD_H
#define PS_READER_OTF2_FOLD_H

#include "core/fold/fold.h"
#include "reader/otf2/stream.h"

/* As ps_otf2_decode, but all that is plain in front of the batch's events has been folded. */
ps_status ps_otf2_fold(ps_stream *stream, ps_builder *builder, ps_batch *batch, ps_error *err);

struct ps_otf2_folding {
        ps_builder *builder;
        const ps_batch *batch; /* while it has events nothing can be folded */
};

/* What is plain, from where the stream is; `ctx`: as above. */
void ps_otf2_fold_plain(ps_stream *stream, void *ctx);

/* contents.c: the content of a record that is about no region, folded into the call at the top; counts it and
 * gives its end, or NULL, and nothing has changed. Each is a function of its own, so that the loop has few
 * registers to save; those of messages and requests are two: one that calls nothing, and is NULL where it
 * would have to, and one for that. By code. */
struct frame;
typedef const uint8_t *ps_otf2_content(ps_stream *stream, ps_builder *builder, struct frame *top,
                                       const uint8_t *content, ps_time time);
extern ps_otf2_content *const ps_otf2_contents[UINT8_MAX + 1], *const ps_otf2_slow_contents[UINT8_MAX + 1];

/* contents_threads.c */
ps_otf2_content ps_otf2_fold_fork, ps_otf2_fold_join, ps_otf2_fold_team_begin, ps_otf2_fold_team_end,
        ps_otf2_fold_task_create, ps_otf2_fold_task_switch, ps_otf2_fold_task_complete,
        ps_otf2_fold_lock_acquire, ps_otf2_fold_lock_release;
/* contents_windows.c */
ps_otf2_content ps_otf2_fold_put, ps_otf2_fold_get, ps_otf2_fold_atomic, ps_otf2_fold_transferred,
        ps_otf2_fold_transferred_later, ps_otf2_fold_transferred_there, ps_otf2_fold_memory_sync,
        ps_otf2_fold_wait_change, ps_otf2_fold_window_request, ps_otf2_fold_window_try,
        ps_otf2_fold_window_lock, ps_otf2_fold_window_unlock, ps_otf2_fold_window_coll_begin,
        ps_otf2_fold_window_coll_end;

/* contents.c: what is left of a call at this node, that the top has entered at this time, where it has the
 * records of one message, collective operation, transfer or lock and nothing else: it never gets a frame.
 * `p`: behind the type of the first of these, and that behind its timestamp. The end is NULL where it is not
 * so, and nothing has changed. All of its records are less than PS_OTF2_FAST_BYTES: at most 17 to enter it,
 * 45 of a message, 11 and 40 of a collective operation, 46 that one is over that it waits for, 51 of a
 * transfer and 19 that it is over, or 25 of that and 51 of a lock, and 17 to leave it. */
struct ps_otf2_timing;
struct ps_otf2_call {
        const uint8_t *end;
        ps_time time; /* of the last record */
};
typedef struct ps_otf2_call ps_otf2_whole(ps_builder *builder, const struct ps_otf2_timing *timing,
                                          struct frame *top, ps_path node, const uint8_t *p, ps_time time);
/* By the code of that record; NULL: there is none. */
extern ps_otf2_whole *const ps_otf2_wholes[UINT8_MAX + 1];
/* contents_windows.c: of a transfer, with that it is over or without; of a lock; and of one that is given
 * back once a transfer is over */
ps_otf2_whole ps_otf2_fold_put_call, ps_otf2_fold_get_call, ps_otf2_fold_atomic_call, ps_otf2_fold_lock_call,
        ps_otf2_fold_unlock_call, ps_otf2_fold_transferred_call;

/* portion.c: locations on several threads. */
extern const ps_stream_portions ps_otf2_portions;

/* single.c: the record at `at`, a piece of the window, with this content and code, if it can be folded by
 * itself: gives its end, or NULL, and nothing has changed. */
const uint8_t *ps_otf2_fold_event(ps_stream *stream, ps_builder *builder, const uint8_t *at,
                                  const uint8_t *content, unsigned code, ps_time time);

#endif
