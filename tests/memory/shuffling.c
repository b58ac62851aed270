/* shuffling.c - preloaded into a program: what qsort() finds equal comes out in an order of its own. The C
 * standard lets it: an answer that changes depends on an order that nobody promised. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int comparison(const void *a, const void *b);
typedef struct sort {
        char *items;
        size_t size;
        comparison *compare;
        char *room; /* of one item */
} sort;

static void swap(const sort *s, size_t a, size_t b)
{
        memcpy(s->room, s->items + a * s->size, s->size);
        memmove(s->items + a * s->size, s->items + b * s->size, s->size);
        memcpy(s->items + b * s->size, s->room, s->size);
}

static void shuffle(const sort *s, size_t n)
{
        uint64_t random = 88172645463325252u ^ n;
        for (size_t i = n; i > 1; i--) {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                swap(s, i - 1, random % i);
        }
}

static void sink(const sort *s, size_t at, size_t n)
{
        for (size_t child; (child = 2 * at + 1) < n; at = child) {
                char *first = s->items + child * s->size;
                if (child + 1 < n && s->compare(first, first + s->size) < 0)
                        child++;
                if (s->compare(s->items + at * s->size, s->items + child * s->size) >= 0)
                        return;
                swap(s, at, child);
        }
}

/* heap sort, which mixes what is equal by itself, too */
void qsort(void *items, size_t n, size_t size, comparison *compare)
{
        sort s = {items, size, compare, malloc(size)};
        if (!s.room)
                abort();
        shuffle(&s, n);
        for (size_t i = n / 2; i-- > 0;)
                sink(&s, i, n);
        for (size_t i = n; i-- > 1;) {
                swap(&s, 0, i);
                sink(&s, 0, i);
        }
        free(s.room);
}
