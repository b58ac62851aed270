/* threads.c - what the records of threads, teams, tasks and their locks do to the rows. They stand
 * outside of calls, so that each has a row of its own. */
#include "core/fold/sink.h"

uint32_t ps_fold_thread_call(ps_builder *b, ps_path path, ps_comm team, uint32_t peer)
{
        const struct ps_call call = {.path = path, .peer = peer, .comm = team};
        const uint32_t number = ps_calls_number(&b->calls, &call);
        if (number == PS_NONE)
                b->status = PS_NOMEM(&b->pool->err, "calls", b->calls.list.n);
        b->thread_calls[(path + team + peer) % THREAD_CALLS] =
                (struct thread_call){path, team, peer, number + 1};
        return number;
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
        (void)ps_fold_thread(b, ps_fold_top(b), (ps_kind)kinds[e->kind],
                             (ps_fold_threads){e->comm, e->peer, e->tag}, e->time, PS_FOLD_AT_LENGTH);
}

void ps_builder_on_lock(ps_builder *b, const ps_event *e)
{
        (void)ps_fold_lock(b, ps_fold_top(b),
                           e->kind == PS_EV_LOCK_ACQUIRE ? PS_K_LOCK_ACQUIRE : PS_K_LOCK_RELEASE, e->ref,
                           e->tag, e->time, PS_FOLD_AT_LENGTH);
}
