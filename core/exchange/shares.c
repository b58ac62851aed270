/* shares.c - see shares.h. */
#include "core/exchange/shares.h"

/* Each of ours takes the next one as long as that brings it nearer to its part of what is left. */
void ps_shares_deal(uint32_t *owner, const uint64_t *weight, uint32_t n, uint32_t first, uint32_t n_ours)
{
        uint64_t left = 0, load = 0;
        for (uint32_t i = 0; i < n; i++)
                left += weight[i];
        for (uint32_t i = 0, ours = first; i < n; i++) {
                if (load && ours + 1 < n_ours && load + weight[i] / 2 > left / (n_ours - ours)) {
                        left -= load;
                        load = 0;
                        ours++;
                }
                load += weight[i];
                owner[i] = ours;
        }
}
