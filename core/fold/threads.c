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

static ps_op waiting_row(ps_builder *b, const struct frame *f, ps_time until)
{
        ps_op op = ps_rows_add(b, PS_K_LOCK_ACQUIRE, f->node, f->enter);
        if (op != PS_NONE) {
                CELL(b, leave, op) = until;
                ps_builder_begin_gap(b, until);
        }
        return op;
}

/* Waiting for a lock begins where the construct or call around it is entered and ends with the record. */
void ps_fold_lock(ps_builder *b, bool acquires, uint32_t lock, uint32_t order, ps_time time)
{
        const struct frame *f = top_frame(b);
        const ps_region_def *def = f ? region_of(b, f->region) : NULL;
        bool in_construct =
                def && (def->paradigm == PS_PARADIGM_OPENMP || def->paradigm == PS_PARADIGM_PTHREAD);
        ps_op op = acquires && in_construct
                           ? waiting_row(b, f, time)
                           : ps_builder_bare_row(b, acquires ? PS_K_LOCK_ACQUIRE : PS_K_LOCK_RELEASE, time);
        if (op == PS_NONE)
                return;
        b->newest->tag[op % ROW_BLOCK] = lock;
        b->newest->link[op % ROW_BLOCK] = order;
}

void ps_builder_on_lock(ps_builder *b, const ps_event *e)
{
        ps_fold_lock(b, e->kind == PS_EV_LOCK_ACQUIRE, e->ref, e->tag, e->time);
}
