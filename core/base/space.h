/* space.h - the file in which blocks lie that do not fit into memory: where it is, and what of it is taken.
 */
#ifndef PS_CORE_BASE_SPACE_H
#define PS_CORE_BASE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero. NULL, and ps_blocks_trouble() says why, when there is no place for it. `alignment` is a page's at
 * least. */
void *ps_space_take(size_t bytes, size_t alignment);

/* Are addresses limited (`ulimit -v`)? Then that is what ps_blocks_trouble() says. */
bool ps_space_lacks_addresses(void);
/* The C library had no block: was that a limit? Then ps_blocks_trouble() says which. */
void ps_space_tell_limit(void);

/* A page that the system no longer has comes from the disk without those behind it. A control group counts
 * all that was read as memory: what is read ahead there drives out what somebody needs, and is read for
 * nothing. */
void ps_space_comes_alone(void *at, size_t bytes);

/* Whoever maps parts of the file, where addresses are limited or little may be resident: gives it a place, or
 * MAP_FAILED; gives some addresses to others, unless there are as few parts as can be; and unmaps what has
 * been mapped for longest, unless nothing is. */
typedef struct ps_space_parts {
        void *(*map)(int file, size_t bytes);
        bool (*yield)(void);
        bool (*close)(void);
} ps_space_parts;
/* Until then, and again with NULL, nobody does. To be called before there are blocks. */
void ps_space_in_parts(const ps_space_parts *parts);
bool ps_space_is_in_parts(void);
/* Is that there, in parts? Then the system may find nothing where it is to read or to write (blocks.h). */
bool ps_space_holds_part(const void *at);
/* False: there is nothing that others could have. */
bool ps_space_yield(void);
bool ps_space_close(void);

/* Is the block there? */
bool ps_space_holds(const void *block);

/* How large the block is after as much of it as can be done in its place: it ends or grows there. */
size_t ps_space_resize(const void *block, size_t bytes);

/* Was it the last one? */
bool ps_space_free(const void *block);

/* How many bytes of it were taken at most, and in which folder it is, "" if there is none. */
uint64_t ps_space_most(const char **folder);

/* Where it is mapped, and up to where there are blocks; NULL and 0: there is nothing. */
char *ps_space_begin(void);
size_t ps_space_bytes(void);

#endif
