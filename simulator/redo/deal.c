/* deal.c - the program as it would run: whoever asks first has the next turn of the master, and gets the next
 * task. */
#include "simulator/redo/master.h"

#include <math.h>

typedef struct state {
        double at, ask;         /* when it did something last, when it will ask next (INFINITY: it waits) */
        uint32_t task, message; /* that it is at: PS_NONE: before its first one */
        uint32_t next, last;    /* tasks that it has been given */
        uint32_t n_open;        /* answers to them that will still be due */
        uint32_t n_stopped;
} state;

typedef struct dealing {
        const ps_master *m;
        const struct pace *pace;
        deal *out;
        state *state;
        uint32_t *after;         /* by task: the next one of its worker */
        double *given;           /* by task */
        uint32_t giving, silent; /* turns: the next one that gives a task, and that gives nothing */
} dealing;

static uint32_t n_messages(const dealing *d, uint32_t w)
{
        const state *s = &d->state[w];
        return s->task == PS_NONE ? d->m->workers[w].n_turns : d->m->tasks[s->task].n_turns;
}

static uint32_t turn_of_message(const dealing *d, uint32_t w)
{
        const state *s = &d->state[w];
        uint32_t first = s->task == PS_NONE ? d->m->workers[w].first_turn : d->m->tasks[s->task].first_turn;
        return d->m->sequence[first + s->message];
}

/* The worker goes on with its task, or with the next one that it has. */
static void find_next_ask(dealing *d, uint32_t w)
{
        state *s = &d->state[w];
        double begin = s->at;
        if (s->message >= n_messages(d, w)) {
                if (s->next == PS_NONE) {
                        s->ask = (double)INFINITY;
                        return;
                }
                s->task = s->next;
                s->next = d->after[s->task];
                s->message = 0;
                double there = d->given[s->task] + d->pace->receive;
                begin = begin > there ? begin : there;
        }
        s->ask = begin + d->pace->cost[turn_of_message(d, w)] * d->pace->speed[w];
}

static void give_task(dealing *d, uint32_t w, uint32_t number, double at)
{
        state *s = &d->state[w];
        const task *t = &d->m->tasks[number];
        d->out->worker_of[number] = w;
        d->after[number] = PS_NONE;
        d->given[number] = at;
        if (s->next == PS_NONE)
                s->next = number;
        else
                d->after[s->last] = number;
        s->last = number;
        for (uint32_t i = 0; i < t->n_turns; i++)
                s->n_open += d->m->turns[d->m->sequence[t->first_turn + i]].may_be_given;
}

/* What was given before the first turn is known, and when each begins. */
static void begin_workers(dealing *d)
{
        const ps_master *m = d->m;
        for (uint32_t w = 0; w < m->n_workers; w++)
                d->state[w] = (state){.at = d->pace->first[w], .task = PS_NONE, .next = PS_NONE};
        for (uint32_t t = 0; t < m->n_tasks; t++)
                if (!m->tasks[t].is_dealt)
                        give_task(d, m->worker_of[m->tasks[t].worker], t, 0);
        for (uint32_t w = 0; w < m->n_workers; w++)
                find_next_ask(d, w);
}

static uint32_t find_turn(const ps_master *m, uint32_t from, bool gives)
{
        while (from < m->n_turns && !(gives ? m->turns[from].answer != PS_NONE
                                            : m->turns[from].may_be_given && !m->turns[from].is_answered))
                from++;
        return from;
}

/* The turn of which the end follows the message that the worker has sent; PS_NONE: none is left that could.
 */
static uint32_t choose_tail(dealing *d, uint32_t w, uint32_t head)
{
        const ps_master *m = d->m;
        const worker *of = &m->workers[w];
        state *s = &d->state[w];
        if (!m->turns[head].may_be_given)
                return head;
        uint32_t at = d->giving;
        if (at < m->n_turns) {
                d->giving = find_turn(m, at + 1, true);
                return at;
        }
        if (s->n_open < of->n_stops - s->n_stopped || (d->silent == m->n_turns && s->n_stopped < of->n_stops))
                return m->stops[of->first_stop + s->n_stopped++];
        at = d->silent;
        d->silent = at < m->n_turns ? find_turn(m, at + 1, false) : at;
        return at < m->n_turns ? at : PS_NONE;
}

static uint32_t first_to_ask(const dealing *d)
{
        uint32_t best = 0;
        for (uint32_t w = 1; w < d->m->n_workers; w++)
                if (d->state[w].ask < d->state[best].ask)
                        best = w;
        return best;
}

/* The end of the turn; `over`: that of the one before. */
static double do_turn(dealing *d, uint32_t position, const kept_turns *kept, double over)
{
        const ps_master *m = d->m;
        bool is_kept = position < kept->n;
        uint32_t w = is_kept ? kept->worker[position] : first_to_ask(d);
        state *s = &d->state[w];
        if (s->message >= n_messages(d, w))
                return (double)NAN;
        double asked = is_kept ? kept->asked[position] : s->ask;
        double busy = over + d->pace->queued, there = asked + d->pace->serve;
        over = is_kept ? kept->over[position] : busy > there ? busy : there;
        uint32_t head = turn_of_message(d, w);
        s->at = asked;
        s->message++;
        s->n_open -= m->turns[head].may_be_given && s->task != PS_NONE;
        uint32_t tail = choose_tail(d, w, head);
        if (tail == PS_NONE)
                return (double)NAN;
        if (m->turns[tail].answer != PS_NONE)
                give_task(d, w, m->turns[tail].answer, over);
        find_next_ask(d, w);
        d->out->who[position] = w;
        d->out->head[position] = head;
        d->out->tail[position] = tail;
        return over;
}

bool ps_deal(deal *out, const ps_master *m, const kept_turns *kept, const pace *known, ps_arena *arena)
{
        dealing d = {.m = m, .pace = known, .out = out};
        d.state = PS_ARENA_NEW(arena, state, m->n_workers);
        d.after = PS_ARENA_NEW(arena, uint32_t, m->n_tasks);
        d.given = PS_ARENA_NEW(arena, double, m->n_tasks);
        if (!d.state || !d.after || !d.given)
                return false;
        d.giving = find_turn(m, 0, true);
        d.silent = find_turn(m, 0, false);
        begin_workers(&d);
        double over = 0;
        for (uint32_t i = 0; i < m->n_turns && !isnan(over); i++)
                over = do_turn(&d, i, kept, over);
        return !isnan(over) && d.giving == m->n_turns;
}
