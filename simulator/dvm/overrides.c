/* overrides.c - distributions to try, in words. Arrays have no names in a trace, but lines of the program
 * do: FILE:LINE is where the distribution stands, or just LINE; the formats are those of the template's axes.
 *
 *   block          blocks of equal size          wblock(1,2,1)   blocks in proportion to these weights
 *   mult(4)        blocks that begin at 4k       *               not distributed
 *
 * Axes that are distributed lie on the axes of the processor grid in their order, or where @N says. */
#include "simulator/dvm/dvm.h"

#include "core/base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WEIGHTS_MAX = 4096 };

typedef struct cursor {
        const char *at, *text;
        ps_arena *arena;
        ps_error *err;
} cursor;

static ps_status fail_override(const cursor *c, const char *what)
{
        return PS_FAIL(c->err, PS_E_USAGE, "%s: option=\"--distribute\", value=\"%.120s\", column=%zu", what,
                       c->text, (size_t)(c->at - c->text) + 1);
}

static bool take_word(cursor *c, const char *word)
{
        size_t n = strlen(word);
        if (strncmp(c->at, word, n) != 0)
                return false;
        c->at += n;
        return true;
}

static ps_status read_override_number(cursor *c, int64_t *out, int64_t most)
{
        uint64_t n;
        if (!ps_number_whole(&c->at, (uint64_t)most, &n) || !n)
                return fail_override(c, "a number is missing, 0 or too large");
        *out = (int64_t)n;
        return PS_OK;
}

static ps_status read_weights(cursor *c, ps_dvm_override *o, uint32_t t)
{
        double weight[WEIGHTS_MAX], sum = 0;
        uint32_t n = 0;
        do {
                if (n == WEIGHTS_MAX || !ps_number_real(&c->at, &weight[n]))
                        return fail_override(c, "a weight is missing, or there are too many");
                sum += weight[n++];
        } while (take_word(c, ","));
        if (!(sum > 0 && sum < INFINITY))
                return fail_override(c, "weights are all zero, or too large");
        double *kept = ps_arena_alloc(c->arena, n, sizeof(*kept));
        if (!kept)
                return PS_NOMEM(c->err, "weights", n);
        memcpy(kept, weight, n * sizeof(*kept));
        o->axis[t].weight = kept;
        o->axis[t].n_weights = n;
        return take_word(c, ")") ? PS_OK : fail_override(c, ") is missing");
}

/* *next: the axis of processors that comes next. */
static ps_status read_format(cursor *c, ps_dvm_override *o, uint32_t *next)
{
        uint32_t t = o->n++;
        int64_t axis = ++*next;
        o->axis[t].divisor = 1;
        if (take_word(c, "*")) {
                --*next;
                return PS_OK;
        }
        if (take_word(c, "wblock("))
                PS_TRY(read_weights(c, o, t));
        else if (take_word(c, "mult("))
                PS_TRY(read_override_number(c, &o->axis[t].divisor, PS_DVM_INDEX_MAX) ? PS_E_USAGE
                       : take_word(c, ")")                                            ? PS_OK
                                           : fail_override(c, ") is missing"));
        else if (!take_word(c, "block"))
                return fail_override(c, "this is no format: block, wblock(W,...), mult(N) or *");
        if (take_word(c, "@"))
                PS_TRY(read_override_number(c, &axis, PS_GRID_RANK));
        for (uint32_t i = 0; i < t; i++)
                if (o->axis[i].on == axis)
                        return fail_override(c, "two axes lie on one axis of processors");
        *next = (uint32_t)axis;
        o->axis[t].on = (uint32_t)axis;
        return PS_OK;
}

static ps_status read_place(cursor *c, ps_dvm_override *o)
{
        const char *colon = NULL;
        for (const char *p = c->at; *p && *p != '='; p++)
                colon = *p == ':' ? p : colon;
        if (colon) {
                size_t n = (size_t)(colon - c->at);
                char *file = ps_arena_alloc(c->arena, n + 1, 1);
                if (!file)
                        return PS_NOMEM(c->err, "file name", n);
                memcpy(file, c->at, n);
                file[n] = '\0';
                o->file = file;
                c->at = colon + 1;
        }
        PS_TRY(read_override_number(c, &o->line, INT32_MAX));
        return take_word(c, "=") ? PS_OK : fail_override(c, "= is missing");
}

static ps_status read_override(ps_dvm_override *o, const char *text, ps_arena *arena, ps_error *err)
{
        cursor c = {text, text, arena, err};
        uint32_t next = 0;
        PS_TRY(read_place(&c, o));
        do {
                PS_TRY(o->n < PS_DVM_RANK_MAX ? read_format(&c, o, &next)
                                              : fail_override(&c, "there are too many formats"));
        } while (take_word(&c, ","));
        return !*c.at ? PS_OK : fail_override(&c, "nothing may follow here");
}

ps_status ps_overrides_parse(ps_overrides *out, const char *const *texts, unsigned n, ps_error *err)
{
        *out = (ps_overrides){.arena = ps_arena_new()};
        out->row = calloc(n ? n : 1, sizeof(*out->row));
        if (!out->arena || !out->row)
                return PS_NOMEM(err, "distributions", n);
        for (unsigned i = 0; i < n; i++)
                PS_TRY(read_override(&out->row[out->n++], texts[i], out->arena, err));
        return PS_OK;
}

void ps_overrides_free(ps_overrides *overrides)
{
        free(overrides->row);
        ps_arena_free(overrides->arena);
        *overrides = (ps_overrides){0};
}
