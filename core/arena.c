/* arena.c - a list of blocks; small objects are cut from the newest, large and adopted ones have their own.
 */
#include "core/arena.h"

#include "core/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 256 * 1024, LARGE_BYTES = 32 * 1024, ALIGN = 16 };

struct ps_arena {
        void **owned; /* every block, freed at the end */
        size_t n_owned, cap_owned;
        unsigned char *next; /* free part of the current block */
        size_t left;
};

ps_arena *ps_arena_new(void)
{
        return calloc(1, sizeof(ps_arena));
}

void ps_arena_free(ps_arena *arena)
{
        if (!arena)
                return;
        for (size_t i = 0; i < arena->n_owned; i++)
                free(arena->owned[i]);
        free(arena->owned);
        free(arena);
}

int ps_arena_adopt(ps_arena *arena, void *block)
{
        if (!block)
                return 0;
        if (arena->n_owned == arena->cap_owned) {
                size_t cap = arena->cap_owned ? arena->cap_owned * 2 : 16;
                void **owned = realloc(arena->owned, cap * sizeof(*owned));
                if (!owned) {
                        free(block);
                        return -1;
                }
                arena->owned = owned;
                arena->cap_owned = cap;
        }
        arena->owned[arena->n_owned++] = block;
        return 0;
}

static void *alloc_own(ps_arena *arena, size_t bytes)
{
        void *block = ps_memory_zeroed(bytes, 1);
        return block && ps_arena_adopt(arena, block) == 0 ? block : NULL;
}

#ifdef PS_ARENA_DEBUG

void *ps_arena_alloc(ps_arena *arena, size_t count, size_t size)
{
        return size && count > SIZE_MAX / size ? NULL : alloc_own(arena, count * size);
}

#else

void *ps_arena_alloc(ps_arena *arena, size_t count, size_t size)
{
        if (size && count > (SIZE_MAX - ALIGN) / size)
                return NULL;
        size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
        if (bytes >= LARGE_BYTES)
                return alloc_own(arena, bytes);
        if (bytes > arena->left) {
                arena->next = alloc_own(arena, BLOCK_BYTES);
                arena->left = arena->next ? BLOCK_BYTES : 0;
                if (!arena->next)
                        return NULL;
        }
        void *object = arena->next;
        arena->next += bytes;
        arena->left -= bytes;
        return object;
}

#endif
