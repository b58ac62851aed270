/* moments.c - see moments.h.
 *
 * They are dealt out twice, by the lower and by the upper half of their first bits, and so are in order by
 * these, of which there are enough that numbers mostly differ in them: what is left to do is a step of an
 * insertion sort here and there. Where it is more, they crowd, and all of their bits are looked at. No step
 * depends on how numbers compare, which no processor foresees. */
#include "core/order/moments.h"

#include "core/base/vector.h"
#include "core/order/newer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Digits are of so many bits; of many numbers, of more. */
enum {
        FEW = 32,
        DIGIT = 7,
        MANY = 1 << 11,
        DIGIT_MANY = 10,
        MOST = 1 << 15,
        DIGIT_MOST = 11,
        STEPS_MOST = 8
};

void ps_moments_free(ps_moments *m)
{
        free(m->row);
        free(m->spare);
}

static int make_room(uint64_t **row, uint32_t *cap, uint32_t n)
{
        while (*cap < n)
                if (ps_memory_grow(row, cap, n, sizeof(**row)))
                        return -1;
        return 0;
}

/* One in front of them, and one behind them. */
int ps_moments_room(ps_moments *m, uint32_t n)
{
        return n < UINT32_MAX - 2 ? make_room(&m->row, &m->cap, n + 2) : -1;
}

/* Where each of them goes by a digit, of which there are so many of each value. */
static void add_up(uint32_t *place, unsigned digit)
{
        uint32_t first = 0;
        for (uint32_t *end = place + (1 << digit); place < end; place++) {
                const uint32_t n = *place;
                *place = first;
                first += n;
        }
}

/* A digit of so many bits that lies so far from the last bit. */
INLINE uint64_t digit_of(uint64_t number, unsigned shift, unsigned digit)
{
        return number >> shift & ((UINT64_C(1) << digit) - 1);
}

/* What was read is read again: to count it up where it lies takes less than to keep it for that. */
#define COUNT_IN_MEMORY(it) __asm__("" ::: "memory")

/* sort_by(): by two digits, of which the lower one is so far from the last bit. */
#define DEALING(target, sort_by, digit_of)                                                                   \
        target INLINE void sort_by##_deal(uint64_t *to, const uint64_t *from, uint32_t n, unsigned shift,    \
                                          unsigned digit, uint32_t *place)                                   \
        {                                                                                                    \
                for (const uint64_t *end = from + n; from < end; from++) {                                   \
                        const uint64_t d = digit_of(*from, shift, digit);                                    \
                        to[place[d]] = *from;                                                                \
                        COUNT_IN_MEMORY(place[d]);                                                           \
                        place[d]++;                                                                          \
                }                                                                                            \
        }                                                                                                    \
                                                                                                             \
        target INLINE void sort_by(ps_moments *m, unsigned shift, unsigned digit)                            \
        {                                                                                                    \
                uint32_t low[1 << DIGIT_MOST], high[1 << DIGIT_MOST];                                        \
                memset(low, 0, sizeof(*low) << digit);                                                       \
                memset(high, 0, sizeof(*high) << digit);                                                     \
                for (const uint64_t *row = m->row + 1, *end = row + m->n; row < end; row++) {                \
                        low[digit_of(*row, shift, digit)]++;                                                 \
                        high[digit_of(*row, shift + digit, digit)]++;                                        \
                }                                                                                            \
                add_up(low, digit);                                                                          \
                add_up(high, digit);                                                                         \
                sort_by##_deal(m->spare, m->row + 1, m->n, shift, digit, low);                               \
                sort_by##_deal(m->row + 1, m->spare, m->n, shift + digit, digit, high);                      \
        }
DEALING(, sort_by, digit_of)

/* Those before it are in order. Returns how many steps it took. */
static __attribute__((noinline)) uint64_t insert(uint64_t *row)
{
        const uint64_t number = *row;
        uint64_t *at = row;
        for (; at[-1] > number; at--)
                *at = at[-1];
        *at = number;
        return (uint64_t)(row - at);
}

