/* find.c - a master is told by what it does: it hears from somebody and answers the same one, again and
 * again, and its workers talk to nobody else between two answers. Whether it takes whom it finds first no
 * trace tells; that it never let somebody wait for long who had asked before does. */
#include "simulator/redo/master.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
        ps_master *m;
        const char *why;
        uint32_t *heard, *told; /* by location: messages from it and to it */
        uint32_t *task_of;      /* by turn: whose message it hears; n_tasks: of none */
        ps_op *start;           /* by task: the receive that it begins with */
        uint32_t n_sends;       /* of an answer */
} search;

static bool is_message(const ps_ops *ops, ps_op row, ps_class cls)
{
        return row < ops->n && ps_kinds[ops->kind[row]].cls == cls && ops->flags[row] & PS_OP_MATCHED;
}

static bool is_probe(const ps_ops *ops, ps_op row)
{
        return row < ops->n && ps_kinds[ops->kind[row]].cls == PS_C_PROBE;
}

static bool is_call_alone(const ps_ops *ops, ps_op row)
{
        return !(ops->flags[row] & (PS_OP_PART | PS_OP_BARE | PS_OP_TRUNCATED)) &&
               !ps_op_continues(ops, row + 1);
}

static bool is_blocking_receive(const ps_ops *ops, ps_op row)
{
        return ps_kinds[ops->kind[row]].traits & PS_T_BLOCKING && is_call_alone(ops, row);
}

/* The receive that probes from here on lead to; PS_NONE: there is none. */
static ps_op heard_next(const ps_ops *ops, ps_op row)
{
        while (is_probe(ops, row))
                row++;
        return is_message(ops, row, PS_C_RECV) ? row : PS_NONE;
}

static ps_op with_probes(const ps_ops *ops, ps_op row, ps_op least)
{
        while (row > least && is_probe(ops, row - 1))
                row--;
        return row;
}

/* -- workers: whom a location both hears and tells -- */

static bool find_workers(search *s)
{
        ps_master *m = s->m;
        const ps_ops *ops = &m->trace->ops[m->loc];
        memset(s->heard, 0, m->trace->n_locs * sizeof(*s->heard));
        memset(s->told, 0, m->trace->n_locs * sizeof(*s->told));
        for (ps_op row = 0; row < ops->n; row++) {
                s->heard[ps_op_peer(ops, row) < m->trace->n_locs ? ps_op_peer(ops, row) : m->loc] +=
                        is_message(ops, row, PS_C_RECV);
                s->told[ps_op_peer(ops, row) < m->trace->n_locs ? ps_op_peer(ops, row) : m->loc] +=
                        is_message(ops, row, PS_C_SEND);
        }
        m->n_workers = 0;
        bool is_like_one = !s->heard[m->loc] && !s->told[m->loc];
        for (ps_loc loc = 0; loc < m->trace->n_locs; loc++) {
                bool is_worker = s->heard[loc] && s->told[loc];
                is_like_one &= is_worker || (!s->heard[loc] && !s->told[loc]);
                m->worker_of[loc] = is_worker ? m->n_workers : PS_NONE;
                if (is_worker)
                        m->workers[m->n_workers++] = (worker){.loc = loc, .rest = m->trace->ops[loc].n};
        }
        return is_like_one && m->n_workers >= 2;
}

/* A look at its rows, before anything is kept of them: once it has answered somebody whom it has not heard
 * last it does not listen any more. */
static bool answers_whom_it_hears(const ps_master *m)
{
        const ps_ops *ops = &m->trace->ops[m->loc];
        ps_loc last = PS_NONE;
        bool is_other = false, answers = false;
        for (ps_op row = 0; row < ops->n; row++) {
                if (is_message(ops, row, PS_C_RECV)) {
                        if (is_other)
                                return false;
                        last = ps_op_peer(ops, row);
                } else if (is_message(ops, row, PS_C_SEND) && last != PS_NONE) {
                        is_other |= ps_op_peer(ops, row) != last;
                        answers |= ps_op_peer(ops, row) == last;
                }
        }
        return answers;
}

