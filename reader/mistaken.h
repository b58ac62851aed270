/* mistaken.h - what a file or folder that is no trace may be. */
#ifndef PS_READER_MISTAKEN_H
#define PS_READER_MISTAKEN_H

#include "core/base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Fails with what it is and what to do with it, if that is known; `head` are the first bytes of a file. */
ps_status ps_mistaken_explain(const char *path, const uint8_t *head, size_t len, ps_error *err);

#endif
