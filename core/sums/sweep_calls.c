/* sweep_calls.c - see sweep_calls.h. */
#include "core/sums/sweep_calls.h"

#include "core/order/newer.h"

#define INLINE static inline __attribute__((always_inline))

/* How much is known of what is followed: `in_focus`, all of the window is; `is_plain`, calls tell all of
 * messages, and each takes time; `in_fours`, calls that do not wait may be looked at four at a time. */
typedef struct known {
        bool in_focus, is_plain, in_fours;
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

/* A message of which the call tells all. */
INLINE ps_told_change send_plain(const ps_sweep_sight *sight, const ps_ops *ops, ps_op op)
{
        const uint32_t call = ops->call[op];
        sight->sent.sent[call]++;
        return (ps_told_change){ops->calls[call].bytes, ops->calls[call].peer, 1};
}

/* A message begins with the next change, if it takes time. Returns what is to be added to that. */
INLINE uint64_t send(ps_sweep *s, const ps_sweep_sight *sight, ps_changes_pen *pen, const ps_ops *ops,
                     ps_ref ref, ps_time now, known all)
{
        ps_told_change sent;
        if (all.is_plain && all.in_focus) {
                *pen->told = send_plain(sight, ops, ref.op);
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

/* A call that waits until then, and what is received with it. */
INLINE void write_wait(ps_changes_pen *pen, ps_loc loc, ps_span time, ps_time ready, const ps_received *got,
                       uint64_t sends)
{
        if (ready == time.begin && !got->n) {
                write_stay(pen, time, sends);
                return;
        }
        ps_changes_write(pen, time.begin,
                         (ready > time.begin ? PS_BUSY_TO_IDLE : PS_BUSY_TO_OVERHEAD) + sends);
        if (ready > time.begin)
                ps_changes_write(pen, ready, PS_IDLE_TO_OVERHEAD);
        if (got->n)
                *pen->told = (ps_told_change){got->bytes, loc, got->n};
        ps_changes_write(pen, time.end, PS_OVERHEAD_TO_BUSY | (got->n ? PS_CHANGE_TOLD : 0));
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
        write_wait(pen, ref.loc, time, ready, &got, sends);
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

/* Calls that do not wait, one after the other: so many, and how long they take in all. */
typedef struct stays {
        ps_op n;
        ps_time all;
} stays;

/* Where they are looked for. */
typedef struct stretch {
        const ps_time *enter, *leave;
        ps_op op, last;
        ps_time end; /* of the window */
} stretch;

enum { FOUR = 4, CHANGES = 2 * FOUR };

#if defined(__x86_64__)
#include <immintrin.h>

PS_NEWER INLINE __m256i load(const ps_time *four)
{
        return _mm256_loadu_si256((const __m256i *)four);
}

/* Each takes time, and is over before the next one begins. */
PS_NEWER INLINE bool are_in_turn(__m256i begin, __m256i end, __m256i next)
{
        const __m256i is_late = _mm256_cmpgt_epi64(end, next), takes_time = _mm256_cmpgt_epi64(end, begin);
        return _mm256_movemask_epi8(_mm256_andnot_si256(is_late, takes_time)) == -1;
}

/* Two changes of each. */
PS_NEWER INLINE void write_stays(uint64_t *row, __m256i begin, __m256i end)
{
        const __m256i even = _mm256_unpacklo_epi64(begin, end), odd = _mm256_unpackhi_epi64(begin, end);
        _mm256_storeu_si256((__m256i *)row, _mm256_permute2x128_si256(even, odd, 0x20));
        _mm256_storeu_si256((__m256i *)(row + FOUR), _mm256_permute2x128_si256(even, odd, 0x31));
}

PS_NEWER INLINE ps_time sum_of(__m256i four)
{
        const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
        return _mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1);
}

/* Up to four among which is another operation, or that the end of the window comes before. */
PS_NEWER static __attribute__((noinline)) stays follow_fours(const ps_sweep_sight *sight, const ps_ops *ops,
                                                             stretch at, ps_changes_pen pen)
{
        const int64_t change = sizeof(*pen.told), call = 2 * change; /* bytes that are told of it */
        const __m128i bits = _mm_cvtsi32_si128((int)pen.bits);
        const int64_t first = (int64_t)(pen.first + (uintptr_t)pen.told);
        __m256i place =
                _mm256_add_epi64(_mm256_set1_epi64x(first), _mm256_setr_epi64x(0, call, 2 * call, 3 * call));
        __m256i all = _mm256_setzero_si256();
        ps_op op = at.op;
        for (; at.last - op >= FOUR && at.leave[op + FOUR - 1] < at.end; op += FOUR) {
                const uint8_t *kind = &ops->kind[op], *does = sight->does;
                const uint8_t each[FOUR] = {does[kind[0]], does[kind[1]], does[kind[2]], does[kind[3]]};
                const __m256i begin = load(&at.enter[op]), end = load(&at.leave[op]);
                if ((each[0] | each[1] | each[2] | each[3]) & PS_SWEEP_WAITS ||
                    !(each[0] & each[1] & each[2] & each[3] & PS_SWEEP_TAKES_TIME) ||
                    !are_in_turn(begin, end, load(&at.enter[op + 1])))
                        break;
                const __m256i begins = _mm256_add_epi64(_mm256_sll_epi64(begin, bits), place);
                const __m256i ends = _mm256_add_epi64(_mm256_sll_epi64(end, bits), place);
                write_stays(pen.row, _mm256_add_epi64(begins, _mm256_set1_epi64x(PS_BUSY_TO_OVERHEAD)),
                            _mm256_add_epi64(ends, _mm256_set1_epi64x(change + PS_OVERHEAD_TO_BUSY)));
                for (size_t i = 0; i < FOUR; i++)
                        if (is_sent(ops, op + (ps_op)i, each[i])) {
                                pen.told[2 * i] = send_plain(sight, ops, op + (ps_op)i);
                                pen.row[2 * i] += pen.sends;
                        }
                all = _mm256_add_epi64(all, _mm256_sub_epi64(end, begin));
                place = _mm256_add_epi64(place, _mm256_set1_epi64x(FOUR * call));
                pen.row += CHANGES;
                pen.told += CHANGES;
        }
        return (stays){op - at.op, sum_of(all)};
}
#else
INLINE stays follow_fours(const ps_sweep_sight *sight, const ps_ops *ops, stretch at, ps_changes_pen pen)
{
        (void)sight, (void)ops, (void)at, (void)pen;
        return (stays){0, 0};
}
#endif

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
                if (what.in_fours && last - op >= FOUR && !(does & PS_SWEEP_WAITS)) {
                        const stays some =
                                follow_fours(&sight, &ops, (stretch){enter, leave, op, last, end}, pen);
                        if (some.n) {
                                pen.row += 2 * (size_t)some.n;
                                pen.told += 2 * (size_t)some.n;
                                all += some.all;
                                op += some.n - 1;
                                now = leave[op];
                                continue;
                        }
                }
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
        return follow_some(s, t, loc, end, (known){true, true, false});
}

PS_NEWER static bool follow_plain_fours(ps_sweep *s, ps_sweep_track *t, ps_loc loc, ps_time end)
{
        return follow_some(s, t, loc, end, (known){true, true, true});
}

PS_NEWER static bool follow_plain_newer(ps_sweep *s, ps_sweep_track *t, ps_loc loc, ps_time end)
{
        return follow_some(s, t, loc, end, (known){true, true, false});
}

static bool follow_whole(ps_sweep *s, ps_sweep_track *t, ps_loc loc, ps_time end)
{
        return follow_some(s, t, loc, end, (known){true, false, false});
}

static bool follow_cut(ps_sweep *s, ps_sweep_track *t, ps_loc loc, ps_time end)
{
        return follow_some(s, t, loc, end, (known){false, false, false});
}

/* Is it worth while to look at four at a time? What is short is better told as such. */
static bool come_many_stays(const ps_sweep *s, const ps_sweep_track *t, ps_loc loc)
{
        enum { MANY = 2 * FOUR };
        const ps_ops *ops = &s->trace->ops[loc];
        const ps_op first = t->next_op;
        if (ops->n - first < MANY)
                return false;
        for (ps_op op = first; op < first + MANY; op++)
                if (s->does[ops->kind[op]] & PS_SWEEP_WAITS)
                        return false;
        return s->timing->leave[loc][first] - s->timing->enter[loc][first] > s->changes.brief;
}

bool ps_sweep_follow_calls(ps_sweep *s, ps_sweep_track *t, ps_loc loc, ps_time end)
{
        const ps_span *window = &s->changes.window;
        if (window->begin < s->only.begin || window->end > s->only.end)
                return follow_cut(s, t, loc, end);
        if (!s->waits.is_plain || !s->is_causal)
                return follow_whole(s, t, loc, end);
        if (!ps_newer_can())
                return follow_plain(s, t, loc, end);
        return (come_many_stays(s, t, loc) ? follow_plain_fours : follow_plain_newer)(s, t, loc, end);
}

/* Rows that begin and end with this one, as those of one call do, up to before `last`. */
static ps_op last_twin(const ps_time *enter, const ps_time *leave, ps_op op, ps_op last)
{
        ps_op twin = op;
        while (twin + 1 < last && enter[twin + 1] == enter[op] && leave[twin + 1] == leave[op])
                twin++;
        return twin;
}

/* What one of them does as the call begins. Returns until when it waits. */
static ps_time begin_twin(ps_sweep *s, const ps_sweep_sight *sight, ps_changes_pen *pen, ps_ref ref,
                          ps_span time, ps_received *sum)
{
        static const known nothing = {false, false, false};
        const ps_ops *ops = &s->trace->ops[ref.loc];
        const uint8_t does = sight->does[ops->kind[ref.op]];
        const uint64_t sends =
                is_sent(ops, ref.op, does) ? send(s, sight, pen, ops, ref, time.begin, nothing) : 0;
        ps_received got = {0};
        ps_time ready = time.begin;
        if (sends)
                ps_changes_write(pen, time.begin, PS_CHANGE_STAYS + sends);
        if (does & PS_SWEEP_WAITS)
                ready = ps_waits_end(&s->waits, ops, ref.op, time, does >> PS_SWEEP_ROLE, &got, false, false);
        s->is_early |= got.is_early;
        sum->n += got.n;
        sum->bytes += got.bytes;
        return ready;
}

bool ps_sweep_follow_twins(ps_sweep *s, ps_sweep_track *t, ps_loc loc, ps_time end)
{
        const ps_time *enter = s->timing->enter[loc], *leave = s->timing->leave[loc];
        const ps_op room = (s->changes.room - s->changes.order.n) / PS_CHANGES_ROOM;
        const ps_ops *ops = &s->trace->ops[loc];
        ps_op op = t->next_op, last = ops->n - 1;
        last = last_twin(enter, leave, op, last - op < room ? last : op + room);
        const ps_span time = {enter[op], leave[op]};
        if (last == op || time.begin < t->next || time.end <= time.begin || time.end > enter[last + 1] ||
            time.end >= end)
                return false;
        const ps_sweep_sight sight = ps_sweep_look(s, loc);
        ps_changes_pen pen = ps_changes_take_pen(&s->changes);
        ps_received got = {0};
        ps_time ready = time.begin;
        uint8_t does = 0;
        for (; op <= last; op++) {
                does |= s->does[ops->kind[op]];
                ready = ps_time_later(ready, begin_twin(s, &sight, &pen, (ps_ref){loc, op}, time, &got));
        }
        if (does) {
                const ps_time idle = ps_sweep_inside(s, time.begin, ready);
                write_wait(&pen, loc, time, ready, &got, 0);
                t->told[PS_STATE_IDLE] += idle;
                t->told[PS_STATE_OVERHEAD] += ps_sweep_inside(s, time.begin, time.end) - idle;
        }
        ps_changes_put_back(&s->changes, pen);
        t->next_op = op;
        t->next = time.end;
        return true;
}
