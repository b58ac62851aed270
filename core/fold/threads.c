/* threads.c - what the records of threads, teams, tasks and their locks do to the rows. They stand
 * outside of calls, so that each has a row of its own. */
#include "core/fold/sink.h"

void ps_fold_thread(ps_builder *b, ps_kind kind, const ps_fold_threads *says, ps_time time)
{
        const struct ps_call call = {.path = ps_fold_top(b)->node, .peer = says->peer, .comm = says->team};
        uint32_t number = ps_calls_number_again(&b->calls, &call);
        if (number == PS_NONE && (number = ps_calls_number(&b->calls, &call)) == PS_NONE) {
                b->status = PS_NOMEM(&b->pool->err, "calls", b->calls.list.n);
                return;
        }
        ps_op op = ps_fold_bare_row(b, kind, AWAITS_OTHER, number, time);
        if (op == PS_NONE)
                return;
        b->newest->tag[op % ROW_BLOCK] = says->tag;
        if (kind == PS_K_TEAM_BEGIN) {
                b->info.n_teams++;
                PUSH(b, b->teams, says->team);
        } else if (kind == PS_K_TEAM_END && b->teams.n) {
                b->teams.n--;
        }
}

void ps_builder_on_thread(ps_builder *b, const ps_event *e)
{
        static const uint8_t kinds[PS_EV_COUNT] = {
                [PS_EV_THREAD_FORK] = PS_K_THREAD_FORK,     [PS_EV_THREAD_JOIN] = PS_K_THREAD_JOIN,
                [PS_EV_THREAD_CREATE] = PS_K_THREAD_CREATE, [PS_EV_THREAD_WAIT] = PS_K_THREAD_WAIT,
                [PS_EV_TASK_CREATE] = PS_K_TASK_CREATE,     [PS_EV_TASK_SWITCH] = PS_K_TASK_SWITCH,
                [PS_EV_TASK_COMPLETE] = PS_K_TASK_COMPLETE, [PS_EV_TEAM_BEGIN] = PS_K_TEAM_BEGIN,
                [PS_EV_TEAM_END] = PS_K_TEAM_END,
        };
        ps_fold_thread(b, (ps_kind)kinds[e->kind], &(ps_fold_threads){e->comm, e->peer, e->tag}, e->time);
}

/* What the path's calls say as yet, which here is all. */
PS_FOLD_INLINE uint32_t call_of(ps_builder *b, ps_path path)
{
        uint32_t call = b->tree.node[path].call;
        return call ? call : ps_rows_call_of(b, path);
}

PS_FOLD_INLINE bool is_in_construct(const ps_builder *b, const struct frame *f)
{
        const ps_region_def *def = region_of(b, f->region);
        return def && (def->paradigm == PS_PARADIGM_OPENMP || def->paradigm == PS_PARADIGM_PTHREAD);
}

/* Waiting for a lock begins where the construct or call around it is entered and ends with the record. */
void ps_fold_lock(ps_builder *b, bool acquires, uint32_t lock, uint32_t order, ps_time time)
{
        const struct frame *f = ps_fold_top(b);
        bool waits = acquires && is_in_construct(b, f);
        ps_kind kind = acquires ? PS_K_LOCK_ACQUIRE : PS_K_LOCK_RELEASE;
        uint32_t call = call_of(b, f->node);
        if (!b->calls.list.n)
                return;
        ps_op op = ps_fold_add_row(b, (uint8_t)kind, AWAITS_OTHER, call, waits ? f->enter : time, false,
                                   b->is_watched);
        if (op == PS_NONE)
                return;
        struct row_block *rows = b->newest;
        uint32_t at = op % ROW_BLOCK;
        rows->leave[at] = time;
        rows->tag[at] = lock;
        rows->link[at] = order;
        if (!waits)
                rows->flags[at] = PS_OP_BARE;
        ps_builder_begin_gap(b, time);
}

void ps_builder_on_lock(ps_builder *b, const ps_event *e)
{
        ps_fold_lock(b, e->kind == PS_EV_LOCK_ACQUIRE, e->ref, e->tag, e->time);
}
