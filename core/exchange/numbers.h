/* numbers.h - numbers as bytes, small ones as few: seven bits a byte, the lowest first, and a bit that tells
 * whether more follow. Where as many belong together again and again, a word before them tells how long each
 * is, which takes no questions. For what is only read by the program that wrote it. */
#ifndef PS_CORE_EXCHANGE_NUMBERS_H
#define PS_CORE_EXCHANGE_NUMBERS_H

#include "core/base/vector.h"

#include <stdbool.h>
#include <string.h>

/* {0} is empty; `row` is freed with free(). */
typedef struct ps_numbers {
        uint8_t *row;
        size_t n, cap;
        bool lacks; /* there was no memory: what was put since then is lost */
} ps_numbers;

/* Room for so many bytes more, up to 512; where there is none, what is put is lost. */
static inline bool ps_numbers_have_room(ps_numbers *out, size_t bytes)
{
        enum { FIRST = 512 };
        if (out->cap - out->n < bytes && ps_memory_grow_wide(&out->row, &out->cap, FIRST, 1))
                out->lacks = true;
        return out->cap - out->n >= bytes;
}

static inline void ps_numbers_put(ps_numbers *out, uint64_t number)
{
        enum { MOST = 10 }; /* 64 bits, seven a byte */
        if (!ps_numbers_have_room(out, MOST))
                return;
        uint8_t *at = out->row + out->n;
        for (; number > 127; number >>= 7)
                *at++ = (uint8_t)(number | 128);
        *at++ = (uint8_t)number;
        out->n = (size_t)(at - out->row);
}

/* From *at on, and moves it behind. */
static inline uint64_t ps_numbers_take(const uint8_t **at)
{
        uint64_t number = **at & 127;
        for (unsigned shift = 7; *(*at)++ & 128; shift += 7)
                number |= (uint64_t)(**at & 127) << shift;
        return number;
}

/* Those near 0 on both sides are small. */
static inline void ps_numbers_put_signed(ps_numbers *out, int64_t number)
{
        ps_numbers_put(out, (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0));
}

static inline int64_t ps_numbers_take_signed(const uint8_t **at)
{
        uint64_t number = ps_numbers_take(at);
        return (int64_t)(number >> 1 ^ (number & 1 ? UINT64_MAX : 0));
}

/* What is of one size takes more room as it is, and the fewest instructions: at most 512 bytes. */
static inline void ps_numbers_put_plain(ps_numbers *out, const void *from, size_t bytes)
{
        if (!ps_numbers_have_room(out, bytes))
                return;
        memcpy(out->row + out->n, from, bytes);
        out->n += bytes;
}

static inline void ps_numbers_take_plain(const uint8_t **at, void *to, size_t bytes)
{
        memcpy(to, *at, bytes);
        *at += bytes;
}

/* By how much a number is above the one before it, whatever the two are. */
static inline void ps_numbers_put_step(ps_numbers *out, int64_t number, int64_t *before)
{
        ps_numbers_put_signed(out, (int64_t)((uint64_t)number - (uint64_t)*before));
        *before = number;
}

static inline int64_t ps_numbers_take_step(const uint8_t **at, int64_t *before)
{
        *before = (int64_t)((uint64_t)*before + (uint64_t)ps_numbers_take_signed(at));
        return *before;
}

/* -- up to eight that belong together: three bits of a word tell how many bytes one has beyond the first --
 */

enum { PS_PACKED_MOST = 8, PS_PACKED_LENGTH = 3, PS_PACKED_BITS = PS_PACKED_MOST * PS_PACKED_LENGTH };

/* The bytes of a number, the lowest first. */
static inline uint64_t ps_packed_bytes(uint64_t number)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        number = __builtin_bswap64(number);
#endif
        return number;
}

