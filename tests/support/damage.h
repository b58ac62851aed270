/* damage.h - breaking files on purpose, and a place to keep them. What fails aborts with a message. */
#ifndef PS_TESTS_DAMAGE_H
#define PS_TESTS_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

/* A new folder below $TMPDIR or /tmp; the caller's to free, after ps_dir_remove. */
char *ps_dir_new(void);
void ps_dir_remove(const char *path); /* with all that is in it */

uint64_t ps_file_size(const char *path);
void ps_file_truncate(const char *path, uint64_t size);
void ps_file_patch(const char *path, uint64_t offset, const void *bytes, size_t n);
/* Replaces `n` bytes that stand in the file exactly once; gives their offset. */
uint64_t ps_file_replace(const char *path, const void *old_bytes, const void *new_bytes, size_t n);

/* How many files this process may have open from now on; how many they were before. */
uint64_t ps_files_limit(uint64_t n);

/* Prints and aborts: for everything in tests that must not fail. */
#if defined(__GNUC__)
__attribute__((noreturn, format(printf, 1, 2)))
#endif
void ps_test_die(const char *format, ...);

#endif