/* What begins there, in so many steps at most; less are left then. Is it done? */
INLINE bool insert_some(uint64_t *at, const uint64_t *end, uint64_t *left)
{
        uint64_t before = at[-1], steps = *left;
        for (; at < end; at++) {
                if (*at < before) {
                        const uint64_t took = insert(at);
                        if (took > steps)
                                return false;
                        steps -= took;
                }
                before = *at;
        }
        *left = steps;
        return true;
}

static bool insert_all(uint64_t *row, uint32_t n, uint64_t steps)
{
        row[0] = 0;
        return insert_some(row + 1, row + 1 + n, &steps);
}

/* By all digits, where the first ones are not enough. */
static void sort_by_all(ps_moments *m, unsigned bits, unsigned digit)
{
        const unsigned last = 64 - 2 * digit;
        for (unsigned shift = 0; shift < bits; shift += 2 * digit)
                sort_by(m, shift < last ? shift : last, digit);
}

static uint64_t steps_for(const ps_moments *m)
{
        return STEPS_MOST * (uint64_t)m->n;
}

INLINE void sort(ps_moments *m, unsigned bits, unsigned digit)
{
        sort_by(m, bits > 2 * digit ? bits - 2 * digit : 0, digit);
        if (!insert_all(m->row, m->n, steps_for(m)))
                sort_by_all(m, bits, digit);
}

static __attribute__((noinline)) void sort_some(ps_moments *m, unsigned bits)
{
        sort(m, bits, DIGIT);
}

static __attribute__((noinline)) void sort_many(ps_moments *m, unsigned bits)
{
        sort(m, bits, DIGIT_MANY);
}

/* Mostly all bits are in use, and where digits lie is known then: newer processors take one out of a number
 * in memory at once, and look at four numbers whether one of them has to be put elsewhere. */
#if defined(__x86_64__)
#include <immintrin.h>

PS_NEWER INLINE uint64_t digit_at_once(uint64_t number, unsigned shift, unsigned digit)
{
        return _bextr_u64(number, shift, digit);
}

DEALING(PS_NEWER, sort_at_once_by, digit_at_once)

/* Signed, but what they compare has the same first bit once it is sorted by that. */
PS_NEWER INLINE bool is_one_less(const uint64_t *four)
{
        const __m256i now = _mm256_loadu_si256((const __m256i *)four);
        const __m256i before = _mm256_loadu_si256((const __m256i *)(four - 1));
        const __m256i is_less = _mm256_cmpgt_epi64(before, now);
        return !_mm256_testz_si256(is_less, is_less);
}

PS_NEWER static bool insert_fours(uint64_t *row, uint32_t n, uint64_t steps)
{
        uint64_t *at = row + 1, *const end = at + n;
        row[0] = 0;
        for (; end - at >= 4; at += 4)
                if (is_one_less(at) && !insert_some(at, at + 4, &steps))
                        return false;
        return insert_some(at, end, &steps);
}

PS_NEWER INLINE void sort_at_once(ps_moments *m, unsigned digit)
{
        sort_at_once_by(m, 64 - 2 * digit, digit);
        if (!insert_fours(m->row, m->n, steps_for(m)))
                sort_by_all(m, 64, digit);
}

PS_NEWER static __attribute__((noinline)) void sort_newer(ps_moments *m)
{
        if (m->n < MOST)
                sort_at_once(m, DIGIT_MANY);
        else
                sort_at_once(m, DIGIT_MOST);
}
#else
static void sort_newer(ps_moments *m)
{
        sort_many(m, 64);
}
#endif

static unsigned bits_of(uint64_t most)
{
        return most ? 64 - (unsigned)__builtin_clzll(most) : 0;
}

int ps_moments_sort(ps_moments *m, uint64_t most)
{
        if (ps_moments_room(m, m->n) || make_room(&m->spare, &m->cap_spare, m->cap))
                return -1;
        if (m->n <= FEW)
                (void)insert_all(m->row, m->n, UINT64_MAX);
        else if (m->n < MANY)
                sort_some(m, bits_of(most));
        else if (bits_of(most) == 64 && ps_newer_can())
                sort_newer(m);
        else
                sort_many(m, bits_of(most));
        m->row[m->n + 1] = UINT64_MAX;
        return 0;
}
