/* generate.c - the synthetic traces: the same for the same size, on every machine.
 *
 * Each step of a program has phases at fixed times and each rank a little jitter within them, so that ranks
 * wait for one another as in real runs but never contradict causality: a clock repair would be measured too.
 * Locations are written one after the other, so that memory does not grow with the trace. */
#include "tests/bench/bench.h"
#include "tests/bench/writer.h"
#include "tests/support/damage.h"
#include "tests/support/random_program.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RING_RANKS = 8, CROWD_RANKS = 1024, HORDE_RANKS = 16384, STENCIL_EDGE = 8, VERSION = 1 };
enum { DEPTH = 64, MANY_PATHS = 1000, FEW_CALLS = 20, CALLERS = 32, CALLEES = 8 };

/* Calls one of some functions, which calls one of others: as nobody foresees it. */
static void call_around(writer *w, uint32_t callers)
{
        uint32_t caller = callers + noise(w) % CALLERS, callee = callers + CALLERS + noise(w) % CALLEES;
        enter(w, caller);
        enter(w, callee);
        leave_within(w, callee, 100);
        leave(w, caller);
}

enum { MPI_ISEND, MPI_IRECV, MPI_WAITALL, MPI_SEND, MPI_RECV, MPI_ALLREDUCE, N_MPI };

static const char *const mpi_names[N_MPI] = {"MPI_Isend", "MPI_Irecv", "MPI_Waitall",
                                             "MPI_Send",  "MPI_Recv",  "MPI_Allreduce"};

static void define_mpi(ps_gen *g, uint32_t *mpi)
{
        for (int i = 0; i < N_MPI; i++)
                mpi[i] = ps_gen_region(g, mpi_names[i], "MPI", 0);
}

static void allreduce(writer *w, const uint32_t *mpi, uint64_t end)
{
        collective(w, mpi[MPI_ALLREDUCE], end, 2000, among_all(OTF2_COLLECTIVE_OP_ALLREDUCE, 8));
}

/* Sends to n ranks, receives from n, and waits for all; messages arrive from `arrival` on. */
static void exchange(writer *w, const uint32_t *mpi, uint32_t n, const uint32_t *to, const uint32_t *from,
                     uint64_t bytes, uint64_t arrival)
{
        uint64_t first = w->request;
        for (uint32_t i = 0; i < n; i++)
                call(w, mpi[MPI_IRECV], PS_GEN_REC_OF(IRECV_REQUEST, .request = w->request++));
        for (uint32_t i = 0; i < n; i++)
                call(w, mpi[MPI_ISEND],
                     PS_GEN_REC_OF(ISEND, .peer = to[i], .comm = PS_GEN_WORLD, .tag = 17 + i, .bytes = bytes,
                                   .request = w->request++));
        enter(w, mpi[MPI_WAITALL]);
        await(w, arrival);
        for (uint32_t i = 0; i < n; i++)
                record(w, 3000, PS_GEN_GOT(from[i], PS_GEN_WORLD, 17 + i, bytes, first + i));
        for (uint32_t i = 0; i < n; i++)
                record(w, 10, PS_GEN_SENT(first + n + i));
        leave(w, mpi[MPI_WAITALL]);
}

/* -- ring: 15.5 events a step and rank, all but two of them about messages -- */

enum { RING_STEP_NS = 200000, RING_MESSAGES_NS = 80000, RING_PARTNER_NS = 120000, RING_REDUCE_NS = 150000 };

static void ring_step(writer *w, const uint32_t *mpi, uint32_t work, uint64_t step)
{
        uint64_t start = step * RING_STEP_NS, more = w->longer * step;
        uint32_t right = (w->rank + 1) % w->ranks, left = (w->rank + w->ranks - 1) % w->ranks;
        uint32_t partner = w->rank ^ 1, tag = (uint32_t)step & 0x3fff;
        await(w, start);
        compute(w, work, 60000);
        exchange(w, mpi, 1, &right, &left, 8192 + more, start + RING_MESSAGES_NS);
        if (w->ranks == 1) {
                ; /* there is no partner */
        } else if (w->rank & 1) {
                enter(w, mpi[MPI_RECV]);
                await(w, start + RING_PARTNER_NS);
                record(w, 9000,
                       PS_GEN_REC_OF(RECV, .peer = partner, .comm = PS_GEN_WORLD, .tag = tag,
                                     .bytes = 1024 + more));
                leave(w, mpi[MPI_RECV]);
        } else {
                call(w, mpi[MPI_SEND],
                     PS_GEN_REC_OF(SEND, .peer = partner, .comm = PS_GEN_WORLD, .tag = tag,
                                   .bytes = 1024 + more));
        }
        if (step % 8 == 7)
                allreduce(w, mpi, start + RING_REDUCE_NS);
}

