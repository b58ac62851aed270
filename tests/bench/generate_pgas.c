/* generate_pgas.c - traces of programs of SHMEM and UPC, with the records that tools write of them. */
#include "tests/bench/bench.h"
#include "tests/bench/writer.h"

enum { RANKS = 8, STEP_NS = 200000, MEET_NS = 150000, BYTES = 1024, NO_RANK = -1, MOST_REGIONS = 12 };

/* One of all, with their memory. */
struct thread {
        writer w;
        uint32_t window;
        const uint32_t *region;
};

typedef void step_writer(struct thread *t, uint64_t step);

/* `n_events`: of a step; `names`: of the regions, up to NULL. */
static void write_threads(const char *path, uint64_t size, uint64_t n_events, OTF2_Paradigm paradigm,
                          const char *const *names, step_writer *write)
{
        ps_gen *g = ps_gen_new(
                path, (ps_gen_options){.ranks = RANKS, .chunk_bytes = CHUNK_BYTES, .pgas = paradigm});
        uint32_t region[MOST_REGIONS], window = ps_gen_window(g, "heap", PS_GEN_WORLD);
        for (int i = 0; names[i]; i++)
                region[i] = ps_gen_region(g, names[i], "app.c", 0);
        for (uint32_t rank = 0; rank < RANKS; rank++) {
                struct thread t = {writer_of(g, rank), window, region};
                for (uint64_t step = 0; step < size / (n_events * RANKS); step++) {
                        await(&t.w, step * STEP_NS);
                        write(&t, step);
                }
        }
        ps_gen_free(g);
}

static uint32_t right_of(const struct thread *t, uint32_t by)
{
        return (t->w.rank + by) % RANKS;
}

/* Moves data to or from another one, and is over with the call. */
static void transfer(struct thread *t, uint32_t region, ps_gen_kind kind, uint32_t target, uint64_t bytes)
{
        const uint64_t id = t->w.request;
        enter(&t->w, region);
        record(&t->w, 40,
               (ps_gen_rec){.kind = kind,
                            .ref = t->window,
                            .peer = target,
                            .op = OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD,
                            .bytes = bytes,
                            .received = bytes,
                            .request = id});
        record(&t->w, 400, PS_GEN_REC_OF(RMA_DONE_BLOCKING, .ref = t->window, .request = id));
        leave(&t->w, region);
}

static ps_gen_rec lock_of(const struct thread *t, ps_gen_kind kind, uint64_t id)
{
        return (ps_gen_rec){.kind = kind, .ref = t->window, .op = OTF2_LOCK_EXCLUSIVE, .request = id};
}

/* The end of a collective of all. */
static ps_gen_rec ended(const struct thread *t, uint8_t op, uint32_t root, uint64_t bytes)
{
        return PS_GEN_REC_OF(RMA_COLL_END, .op = op, .ref = t->window, .peer = root, .bytes = bytes,
                             .received = bytes,
                             .tag = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY);
}

/* -- SHMEM, as Score-P records it: all transfers up to a barrier have one number, which this completes -- */

enum { WORK, PUTMEM, GETMEM, ATOMIC_ADD, QUIET, WAIT_UNTIL, SET_LOCK, CLEAR_LOCK, BARRIER_ALL };
enum { PUTS = 5, HEAP_LOCK = 0x601040, ARRIVAL_NS = 100000 };

static void shmem_step(struct thread *t, uint64_t step)
{
        writer *w = &t->w;
        const uint32_t *r = t->region;
        w->request = step;
        compute(w, r[WORK], 60000);
        for (uint32_t i = 0; i < PUTS; i++)
                transfer(t, r[PUTMEM], PS_GEN_R_PUT, right_of(t, 1 + i), BYTES);
        enter(w, r[QUIET]);
        leave_within(w, r[QUIET], 2000);
        transfer(t, r[PUTMEM], PS_GEN_R_PUT, right_of(t, 1), sizeof(uint64_t));
        enter(w, r[WAIT_UNTIL]);
        record(w, 40, PS_GEN_REC_OF(RMA_WAIT_CHANGE, .ref = t->window));
        await(w, step * STEP_NS + ARRIVAL_NS);
        leave(w, r[WAIT_UNTIL]);
        transfer(t, r[GETMEM], PS_GEN_R_GET, right_of(t, 1), BYTES);
        transfer(t, r[ATOMIC_ADD], PS_GEN_R_ATOMIC, 0, sizeof(uint64_t));
        if (step % RANKS == w->rank) {
                call(w, r[SET_LOCK], lock_of(t, PS_GEN_R_RMA_LOCK_ACQUIRE, HEAP_LOCK));
                transfer(t, r[PUTMEM], PS_GEN_R_PUT, 0, BYTES);
                call(w, r[CLEAR_LOCK], lock_of(t, PS_GEN_R_RMA_LOCK_RELEASE, HEAP_LOCK));
        }
        enter(w, r[BARRIER_ALL]);
        record(w, 40, PS_GEN_REC_OF(RMA_COLL_BEGIN, .ref = t->window));
        await(w, step * STEP_NS + MEET_NS);
        record(w, 500, PS_GEN_REC_OF(RMA_DONE_REMOTE, .ref = t->window, .request = step));
        record(w, 40, ended(t, OTF2_COLLECTIVE_OP_BARRIER, OTF2_COLLECTIVE_ROOT_NONE, 0));
        leave(w, r[BARRIER_ALL]);
}

