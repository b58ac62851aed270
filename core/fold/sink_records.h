/* sink_records.h - the part of sink.h about records of threads and of windows, which are no messages. */
#ifndef PS_CORE_FOLD_SINK_RECORDS_H
#define PS_CORE_FOLD_SINK_RECORDS_H

#include "core/fold/sink_calls.h"

/* A row without duration that says this, or PS_NONE. */
PS_FOLD_INLINE ps_op ps_fold_bare_row(ps_builder *b, ps_kind kind, uint8_t awaits, uint32_t call,
                                      ps_time time)
{
        ps_op op = ps_fold_add_row(b, (uint8_t)kind, awaits, call, time, false, b->is_watched);
        if (op == PS_NONE)
                return op;
        b->newest->leave[op % ROW_BLOCK] = time;
        b->newest->flags[op % ROW_BLOCK] = PS_OP_BARE;
        ps_builder_begin_gap(b, time);
        return op;
}

/* -- threads.c: each makes a row -- */

/* What a record of threads, teams or tasks tells. */
typedef struct ps_fold_threads {
        ps_comm team;
        uint32_t peer, tag;
} ps_fold_threads;

void ps_fold_thread(ps_builder *b, ps_kind kind, const ps_fold_threads *says, ps_time time);
/* Somebody gets or gives back a lock, for the n-th time. */
void ps_fold_lock(ps_builder *b, bool acquires, uint32_t lock, uint32_t order, ps_time time);

/* -- windows.c: they belong to the call at the top; false, and nothing has changed: not so, or there is more
 * to it -- */

/* What a record of a window tells: `id`: of the transfer or the lock. */
typedef struct ps_fold_window {
        uint32_t window, rank;
        uint64_t bytes, id;
} ps_fold_window;

/* A transfer is begun, in a call of its own: PS_K_PUT or PS_K_GET. It is over, in the call at the top. */
bool ps_fold_transfer(ps_builder *b, struct frame *top, ps_kind kind, const ps_fold_window *w, ps_time time);
bool ps_fold_transferred(ps_builder *b, const struct frame *top, const ps_fold_window *w);
/* A lock is asked for, got (`how`: OTF2's type of lock), or given back. */
bool ps_fold_window_lock(ps_builder *b, const struct frame *top, const ps_fold_window *w, uint8_t how);
bool ps_fold_window_unlock(ps_builder *b, const struct frame *top, const ps_fold_window *w, ps_time time);
/* The collective operation that has begun in the call has ended. */
bool ps_fold_end_window_coll(ps_builder *b, struct frame *top, const ps_fold_window *w, uint64_t received,
                             ps_time time);

#endif
