/* types.h - the few names that every file of the core shares. */
#ifndef PS_CORE_BASE_TYPES_H
#define PS_CORE_BASE_TYPES_H

#include "core/base/strings.h"
#include <stdbool.h>
#include <stdint.h>

/* Picoseconds since the first event of the trace. Nanoseconds would be too coarse: clusters record with
 * time-stamp counters of several GHz, and sums of rounded waits drift. 2^63 ps are 106 days. */
typedef int64_t ps_time;

#define PS_TIME_MAX  INT64_MAX
#define PS_PS_PER_NS INT64_C(1000)
#define PS_PS_PER_S  INT64_C(1000000000000)

/* Dense indices into the tables of ps_defs and ps_trace. */
typedef uint32_t ps_loc;    /* a location: the place whose events are in program order (a thread, mostly) */
typedef uint32_t ps_proc;   /* a process: what MPI calls a rank of its world */
typedef uint32_t ps_region; /* a function, loop, construct: what Enter and Leave name */
typedef uint32_t ps_comm;   /* a communicator or a thread team */
typedef uint32_t ps_path;   /* a node of the call tree; 0 is its root */
typedef uint32_t ps_op;     /* a row of a location's operations */

#define PS_NONE UINT32_MAX /* "there is none", for each of them */

/* Saturating, because times and offsets of a broken trace may be anything. */
static inline ps_time ps_time_add(ps_time a, ps_time b)
{
        ps_time sum;
        if (__builtin_add_overflow(a, b, &sum))
                return b > 0 ? PS_TIME_MAX : INT64_MIN;
        return sum;
}

static inline ps_time ps_time_sub(ps_time a, ps_time b)
{
        ps_time difference;
        if (__builtin_sub_overflow(a, b, &difference))
                return b < 0 ? PS_TIME_MAX : INT64_MIN;
        return difference;
}

static inline ps_time ps_time_earlier(ps_time a, ps_time b)
{
        return a < b ? a : b;
}

static inline ps_time ps_time_later(ps_time a, ps_time b)
{
        return a > b ? a : b;
}

/* How many binary digits it has; 0 has none. */
static inline unsigned ps_binary_digits(uint64_t number)
{
        return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

static inline double ps_time_seconds(ps_time time)
{
        return (double)time / (double)PS_PS_PER_S;
}

#endif
