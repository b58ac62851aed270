/* meeting.h - a collective operation under way: its members come when they come, and go on as far as the
 * messages of the others let them.
 *
 * Times are vectors of `width`: several scenarios at once, in which the same messages wait for their
 * receivers. Members may come in any order of their times; what comes out does not depend on it, unless
 * messages hinder one another. */
#ifndef PS_SIMULATOR_COST_MEETING_H
#define PS_SIMULATOR_COST_MEETING_H

#include "simulator/cost/machine.h"
#include "simulator/cost/schedule.h"

/* What a message costs, in each lane. GAP: the least between two sends, NULL: there is none; RELEASE: from
 * the start of a rendezvous until its sender is free. */
typedef struct ps_message_cost {
        const ps_time *send, *flight, *receive, *handshake, *release, *gap;
} ps_message_cost;

typedef struct ps_meeting_ways {
        void *context;
        uint64_t eager_bytes; /* larger messages wait for their receivers */
        bool all_wait;
        bool receives_early; /* a receiver pays before it waits */
        bool frees_at_end;   /* the sender of a rendezvous is free when it has passed; of those that depart */
        /* Valid until the next call. Places are those of members. */
        ps_message_cost (*cost)(void *context, uint32_t from, uint32_t to, uint64_t bytes);
        /* NULL: messages hinder nobody. When it begins to move; `flight` becomes how long that takes. */
        ps_time (*move)(void *context, uint32_t from, uint32_t to, uint64_t bytes, ps_time start,
                        ps_time *flight);
        /* NULL, or: true if nobody knows yet when the message is through; ps_meeting_deliver() tells. */
        bool (*departs)(void *context, uint32_t message, uint32_t from, uint32_t to, uint64_t bytes,
                        ps_time start);
} ps_meeting_ways;

/* Times beyond this are an error; costs are below half of it. */
#define PS_MEETING_TIME_LIMIT (INT64_C(1) << 61)

typedef struct ps_meeting ps_meeting;

ps_status ps_meeting_new(ps_meeting **out, const ps_schedule *schedule, uint32_t width, ps_error *err);
void ps_meeting_free(ps_meeting *meeting); /* NULL is fine */

/* A member comes, once. Those that get through because of it: ps_meeting_next(). */
ps_status ps_meeting_enter(ps_meeting *meeting, const ps_meeting_ways *ways, uint32_t member,
                           const ps_time *begin, ps_error *err);
/* A message that departed is through; width 1. */
ps_status ps_meeting_deliver(ps_meeting *meeting, const ps_meeting_ways *ways, uint32_t message,
                             ps_time arrival, ps_time released, ps_error *err);
/* The next member that got through, PS_NONE: no more. */
uint32_t ps_meeting_next(ps_meeting *meeting);
/* When the member is through; NULL: not yet. */
const ps_time *ps_meeting_end(const ps_meeting *meeting, uint32_t member);

#endif
