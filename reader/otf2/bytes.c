/* bytes.c - see bytes.h. */
#include "reader/otf2/bytes.h"

#include "core/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* `n` (at most 8) bytes as a number. */
static uint64_t read_bytes_as_number(ps_otf2_bytes *b, unsigned n)
{
        uint64_t value = 0;
        if (ps_otf2_left(b) < n) {
                b->bad = 1;
                b->p = b->end;
                return 0;
        }
        for (unsigned i = 0; i < n; i++)
                value |= (uint64_t)b->p[i] << 8 * (b->big ? n - 1 - i : i);
        b->p += n;
        return value;
}

uint8_t ps_otf2_u8(ps_otf2_bytes *b)
{
        return (uint8_t)read_bytes_as_number(b, 1);
}

uint64_t ps_otf2_full64(ps_otf2_bytes *b)
{
        return read_bytes_as_number(b, 8);
}

static uint64_t compressed(ps_otf2_bytes *b, unsigned width)
{
        unsigned n = ps_otf2_u8(b);
        if (n == UINT8_MAX)
                return UINT64_MAX;
        if (n > width) {
                b->bad = 1;
                return 0;
        }
        return read_bytes_as_number(b, n);
}

uint32_t ps_otf2_u32(ps_otf2_bytes *b)
{
        return (uint32_t)compressed(b, 4);
}

uint64_t ps_otf2_u64(ps_otf2_bytes *b)
{
        return compressed(b, 8);
}

void ps_otf2_skip(ps_otf2_bytes *b, uint64_t n)
{
        if (ps_otf2_left(b) < n) {
                b->bad = 1;
                n = ps_otf2_left(b);
        }
        b->p += n;
}

const char *ps_otf2_text(ps_otf2_bytes *b, size_t *len)
{
        const uint8_t *start = b->p;
        const uint8_t *nul = start < b->end ? memchr(start, 0, (size_t)(b->end - start)) : NULL;
        *len = 0;
        if (!nul) {
                b->bad = 1;
                return "";
        }
        *len = (size_t)(nul - start);
        b->p = nul + 1;
        return (const char *)start;
}

int ps_otf2_open(const char *path)
{
        struct stat st;
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
                return errno == ENOENT || errno == ENOTDIR ? -1 : -2;
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
                return fd;
        close(fd);
        return -1;
}

ps_status ps_otf2_load(ps_otf2_file *out, const char *path, ps_error *err)
{
        *out = (ps_otf2_file){0};
        int fd = ps_otf2_open(path);
        if (fd == -1)
                return PS_OK;
        FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");
        char *text;
        if (!file && fd >= 0)
                close(fd);
        PS_TRY(ps_file_read(&text, &out->len, file, SIZE_MAX - 1, "file", path, err));
        out->data = (uint8_t *)text;
        out->found = 1;
        return PS_OK;
}

static ps_otf2_step enter_chunk(ps_otf2_walk *walk)
{
        const uint8_t *head = walk->data + walk->pos;
        if (walk->len - walk->pos < PS_OTF2_HEADER_BYTES)
                return PS_OTF2_TRUNCATED;
        if (head[0] != PS_OTF2_CHUNK_HEADER ||
            (head[1] != PS_OTF2_BIG_ENDIAN && head[1] != PS_OTF2_LITTLE_ENDIAN))
                return PS_OTF2_CORRUPT;
        walk->big = head[1] == PS_OTF2_BIG_ENDIAN;
        walk->chunk_end = walk->pos + walk->chunk;
        walk->pos += PS_OTF2_HEADER_BYTES;
        return PS_OTF2_RECORD;
}

/* Cuts the record's content out of the file: its length stands before it. */
static ps_otf2_step cut_record(ps_otf2_walk *walk, ps_otf2_bytes *record)
{
        uint64_t end = walk->len < walk->chunk_end ? walk->len : walk->chunk_end;
        ps_otf2_bytes b = {walk->data + walk->pos, walk->data + end, walk->big, 0};
        uint64_t n = ps_otf2_u8(&b);
        if (n == UINT8_MAX)
                n = ps_otf2_full64(&b);
        if (b.bad || n > ps_otf2_left(&b))
                return end == walk->len ? PS_OTF2_TRUNCATED : PS_OTF2_CORRUPT;
        *record = b;
        record->end = b.p + n;
        walk->pos = (uint64_t)(record->end - walk->data);
        return PS_OTF2_RECORD;
}

ps_otf2_step ps_otf2_walk_next(ps_otf2_walk *walk, uint8_t *type, ps_otf2_bytes *record, uint64_t *offset)
{
        for (;;) {
                *offset = walk->pos;
                if (walk->pos == walk->chunk_end) {
                        ps_otf2_step step = enter_chunk(walk);
                        if (step != PS_OTF2_RECORD)
                                return step;
                        continue;
                }
                if (walk->pos >= walk->len)
                        return PS_OTF2_TRUNCATED;
                *type = walk->data[walk->pos++];
                if (*type == PS_OTF2_END_OF_FILE)
                        return PS_OTF2_END;
                if (*type != PS_OTF2_END_OF_CHUNK)
                        return *type < 5 ? PS_OTF2_CORRUPT : cut_record(walk, record);
                if (walk->chunk_end > walk->len)
                        return PS_OTF2_TRUNCATED;
                walk->pos = walk->chunk_end;
        }
}
