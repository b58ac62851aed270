/* time.h - the clocks of a DVM simulation, and whose time goes into which class. */
#ifndef PS_SIMULATOR_DVM_TIME_H
#define PS_SIMULATOR_DVM_TIME_H

#include "simulator/dvm/state.h"

ps_time ps_dvm_scale(const struct ps_dvm_sim *sim, uint32_t processor, ps_time time);
/* The base algorithm: everybody does it. */
ps_status ps_dvm_charge(struct ps_dvm_sim *sim, ps_time cpu, ps_time system, ps_error *err);
ps_status ps_dvm_settle(struct ps_dvm_sim *sim, ps_error *err);
ps_status ps_dvm_shares(struct ps_dvm_sim *sim, ps_share **out, ps_error *err);
/* When the last processor of the system is there; all wait until then. */
ps_status ps_dvm_meeting(struct ps_dvm_sim *sim, ps_time *meet, ps_error *err);
ps_status ps_dvm_synchronize(struct ps_dvm_sim *sim, ps_interval_class cls, ps_time meet, ps_error *err);
/* n of `of` equal parts. */
ps_time ps_dvm_part(ps_time time, int64_t n, int64_t of);
/* A loop's body; so many processors have the same iterations. */
void ps_dvm_add_body(ps_share *share, ps_time own, uint32_t copies);
/* Everybody is busy with the operation for `cost`. */
ps_status ps_dvm_spend(struct ps_dvm_sim *sim, ps_interval_class cls, ps_time cost, ps_error *err);
ps_status ps_dvm_finish_pending(struct ps_dvm_sim *sim, struct ps_dvm_pending *pending, ps_interval_class cls,
                                ps_error *err);

#endif
