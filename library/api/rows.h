/* rows.h - rows of patscan.h: made when somebody asks for them, a block at a time, and kept by their handle.
 */
#ifndef PS_LIBRARY_API_ROWS_H
#define PS_LIBRARY_API_ROWS_H

#include "core/base/arena.h"
#include "core/base/types.h"
#include "patscan/patscan.h"

/* What a handle tells by count and row. */
typedef struct ps_row_source {
        unsigned slot; /* another one for each subject of a handle */
        size_t size;   /* of a row */
        size_t (*count)(const void *handle);
        /* Texts that it makes are of the arena. -1: no memory. */
        int (*fill)(void *row, const void *handle, size_t i, ps_arena *arena);
} ps_row_source;

enum { PS_ROW_SOURCES = 12 }; /* of a handle */

/* The rows of one handle; several threads may ask for them at once. */
typedef struct ps_made_rows ps_made_rows;

ps_made_rows *ps_made_rows_new(void); /* NULL: no memory */
void ps_made_rows_free(ps_made_rows *rows);
/* NULL: there is no such row, or no memory for it. */
const void *ps_made_rows_get(ps_made_rows *rows, const ps_row_source *subject, const void *handle, size_t i);

/* Defines patscan_NAME_count() and patscan_NAME() for a handle with `rows`: NAMES is what count_NAMES() and
 * fill_NAME() tell of. */
#define PS_ROWS(name, names, slot, handle)                                                                   \
        static const ps_row_source names = {slot, sizeof(patscan_##name##_row), count_##names, fill_##name}; \
        size_t patscan_##name##_count(const handle *of)                                                      \
        {                                                                                                    \
                return count_##names(of);                                                                    \
        }                                                                                                    \
        const patscan_##name##_row *patscan_##name(const handle *of, size_t i)                               \
        {                                                                                                    \
                return ps_made_rows_get(of->rows, &(names), of, i);                                          \
        }

/* A copy in the arena; NULL for NULL, and without memory. */
char *ps_made_rows_copy(ps_arena *arena, const char *text);
/* NaN: it is not known. */
double ps_made_rows_seconds(ps_time time, bool is_known);
/* What is empty is not known. */
static inline const char *ps_made_rows_text(const char *text)
{
        return text && *text ? text : NULL;
}

#endif