struct rings {
        uint64_t size;
        uint32_t ranks;
        uint32_t functions; /* that are computed in, in turn; 0: one */
        uint32_t depth;     /* of calls of a function within itself */
        uint32_t calls;     /* short ones a step, of functions that are called in no order */
        uint32_t adrift_ns; /* how far clocks contradict each other */
        uint32_t longer;    /* by so many bytes are messages than those of the step before */
        bool unwinds;       /* by calling context, on clocks with offsets */
        bool reruns;        /* with other noise: the same calls take other times */
};

enum { RING_REGIONS = MANY_PATHS + N_MPI + 1 };

/* Each region is called in main. */
static const uint32_t *contexts_of(ps_gen *g, uint32_t root, uint32_t work, const uint32_t *mpi)
{
        static uint32_t contexts[RING_REGIONS];
        contexts[root] = ps_gen_context(g, OTF2_UNDEFINED_CALLING_CONTEXT, "main", "app.c", 1);
        contexts[work] = ps_gen_context(g, contexts[root], "compute", "app.c", 11);
        for (int i = 0; i < N_MPI; i++)
                contexts[mpi[i]] = ps_gen_context(g, contexts[root], mpi_names[i], NULL, 0);
        return contexts;
}

static void write_rings(const char *path, const struct rings *r)
{
        static const int64_t skew[RING_RANKS] = {0, 70000, 20000, 50000, 10000, 60000, 40000, 30000};
        ps_gen *g = ps_gen_new(path, (ps_gen_options){.ranks = r->ranks,
                                                      .chunk_bytes = CHUNK_BYTES,
                                                      .skew = r->unwinds ? skew : NULL});
        uint32_t mpi[N_MPI], root = ps_gen_region(g, "main", "app.c", 1);
        uint32_t work = ps_gen_region(g, "compute", "app.c", 11), n = r->functions ? r->functions : 1;
        uint32_t defined = r->calls ? CALLERS + CALLEES + 1 : n;
        uint64_t steps = r->size * 2 / ((31 + 4 * (uint64_t)r->depth + 8 * (uint64_t)r->calls) * r->ranks);
        for (uint32_t i = 1; i < defined; i++) {
                char name[24];
                snprintf(name, sizeof name, "compute_%u", i);
                (void)ps_gen_region(g, name, "app.c", 11 + 10 * i);
        }
        define_mpi(g, mpi);
        const uint32_t *contexts = r->unwinds ? contexts_of(g, root, work, mpi) : NULL;
        for (uint32_t rank = 0; rank < r->ranks; rank++) {
                writer w = writer_of(g, rank);
                w.ranks = r->ranks;
                w.depth = r->depth;
                w.longer = r->longer;
                w.noise += r->reruns;
                w.ahead = (uint64_t)(rank * 5 % r->ranks) * r->adrift_ns;
                w.contexts = contexts;
                enter(&w, root);
                for (uint64_t step = 0; step < steps; step++) {
                        await(&w, step * RING_STEP_NS);
                        for (uint32_t i = 0; i < r->calls; i++)
                                call_around(&w, work + 1);
                        ring_step(&w, mpi, work + (uint32_t)(step % n), step);
                }
                leave(&w, root);
        }
        ps_gen_free(g);
}

#define RINGS(kind, ...)                                                                                     \
        static void write_##kind(const char *path, uint64_t size)                                            \
        {                                                                                                    \
                write_rings(path, &(struct rings){.size = size, __VA_ARGS__});                               \
        }
