/* wire.c - see wire.h. */
#include "app/lsp/wire.h"

#include "core/base/number.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HEADER_MOST = 4096, AT_ONCE = 64 << 10 };

void ps_wire_clear(ps_wire *wire)
{
        free(wire->held);
        *wire = (ps_wire){0};
}

ps_status ps_wire_room(ps_wire *wire, char **room, size_t *n, ps_error *err)
{
        if (wire->cap - wire->n < AT_ONCE) { /* more than the one row of PS_ROOM */
                size_t cap = 2 * wire->cap + AT_ONCE;
                char *held = realloc(wire->held, cap);
                if (!held)
                        return PS_NOMEM(err, "messages", cap);
                wire->held = held;
                wire->cap = cap;
        }
        *room = wire->held + wire->n;
        *n = AT_ONCE;
        return PS_OK;
}

static void drop_read(ps_wire *wire, size_t n)
{
        wire->n -= n;
        memmove(wire->held, wire->held + n, wire->n);
}

void ps_wire_put(ps_wire *wire, size_t n)
{
        wire->n += n;
        size_t skipped = wire->to_skip < wire->n ? wire->to_skip : wire->n;
        wire->to_skip -= skipped;
        drop_read(wire, skipped);
}

/* The length that a header of n bytes tells; false: it tells none. */
static bool read_length(const char *header, size_t n, uint64_t *length)
{
        static const char name[] = "content-length:";
        for (const char *line = header; line < header + n;) {
                const char *end = memchr(line, '\n', (size_t)(header + n - line)),
                           *at = line + sizeof(name) - 1;
                if (!end)
                        return false;
                if (end - line > (ptrdiff_t)sizeof(name) && strncasecmp(line, name, sizeof(name) - 1) == 0) {
                        at += strspn(at, " \t");
                        return ps_number_whole(&at, UINT64_C(1) << 40, length) &&
                               (*at == '\r' || *at == '\n');
                }
                line = end + 1;
        }
        return false;
}

/* The bytes of the header with the empty line that ends it; 0: it is not whole. */
static size_t header_length(const ps_wire *wire)
{
        size_t n = wire->n < HEADER_MOST ? wire->n : HEADER_MOST;
        for (size_t i = 0; i + 1 < n; i++) {
                const char *at = wire->held + i;
                if (at[0] == '\n' && at[1] == '\n')
                        return i + 2;
                if (i + 2 < n && at[0] == '\n' && at[1] == '\r' && at[2] == '\n')
                        return i + 3;
        }
        return 0;
}

static ps_status take_text(ps_wire *wire, size_t header, size_t length, char **text, ps_error *err)
{
        *text = malloc(length + 1);
        if (!*text)
                return PS_NOMEM(err, "message", length);
        memcpy(*text, wire->held + header, length);
        (*text)[length] = '\0';
        drop_read(wire, header + length);
        return PS_OK;
}

ps_status ps_wire_take(ps_wire *wire, ps_frame *frame, char **text, size_t *n, ps_error *err)
{
        size_t header = header_length(wire);
        uint64_t length = 0;
        *text = NULL;
        *n = 0;
        *frame = PS_FRAME_NONE;
        if (!header && wire->n < HEADER_MOST)
                return PS_OK;
        if (!header || !read_length(wire->held, header, &length) || length > PS_WIRE_MOST) {
                *frame = PS_FRAME_BROKEN;
                wire->to_skip = length;
                drop_read(wire, header ? header : wire->n);
                ps_wire_put(wire, 0);
                return PS_OK;
        }
        if (wire->n - header < length)
                return PS_OK;
        PS_TRY(take_text(wire, header, length, text, err));
        *n = length;
        *frame = PS_FRAME_TEXT;
        return PS_OK;
}
