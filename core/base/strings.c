/* strings.c - an open-addressing table of ids over strings in an arena. */
#include "core/base/strings.h"

#include "core/base/hash.h"

#include <stdlib.h>
#include <string.h>

struct ps_strings {
        ps_arena *arena;
        const char **text; /* by id */
        uint32_t n, cap;
        uint32_t *slot;   /* id + 1; 0 is free */
        uint32_t n_slots; /* a power of two, at least twice n */
};

ps_strings *ps_strings_new(ps_arena *arena)
{
        ps_strings *strings = calloc(1, sizeof(*strings));
        if (!strings)
                return NULL;
        strings->arena = arena;
        if (ps_strings_add(strings, "", 0) != 0) {
                ps_strings_free(strings);
                return NULL;
        }
        return strings;
}

void ps_strings_free(ps_strings *strings)
{
        if (!strings)
                return;
        free(strings->text);
        free(strings->slot);
        free(strings);
}

/* The slot that holds the string, or the free one where it belongs. */
static uint32_t *find_slot(const ps_strings *strings, const char *text, size_t len)
{
        uint32_t mask = strings->n_slots - 1;
        for (uint32_t i = (uint32_t)ps_hash_bytes(text, len) & mask;; i = (i + 1) & mask) {
                uint32_t *slot = &strings->slot[i];
                if (!*slot)
                        return slot;
                const char *other = strings->text[*slot - 1];
                if (strncmp(other, text, len) == 0 && other[len] == '\0')
                        return slot;
        }
}

static int grow(ps_strings *strings)
{
        uint32_t cap = strings->cap ? strings->cap * 2 : 64;
        if (cap > UINT32_MAX / 4)
                return -1;
        const char **text = realloc(strings->text, cap * sizeof(*text));
        if (!text)
                return -1;
        strings->text = text;
        uint32_t *slot = calloc((size_t)cap * 2, sizeof(*slot));
        if (!slot)
                return -1;
        free(strings->slot);
        strings->slot = slot;
        strings->n_slots = cap * 2;
        strings->cap = cap;
        for (uint32_t id = 0; id < strings->n; id++)
                *find_slot(strings, text[id], strlen(text[id])) = id + 1;
        return 0;
}

ps_str ps_strings_add(ps_strings *strings, const char *text, size_t len)
{
        len = strnlen(text, len);
        if (strings->n == strings->cap && grow(strings) < 0)
                return UINT32_MAX;
        uint32_t *slot = find_slot(strings, text, len);
        if (*slot)
                return *slot - 1;
        char *copy = ps_arena_alloc(strings->arena, len + 1, 1);
        if (!copy)
                return UINT32_MAX;
        memcpy(copy, text, len);
        strings->text[strings->n] = copy;
        *slot = strings->n + 1;
        return strings->n++;
}

ps_str ps_strings_find(const ps_strings *strings, const char *text, size_t len)
{
        const uint32_t *slot = find_slot(strings, text, strnlen(text, len));
        return *slot ? *slot - 1 : UINT32_MAX;
}

ps_str ps_strings_addz(ps_strings *strings, const char *text)
{
        return ps_strings_add(strings, text, strlen(text));
}

const char *ps_strings_get(const ps_strings *strings, ps_str id)
{
        return id < strings->n ? strings->text[id] : "";
}
