/* master.h - a program that hands out work, taken apart; private to this folder. */
#ifndef PS_SIMULATOR_REDO_MASTER_H
#define PS_SIMULATOR_REDO_MASTER_H

#include "core/base/arena.h"
#include "simulator/redo/redo.h"

typedef struct row_range {
        ps_op first, end;
} row_range;

/* The master receives from a worker (head) and goes on until it receives again (tail), perhaps with an
 * answer. */
typedef struct turn {
        ps_loc worker;
        ps_op sent; /* the worker's row of the first message */
        row_range head, tail;
        uint32_t answer;   /* the task that it sends, or PS_NONE */
        bool is_answered;  /* it sends something: a task, or that the worker is to stop */
        bool may_be_given; /* such messages are answered, as long as there are tasks */
} turn;

/* What a worker does from the receipt of an answer to the next one. */
typedef struct task {
        ps_loc worker; /* that had it; PS_NONE: it is none, but an end of work */
        row_range rows;
        uint32_t first_turn, n_turns; /* those of its messages, in master.sequence */
        bool is_dealt; /* in a turn; otherwise before the first one, always to the same worker */
} task;

typedef struct worker {
        ps_loc loc;
        ps_op rows_end;               /* behind what it did before its first task */
        ps_op rest;                   /* from here on it has no tasks any more */
        uint32_t first_turn, n_turns; /* in master.sequence: messages before the first task */
        uint32_t first_stop, n_stops; /* in master.stops: turns that tell it to stop */
        uint32_t n_given;             /* tasks that it gets before the first turn */
        double slowness;              /* how many times as long as usual it computed, in the recording */
} worker;

struct ps_master {
        const ps_trace *trace;
        ps_arena *arena, *parts; /* parts: turns, tasks and what refers to them */
        ps_loc loc;
        ps_op begin, rest; /* the turns are in between */
        turn *turns;
        task *tasks; /* in the order in which the master sends them */
        worker *workers;
        uint32_t *worker_of; /* by location, PS_NONE: it is none */
        uint32_t *sequence;  /* turns, by task and worker, as their messages were sent */
        uint32_t *stops;     /* turns, by worker */
        uint32_t n_turns, n_tasks, n_workers, n_dealt;
};

static inline bool is_stopping(const ps_master *m, uint32_t at)
{
        return m->turns[at].is_answered && m->turns[at].answer == PS_NONE;
}

/* -- sequence.c -- */

/* Who sends which message after which. `of` by turn: the task that its message is part of, or n_tasks + the
 * number of a worker that has none yet. */
void ps_master_put_sequence(ps_master *m, const uint32_t *of);
/* Messages of one task that always come one right after the other are heard in one turn. `scratch`: by
 * worker. */
void ps_master_join_turns(ps_master *m, uint32_t *of, uint32_t *scratch);

/* What is computed before these rows, as recorded, in picoseconds. */
double ps_master_cost(const ps_master *m, ps_loc loc, row_range rows);
/* Rows before which the task computes for its i-th message. */
row_range ps_master_before(const ps_master *m, const task *t, uint32_t i);

/* Who asked before another one by less than this part of a task is not first for certain. */
#define SLACK 0.002
double ps_master_slack(const ps_master *m);

/* A turn of which somebody else's should have been done: the turn at `instead`. n_turns: there is none. */
typedef struct early_turn {
        uint32_t at, instead;
} early_turn;

/* `who`, `asked` by position: whose turn it is (a number), and when the first of its messages was sent. */
ps_status ps_master_early(uint32_t *n_early, early_turn *first, const ps_master *m, const uint32_t *who,
                          const ps_time *asked, double slack, ps_error *err);

/* -- speeds.c -- */

ps_status ps_master_find_speeds(ps_master *m, ps_error *err);

/* -- deal.c -- */

/* What is done at a position: the messages of one turn are heard, what follows is that of another one. */
typedef struct deal {
        uint32_t *who;         /* by position: number of the worker */
        uint32_t *head, *tail; /* by position: turns */
        uint32_t *worker_of;   /* by task: number of the worker */
        ps_op *row;            /* by task: where its first row is now; by rows.c */
} deal;

/* What a replay tells of how long things take, for a guess of the next one. In picoseconds. */
typedef struct pace {
        double *cost;         /* by turn: what is computed before its message, usually */
        double *speed;        /* by worker: how many times as long it computes */
        double *first;        /* by worker: when it asks for the first time, or has its first task */
        double serve, queued; /* from a message to the end of its turn; the same after the turn before */
        double receive;       /* from there to the computation */
} pace;

/* The first turns are kept, as they are in predicted time. */
typedef struct kept_turns {
        const uint32_t *worker; /* numbers */
        const double *asked, *over;
        uint32_t n;
} kept_turns;

/* All turns: the others are done by whoever is likely to ask first. false: some answer remains for nobody. */
bool ps_deal(deal *out, const ps_master *m, const kept_turns *kept, const pace *known, ps_arena *arena);

/* -- rows.c -- */

/* The rows of all locations that have other ones, in an arena of the caller's; sets deal.row. */
ps_status ps_deal_rows(ps_rows **out, const ps_master *m, deal *d, ps_arena *arena, ps_error *err);

#endif