RINGS(ring, .ranks = RING_RANKS)
RINGS(rerun, .ranks = RING_RANKS, .reruns = true)
RINGS(alone, .ranks = 1)
RINGS(crowd, .ranks = CROWD_RANKS)
RINGS(horde, .ranks = HORDE_RANKS)
RINGS(deep, .ranks = RING_RANKS, .depth = DEPTH)
RINGS(paths, .ranks = RING_RANKS, .functions = MANY_PATHS)
RINGS(user, .ranks = RING_RANKS, .calls = FEW_CALLS)
RINGS(adrift, .ranks = RING_RANKS, .adrift_ns = 50000)
RINGS(unwound, .ranks = RING_RANKS, .unwinds = true)
RINGS(lengths, .ranks = RING_RANKS, .longer = 24)
#undef RINGS

/* -- stencil: 64.6 events a step and rank, 30 of them about the program's own functions -- */

enum { STENCIL_STEP_NS = 300000, STENCIL_HALO_NS = 100000, STENCIL_REDUCE_NS = 250000, KERNELS = 6 };
enum { MAIN, STEP, HALO, UPDATE, KERNEL, FLUX, RESIDUAL, N_FUNCTIONS };

static void stencil_neighbours(uint32_t rank, uint32_t *to, uint32_t *from)
{
        enum { E = STENCIL_EDGE };
        uint32_t x = rank % E, y = rank / E;
        uint32_t east = y * E + (x + 1) % E, west = y * E + (x + E - 1) % E;
        uint32_t south = (y + 1) % E * E + x, north = (y + E - 1) % E * E + x;
        memcpy(to, (uint32_t[]){east, west, south, north}, 4 * sizeof *to);
        memcpy(from, (uint32_t[]){west, east, north, south}, 4 * sizeof *from);
}

static void stencil_step(writer *w, const uint32_t *mpi, const uint32_t *function, uint64_t step)
{
        uint64_t start = step * STENCIL_STEP_NS;
        uint32_t to[4], from[4];
        stencil_neighbours(w->rank, to, from);
        await(w, start + noise(w) % 60000);
        enter(w, function[STEP]);
        enter(w, function[HALO]);
        exchange(w, mpi, 4, to, from, 4096, start + STENCIL_HALO_NS);
        leave(w, function[HALO]);
        enter(w, function[UPDATE]);
        for (int i = 0; i < KERNELS; i++) {
                enter(w, function[KERNEL]);
                compute(w, function[FLUX], 10000);
                leave(w, function[KERNEL]);
        }
        leave(w, function[UPDATE]);
        if (step % 10 == 9) {
                enter(w, function[RESIDUAL]);
                allreduce(w, mpi, start + STENCIL_REDUCE_NS);
                leave(w, function[RESIDUAL]);
        }
        leave(w, function[STEP]);
}

static void write_stencil(const char *path, uint64_t size)
{
        static const char *const names[N_FUNCTIONS] = {"main",   "step", "halo",    "update",
                                                       "kernel", "flux", "residual"};
        enum { RANKS = STENCIL_EDGE * STENCIL_EDGE };
        ps_gen *g =
                ps_gen_new(path, (ps_gen_options){.ranks = RANKS, .chunk_bytes = CHUNK_BYTES, .nodes = 4});
        uint32_t mpi[N_MPI], function[N_FUNCTIONS];
        define_mpi(g, mpi);
        for (uint32_t i = 0; i < N_FUNCTIONS; i++)
                function[i] = ps_gen_region(g, names[i], "stencil.c", 10 * i + 1);
        uint64_t steps = size * 5 / (323 * RANKS);
        for (uint32_t rank = 0; rank < RANKS; rank++) {
                writer w = writer_of(g, rank);
                enter(&w, function[MAIN]);
                for (uint64_t step = 0; step < steps; step++)
                        stencil_step(&w, mpi, function, step);
                leave(&w, function[MAIN]);
        }
        ps_gen_free(g);
}

/* -- all: 508 events a step and rank -- */

enum { ALL_RANKS = 64, ALL_STEP_NS = 500000, ALL_ARRIVAL_NS = 150000, ALL_EVENTS = 8 * (ALL_RANKS - 1) + 4 };

