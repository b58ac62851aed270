/* arena.h - memory that lives as long as its trace and is freed in one go.
 *
 * Objects of a trace never die one by one, so they are cut from large blocks. With PS_ARENA_DEBUG (the
 * debug and sanitizer builds) every object is a malloc of its own, so that the sanitizers see its bounds.
 * Not safe for several threads at once: parallel phases fill memory that was cut before they began. */
#ifndef PS_CORE_BASE_ARENA_H
#define PS_CORE_BASE_ARENA_H

#include <stddef.h>

typedef struct ps_arena ps_arena;

ps_arena *ps_arena_new(void);
void ps_arena_free(ps_arena *arena);

/* Zeroed memory for `count` objects of `size` bytes, aligned for any of them; NULL when there is none or
 * when count * size overflows. A count of 0 gives a valid pointer to nothing. */
void *ps_arena_alloc(ps_arena *arena, size_t count, size_t size);

/* The same, of bytes and not zeroed: for what is written at once. */
void *ps_arena_room(ps_arena *arena, size_t bytes);

/* Takes over a malloc'ed block: the arena frees it at its end. NULL is fine. Returns 0, or -1 when there is
 * no memory to remember it (the block is freed then). */
int ps_arena_adopt(ps_arena *arena, void *block);

/* Takes over all that `other` holds. Returns 0, or -1 when there is no memory to remember it: then nothing
 * has changed. */
int ps_arena_join(ps_arena *arena, ps_arena *other);

#define PS_ARENA_NEW(arena, type, count) ((type *)ps_arena_alloc((arena), (count), sizeof(type)))

#endif
