/* spec.c - reads distributions as a person writes them.
 *
 *   spec   := [name] "(" number {"," number} ")" ":" list "->" list
 *   list   := format {"," format}
 *   format := "*" | ("block" | "dvm-block" | ("cyclic" | "block-cyclic") ["(" number ")"]) ["@" number]
 *   grids  := grid ["->" grid]
 *   grid   := number {"x" number}
 *
 * Blanks may stand between any two of these; upper and lower case are the same. There is nothing to recurse
 * into. */
#include "simulator/redistribute/redistribute.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct cursor {
        const char *text, *at;
        ps_error *err;
} cursor;

static unsigned column(const cursor *c)
{
        return (unsigned)(c->at - c->text) + 1;
}

static void skip_blanks(cursor *c)
{
        c->at += strspn(c->at, " \t\r\n");
}

static ps_status fail_expected(const cursor *c, const char *what)
{
        if (!*c->at)
                return PS_FAIL(c->err, PS_E_USAGE, "expected %s: column=%u, found=end", what, column(c));
        if (!isgraph((unsigned char)*c->at))
                return PS_FAIL(c->err, PS_E_USAGE, "expected %s: column=%u, found=byte %u", what, column(c),
                               (unsigned)(unsigned char)*c->at);
        return PS_FAIL(c->err, PS_E_USAGE, "expected %s: column=%u, found=\"%c\"", what, column(c), *c->at);
}

static bool accept(cursor *c, const char *token)
{
        size_t n = strlen(token);

        skip_blanks(c);
        if (strncasecmp(c->at, token, n) != 0)
                return false;
        c->at += n;
        return true;
}

static ps_status expect(cursor *c, const char *token)
{
        char what[16];

        snprintf(what, sizeof(what), "\"%s\"", token);
        return accept(c, token) ? PS_OK : fail_expected(c, what);
}

static ps_status read_end(cursor *c)
{
        skip_blanks(c);
        return *c->at ? fail_expected(c, "the end") : PS_OK;
}

static ps_status read_spec_number(uint64_t *out, cursor *c, uint64_t least, uint64_t most)
{
        uint64_t n = 0;
        unsigned begin;

        skip_blanks(c);
        begin = column(c);
        if (!isdigit((unsigned char)*c->at))
                return fail_expected(c, "a number");
        for (; isdigit((unsigned char)*c->at); c->at++) {
                uint64_t digit = (uint64_t)(*c->at - '0');
                n = n > (most - digit) / 10 ? most + 1 : n * 10 + digit;
                if (n > most)
                        return PS_FAIL(c->err, PS_E_USAGE,
                                       "the number is too large: column=%u, most=%" PRIu64, begin, most);
        }
        if (n < least)
                return PS_FAIL(c->err, PS_E_USAGE, "the number is too small: column=%u, least=%" PRIu64,
                               begin, least);
        *out = n;
        return PS_OK;
}

static ps_status fail_dimensions(const cursor *c, int most)
{
        return PS_FAIL(c->err, PS_E_USAGE, "there are too many dimensions: column=%u, most=%d", column(c),
                       most);
}

static ps_status read_name(ps_redist_spec *out, cursor *c)
{
        size_t n = 0;

        skip_blanks(c);
        while (isalnum((unsigned char)c->at[n]) || c->at[n] == '_' || c->at[n] == '%' || c->at[n] == '.')
                n++;
        if (n >= sizeof(out->name))
                return PS_FAIL(c->err, PS_E_USAGE, "the name is too long: column=%u, most=%zu", column(c),
                               sizeof(out->name) - 1);
        memcpy(out->name, c->at, n);
        c->at += n;
        return PS_OK;
}

static ps_status read_extents(ps_redist_spec *out, cursor *c)
{
        PS_TRY(expect(c, "("));

        for (;;) {
                if (out->n_dims == PS_REDIST_DIMS)
                        return fail_dimensions(c, PS_REDIST_DIMS);
                PS_TRY(read_spec_number(&out->extent[out->n_dims++], c, 0, PS_REDIST_NUMBER_MAX));
                if (!accept(c, ","))
                        return expect(c, ")");
        }
}