static void write_all(const char *path, uint64_t size)
{
        ps_gen *g = ps_gen_new(path, (ps_gen_options){.ranks = ALL_RANKS, .chunk_bytes = CHUNK_BYTES});
        uint32_t mpi[N_MPI], work = ps_gen_region(g, "compute", "all.c", 11);
        uint64_t steps = size / (ALL_EVENTS * ALL_RANKS);
        define_mpi(g, mpi);
        for (uint32_t rank = 0; rank < ALL_RANKS; rank++) {
                writer w = writer_of(g, rank);
                uint32_t to[ALL_RANKS - 1], from[ALL_RANKS - 1];
                for (uint32_t i = 0; i < ALL_RANKS - 1; i++) {
                        to[i] = (rank + 1 + i) % ALL_RANKS;
                        from[i] = (rank + ALL_RANKS - 1 - i) % ALL_RANKS;
                }
                for (uint64_t step = 0; step < steps; step++) {
                        await(&w, step * ALL_STEP_NS);
                        compute(&w, work, 60000);
                        exchange(&w, mpi, ALL_RANKS - 1, to, from, 1024, step * ALL_STEP_NS + ALL_ARRIVAL_NS);
                }
        }
        ps_gen_free(g);
}

/* -- tags: `size` messages under way at once, received in the reverse order -- */

static void write_tags(const char *path, uint64_t size)
{
        ps_gen *g = ps_gen_new(path, (ps_gen_options){.ranks = 2, .chunk_bytes = CHUNK_BYTES});
        uint32_t mpi[N_MPI], n = (uint32_t)size;
        define_mpi(g, mpi);
        writer sender = writer_of(g, 0), receiver = writer_of(g, 1);
        for (uint32_t tag = 0; tag < n; tag++)
                call(&sender, mpi[MPI_ISEND],
                     PS_GEN_REC_OF(ISEND, .peer = 1, .comm = PS_GEN_WORLD, .tag = tag, .bytes = 64,
                                   .request = tag));
        enter(&sender, mpi[MPI_WAITALL]);
        for (uint32_t tag = 0; tag < n; tag++)
                record(&sender, 10, PS_GEN_SENT(tag));
        leave(&sender, mpi[MPI_WAITALL]);
        await(&receiver, sender.time);
        for (uint32_t tag = n; tag-- > 0;)
                call(&receiver, mpi[MPI_RECV],
                     PS_GEN_REC_OF(RECV, .peer = 0, .comm = PS_GEN_WORLD, .tag = tag, .bytes = 64));
        ps_gen_free(g);
}

/* -- findings: each rank waits in a barrier of each function, and leaves it late: two findings -- */

enum { FINDINGS_RANKS = 64, FINDINGS_STEP_NS = 200000, FINDINGS_END_NS = 100000 };

static void write_findings(const char *path, uint64_t size)
{
        ps_gen *g = ps_gen_new(path, (ps_gen_options){.ranks = FINDINGS_RANKS, .chunk_bytes = CHUNK_BYTES});
        uint32_t n = (uint32_t)(size / (2 * FINDINGS_RANKS - 4) + 1), first = 0;
        uint32_t mpi = ps_gen_region(g, "MPI_Barrier", "MPI", 0);
        for (uint32_t i = 0; i < n; i++) {
                char name[24];
                snprintf(name, sizeof name, "phase_%u", i);
                uint32_t region = ps_gen_region(g, name, "phases.c", 10 * i + 1);
                first = i ? first : region;
        }
        for (uint32_t rank = 0; rank < FINDINGS_RANKS; rank++) {
                writer w = writer_of(g, rank);
                for (uint32_t i = 0; i < n; i++) {
                        uint64_t start = i * (uint64_t)FINDINGS_STEP_NS;
                        await(&w, start + noise(&w) % 90000);
                        enter(&w, first + i);
                        collective(&w, mpi, start + FINDINGS_END_NS, 60000,
                                   among_all(OTF2_COLLECTIVE_OP_BARRIER, 0));
                        leave(&w, first + i);
                }
        }
        ps_gen_free(g);
}

/* -- rare: about 18 events a step -- */

static void write_rare(const char *path, uint64_t size)
{
        random_program p = {
                .seed = 1, .ranks = RANDOM_MAX_RANKS, .steps = (uint32_t)(size / 18), .path = path};
        uint32_t n_messages, n_colls;
        p.neighbours = p.groups = p.nonblocking = p.windows = p.prefixes = true;
        p.options.chunk_bytes = CHUNK_BYTES;
        ps_gen_free(random_program_write(&p, &n_messages, &n_colls));
}

