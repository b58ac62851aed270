/* plain.h - how plain records are decoded, those of few types that make up nearly all of a trace: without a
 * look for the end of the window or of the chunk, which are known to be far away. What is not quite plain is
 * left to the table of records. */
#ifndef PS_READER_OTF2_PLAIN_H
#define PS_READER_OTF2_PLAIN_H

#include "core/fold/sink.h"
#include "reader/otf2/records.h"

/* Their rows in the table. */
enum {
        PLAIN_ENTER = 2,
        PLAIN_LEAVE = 3,
        PLAIN_SEND = 4,
        PLAIN_ISEND = 5,
        PLAIN_ISEND_COMPLETE = 6,
        PLAIN_IRECV_REQUEST = 7,
        PLAIN_RECV = 8,
        PLAIN_IRECV = 9,
        PLAIN_REQUEST_TEST = 10,
        PLAIN_COLL_BEGIN = 12,
        PLAIN_COLL_END = 13,
        PLAIN_METRIC = 21,
        PLAIN_WINDOW_COLL_BEGIN = 27,
        PLAIN_WINDOW_COLL_END = 28,
        PLAIN_WINDOW_REQUEST = 30,
        PLAIN_WINDOW_LOCK = 31,
        PLAIN_WINDOW_TRY = 32,
        PLAIN_WINDOW_UNLOCK = 33,
        PLAIN_MEMORY_SYNC = 34,
        PLAIN_WAIT_CHANGE = 35,
        PLAIN_PUT = 36,
        PLAIN_GET = 37,
        PLAIN_ATOMIC = 38,
        PLAIN_TRANSFERRED = 39,
        PLAIN_TRANSFERRED_LATER = 40,
        PLAIN_TRANSFERRED_THERE = 42,
        PLAIN_FORK = 43,
        PLAIN_JOIN = 44,
        PLAIN_TEAM_BEGIN = 45,
        PLAIN_TEAM_END = 46,
        PLAIN_LOCK_ACQUIRE = 47,
        PLAIN_LOCK_RELEASE = 48,
        PLAIN_TASK_CREATE = 49,
        PLAIN_TASK_SWITCH = 50,
        PLAIN_TASK_COMPLETE = 51,
        PLAIN_CONTEXT_ENTER = 56,
        PLAIN_CONTEXT_LEAVE = 57,
        PLAIN_NBC_REQUEST = 75,
        PLAIN_NBC_DONE = 76
};

static inline uint64_t ps_otf2_load64(const uint8_t *p)
{
        uint64_t x;
        memcpy(&x, p, sizeof(x));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        x = __builtin_bswap64(x);
#endif
        return x;
}

/* Numbers are most of what there is to decode. */
#define PLAIN_INLINE __attribute__((always_inline)) static inline

/* A compressed number of at most `width` bytes; 8 bytes behind its first must be there. 0 when it is not a
 * plain one. Where the next one stands depends on how long it is: of the lengths that most have a processor
 * foresees which, and goes on from there, where it would have to wait for what it adds. */
PLAIN_INLINE bool ps_otf2_plain_number(const uint8_t **p, unsigned width, uint64_t *out)
{
        static const uint64_t mask[] = {0,          0xff,         0xffff,         0xffffff,
                                        0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff,
                                        UINT64_MAX};
        const unsigned n = **p;
        if (n == 1) {
                *out = (*p)[1];
                *p += 2;
                return true;
        }
        if (n == 2) {
                *out = ps_otf2_load64(*p + 1) & 0xffff;
                *p += 3;
                return true;
        }
        if (n > width)
                return false;
        *out = ps_otf2_load64(*p + 1) & mask[n];
        *p += n + 1;
        return true;
}

PLAIN_INLINE bool ps_otf2_plain_number32(const uint8_t **p, uint32_t *out)
{
        uint64_t value = 0;
        int fine = ps_otf2_plain_number(p, 4, &value);
        *out = (uint32_t)value;
        return fine;
}

/* A rank, or PS_NONE: it is none. */
PLAIN_INLINE bool ps_otf2_plain_rank(const uint8_t **p, uint32_t *out)
{
        if (**p != UINT8_MAX)
                return ps_otf2_plain_number32(p, out);
        ++*p;
        *out = PS_NONE;
        return true;
}

/* The root of a collective operation. */
static inline bool ps_otf2_plain_root(const uint8_t **p, uint32_t *out)
{
        uint32_t root;
        if (!ps_otf2_plain_rank(p, &root))
                return false;
        *out = ps_otf2_root(root);
        return true;
}

