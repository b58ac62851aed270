/* pass.h - what a pass over rows and numbers does with each thing that it comes to: it measures, it writes,
 * or it takes. So there is one list of what is kept in a file or sent to another process, and what is written
 * cannot be read in another order. */
#ifndef PS_CORE_BASE_PASS_H
#define PS_CORE_BASE_PASS_H

#include "core/base/arena.h"
#include "core/base/error.h"
#include "core/base/lookup.h"
#include "core/base/strings.h"
#include "core/base/vector.h"

#include <stddef.h>
#include <stdint.h>

enum { PS_PASS_ALIGN = 64 };

typedef enum ps_pass_way { PS_PASS_MEASURE, PS_PASS_PUT, PS_PASS_TAKE } ps_pass_way;

/* Members that several communicators share are written once, or there would be too many. */
typedef struct ps_pass_shared {
        const uint32_t *rows;
        uint32_t n;
        uint64_t at;
} ps_pass_shared;

typedef struct ps_pass {
        ps_pass_way way;
        uint8_t *bytes; /* NULL while measuring */
        size_t used, size;
        ps_arena *arena;
        PS_VECTOR(ps_pass_shared) shared;
        ps_lookup by_rows;
        ps_error *err;
} ps_pass;

/* The columns in steps: `size` is that of a row. Numbers are copied. */
ps_status ps_pass_claim(ps_pass *p, size_t count, size_t size, size_t align, uint8_t **out);
ps_status ps_pass_values(ps_pass *p, void *values, size_t count, size_t size);
ps_status ps_pass_bool(ps_pass *p, bool *value);

/* For those below, `rows` is the address of a pointer to rows of any type. */
void *ps_pass_pointer(const void *rows);
/* Taken by pointing at it. */
ps_status ps_pass_column(ps_pass *p, void *rows, size_t count, size_t size);
/* Is it there, or NULL? */
ps_status ps_pass_presence(ps_pass *p, const void *rows, bool *is_there);
/* A column that may be NULL. */
ps_status ps_pass_optional(ps_pass *p, void *rows, size_t count, size_t size);
/* Each row takes a byte at least, so that nobody can ask for more than the size says. */
ps_status ps_pass_check_room(const ps_pass *p, size_t count);
/* Room for rows with columns of their own, whose fields follow. */
ps_status ps_pass_rows(ps_pass *p, void *rows, size_t count, size_t size);
/* The same of a PS_VECTOR. */
ps_status ps_pass_vector(ps_pass *p, void *rows, uint32_t *n, uint32_t *cap, size_t size);
/* And of its rows, which hold no pointers. */
ps_status ps_pass_whole(ps_pass *p, void *rows, uint32_t *n, uint32_t *cap, size_t size);
/* Those that are taken get the numbers that they had; the first of them may be there already. */
ps_status ps_pass_strings(ps_pass *p, ps_strings *strings);

#endif
