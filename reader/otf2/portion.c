/* portion.c - a location on several threads: where they may begin, and each one's way from there. Chunks are
 * all of one size, so that their borders are known; what stands in one can be read without those before. */
#include "core/fold/fold.h"
#include "reader/otf2/events.h"
#include "reader/otf2/fold.h"

#include <string.h>

enum {
        MOST_SCANNED = 1 << 16, /* records, where a place is looked for */
        STEPS = 64              /* of a window each at most, between two looks whether the load goes on */
};

static void take_nothing(ps_stream *s, void *ctx)
{
        (void)s, (void)ctx;
}

/* A step to the next record. False: there is something to be noted of it, or no more of them. */
static bool step(ps_stream *s, ps_batch *batch, ps_issues *issues, ps_status *status, ps_error *err)
{
        batch->n = 0;
        batch->location = s->location;
        *status = ps_otf2_decode_step(s, take_nothing, NULL, batch, issues, err);
        return *status == PS_OK && !s->done && !ps_issues_total(issues);
}

static bool is_left(const ps_event *e)
{
        return e->kind == PS_EV_LEAVE || e->kind == PS_EV_CONTEXT_LEAVE;
}

/* What stands behind the end of a region may be folded, so far as it is looked at. */
struct scan {
        ps_stream *stream;
        ps_row_pool *pool;
        ps_builder *apart; /* NULL: there is no place yet */
        uint64_t least, enough;
        ps_stream_portion *out;
};

static ps_status take_scanned(struct scan *scan, const ps_batch *batch, ps_error *err)
{
        ps_stream *s = scan->stream;
        ps_stream_portion *out = scan->out;
        if (scan->apart && ps_builder_may_take(scan->apart, batch->event)) {
                out->is_found = ps_otf2_stream_offset(s) - out->from.offset >= scan->enough;
                return ps_builder_add(scan->apart, batch, err);
        }
        ps_builder_free(scan->apart);
        scan->apart = NULL;
        if (ps_otf2_stream_offset(s) < scan->least || !is_left(batch->event))
                return PS_OK;
        ps_otf2_stream_mark(s, &out->from);
        return ps_builder_new_apart(&scan->apart, s->defs, s->location, scan->pool, err);
}

static ps_status find(ps_stream *s, ps_row_pool *pool, ps_batch *batch, uint64_t least, uint64_t near,
                      uint64_t enough, ps_stream_portion *out, ps_error *err)
{
        /* The chunk that begins nearest, where a portion is of several, so that all are about as large. */
        const uint64_t behind = near - least > s->chunk ? s->chunk / 2 : 0,
                       chunk = (near + behind) / s->chunk * s->chunk;
        const ps_stream_mark begin = {chunk, {chunk, 0, (uint64_t)-PS_TIME_MAX}};
        ps_issues issues = {0};
        struct scan scan = {s, pool, NULL, least, enough, out};
        *out = (ps_stream_portion){0};
        ps_status status = ps_otf2_stream_seek(s, &begin, err);
        for (uint32_t i = 0; i < MOST_SCANNED && !out->is_found && step(s, batch, &issues, &status, err); i++)
                if (batch->n && (status = take_scanned(&scan, batch, err)) != PS_OK)
                        break;
        ps_builder_free(scan.apart);
        return status;
}

/* All that is plain, and one more record; the portion ends before what cannot be folded. */
static ps_status fold_step(ps_stream *s, ps_builder *apart, ps_batch *batch, ps_issues *issues,
                           ps_stream_portion *io, ps_error *err)
{
        struct ps_otf2_folding f = {apart, batch};
        ps_status status = PS_OK;
        batch->n = 0;
        PS_TRY(ps_otf2_stream_fill(s, PS_OTF2_FAST_BYTES, err));
        ps_otf2_fold_plain(s, &f);
        if (!ps_otf2_stream_is_between(s)) {
                ps_otf2_stream_mark(s, &io->to);
                io->n_events = s->n_events;
        }
        io->is_over = ps_otf2_stream_is_over(s) || !step(s, batch, issues, &status, err) ||
                      (batch->n && !ps_builder_may_take(apart, batch->event));
        return status == PS_OK && !io->is_over && batch->n ? ps_builder_add(apart, batch, err) : status;
}

static ps_status begin(ps_stream *s, const ps_stream_portion *portion, ps_error *err)
{
        s->n_events = 0;
        return ps_otf2_stream_seek(s, &portion->from, err);
}

static ps_status fold(ps_stream *s, ps_builder *apart, ps_batch *batch, ps_stream_portion *io, ps_error *err)
{
        ps_issues issues = {0};
        for (int i = 0; i < STEPS && !io->is_over; i++)
                PS_TRY(fold_step(s, apart, batch, &issues, io, err));
        return PS_OK;
}

static void limit(ps_stream *s, uint64_t until)
{
        s->until = until;
}

static bool is_at(const ps_stream *s, const ps_stream_portion *portion)
{
        ps_stream_mark here;
        ps_otf2_stream_mark(s, &here);
        return !s->done && !ps_otf2_stream_is_between(s) && memcmp(&here, &portion->from, sizeof(here)) == 0;
}

static ps_status pass(ps_stream *s, const ps_stream_portion *portion, ps_error *err)
{
        s->n_events += portion->n_events;
        return ps_otf2_stream_seek(s, &portion->to, err);
}

const ps_stream_portions ps_otf2_portions = {
        .find = find, .begin = begin, .fold = fold, .limit = limit, .is_at = is_at, .pass = pass};