/* A reference; 0 when it is to nothing that is defined. */
PLAIN_INLINE bool ps_otf2_plain_reference(ps_stream *s, int mapping, const uint8_t **p, uint32_t *out)
{
        uint32_t id;
        if (!ps_otf2_plain_number32(p, &id))
                return false;
        const ps_otf2_cached *slot = &s->cache[mapping][id % PS_OTF2_CACHE_ROWS];
        if (__builtin_expect(slot->id == id, 1)) {
                *out = slot->value;
                return true;
        }
        return (*out = ps_otf2_cache_id(s, mapping, id)) != PS_NONE;
}

/* The same of one that was met lately: no function is called; else 0. */
PLAIN_INLINE bool ps_otf2_plain_reference_near(ps_stream *s, int mapping, const uint8_t **p, uint32_t *out)
{
        uint32_t id;
        if (!ps_otf2_plain_number32(p, &id))
                return false;
        const ps_otf2_cached *slot = &s->cache[mapping][id % PS_OTF2_CACHE_ROWS];
        *out = slot->value;
        return slot->id == id;
}

/* A reference, and behind it in the record at least so many bytes that nobody needs. */
static inline bool ps_otf2_plain_reference_only(ps_stream *s, int mapping, const uint8_t **p, unsigned more,
                                                uint32_t *out)
{
        const uint8_t *end = *p + 1 + **p;
        if (*(*p)++ > PS_OTF2_PLAIN_BYTES || !ps_otf2_plain_reference(s, mapping, p, out) || *p + more > end)
                return false;
        *p = end;
        return true;
}

/* A message's record begins with its address. */
PLAIN_INLINE bool ps_otf2_plain_address(ps_stream *s, const uint8_t **p, uint32_t *rank, uint32_t *comm)
{
        return ps_otf2_plain_number32(p, rank) && ps_otf2_plain_reference(s, OTF2_MAPPING_COMM, p, comm);
}

/* The first `n` bytes of what is there, of eight at most, by which a record is known again. */
PLAIN_INLINE uint64_t ps_otf2_first_bytes(const uint8_t *p, unsigned n)
{
        return ps_otf2_load64(p) & (UINT64_MAX >> (64 - 8 * n));
}

/* The rest, up to `end`. `request`: NULL: it has none. */
PLAIN_INLINE bool ps_otf2_plain_message(const uint8_t **p, const uint8_t *end, uint32_t *tag, uint64_t *bytes,
                                        uint64_t *request)
{
        return ps_otf2_plain_number32(p, tag) && ps_otf2_plain_number(p, 8, bytes) &&
               (!request || ps_otf2_plain_number(p, 8, request)) && *p == end;
}

/* Counts what has been folded up to `end`, if that is not NULL. */
PLAIN_INLINE const uint8_t *ps_otf2_counted(ps_builder *b, unsigned code, const uint8_t *end)
{
        if (end)
                ps_fold_count(b, code);
        return end;
}

/* A ps_otf2_whole of calls whose first record is known: `take` gets that, and what else is known, as
 * constants. */
#define PLAIN_WHOLE(linkage, name, take, ...)                                                                \
        linkage struct ps_otf2_call name(ps_builder *b, const struct ps_otf2_timing *timing,                 \
                                         struct frame *top, ps_path path, const uint8_t *p, ps_time time)    \
        {                                                                                                    \
                return take(b, timing, top, path, p, time, __VA_ARGS__);                                     \
        }

/* A function for a record, and one that it calls last for what `take` does not know again: where programs
 * have many communicators, roots and targets that is much, and takes no further detour. `linkage`: of the
 * first. */
#define PLAIN_CONTENT(linkage, name, code, take)                                                             \
        __attribute__((noinline)) static const uint8_t *name##_slowly(                                       \
                ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p, ps_time time)              \
        {                                                                                                    \
                return ps_otf2_counted(b, code, take(s, b, top, p, time, code, false));                      \
        }                                                                                                    \
        linkage const uint8_t *name(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,        \
                                    ps_time time)                                                            \
        {                                                                                                    \
                const uint8_t *end = ps_otf2_counted(b, code, take(s, b, top, p, time, code, true));         \
                return end ? end : name##_slowly(s, b, top, p, time);                                        \
        }

/* What of the chunk stands in the window. */
static inline ps_otf2_bytes ps_otf2_rest_of_chunk(const ps_stream *s)
{
        uint64_t left = s->have - s->at, room = s->chunk_end - ps_otf2_stream_offset(s);
        const uint8_t *p = s->window + s->at;
        return (ps_otf2_bytes){p, p + (left < room ? left : room), s->big, 0};
}

/* Plain records begin before here; the rest is longer than PS_OTF2_FAST_BYTES. */
static inline const uint8_t *ps_otf2_plain_end(const ps_stream *s, const ps_otf2_bytes *rest)
{
        const uint8_t *end = rest->end - PS_OTF2_FAST_BYTES;
        uint64_t left = s->until - ps_otf2_stream_offset(s);
        return left < (uint64_t)(end - rest->p) ? rest->p + left : end;
}

#endif
