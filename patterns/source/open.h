/* open.h - reading a file that a trace names. */
#ifndef PS_PATTERNS_SOURCE_OPEN_H
#define PS_PATTERNS_SOURCE_OPEN_H

#include "core/base/error.h"

#include <stddef.h>

/* All of a regular file of a size that sources have, with room for one byte more. *text is NULL if it is
 * none, or cannot be read. Fails only for want of memory. */
ps_status ps_source_read(char **text, size_t *n, const char *path, ps_error *err);

#endif
