/* forks.c - the threads of a parallel region begin when it is forked.
 *
 * A recorder tells when a thread forked and when the others began, but not which of them began for which
 * fork: it is the last one of their process before them. */
#include "simulator/replay/slots.h"

#include "core/base/search.h"

#include <stdlib.h>

static int by_time(const void *a, const void *b)
{
        const replay_fork *x = a, *y = b;
        PS_ORDER_BY(x->process, y->process);
        PS_ORDER_BY(x->over, y->over);
        return ps_refs_compare(&x->at, &y->at);
}

static uint32_t count_forks(const ps_trace *trace)
{
        uint32_t n = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                for (ps_op op = 0; op < trace->ops[loc].n; op++)
                        n += trace->ops[loc].kind[op] == PS_K_THREAD_FORK;
        return n;
}

static void collect_forks(ps_replay *r)
{
        const ps_trace *trace = r->trace;
        uint32_t n = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                for (ps_op op = 0; op < trace->ops[loc].n; op++)
                        if (trace->ops[loc].kind[op] == PS_K_THREAD_FORK)
                                r->forks[n++] = (replay_fork){trace->defs.locations.row[loc].process,
                                                              r->timing->leave[loc][op],
                                                              {loc, op}};
        qsort(r->forks, n, sizeof(*r->forks), by_time);
        for (uint32_t i = 0; i < n; i++) {
                step *s = &r->steps[r->forks[i].at.loc][r->forks[i].at.op];
                s->code = STEP_FORK;
                s->arg = i;
        }
}

/* The last fork of the process that was over at `time`, or PS_NONE. */
static uint32_t fork_before(const ps_replay *r, ps_proc process, ps_time time)
{
        uint32_t low = 0;
        PS_SEARCH(low, r->n_forks, i,
                  r->forks[i].process < process ||
                          (r->forks[i].process == process && r->forks[i].over <= time));
        return low && r->forks[low - 1].process == process ? low - 1 : PS_NONE;
}

static void match_teams(ps_replay *r, ps_loc loc)
{
        const ps_trace *trace = r->trace;
        for (ps_op op = 0; op < trace->ops[loc].n; op++) {
                if (trace->ops[loc].kind[op] != PS_K_TEAM_BEGIN)
                        continue;
                uint32_t fork =
                        fork_before(r, trace->defs.locations.row[loc].process, r->timing->enter[loc][op]);
                if (fork == PS_NONE || r->forks[fork].at.loc == loc)
                        continue;
                r->steps[loc][op].code = STEP_TEAM;
                r->steps[loc][op].arg = fork;
        }
}

ps_status ps_replay_find_forks(ps_replay *r, ps_error *err)
{
        r->n_forks = count_forks(r->trace);
        if (!r->n_forks)
                return PS_OK;
        r->forks = malloc(r->n_forks * sizeof(*r->forks));
        if (!r->forks)
                return PS_NOMEM(err, "forks", r->n_forks);
        collect_forks(r);
        for (ps_loc loc = 0; loc < r->trace->n_locs; loc++)
                match_teams(r, loc);
        return PS_OK;
}

/* -- in a run -- */

ps_status ps_replay_gates_new(run *r, ps_error *err)
{
        size_t n = (size_t)r->replay->n_forks + 1;
        r->gates = calloc(n, r->width * sizeof(*r->gates));
        r->is_open = calloc(n, 1);
        return r->gates && r->is_open ? PS_OK : PS_NOMEM(err, "forks", n);
}

void ps_replay_open_gate(run *r, uint32_t fork, const ps_time *clock)
{
        const ps_trace *trace = r->replay->trace;
        const ps_process_def *process = &trace->defs.processes.row[r->replay->forks[fork].process];
        r->is_open[fork] = 1;
        for (uint32_t w = 0; w < r->width; w++)
                r->gates[(size_t)fork * r->width + w] = clock[w];
        for (uint32_t i = 0; i < process->n_locs; i++) {
                ps_loc loc = trace->defs.by_process[process->first + i];
                place *p = place_of(r, loc);
                if (p->wait == WAIT_FORK && p->awaited == fork) {
                        p->wait = WAIT_NOTHING;
                        ps_replay_make_ready(r, loc);
                }
        }
}

bool ps_replay_pass_gate(run *r, ps_loc loc, ps_op row)
{
        uint32_t fork = r->replay->steps[loc][row].arg;
        place *p = place_of(r, loc);
        if (!r->is_open[fork])
                return ps_replay_wait(p, WAIT_FORK, fork, NULL, loc);
        ps_time begun = r->replay->timing->enter[loc][row], after = begun - r->replay->forks[fork].over;
        ps_time inside = begun < p->recorded ? begun - p->recorded : 0; /* of the call before it */
        const ps_time *clock = vector_of(r, loc, V_CLOCK, r->width);
        ps_time *begin = vector_of(r, loc, V_BEGIN, r->width);
        for (uint32_t w = 0; w < r->width; w++) {
                ps_time forked = r->gates[(size_t)fork * r->width + w] + after;
                ps_time free = clock[w] + inside;
                begin[w] = !row || forked > free ? forked : free; /* it was not there before */
        }
        return true;
}
