/* generate_threads.c - traces of little but records of threads, of tasks, and of windows, again and again.
 */
#include "tests/bench/bench.h"
#include "tests/support/tracegen.h"

enum {
        THREADS = 8,
        CHUNK_BYTES = 1 << 20,
        STEP_NS = 200000,
        MEET_NS = 150000,
        LOCKED_NS = 5000,
        SECTION_NS = 3000,
        TASKS = 5,
        SECTIONS = 5,
        PUTS = 5
};

/* A thread of the team, or a rank with its window. */
struct member {
        ps_gen *g;
        uint32_t number, at, shared; /* its location; the team, or the window */
        uint32_t random;             /* Numerical Recipes' generator, whose upper bits are used */
        uint64_t time;
};

/* Goes on no earlier than `least`, a little later than before. */
static uint64_t next(struct member *m, uint64_t least)
{
        m->random = m->random * 1664525U + 1013904223U;
        m->time += 1 + (m->random >> 27);
        return m->time = m->time < least ? least : m->time;
}

static void put(struct member *m, ps_gen_rec rec)
{
        ps_gen_put(m->g, m->at, next(m, 0), rec);
}

static void work(struct member *m)
{
        ps_gen_enter(m->g, m->at, next(m, 0), "work");
        ps_gen_leave(m->g, m->at, next(m, m->time + (m->random >> 18)), "work");
}

static void do_tasks(struct member *m, uint64_t step)
{
        for (uint32_t i = 0; i < TASKS; i++) {
                ps_gen_rec task = PS_GEN_REC_OF(TASK_CREATE, .comm = m->shared, .peer = m->number,
                                                .tag = (uint32_t)step * TASKS + i + 1);
                put(m, task);
                task.kind = PS_GEN_R_TASK_SWITCH;
                put(m, task);
                ps_gen_enter(m->g, m->at, next(m, 0), "!$omp task @a.c:5");
                ps_gen_leave(m->g, m->at, next(m, 0), "!$omp task @a.c:5");
                task.kind = PS_GEN_R_TASK_COMPLETE;
                put(m, task);
        }
}

/* Each is in each critical section in turn: all others wait until then. */
static void do_sections(struct member *m, uint64_t step)
{
        static const char section[] = "!$omp critical @a.c:5";
        for (uint32_t i = 0; i < SECTIONS; i++) {
                const uint32_t turn = i * THREADS + m->number;
                ps_gen_rec lock = PS_GEN_REC_OF(LOCK_ACQUIRE, .op = OTF2_PARADIGM_OPENMP, .ref = 1,
                                                .tag = (uint32_t)step * SECTIONS * THREADS + turn + 1);
                work(m);
                ps_gen_enter(m->g, m->at, next(m, 0), section);
                next(m, step * STEP_NS + (turn + 2) * SECTION_NS);
                put(m, lock);
                next(m, m->time + SECTION_NS / 2);
                lock.kind = PS_GEN_R_LOCK_RELEASE;
                put(m, lock);
                ps_gen_leave(m->g, m->at, next(m, 0), section);
        }
}

/* The team is forked, each comes to it and works, and all meet in a barrier before it is joined. */
static void share(struct member *m, uint64_t step, void (*does)(struct member *m, uint64_t step))
{
        static const char region[] = "!$omp parallel @a.c:3", barrier[] = "!$omp implicit barrier @a.c:9";
        uint64_t begin = step * STEP_NS;
        if (!m->number)
                put(m, PS_GEN_REC_OF(FORK, .op = OTF2_PARADIGM_OPENMP, .tag = THREADS));
        ps_gen_put(m->g, m->at, next(m, begin + 1000), PS_GEN_REC_OF(TEAM_BEGIN, .comm = m->shared));
        ps_gen_enter(m->g, m->at, next(m, 0), region);
        if (does)
                does(m, step);
        else
                work(m);
        ps_gen_enter(m->g, m->at, next(m, 0), barrier);
        ps_gen_leave(m->g, m->at, next(m, begin + MEET_NS), barrier);
        ps_gen_leave(m->g, m->at, next(m, 0), region);
        put(m, PS_GEN_REC_OF(TEAM_END, .comm = m->shared));
        next(m, begin + MEET_NS + 10000);
        if (!m->number)
                put(m, PS_GEN_REC_OF(JOIN, .op = OTF2_PARADIGM_OPENMP));
        next(m, begin + STEP_NS);
}

