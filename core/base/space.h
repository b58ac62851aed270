/* space.h - the file in which blocks lie that do not fit into memory: where it is, and what of it is taken.
 */
#ifndef PS_CORE_BASE_SPACE_H
#define PS_CORE_BASE_SPACE_H

#include <stdbool.h>
#include <stddef.h>

/* Zero. NULL, and ps_blocks_trouble() says why, when there is no place for it. `alignment` is a page's at
 * least. */
void *ps_space_take(size_t bytes, size_t alignment);

/* Are addresses limited (`ulimit -v`), so that a file cannot help? Then that is what ps_blocks_trouble()
 * says. */
bool ps_space_lacks_addresses(void);

/* Is the block there? */
bool ps_space_holds(const void *block);

/* How large the block is after as much of it as can be done in its place: it ends or grows there. */
size_t ps_space_resize(const void *block, size_t bytes);

/* Was it the last one? */
bool ps_space_free(const void *block);

/* Where it is mapped, and up to where there are blocks; NULL and 0: there is nothing. */
char *ps_space_begin(void);
size_t ps_space_bytes(void);

#endif
