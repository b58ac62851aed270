/* grid.c - processors in a grid, and lists of transfers in their normal form. */
#include "simulator/cost/exchange.h"

#include "core/base/search.h"

#include <assert.h>
#include <stdlib.h>

uint32_t ps_grid_count(const ps_grid *grid)
{
        uint32_t count = 1;
        for (uint32_t d = 0; d < grid->rank; d++)
                if (__builtin_mul_overflow(count, grid->size[d], &count))
                        return UINT32_MAX;
        return count;
}

uint32_t ps_grid_distance(const ps_grid *grid, uint32_t p, uint32_t q)
{
        uint32_t distance = 0;
        for (uint32_t d = grid->rank; d-- > 0;) {
                uint32_t a = p % grid->size[d], b = q % grid->size[d];
                distance += a > b ? a - b : b - a;
                p /= grid->size[d];
                q /= grid->size[d];
        }
        return distance;
}

static int compare_transfers(const void *a, const void *b)
{
        const ps_transfer *x = a, *y = b;
        PS_ORDER_BY(x->source, y->source);
        return PS_ORDER(x->destination, y->destination);
}

/* Lists are mostly made sender by sender: then each row has a few places to go. Gives up, and returns 0, when
 * it becomes more. */
static bool sort_nearly(ps_transfer *transfers, size_t n)
{
        size_t left = 8 * n;
        for (size_t i = 1; i < n; i++) {
                ps_transfer own = transfers[i];
                size_t to = i;
                for (; to && compare_transfers(&transfers[to - 1], &own) > 0; to--) {
                        transfers[to] = transfers[to - 1];
                        if (!--left) {
                                transfers[to - 1] = own;
                                return false;
                        }
                }
                transfers[to] = own;
        }
        return true;
}

size_t ps_transfers_merge(ps_transfer *transfers, size_t n)
{
        size_t kept = 0;
        if (n && !sort_nearly(transfers, n))
                qsort(transfers, n, sizeof(*transfers), compare_transfers);
        assert(ps_rows_are_sorted(transfers, n, sizeof(*transfers), compare_transfers));
        for (size_t i = 0; i < n; i++) {
                const ps_transfer *t = &transfers[i];
                if (!t->bytes || t->source == t->destination)
                        continue;
                if (kept && compare_transfers(&transfers[kept - 1], t) == 0) {
                        uint64_t *sum = &transfers[kept - 1].bytes;
                        if (__builtin_add_overflow(*sum, t->bytes, sum))
                                *sum = UINT64_MAX;
                } else {
                        transfers[kept++] = *t;
                }
        }
        return kept;
}
