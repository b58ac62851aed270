/* lengths.c - where calls differ mostly in how long their messages are, rows have lengths of their own.
 *
 * What a call says takes as much as six lengths, so that a table of all that they say is the smaller one as
 * long as lengths come again and again. */
#include "core/base/blocks.h"
#include "core/fold/builder.h"

#include <stdlib.h>

/* So few calls take next to nothing, also while the location is read. Where one comes for ROWS_A_CALL rows or
 * less, their lengths take no more; if there are CALLS_A_PLACE for each that says something else than the
 * length. */
enum { FEW = 32, FEW_AT_FIRST = 256, ROWS_A_CALL = 8, CALLS_A_PLACE = 4 };

/* What the call says but for its length, if a row can have that. */
static struct ps_call place_of_call(const struct ps_call *call)
{
        struct ps_call place = *call;
        if (place.bytes <= UINT32_MAX) {
                place.bytes = 0;
                place.varies = 1;
        }
        return place;
}

/* Are these calls of few places? `places` has them then, and `number`, if it is asked for, which each has.
 * Those that were added are of a path each, but for one. */
static bool find_places(const struct ps_calls *calls, struct ps_calls *places, uint32_t *number)
{
        if (calls->n_added > calls->list.n / CALLS_A_PLACE + 1)
                return false;
        for (uint32_t i = 0; i < calls->list.n; i++) {
                const struct ps_call place = place_of_call(&calls->list.row[i]);
                uint32_t at = ps_calls_number(places, &place);
                if (at >= calls->list.n / CALLS_A_PLACE)
                        return false;
                if (number)
                        number[i] = at;
        }
        return true;
}

static bool are_many(const ps_builder *b)
{
        return b->calls.list.n > FEW && b->calls.list.n > b->n_rows / ROWS_A_CALL;
}

/* A call is new. From the next one on rows may have lengths of their own: those before keep their calls. */
static void look_at_lengths(ps_builder *b)
{
        const uint32_t n = b->calls.list.n;
        if (n < FEW_AT_FIRST || (n & (n - 1)) != 0 || !are_many(b))
                return;
        struct ps_calls places = {0};
        b->ops.has_length = find_places(&b->calls, &places, NULL);
        ps_calls_free(&places);
}

uint32_t ps_lengths_number(ps_builder *b, const struct ps_call *call)
{
        if (b->ops.has_length) {
                const struct ps_call place = place_of_call(call);
                return ps_calls_number(&b->calls, &place);
        }
        const uint32_t n = b->calls.list.n, number = ps_calls_number(&b->calls, call);
        if (b->calls.list.n != n)
                look_at_lengths(b);
        return number;
}

static void move_to_places(ps_builder *b, const struct ps_call *calls, const uint32_t *number)
{
        for (ps_op op = 0; op < b->n_rows; op++) {
                uint32_t *call = &CELL(b, call, op);
                if (op % ROW_FRESH == 0)
                        ps_blocks_keep();
                CELL(b, length, op) = (uint32_t)calls[*call].bytes;
                *call = number[*call];
        }
}

/* Without memory for that all stays as it is. */
void ps_lengths_settle(ps_builder *b)
{
        if (b->ops.has_length || !are_many(b))
                return;
        struct ps_calls places = {0};
        uint32_t *number = malloc(b->calls.list.n * sizeof(*number));
        if (number && find_places(&b->calls, &places, number)) {
                move_to_places(b, b->calls.list.row, number);
                ps_calls_free(&b->calls);
                b->calls = places;
                b->ops.has_length = true;
        } else {
                ps_calls_free(&places);
        }
        free(number);
}
