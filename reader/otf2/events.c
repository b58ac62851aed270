/* events.c - see events.h.
 *
 * What a record holds stands in a table and is decoded by it. The few types that make up nearly all of a
 * trace have a second, hand-written path, which looks neither for the end of the window nor of the chunk: it
 * is only taken where both are far away, and leaves everything that is not quite plain to the table.
 *
 * After a record that makes no sense nothing tells where the next one begins, so the rest of the file is left
 * out: looking for a place to go on would invent events. */
#include "reader/otf2/events.h"

#include "reader/otf2/plain.h"

static void stop(const ps_otf2_decoder *d, ps_issue_kind kind)
{
        ps_otf2_note(d, kind);
        d->s->done = d->s->broken = true;
}

static ps_status enter_chunk(ps_otf2_decoder *d, ps_error *err)
{
        ps_stream *s = d->s;
        PS_TRY(ps_otf2_stream_fill(s, PS_OTF2_HEADER_BYTES, err));
        const uint8_t *head = s->window + s->at;
        if (s->have - s->at < PS_OTF2_HEADER_BYTES) {
                stop(d, PS_I_FILE_TRUNCATED);
        } else if (head[0] != PS_OTF2_CHUNK_HEADER ||
                   (head[1] != PS_OTF2_BIG_ENDIAN && head[1] != PS_OTF2_LITTLE_ENDIAN)) {
                stop(d, PS_I_FILE_CORRUPT);
        } else {
                s->big = head[1] == PS_OTF2_BIG_ENDIAN;
                s->chunk_end = d->offset + s->chunk;
                s->at += PS_OTF2_HEADER_BYTES;
        }
        return PS_OK;
}

/* Reads type and length of the record at *b. Returns 0 when the chunk ends before them. */
static bool read_head(ps_stream *s, ps_otf2_bytes *b, uint8_t *type, uint64_t *length)
{
        *type = ps_otf2_u8(b);
        if (*type == PS_OTF2_TIMESTAMP) {
                uint64_t ticks = ps_otf2_full64(b);
                *type = ps_otf2_u8(b);
                if (!b->bad)
                        s->ticks = ticks;
        }
        *length = 0;
        if (b->bad || *type < PS_OTF2_TIMESTAMP)
                return !b->bad;
        unsigned code = *type - (unsigned)PS_OTF2_FIRST_TYPE;
        if (code < ps_otf2_n_records && ps_otf2_records[code].fields[0] == '!') {
                if (b->p == b->end)
                        return false;
                *length = *b->p == UINT8_MAX ? 1 : *b->p + 1U;
                return true;
        }
        *length = ps_otf2_u8(b);
        if (*length == UINT8_MAX)
                *length = ps_otf2_full64(b);
        return !b->bad;
}

/* Decodes the content of a record: `b` ends with it, or with the window (`whole` is 0 then). */
static void take_content(ps_otf2_decoder *d, ps_otf2_bytes *b, uint8_t type, bool whole, ps_batch *batch)
{
        unsigned code = type - (unsigned)PS_OTF2_FIRST_TYPE;
        int fine = 1;
        if (type == PS_OTF2_ATTRIBUTES) {
                fine = ps_otf2_take_attributes(d, b, whole);
        } else if (code < ps_otf2_n_records) {
                fine = ps_otf2_decode_record(d, b, code, batch);
        } else {
                ps_otf2_add_event(d, batch, ps_otf2_n_records, PS_EV_OTHER);
                ps_otf2_note(d, PS_I_RECORD_UNKNOWN);
        }
        if (!fine)
                stop(d, PS_I_FILE_CORRUPT);
}

static bool ends_here(const ps_stream *s)
{
        return s->at_end && s->base + s->have < s->chunk_end;
}

static ps_status end_file(ps_otf2_decoder *d, ps_error *err)
{
        ps_stream *s = d->s;
        s->done = 1;
        PS_TRY(ps_otf2_stream_fill(s, PS_OTF2_MARK_BYTES + 1, err));
        if (s->have - s->at > PS_OTF2_MARK_BYTES)
                ps_otf2_note(d, PS_I_FILE_TRAILING);
        return PS_OK;
}

static ps_status take_event(ps_otf2_decoder *d, ps_batch *batch, ps_error *err)
{
        ps_stream *s = d->s;
        uint8_t type;
        uint64_t length;
        ps_otf2_bytes b = ps_otf2_rest_of_chunk(s);
        const uint8_t *start = b.p;
        if (!read_head(s, &b, &type, &length)) {
                stop(d, ends_here(s) ? PS_I_FILE_TRUNCATED : PS_I_FILE_CORRUPT);
                return PS_OK;
        }
        if (type == PS_OTF2_END_OF_FILE)
                return end_file(d, err);
        if (type == PS_OTF2_END_OF_CHUNK) {
                ps_otf2_stream_advance(s, s->chunk_end - d->offset);
                return PS_OK;
        }
        uint64_t head = (uint64_t)(b.p - start);
        if (type <= PS_OTF2_TIMESTAMP || length > s->chunk_end - d->offset - head) {
                stop(d, PS_I_FILE_CORRUPT);
                return PS_OK;
        }
        uint64_t wanted = head + length < PS_OTF2_WINDOW_BYTES ? head + length : PS_OTF2_WINDOW_BYTES;
        PS_TRY(ps_otf2_stream_fill(s, (size_t)wanted, err));
        if (s->have - s->at < wanted) {
                stop(d, PS_I_FILE_TRUNCATED);
                return PS_OK;
        }
        b = (ps_otf2_bytes){s->window + s->at + head, s->window + s->at + wanted, s->big, 0};
        take_content(d, &b, type, wanted == head + length, batch);
        if (!s->done)
                ps_otf2_stream_advance(s, head + length);
        return PS_OK;
}

