/* sink_records.h - the part of sink.h about records of threads, which are no messages. */
#ifndef PS_CORE_FOLD_SINK_RECORDS_H
#define PS_CORE_FOLD_SINK_RECORDS_H

#include "core/fold/sink_calls.h"

/* The newest row has no duration. */
PS_FOLD_INLINE void ps_fold_end_bare(ps_builder *b, ps_op op, ps_time time)
{
        b->newest->leave[op % ROW_BLOCK] = time;
        b->newest->flags[op % ROW_BLOCK] = PS_OP_BARE;
        ps_builder_begin_gap(b, time);
}

/* A row without duration that says this, or PS_NONE. `ends_gap`: as of ps_fold_put_row(). */
PS_FOLD_INLINE ps_op ps_fold_bare_row(ps_builder *b, ps_kind kind, uint8_t awaits, uint32_t call,
                                      ps_time time, bool ends_gap)
{
        ps_op op = ps_fold_add_row(b, (uint8_t)kind, awaits, call, time, ends_gap);
        if (op != PS_NONE)
                ps_fold_end_bare(b, op, time);
        return op;
}

/* -- threads.c: each makes a row -- */

/* What is quick calls nothing, and is false where it would have to. Then nobody asks where the location is,
 * or only for pieces. */
typedef enum ps_fold_way { PS_FOLD_AT_LENGTH, PS_FOLD_QUICKLY, PS_FOLD_PIECES_QUICKLY } ps_fold_way;

/* May a row that begins then be added without a question to anybody? Pieces are told of it. */
PS_FOLD_INLINE bool ps_fold_begins_quietly(ps_builder *b, ps_time enter, ps_fold_way way)
{
        if (b->n_rows % ROW_FRESH == 0)
                return false;
        return way == PS_FOLD_QUICKLY ? !b->is_watched && !b->pieces
                                      : b->is_watched == WATCH_PIECES && ps_piecing_ends_gap(b, enter);
}

/* A row that may, where the way is quick: there is room for it, and of its begin was told. Else PS_NONE where
 * memory is out. */
PS_FOLD_INLINE ps_op ps_fold_begin_record(ps_builder *b, ps_kind kind, uint32_t call, ps_time enter,
                                          ps_fold_way way)
{
        return way == PS_FOLD_AT_LENGTH
                       ? ps_fold_add_row(b, (uint8_t)kind, AWAITS_OTHER, call, enter, b->is_watched)
                       : ps_fold_put_row(b, (uint8_t)kind, AWAITS_OTHER, call, enter, NULL, false);
}

/* What a record of threads, teams or tasks tells. */
typedef struct ps_fold_threads {
        ps_comm team;
        uint32_t peer, tag;
} ps_fold_threads;

/* The call of rows on the path that say this, where it is none of those that were said last; PS_NONE: memory
 * is out. */
uint32_t ps_fold_thread_call(ps_builder *b, ps_path path, ps_comm team, uint32_t peer);

PS_FOLD_INLINE bool ps_fold_thread(ps_builder *b, const struct frame *top, ps_kind kind, ps_fold_threads says,
                                   ps_time time, ps_fold_way way)
{
        const bool is_quick = way != PS_FOLD_AT_LENGTH;
        const ps_path path = top->node;
        const struct thread_call *known = &b->thread_calls[(path + says.team + says.peer) % THREAD_CALLS];
        uint32_t call = known->call - 1;
        if (!known->call || known->path != path || known->team != says.team || known->peer != says.peer) {
                if (is_quick || (call = ps_fold_thread_call(b, path, says.team, says.peer)) == PS_NONE)
                        return !is_quick;
        }
        if (is_quick && ((kind == PS_K_TEAM_BEGIN && b->teams.n >= b->teams.cap) ||
                         !ps_fold_begins_quietly(b, time, way)))
                return false;
        const ps_op op = ps_fold_begin_record(b, kind, call, time, way);
        if (!is_quick && op == PS_NONE)
                return true;
        ps_fold_end_bare(b, op, time);
        b->newest->tag[op % ROW_BLOCK] = says.tag;
        if (kind == PS_K_TEAM_BEGIN) {
                b->info.n_teams++;
                PUSH(b, b->teams, says.team);
        } else if (kind == PS_K_TEAM_END && b->teams.n) {
                b->teams.n--;
        }
        return true;
}

static inline bool ps_fold_is_in_construct(const ps_builder *b, const struct frame *f)
{
        const ps_region_def *def = region_of(b, f->region);
        return def && (def->paradigm == PS_PARADIGM_OPENMP || def->paradigm == PS_PARADIGM_PTHREAD);
}

/* Somebody gets or gives back a lock, for the n-th time. Waiting for it begins where the construct or call
 * around it is entered and ends with the record. What the path's calls say as yet is all that is said. */
PS_FOLD_INLINE bool ps_fold_lock(ps_builder *b, const struct frame *f, ps_kind kind, uint32_t lock,
                                 uint32_t order, ps_time time, ps_fold_way way)
{
        const bool is_quick = way != PS_FOLD_AT_LENGTH;
        const bool waits = kind == PS_K_LOCK_ACQUIRE && ps_fold_is_in_construct(b, f);
        const ps_time enter = waits ? f->enter : time;
        uint32_t call = ps_fold_node(b, f)->call;
        if (is_quick && (!call || !ps_fold_begins_quietly(b, enter, way)))
                return false;
        if (!call && !(call = ps_rows_call_of(b, f->node)) && !b->calls.list.n)
                return true;
        const ps_op op = ps_fold_begin_record(b, kind, call, enter, way);
        if (!is_quick && op == PS_NONE)
                return true;
        struct row_block *rows = b->newest;
        const uint32_t at = op % ROW_BLOCK;
        rows->leave[at] = time;
        rows->tag[at] = lock;
        rows->link[at] = order;
        if (!waits)
                rows->flags[at] = PS_OP_BARE;
        ps_builder_begin_gap(b, time);
        return true;
}

#endif
