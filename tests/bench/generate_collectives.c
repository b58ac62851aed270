/* generate_collectives.c - a program of collective operations: in each step a broadcast, from another rank
 * each time, and a reduction, which in every other one is among all that do not block. */
#include "tests/bench/bench.h"
#include "tests/bench/writer.h"

enum {
        RANKS = 8,
        STEP_EVENTS = 13,
        STEP_NS = 200000,
        BCAST_NS = 80000,
        REDUCE_NS = 120000,
        WAIT_NS = 150000
};

enum { MPI_BCAST, MPI_ALLREDUCE, MPI_IALLREDUCE, MPI_WAIT, N_MPI };

static void collectives_step(writer *w, const uint32_t *mpi, uint32_t work, uint64_t step)
{
        const uint32_t root = (uint32_t)(step * 5 % RANKS);
        const uint64_t start = step * STEP_NS;
        ps_gen_rec done = among_all(OTF2_COLLECTIVE_OP_ALLREDUCE, 64);
        done.kind = PS_GEN_R_NBC_DONE;
        done.request = step;
        await(w, start);
        compute(w, work, 60000);
        collective(w, mpi[MPI_BCAST], start + BCAST_NS, 500,
                   PS_GEN_REC_OF(COLL_END, .op = OTF2_COLLECTIVE_OP_BCAST, .comm = PS_GEN_WORLD, .peer = root,
                                 .bytes = w->rank == root ? 8 * RANKS : 0, .received = 8));
        if (step % 2)
                call(w, mpi[MPI_IALLREDUCE], PS_GEN_REC_OF(NBC_REQUEST, .request = step));
        collective(w, mpi[MPI_ALLREDUCE], start + REDUCE_NS, 2000,
                   among_all(OTF2_COLLECTIVE_OP_ALLREDUCE, 8));
        if (step % 2)
                collective(w, mpi[MPI_WAIT], start + WAIT_NS, 2000, done);
}

void bench_write_collectives(const char *path, uint64_t size)
{
        ps_gen *g = ps_gen_new(path, (ps_gen_options){.ranks = RANKS, .chunk_bytes = CHUNK_BYTES});
        static const char *const names[N_MPI] = {"MPI_Bcast", "MPI_Allreduce", "MPI_Iallreduce", "MPI_Wait"};
        uint32_t mpi[N_MPI], work = ps_gen_region(g, "compute", "app.c", 10);
        for (int i = 0; i < N_MPI; i++)
                mpi[i] = ps_gen_region(g, names[i], "MPI", 0);
        for (uint32_t rank = 0; rank < RANKS; rank++) {
                writer w = writer_of(g, rank);
                for (uint64_t step = 0; step < size / (STEP_EVENTS * RANKS); step++)
                        collectives_step(&w, mpi, work, step);
        }
        ps_gen_free(g);
}
