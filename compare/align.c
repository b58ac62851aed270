/* align.c - see align.h. */
#include "compare/align.h"

#include "core/base/hash.h"
#include "core/base/map.h"

#include <stdlib.h>

enum { DIFFERENCES_MAX = 2048 };
static const uint64_t WORK = UINT64_C(1) << 26;

/* What is left of two sequences after their equal ends were taken off. */
typedef struct middle {
        const uint64_t *a, *b;
        int64_t n, m;
} middle;

/* -- the shortest edit script: furthest[d][i] is how far in `a` d differences reach on diagonal 2 * i - d
 * (the place in `a` less that in `b`), or UNREACHED. */

enum { UNREACHED = -1 };

/* Where the d-th difference leads to on diagonal k, and whether it left out one of `b`. */
static int64_t step_diagonal(const middle *s, const int32_t *before, int64_t k, int64_t d, bool *is_of_b)
{
        int64_t of_b = d && k <= d - 2 ? before[(k + d) / 2] : UNREACHED;
        int64_t of_a = d && k >= 2 - d ? before[(k + d - 2) / 2] : UNREACHED;

        if (of_b - k > s->m)
                of_b = UNREACHED;
        of_a = of_a == UNREACHED || of_a == s->n ? UNREACHED : of_a + 1;
        *is_of_b = of_b != UNREACHED && of_b >= of_a;
        return !d ? 0 : *is_of_b ? of_b : of_a;
}

static int64_t slide(const middle *s, int64_t x, int64_t k)
{
        while (x != UNREACHED && x < s->n && x - k < s->m && s->a[x] == s->b[x - k])
                x++;
        return x;
}

/* The number of differences, or -1: more than `most`. */
static int64_t count_differences(const middle *s, int32_t **furthest, int64_t most)
{
        bool is_of_b;

        for (int64_t d = 0; d <= most; d++) {
                furthest[d] = malloc(((size_t)d + 1) * sizeof(int32_t));
                if (!furthest[d])
                        return -1;
                for (int64_t k = -d; k <= d; k += 2) {
                        int64_t x = slide(s, step_diagonal(s, d ? furthest[d - 1] : NULL, k, d, &is_of_b), k);
                        furthest[d][(k + d) / 2] = (int32_t)x;
                        if (k == s->n - s->m && x == s->n)
                                return d;
                }
        }
        return -1;
}

/* Back from the end, one difference at a time. */
static void pair_back(const middle *s, uint32_t *out, uint32_t first_b, int32_t **furthest, int64_t d)
{
        int64_t k = s->n - s->m;

        for (; d >= 0; d--) {
                bool is_of_b = false;
                // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): the way there has filled it
                int64_t x = furthest[d][(k + d) / 2];
                int64_t start = step_diagonal(s, d ? furthest[d - 1] : NULL, k, d, &is_of_b);
                for (; x > start; x--)
                        out[x - 1] = first_b + (uint32_t)(x - 1 - k);
                k += is_of_b ? 1 : -1;
        }
}

/* -1: they differ too much. */
static int align_differences(const middle *s, uint32_t *out, uint32_t first_b, uint64_t work)
{
        int64_t most = (int64_t)(work / (uint64_t)(s->n + s->m + 1));
        int32_t **furthest;
        int64_t d;

        most = most < DIFFERENCES_MAX ? most : DIFFERENCES_MAX;
        if (!most || llabs(s->n - s->m) > most)
                return -1;
        furthest = calloc((size_t)most + 1, sizeof(*furthest));
        if (!furthest)
                return -1;
        d = count_differences(s, furthest, most);
        if (d >= 0)
                pair_back(s, out, first_b, furthest, d);
        for (int64_t i = 0; i <= most; i++)
                free(furthest[i]);
        free(furthest);
        return d < 0 ? -1 : 0;
}

/* -- by counts -- */

static ps_time *next_of(ps_map *map, uint64_t key)
{
        return ps_map_at(map, (uint32_t)(key >> 32), (uint32_t)key, 0);
}

static uint64_t numbered(ps_map *counts, uint64_t key)
{
        ps_time *n = next_of(counts, key);

        return n ? ps_hash_pair(key, (uint64_t)(*n)++) : 0;
}

static ps_status align_counts(const middle *s, uint32_t *out, uint32_t first_b, ps_error *err)
{
        ps_map counts[2] = {{0}, {0}}, places = {0};
        int failed = 0;

        for (int64_t j = 0; j < s->m && !failed; j++) {
                uint64_t key = numbered(&counts[1], s->b[j]);
                ps_time *place = key ? next_of(&places, key) : NULL;
                if (place)
                        *place = j + 1;
                failed = !place;
        }
        for (int64_t i = 0; i < s->n && !failed; i++) {
                uint64_t key = numbered(&counts[0], s->a[i]);
                ps_time place = key ? ps_map_get(&places, (uint32_t)(key >> 32), (uint32_t)key, 0) : 0;
                out[i] = place ? first_b + (uint32_t)(place - 1) : PS_NONE;
                failed = !key;
        }
        ps_map_free(&counts[0]);
        ps_map_free(&counts[1]);
        ps_map_free(&places);
        return failed ? PS_NOMEM(err, "operations", s->n) : PS_OK;
}

/* -- the whole -- */

ps_status ps_align(uint32_t *out, ps_alignment *how, const uint64_t *a, uint32_t n_a, const uint64_t *b,
                   uint32_t n_b, uint64_t work, ps_error *err)
{
        uint32_t head = 0, tail = 0;

        for (uint32_t i = 0; i < n_a; i++)
                out[i] = PS_NONE;
        for (; head < n_a && head < n_b && a[head] == b[head]; head++)
                out[head] = head;
        for (; tail < n_a - head && tail < n_b - head && a[n_a - 1 - tail] == b[n_b - 1 - tail]; tail++)
                out[n_a - 1 - tail] = n_b - 1 - tail;
        const int64_t n = (int64_t)n_a - head - tail, m = (int64_t)n_b - head - tail;
        *how = n || m ? PS_ALIGNED_DIFFERENCES : PS_ALIGNED_EQUAL;
        if (!n || !m)
                return PS_OK;
        middle rest = {a + head, b + head, n, m};
        if (align_differences(&rest, out + head, head, work ? work : WORK) == 0)
                return PS_OK;
        *how = PS_ALIGNED_COUNTS;
        return align_counts(&rest, out + head, head, err);
}
