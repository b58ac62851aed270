/* rows.c - see rows.h. Blocks stay where they are, so that rows may be borrowed; once made they are read
 * without a lock. */
#include "library/api/rows.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_ROWS = 256 };

typedef _Atomic(char *) block;

struct ps_made_rows {
        pthread_mutex_t lock; /* of the arena, and of whoever makes a block */
        ps_arena *arena;
        _Atomic(block *) table[PS_ROW_SOURCES];
};

ps_made_rows *ps_made_rows_new(void)
{
        ps_made_rows *rows = calloc(1, sizeof(*rows));

        if (!rows)
                return NULL;
        rows->arena = ps_arena_new();
        if (rows->arena && pthread_mutex_init(&rows->lock, NULL) == 0)
                return rows;
        ps_arena_free(rows->arena);
        free(rows);
        return NULL;
}

void ps_made_rows_free(ps_made_rows *rows)
{
        if (!rows)
                return;
        pthread_mutex_destroy(&rows->lock);
        ps_arena_free(rows->arena);
        free(rows);
}

static char *fill_block(ps_made_rows *rows, const ps_row_source *subject, const void *handle, size_t first,
                        size_t n)
{
        char *made = ps_arena_alloc(rows->arena, n, subject->size);

        for (size_t i = 0; made && i < n; i++)
                if (subject->fill(made + i * subject->size, handle, first + i, rows->arena))
                        return NULL;
        return made;
}

/* Somebody else may have been faster. */
static char *make_block(ps_made_rows *rows, const ps_row_source *subject, const void *handle, size_t at,
                        size_t count)
{
        char *made = NULL;
        size_t first = at * BLOCK_ROWS, n = count - first < BLOCK_ROWS ? count - first : BLOCK_ROWS;

        pthread_mutex_lock(&rows->lock);
        block *table = atomic_load(&rows->table[subject->slot]);
        if (!table) {
                table = ps_arena_alloc(rows->arena, count / BLOCK_ROWS + 1, sizeof(*table));
                atomic_store(&rows->table[subject->slot], table);
        }
        if (table)
                made = atomic_load(&table[at]);
        if (table && !made) {
                made = fill_block(rows, subject, handle, first, n);
                atomic_store(&table[at], made);
        }
        pthread_mutex_unlock(&rows->lock);
        return made;
}

const void *ps_made_rows_get(ps_made_rows *rows, const ps_row_source *subject, const void *handle, size_t i)
{
        size_t count = subject->count(handle);

        if (i >= count)
                return NULL;
        block *table = atomic_load(&rows->table[subject->slot]);
        char *made = table ? atomic_load(&table[i / BLOCK_ROWS]) : NULL;
        if (!made)
                made = make_block(rows, subject, handle, i / BLOCK_ROWS, count);
        return made ? made + i % BLOCK_ROWS * subject->size : NULL;
}

char *ps_made_rows_copy(ps_arena *arena, const char *text)
{
        size_t n = text ? strlen(text) + 1 : 0;
        char *copy = text ? ps_arena_room(arena, n) : NULL;

        return copy ? memcpy(copy, text, n) : NULL;
}

double ps_made_rows_seconds(ps_time time, bool is_known)
{
        return is_known ? ps_time_seconds(time) : (double)NAN;
}
