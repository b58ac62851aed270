/* moments.c - see moments.h.
 *
 * One pass deals them out to about as many buckets as there are numbers, and what is left to do within a
 * bucket is a few steps of an insertion sort: they come a location after the other, in order already. Where
 * they crowd in few buckets, a radix sort takes the same work however they do. */
#include "core/order/moments.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 16, CROWD = 64, BITS_LEAST = 6, DIGIT_BITS = 12, DIGITS = 1 << DIGIT_BITS };

void ps_moments_free(ps_moments *m)
{
        free(m->row);
        free(m->spare);
        free(m->place);
}

static int make_room(void *rows, uint32_t *cap, uint32_t n, size_t size)
{
        while (*cap < n)
                if (ps_memory_grow(rows, cap, n, size))
                        return -1;
        return 0;
}

int ps_moments_room(ps_moments *m, uint32_t n)
{
        return make_room(&m->row, &m->cap, n, sizeof(*m->row));
}

static void insert_all(uint64_t *row, uint32_t n)
{
        uint64_t last = 0;
        for (uint32_t i = 0; i < n; i++) {
                uint64_t number = row[i], *at = &row[i];
                if (last <= number) {
                        last = number;
                        continue;
                }
                for (; at > row && at[-1] > number; at--)
                        *at = at[-1];
                *at = number;
        }
}

/* How many there are in each bucket of the bits from `shift` on. */
static void count(ps_moments *m, unsigned shift, uint64_t mask)
{
        const uint64_t *row = m->row;
        uint32_t *place = m->place;
        memset(place, 0, (size_t)(mask + 1) * sizeof(*place));
        for (uint32_t i = 0, n = m->n; i < n; i++)
                place[row[i] >> shift & mask]++;
}

/* Where each bucket begins. Returns less than a power of two if each has less. */
static uint32_t add_up(ps_moments *m, uint64_t mask)
{
        uint32_t sum = 0, bits = 0, *place = m->place;
        for (uint64_t bucket = 0; bucket <= mask; bucket++) {
                uint32_t n = place[bucket];
                place[bucket] = sum;
                sum += n;
                bits |= n;
        }
        return bits;
}

static void deal_out(ps_moments *m, unsigned shift, uint64_t mask)
{
        const uint64_t *row = m->row;
        uint64_t *to = m->spare;
        uint32_t *place = m->place, cap = m->n_spare;
        for (uint32_t i = 0, n = m->n; i < n; i++) {
                uint64_t number = row[i];
                to[place[number >> shift & mask]++] = number;
        }
        m->spare = m->row;
        m->n_spare = m->cap;
        m->row = to;
        m->cap = cap;
}

int ps_moments_sort(ps_moments *m, uint64_t most)
{
        unsigned bits = BITS_LEAST, shift = 0;

        if (m->n <= FEW) {
                insert_all(m->row, m->n);
                return 0;
        }
        while (bits < 31 && m->n >> bits)
                bits++;
        while (most >> shift >> bits)
                shift++;
        uint64_t mask = (UINT64_C(1) << bits) - 1;
        if (make_room(&m->spare, &m->n_spare, m->n, sizeof(*m->spare)) ||
            make_room(&m->place, &m->n_place, mask < DIGITS ? DIGITS : (uint32_t)mask + 1, sizeof(*m->place)))
                return -1;
        count(m, shift, mask);
        if (add_up(m, mask) < CROWD) {
                deal_out(m, shift, mask);
                insert_all(m->row, m->n);
                return 0;
        }
        for (shift = 0; shift < 64 && most >> shift; shift += DIGIT_BITS) {
                count(m, shift, DIGITS - 1);
                (void)add_up(m, DIGITS - 1);
                deal_out(m, shift, DIGITS - 1);
        }
        return 0;
}