/* -- turns -- */

static uint32_t count_sends(const ps_master *m, const turn *t)
{
        const ps_ops *ops = &m->trace->ops[m->loc];
        uint32_t n = 0;
        for (ps_op row = t->tail.first; row < t->tail.end; row++)
                n += is_message(ops, row, PS_C_SEND);
        return n;
}

/* What is behind the last answer is no part of a turn. */
static void end_last_turn(ps_master *m)
{
        const ps_ops *ops = &m->trace->ops[m->loc];
        turn *t = &m->turns[m->n_turns - 1];
        ps_op end = t->head.end;
        for (ps_op row = t->tail.first; row < t->tail.end; row++) {
                if (!is_message(ops, row, PS_C_SEND))
                        continue;
                if (ps_op_peer(ops, row) != t->worker) {
                        end = t->head.end;
                        break;
                }
                end = row + 1;
        }
        t->tail.end = m->rest = end;
}

static bool check_turn(search *s, turn *t)
{
        const ps_ops *ops = &s->m->trace->ops[s->m->loc];
        for (ps_op row = t->tail.first; row < t->tail.end; row++) {
                if (is_message(ops, row, PS_C_SEND) && ps_op_peer(ops, row) != t->worker)
                        s->why = "it answers other ranks than the one that it has just heard from";
                else if (ps_kinds[ops->kind[row]].cls == PS_C_COLL)
                        s->why = "it takes part in collective operations in between";
        }
        uint32_t n = count_sends(s->m, t);
        t->is_answered = n > 0;
        s->n_sends = s->n_sends ? s->n_sends : n;
        return !s->why;
}

static bool find_turns(search *s)
{
        ps_master *m = s->m;
        const ps_ops *ops = &m->trace->ops[m->loc];
        ps_op row = 0, heard;
        m->n_turns = s->n_sends = 0;
        while (row < ops->n && heard_next(ops, row) == PS_NONE)
                row++;
        m->begin = row;
        while (row < ops->n && (heard = heard_next(ops, row)) != PS_NONE) {
                turn *t = &m->turns[m->n_turns++];
                if (!is_blocking_receive(ops, heard)) {
                        s->why = "it does not wait for one message at a time";
                        return false;
                }
                *t = (turn){
                        .worker = ps_op_peer(ops, heard), .sent = ops->link[heard], .head = {row, heard + 1}};
                t->answer = PS_NONE;
                for (row = heard + 1; row < ops->n && heard_next(ops, row) == PS_NONE;)
                        row++;
                t->tail = (row_range){heard + 1, row};
        }
        end_last_turn(m);
        for (uint32_t i = 0; i < m->n_turns; i++)
                if (!check_turn(s, &m->turns[i]))
                        return false;
        return s->n_sends > 0;
}

/* -- tasks -- */

/* An answer becomes a task, whatever it is; `row` is the first message of it. */
static bool add_task(search *s, ps_op row, uint32_t at_turn)
{
        ps_master *m = s->m;
        const ps_ops *ops = &m->trace->ops[m->loc], *own;
        uint32_t t = m->n_tasks++;
        ps_loc loc = ps_op_peer(ops, row);
        ps_op start = ops->link[row];
        own = &m->trace->ops[loc];
        if (!is_blocking_receive(own, start))
                s->why = "its workers do not wait for one message at a time";
        m->tasks[t] = (task){.worker = loc, .is_dealt = at_turn != PS_NONE};
        m->tasks[t].rows.first = with_probes(own, start, 0);
        s->start[t] = start;
        if (at_turn != PS_NONE)
                m->turns[at_turn].answer = t;
        return !s->why;
}

