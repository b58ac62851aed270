/* rows.h - rows that several processes have, and that each belong to one of them. */
#ifndef PS_CORE_EXCHANGE_ROWS_H
#define PS_CORE_EXCHANGE_ROWS_H

#include "core/exchange/exchange.h"

/* {0}: none. `row` is freed with free(). */
typedef struct ps_dealt_rows {
        void *row;
        uint32_t n, cap;
} ps_dealt_rows;

/* Each row goes to one process. They are `words` numbers of 64 bits each, all told as steps from the row
 * before, so that those should follow each other that differ little. */
typedef struct ps_rows_deal {
        size_t words;
        uint32_t (*to)(const void *ctx, const void *row);
        const void *ctx;
} ps_rows_deal;

/* Called by all together: afterwards each has those that belong to it, in no certain order. `status` is what
 * became of the making: if anybody failed all do. Whatever becomes of it, `rows` are the caller's. */
ps_status ps_exchange_rows(ps_exchange *x, ps_dealt_rows *rows, const ps_rows_deal *how, ps_status status,
                           ps_error *err);

#endif
