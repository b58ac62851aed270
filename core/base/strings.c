/* strings.c - a table of ids over strings in an arena. */
#include "core/base/strings.h"

#include "core/base/hash.h"
#include "core/base/lookup.h"
#include "core/base/memory.h"
#include "core/base/vector.h"

#include <stdlib.h>
#include <string.h>

struct ps_strings {
        ps_arena *arena;
        const char **text; /* by id */
        uint32_t n, cap;
        ps_lookup by_text;
};

ps_strings *ps_strings_new(ps_arena *arena)
{
        ps_strings *strings = ps_memory_zeroed(1, sizeof(*strings));
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
        ps_lookup_free(&strings->by_text);
        free(strings);
}

/* Eight bytes at a time. */
static uint64_t hash_text(const char *text, size_t len)
{
        uint64_t hash = len, word = 0;
        for (; len >= sizeof(word); text += sizeof(word), len -= sizeof(word)) {
                memcpy(&word, text, sizeof(word));
                hash = ps_hash_mix(hash ^ word);
        }
        for (word = 0; len > 0; len--)
                word = word << 8 | (uint8_t)*text++;
        return ps_hash_mix(hash ^ word);
}

static uint64_t string_hash(const void *strings, uint32_t id)
{
        const char *text = ((const ps_strings *)strings)->text[id];
        return hash_text(text, strlen(text));
}

typedef struct span {
        const char *text;
        size_t len;
} span;

static bool is_same_string(const void *key, const void *strings, uint32_t id)
{
        const span *wanted = key;
        const char *text = ((const ps_strings *)strings)->text[id];
        return strncmp(text, wanted->text, wanted->len) == 0 && text[wanted->len] == '\0';
}

/* The slot that holds the string, or the free one where it belongs. */
static uint32_t *find_slot(const ps_strings *strings, span wanted)
{
        return ps_lookup_find(&strings->by_text, hash_text(wanted.text, wanted.len), is_same_string, &wanted,
                              strings);
}

ps_str ps_strings_add(ps_strings *strings, const char *text, size_t len)
{
        len = strnlen(text, len);
        if (PS_ROOM(strings->text, strings->n, strings->cap) ||
            ps_lookup_room(&strings->by_text, strings->n, string_hash, strings))
                return UINT32_MAX;
        uint32_t *slot = find_slot(strings, (span){text, len});
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
        const uint32_t *slot = find_slot(strings, (span){text, strnlen(text, len)});
        return *slot ? *slot - 1 : UINT32_MAX;
}

ps_str ps_strings_addz(ps_strings *strings, const char *text)
{
        return ps_strings_add(strings, text, strlen(text));
}

uint32_t ps_strings_n(const ps_strings *strings)
{
        return strings->n;
}

const char *ps_strings_get(const ps_strings *strings, ps_str id)
{
        return id < strings->n ? strings->text[id] : "";
}
