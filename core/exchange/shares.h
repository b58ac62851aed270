/* shares.h - which of ours works on what, where it stands in a row and neighbours have most to do with each
 * other. */
#ifndef PS_CORE_EXCHANGE_SHARES_H
#define PS_CORE_EXCHANGE_SHARES_H

#include <stdint.h>

/* Each of `n_ours` from `first` on gets some that follow each other, so that all get about the same weight.
 * The owners count up from it without a gap; the last of ours may get nothing. */
void ps_shares_deal(uint32_t *owner, const uint64_t *weight, uint32_t n, uint32_t first, uint32_t n_ours);

#endif
