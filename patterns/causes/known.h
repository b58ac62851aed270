/* known.h - the findings of a location by what they are about: a finding and a wait of it have the same key.
 */
#ifndef PS_PATTERNS_CAUSES_KNOWN_H
#define PS_PATTERNS_CAUSES_KNOWN_H

#include "core/base/types.h"

#include <stdint.h>

/* Open addressing, at most half full. */
struct known {
        struct place {
                uint32_t key, finding; /* PS_NONE: none */
        } * at;
        uint32_t mask; /* of a place's number */
        unsigned shift;
};

/* Even where there are few, hardly any two of them have the same place. */
enum { KNOWN_BITS = 5 };

static inline unsigned bits_for(uint32_t n)
{
        unsigned bits = n ? KNOWN_BITS : 1;
        while (((uint64_t)1 << bits) < 2 * (uint64_t)n)
                bits++;
        return bits;
}

/* That of the key, or the free one where it belongs. */
static inline struct place *place_of(const struct known *known, uint32_t key)
{
        uint32_t k = key * UINT32_C(0x9e3779b9) >> known->shift;
        while (known->at[k].key != key && known->at[k].finding != PS_NONE)
                k = (k + 1) & known->mask;
        return &known->at[k];
}

#endif
