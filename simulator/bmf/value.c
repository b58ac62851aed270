/* value.c - see value.h. */
#include "simulator/bmf/value.h"

#include "core/base/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What an object takes beside its items, in items. */
enum { OBJECT_ITEMS = (sizeof(ps_bmf_object) + sizeof(ps_bmf_value) - 1) / sizeof(ps_bmf_value) };

const char *const ps_bmf_type_names[] = {"integer", "real", "boolean", "list", "tuple"};

ps_bmf_object *ps_bmf_object_new(ps_bmf_pool *pool, uint32_t n, bool is_spread)
{
        if (pool->items < (uint64_t)n + OBJECT_ITEMS)
                return NULL;
        pool->items -= (uint64_t)n + OBJECT_ITEMS;
        ps_bmf_object *o = PS_ARENA_NEW(pool->arena, ps_bmf_object, 1);
        ps_bmf_value *item = PS_ARENA_NEW(pool->arena, ps_bmf_value, n);
        uint32_t *proc = is_spread ? PS_ARENA_NEW(pool->arena, uint32_t, n) : NULL;
        if (!o || !item || (is_spread && !proc))
                return NULL;
        o->n = n;
        o->item = item;
        o->proc = proc;
        return o;
}

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
        return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void ps_bmf_object_finish(ps_bmf_object *o)
{
        o->leaves = 0;
        o->parts = 1;
        o->depth = 1;
        o->holds_spread = o->proc != NULL;
        for (uint32_t i = 0; i < o->n; i++) {
                ps_bmf_value v = o->item[i];
                o->leaves = add_saturating(o->leaves, ps_bmf_leaves(v));
                o->parts = add_saturating(o->parts, ps_bmf_is_scalar(v) ? 1 : v.object->parts);
                if (ps_bmf_is_scalar(v))
                        continue;
                if (v.object->depth >= o->depth)
                        o->depth = v.object->depth + 1;
                o->holds_spread |= v.object->holds_spread;
        }
}

/* With a point, so that it reads as a real. */
static void write_real(double real, FILE *out)
{
        char text[PS_NUMBER_BYTES];
        ps_number_print(text, real);
        fputs(text, out);
        if (!strpbrk(text, ".e"))
                fputs(".0", out);
}

void ps_bmf_value_write(ps_bmf_value v, FILE *out)
{
        switch ((ps_bmf_type)v.type) {
        case PS_BMF_INT:
                fprintf(out, "%" PRId64, v.integer);
                break;
        case PS_BMF_REAL:
                write_real(v.real, out);
                break;
        case PS_BMF_BOOL:
                fputs(v.truth ? "true" : "false", out);
                break;
        case PS_BMF_LIST:
        case PS_BMF_TUPLE:
                fputc(v.type == PS_BMF_LIST ? '[' : '{', out);
                for (uint32_t i = 0; i < v.object->n; i++) {
                        fputs(i ? ", " : "", out);
                        ps_bmf_value_write(v.object->item[i], out);
                }
                fputc(v.type == PS_BMF_LIST ? ']' : '}', out);
                break;
        }
}
