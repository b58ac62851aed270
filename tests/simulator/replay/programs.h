/* programs.h - the programs of which the replay's times are known by a formula. */
#ifndef PS_TESTS_SIMULATOR_REPLAY_PROGRAMS_H
#define PS_TESTS_SIMULATOR_REPLAY_PROGRAMS_H

#include "tests/simulator/replay/lab.h"

/* Two ranks; each computes c[rank] and answers. */
ps_trace *program_pingpong(uint32_t rounds, ps_time c0, ps_time c1, ps_kind send, uint64_t bytes);
/* Each computes, sends to the right and receives from the left. `jitter`: at most so much more, by
 * program_jitter(). */
ps_trace *program_ring(uint32_t n_ranks, uint32_t rounds, ps_time compute, ps_time jitter, uint64_t bytes);
ps_time program_jitter(uint32_t rank, uint32_t round, ps_time most);
/* Receives from west and north, computes, sends east and south. */
ps_trace *program_wavefront(uint32_t px, uint32_t py, uint32_t sweeps, ps_time compute, uint64_t bytes);
/* Four neighbours, around the edges; receives are posted first, sends nonblocking, one Waitall. */
ps_trace *program_stencil(uint32_t px, uint32_t py, uint32_t rounds, ps_time compute, uint64_t bytes);
/* n messages under way at once, received in the reverse order of their tags. */
ps_trace *program_tags(uint32_t n);

#endif
