/* pass.c - see pass.h. */
#include "core/base/pass.h"

#include <stdlib.h>
#include <string.h>

ps_status ps_pass_claim(ps_pass *p, size_t count, size_t size, size_t align, uint8_t **out)
{
        size_t from = (p->used + align - 1) / align * align, bytes = count * size;
        if (count > SIZE_MAX / 4 / size || (p->bytes && (from > p->size || bytes > p->size - from)))
                return PS_FAIL(p->err, PS_E_INPUT,
                               "what was kept ends early: offset=%zu, rows=%zu, row_bytes=%zu, bytes=%zu",
                               from, count, size, p->size);
        *out = p->bytes ? p->bytes + from : NULL;
        p->used = from + bytes;
        return PS_OK;
}

ps_status ps_pass_values(ps_pass *p, void *values, size_t count, size_t size)
{
        uint8_t *at;
        PS_TRY(ps_pass_claim(p, count, size, 1, &at));
        if (!at || !values || !count)
                return PS_OK;
        if (p->way == PS_PASS_PUT)
                memcpy(at, values, count * size);
        else
                memcpy(values, at, count * size);
        return PS_OK;
}

ps_status ps_pass_bool(ps_pass *p, bool *value)
{
        uint8_t byte = p->way != PS_PASS_TAKE && *value;
        PS_TRY(ps_pass_values(p, &byte, 1, 1));
        *value = byte != 0;
        return PS_OK;
}

void *ps_pass_pointer(const void *rows)
{
        void *pointer;
        memcpy(&pointer, rows, sizeof(pointer));
        return pointer;
}

ps_status ps_pass_column(ps_pass *p, void *rows, size_t count, size_t size)
{
        uint8_t *at;
        PS_TRY(ps_pass_claim(p, count, size, PS_PASS_ALIGN, &at));
        if (p->way == PS_PASS_PUT && at && count)
                memcpy(at, ps_pass_pointer(rows), count * size);
        else if (p->way == PS_PASS_TAKE)
                memcpy(rows, &at, sizeof(at));
        return PS_OK;
}

ps_status ps_pass_presence(ps_pass *p, const void *rows, bool *is_there)
{
        *is_there = ps_pass_pointer(rows) != NULL;
        return ps_pass_bool(p, is_there);
}

ps_status ps_pass_optional(ps_pass *p, void *rows, size_t count, size_t size)
{
        bool is_there;
        PS_TRY(ps_pass_presence(p, rows, &is_there));
        if (is_there)
                return ps_pass_column(p, rows, count, size);
        memset(rows, 0, sizeof(void *));
        return PS_OK;
}

ps_status ps_pass_check_room(const ps_pass *p, size_t count)
{
        return p->way != PS_PASS_TAKE || count <= p->size - p->used
                       ? PS_OK
                       : PS_FAIL(p->err, PS_E_INPUT,
                                 "what was kept ends early: offset=%zu, rows=%zu, bytes=%zu", p->used, count,
                                 p->size);
}

ps_status ps_pass_rows(ps_pass *p, void *rows, size_t count, size_t size)
{
        PS_TRY(ps_pass_check_room(p, count));
        if (p->way != PS_PASS_TAKE)
                return PS_OK;
        void *room = ps_arena_alloc(p->arena, count, size);
        memcpy(rows, &room, sizeof(room));
        return room ? PS_OK : PS_NOMEM(p->err, "rows that were kept", count);
}

ps_status ps_pass_vector(ps_pass *p, void *rows, uint32_t *n, uint32_t *cap, size_t size)
{
        PS_TRY(ps_pass_values(p, n, 1, sizeof(*n)));
        PS_TRY(ps_pass_check_room(p, *n));
        if (p->way != PS_PASS_TAKE)
                return PS_OK;
        void *room = calloc(*n + (size_t)1, size);
        memcpy(rows, &room, sizeof(room));
        *cap = *n;
        return room ? PS_OK : PS_NOMEM(p->err, "rows that were kept", *n);
}

ps_status ps_pass_whole(ps_pass *p, void *rows, uint32_t *n, uint32_t *cap, size_t size)
{
        PS_TRY(ps_pass_vector(p, rows, n, cap, size));
        return ps_pass_values(p, ps_pass_pointer(rows), *n, size);
}

/* With its final NUL, though nobody relies on it. */
static ps_status pass_string(ps_pass *p, ps_strings *strings, uint32_t id)
{
        const char *text = ps_strings_get(strings, id);
        uint32_t n = (uint32_t)strlen(text) + 1;
        uint8_t *at;
        PS_TRY(ps_pass_values(p, &n, 1, sizeof(n)));
        PS_TRY(ps_pass_claim(p, n, 1, 1, &at));
        if (p->way == PS_PASS_PUT && at)
                memcpy(at, text, n);
        if (p->way != PS_PASS_TAKE)
                return PS_OK;
        ps_str given = ps_strings_add(strings, (const char *)at, n);
        if (given == UINT32_MAX)
                return PS_NOMEM(p->err, "strings", id);
        return given == id ? PS_OK
                           : PS_FAIL(p->err, PS_E_INPUT,
                                     "what was kept has a string twice: string=%u, first=%u", id, given);
}

ps_status ps_pass_strings(ps_pass *p, ps_strings *strings)
{
        uint32_t n = ps_strings_n(strings);
        PS_TRY(ps_pass_values(p, &n, 1, sizeof(n)));
        for (uint32_t id = 1; id < n; id++) /* 0 is always there */
                PS_TRY(pass_string(p, strings, id));
        return PS_OK;
}