static void write_teams(const char *path, uint64_t steps, void (*does)(struct member *m, uint64_t step))
{
        ps_gen *g = ps_gen_new(path, (ps_gen_options){.threads = THREADS, .chunk_bytes = CHUNK_BYTES});
        uint32_t at[THREADS];
        for (uint32_t t = 0; t < THREADS; t++)
                at[t] = ps_gen_at(g, 0, t);
        uint32_t team = ps_gen_team(g, "team", at, THREADS);
        for (uint32_t t = 0; t < THREADS; t++) {
                struct member m = {g, t, at[t], team, t + 1, 0};
                for (uint64_t step = 0; step < steps; step++)
                        share(&m, step, does);
        }
        ps_gen_free(g);
}

/* 8 events a thread and step, and a fork and a join. */
void bench_write_regions(const char *path, uint64_t size)
{
        write_teams(path, size / (8 * THREADS + 2), NULL);
}

/* 5 events a task, and 6 a thread and step, too. */
void bench_write_tasks(const char *path, uint64_t size)
{
        write_teams(path, size / ((5 * TASKS + 6) * THREADS + 2), do_tasks);
}

/* 6 events a section, and 6 a thread and step, too. */
void bench_write_sections(const char *path, uint64_t size)
{
        write_teams(path, size / ((6 * SECTIONS + 6) * THREADS + 2), do_sections);
}

static void put_to_others(struct member *m, uint64_t step)
{
        for (uint32_t i = 0; i < PUTS; i++) {
                ps_gen_enter(m->g, m->at, next(m, 0), "MPI_Put");
                put(m, PS_GEN_REC_OF(PUT, .ref = m->shared, .peer = (m->number + 1 + i) % THREADS,
                                     .bytes = 1024, .request = i));
                ps_gen_leave(m->g, m->at, next(m, 0), "MPI_Put");
        }
        ps_gen_enter(m->g, m->at, next(m, 0), "MPI_Win_fence");
        put(m, PS_GEN_REC_OF(RMA_COLL_BEGIN, .ref = m->shared));
        next(m, step * STEP_NS + MEET_NS);
        for (uint32_t i = 0; i < PUTS; i++)
                put(m, PS_GEN_REC_OF(RMA_DONE_BLOCKING, .ref = m->shared, .request = i));
        put(m, PS_GEN_REC_OF(RMA_COLL_END, .op = OTF2_COLLECTIVE_OP_BARRIER, .ref = m->shared,
                             .tag = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY,
                             .peer = OTF2_COLLECTIVE_ROOT_NONE));
        ps_gen_leave(m->g, m->at, next(m, 0), "MPI_Win_fence");
        next(m, (step + 1) * STEP_NS);
}

static void write_windows(const char *path, uint64_t n_steps, void (*do_step)(struct member *, uint64_t step))
{
        ps_gen *g = ps_gen_new(path, (ps_gen_options){.ranks = THREADS, .chunk_bytes = CHUNK_BYTES});
        uint32_t window = ps_gen_window(g, "window", PS_GEN_WORLD);
        for (uint32_t rank = 0; rank < THREADS; rank++) {
                struct member m = {g, rank, rank, window, rank + 1, 0};
                for (uint64_t step = 0; step < n_steps; step++)
                        do_step(&m, step);
        }
        ps_gen_free(g);
}

/* 4 events a transfer, and 4 of a fence. */
void bench_write_puts(const char *path, uint64_t size)
{
        write_windows(path, size / ((4 * PUTS + 4) * THREADS), put_to_others);
}

/* Two ranks want the same lock, and the second one gets it when the first one has given it back. */
static void get_locked(struct member *m, uint64_t step)
{
        const uint32_t target = m->number / 2;
        ps_gen_enter(m->g, m->at, next(m, step * STEP_NS), "MPI_Win_lock");
        next(m, step * STEP_NS + m->number % 2 * 2 * LOCKED_NS);
        put(m, PS_GEN_REC_OF(RMA_LOCK_ACQUIRE, .ref = m->shared, .peer = target, .op = OTF2_LOCK_EXCLUSIVE));
        ps_gen_leave(m->g, m->at, next(m, 0), "MPI_Win_lock");
        ps_gen_enter(m->g, m->at, next(m, 0), "MPI_Get");
        put(m, PS_GEN_REC_OF(GET, .ref = m->shared, .peer = target, .bytes = 1024));
        ps_gen_leave(m->g, m->at, next(m, 0), "MPI_Get");
        ps_gen_enter(m->g, m->at, next(m, step * STEP_NS + LOCKED_NS), "MPI_Win_unlock");
        put(m, PS_GEN_REC_OF(RMA_DONE_BLOCKING, .ref = m->shared));
        put(m, PS_GEN_REC_OF(RMA_LOCK_RELEASE, .ref = m->shared, .peer = target));
        ps_gen_leave(m->g, m->at, next(m, 0), "MPI_Win_unlock");
}

/* 10 events a lock. */
void bench_write_locks(const char *path, uint64_t size)
{
        write_windows(path, size / (10 * THREADS), get_locked);
}