/* Before the first turn everybody gets something, in messages as many as an answer has. */
static bool find_tasks(search *s)
{
        ps_master *m = s->m;
        const ps_ops *ops = &m->trace->ops[m->loc];
        m->n_tasks = 0;
        memset(s->told, 0, m->trace->n_locs * sizeof(*s->told));
        for (ps_op row = 0; row < m->begin; row++)
                if (is_message(ops, row, PS_C_SEND) && s->told[ps_op_peer(ops, row)]++ % s->n_sends == 0 &&
                    !add_task(s, row, PS_NONE))
                        return false;
        for (uint32_t i = 0; i < m->n_turns; i++) {
                ps_op row = m->turns[i].tail.first;
                while (m->turns[i].is_answered && !is_message(ops, row, PS_C_SEND))
                        row++;
                if (m->turns[i].is_answered && !add_task(s, row, i))
                        return false;
        }
        memset(s->told, 0, m->trace->n_locs * sizeof(*s->told));
        for (ps_op row = m->rest; row < ops->n; row++)
                if (is_message(ops, row, PS_C_SEND) && s->told[ps_op_peer(ops, row)]++ == 0 &&
                    !add_task(s, row, PS_NONE))
                        return false;
        return true;
}

/* -- what a task consists of -- */

static bool is_of_task(const ps_master *m, ps_loc loc, row_range rows, ps_op row)
{
        const ps_ops *ops = &m->trace->ops[loc];
        ps_class cls = ps_kinds[ops->kind[row]].cls;
        if (cls == PS_C_PROBE)
                return true;
        if (cls == PS_C_COMPLETE) {
                for (uint32_t i = 0; i < ps_op_tag(ops, row); i++) {
                        ps_op of = ps_op_completed(ops, row, i);
                        if (of < rows.first || of >= rows.end)
                                return false;
                }
                return true;
        }
        if ((cls != PS_C_SEND && cls != PS_C_RECV) || !is_message(ops, row, cls) ||
            ps_op_peer(ops, row) != m->loc)
                return false;
        return ps_kinds[ops->kind[row]].traits & PS_T_BLOCKING ||
               (ops->done[row] >= rows.first && ops->done[row] < rows.end &&
                !(ops->flags[row] & PS_OP_ELSEWHERE));
}

/* The last one ends with what it sends, and with whatever completes that. */
static ps_op end_of_sending(const ps_ops *ops, row_range rows)
{
        ps_op end = rows.first;
        for (ps_op row = rows.first; row < rows.end; row++) {
                if (!is_message(ops, row, PS_C_SEND))
                        continue;
                bool is_blocking = ps_kinds[ops->kind[row]].traits & PS_T_BLOCKING;
                ps_op over = is_blocking || ops->done[row] >= rows.end ? row : ops->done[row];
                end = over + 1 > end ? over + 1 : end;
        }
        return end;
}

/* Tasks of one worker, in order, are linked from the last to the first: next[]. */
static bool end_tasks(search *s, const worker *w, const uint32_t *of, uint32_t n)
{
        ps_master *m = s->m;
        const ps_ops *ops = &m->trace->ops[w->loc];
        for (uint32_t i = 0; i < n; i++) {
                task *t = &m->tasks[of[i]];
                t->rows.end = i + 1 < n ? m->tasks[of[i + 1]].rows.first : ops->n;
                if (t->rows.end <= s->start[of[i]])
                        s->why = "its workers receive in another order than it sends";
        }
        return !s->why;
}

static bool sends_nothing(const ps_ops *ops, row_range rows)
{
        return end_of_sending(ops, rows) == rows.first;
}

/* From here on the worker does not work: nothing comes back. A task at the end may have no end of its own. */
static bool find_stops(search *s, worker *w, const uint32_t *of, uint32_t n)
{
        ps_master *m = s->m;
        const ps_ops *ops = &m->trace->ops[w->loc];
        uint32_t n_left = n;
        while (n_left && sends_nothing(ops, m->tasks[of[n_left - 1]].rows))
                n_left--;
        w->rest = ops->n;
        if (n_left < n) {
                w->rest = m->tasks[of[n_left]].rows.first;
        } else if (n) {
                task *last = &m->tasks[of[n - 1]];
                w->rest = last->rows.end = end_of_sending(ops, last->rows);
        }
        for (uint32_t i = n_left; i < n; i++)
                m->tasks[of[i]].worker = PS_NONE;
        w->rows_end = n ? m->tasks[of[0]].rows.first : w->rest;
        for (uint32_t i = 0; i < n_left; i++) {
                const row_range rows = m->tasks[of[i]].rows;
                if (sends_nothing(ops, rows))
                        s->why = "not every message to a worker is answered";
                for (ps_op row = rows.first; row < rows.end; row++)
                        if (!is_of_task(m, w->loc, rows, row))
                                s->why = "its workers do not only compute between two messages";
        }
        return !s->why;
}

