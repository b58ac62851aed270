/* build.c - see build.h. */
#include "tests/reader/otf2/build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void build_u8(build *b, unsigned value)
{
        if (b->n == sizeof(b->data))
                abort();
        b->data[b->n++] = (uint8_t)value;
}

void build_full(build *b, uint64_t value, unsigned bytes)
{
        for (unsigned i = 0; i < bytes; i++)
                build_u8(b, (unsigned)(value >> 8 * (b->big ? bytes - 1 - i : i)) & 0xff);
}

void build_number(build *b, uint64_t value)
{
        unsigned n = 0;
        while (n < 8 && value >> 8 * n)
                n++;
        build_u8(b, value == UINT64_MAX ? 255 : n);
        if (value != UINT64_MAX)
                build_full(b, value, n);
}

void build_text(build *b, const char *text)
{
        do
                build_u8(b, (unsigned char)*text);
        while (*text++);
}

void build_header(build *b)
{
        build_u8(b, 3);
        build_u8(b, b->big ? 0x23 : 0x42);
        build_full(b, 1, 8);
        build_full(b, 1, 8);
}

void build_time(build *b, uint64_t ticks)
{
        build_u8(b, 5);
        build_full(b, ticks, 8);
}

void build_record(build *b, unsigned type, const char *layout, ...)
{
        build_u8(b, type);
        size_t length_at = b->n;
        build_u8(b, 0);
        va_list args;
        va_start(args, layout);
        for (; *layout; layout++) {
                if (*layout == 's') {
                        build_text(b, va_arg(args, const char *));
                        continue;
                }
                uint64_t value = va_arg(args, uint64_t);
                if (*layout == 'u')
                        build_u8(b, (unsigned)value);
                else if (*layout == '8')
                        build_full(b, value, 8);
                else
                        build_number(b, value);
        }
        va_end(args);
        b->data[length_at] = (uint8_t)(b->n - length_at - 1);
}

void build_enter(build *b, uint64_t region)
{
        build_u8(b, 12);
        build_number(b, region);
}

void build_leave(build *b, uint64_t region)
{
        build_u8(b, 13);
        build_number(b, region);
}

void build_anchor(build *b, unsigned substrate, unsigned compression, uint64_t chunk, const char *creator)
{
        build_u8(b, 3);
        build_u8(b, b->big ? 0x23 : 0x42);
        build_text(b, "OTF2");
        for (unsigned version = 0; version < 5; version++)
                build_u8(b, 1);
        build_full(b, chunk, 8);
        build_full(b, chunk, 8);
        build_u8(b, substrate);
        build_u8(b, compression);
        build_full(b, 1, 8);
        build_full(b, 1, 8);
        build_text(b, "machine");
        build_text(b, creator);
        build_text(b, "description");
        build_full(b, 0, 4); /* properties */
        build_full(b, 1, 8);
        build_full(b, 0, 4);
        build_full(b, 0, 4);
        build_u8(b, 2); /* the end, and two bytes that stand there */
        build_u8(b, 1);
        build_u8(b, 0);
}

void build_save(const build *b, const char *folder, const char *name)
{
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", folder, name);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(b->data, 1, b->n, file) != b->n || fclose(file) != 0)
                abort();
}
