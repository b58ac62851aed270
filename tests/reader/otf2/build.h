/* build.h - OTF2 files byte by byte, in either byte order, right or deliberately wrong. */
#ifndef PS_TESTS_READER_OTF2_BUILD_H
#define PS_TESTS_READER_OTF2_BUILD_H

#include <stddef.h>
#include <stdint.h>

typedef struct build {
        uint8_t data[4096];
        size_t n;
        int big;
} build;

void build_u8(build *b, unsigned value);
void build_full(build *b, uint64_t value, unsigned bytes);
void build_number(build *b, uint64_t value); /* compressed; UINT64_MAX is "undefined" */
void build_text(build *b, const char *text);
void build_header(build *b); /* of a chunk */
void build_time(build *b, uint64_t ticks);
/* A record with a length before it. Letters of `layout`: u a byte, n a compressed number, s text, 8 a number
 * of eight bytes; each takes an argument, uint64_t or const char *. */
void build_record(build *b, unsigned type, const char *layout, ...);
void build_enter(build *b, uint64_t region);
void build_leave(build *b, uint64_t region);
void build_anchor(build *b, unsigned substrate, unsigned compression, uint64_t chunk, const char *creator);

/* Writes the file `name` in `folder`. */
void build_save(const build *b, const char *folder, const char *name);

#endif
