/* bytes.h - OTF2's elementary types, decoded out of a bounded piece of memory.
 *
 * Every function stops at `end`, and what does not fit or is malformed sets `bad`, which sticks: a record is
 * decoded field by field without looking, and asked once at its end. Numbers are "compressed" (a byte that
 * tells how many follow; 0 is zero, 255 is "undefined", all bits set) or of full width. */
#ifndef PS_READER_OTF2_BYTES_H
#define PS_READER_OTF2_BYTES_H

#include "core/base/error.h"

#include <string.h>

/* What the first bytes of a record can be besides a type of event or definition. */
enum {
        PS_OTF2_END_OF_CHUNK = 0,
        PS_OTF2_END_OF_FILE = 2,
        PS_OTF2_CHUNK_HEADER = 3,
        PS_OTF2_TIMESTAMP = 5, /* in event files only */
        PS_OTF2_ATTRIBUTES = 6,
        PS_OTF2_FIRST_TYPE = 10,
        PS_OTF2_BIG_ENDIAN = 0x23,
        PS_OTF2_LITTLE_ENDIAN = 0x42,
        PS_OTF2_MARK_BYTES = 3,   /* the mark of a file's end, and what may follow it */
        PS_OTF2_HEADER_BYTES = 18 /* of a chunk: type, endianness, numbers of its first and last event */
};

typedef struct ps_otf2_bytes {
        const uint8_t *p, *end;
        bool big; /* numbers are big-endian */
        bool bad;
} ps_otf2_bytes;

uint8_t ps_otf2_u8(ps_otf2_bytes *b);
uint64_t ps_otf2_full64(ps_otf2_bytes *b);
uint32_t ps_otf2_u32(ps_otf2_bytes *b); /* compressed */
uint64_t ps_otf2_u64(ps_otf2_bytes *b); /* compressed */
void ps_otf2_skip(ps_otf2_bytes *b, uint64_t n);
/* A string with its NUL; *len is its length without it. Never NULL. */
const char *ps_otf2_text(ps_otf2_bytes *b, size_t *len);

/* How many bytes are left. */
static inline uint64_t ps_otf2_left(const ps_otf2_bytes *b)
{
        return (uint64_t)(b->end - b->p);
}

/* A whole file in memory. */
typedef struct ps_otf2_file {
        uint8_t *data;
        size_t len;
        bool found; /* 0: there is no such regular file */
} ps_otf2_file;

/* Reads a file of any size; what the file claims about itself plays no part in how much is allocated. */
ps_status ps_otf2_load(ps_otf2_file *out, const char *path, ps_error *err);

/* Opens a regular file for reading: a descriptor, -1 when there is none such, -2 when it cannot be opened. */
int ps_otf2_open(const char *path);

/* The records of a definition file: chunks of a fixed size, each with a header, none across two of them. */
typedef struct ps_otf2_walk {
        const uint8_t *data;
        uint64_t len, pos, chunk, chunk_end;
        bool big;
} ps_otf2_walk;

typedef enum ps_otf2_step { PS_OTF2_RECORD, PS_OTF2_END, PS_OTF2_TRUNCATED, PS_OTF2_CORRUPT } ps_otf2_step;

/* The next record's type and content; *offset is where it begins, or where the file goes wrong. */
ps_otf2_step ps_otf2_walk_next(ps_otf2_walk *walk, uint8_t *type, ps_otf2_bytes *record, uint64_t *offset);

#endif
