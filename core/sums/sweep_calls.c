/* sweep_calls.c - see sweep_calls.h. */
#include "core/sums/sweep_calls.h"

#define INLINE static inline __attribute__((always_inline))

/* In communication, with messages that end as it is over. `first`: of the change in which it begins. */
INLINE void write_stay(ps_changes_pen *pen, ps_span time, uint64_t first, ps_told_change got)
{
        const uint64_t receives = got.n ? PS_CHANGE_RECEIVES : 0;
        const bool is_short = time.end - time.begin <= pen->brief && first != PS_IDLE_TO_OVERHEAD;
        if (!is_short)
                ps_changes_write(pen, time.begin, first);
        if (got.n)
                ps_changes_tell(pen, got);
        if (is_short)
                ps_changes_write_short(pen, time, (first & ~(uint64_t)PS_CHANGE_STATES) | receives);
        else
                ps_changes_write(pen, time.end, PS_OVERHEAD_TO_BUSY | receives);
}

/* A message begins with the next change, if it takes time. Returns what is to be added to that. */
INLINE uint64_t send(ps_sweep *s, const ps_sweep_sight *sight, ps_changes_pen *pen, const ps_ops *ops,
                     ps_ref ref, ps_time now, bool is_plain)
{
        const ps_told_change sent = {ps_op_bytes(ops, ref.op), ps_op_peer(ops, ref.op), 1};
        if (is_plain || ps_levels_tell(&s->levels, now))
                ps_pairs_count(&s->pairs, sight->sent, ops, ref);
        if (!sight->is_causal && ps_sweep_received_at(sight, sent.to, ops->link[ref.op]) <= now)
                return 0;
        ps_changes_tell(pen, sent);
        return pen->begin_bit | PS_CHANGE_SENDS;
}

INLINE bool is_sent(const ps_ops *ops, ps_op op, uint8_t does)
{
        return does & PS_SWEEP_SENDS && ops->flags[op] & PS_OP_MATCHED;
}

/* A call that may wait. Returns until when it does. */
INLINE ps_time follow_wait(ps_sweep *s, const ps_sweep_sight *sight, ps_changes_pen *pen, const ps_ops *ops,
                           ps_ref ref, ps_span time, uint64_t sends)
{
        ps_received got = {0};
        ps_time ready = ps_waits_end(&sight->waits, ops, ref.op, time, &got, false);
        uint64_t first = PS_BUSY_TO_OVERHEAD | sends;
        if (got.is_early)
                s->is_early = true;
        if (ready > time.begin) {
                ps_changes_write(pen, time.begin, PS_BUSY_TO_IDLE | sends);
                first = PS_IDLE_TO_OVERHEAD;
        }
        write_stay(pen, (ps_span){ready, time.end}, first, (ps_told_change){got.bytes, ref.loc, got.n});
        return ready;
}

/* A call that sends or may wait. Returns until when it waits. `is_plain`: all of the window is in the focus.
 */
INLINE ps_time follow_call(ps_sweep *s, const ps_sweep_sight *sight, ps_changes_pen *pen, const ps_ops *ops,
                           ps_ref ref, uint8_t does, ps_span time, bool is_plain)
{
        const uint64_t sends =
                is_sent(ops, ref.op, does) ? send(s, sight, pen, ops, ref, time.begin, is_plain) : 0;
        if (sends && time.begin == time.end) { /* what it ended would come before it */
                ps_changes_write(pen, time.begin, sends);
                return time.begin;
        }
        if (does & PS_SWEEP_WAITS)
                return follow_wait(s, sight, pen, ops, ref, time, sends);
        write_stay(pen, time, PS_BUSY_TO_OVERHEAD | sends, (ps_told_change){.n = 0});
        return time.begin;
}

/* What lies in an array of its own is looked up without asking whether something has been written there. */
INLINE bool follow_some(ps_sweep *s, ps_sweep_track *t, ps_loc loc, ps_time end, bool is_plain)
{
        const ps_time *enter = s->timing->enter[loc], *leave = s->timing->leave[loc];
        const ps_ops ops = s->trace->ops[loc];
        const ps_sweep_sight sight = ps_sweep_look(s, loc);
        ps_changes_pen pen = ps_changes_take_pen(&s->changes);
        ps_time all = 0, idle = 0, now = t->next;
        ps_op op = t->next_op, last = ops.n - 1,
              room = (s->changes.room - s->changes.order.n) / PS_CHANGES_ROOM;

        if (enter[op] < now)
                return false;
        last = last - op < room ? last : op + room;
        for (; op < last; op++) {
                const ps_span time = {enter[op], leave[op]};
                uint8_t does = sight.does[ops.kind[op]];
                if (time.end < time.begin || time.end > enter[op + 1] || time.end >= end)
                        break;
                if (!(does & PS_SWEEP_TAKES_TIME))
                        continue;
                now = time.end;
                all += is_plain ? time.end - time.begin : ps_sweep_inside(s, time.begin, time.end);
                if (does & (PS_SWEEP_WAITS | PS_SWEEP_SENDS)) {
                        ps_time ready =
                                follow_call(s, &sight, &pen, &ops, (ps_ref){loc, op}, does, time, is_plain);
                        idle += is_plain ? ready - time.begin : ps_sweep_inside(s, time.begin, ready);
                } else {
                        write_stay(&pen, time, PS_BUSY_TO_OVERHEAD, (ps_told_change){.n = 0});
                }
        }
        ps_changes_put_back(&s->changes, pen);
        t->told[PS_STATE_IDLE] += idle;
        t->told[PS_STATE_OVERHEAD] += all - idle;
        t->next_op = op;
        t->next = now;
        return op == last && op + 1 < ops.n;
}

static bool follow_plain(ps_sweep *s, ps_sweep_track *t, ps_loc loc, ps_time end)
{
        return follow_some(s, t, loc, end, true);
}

static bool follow_cut(ps_sweep *s, ps_sweep_track *t, ps_loc loc, ps_time end)
{
        return follow_some(s, t, loc, end, false);
}

bool ps_sweep_follow_calls(ps_sweep *s, ps_sweep_track *t, ps_loc loc, ps_time end)
{
        const ps_span *window = &s->changes.window;
        bool is_plain = window->begin >= s->only.begin && window->end <= s->only.end;
        return (is_plain ? follow_plain : follow_cut)(s, t, loc, end);
}