const bench_kind bench_kinds[] = {
        {"ring", "8 ranks: neighbours, partners, a reduction each 8th step", write_ring},
        {"rerun", "another run of the ring, whose calls take other times", write_rerun},
        {"alone", "the same of one rank, which is its own neighbour", write_alone},
        {"crowd", "the same of 1,024 ranks", write_crowd},
        {"horde", "the same of 16,384 ranks", write_horde},
        {"deep", "the ring of 8 ranks that compute 64 calls deep", write_deep},
        {"all", "64 ranks: each sends to all others, again and again", write_all},
        {"paths", "the ring of 8 ranks that compute in 1,000 functions, one a step", write_paths},
        {"user", "the ring of 8 ranks that call 40 short functions a step, in no order", write_user},
        {"adrift", "the ring on clocks that contradict each other", write_adrift},
        {"unwound", "the ring by calling contexts and with clock offsets, as patscan record writes it",
         write_unwound},
        {"lengths", "the ring of 8 ranks, messages of each step longer than those before", write_lengths},
        {"stencil", "64 ranks: halo exchange in two dimensions, nested functions", write_stencil},
        {"tags", "2 ranks: messages received in the reverse order of their tags", write_tags},
        {"findings", "64 ranks: so many functions with a barrier that `size` findings arise", write_findings},
        {"collectives", "8 ranks: broadcasts from each in turn and reductions, also such that do not block",
         bench_write_collectives},
        {"rare", "8 ranks: messages, collectives of all sorts and one-sided communication, as it happens",
         write_rare},
        {"sendrecv", "8 ranks that compute and pass on in MPI_Sendrecv", bench_write_sendrecv},
        {"persistent", "8 ranks: five receives and five sends are started again and again",
         bench_write_persistent},
        {"polls", "8 ranks: 20 MPI_Test with a record before the one that succeeds", bench_write_polls},
        {"pairs", "8 ranks: each sends to a partner and receives from it, each time more", bench_write_pairs},
        {"regions", "8 threads: short parallel regions with a barrier", bench_write_regions},
        {"tasks", "8 threads: parallel regions with five tasks each", bench_write_tasks},
        {"sections", "8 threads: parallel regions with five critical sections each", bench_write_sections},
        {"puts", "8 ranks: five MPI_Put and a fence", bench_write_puts},
        {"shmem", "8 PEs: puts, a get, an atomic, a wait, now and then a lock, and shmem_barrier_all",
         bench_write_shmem},
        {"upc", "8 threads: puts, gets, upc_notify and upc_wait, now and then a reduction or a lock",
         bench_write_upc},
        {"locks", "8 ranks in pairs: MPI_Win_lock, MPI_Get and MPI_Win_unlock at the same target",
         bench_write_locks},
        {"visits", "8 ranks: `size` calls of a function", bench_write_visits},
        {"metrics", "the same with two counters in each call", bench_write_metrics},
};
const unsigned bench_n_kinds = sizeof bench_kinds / sizeof *bench_kinds;

char *bench_trace(const char *cache, const char *kind, uint64_t size)
{
        unsigned i = 0;
        while (i < bench_n_kinds && strcmp(bench_kinds[i].name, kind))
                i++;
        if (i == bench_n_kinds)
                return NULL;
        size_t room = strlen(cache) + strlen(kind) + 64;
        char *path = malloc(room), *draft = malloc(room);
        if (!path || !draft)
                ps_test_die("out of memory");
        int n = snprintf(path, room, "%s/%s-%llu-v%d", cache, kind, (unsigned long long)size, VERSION);
        snprintf(draft, room, "%s.new", path);
        if (access(path, F_OK)) {
                if (!access(draft, F_OK))
                        ps_dir_remove(draft);
                bench_kinds[i].write(draft, size);
                if (rename(draft, path))
                        ps_test_die("cannot rename: path=\"%s\"", draft);
        }
        snprintf(path + n, room - (size_t)n, "/traces.otf2");
        free(draft);
        return path;
}
