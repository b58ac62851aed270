/* letters.c - see letters.h. */
#include "core/exchange/letters.h"

#include "core/base/memory.h"

#include <stdlib.h>

ps_status ps_letters_new(ps_numbers **out, const ps_exchange *x, ps_error *err)
{
        *out = calloc(x->size, sizeof(**out));
        return *out ? PS_OK : PS_NOMEM(err, "processes", x->size);
}

void ps_letter_expect(ps_numbers *letter, uint64_t rows, size_t bytes)
{
        if (rows < PS_LARGE_PAGE / 2 / bytes || rows > SIZE_MAX / 2 / bytes)
                return;
        letter->cap = rows * bytes > PS_LARGE_PAGE ? rows * bytes : PS_LARGE_PAGE;
        letter->row = ps_memory_again(letter->cap);
        letter->cap = letter->row ? letter->cap : 0;
}

static ps_status look_at(const ps_numbers *letters, uint32_t size, ps_error *err)
{
        for (uint32_t p = 0; p < size; p++)
                if (letters[p].lacks)
                        return PS_NOMEM(err, "messages to other processes", letters[p].n);
        return PS_OK;
}

static const uint8_t *letter_to(void *letters, uint32_t p, size_t *n)
{
        const ps_numbers *letter = (const ps_numbers *)letters + p;
        *n = letter->n;
        return letter->row;
}

static void drop_letter(void *letters, uint32_t p)
{
        ps_numbers *letter = (ps_numbers *)letters + p;
        free(letter->row);
        *letter = (ps_numbers){.row = NULL};
}

void ps_letters_free(ps_numbers *letters, const ps_exchange *x)
{
        for (uint32_t p = 0; letters && p < x->size; p++)
                drop_letter(letters, p);
        free(letters);
}

void ps_letters_pass_on(ps_numbers *letters, const ps_exchange *x)
{
        for (uint32_t p = 0; letters && p < x->size; p++)
                ps_memory_pass_on(letters[p].row);
        free(letters);
}

static ps_status agree(const ps_numbers *letters, ps_exchange *x, ps_status status, ps_error *err)
{
        PS_THEN(status, look_at(letters, x->size, err));
        return ps_exchange_agree(x, status, err);
}

static ps_status deal(ps_pile *in, ps_numbers *letters, ps_exchange *x,
                      void (*sent)(void *letters, uint32_t p), ps_status status, ps_error *err)
{
        const ps_parts parts = {letter_to, sent, letters};
        *in = (ps_pile){NULL, NULL};
        PS_TRY(agree(letters, x, status, err));
        return ps_exchange_deal_parts(x, in, &parts, err);
}

ps_status ps_letters_deal_copies(ps_pile *in, ps_numbers *letters, ps_exchange *x, ps_status status,
                                 ps_error *err)
{
        return deal(in, letters, x, NULL, status, err);
}

ps_status ps_letters_deal(ps_pile *in, ps_numbers *letters, ps_exchange *x, ps_status status, ps_error *err)
{
        status = deal(in, letters, x, drop_letter, status, err);
        ps_letters_free(letters, x);
        return status;
}

ps_status ps_letters_deal_in_turn(ps_numbers *letters, ps_exchange *x, ps_hears *hears, void *ctx,
                                  ps_status status, ps_error *err)
{
        const ps_parts parts = {letter_to, drop_letter, letters};
        status = agree(letters, x, status, err);
        PS_THEN(status, ps_exchange_deal_in_turn(x, &parts, hears, ctx, err));
        ps_letters_free(letters, x);
        return status;
}
