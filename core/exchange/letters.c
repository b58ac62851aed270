/* letters.c - see letters.h. */
#include "core/exchange/letters.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

ps_status ps_letters_new(ps_numbers **out, const ps_exchange *x, ps_error *err)
{
        *out = calloc(x->size, sizeof(**out));
        return *out ? PS_OK : PS_NOMEM(err, "processes", x->size);
}

/* One behind the other. */
static ps_status put_together(ps_pile *out, ps_numbers *letters, uint32_t size, ps_error *err)
{
        size_t n = 0;
        out->end = calloc(size, sizeof(*out->end));
        if (!out->end)
                return PS_NOMEM(err, "processes", size);
        for (uint32_t p = 0; p < size; p++) {
                if (letters[p].lacks)
                        return PS_NOMEM(err, "messages to other processes", letters[p].n);
                out->end[p] = n += letters[p].n;
        }
        out->bytes = ps_memory_new(n + 1);
        if (!out->bytes)
                return PS_NOMEM(err, "messages to other processes", n);
        for (uint32_t p = 0; p < size; p++) {
                if (letters[p].n)
                        memcpy(out->bytes + out->end[p] - letters[p].n, letters[p].row, letters[p].n);
                free(letters[p].row);
                letters[p].row = NULL;
        }
        return PS_OK;
}

ps_status ps_letters_deal(ps_pile *in, ps_numbers *letters, ps_exchange *x, ps_status status, ps_error *err)
{
        ps_pile out = {NULL, NULL};
        *in = (ps_pile){NULL, NULL};
        PS_THEN(status, put_together(&out, letters, x->size, err));
        for (uint32_t p = 0; letters && p < x->size; p++)
                free(letters[p].row);
        free(letters);
        status = ps_exchange_agree(x, status, err);
        PS_THEN(status, ps_exchange_deal(x, in, &out, err));
        ps_pile_clear(&out);
        return status;
}
