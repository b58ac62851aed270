/* programs.c - see programs.h. */
#include "tests/simulator/replay/programs.h"

#include "core/base/hash.h"
#include <stdlib.h>

ps_trace *program_pingpong(uint32_t rounds, ps_time c0, ps_time c1, ps_kind send, uint64_t bytes)
{
        replay_lab *lab = replay_lab_new(2);
        for (uint32_t i = 0; i < rounds; i++) {
                rank_compute(lab, 0, c0);
                rank_send(lab, 0, send, 1, 0, bytes);
                rank_recv(lab, 1, 0, 0, bytes);
                rank_compute(lab, 1, c1);
                rank_send(lab, 1, send, 0, 0, bytes);
                rank_recv(lab, 0, 1, 0, bytes);
        }
        return replay_lab_trace(lab);
}

ps_time program_jitter(uint32_t rank, uint32_t round, ps_time most)
{
        return most ? (ps_time)(ps_hash_pair(rank, round) % (uint64_t)most) : 0;
}

ps_trace *program_ring(uint32_t n_ranks, uint32_t rounds, ps_time compute, ps_time jitter, uint64_t bytes)
{
        replay_lab *lab = replay_lab_new(n_ranks);
        for (uint32_t rank = 0; rank < n_ranks; rank++)
                for (uint32_t i = 0; i < rounds; i++) {
                        rank_compute(lab, rank, compute + program_jitter(rank, i, jitter));
                        rank_send(lab, rank, PS_K_SEND, (rank + 1) % n_ranks, 0, bytes);
                        rank_recv(lab, rank, (rank + n_ranks - 1) % n_ranks, 0, bytes);
                }
        return replay_lab_trace(lab);
}

ps_trace *program_wavefront(uint32_t px, uint32_t py, uint32_t sweeps, ps_time compute, uint64_t bytes)
{
        replay_lab *lab = replay_lab_new(px * py);
        for (uint32_t rank = 0; rank < px * py; rank++)
                for (uint32_t i = 0; i < sweeps; i++) {
                        uint32_t x = rank % px, y = rank / px;
                        if (x)
                                rank_recv(lab, rank, rank - 1, 0, bytes);
                        if (y)
                                rank_recv(lab, rank, rank - px, 0, bytes);
                        rank_compute(lab, rank, compute);
                        if (x + 1 < px)
                                rank_send(lab, rank, PS_K_SEND, rank + 1, 0, bytes);
                        if (y + 1 < py)
                                rank_send(lab, rank, PS_K_SEND, rank + px, 0, bytes);
                }
        return replay_lab_trace(lab);
}

static void exchange(replay_lab *lab, uint32_t rank, const uint32_t *neighbour, uint64_t bytes)
{
        uint64_t request[8];
        for (uint32_t i = 0; i < 4; i++) /* what comes from the east was sent to the west */
                request[i] = rank_irecv(lab, rank, neighbour[i], i ^ 1, bytes);
        for (uint32_t i = 0; i < 4; i++)
                request[4 + i] = rank_isend(lab, rank, PS_K_ISEND, neighbour[i], i, bytes);
        rank_waitall(lab, rank, request, 8);
}

ps_trace *program_stencil(uint32_t px, uint32_t py, uint32_t rounds, ps_time compute, uint64_t bytes)
{
        replay_lab *lab = replay_lab_new(px * py);
        for (uint32_t rank = 0; rank < px * py; rank++) {
                uint32_t x = rank % px, y = rank / px;
                const uint32_t neighbour[] = {y * px + (x + 1) % px, y * px + (x + px - 1) % px,
                                              (y + 1) % py * px + x, (y + py - 1) % py * px + x};
                for (uint32_t i = 0; i < rounds; i++) {
                        rank_compute(lab, rank, compute);
                        exchange(lab, rank, neighbour, bytes);
                }
        }
        return replay_lab_trace(lab);
}

ps_trace *program_tags(uint32_t n)
{
        replay_lab *lab = replay_lab_new(2);
        uint64_t *requests = calloc(n + 1, sizeof *requests);
        for (uint32_t i = 0; i < n; i++)
                requests[i] = rank_isend(lab, 0, PS_K_ISEND, 1, i, 64);
        rank_waitall(lab, 0, requests, n);
        for (uint32_t i = n; i-- > 0;)
                rank_recv(lab, 1, 0, i, 64);
        free(requests);
        return replay_lab_trace(lab);
}
