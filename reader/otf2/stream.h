/* stream.h - the event file of one location: a window that moves over the file, and the state of
 * decoding.
 *
 * The window is read with read(2), not mapped: a file that shrinks meanwhile must not kill the process. Its
 * size is fixed, whatever sizes the archive claims; of a record that is longer only the beginning is looked
 * at, which holds all fields that matter. */
#ifndef PS_READER_OTF2_STREAM_H
#define PS_READER_OTF2_STREAM_H

#include "core/model/event.h"
#include "core/model/format.h"
#include "reader/otf2/local.h"
#include "reader/otf2/resolve.h"

enum {
        PS_OTF2_WINDOW_BYTES = 256 * 1024,
        PS_OTF2_FAST_BYTES = 128, /* more than any record that the fast path decodes */
        PS_OTF2_PLAIN_BYTES = 40, /* the longest content of such a record, if it tells how long it is */
        PS_OTF2_CACHE_ROWS = 256
};

__extension__ typedef unsigned __int128 ps_otf2_uint128;

/* Ticks to picoseconds: (ticks - zero) * mult >> shift, exact where a tick is a whole number of them. */
typedef struct ps_otf2_scale {
        uint64_t zero, mult;
        unsigned shift;
        uint64_t near; /* distances from zero below this one are sure to be in range */
} ps_otf2_scale;

ps_otf2_scale ps_otf2_scale_make(uint64_t resolution_hz, uint64_t zero);

/* The same as ps_otf2_scale_apply for any ticks. */
ps_time ps_otf2_scale_apply_far(const ps_otf2_scale *scale, uint64_t ticks, int *clamped);

static inline bool ps_otf2_scale_is_near(const ps_otf2_scale *scale, uint64_t ticks)
{
        return __builtin_expect(ticks - scale->zero < scale->near, 1);
}

static inline ps_time ps_otf2_scale_apply_near(const ps_otf2_scale *scale, uint64_t ticks)
{
        return (ps_time)((ps_otf2_uint128)(ticks - scale->zero) * scale->mult >> scale->shift);
}

/* Times beyond the limit of all readers are clamped to it and set *clamped. */
static inline ps_time ps_otf2_scale_apply(const ps_otf2_scale *scale, uint64_t ticks, int *clamped)
{
        return ps_otf2_scale_is_near(scale, ticks) ? ps_otf2_scale_apply_near(scale, ticks)
                                                   : ps_otf2_scale_apply_far(scale, ticks, clamped);
}

/* What a local id was last resolved to. */
typedef struct ps_otf2_cached {
        uint32_t id, value;
} ps_otf2_cached;

/* What attributes told of the next call; it is only looked at when `known`. */
typedef struct ps_otf2_hints {
        uint64_t lock;
        uint32_t modes, root; /* root: PS_NONE: not told */
        uint8_t known, has_lock;
} ps_otf2_hints;

/* The modes that a text names, of which programs have few; of text 0, which is empty, none. */
typedef struct ps_otf2_modes {
        ps_str text;
        uint32_t modes;
} ps_otf2_modes;

enum { PS_OTF2_MODES = 8 };

struct ps_stream {
        const ps_otf2_names *names;
        const ps_defs *defs;
        ps_otf2_scale scale;
        ps_loc location;
        ps_str file, locals_file; /* names of its two files */
        ps_otf2_local local;

        char *path;     /* of the events; NULL: there is no such file */
        int fd;         /* -1: it is opened again to be read */
        int most_files; /* one that has this number or a higher one is closed when it is not read */
        uint8_t *window;
        size_t room;     /* of the window: PS_OTF2_WINDOW_BYTES, or all of a smaller file and a byte */
        size_t at, have; /* in the window: the next byte, and the end of what was read */
        uint64_t base;   /* offset in the file of the window's first byte */
        bool at_end;     /* the file ends with the window */
        uint64_t chunk, chunk_end;
        uint64_t until; /* no record is begun from this offset on; UINT64_MAX: all are */
        bool big;

        uint64_t ticks; /* of the last timestamp, local */
        ps_time last;   /* of the last event; before the first far away */
        uint64_t n_events;
        ps_str site_file; /* from an attribute list, for the next event */
        uint32_t site_line;
        ps_otf2_hints hints;                /* likewise */
        ps_otf2_modes modes[PS_OTF2_MODES]; /* by text */
        bool begun, done, counted; /* before the first batch; after the last event; its count checked */
        bool broken;               /* the file was damaged */
        /* Of each mapping PS_OTF2_CACHE_ROWS; while none of its ids is known they are nobody's. */
        const ps_otf2_cached *cache[OTF2_MAPPING_MAX];
        ps_otf2_cached *own_cache[OTF2_MAPPING_MAX];
};

/* Moves the window so that it holds the next `n` bytes (at most its size), or all that is left. */
ps_status ps_otf2_stream_fill(ps_stream *stream, size_t n, ps_error *err);
/* Goes `n` bytes on, beyond the window if need be. */
void ps_otf2_stream_advance(ps_stream *stream, uint64_t n);
/* Closes the file until it is read again, where as many are open as may be. */
void ps_otf2_stream_rest(ps_stream *stream);

/* Gives the event what attributes told of it. */
static inline void ps_otf2_take_hints(ps_stream *s, ps_event *event)
{
        event->site_file = s->site_file;
        event->site_line = s->site_line;
        s->site_file = s->site_line = 0;
        if (!s->hints.known)
                return;
        if (event->kind == PS_EV_ENTER || event->kind == PS_EV_CONTEXT_ENTER) {
                event->tag = s->hints.modes;
                event->peer = s->hints.root;
                event->request = s->hints.lock;
                event->op = s->hints.has_lock;
        }
        s->hints = (ps_otf2_hints){0};
}

/* Where the stream is, so that it can go on there another time. */
void ps_otf2_stream_mark(const ps_stream *stream, ps_stream_mark *out);
ps_status ps_otf2_stream_seek(ps_stream *stream, const ps_stream_mark *mark, ps_error *err);

static inline uint64_t ps_otf2_stream_offset(const ps_stream *stream)
{
        return stream->base + stream->at;
}

/* Is there no more to be read here? */
static inline bool ps_otf2_stream_is_over(const ps_stream *stream)
{
        return stream->done || ps_otf2_stream_offset(stream) >= stream->until;
}

/* Has something been read that is about the next event? */
static inline bool ps_otf2_stream_is_between(const ps_stream *stream)
{
        return stream->hints.known || stream->site_file || stream->site_line;
}

#endif