__attribute__((always_inline)) static inline bool fast_message(ps_stream *s, const uint8_t **p,
                                                               bool has_request, ps_event *out)
{
        const uint8_t *end = *p + 1 + **p;
        ++*p;
        return ps_otf2_plain_address(s, p, &out->peer, &out->comm) &&
               ps_otf2_plain_message(p, end, &out->tag, &out->bytes, has_request ? &out->request : NULL);
}

/* Of its values it is told how many there are. */
static inline bool fast_metric(ps_stream *s, const uint8_t **p, ps_event *out)
{
        const uint8_t *end = *p + 1 + **p;
        if (*(*p)++ > PS_OTF2_PLAIN_BYTES || !ps_otf2_plain_reference(s, OTF2_MAPPING_METRIC, p, &out->ref) ||
            *p >= end)
                return false;
        out->tag = **p;
        *p = end;
        return true;
}

static inline bool fast_content(ps_stream *s, const uint8_t **p, unsigned code, ps_event *out)
{
        switch (code) {
        case PLAIN_ENTER:
        case PLAIN_LEAVE:
                return ps_otf2_plain_reference(s, OTF2_MAPPING_REGION, p, &out->ref);
        case PLAIN_ISEND_COMPLETE:
        case PLAIN_IRECV_REQUEST:
                return ps_otf2_plain_number(p, 8, &out->request);
        case PLAIN_SEND:
        case PLAIN_RECV:
                return fast_message(s, p, 0, out);
        case PLAIN_METRIC:
                return fast_metric(s, p, out);
        default: /* PLAIN_ISEND, PLAIN_IRECV */
                return fast_message(s, p, 1, out);
        }
}

/* What of the stream changes with every record, in registers. */
struct fast {
        const uint8_t *p;
        uint64_t ticks;
        ps_time last;
};

/* Decodes the record at f->p. Returns 0, with nothing changed, when it is not quite plain. */
static inline bool fast_record(ps_stream *s, const ps_otf2_scale *scale, struct fast *f, ps_event *out)
{
        const uint8_t *p = f->p;
        uint64_t ticks = f->ticks;
        int clamped = 0;
        if (*p == PS_OTF2_TIMESTAMP) {
                ticks = ps_otf2_load64(p + 1);
                p += 9;
        }
        unsigned code = *p++ - (unsigned)PS_OTF2_FIRST_TYPE;
        if (code - PLAIN_ENTER > PLAIN_IRECV - PLAIN_ENTER && code != PLAIN_METRIC)
                return false;
        uint64_t global = s->local.n_intervals ? ps_otf2_local_time(&s->local, ticks) : ticks;
        ps_time time = ps_otf2_scale_apply(scale, global, &clamped);
        if (time < f->last || clamped)
                return false;
        *out = (ps_event){.time = time,
                          .ref = PS_NONE,
                          .peer = PS_NONE,
                          .comm = PS_NONE,
                          .code = (uint16_t)code,
                          .kind = ps_otf2_records[code].kind,
                          .offset = s->base + (uint64_t)(f->p - s->window)};
        if (!fast_content(s, &p, code, out))
                return false;
        *f = (struct fast){p, ticks, time};
        return true;
}

/* Decodes plain records of the commonest types while the window and the chunk are sure to hold them; stops
 * before the first that is anything else, or that there is anything to note of. */
static void batch_plain(ps_stream *s, void *ctx)
{
        ps_batch *batch = ctx;
        ps_otf2_bytes b = ps_otf2_rest_of_chunk(s);
        if (s->big || s->names->comm_ranks || b.end - b.p <= PS_OTF2_FAST_BYTES)
                return;
        const ps_otf2_scale scale = s->scale;
        const uint8_t *end = ps_otf2_plain_end(s, &b);
        struct fast f = {b.p, s->ticks, s->last};
        ps_event *first = batch->event + batch->n, *event = first, *full = batch->event + PS_BATCH_EVENTS;
        while (f.p < end && event < full && fast_record(s, &scale, &f, event))
                event++;
        if (event == first)
                return;
        ps_otf2_take_hints(s, first);
        s->ticks = f.ticks;
        s->last = f.last;
        s->at = (size_t)(f.p - s->window);
        s->n_events += (uint64_t)(event - first);
        batch->n = (uint32_t)(event - batch->event);
}

ps_status ps_otf2_decode_step(ps_stream *stream, ps_otf2_plain *plain, void *ctx, ps_batch *batch,
                              ps_issues *issues, ps_error *err)
{
        ps_otf2_decoder d = {stream, issues, 0};
        PS_TRY(ps_otf2_stream_fill(stream, PS_OTF2_FAST_BYTES, err));
        d.offset = ps_otf2_stream_offset(stream);
        if (d.offset == stream->chunk_end)
                return enter_chunk(&d, err);
        plain(stream, ctx);
        if (batch->n == PS_BATCH_EVENTS || ps_otf2_stream_is_over(stream))
                return PS_OK;
        PS_TRY(ps_otf2_stream_fill(stream, PS_OTF2_FAST_BYTES, err));
        d.offset = ps_otf2_stream_offset(stream);
        return d.offset < stream->chunk_end ? take_event(&d, batch, err) : PS_OK;
}

ps_status ps_otf2_decode(ps_stream *stream, ps_batch *batch, ps_issues *issues, ps_error *err)
{
        while (!ps_otf2_stream_is_over(stream) && batch->n < PS_BATCH_EVENTS)
                PS_TRY(ps_otf2_decode_step(stream, batch_plain, batch, batch, issues, err));
        return PS_OK;
}
