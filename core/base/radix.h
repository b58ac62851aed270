/* radix.h - sorting many rows by numbers in them, a digit at a time: the work does not grow faster than the
 * rows, and what is equal keeps its order. Rows in a file (blocks.h) are sorted in runs that fit into memory,
 * which are then merged: all that a digit, or a number of a row far away, would take one page after the other
 * for. */
#ifndef PS_CORE_BASE_RADIX_H
#define PS_CORE_BASE_RADIX_H

#include "core/base/blocks.h"
#include "core/base/heap.h"
#include "core/base/memory.h"
#include "core/base/space.h"

#include <stdlib.h>
#include <string.h>

typedef uint64_t ps_row_number(const void *row);

/* Of many rows more bits are a digit. */
enum { PS_RADIX_BITS = 8, PS_RADIX_BITS_MANY = 11, PS_RADIX_BITS_MOST = 13 };
enum { PS_RADIX_MANY = 4096, PS_RADIX_VERY_MANY = 65536 };

/* So many bits are a digit of n numbers of which these bits differ: as few as make no digit more. */
static inline unsigned ps_radix_digit_bits(size_t n, unsigned differ)
{
        unsigned most = n < PS_RADIX_MANY        ? PS_RADIX_BITS
                        : n < PS_RADIX_VERY_MANY ? PS_RADIX_BITS_MANY
                                                 : PS_RADIX_BITS_MOST;
        unsigned n_digits = (differ + most - 1) / most;
        return n_digits ? (differ + n_digits - 1) / n_digits : most;
}

typedef struct ps_radix_entry {
        uint64_t key;
        size_t row;
} ps_radix_entry;

static inline void ps_radix_by_digit(const ps_radix_entry *from, ps_radix_entry *to, size_t n, unsigned shift,
                                     size_t mask)
{
        size_t at[1 << PS_RADIX_BITS_MOST], sum = 0;
        memset(at, 0, (mask + 1) * sizeof(*at));
#pragma GCC unroll 4
        for (size_t i = 0; i < n; i++)
                at[from[i].key >> shift & mask]++;
        for (size_t digit = 0; digit <= mask; digit++) {
                size_t count = at[digit];
                at[digit] = sum;
                sum += count;
        }
#pragma GCC unroll 4
        for (size_t i = 0; i < n; i++)
                to[at[from[i].key >> shift & mask]++] = from[i];
}

/* Digits in which all are alike are passed over, and so are numbers that are in order. */
static inline void ps_radix_by_key(ps_radix_entry **order, ps_radix_entry **spare, size_t n, const char *rows,
                                   size_t size, ps_row_number *key)
{
        uint64_t differ = 0, last = 0, falls = 0;
        for (size_t i = 0; i < n; i++) {
                ps_blocks_keep();
                uint64_t number = (*order)[i].key = key(rows + (*order)[i].row * size);
                differ |= number ^ (*order)[0].key;
                falls |= number < last;
                last = number;
        }
        if (!falls)
                return;
        unsigned shift = (unsigned)__builtin_ctzll(differ), end = 64 - (unsigned)__builtin_clzll(differ);
        unsigned bits = ps_radix_digit_bits(n, end - shift);
        size_t mask = ((size_t)1 << bits) - 1;
        for (; shift < end; shift += bits) {
                if (!(differ >> shift & mask))
                        continue;
                ps_radix_by_digit(*order, *spare, n, shift, mask);
                ps_radix_entry *sorted = *spare;
                *spare = *order;
                *order = sorted;
        }
}

static inline bool ps_radix_is_in_order(const char *rows, size_t n, size_t size, ps_row_number *const *keys,
                                        unsigned n_keys)
{
        bool is_in_order = true;
        for (size_t i = 1; i < n && is_in_order; i++) {
                const char *row = rows + i * size;
                ps_blocks_keep();
                for (unsigned k = 0; k < n_keys; k++) {
                        const uint64_t before = keys[k](row - size), number = keys[k](row);
                        if (before != number) {
                                is_in_order = before < number;
                                break;
                        }
                }
        }
        return is_in_order;
}

static inline void *ps_radix_room(size_t n, size_t size)
{
        return n > SIZE_MAX / size ? NULL : ps_memory_new(n * size);
}

/* The same of rows that are in memory. */
static inline int ps_radix_sort_run(void *rows, size_t n, size_t size, ps_row_number *const *keys,
                                    unsigned n_keys)
{
        if (ps_radix_is_in_order(rows, n, size, keys, n_keys))
                return 0;
        ps_radix_entry *order = ps_radix_room(n, sizeof(*order)), *spare = ps_radix_room(n, sizeof(*spare));
        char *copy = ps_radix_room(n, size);
        int result = order && spare && copy ? 0 : -1;
        for (size_t i = 0; i < n && !result; i++)
                order[i].row = i;
        for (unsigned k = n_keys; k-- > 0 && !result;)
                ps_radix_by_key(&order, &spare, n, rows, size, keys[k]);
        for (size_t i = 0; i < n && !result; i++) {
                ps_blocks_keep();
                memcpy(copy + i * size, (const char *)rows + order[i].row * size, size);
        }
        if (!result)
                memcpy(rows, copy, n * size);
        free(order);
        free(spare);
        free(copy);
        return result;
}

