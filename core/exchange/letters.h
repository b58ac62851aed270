/* letters.h - what a process writes to each of the others, and hears from them. */
#ifndef PS_CORE_EXCHANGE_LETTERS_H
#define PS_CORE_EXCHANGE_LETTERS_H

#include "core/exchange/exchange.h"
#include "core/exchange/numbers.h"

/* An empty letter to each process. */
ps_status ps_letters_new(ps_numbers **out, const ps_exchange *x, ps_error *err);
/* Room for so many rows of about so many bytes in a letter that is empty, if that is much: what grows leaves
 * what it was in behind. Without memory it stays without room, which is no failure. */
void ps_letter_expect(ps_numbers *letter, uint64_t rows, size_t bytes);
/* Called by all together: each gets what was written to it. `status` is what became of the writing: if
 * anybody failed all do. The letters are gone, their pages for others (memory.h). */
ps_status ps_letters_deal(ps_pile *in, ps_numbers *letters, ps_exchange *x, ps_status status, ps_error *err);
/* The same of large ones, each of which is read as it comes (exchange.h). The pages of those that were sent
 * are for what is made of what came (memory.h). */
ps_status ps_letters_deal_in_turn(ps_numbers *letters, ps_exchange *x, ps_hears *hears, void *ctx,
                                  ps_status status, ps_error *err);
/* The same where they are needed afterwards. */
ps_status ps_letters_deal_copies(ps_pile *in, ps_numbers *letters, ps_exchange *x, ps_status status,
                                 ps_error *err);
void ps_letters_free(ps_numbers *letters, const ps_exchange *x);
/* The same, and their pages are for others. */
void ps_letters_pass_on(ps_numbers *letters, const ps_exchange *x);

#endif
