/* record.h - a DVM simulation tells what happens, for the run as a trace. Nothing is done when none is
 * wanted; what fails is told at the end. */
#ifndef PS_SIMULATOR_DVM_RECORD_H
#define PS_SIMULATOR_DVM_RECORD_H

#include "simulator/dvm/state.h"

ps_status ps_dvm_record_begin(struct ps_dvm_sim *sim, ps_error *err);
ps_status ps_dvm_record_end(struct ps_dvm_sim *sim, ps_error *err);
void ps_dvm_record_free(struct ps_dvm_sim *sim);
/* The function of the call, on all processors of the system at their clocks. */
void ps_dvm_record_call(struct ps_dvm_sim *sim, int begins);
/* The same for an interval. */
void ps_dvm_record_interval(struct ps_dvm_sim *sim, uint32_t interval, int begins);
/* The processor is through with its wave: inside of the loop, a call that waits for nothing tells when. */
void ps_dvm_record_wave_end(struct ps_dvm_sim *sim, uint32_t processor);
/* From the processor's clock on: its iterations, which so many processors have. */
void ps_dvm_record_body(struct ps_dvm_sim *sim, uint32_t processor, uint32_t copies, ps_time time);
/* The same in two steps, and what goes on in between: an edge of a wave is sent or received. */
void ps_dvm_record_loop(struct ps_dvm_sim *sim, uint32_t processor, uint32_t copies, int begins);
/* Calls at one place are told together: is the call at hand at another one than those whose time is not given
 * to the processors yet? */
bool ps_dvm_record_is_elsewhere(const struct ps_dvm_sim *sim);
void ps_dvm_record_charge(struct ps_dvm_sim *sim);  /* the call at hand is one of them */
void ps_dvm_record_settled(struct ps_dvm_sim *sim); /* there are none any more */
/* What all processors of the system do, from the processor's clock on: in the program, then in Lib-DVM. */
void ps_dvm_record_common(struct ps_dvm_sim *sim, uint32_t processor, ps_time cpu, ps_time system);
void ps_dvm_record_pass(struct ps_dvm_sim *sim, uint32_t source, uint32_t destination, uint64_t bytes,
                        ps_time begin, ps_time end);
void ps_dvm_record_take(struct ps_dvm_sim *sim, uint32_t processor, uint32_t source, uint64_t bytes,
                        ps_time begin, ps_time end);
void ps_dvm_record_io(struct ps_dvm_sim *sim, uint32_t processor, ps_time time);
/* A collective operation from the processors' clocks to `end`: the meeting, or with it the transfers that
 * were gathered. */
void ps_dvm_record_meeting(struct ps_dvm_sim *sim, ps_time end, int moves_data);
/* What goes on by itself from now on: the gathered transfers, or (no transfers) a reduction of `bytes`. */
void ps_dvm_record_start(struct ps_dvm_sim *sim, struct ps_dvm_pending *pending, bool is_reduction,
                         uint64_t bytes);
/* All processors of the system wait for it: at their clocks before, and after. */
void ps_dvm_record_wait(struct ps_dvm_sim *sim, struct ps_dvm_pending *pending, int begins);

#endif