/* -- rows in a file -- */

enum { PS_RADIX_RUN_BYTES = 4 << 20 };

/* Rows in order, of which those before `at` have been taken. */
typedef struct ps_radix_run {
        const char *at, *end;
        ps_row_number *const *keys;
        unsigned n_keys;
} ps_radix_run;

/* Runs lie one behind the other: of equal rows, the one that stood before. */
static inline bool ps_radix_is_before(const ps_radix_run *a, const ps_radix_run *b)
{
        for (unsigned k = 0; k < a->n_keys; k++) {
                uint64_t own = a->keys[k](a->at), other = b->keys[k](b->at);
                if (own != other)
                        return own < other;
        }
        return a->at < b->at;
}

PS_HEAP(ps_radix_run, ps_radix_run, ps_radix_is_before)

static inline void ps_radix_merge(char *to, ps_radix_run *runs, uint32_t n_runs, size_t size)
{
        while (n_runs) {
                ps_blocks_keep();
                ps_radix_run next = runs[0];
                memcpy(to, next.at, size);
                to += size;
                next.at += size;
                if (next.at == next.end)
                        next = runs[--n_runs];
                ps_radix_run_sink(runs, n_runs, 0, next);
        }
}

static inline int ps_radix_sort_runs(void *rows, size_t n, size_t size, ps_row_number *const *keys,
                                     unsigned n_keys)
{
        size_t n_run = PS_RADIX_RUN_BYTES / size + 1, n_runs = (n - 1) / n_run + 1;
        ps_radix_run *runs = n_runs > UINT32_MAX ? NULL : calloc(n_runs, sizeof(*runs));
        char *copy = ps_radix_room(n, size);
        int result = runs && copy ? 0 : -1;
        if (!result)
                ps_blocks_copy(copy, rows, n * size);
        for (uint32_t i = 0; i < n_runs && !result; i++) {
                size_t first = i * n_run, end = n - first < n_run ? n : first + n_run;
                ps_radix_run run = {copy + first * size, copy + end * size, keys, n_keys};
                result = ps_radix_sort_run(copy + first * size, end - first, size, keys, n_keys);
                if (!result)
                        ps_radix_run_rise(runs, i, run);
        }
        if (!result)
                ps_radix_merge(rows, runs, (uint32_t)n_runs, size);
        free(runs);
        free(copy);
        return result;
}

/* Sorts n rows of `size` bytes by the first of n_keys numbers, rows for which that is equal by the next one.
 * Returns 0, or -1 when there is no memory: then nothing has changed. */
static inline int ps_radix_sort(void *rows, size_t n, size_t size, ps_row_number *const *keys,
                                unsigned n_keys)
{
        if (n < 2)
                return 0;
        return ps_space_holds(rows) ? ps_radix_sort_runs(rows, n, size, keys, n_keys)
                                    : ps_radix_sort_run(rows, n, size, keys, n_keys);
}

/* What stands in place k of n numbers in order; where they stand is lost. A digit after the other, of those
 * that have the digits before it. */
static inline uint64_t ps_radix_select(uint64_t *number, size_t n, size_t k)
{
        const size_t mask = (1 << PS_RADIX_BITS_MANY) - 1;
        uint64_t differ = 0;
        for (size_t i = 0; i < n; i++)
                differ |= number[i] ^ number[0];
        unsigned bits = differ ? 64 - (unsigned)__builtin_clzll(differ) : 0;
        while (bits && n > 1) {
                size_t count[1 << PS_RADIX_BITS_MANY] = {0}, digit = 0, left = 0;
                bits -= bits < PS_RADIX_BITS_MANY ? bits : PS_RADIX_BITS_MANY;
                for (size_t i = 0; i < n; i++)
                        count[number[i] >> bits & mask]++;
                for (; count[digit] <= k; digit++)
                        k -= count[digit];
                for (size_t i = 0; i < n; i++) {
                        number[left] = number[i];
                        left += (number[i] >> bits & mask) == digit;
                }
                n = left;
        }
        return number[0];
}

/* The same order as of the signed number, or of a double that is a number. */
static inline uint64_t ps_radix_signed(int64_t value)
{
        return (uint64_t)value ^ UINT64_C(1) << 63;
}

static inline uint64_t ps_radix_double(double value)
{
        uint64_t bits;
        memcpy(&bits, &value, sizeof(bits));
        return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static inline double ps_radix_to_double(uint64_t number)
{
        uint64_t bits = number >> 63 ? number ^ UINT64_C(1) << 63 : ~number;
        double value;
        memcpy(&value, &bits, sizeof(value));
        return value;
}

#endif
