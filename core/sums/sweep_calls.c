/* sweep_calls.c - see sweep_calls.h. */
#include "core/sums/sweep_calls.h"

#include "core/order/newer.h"

#define INLINE static inline __attribute__((always_inline))

/* How much is known of what is followed: `in_focus`, all of the window is; `is_plain`, calls tell all of
 * messages, and each takes time. */
typedef struct known {
        bool in_focus, is_plain;
} known;

/* In communication, without waiting. `sends`: 0, or a message begins with it. */
INLINE void write_stay(ps_changes_pen *pen, ps_span time, uint64_t sends)
{
        if (time.end - time.begin <= pen->brief) {
                ps_changes_write_short(pen, time, sends);
                return;
        }
        ps_changes_write(pen, time.begin, PS_BUSY_TO_OVERHEAD + sends);
        ps_changes_write(pen, time.end, PS_OVERHEAD_TO_BUSY);
}

/* A message begins with the next change, if it takes time. Returns what is to be added to that. */
INLINE uint64_t send(ps_sweep *s, const ps_sweep_sight *sight, ps_changes_pen *pen, const ps_ops *ops,
                     ps_ref ref, ps_time now, known all)
{
        ps_told_change sent;
        if (all.is_plain && all.in_focus) {
                const uint32_t call = ops->call[ref.op];
                sight->sent.sent[call]++;
                *pen->told = (ps_told_change){ops->calls[call].bytes, ops->calls[call].peer, 1};
                return pen->sends;
        }
        if (all.in_focus || ps_levels_tell(&s->levels, now))
                ps_pairs_count(&s->pairs, sight->sent, ops, ref);
        if (!ps_sweep_message(sight, ops, ref.op, now, &sent))
                return 0;
        *pen->told = sent;
        return pen->sends;
}

INLINE bool is_sent(const ps_ops *ops, ps_op op, uint8_t does)
{
        return does & PS_SWEEP_SENDS && ops->flags[op] & PS_OP_MATCHED;
}

/* A call that may wait. Returns until when it does. */
INLINE ps_time follow_wait(ps_sweep *s, const ps_sweep_sight *sight, ps_changes_pen *pen, const ps_ops *ops,
                           ps_ref ref, ps_span time, unsigned role, uint64_t sends, known all)
{
        ps_received got = {0};
        const ps_time ready =
                ps_waits_end(sight->waits, ops, ref.op, time, role, &got, all.is_plain, all.is_plain);
        if (got.is_early)
                s->is_early = true;
        if (ready == time.begin && !got.n) {
                write_stay(pen, time, sends);
                return ready;
        }
        ps_changes_write(pen, time.begin,
                         (ready > time.begin ? PS_BUSY_TO_IDLE : PS_BUSY_TO_OVERHEAD) + sends);
        if (ready > time.begin)
                ps_changes_write(pen, ready, PS_IDLE_TO_OVERHEAD);
        if (got.n)
                *pen->told = (ps_told_change){got.bytes, ref.loc, got.n};
        ps_changes_write(pen, time.end, PS_OVERHEAD_TO_BUSY | (got.n ? PS_CHANGE_TOLD : 0));
        return ready;
}

/* Returns how long it waits. */
INLINE ps_time follow_call(ps_sweep *s, const ps_sweep_sight *sight, ps_changes_pen *pen, const ps_ops *ops,
                           ps_ref ref, uint8_t does, ps_span time, known all)
{
        const uint64_t sends =
                is_sent(ops, ref.op, does) ? send(s, sight, pen, ops, ref, time.begin, all) : 0;
        if (sends && time.begin == time.end) { /* what it ended would come before it */
                ps_changes_write(pen, time.begin, PS_CHANGE_STAYS + sends);
        } else if (does & PS_SWEEP_WAITS) {
                const ps_time ready =
                        follow_wait(s, sight, pen, ops, ref, time, does >> PS_SWEEP_ROLE, sends, all);
                return all.in_focus ? ready - time.begin : ps_sweep_inside(s, time.begin, ready);
        } else {
                write_stay(pen, time, sends);
        }
        return 0;
}

/* What lies in an array of its own is looked up without asking whether something has been written there. */
INLINE bool follow_some(ps_sweep *s, ps_sweep_track *t, ps_loc loc, ps_time end, known what)
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
                all += what.in_focus ? time.end - time.begin : ps_sweep_inside(s, time.begin, time.end);
                if (does & (PS_SWEEP_WAITS | PS_SWEEP_SENDS))
                        idle += follow_call(s, &sight, &pen, &ops, (ps_ref){loc, op}, does, time, what);
                else
                        write_stay(&pen, time, 0);
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
        return follow_some(s, t, loc, end, (known){true, true});
}

PS_NEWER static bool follow_plain_newer(ps_sweep *s, ps_sweep_track *t, ps_loc loc, ps_time end)
{
        return follow_some(s, t, loc, end, (known){true, true});
}

static bool follow_whole(ps_sweep *s, ps_sweep_track *t, ps_loc loc, ps_time end)
{
        return follow_some(s, t, loc, end, (known){true, false});
}

static bool follow_cut(ps_sweep *s, ps_sweep_track *t, ps_loc loc, ps_time end)
{
        return follow_some(s, t, loc, end, (known){false, false});
}

bool ps_sweep_follow_calls(ps_sweep *s, ps_sweep_track *t, ps_loc loc, ps_time end)
{
        const ps_span *window = &s->changes.window;
        if (window->begin < s->only.begin || window->end > s->only.end)
                return follow_cut(s, t, loc, end);
        if (!s->waits.is_plain || !s->is_causal)
                return follow_whole(s, t, loc, end);
        return (ps_newer_can() ? follow_plain_newer : follow_plain)(s, t, loc, end);
}
