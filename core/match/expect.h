/* expect.h - about how large letters about messages become: what grows leaves what it was in behind. */
#ifndef PS_CORE_MATCH_EXPECT_H
#define PS_CORE_MATCH_EXPECT_H

#include "core/exchange/exchange.h"
#include "core/exchange/numbers.h"
#include "core/model/trace.h"

/* Room for `bytes` of each message of which one end is here and the other one in another process of ours, as
 * far as samples of the rows tell; `which`: by kind, which rows count. `owner` is by process of the program.
 * The letters are empty; without memory they stay without room, which is no failure. */
void ps_letters_expect(ps_numbers *letters, const ps_trace *trace, const uint32_t *owner,
                       const ps_exchange *x, bool (*which)(uint8_t kind), size_t bytes);

#endif
