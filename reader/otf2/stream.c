/* stream.c - see stream.h. */
#include "reader/otf2/stream.h"

#include "core/base/blocks.h"
#include "core/base/file.h"
#include "reader/otf2/bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

static const ps_time limit = PS_READER_TIME_LIMIT;

ps_otf2_scale ps_otf2_scale_make(uint64_t resolution_hz, uint64_t zero)
{
        const uint64_t per_second = (uint64_t)PS_PS_PER_S;
        if (per_second % resolution_hz == 0) {
                uint64_t mult = per_second / resolution_hz;
                return (ps_otf2_scale){zero, mult, 0, (uint64_t)limit / mult};
        }
        /* As many bits behind the point as 64 bits leave room for; at most 87, so that the shift fits. */
        unsigned shift = 0;
        while (shift < 87 && ((ps_otf2_uint128)per_second << (shift + 1)) / resolution_hz < UINT64_MAX)
                shift++;
        ps_otf2_uint128 scaled = ((ps_otf2_uint128)per_second << shift) + resolution_hz - 1;
        return (ps_otf2_scale){zero, (uint64_t)(scaled / resolution_hz), shift,
                               (uint64_t)limit / (per_second / resolution_hz + 1)};
}

ps_time ps_otf2_scale_apply_far(const ps_otf2_scale *scale, uint64_t ticks, int *clamped)
{
        /* The distance as a signed number: a clock correction may have gone below zero and wrapped. */
        uint64_t distance = ticks - scale->zero;
        int before = distance >> 63 != 0;
        ps_otf2_uint128 ps =
                (ps_otf2_uint128)(before ? 0 - distance : distance) * scale->mult >> scale->shift;
        if (ps > (uint64_t)limit) {
                *clamped = 1;
                ps = (uint64_t)limit;
        }
        return before ? -(ps_time)ps : (ps_time)ps;
}

void ps_otf2_stream_rest(ps_stream *stream)
{
        if (stream->fd < stream->most_files)
                return;
        close(stream->fd);
        stream->fd = -1;
}

static ps_status read_window(ps_stream *stream, ps_error *err)
{
        if (stream->fd < 0 && (stream->fd = ps_otf2_open(stream->path)) < 0)
                return ps_file_unopened("events", stream->path, err);
        while (stream->have < stream->room) {
                ssize_t got =
                        ps_blocks_read_at(stream->fd, stream->window + stream->have,
                                          stream->room - stream->have, (off_t)(stream->base + stream->have));
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return PS_FAIL(err, PS_E_INPUT, "cannot read the events: path=\"%s\", reason=\"%s\"",
                                       ps_defs_str(stream->defs, stream->file), strerror(errno));
                if (got == 0) {
                        stream->at_end = 1;
                        break;
                }
                stream->have += (size_t)got;
        }
        ps_otf2_stream_rest(stream);
        return PS_OK;
}

ps_status ps_otf2_stream_fill(ps_stream *stream, size_t n, ps_error *err)
{
        if (stream->have - stream->at >= n || stream->at_end)
                return PS_OK;
        ps_blocks_keep();
        memmove(stream->window, stream->window + stream->at, stream->have - stream->at);
        stream->base += stream->at;
        stream->have -= stream->at;
        stream->at = 0;
        return read_window(stream, err);
}

void ps_otf2_stream_advance(ps_stream *stream, uint64_t n)
{
        if (n <= stream->have - stream->at) {
                stream->at += (size_t)n;
                return;
        }
        uint64_t target = ps_otf2_stream_offset(stream) + n;
        stream->base = target;
        stream->at = stream->have = 0;
        stream->at_end |= target > INT64_MAX - PS_OTF2_WINDOW_BYTES;
}

void ps_otf2_stream_mark(const ps_stream *s, ps_stream_mark *out)
{
        *out = (ps_stream_mark){ps_otf2_stream_offset(s),
                                {s->chunk_end, s->ticks, (uint64_t)s->last, (uint64_t)s->big, s->local.at}};
}

ps_status ps_otf2_stream_seek(ps_stream *s, const ps_stream_mark *mark, ps_error *err)
{
        if (!s->path)
                return PS_OK;
        if (mark->offset > INT64_MAX - PS_OTF2_WINDOW_BYTES)
                return PS_FAIL(err, PS_E_INPUT, "cannot seek in events: path=\"%s\", offset=%" PRIu64,
                               ps_defs_str(s->defs, s->file), mark->offset);
        s->base = mark->offset;
        s->at = s->have = 0;
        s->at_end = s->done = 0;
        s->chunk_end = mark->state[0];
        s->ticks = mark->state[1];
        s->last = (ps_time)mark->state[2];
        s->big = (int)mark->state[3];
        s->local.at = (uint32_t)mark->state[4];
        return PS_OK;
}