static ps_status read_block(ps_redist_format *out, cursor *c)
{
        out->block = 1;
        if (!accept(c, "("))
                return PS_OK;
        PS_TRY(read_spec_number(&out->block, c, 1, PS_REDIST_NUMBER_MAX));
        return expect(c, ")");
}

static ps_status read_format(ps_redist_format *out, cursor *c)
{
        static const struct {
                const char *name;
                ps_redist_kind kind;
        } kinds[] = {{"*", PS_REDIST_WHOLE},
                     {"cyclic", PS_REDIST_CYCLIC},
                     {"block-cyclic", PS_REDIST_CYCLIC},
                     {"block", PS_REDIST_BLOCK},
                     {"dvm-block", PS_REDIST_DVM_BLOCK}};
        size_t i = 0, n = sizeof(kinds) / sizeof(*kinds);
        uint64_t axis;

        skip_blanks(c);
        *out = (ps_redist_format){.column = column(c)};
        while (i < n && !accept(c, kinds[i].name))
                i++;
        if (i == n)
                return fail_expected(c, "*, cyclic(N), block or dvm-block");
        out->kind = kinds[i].kind;
        if (out->kind == PS_REDIST_CYCLIC)
                PS_TRY(read_block(out, c));
        if (out->kind == PS_REDIST_WHOLE || !accept(c, "@"))
                return PS_OK;
        PS_TRY(read_spec_number(&axis, c, 1, PS_REDIST_AXES));
        out->axis = (unsigned)axis;
        return PS_OK;
}

static ps_status read_formats(ps_redist_spec *out, ps_redist_side side, cursor *c)
{
        for (unsigned i = 0; i < out->n_dims; i++) {
                if (i)
                        PS_TRY(expect(c, ","));
                PS_TRY(read_format(&out->format[side][i], c));
        }
        return PS_OK;
}

ps_status ps_redist_spec_parse(ps_redist_spec *out, const char *text, ps_error *err)
{
        cursor c = {text, text, err};
        ps_status status;

        *out = (ps_redist_spec){.element_bytes = 8};
        status = read_name(out, &c);
        PS_THEN(status, read_extents(out, &c));
        PS_THEN(status, expect(&c, ":"));
        PS_THEN(status, read_formats(out, PS_REDIST_SOURCE, &c));
        PS_THEN(status, expect(&c, "->"));
        PS_THEN(status, read_formats(out, PS_REDIST_DESTINATION, &c));
        PS_THEN(status, read_end(&c));
        return status != PS_OK ? PS_CAUSE(err, status, "cannot read the distributions \"%.80s\"", text)
                               : PS_OK;
}

static ps_status read_grid(ps_redist_grid *out, cursor *c)
{
        uint64_t size;

        *out = (ps_redist_grid){.procs = 1};
        do {
                if (out->n_axes == PS_REDIST_AXES)
                        return fail_dimensions(c, PS_REDIST_AXES);
                PS_TRY(read_spec_number(&size, c, 1, PS_REDIST_PROCS_MAX / out->procs));
                out->size[out->n_axes++] = (uint32_t)size;
                out->procs *= (uint32_t)size;
        } while (accept(c, "x"));
        return PS_OK;
}

ps_status ps_redist_grids_parse(ps_redist_grid out[PS_REDIST_SIDES], const char *text, const char *what,
                                ps_error *err)
{
        cursor c = {text, text, err};
        ps_status status = read_grid(&out[PS_REDIST_SOURCE], &c);

        out[PS_REDIST_DESTINATION] = out[PS_REDIST_SOURCE];
        if (status == PS_OK && accept(&c, "->"))
                status = read_grid(&out[PS_REDIST_DESTINATION], &c);
        PS_THEN(status, read_end(&c));
        return status != PS_OK ? PS_CAUSE(err, status, "cannot read the %s \"%.80s\"", what, text) : PS_OK;
}
