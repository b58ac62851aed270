/* timing.h - how a stream's timestamps become times, where plain records are folded. */
#ifndef PS_READER_OTF2_TIMING_H
#define PS_READER_OTF2_TIMING_H

#include "reader/otf2/fold.h"
#include "reader/otf2/plain.h"

struct ps_otf2_timing {
        ps_otf2_scale scale;
        uint64_t near; /* up to here from its zero, a tick is a whole number of picoseconds, and nothing is
                          known of the clock's offset */
        ps_otf2_interval in; /* what is to be added at present */
        const uint8_t *end;  /* no record that begins here is folded */
        ps_stream *stream;
};

static inline struct ps_otf2_timing ps_otf2_timing_of(ps_stream *s)
{
        const ps_otf2_local *local = &s->local;
        return (struct ps_otf2_timing){.scale = s->scale,
                                       .near = s->scale.shift == 0 && !local->n_intervals ? s->scale.near : 0,
                                       .in = local->n_intervals ? local->interval[local->at]
                                                                : (ps_otf2_interval){.near = UINT64_MAX},
                                       .stream = s};
}

/* Of clocks whose offset is known: false: it takes more than what is at hand. */
PS_FOLD_INLINE bool ps_otf2_shifted_near(const struct ps_otf2_timing *timing, uint64_t ticks, ps_time *out)
{
        if (!ps_otf2_is_near(&timing->in, ticks))
                return false;
        const uint64_t global = ps_otf2_near_time(&timing->in, ticks);
        if (!ps_otf2_scale_is_near(&timing->scale, global))
                return false;
        *out = timing->scale.shift ? ps_otf2_scale_apply_near(&timing->scale, global)
                                   : (ps_time)((global - timing->scale.zero) * timing->scale.mult);
        return true;
}

/* fold.c: of any timestamp; INT64_MIN where there is something to note of it */
ps_time ps_otf2_plain_time(ps_stream *s, struct ps_otf2_timing *timing, uint64_t ticks);

PS_FOLD_INLINE bool ps_otf2_is_unshifted(const struct ps_otf2_timing *timing, uint64_t ticks)
{
        return ticks - timing->scale.zero < timing->near;
}

PS_FOLD_INLINE ps_time ps_otf2_unshifted(const struct ps_otf2_timing *timing, uint64_t ticks)
{
        return (ps_time)((ticks - timing->scale.zero) * timing->scale.mult);
}

/* The time of a record with a timestamp of its own. Where the clock's offset is known the stream knows the
 * timestamp from then on. */
PS_FOLD_INLINE ps_time ps_otf2_time(ps_stream *s, struct ps_otf2_timing *timing, uint64_t ticks)
{
        ps_time time;
        if (ps_otf2_is_unshifted(timing, ticks))
                return ps_otf2_unshifted(timing, ticks);
        s->ticks = ticks;
        return ps_otf2_shifted_near(timing, ticks, &time) ? time : ps_otf2_plain_time(s, timing, ticks);
}

/* Of several records. */
struct ps_otf2_moment {
        ps_time time;
        uint64_t ticks;
};

/* Becomes the moment of this timestamp; false where that is before the last, or its time is not easily told.
 * The stream is not told. */
PS_FOLD_INLINE bool ps_otf2_go_on(const struct ps_otf2_timing *timing, const uint8_t *timestamp,
                                  struct ps_otf2_moment *last)
{
        const ps_time before = last->time;
        const uint64_t ticks = last->ticks = ps_otf2_load64(timestamp);
        if (__builtin_expect(ps_otf2_is_unshifted(timing, ticks), 1))
                last->time = ps_otf2_unshifted(timing, ticks);
        else if (!ps_otf2_shifted_near(timing, ticks, &last->time))
                return false;
        return last->time >= before;
}

/* Of a record with this content. */
PS_FOLD_INLINE const uint8_t *ps_otf2_timestamp_of(const uint8_t *content)
{
        return content - 1 - sizeof(uint64_t);
}

/* A record of this type that has a timestamp: gives its content, or NULL. */
PS_FOLD_INLINE const uint8_t *ps_otf2_next_content(const struct ps_otf2_timing *timing, const uint8_t *p,
                                                   uint8_t type, struct ps_otf2_moment *last)
{
        enum { TYPE = 1 + sizeof(uint64_t) /* behind the timestamp */ };
        return *p == PS_OTF2_TIMESTAMP && p[TYPE] == type && ps_otf2_go_on(timing, p + 1, last) ? p + TYPE + 1
                                                                                                : NULL;
}

/* The record that leaves a call of the node, if it is the one at `p`: gives its type, or NULL. */
PS_FOLD_INLINE const uint8_t *ps_otf2_next_leave(const struct ps_otf2_timing *timing, const struct node *node,
                                                 const uint8_t *p, struct ps_otf2_moment *last)
{
        enum { TYPE = 1 + sizeof(uint64_t) /* behind the timestamp */ };
        return p < timing->end && *p == PS_OTF2_TIMESTAMP &&
                               ps_fold_is_record(ps_otf2_load64(p + TYPE), node->leave, &node->leave_size) &&
                               ps_otf2_go_on(timing, p + 1, last)
                       ? p + TYPE
                       : NULL;
}

/* What leaves it, at `p`, is counted, as all else is. */
PS_FOLD_INLINE struct ps_otf2_call ps_otf2_end_call(ps_builder *b, const struct ps_otf2_timing *timing,
                                                    const struct node *node, const uint8_t *p,
                                                    const struct ps_otf2_moment *last)
{
        ps_fold_count(b, (uint8_t)(*p - PS_OTF2_FIRST_TYPE));
        timing->stream->ticks = last->ticks;
        return (struct ps_otf2_call){p + node->leave_size.n, last->time};
}

#endif
