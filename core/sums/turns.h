/* turns.h - the numbers of a few that go on in turns, from the least one on: a part of merge.h.
 *
 * Whoever goes on is the first one, and when it has, its next number takes a place among the others: a few
 * steps without a branch, and all in registers, of which one holds four numbers. As doubles they are in the
 * same order as long as they are not negative, and there are instructions for the lesser one of those. */
#ifndef PS_CORE_SUMS_TURNS_H
#define PS_CORE_SUMS_TURNS_H

#include <stdbool.h>
#include <stdint.h>

enum { PS_TURNS = 8 };

#define PS_TURNS_NEVER  (INT64_C(0x7ff) << 52) /* as a double it is infinite; no number is more */
#define PS_TURNS_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
#include <immintrin.h>

#define PS_TURNS_TARGET __attribute__((target("avx2"))) /* of whoever goes through them */

typedef struct ps_turns {
        __m256d low, high;
} ps_turns;

/* Not in a program that takes doubles as small as most numbers are for 0, as some do for speed. */
static inline bool ps_turns_can(void)
{
        return __builtin_cpu_supports("avx2") && !(_mm_getcsr() & _MM_DENORMALS_ZERO_MASK);
}

PS_TURNS_TARGET PS_TURNS_INLINE int64_t ps_turns_first(const ps_turns *t)
{
        return _mm_cvtsi128_si64(_mm_castpd_si128(_mm256_castpd256_pd128(t->low)));
}

PS_TURNS_TARGET PS_TURNS_INLINE int64_t ps_turns_second(const ps_turns *t)
{
        const __m128d two = _mm256_castpd256_pd128(t->low);
        return _mm_cvtsi128_si64(_mm_castpd_si128(_mm_unpackhi_pd(two, two)));
}

/* The last three of four numbers, and the first one of those that follow. */
PS_TURNS_TARGET PS_TURNS_INLINE __m256d ps_turns_next(__m256d four, __m256d following)
{
        enum { ALL_NEXT = 0x39 };
        return _mm256_permute4x64_pd(_mm256_blend_pd(four, following, 1), ALL_NEXT);
}

/* The number is not less than the first one, whose place it takes or leaves to others. */
PS_TURNS_TARGET PS_TURNS_INLINE void ps_turns_replace_first(ps_turns *t, int64_t number)
{
        const __m256d it = _mm256_castsi256_pd(_mm256_set1_epi64x(number));
        t->low = _mm256_max_pd(t->low, _mm256_min_pd(ps_turns_next(t->low, t->high), it));
        t->high = _mm256_max_pd(t->high, _mm256_min_pd(ps_turns_next(t->high, it), it));
}
#else
#define PS_TURNS_TARGET

typedef struct ps_turns {
        int64_t number[PS_TURNS];
} ps_turns;

static inline bool ps_turns_can(void)
{
        return true;
}

PS_TURNS_INLINE int64_t ps_turns_first(const ps_turns *t)
{
        return t->number[0];
}

PS_TURNS_INLINE int64_t ps_turns_second(const ps_turns *t)
{
        return t->number[1];
}

PS_TURNS_INLINE void ps_turns_replace_first(ps_turns *t, int64_t number)
{
        unsigned at = 0;
        for (; at + 1 < PS_TURNS && t->number[at + 1] < number; at++)
                t->number[at] = t->number[at + 1];
        t->number[at] = number;
}
#endif

_Static_assert(sizeof(ps_turns) == PS_TURNS * sizeof(int64_t), "numbers, and nothing else");

#endif
