/* strings.h - every string of a trace once, known by a 32-bit id.
 *
 * Id 0 is the empty string, so zeroed structs need no initialisation. Strings keep the bytes that the trace
 * had, up to the first NUL; reports make them fit to print. */
#ifndef PS_CORE_BASE_STRINGS_H
#define PS_CORE_BASE_STRINGS_H

#include "core/base/arena.h"
#include <stdint.h>

typedef uint32_t ps_str;
typedef struct ps_strings ps_strings;

ps_strings *ps_strings_new(ps_arena *arena);
void ps_strings_free(ps_strings *strings); /* the index; the bytes are the arena's */

/* The id of the `len` bytes at `text`; UINT32_MAX when there is no memory. */
ps_str ps_strings_add(ps_strings *strings, const char *text, size_t len);
/* The same without adding it: UINT32_MAX when it is not there. Several threads may look at once. */
ps_str ps_strings_find(const ps_strings *strings, const char *text, size_t len);
ps_str ps_strings_addz(ps_strings *strings, const char *text);

/* How many there are: their ids are smaller. */
uint32_t ps_strings_n(const ps_strings *strings);

/* Never NULL: ids that do not exist give "". */
const char *ps_strings_get(const ps_strings *strings, ps_str id);

#endif
