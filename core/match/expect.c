/* expect.c - see expect.h. */
#include "core/match/expect.h"

#include "core/exchange/letters.h"
#include "core/match/ends.h"

/* A prime, which no loop of a program has as many calls as: each of them is met. */
enum { EVERY = 31 };

/* In `n` of each letter, which holds nothing yet. */
static void count_location(ps_numbers *letters, const ps_trace *trace, ps_loc location, const uint32_t *owner,
                           bool (*which)(uint8_t kind))
{
        const ps_ops *ops = &trace->ops[location];
        for (size_t op = 0; op < ops->n; op += EVERY) {
                const ps_proc other =
                        which(ops->kind[op]) ? process_of(trace, ops->calls[ops->call[op]].peer) : PS_NONE;
                if (other != PS_NONE)
                        letters[owner[other]].n++;
        }
}

void ps_letters_expect(ps_numbers *letters, const ps_trace *trace, const uint32_t *owner,
                       const ps_exchange *x, bool (*which)(uint8_t kind), size_t bytes)
{
        enum { FEW = 64 };
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                const ps_proc process = process_of(trace, l);
                if (process < trace->defs.processes.n && owner[process] == x->rank)
                        count_location(letters, trace, l, owner, which);
        }
        for (uint32_t p = 0; p < x->size; p++) {
                ps_numbers *letter = &letters[p];
                const size_t n = letter->n * EVERY;
                letter->n = 0;
                if (n && p != x->rank)
                        ps_letter_expect(letter, n + n / FEW + FEW, bytes);
        }
}
