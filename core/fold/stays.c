/* stays.c - where a location has been towards its end: from where it enters its Finalize on, or else since
 * the last region was entered or left.
 *
 * The focus of a run usually ends there. What the call tree has of the time behind is taken off again by
 * these few rows, so that nobody reads the events a second time for it. */
#include "core/fold/builder.h"

enum { STAYS_MOST = 4096 };

void ps_builder_begin_stays(ps_builder *b, ps_time time)
{
        if (b->stays.runs || b->stays.list.n)
                return;
        b->stays.since = time;
        b->stays.runs = b->stays.entered = 1;
        b->is_watched |= WATCH_STAYS;
}

void ps_builder_add_stay(ps_builder *b, ps_time time, int enters)
{
        struct stays *s = &b->stays;
        if (s->list.n == STAYS_MOST) {
                s->runs = 0;
                s->list.n = 0;
                return;
        }
        struct stay stay = {s->since, time, b->stack.n ? b->stack.row[b->stack.n - 1].node : 0,
                            (uint8_t)b->is_off, s->entered};
        if (time > s->since || s->entered)
                PUSH(b, s->list, stay);
        s->since = time;
        s->entered = (uint8_t)enters;
}

void ps_builder_end_stays(ps_builder *b, ps_time time)
{
        struct stays *s = &b->stays;
        if (!s->runs) {
                ps_time entered = b->stack.n ? b->stack.row[b->stack.n - 1].enter : INT64_MIN;
                s->list.n = 0;
                s->entered = 0;
                s->since = b->left_since > entered ? b->left_since : entered;
                s->since = s->since > b->info.first ? s->since : b->info.first;
        }
        if (b->info.n_events)
                ps_builder_add_stay(b, time, 0);
        s->runs = 0;
}

/* While the recorder is off nothing is known: that time belongs to no region. */
static void charge_off(ps_builder *b, ps_time time)
{
        struct frame *f = top_frame(b);
        b->info.off += time - b->off_since;
        if (f)
                f->below += time - b->off_since;
        b->off_since = time;
}

void ps_builder_charge_stay(ps_builder *b, ps_time time, int enters)
{
        if (b->stays.runs)
                ps_builder_add_stay(b, time, enters);
        if (b->is_off)
                charge_off(b, time);
}
