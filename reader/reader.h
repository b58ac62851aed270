/* reader.h - the formats that can be read: one file each (core/model/format.h says what it must provide), and
 * one line in the registry. */
#ifndef PS_READER_READER_H
#define PS_READER_READER_H

#include "core/model/format.h"

/* The formats, in the order in which they are asked. */
extern const ps_reader_class *const ps_reader_classes[];
extern const unsigned ps_reader_n_classes;

/* The format of this name, or NULL. */
const ps_reader_class *ps_reader_named(const char *name);

/* The class that is surest of `path`; PS_E_INPUT with what was tried when none is. */
ps_status ps_reader_find(const ps_reader_class **out, const char *path, ps_error *err);

#endif
