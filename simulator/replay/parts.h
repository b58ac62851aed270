/* parts.h - what the parts of a run do for each other. */
#ifndef PS_SIMULATOR_REPLAY_PARTS_H
#define PS_SIMULATOR_REPLAY_PARTS_H

#include "simulator/replay/run.h"

/* costs.c */
ps_status ps_replay_costs_new(run *r, ps_error *err);
void ps_replay_costs_free(run *r);
/* [part][lane], until the next call: see ps_replay_costs(). */
const ps_time *ps_replay_price(run *r, ps_loc from, ps_loc to, uint16_t size, uint64_t bytes);
const cached_cost *ps_replay_coll_cost(run *r, uint32_t coll);
/* The same of a message that is a part of such an operation, and meets no others in a network. */
const ps_time *ps_replay_costs_alone(run *r, ps_kind kind, ps_loc from, ps_loc to, uint64_t bytes);

/* engine.c */
replay_advance *ps_replay_advance_of(uint32_t width);

/* starts.c: who begins late. When the location's first event is, in the lane. */
ps_status ps_replay_starts_new(run *r, ps_error *err);
ps_time ps_replay_first(const run *r, ps_loc loc, uint32_t lane);

/* forks.c: threads that wait for a fork begin when it is over; ps_replay_pass_gate() says whether it
 * is, and if so when the location begins the call at `row`. */
ps_status ps_replay_gates_new(run *r, ps_error *err);
void ps_replay_open_gate(run *r, uint32_t fork, const ps_time *clock);
bool ps_replay_pass_gate(run *r, ps_loc loc, ps_op row);

/* locks.c: what waits for locks that are given back by a call that is over goes on. */
ps_status ps_replay_locks_new(run *r, ps_error *err);
void ps_replay_give_locks(run *r, ps_ref by, const ps_time *clock);

/* meetings.c: is the operation played, message by message? Then members come one after the other, and
 * locations that wait for their own part are woken when it is over. */
bool ps_replay_is_of_messages(const run *r, const ps_coll *coll);
ps_meeting *ps_replay_meeting_new(run *r, const ps_coll *coll); /* NULL: the run's status is set */
void ps_replay_meeting_enter(run *r, ps_meeting *meeting, const ps_coll *coll, uint32_t member,
                             const ps_time *begin);
void ps_replay_meeting_deliver(run *r, ps_meeting *meeting, const ps_coll *coll, uint32_t message,
                               ps_time arrival, ps_time released);

/* schedule.c: runs all locations to their end, or until they are stuck. */
void ps_replay_run_all(run *r);
/* Puts the location behind others that can run; 0 when there are none. */
bool ps_replay_park(run *r, ps_loc loc);
/* With contention: somebody else is to begin a call before it; if so, it waits for its turn. */
bool ps_replay_is_too_early(run *r, ps_loc loc);

/* stuck.c: who waits for whom when nobody can go on. */
ps_status ps_replay_find_cycle(ps_replayed *out, const run *r, ps_error *err);

/* traffic.c: a message that is ready at `start` takes its share of what all share; when it begins to
 * move, and how long that takes. */
ps_status ps_traffic_new(ps_traffic **out, const run *r, ps_error *err);
void ps_traffic_free(ps_traffic *traffic);
ps_time ps_replay_transfer(run *r, ps_loc from, ps_loc to, uint64_t bytes, ps_time start, ps_time *flight);
/* In a network that is shared fairly a message takes its way, and ps_replay_deliver() tells when it is
 * through. False: anywhere else. */
bool ps_replay_departs(run *r, ps_loc from, ps_loc to, uint64_t bytes, ps_time start, uint64_t name);
/* Whether the next one of these begins or ends no later than `by`, and nothing before that can be sent any
 * more; then it does. */
bool ps_traffic_is_due(ps_traffic *traffic, ps_time by);
void ps_traffic_step(run *r);
/* The ways through the network, for closed formulas; NULL: there is none. */
ps_ways *ps_traffic_ways(run *r);
void ps_traffic_count(const ps_traffic *traffic, ps_replayed *out);

/* factors.c: how long the computation before a row takes in each lane, which is `time` >= 0 as recorded:
 * changed[] holds that, and gets what becomes of it in the lanes in which it is something else. False: in
 * none. */
bool ps_replay_compute(const run *r, ps_loc loc, ps_op row, ps_time time, ps_time changed[LANES_MAX]);
ps_status ps_replay_factors_new(run *r, ps_error *err);
void ps_replay_factors_free(run *r);

/* write.c: the calls of rows first .. end - 1 are over; those that asked too early before it get their
 * places, too. */
void ps_replay_write(run *r, ps_loc loc, ps_op first, ps_op end, bool was_spinning);
/* Keeps when the rows before `end` are that are watched, and finds the next one. */
void ps_replay_watch(run *r, place *p, ps_loc loc, ps_op end);

#endif
