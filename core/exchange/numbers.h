/* numbers.h - numbers as bytes, small ones as few: seven bits a byte, the lowest first, and a bit that tells
 * whether more follow. For what is only read by the program that wrote it. */
#ifndef PS_CORE_EXCHANGE_NUMBERS_H
#define PS_CORE_EXCHANGE_NUMBERS_H

#include "core/base/vector.h"

#include <stdbool.h>

/* {0} is empty; `row` is freed with free(). */
typedef struct ps_numbers {
        uint8_t *row;
        size_t n, cap;
        bool lacks; /* there was no memory: what was put since then is lost */
} ps_numbers;

/* Room for one more of any size; where there is none, what is put is lost. */
static inline bool ps_numbers_have_room(ps_numbers *out)
{
        enum { MOST = 10, FIRST = 64 }; /* 64 bits, seven a byte */
        if (out->cap - out->n < MOST && ps_memory_grow_wide(&out->row, &out->cap, FIRST, 1))
                out->lacks = true;
        return out->cap - out->n >= MOST;
}

static inline void ps_numbers_put(ps_numbers *out, uint64_t number)
{
        if (!ps_numbers_have_room(out))
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

#endif
