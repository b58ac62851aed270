/* reduce.h - one row made of those that several processes have of the same thing, for all who have one. */
#ifndef PS_CORE_EXCHANGE_REDUCE_H
#define PS_CORE_EXCHANGE_REDUCE_H

#include "core/exchange/exchange.h"

/* A number of each row. */
typedef struct ps_reduced {
        int64_t nothing; /* says nothing, and then takes no bytes */
        bool is_near;    /* the first number of its row, most often */
} ps_reduced;

enum { PS_REDUCED_MOST = 16 };

typedef struct ps_reduction {
        const ps_reduced *field;
        unsigned n_fields;
        /* In any order; a row twice is as good as once. */
        void (*add)(int64_t *to, const int64_t *row);
} ps_reduction;

/* `n` rows of ours, of the things id[0] < id[1] < ..., all below `n_ids`: afterwards each is the sum of all
 * that are of this thing. Each process adds up those of a part of the things. Called by all together, who
 * have agreed before that all is well. */
ps_status ps_exchange_reduce(ps_exchange *x, const ps_reduction *r, uint32_t n_ids, const uint32_t *id,
                             uint32_t n, int64_t *rows, ps_error *err);

#endif
