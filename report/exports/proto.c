/* proto.c - see proto.h. */
#include "report/exports/proto.h"

#include "core/base/vector.h"

#include <stdlib.h>
#include <string.h>

enum { VARINT = 0, FIXED64 = 1, BYTES = 2 };

static void put_byte(ps_proto *p, unsigned byte)
{
        p->failed |= PS_APPEND(p->bytes, p->n, p->cap, (unsigned char)byte);
}

static void put_varint(ps_proto *p, uint64_t value)
{
        for (; value >= 0x80; value >>= 7)
                put_byte(p, (unsigned)(value & 0x7f) | 0x80);
        put_byte(p, (unsigned)value);
}

static void put_key(ps_proto *p, unsigned field, unsigned type)
{
        put_varint(p, (uint64_t)field << 3 | type);
}

void ps_proto_varint(ps_proto *p, unsigned field, uint64_t value)
{
        put_key(p, field, VARINT);
        put_varint(p, value);
}

void ps_proto_fixed64(ps_proto *p, unsigned field, uint64_t value)
{
        put_key(p, field, FIXED64);
        for (unsigned shift = 0; shift < 64; shift += 8)
                put_byte(p, (unsigned)(value >> shift & 0xff));
}

void ps_proto_bytes(ps_proto *p, unsigned field, const void *bytes, size_t n)
{
        const unsigned char *from = bytes;
        put_key(p, field, BYTES);
        put_varint(p, n);
        for (size_t i = 0; i < n; i++)
                put_byte(p, from[i]);
}

void ps_proto_text(ps_proto *p, unsigned field, const char *text)
{
        ps_proto_bytes(p, field, text, strlen(text));
}

void ps_proto_message(ps_proto *p, unsigned field, ps_proto *inner)
{
        p->failed |= inner->failed;
        ps_proto_bytes(p, field, inner->bytes, inner->n);
        inner->n = 0;
}

void ps_proto_free(ps_proto *p)
{
        free(p->bytes);
        *p = (ps_proto){0};
}
