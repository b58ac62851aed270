/* slack.h - how long after they were sent messages are received, as the matching sees it. */
#ifndef PS_CORE_CLOCK_SLACK_H
#define PS_CORE_CLOCK_SLACK_H

#include "core/model/trace.h"

/* A set of kinds: of the point-to-point classes, which are below 64. */
#define PS_KIND(id, name, class, traits_of)                                                                  \
        | (PS_C_##class == PS_C_RECV ? UINT64_C(1) << (PS_K_##id & 63) : UINT64_C(0))
static const uint64_t ps_kinds_receive = UINT64_C(0)
#include "core/model/kinds.def"
        ;
#undef PS_KIND
#define PS_KIND(id, name, class, traits_of)                                                                  \
        | (PS_C_##class == PS_C_RECV && (traits_of)&PS_T_BLOCKING ? UINT64_C(1) << (PS_K_##id & 63)          \
                                                                  : UINT64_C(0))
static const uint64_t ps_kinds_receive_at_once = UINT64_C(0)
#include "core/model/kinds.def"
        ;
#undef PS_KIND

/* What contradicts causality; tallies of different rows can be added up in any order. */
typedef struct ps_clock_place {
        ps_ref ref;
        ps_time time;
} ps_clock_place;

typedef struct ps_clock_tally {
        uint64_t messages, collectives;
        ps_time worst, slightest;
        ps_clock_place first_message, first_collective; /* in location order */
} ps_clock_tally;

/* There is nothing yet. */
#define PS_CLOCK_NOTHING                                                                                     \
        {                                                                                                    \
                .slightest = PS_TIME_MAX, .first_message = {{PS_NONE, PS_NONE}, 0}, .first_collective = {    \
                        {PS_NONE, PS_NONE},                                                                  \
                        0                                                                                    \
                }                                                                                            \
        }

/* Of one process to another, or to itself: the least time from the sending of a message to its receipt, which
 * is negative where clocks contradict each other. */
typedef struct ps_slack {
        ps_proc from, to;
        ps_time least;
} ps_slack;

/* What is known of all messages before anybody looks at one of them. */
typedef struct ps_slacks {
        bool tells;           /* of each message */
        bool tells_pairs;     /* by pair: not where there are too many */
        ps_clock_tally early; /* those that are received before they are sent */
        ps_slack *row;        /* a row a pair, in no particular order */
        uint32_t n, cap;
} ps_slacks;

#endif