void bench_write_shmem(const char *path, uint64_t size)
{
        static const char *const names[] = {"work",
                                            "shmem_putmem",
                                            "shmem_getmem",
                                            "shmem_long_atomic_add",
                                            "shmem_quiet",
                                            "shmem_long_wait_until",
                                            "shmem_set_lock",
                                            "shmem_clear_lock",
                                            "shmem_barrier_all",
                                            NULL};
        write_threads(path, size, 4 * (PUTS + 3) + 13, OTF2_PARADIGM_SHMEM, names, shmem_step);
}

/* -- UPC, as docs/UPC_IN_OTF2.md has it -- */

enum { MEMPUT = 1, MEMGET, FENCE, NOTIFY, UPC_WAIT, LOCK, UNLOCK, ALL_REDUCE };
enum { MOVES = 3, NOTIFY_NS = 80000, REDUCE_EACH = 4, LOCKED_NS = 5000 };

static void hint_sync(struct thread *t)
{
        ps_gen_hint_text(t->w.g, t->w.rank, "UPC_IN_SYNC", "UPC_IN_MYSYNC");
        ps_gen_hint_text(t->w.g, t->w.rank, "UPC_OUT_SYNC", "UPC_OUT_MYSYNC");
        ps_gen_hint(t->w.g, t->w.rank, "ROOT", 0);
}

/* Each gets it when the one before has given it back. */
static void lock_in_turn(struct thread *t, uint64_t since)
{
        writer *w = &t->w;
        const uint32_t *r = t->region;
        ps_gen_hint(w->g, w->rank, "LOCK_ID", 1);
        enter(w, r[LOCK]);
        record(w, 40, lock_of(t, PS_GEN_R_RMA_LOCK_REQUEST, 1));
        await(w, since + w->rank * (uint64_t)LOCKED_NS);
        record(w, 40, lock_of(t, PS_GEN_R_RMA_LOCK_ACQUIRE, 1));
        leave(w, r[LOCK]);
        transfer(t, r[MEMPUT], PS_GEN_R_PUT, 0, sizeof(uint64_t));
        ps_gen_hint(w->g, w->rank, "LOCK_ID", 1);
        call(w, r[UNLOCK], lock_of(t, PS_GEN_R_RMA_LOCK_RELEASE, 1));
}

static void upc_step(struct thread *t, uint64_t step)
{
        writer *w = &t->w;
        const uint32_t *r = t->region;
        compute(w, r[WORK], 60000);
        for (uint32_t i = 0; i < MOVES; i++, w->request++)
                transfer(t, r[MEMPUT], PS_GEN_R_PUT, right_of(t, 1 + i), BYTES);
        call(w, r[FENCE],
             PS_GEN_REC_OF(RMA_SYNC, .ref = t->window, .peer = (uint32_t)NO_RANK,
                           .op = OTF2_RMA_SYNC_TYPE_MEMORY));
        enter(w, r[NOTIFY]);
        leave(w, r[NOTIFY]);
        compute(w, r[WORK], 10000);
        enter(w, r[UPC_WAIT]);
        await(w, step * STEP_NS + NOTIFY_NS);
        leave(w, r[UPC_WAIT]);
        for (uint32_t i = 0; i < MOVES; i++, w->request++)
                transfer(t, r[MEMGET], PS_GEN_R_GET, right_of(t, 1 + i), BYTES);
        if (step % REDUCE_EACH == 1)
                lock_in_turn(t, step * STEP_NS + NOTIFY_NS + LOCKED_NS);
        if (step % REDUCE_EACH != 3)
                return;
        hint_sync(t);
        enter(w, r[ALL_REDUCE]);
        record(w, 40, PS_GEN_REC_OF(RMA_COLL_BEGIN, .ref = t->window));
        await(w, step * STEP_NS + MEET_NS);
        record(w, 40, ended(t, OTF2_COLLECTIVE_OP_REDUCE, 0, sizeof(uint64_t)));
        leave(w, r[ALL_REDUCE]);
}

void bench_write_upc(const char *path, uint64_t size)
{
        static const char *const names[] = {
                "work",     "upc_memput", "upc_memget", "upc_fence",       "upc_notify",
                "upc_wait", "upc_lock",   "upc_unlock", "upc_all_reduceI", NULL};
        write_threads(path, size, 8 * MOVES + 15, OTF2_PARADIGM_UPC, names, upc_step);
}
