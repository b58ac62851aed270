/* allocate.h - what malloc() and its relatives are in the sources of the library and of the program: the
 * compiler includes this before each of them (CMakeLists.txt). Large blocks may so lie in a file (blocks.h),
 * whoever asks for them and whoever frees them. The C library's own headers declare the new names, since
 * nothing is included here. */
#ifndef PS_CORE_BASE_ALLOCATE_H
#define PS_CORE_BASE_ALLOCATE_H

#ifndef __clang_analyzer__ /* which knows the usual names only */
#define malloc         ps_block_malloc
#define calloc         ps_block_calloc
#define realloc        ps_block_realloc
#define reallocarray   ps_block_reallocarray
#define posix_memalign ps_block_memalign
#define free           ps_block_free
#endif

#endif
