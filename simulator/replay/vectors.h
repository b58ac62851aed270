/* vectors.h - a lane is a scenario, a vector one time in each. Widths are known where these are used,
 * so that each becomes one or two instructions of a processor that has such vectors. */
#ifndef PS_SIMULATOR_REPLAY_VECTORS_H
#define PS_SIMULATOR_REPLAY_VECTORS_H

#include "simulator/replay/slots.h"

#include <string.h>

/* Where asserts are on - debuggers step through it, sanitizers make twenty times as much of it - nothing has
 * to be. */
#ifdef NDEBUG
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline
#endif

ALWAYS_INLINE void max_into(ps_time *restrict to, const ps_time *restrict a, const ps_time *restrict b,
                            uint32_t width)
{
        for (uint32_t w = 0; w < width; w++) {
                ps_time sum = a[w] + b[w];
                to[w] = to[w] > sum ? to[w] : sum;
        }
}

ALWAYS_INLINE void add_constant(ps_time *restrict to, const ps_time *restrict from, ps_time time,
                                uint32_t width)
{
        for (uint32_t w = 0; w < width; w++)
                to[w] = from[w] + time;
}

ALWAYS_INLINE void add_to(ps_time *restrict to, const ps_time *restrict a, uint32_t width)
{
        for (uint32_t w = 0; w < width; w++)
                to[w] += a[w];
}

ALWAYS_INLINE void max_with(ps_time *restrict to, const ps_time *restrict a, uint32_t width)
{
        for (uint32_t w = 0; w < width; w++)
                to[w] = to[w] > a[w] ? to[w] : a[w];
}

/* chosen: by lane all bits, or none. */
ALWAYS_INLINE void choose_from(ps_time *restrict to, const ps_time *restrict from,
                               const ps_time *restrict chosen, uint32_t width)
{
        for (uint32_t w = 0; w < width; w++)
                to[w] ^= (to[w] ^ from[w]) & chosen[w];
}

ALWAYS_INLINE void add_parts(ps_time *restrict to, const ps_time *restrict a, const ps_time *restrict b,
                             uint32_t width)
{
        for (uint32_t w = 0; w < width; w++)
                to[w] = a[w] + b[w];
}

ALWAYS_INLINE void copy(ps_time *restrict to, const ps_time *restrict from, uint32_t width)
{
        memcpy(to, from, width * sizeof(*to));
}

/* Sums of what was checked can be represented. */
ALWAYS_INLINE void check_range(run *r, const ps_time *times, uint32_t width)
{
        ps_time bits = 0;
        for (uint32_t w = 0; w < width; w++)
                bits |= times[w];
        if (__builtin_expect(bits >= REPLAY_TIME_LIMIT || bits < 0, 0))
                ps_replay_check_range(r, times);
}

#endif