static bool divide_workers(search *s, uint32_t *of)
{
        ps_master *m = s->m;
        for (uint32_t i = 0; i < m->n_workers; i++) {
                uint32_t n = 0;
                for (uint32_t t = 0; t < m->n_tasks; t++)
                        if (m->tasks[t].worker == m->workers[i].loc)
                                of[n++] = t;
                if (!end_tasks(s, &m->workers[i], of, n) || !find_stops(s, &m->workers[i], of, n))
                        return false;
        }
        return true;
}

/* Turns that tell somebody to stop are no tasks. */
static void drop_stops(search *s)
{
        ps_master *m = s->m;
        uint32_t *number = s->task_of, n = 0; /* free until turns have tasks */
        for (uint32_t t = 0; t < m->n_tasks; t++) {
                number[t] = m->tasks[t].worker == PS_NONE ? PS_NONE : n;
                if (number[t] != PS_NONE)
                        m->tasks[n++] = m->tasks[t];
        }
        for (uint32_t i = 0; i < m->n_turns; i++)
                if (m->turns[i].answer != PS_NONE)
                        m->turns[i].answer = number[m->turns[i].answer];
        m->n_tasks = n;
        for (uint32_t t = 0; t < n; t++)
                m->n_dealt += m->tasks[t].is_dealt;
}

/* -- whose messages the turns hear -- */

static bool find_senders(search *s, uint32_t *last_task)
{
        ps_master *m = s->m;
        /* The tasks of a worker follow one another: a cursor for each of them. */
        for (uint32_t i = 0; i < m->n_workers; i++)
                last_task[i] = PS_NONE;
        for (uint32_t i = 0; i < m->n_turns; i++) {
                const turn *t = &m->turns[i];
                const worker *w = &m->workers[m->worker_of[t->worker]];
                uint32_t *at = &last_task[m->worker_of[t->worker]];
                while (t->sent >= w->rows_end && (*at == PS_NONE || t->sent >= m->tasks[*at].rows.end)) {
                        uint32_t next = *at == PS_NONE ? 0 : *at + 1;
                        while (next < m->n_tasks && m->tasks[next].worker != t->worker)
                                next++;
                        if (next >= m->n_tasks) {
                                s->why = "its workers report once more after they were told to stop";
                                return false;
                        }
                        *at = next;
                }
                if (*at != PS_NONE && t->sent < m->tasks[*at].rows.first)
                        s->why = "messages are received in another order than they were sent";
                s->task_of[i] = *at == PS_NONE ? m->n_tasks + m->worker_of[t->worker] : *at;
        }
        return !s->why;
}

/* -- all of it -- */

/* For each message that it hears or tells. */
static ps_status make_parts(search *s, ps_error *err)
{
        ps_master *m = s->m;
        size_t most = 1;
        for (ps_loc loc = 0; loc < m->trace->n_locs; loc++)
                most += (size_t)s->heard[loc] + s->told[loc];
        ps_arena_free(m->parts);
        m->parts = ps_arena_new();
        if (!m->parts)
                return PS_NOMEM(err, "turns of a master", most);
        s->task_of = PS_ARENA_NEW(m->parts, uint32_t, most);
        s->start = PS_ARENA_NEW(m->parts, ps_op, most);
        m->turns = PS_ARENA_NEW(m->parts, turn, most);
        m->tasks = PS_ARENA_NEW(m->parts, task, most);
        m->sequence = PS_ARENA_NEW(m->parts, uint32_t, most);
        m->stops = PS_ARENA_NEW(m->parts, uint32_t, most);
        bool is_all = s->task_of && s->start && m->turns && m->tasks && m->sequence && m->stops;
        return is_all ? PS_OK : PS_NOMEM(err, "turns of a master", most);
}

