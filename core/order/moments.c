/* moments.c - see moments.h.
 *
 * They are dealt out to about half as many buckets as there are numbers, and what is left to do within a
 * bucket is a few steps of an insertion sort, at once: in front of what is dealt out there is a smaller
 * number, or a 0 where there is none yet. What crowds in a bucket is dealt out by itself. */
#include "core/order/moments.h"

#include "core/base/vector.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CROWD = 64, BITS_LEAST = 6, BITS_MOST = 24 };

/* Numbers that lie together, but not in order. */
typedef struct ps_moments_part {
        uint32_t first, n;
} part;

void ps_moments_free(ps_moments *m)
{
        free(m->row);
        free(m->spare);
        free(m->count);
        free(m->place);
        free(m->crowd);
}

/* What is new is 0; the first `n_kept` stay. */
static int make_room(uint64_t **row, uint32_t *cap, uint32_t n, uint32_t n_kept)
{
        if (n <= *cap)
                return 0;
        uint32_t twice = *cap < UINT32_MAX / 2 ? *cap * 2 : UINT32_MAX, more = n > twice ? n : twice;
        uint64_t *rows = ps_memory_zeroed(more, sizeof(*rows));
        if (!rows)
                return -1;
        if (n_kept)
                memcpy(rows, *row, n_kept * sizeof(*rows));
        free(*row);
        *row = rows;
        *cap = more;
        return 0;
}

static int make_buckets(ps_moments *m, uint32_t n)
{
        uint32_t was = m->cap_buckets, cap = was, cap_place = was;
        while (cap < n)
                if (ps_memory_grow(&m->count, &cap, n, sizeof(*m->count)))
                        return -1;
        while (cap_place < cap)
                if (ps_memory_grow(&m->place, &cap_place, cap, sizeof(*m->place)))
                        return -1;
        if (cap > was)
                memset(m->count + was, 0, (cap - was) * sizeof(*m->count));
        m->cap_buckets = cap;
        return 0;
}

/* Of numbers from 0 to `most` in about n / 2 buckets. */
static unsigned shift_for(uint64_t most, uint64_t n)
{
        unsigned bits = BITS_LEAST, shift = 0;
        while (bits < BITS_MOST && n >> bits >> 1)
                bits++;
        while (most >> shift >> bits)
                shift++;
        return shift;
}

/* One in front of them, and one behind them. */
int ps_moments_room(ps_moments *m, uint32_t n)
{
        return n < UINT32_MAX - 2 ? make_room(&m->row, &m->cap, n + 2, m->cap) : -1;
}

/* How many of them, which are from `least` to `most`, are in each bucket. */
static int count(ps_moments *m, part p, uint64_t least, uint64_t most)
{
        const uint64_t *row = m->row + p.first, *end = row + p.n;
        const unsigned shift = shift_for(most - least, p.n);
        m->shift = shift;
        m->n_buckets = (uint32_t)((most - least) >> shift) + 1;
        if (make_buckets(m, m->n_buckets))
                return -1;
        for (uint32_t *n_in = m->count; row < end; row++)
                n_in[(*row - least) >> shift]++;
        return 0;
}

/* Where each bucket begins, of which nothing is counted then. Returns less than a power of two if each has
 * less. */
static uint32_t add_up(ps_moments *m, uint32_t first)
{
        uint32_t *count = m->count, *place = m->place, bits = 0;
        for (uint32_t bucket = 0, end = m->n_buckets; bucket < end; bucket++) {
                uint32_t n = count[bucket];
                count[bucket] = 0;
                place[bucket] = first;
                first += n;
                bits |= n;
        }
        return bits;
}

/* What is left behind in its place is 0. */
static void deal_out_in_order(ps_moments *m)
{
        uint64_t *to = m->spare;
        uint32_t *place = m->place;
        const unsigned shift = m->shift;
        for (uint64_t *from = m->row + 1, *end = from + m->n; from < end; from++) {
                uint64_t number = *from;
                uint32_t *bucket = &place[number >> shift], i = *bucket;
                uint64_t *at = to + i;
                *from = 0;
                *bucket = i + 1;
                for (; at[-1] > number; at--)
                        *at = at[-1];
                *at = number;
        }
}

