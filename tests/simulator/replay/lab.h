/* lab.h - programs for the replay: what each rank does, one call after the other.
 *
 * Calls take no time where they are recorded, computations what is said: so that on a machine nothing counts
 * but computations and the machine. Everything that fails aborts. */
#ifndef PS_TESTS_SIMULATOR_REPLAY_LAB_H
#define PS_TESTS_SIMULATOR_REPLAY_LAB_H

#include "core/load/recording.h"
#include "simulator/replay/replay.h"

#define LAB_US (PS_PS_PER_S / 1000000)
#define LAB_MS (PS_PS_PER_S / 1000)

typedef struct replay_lab replay_lab;

replay_lab *replay_lab_new(uint32_t n_ranks);
ps_comm replay_lab_comm(replay_lab *lab, const uint32_t *ranks, uint32_t n); /* 0: all ranks */
ps_region replay_lab_region(replay_lab *lab, const char *name);
/* Ends the recording; the lab is gone. The trace is the caller's. */
ps_trace *replay_lab_trace(replay_lab *lab);
/* The same with pieces (core/model/pieces.h). */
ps_trace *replay_lab_trace_with(replay_lab *lab, const struct ps_piece_options *pieces);

void rank_compute(replay_lab *lab, uint32_t rank, ps_time time);
/* How long the calls that follow take where they are recorded. */
void rank_calls_take(replay_lab *lab, uint32_t rank, ps_time time);
void rank_visit(replay_lab *lab, uint32_t rank, ps_region region, ps_time time);
void rank_enter(replay_lab *lab, uint32_t rank, ps_region region);
void rank_leave(replay_lab *lab, uint32_t rank, ps_region region);
/* kind: PS_K_SEND, PS_K_SSEND, ... */
void rank_send(replay_lab *lab, uint32_t rank, ps_kind kind, uint32_t to, uint32_t tag, uint64_t bytes);
void rank_recv(replay_lab *lab, uint32_t rank, uint32_t from, uint32_t tag, uint64_t bytes);
/* Nonblocking ones give their request; a receive is told of when its Wait is. */
uint64_t rank_isend(replay_lab *lab, uint32_t rank, ps_kind kind, uint32_t to, uint32_t tag, uint64_t bytes);
uint64_t rank_irecv(replay_lab *lab, uint32_t rank, uint32_t from, uint32_t tag, uint64_t bytes);
void rank_waitall(replay_lab *lab, uint32_t rank, const uint64_t *requests, uint32_t n);
void rank_wait(replay_lab *lab, uint32_t rank, uint64_t id);
void rank_test(replay_lab *lab, uint32_t rank); /* that completes nothing */
void rank_coll(replay_lab *lab, uint32_t rank, ps_kind kind, ps_comm comm, uint32_t root, uint64_t bytes);

/* The trace on a machine, or as it was recorded (NULL): the total time. Dies when it is stuck. */
ps_time lab_time_on(const ps_trace *trace, const ps_machine *machine);
ps_replayed lab_replayed(const ps_trace *trace, const ps_scenario *scenario);

/* An edit of what is computed in a region and below it; NULL: outside of all regions, or in all of them. It
 * lives until the next 16 are made. */
ps_work_edit lab_work(const ps_trace *trace, const char *region, ps_work_change change, double factor);

#endif
