/* names.h - the names of C++ functions, as a person writes them. */
#ifndef PS_RECORD_NAMES_H
#define PS_RECORD_NAMES_H

#include "core/base/vector.h"

/* Names that were made; their texts live as long. */
typedef struct ps_plain_names {
        PS_VECTOR(char *) text;
} ps_plain_names;

/* What a linker's symbol means, without parameters and result: "Mesh::exchange" of "_ZN4Mesh8exchangeEi". A
 * symbol of another language, and one that nobody here can read, is what it is. */
const char *ps_plain_name(ps_plain_names *names, const char *symbol);
void ps_plain_names_clear(ps_plain_names *names);

/* Cuts a declaration of C++ down to its name, where it stands. */
void ps_plain_name_cut(char *declaration);

#endif
