/* arena.c - a list of blocks; small objects are cut from the newest, large and adopted ones have their own.
 *
 * Blocks grow with what the arena holds, so that many objects share the kernel's large pages. */
#include "core/base/arena.h"

#include "core/base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_LEAST = 256 * 1024, BLOCK_MOST = 64 * 1024 * 1024, ALIGN = 16 };

struct ps_arena {
        void **owned; /* every block, freed at the end */
        size_t n_owned, cap_owned;
        unsigned char *next; /* free part of the current block */
        size_t left, held;   /* bytes: of that part; of all objects */
};

ps_arena *ps_arena_new(void)
{
        return ps_memory_zeroed(1, sizeof(ps_arena));
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

static int remember_blocks(ps_arena *arena, void *const *blocks, size_t n)
{
        size_t wanted = arena->n_owned + n, cap = arena->cap_owned ? arena->cap_owned : 16;
        while (cap < wanted)
                cap *= 2;
        if (wanted > arena->cap_owned) {
                void **owned = realloc(arena->owned, cap * sizeof(*owned));
                if (!owned) {
                        ps_memory_lack();
                        return -1;
                }
                arena->owned = owned;
                arena->cap_owned = cap;
        }
        if (n)
                memcpy(arena->owned + arena->n_owned, blocks, n * sizeof(*blocks));
        arena->n_owned = wanted;
        return 0;
}

int ps_arena_adopt(ps_arena *arena, void *block)
{
        if (!block || remember_blocks(arena, &block, 1) == 0)
                return 0;
        free(block);
        return -1;
}

int ps_arena_join(ps_arena *arena, ps_arena *other)
{
        if (remember_blocks(arena, other->owned, other->n_owned) < 0)
                return -1;
        free(other->owned);
        *other = (ps_arena){0};
        return 0;
}

static void *room_of_its_own(ps_arena *arena, size_t bytes)
{
        void *block = bytes <= PTRDIFF_MAX ? ps_memory_new(bytes) : NULL; /* no object can be larger */
        return block && ps_arena_adopt(arena, block) == 0 ? block : NULL;
}

#ifdef PS_ARENA_DEBUG

void *ps_arena_room(ps_arena *arena, size_t bytes)
{
        return room_of_its_own(arena, bytes);
}

#else

/* As much as there is, so that there are few. */
static size_t next_block(const ps_arena *arena)
{
        size_t bytes = arena->held < BLOCK_MOST ? arena->held : BLOCK_MOST;
        return bytes < PS_LARGE_PAGE ? BLOCK_LEAST : bytes / PS_LARGE_PAGE * PS_LARGE_PAGE;
}

void *ps_arena_room(ps_arena *arena, size_t bytes)
{
        if (bytes > PTRDIFF_MAX - ALIGN)
                return NULL;
        bytes = bytes ? (bytes + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
        arena->held += bytes;
        if (bytes > arena->left) {
                size_t block = next_block(arena);
                if (bytes >= block / 8)
                        return room_of_its_own(arena, bytes);
                arena->next = room_of_its_own(arena, block);
                arena->left = arena->next ? block : 0;
                if (!arena->next)
                        return NULL;
        }
        void *object = arena->next;
        arena->next += bytes;
        arena->left -= bytes;
        return object;
}

#endif

void *ps_arena_alloc(ps_arena *arena, size_t count, size_t size)
{
        void *object = size && count > SIZE_MAX / size ? NULL : ps_arena_room(arena, count * size);
        return object ? memset(object, 0, count * size) : NULL;
}
