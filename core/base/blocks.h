/* blocks.h - memory that is larger than the memory: beyond a part of a limit, large blocks lie in a file.
 *
 * Each malloc() of the library ends up here (allocate.h). Blocks come from the C library until the large ones
 * among them take an eighth of the limit, or a quarter of what is free where nobody asked for one; from then
 * on, large ones are ranges of one unlinked file that is mapped shared. Their pages can be taken out of the
 * process at any time and come back with what they held: who touches many looks for that now and then, and so
 * does a watch, so that all resident pages together stay below the limit. It holds for the process, which may
 * do several things at once. */
#ifndef PS_CORE_BASE_BLOCKS_H
#define PS_CORE_BASE_BLOCKS_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* At most so many bytes are to be resident; until somebody says so, what there is (limit.h). */
void ps_blocks_limit(uint64_t bytes);
/* There are so many processes that divide what there is. Nobody asks for that, so that a quarter of this
 * part stays where it was taken, not an eighth. */
void ps_blocks_divide(unsigned n);

/* Beside this file lies the file with blocks, unless there is $TMPDIR. Otherwise it lies in the working
 * directory or in /var/tmp: in the first of them that is on a disk. */
void ps_blocks_beside(const char *path);

/* Takes pages out if that is due. The watch comes too late on a busy machine: to be called before whatever
 * may touch much. */
void ps_blocks_look(void);

/* Before so many bytes are mapped that may be resident soon: makes room for them. */
void ps_blocks_come(size_t bytes);

/* Has there been anything in a file whose pages can be taken out? Then ps_blocks_keep() looks now and then.
 */
extern atomic_bool ps_blocks_are_filed;
__attribute__((cold)) void ps_blocks_look_at_times(void);

/* The same in each round of a loop that goes far in what it touches, and does little in a round. */
static inline void ps_blocks_keep(void)
{
        if (__builtin_expect(atomic_load_explicit(&ps_blocks_are_filed, memory_order_relaxed), 0))
                ps_blocks_look_at_times();
}

/* memcpy() of what may be larger than the limit. */
void ps_blocks_copy(void *to, const void *from, size_t bytes);

/* read(), pread() and write() of memory that may be such a block, and a path that may lie in one, in `room`
 * then: where only parts of the file are mapped, the system reads and writes there in vain. */
ssize_t ps_blocks_read(int fd, void *to, size_t n);
ssize_t ps_blocks_read_at(int fd, void *to, size_t n, off_t at);
ssize_t ps_blocks_write(int fd, const void *from, size_t n);
const char *ps_blocks_path(char room[PATH_MAX], const char *path);

/* Small blocks that were freed are the C library's to keep, and there they are no use to large ones: gives
 * back the pages that lie in them. To be called where much was freed. */
void ps_blocks_give_back(void);

/* From 4 MiB on each block of the C library has pages of its own from now on, which move with it when it
 * grows, and go when it is freed. Left alone, the C library soon takes up to 32 MiB from its heap, where what
 * grows is copied and what is freed stays. Of its heap up to 8 MiB that are free stay for the next blocks, or
 * the system would clear pages for each of them. For programs: it holds for the whole process. */
void ps_blocks_map_large(void);

/* For large pages, without which all is slower; in the file they would be more at a touch than was asked for.
 */
void ps_block_wish(void *block, size_t bytes);

/* Why the block that this thread asked for last could not be had, where it is not that memory is out; "" if
 * there is nothing to say. */
const char *ps_blocks_trouble(void);

/* Of this process so far. */
typedef struct ps_blocks_told {
        uint64_t limit;     /* 0: nobody has asked for one */
        uint64_t least;     /* the least limit that is taken for what was loaded; 0: nothing was */
        uint64_t in_file;   /* bytes, at most */
        const char *folder; /* where the file is; "": there is none */
} ps_blocks_told;
ps_blocks_told ps_blocks_tell(void);
/* Of so many bytes of limit what is loaded now makes do with. */
void ps_blocks_need(uint64_t least);

/* A mapped file whose pages count, too, and may be taken out. Again with 0 bytes before it is unmapped. */
void ps_blocks_mapped(void *at, size_t bytes);

#endif
