/* generate_calls.c - traces of programs that do one thing again and again: calls with several messages,
 * requests that are started anew or asked for, messages to and fro. */
#include "tests/bench/bench.h"
#include "tests/bench/writer.h"

enum { RANKS = 8, STEP_NS = 200000, ARRIVAL_NS = 100000, BYTES = 1024, TAG = 17, LONGER = 24 };

typedef void step_writer(writer *w, const uint32_t *region, uint64_t step);

/* `n_events`: of a step; `names`: of the regions, up to NULL. */
static void write_steps(const char *path, uint64_t size, uint64_t n_events, const char *const *names,
                        step_writer *write)
{
        enum { MOST_REGIONS = 8 };
        ps_gen *g = ps_gen_new(path, (ps_gen_options){.ranks = RANKS, .chunk_bytes = CHUNK_BYTES});
        uint32_t region[MOST_REGIONS], root = ps_gen_region(g, "main", "app.c", 1);
        for (int i = 0; names[i]; i++)
                region[i] = ps_gen_region(g, names[i], names[i][0] == 'M' ? "MPI" : "app.c", 11);
        for (uint32_t rank = 0; rank < RANKS; rank++) {
                writer w = writer_of(g, rank);
                w.ranks = RANKS;
                enter(&w, root);
                for (uint64_t step = 0; step < size / (n_events * RANKS); step++) {
                        await(&w, step * STEP_NS);
                        write(&w, region, step);
                }
                leave(&w, root);
        }
        ps_gen_free(g);
}

static uint32_t right_of(const writer *w, uint32_t by)
{
        return (w->rank + by) % RANKS;
}

static uint32_t left_of(const writer *w, uint32_t by)
{
        return (w->rank + RANKS - by) % RANKS;
}

static ps_gen_rec sent(uint32_t to, uint64_t bytes)
{
        return PS_GEN_REC_OF(SEND, .peer = to, .comm = PS_GEN_WORLD, .tag = TAG, .bytes = bytes);
}

static ps_gen_rec got(uint32_t from, uint64_t bytes)
{
        return PS_GEN_REC_OF(RECV, .peer = from, .comm = PS_GEN_WORLD, .tag = TAG, .bytes = bytes);
}

static ps_gen_rec begun(uint32_t to, uint64_t request)
{
        return PS_GEN_REC_OF(ISEND, .peer = to, .comm = PS_GEN_WORLD, .tag = TAG, .bytes = BYTES,
                             .request = request);
}

static void sendrecv_step(writer *w, const uint32_t *region, uint64_t step)
{
        compute(w, region[0], 60000);
        enter(w, region[1]);
        record(w, 40, sent(right_of(w, 1), BYTES));
        await(w, step * STEP_NS + ARRIVAL_NS);
        record(w, 9000, got(left_of(w, 1), BYTES));
        leave(w, region[1]);
}

void bench_write_sendrecv(const char *path, uint64_t size)
{
        write_steps(path, size, 6, (const char *const[]){"compute", "MPI_Sendrecv", NULL}, sendrecv_step);
}

enum { N_STARTED = 5 };

static void persistent_step(writer *w, const uint32_t *region, uint64_t step)
{
        for (uint32_t i = 0; i < N_STARTED; i++)
                call(w, region[0], PS_GEN_REC_OF(IRECV_REQUEST, .request = i));
        for (uint32_t i = 0; i < N_STARTED; i++)
                call(w, region[0], begun(right_of(w, i + 1), N_STARTED + i));
        enter(w, region[1]);
        await(w, step * STEP_NS + ARRIVAL_NS);
        for (uint32_t i = 0; i < N_STARTED; i++) {
                record(w, 1000, PS_GEN_GOT(left_of(w, i + 1), PS_GEN_WORLD, TAG, BYTES, i));
                record(w, 10, PS_GEN_SENT(N_STARTED + i));
        }
        leave(w, region[1]);
}

void bench_write_persistent(const char *path, uint64_t size)
{
        write_steps(path, size, 8 * N_STARTED + 2, (const char *const[]){"MPI_Start", "MPI_Waitall", NULL},
                    persistent_step);
}

enum { N_POLLS = 20 };

static void polls_step(writer *w, const uint32_t *region, uint64_t step)
{
        call(w, region[0], PS_GEN_REC_OF(IRECV_REQUEST, .request = w->request));
        call(w, region[1], begun(right_of(w, 1), w->request + 1));
        for (uint32_t i = 0; i < N_POLLS; i++)
                call(w, region[2], PS_GEN_PENDING(w->request));
        enter(w, region[2]);
        await(w, step * STEP_NS + ARRIVAL_NS);
        record(w, 1000, PS_GEN_GOT(left_of(w, 1), PS_GEN_WORLD, TAG, BYTES, w->request));
        leave(w, region[2]);
        call(w, region[3], PS_GEN_SENT(w->request + 1));
        w->request += 2;
}

void bench_write_polls(const char *path, uint64_t size)
{
        write_steps(path, size, 3 * N_POLLS + 12,
                    (const char *const[]){"MPI_Irecv", "MPI_Isend", "MPI_Test", "MPI_Wait", NULL},
                    polls_step);
}

static void pairs_step(writer *w, const uint32_t *region, uint64_t step)
{
        const uint32_t partner = w->rank ^ 1;
        call(w, region[0], sent(partner, BYTES + LONGER * step));
        enter(w, region[1]);
        await(w, step * STEP_NS + ARRIVAL_NS);
        record(w, 9000, got(partner, BYTES + LONGER * step));
        leave(w, region[1]);
}

void bench_write_pairs(const char *path, uint64_t size)
{
        write_steps(path, size, 6, (const char *const[]){"MPI_Send", "MPI_Recv", NULL}, pairs_step);
}
