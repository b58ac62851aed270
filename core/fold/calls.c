/* calls.c - see calls.h. */
#include "core/fold/calls.h"

#include "core/base/hash.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of_row(const void *list, uint32_t i)
{
        return ps_calls_hash((const struct ps_call *)list + i);
}

static bool is_like(const void *call, const void *list, uint32_t i)
{
        return ps_calls_same(call, (const struct ps_call *)list + i);
}

/* What a path says is known at once where it says hardly anything else. */
enum { SLOTS_A_PATH = 4 };

static uint32_t append(struct ps_calls *c, const struct ps_call *call)
{
        c->list.row[c->list.n] = *call;
        return c->list.n++;
}

uint32_t ps_calls_add(struct ps_calls *c, const struct ps_call *call)
{
        if (PS_ROOM(c->list.row, c->list.n, c->list.cap))
                return PS_NONE;
        c->n_added++;
        return append(c, call);
}

static int make_recent(struct ps_calls *c)
{
        uint32_t n = c->by_call.n_slots / SLOTS_A_PATH, *recent = calloc(n, sizeof(*recent));
        if (!recent)
                return -1;
        free(c->recent);
        c->recent = recent;
        c->n_recent = n;
        return 0;
}

struct ps_calls ps_calls_new(uint32_t n)
{
        struct ps_calls c = {.list.row = malloc(n * sizeof(*c.list.row))};
        c.list.cap = c.list.row ? n : 0;
        if (!c.list.row || ps_lookup_reserve(&c.by_call, n) || make_recent(&c))
                ps_calls_free(&c);
        return c;
}

static int make_room(struct ps_calls *c)
{
        if (c->list.n < c->by_call.n_slots / 2)
                return 0;
        return ps_lookup_grow(&c->by_call, c->list.n, hash_of_row, c->list.row) ? -1 : make_recent(c);
}

static uint32_t look_up(struct ps_calls *c, const struct ps_call *call)
{
        if (make_room(c))
                return PS_NONE;
        uint32_t *slot = ps_lookup_find(&c->by_call, ps_calls_hash(call), is_like, call, c->list.row);
        if (*slot)
                return *slot - 1;
        if (PS_ROOM(c->list.row, c->list.n, c->list.cap))
                return PS_NONE;
        *slot = append(c, call) + 1;
        return *slot - 1;
}

__attribute__((noinline)) static uint32_t number_slowly(struct ps_calls *c, const struct ps_call *call)
{
        uint32_t number = look_up(c, call), *recent = ps_calls_recent(c, call->path);
        if (recent && number != PS_NONE)
                *recent = number;
        return number;
}

uint32_t ps_calls_number(struct ps_calls *c, const struct ps_call *call)
{
        uint32_t number = ps_calls_number_again(c, call);
        if (number != PS_NONE)
                return number;
        if ((number = ps_calls_number_near(c, call)) == PS_NONE)
                return number_slowly(c, call);
        uint32_t *recent = ps_calls_recent(c, call->path);
        if (recent)
                *recent = number;
        return number;
}

struct ps_call *ps_calls_take(struct ps_calls *c)
{
        struct ps_call *list = c->list.row;
        struct ps_call *fits = c->list.n ? realloc(list, c->list.n * sizeof(*list)) : NULL;
        c->list.row = NULL;
        return fits ? fits : list;
}

void ps_calls_free(struct ps_calls *c)
{
        free(c->list.row);
        free(c->recent);
        ps_lookup_free(&c->by_call);
        *c = (struct ps_calls){0};
}
