/* master_worker.c - see master_worker.h. The master is the only one who chooses: it takes the message that is
 * there first. A worker is blocked until it has been answered, so that all messages that may be first are
 * known. */
#include "tests/app/commands/master_worker.h"
#include "tests/support/draw.h"

#include <string.h>

enum { CALL = 1000, REQUEST = 1, RESULT = 2, TASK = 3, STOP = 4, LETTERS = 2 * MW_TASKS_MAX };

typedef struct letter {
        uint64_t arrives;
        uint32_t task; /* n_tasks: stop */
} letter;

typedef struct mw_worker {
        letter inbox[MW_TASKS_MAX + 4];
        uint32_t n_in, n_read;
        struct {
                uint64_t arrives, bytes;
                uint32_t tag;
        } outbox[LETTERS];
        uint32_t n_out, n_taken;
        uint64_t now;
        bool is_done;
} mw_worker;

typedef struct mw_state {
        const mw_program *program;
        const double *factor;
        ps_gen *g;
        mw_worker worker[MW_WORKERS_MAX];
        uint64_t now; /* of the master */
        uint32_t n_given, n_open, n_stopped;
} mw_state;

static uint64_t arrival(const mw_state *s, uint64_t sent, uint64_t bytes)
{
        return sent + s->program->latency + bytes * s->program->per_kb / 1024;
}

/* -- workers -- */

static void tell_master(mw_state *s, uint32_t w, uint32_t tag, uint64_t bytes)
{
        mw_worker *of = &s->worker[w];
        if (s->g)
                ps_gen_send(s->g, w + 1, of->now, of->now + CALL, 0, PS_GEN_WORLD, tag, bytes);
        of->now += CALL;
        of->outbox[of->n_out].arrives = arrival(s, of->now, bytes);
        of->outbox[of->n_out].bytes = bytes;
        of->outbox[of->n_out++].tag = tag;
}

static void ask(mw_state *s, uint32_t w, bool has_result)
{
        if (has_result && s->program->sends_results)
                tell_master(s, w, RESULT, s->program->result_bytes);
        tell_master(s, w, REQUEST, s->program->sends_results ? 8 : s->program->result_bytes);
}

/* Everything that the worker does with what it has been sent. */
static void work_on(mw_state *s, uint32_t w)
{
        mw_worker *of = &s->worker[w];
        while (!of->is_done && of->n_read < of->n_in) {
                const letter *in = &of->inbox[of->n_read++];
                bool is_stop = in->task == s->program->n_tasks;
                uint64_t begin = of->now, there = begin > in->arrives ? begin : in->arrives;
                of->now = there + CALL;
                if (s->g)
                        ps_gen_recv(s->g, w + 1, begin, of->now, 0, PS_GEN_WORLD, is_stop ? STOP : TASK, 64);
                of->is_done = is_stop;
                if (is_stop)
                        break;
                begin = of->now;
                of->now += (uint64_t)((double)s->program->length[in->task] * s->factor[w] + 0.5);
                if (s->g)
                        ps_gen_visit(s->g, w + 1, begin, of->now, "work");
                ask(s, w, true);
        }
}

/* -- the master -- */

static void tell_worker(mw_state *s, uint32_t w, uint32_t task)
{
        mw_worker *to = &s->worker[w];
        uint32_t tag = task == s->program->n_tasks ? STOP : TASK;
        if (s->g)
                ps_gen_send(s->g, 0, s->now, s->now + CALL, w + 1, PS_GEN_WORLD, tag, 64);
        s->now += CALL;
        to->inbox[to->n_in++] = (letter){arrival(s, s->now, 64), task};
        work_on(s, w);
}

static uint32_t first_to_be_heard(const mw_state *s)
{
        uint32_t best = MW_WORKERS_MAX;
        for (uint32_t w = 0; w < s->program->n_workers; w++) {
                const mw_worker *of = &s->worker[w];
                if (of->n_taken < of->n_out &&
                    (best == MW_WORKERS_MAX ||
                     of->outbox[of->n_taken].arrives <
                             s->worker[best].outbox[s->worker[best].n_taken].arrives))
                        best = w;
        }
        return best;
}

static uint32_t hear(mw_state *s, uint32_t w)
{
        mw_worker *of = &s->worker[w];
        uint64_t arrives = of->outbox[of->n_taken].arrives, bytes = of->outbox[of->n_taken].bytes;
        uint32_t tag = of->outbox[of->n_taken++].tag;
        uint64_t begin = s->now, there = begin > arrives ? begin : arrives;
        if (s->program->probes) {
                if (s->g)
                        ps_gen_visit(s->g, 0, begin, there + CALL, "MPI_Probe");
                begin = there = there + CALL;
        }
        s->now = there + CALL;
        if (s->g)
                ps_gen_recv(s->g, 0, begin, s->now, w + 1, PS_GEN_WORLD, tag, bytes);
        s->now += s->program->serves;
        return tag;
}

static void answer(mw_state *s, uint32_t w)
{
        const mw_program *p = s->program;
        if (s->n_given < p->n_tasks) {
                tell_worker(s, w, s->n_given++);
                return;
        }
        bool is_last = s->worker[w].n_taken == s->worker[w].n_out; /* whoever had several has one more */
        if (!p->stops_at_the_end && is_last) {
                tell_worker(s, w, p->n_tasks);
                s->n_stopped++;
        }
}

static void begin_all(mw_state *s)
{
        const mw_program *p = s->program;
        for (uint32_t i = 0; i < p->prefetch; i++)
                for (uint32_t w = 0; w < p->n_workers; w++)
                        tell_worker(s, w, s->n_given++);
        for (uint32_t w = 0; w < p->n_workers && !p->prefetch; w++)
                ask(s, w, false);
}

uint64_t mw_run(const mw_program *program, const double *factor, ps_gen *g)
{
        static mw_state state;
        mw_state *s = &state;
        *s = (mw_state){.program = program, .factor = factor, .g = g};
        begin_all(s);
        for (uint32_t w; (w = first_to_be_heard(s)) < MW_WORKERS_MAX;)
                if (hear(s, w) == REQUEST)
                        answer(s, w);
        for (uint32_t w = 0; w < program->n_workers && program->stops_at_the_end; w++)
                tell_worker(s, w, program->n_tasks);
        uint64_t end = s->now;
        for (uint32_t w = 0; w < program->n_workers; w++)
                end = s->worker[w].now > end ? s->worker[w].now : end;
        return end;
}

/* -- programs -- */

mw_program mw_random(uint64_t seed)
{
        mw_program p = {.n_workers = 2 + (uint32_t)draw(&seed, MW_WORKERS_MAX - 1)};
        p.n_tasks = 6 * p.n_workers + (uint32_t)draw(&seed, MW_TASKS_MAX - 6 * MW_WORKERS_MAX);
        p.prefetch = (uint32_t)draw(&seed, 3);
        p.sends_results = draw(&seed, 2) && !p.prefetch;
        p.probes = draw(&seed, 2);
        p.stops_at_the_end = p.prefetch && draw(&seed, 2);
        p.serves = draw(&seed, 2) ? draw(&seed, 20000) : 0;
        p.latency = 1000 + draw(&seed, 20000);
        p.per_kb = 1000;
        p.result_bytes = UINT64_C(8) << draw(&seed, 10);
        uint64_t base = 200000 + draw(&seed, 1000000), spread = draw(&seed, 3);
        for (uint32_t i = 0; i < p.n_tasks; i++)
                p.length[i] = base + draw(&seed, base / 100) + (spread ? draw(&seed, base * spread) : 0);
        return p;
}