/* Gives the end of what is put at `at`, where eight bytes are written. */
static inline uint8_t *ps_packed_put(uint8_t *at, uint32_t *lengths, unsigned which, int64_t number)
{
        const uint64_t folded = (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0);
        const uint32_t more = (63 ^ (uint32_t)__builtin_clzll(folded | 1)) / 8;
        const uint64_t bytes = ps_packed_bytes(folded);
        memcpy(at, &bytes, sizeof(bytes));
        *lengths |= more << PS_PACKED_LENGTH * which;
        return at + 1 + more;
}

/* By how much a number is above another one, and the other way round, whatever the two are. */
static inline int64_t ps_packed_step(int64_t number, int64_t above)
{
        return (int64_t)((uint64_t)number - (uint64_t)above);
}

static inline int64_t ps_packed_add(int64_t above, int64_t step)
{
        return (int64_t)((uint64_t)above + (uint64_t)step);
}

static inline uint8_t *ps_packed_put_step(uint8_t *at, uint32_t *lengths, unsigned which, int64_t number,
                                          int64_t above)
{
        return ps_packed_put(at, lengths, which, ps_packed_step(number, above));
}

/* From *at on, where eight bytes can be read, and moves it behind. */
static inline int64_t ps_packed_take(const uint8_t **at, uint32_t lengths, unsigned which)
{
        static const uint64_t masks[] = {UINT64_MAX >> 56, UINT64_MAX >> 48, UINT64_MAX >> 40,
                                         UINT64_MAX >> 32, UINT64_MAX >> 24, UINT64_MAX >> 16,
                                         UINT64_MAX >> 8,  UINT64_MAX};
        const uint32_t more = lengths >> PS_PACKED_LENGTH * which & 7;
        uint64_t bytes;
        memcpy(&bytes, *at, sizeof(bytes));
        *at += 1 + more;
        const uint64_t folded = ps_packed_bytes(bytes) & masks[more];
        return (int64_t)(folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0));
}

static inline int64_t ps_packed_take_step(const uint8_t **at, uint32_t lengths, unsigned which, int64_t above)
{
        return ps_packed_add(above, ps_packed_take(at, lengths, which));
}

/* The same one after the other: up to eight at the end of what was put so far, and from where they were put.
 */
typedef struct ps_packing {
        uint8_t *begin, *at;
        uint32_t lengths;
        unsigned n;
} ps_packing;

/* False: there is no room, and what would have been put is lost. */
static inline bool ps_packing_begin(ps_packing *p, ps_numbers *out)
{
        if (!ps_numbers_have_room(out, sizeof(p->lengths) + PS_PACKED_MOST * sizeof(uint64_t)))
                return false;
        *p = (ps_packing){out->row + out->n, out->row + out->n + sizeof(p->lengths), 0, 0};
        return true;
}

static inline void ps_packing_put(ps_packing *p, int64_t number)
{
        p->at = ps_packed_put(p->at, &p->lengths, p->n++, number);
}

static inline void ps_packing_put_step(ps_packing *p, int64_t number, int64_t *before)
{
        p->at = ps_packed_put_step(p->at, &p->lengths, p->n++, number, *before);
        *before = number;
}

static inline void ps_packing_end(const ps_packing *p, ps_numbers *out)
{
        memcpy(p->begin, &p->lengths, sizeof(p->lengths));
        out->n = (size_t)(p->at - out->row);
}

typedef struct ps_unpacking {
        const uint8_t *at;
        uint32_t lengths;
        unsigned n;
} ps_unpacking;

static inline ps_unpacking ps_unpacking_begin(const uint8_t *at)
{
        ps_unpacking u = {at + sizeof(u.lengths), 0, 0};
        memcpy(&u.lengths, at, sizeof(u.lengths));
        return u;
}

static inline int64_t ps_unpacking_take(ps_unpacking *u)
{
        return ps_packed_take(&u->at, u->lengths, u->n++);
}

static inline int64_t ps_unpacking_take_step(ps_unpacking *u, int64_t *before)
{
        return *before = ps_packed_take_step(&u->at, u->lengths, u->n++, *before);
}

#endif
