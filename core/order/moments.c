/* moments.c - see moments.h.
 *
 * They are dealt out twice, by the lower and by the upper half of their first bits, and so are in order by
 * these, of which there are enough that numbers mostly differ in them: what is left to do is a step of an
 * insertion sort here and there. Where it is more, they crowd, and all of their bits are looked at. No step
 * depends on how numbers compare, which no processor foresees. */
#include "core/order/moments.h"

#include "core/base/vector.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Digits are of so many bits; of many numbers, of more. */
enum { FEW = 32, DIGIT = 7, MANY = 1 << 11, DIGIT_MOST = 10, STEPS_MOST = 8 };

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

INLINE void deal_out(uint64_t *to, const uint64_t *from, uint32_t n, unsigned shift, uint64_t mask,
                     uint32_t *place)
{
        for (const uint64_t *end = from + n; from < end; from++)
                to[place[*from >> shift & mask]++] = *from;
}

/* By two digits, of which the lower one is so far from the last bit. */
INLINE void sort_by(ps_moments *m, unsigned shift, unsigned digit)
{
        uint32_t low[1 << DIGIT_MOST], high[1 << DIGIT_MOST];
        const uint64_t mask = (UINT64_C(1) << digit) - 1;
        memset(low, 0, sizeof(*low) << digit);
        memset(high, 0, sizeof(*high) << digit);
        for (const uint64_t *row = m->row + 1, *end = row + m->n; row < end; row++) {
                const uint64_t digits = *row >> shift;
                low[digits & mask]++;
                high[digits >> digit & mask]++;
        }
        add_up(low, digit);
        add_up(high, digit);
        deal_out(m->spare, m->row + 1, m->n, shift, mask, low);
        deal_out(m->row + 1, m->spare, m->n, shift + digit, mask, high);
}

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

/* In so many steps at most. Is it done? */
static bool insert_all(uint64_t *row, uint32_t n, uint64_t steps)
{
        uint64_t before = 0;
        row[0] = 0;
        for (uint64_t *at = row + 1, *end = at + n; at < end; at++) {
                if (*at < before) {
                        const uint64_t took = insert(at);
                        if (took > steps)
                                return false;
                        steps -= took;
                }
                before = *at;
        }
        return true;
}

/* By their first digits, and where that is not enough, by all. */
INLINE void sort(ps_moments *m, unsigned bits, unsigned digit)
{
        sort_by(m, bits > 2 * digit ? bits - 2 * digit : 0, digit);
        if (insert_all(m->row, m->n, STEPS_MOST * (uint64_t)m->n))
                return;
        const unsigned last = 64 - 2 * digit;
        for (unsigned shift = 0; shift < bits; shift += 2 * digit)
                sort_by(m, shift < last ? shift : last, digit);
}

static __attribute__((noinline)) void sort_some(ps_moments *m, unsigned bits)
{
        sort(m, bits, DIGIT);
}

/* Mostly all bits are in use, and where digits lie is known then. */
static __attribute__((noinline)) void sort_many(ps_moments *m, unsigned bits)
{
        if (bits == 64)
                sort(m, 64, DIGIT_MOST);
        else
                sort(m, bits, DIGIT_MOST);
}

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
        else
                (m->n < MANY ? sort_some : sort_many)(m, bits_of(most));
        m->row[m->n + 1] = UINT64_MAX;
        return 0;
}
