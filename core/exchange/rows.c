/* rows.c - see rows.h. What belongs to this process stays in its place. */
#include "core/exchange/rows.h"

#include "core/base/memory.h"
#include "core/exchange/letters.h"

#include <stdlib.h>
#include <string.h>

static void put_row(ps_numbers *text, const uint8_t *row, int64_t *last, size_t words)
{
        for (size_t i = 0; i < words; i++) {
                int64_t word;
                memcpy(&word, row + i * sizeof(word), sizeof(word));
                ps_numbers_put_step(text, word, &last[i]);
        }
}

static ps_status tell_rows(ps_numbers *letters, const ps_exchange *x, ps_dealt_rows *rows,
                           const ps_rows_deal *how, ps_error *err)
{
        size_t size = how->words * sizeof(int64_t);
        int64_t *last = calloc(x->size, size);
        uint8_t *to = rows->row;
        uint32_t n = rows->n;
        if (!last)
                return PS_NOMEM(err, "processes", x->size);
        rows->n = 0;
        for (uint32_t i = 0; i < n; i++) {
                const uint8_t *row = (const uint8_t *)rows->row + i * size;
                uint32_t whose = how->to(how->ctx, row);
                if (whose != x->rank) {
                        put_row(&letters[whose], row, last + whose * how->words, how->words);
                        continue;
                }
                memmove(to, row, size);
                to += size;
                rows->n++;
        }
        free(last);
        return PS_OK;
}

static ps_status hear_rows(ps_dealt_rows *rows, const ps_pile *in, uint32_t p, const ps_rows_deal *how,
                           int64_t *last, ps_error *err)
{
        size_t n, size = how->words * sizeof(*last);
        const uint8_t *at = ps_pile_part(in, p, &n), *end = at + n;
        memset(last, 0, size);
        while (at < end) {
                if (ps_memory_room(&rows->row, rows->n, &rows->cap, 16, size))
                        return PS_NOMEM(err, "rows of other processes", rows->n);
                for (size_t i = 0; i < how->words; i++)
                        ps_numbers_take_step(&at, &last[i]);
                memcpy((uint8_t *)rows->row + rows->n++ * size, last, size);
        }
        return PS_OK;
}

static ps_status hear_all(ps_dealt_rows *rows, const ps_pile *in, uint32_t size, const ps_rows_deal *how,
                          ps_error *err)
{
        int64_t *last = malloc(how->words * sizeof(*last));
        ps_status status = last ? PS_OK : PS_NOMEM(err, "rows of other processes", how->words);
        for (uint32_t p = 0; p < size && status == PS_OK; p++)
                status = hear_rows(rows, in, p, how, last, err);
        free(last);
        return status;
}

static bool is_empty(const ps_numbers *letters, uint32_t size)
{
        for (uint32_t p = 0; p < size; p++)
                if (letters[p].n || letters[p].lacks)
                        return false;
        return true;
}

ps_status ps_exchange_rows(ps_exchange *x, ps_dealt_rows *rows, const ps_rows_deal *how, ps_status status,
                           ps_error *err)
{
        ps_numbers *letters = NULL;
        ps_pile in;
        PS_THEN(status, ps_letters_new(&letters, x, err));
        PS_THEN(status, tell_rows(letters, x, rows, how, err));
        if (!ps_exchange_any(x, status != PS_OK || !is_empty(letters, x->size))) {
                free(letters);
                return PS_OK;
        }
        status = ps_letters_deal(&in, letters, x, status, err);
        if (status == PS_OK)
                status = ps_exchange_agree(x, hear_all(rows, &in, x->size, how, err), err);
        ps_pile_clear(&in);
        return status;
}