/* Each bucket ends at its place now. */
static int note_crowds(ps_moments *m, uint32_t begin)
{
        for (uint32_t bucket = 0; bucket < m->n_buckets; bucket++) {
                uint32_t end = m->place[bucket];
                if (end - begin >= CROWD &&
                    PS_APPEND(m->crowd, m->n_crowd, m->cap_crowd, (part){begin, end - begin}))
                        return -1;
                begin = end;
        }
        return 0;
}

static int deal_out(ps_moments *m, part p, uint64_t least)
{
        for (uint32_t i = p.first; i < p.first + p.n; i++)
                m->spare[m->place[(m->row[i] - least) >> m->shift]++] = m->row[i];
        return note_crowds(m, p.first);
}

/* The least and the most of them are not in one bucket: so they become less. */
static int sort_part(ps_moments *m, part p, uint64_t least, uint64_t most)
{
        if (count(m, p, least, most))
                return -1;
        (void)add_up(m, p.first);
        int lacks = deal_out(m, p, least);
        memcpy(m->row + p.first, m->spare + p.first, p.n * sizeof(*m->row));
        return lacks;
}

static int sort_crowd(ps_moments *m, part p)
{
        uint64_t least = UINT64_MAX, most = 0;
        bool is_sorted = true;
        for (uint32_t i = p.first; i < p.first + p.n; i++) {
                is_sorted &= i == p.first || m->row[i - 1] <= m->row[i];
                least = m->row[i] < least ? m->row[i] : least;
                most = m->row[i] > most ? m->row[i] : most;
        }
        return is_sorted ? 0 : sort_part(m, p, least, most);
}

static void insert_all(uint64_t *row, uint32_t n)
{
        for (uint32_t i = 1; i <= n; i++) {
                uint64_t number = row[i], *at = &row[i];
                for (; at[-1] > number; at--)
                        *at = at[-1];
                *at = number;
        }
}

static void swap(ps_moments *m)
{
        uint64_t *row = m->row;
        uint32_t cap = m->cap, n = m->n_dirty;
        m->row = m->spare;
        m->spare = row;
        m->cap = m->cap_spare;
        m->cap_spare = cap;
        m->n_dirty = m->n_dirty_spare;
        m->n_dirty_spare = n;
}

static void clean(uint64_t *row, uint32_t first, uint32_t *n_dirty)
{
        if (*n_dirty > first)
                memset(row + first, 0, (*n_dirty - first) * sizeof(*row));
        *n_dirty = 0;
}

static int sort_crowds(ps_moments *m)
{
        int lacks = deal_out(m, (part){1, m->n}, 0);
        swap(m);
        while (m->n_crowd && !lacks)
                lacks = sort_crowd(m, m->crowd[--m->n_crowd]);
        m->n_crowd = 0;
        insert_all(m->row, m->n);
        return lacks;
}

static int make_spare(ps_moments *m)
{
        if (m->cap > m->cap_spare)
                m->n_dirty_spare = 0;
        return make_room(&m->spare, &m->cap_spare, m->cap, 0);
}

int ps_moments_sort(ps_moments *m, uint64_t most)
{
        const uint32_t end = m->n + 1;
        if (ps_moments_room(m, m->n) || make_spare(m) || count(m, (part){1, m->n}, 0, most))
                return -1;
        m->n_dirty = m->n_dirty > end ? m->n_dirty : end;
        if (add_up(m, 1) < CROWD) {
                clean(m->spare, 1, &m->n_dirty_spare);
                deal_out_in_order(m);
                clean(m->row, end, &m->n_dirty);
                swap(m);
        } else if (sort_crowds(m)) {
                return -1;
        }
        m->row[end] = UINT64_MAX;
        m->n_dirty = m->n_dirty > end + 1 ? m->n_dirty : end + 1;
        return 0;
}
