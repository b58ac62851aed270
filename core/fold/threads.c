/* threads.c - what the records of threads, teams, tasks and their locks do to the rows. They stand
 * outside of calls, so that each has a row of its own. */
#include "core/fold/piecing.h"

void ps_builder_on_thread(ps_builder *b, const ps_event *e)
{
        static const uint8_t kinds[PS_EV_COUNT] = {
                [PS_EV_THREAD_FORK] = PS_K_THREAD_FORK,     [PS_EV_THREAD_JOIN] = PS_K_THREAD_JOIN,
                [PS_EV_THREAD_CREATE] = PS_K_THREAD_CREATE, [PS_EV_THREAD_WAIT] = PS_K_THREAD_WAIT,
                [PS_EV_TASK_CREATE] = PS_K_TASK_CREATE,     [PS_EV_TASK_SWITCH] = PS_K_TASK_SWITCH,
                [PS_EV_TASK_COMPLETE] = PS_K_TASK_COMPLETE, [PS_EV_TEAM_BEGIN] = PS_K_TEAM_BEGIN,
                [PS_EV_TEAM_END] = PS_K_TEAM_END,
        };
        ps_op op = ps_builder_bare_row(b, (ps_kind)kinds[e->kind], e->time);
        if (op == PS_NONE)
                return;
        SAY(b, op, comm, e->comm);
        CELL(b, tag, op) = e->tag;
        SAY(b, op, peer, e->peer);
        if (e->kind == PS_EV_TEAM_BEGIN) {
                b->info.n_teams++;
                PUSH(b, b->teams, e->comm);
        } else if (e->kind == PS_EV_TEAM_END && b->teams.n) {
                b->teams.n--;
        }
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
void ps_builder_on_lock(ps_builder *b, const ps_event *e)
{
        int acquires = e->kind == PS_EV_LOCK_ACQUIRE;
        const struct frame *f = top_frame(b);
        const ps_region_def *def = f ? region_of(b, f->region) : NULL;
        int in_construct =
                def && (def->paradigm == PS_PARADIGM_OPENMP || def->paradigm == PS_PARADIGM_PTHREAD);
        ps_op op =
                acquires && in_construct
                        ? waiting_row(b, f, e->time)
                        : ps_builder_bare_row(b, acquires ? PS_K_LOCK_ACQUIRE : PS_K_LOCK_RELEASE, e->time);
        if (op == PS_NONE)
                return;
        CELL(b, tag, op) = e->ref;
        CELL(b, link, op) = e->tag;
}
