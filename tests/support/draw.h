/* draw.h - numbers that are the same in every run, as if by chance. */
#ifndef PS_TESTS_SUPPORT_DRAW_H
#define PS_TESTS_SUPPORT_DRAW_H

#include <stdint.h>

static inline uint64_t draw(uint64_t *seed, uint64_t below)
{
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        return (*seed >> 33) % below;
}

#endif
