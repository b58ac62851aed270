/* off.c - while the recorder is switched off, or writes what it has recorded, nothing is known of the
 * program: that time belongs to no region. */
#include "core/fold/builder.h"

static void switch_recorder(ps_builder *b, ps_time time, bool is_off)
{
        ps_builder_charge_watched(b, time);
        b->off_since = b->left_since = time;
        b->is_off = is_off;
        b->is_watched = (uint8_t)((b->is_watched & ~WATCH_OFF) | (is_off ? WATCH_OFF : 0));
}

void ps_builder_on_measurement(ps_builder *b, const ps_event *e)
{
        if (!e->op && !b->is_off)
                ps_builder_note(b, PS_I_MEASUREMENT_OFF, e);
        switch_recorder(b, e->time, !e->op);
}

/* OTF2 writes where there is no room for one more event, and tells of it before that event, at the same time:
 * so it counts where the location is behind that. A region of the recorder itself needs no more. */
void ps_builder_on_flush(ps_builder *b, const ps_event *e)
{
        const struct frame *f = top_frame(b);
        const ps_region_def *region = f ? region_of(b, f->region) : NULL;
        const ps_time end = (ps_time)e->bytes;
        if (end <= e->time || b->is_off || (region && region->paradigm == PS_PARADIGM_RECORDER))
                return;
        ps_builder_note(b, PS_I_BUFFER_FLUSH, e);
        b->flush = (ps_span){e->time, b->has_flush ? ps_time_later(end, b->flush.end) : end};
        b->has_flush = true;
}

void ps_builder_charge_flush(ps_builder *b, ps_time now)
{
        const ps_time end = ps_time_earlier(b->flush.end, now);
        if (end <= b->flush.begin)
                return;
        if (!b->is_off) {
                switch_recorder(b, b->flush.begin, true);
                switch_recorder(b, end, false);
        }
        b->flush.begin = end;
        b->has_flush = end < b->flush.end;
}
