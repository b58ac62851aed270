/* nearest.c - see nearest.h. */
#include "core/base/nearest.h"

#include <limits.h>
#include <string.h>

/* Edits between two words: inserted, dropped, replaced and swapped neighbouring letters. */
static unsigned distance(const char *a, const char *b)
{
        unsigned rows[3][PS_NEAREST_MAX + 1], *before = rows[0], *last = rows[1], *row = rows[2];
        size_t n = strlen(b);

        for (unsigned j = 0; j <= n; j++)
                last[j] = j;
        for (unsigned i = 0; a[i]; i++) {
                unsigned *oldest = before;
                row[0] = i + 1;
                for (size_t j = 0; j < n; j++) {
                        unsigned best = last[j] + (a[i] != b[j]);
                        best = last[j + 1] + 1 < best ? last[j + 1] + 1 : best;
                        best = row[j] + 1 < best ? row[j] + 1 : best;
                        if (i && j && a[i] == b[j - 1] && a[i - 1] == b[j] && before[j - 1] + 1 < best)
                                best = before[j - 1] + 1;
                        row[j + 1] = best;
                }
                before = last;
                last = row;
                row = oldest;
        }
        return last[n];
}

const char *ps_nearest(const char *word, const char *const *candidates, unsigned n)
{
        const char *best = NULL;
        size_t len = strlen(word);
        unsigned least = UINT_MAX;

        if (len > PS_NEAREST_MAX)
                return NULL;
        for (unsigned i = 0; i < n; i++) {
                if (strlen(candidates[i]) > PS_NEAREST_MAX)
                        continue;
                unsigned edits = distance(word, candidates[i]);
                /* A word that was cut off is near, too: --allow for --allow-partial. */
                if (len >= 3 && strncmp(word, candidates[i], len) == 0)
                        edits = 1;
                if (edits < least && edits <= 1 + len / 4) {
                        least = edits;
                        best = candidates[i];
                }
        }
        return best;
}
