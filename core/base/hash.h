/* hash.h - one mixing function for every hash table: inputs come from traces, so neighbouring and chosen keys
 * alike must spread over all bits. */
#ifndef PS_CORE_BASE_HASH_H
#define PS_CORE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The finaliser of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static inline uint64_t ps_hash_mix(uint64_t x)
{
        x ^= x >> 30;
        x *= UINT64_C(0xbf58476d1ce4e5b9);
        x ^= x >> 27;
        x *= UINT64_C(0x94d049bb133111eb);
        return x ^ (x >> 31);
}

static inline uint64_t ps_hash_pair(uint64_t a, uint64_t b)
{
        return ps_hash_mix(ps_hash_mix(a + UINT64_C(0x9e3779b97f4a7c15)) ^ b);
}

static inline uint64_t ps_hash_bytes(const void *data, size_t len)
{
        const unsigned char *p = data;
        uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a, then mixed */
        for (size_t i = 0; i < len; i++)
                /* Callers fill what they hash, which is not seen across files. */
                // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult)
                h = (h ^ p[i]) * UINT64_C(0x100000001b3);
        return ps_hash_mix(h);
}

#endif
