/* memory.h - blocks of memory that are large enough for the kernel's large pages, and tables that grow.
 *
 * A trace's columns are written once from end to end. With pages of 4 KiB the faults cost as much as the
 * analysis itself; with large pages they disappear. Freed with free(). */
#ifndef PS_CORE_BASE_MEMORY_H
#define PS_CORE_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#if __has_feature(address_sanitizer)
#define PS_POISON 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define PS_POISON 1
#endif
#ifdef PS_POISON
#include <sanitizer/asan_interface.h>
#endif

enum { PS_LARGE_PAGE = 2 * 1024 * 1024 };

/* How much room is taken at once: `much`, but `little` where sanitizers look on. They keep a record of each
 * byte, which takes longer than all else of a small trace, and tests come to more ends of blocks. */
#ifdef PS_ARENA_DEBUG
#define PS_AT_ONCE(much, little) (little)
#else
#define PS_AT_ONCE(much, little) (much)
#endif

/* Not zeroed; NULL when there is none. Small blocks come from malloc. */
void *ps_memory_new(size_t bytes);
/* The same for what is written from end to end, in large pages that were passed on as far as there are. */
void *ps_memory_again(size_t bytes);
/* free(), but the large pages in it are for those who ask for some next: fresh ones the system has to find,
 * and clears them, which is most of what it does for us. Up to 128 MiB wait, and none where memory is
 * limited. */
void ps_memory_pass_on(void *block);
/* The same of one of which only the first `bytes` were touched. */
void ps_memory_pass_on_touched(void *block, size_t bytes);
/* The same of a part of a block, which holds nothing then: only the block itself is freed. */
void ps_memory_leave(void *at, size_t bytes);
/* Of what nobody has touched yet: the large pages in it become some of those, as far as there are. */
void ps_memory_fill(void *at, size_t bytes);
/* The same of a column of `bytes` bytes that is written from end to end, next from byte `from` to byte `end`:
 * of the large pages that begin there, but for the last one of the column, in which something else begins. */
void ps_memory_fill_next(void *column, size_t from, size_t end, size_t bytes);
/* Those that nobody took go back to the system. */
void ps_memory_give_back(void);
/* Zeroed, and checked for overflow. */
void *ps_memory_zeroed(size_t count, size_t size);

/* For ps_memory_room and core/base/vector: of rows that are full. */
int ps_memory_grow_wide(void *rows, size_t *cap, size_t first, size_t size);
int ps_memory_grow(void *rows, uint32_t *cap, uint32_t first, size_t size);
/* `rows` is the address of a pointer to `n` rows of `size` bytes with room for *cap. Makes room for one more:
 * for at least twice as many, at first for `first`. -1, and all stays as it is, when there is none. */
static inline int ps_memory_room(void *rows, uint32_t n, uint32_t *cap, uint32_t first, size_t size)
{
        return n < *cap ? 0 : ps_memory_grow(rows, cap, first, size);
}

/* How often this thread, or one that it had work for it, has asked for memory in vain. Some who ask go on
 * without: a word of a report is left out then. So that no such report is taken for a whole one, whoever
 * hands out results looks at this count before and after. Each PS_E_NOMEM counts, and what the functions
 * above could not give; whoever else goes on without counts it here. */
unsigned ps_memory_lacks(void);
void ps_memory_lack(void);
/* What another thread counted that has worked for this one. */
void ps_memory_inherit_lacks(unsigned n);

/* Memory that holds nothing yet: where the sanitizer of addresses watches, whoever reads it ends there. */
static inline void ps_memory_poison(const void *at, size_t bytes)
{
#ifdef PS_POISON
        __asan_poison_memory_region(at, bytes);
#else
        (void)at, (void)bytes;
#endif
}

/* From now on it holds something. Of up to eight bytes that lie together all may be read then. */
static inline void ps_memory_poison_end(const void *at, size_t bytes)
{
#ifdef PS_POISON
        __asan_unpoison_memory_region(at, bytes);
#else
        (void)at, (void)bytes;
#endif
}

#endif
