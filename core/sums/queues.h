/* queues.h - how long the queues of messages that wait for their receivers are over time: a part of
 * profile.h. */
#ifndef PS_CORE_SUMS_QUEUES_H
#define PS_CORE_SUMS_QUEUES_H

#include "core/model/focus.h"
#include "core/sums/profile.h"

/* Where bin `i` of `n` begins. */
static inline ps_time ps_bin_begin(ps_time duration, uint32_t n, uint32_t i)
{
        return duration / n * i + (ps_time)((uint64_t)(duration % n) * i / n);
}

/* For the rows of the profile, without any message. */
ps_status ps_queues_make(ps_profile *out, ps_error *err);
/* In this time the queue of a row held so many messages and bytes. */
void ps_queues_fill(ps_profile *out, const ps_focus *focus, uint32_t row, ps_span time, uint64_t messages,
                    uint64_t bytes);
/* Sums over time become means. */
void ps_queues_finish(ps_profile *out, const ps_focus *focus);

#endif