static ps_status make_search_room(search *s, ps_error *err)
{
        ps_master *m = s->m;
        size_t n_locs = m->trace->n_locs + (size_t)1;
        s->heard = PS_ARENA_NEW(m->arena, uint32_t, n_locs);
        s->told = PS_ARENA_NEW(m->arena, uint32_t, n_locs);
        m->workers = PS_ARENA_NEW(m->arena, worker, n_locs);
        m->worker_of = PS_ARENA_NEW(m->arena, uint32_t, n_locs);
        return s->heard && s->told && m->workers && m->worker_of ? PS_OK : PS_NOMEM(err, "locations", n_locs);
}

static ps_status judge_order(search *s, ps_error *err)
{
        const ps_master *m = s->m;
        uint32_t n_early;
        PS_TRY(ps_master_count_early(&n_early, m, &m->trace->measured, err));
        if (m->n_tasks <= m->n_workers || !m->n_dealt)
                s->why = "it has hardly more tasks than workers";
        else if (n_early > m->n_turns / 4)
                s->why = "it does not take messages in the order in which they were sent";
        return PS_OK;
}

/* PS_OK also if it is none: then `why` says what it does otherwise. */
static ps_status try_location(search *s, bool *is_found, ps_error *err)
{
        ps_master *m = s->m;
        *is_found = false;
        s->why = NULL;
        m->n_turns = m->n_tasks = m->n_dealt = 0;
        if (!find_workers(s) || !answers_whom_it_hears(m))
                return PS_OK;
        PS_TRY(make_parts(s, err));
        if (!find_turns(s) || !find_tasks(s))
                return PS_OK;
        if (!divide_workers(s, s->task_of))
                return PS_OK;
        drop_stops(s);
        if (!find_senders(s, s->heard))
                return PS_OK;
        ps_master_join_turns(m, s->task_of, s->heard);
        ps_master_put_sequence(m, s->task_of);
        PS_TRY(judge_order(s, err));
        PS_TRY(ps_master_find_speeds(m, err));
        *is_found = !s->why;
        return PS_OK;
}

ps_status ps_master_find(ps_master **out, const char **why, const ps_trace *trace, ps_error *err)
{
        ps_master *m = *out = ps_memory_zeroed(1, sizeof(*m));
        search s = {.m = m};
        const char *likely = NULL;
        uint32_t most = 0;
        bool is_found = false;
        ps_status status = m && (m->arena = ps_arena_new()) ? PS_OK : PS_NOMEM(err, "master", 1);
        if (status == PS_OK)
                m->trace = trace;
        PS_THEN(status, make_search_room(&s, err));
        for (ps_loc loc = 0; status == PS_OK && loc < trace->n_locs && !is_found; loc++) {
                m->loc = loc;
                status = try_location(&s, &is_found, err);
                if (s.why && m->n_turns > most) {
                        most = m->n_turns;
                        likely = s.why;
                }
        }
        if (!is_found) {
                ps_master_free(m);
                *out = NULL;
        }
        if (why)
                *why = is_found ? NULL : likely;
        return status;
}

void ps_master_free(ps_master *m)
{
        if (m) {
                ps_arena_free(m->parts);
                ps_arena_free(m->arena);
        }
        free(m);
}

static bool has_speeds(const ps_master *m)
{
        bool has = false;
        for (uint32_t w = 0; w < m->n_workers; w++)
                has |= m->workers[w].slowness < 1 || m->workers[w].slowness > 1;
        return has;
}

ps_redo_told ps_master_tell(const ps_master *m)
{
        return (ps_redo_told){.master = m->trace->defs.locations.row[m->loc].process,
                              .n_workers = m->n_workers,
                              .has_speeds = has_speeds(m),
                              .n_tasks = m->n_tasks};
}
