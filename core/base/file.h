/* file.h - the whole of a file that is small enough to be held. */
#ifndef PS_CORE_BASE_FILE_H
#define PS_CORE_BASE_FILE_H

#include "core/base/error.h"

#include <dirent.h>
#include <stdio.h>

/* Reads `file`, which is at `path`, to its end and closes it, unless it is the standard input. *text is
 * malloc'ed and ends with a NUL behind its `n` bytes. `file` may be what fopen() gave: NULL fails with the
 * reason why. At most `most` bytes; `what` it is, for the errors: "machine". */
ps_status ps_file_read(char **text, size_t *n, FILE *file, size_t most, const char *what, const char *path,
                       ps_error *err);

/* How many of the first `size` bytes of a file there are, for who has to see what it is; 0: it cannot be
 * read. */
size_t ps_file_head(void *head, size_t size, const char *path);

/* What fopen() and opendir() say, to read; for those who go on without a file, too: see ps_memory_lacks(). */
FILE *ps_file_open(const char *path);
DIR *ps_folder_open(const char *path);

/* The failure to open it, as errno has it. Too many open files, or no memory to open one with, are no fault
 * of the input: PS_E_NOMEM. */
ps_status ps_file_unopened(const char *what, const char *path, ps_error *err);

#endif
