/* levels.c - see levels.h.
 *
 * The sum of a level over time is, beginning and end aside, that of what it falls by, times when, less what
 * it rises by. That of messages has room in 64 bits from one stop to the next (ps_states_begin). A level is
 * highest behind a rise, or where a bin begins. */
#include "core/sums/levels.h"

#include "core/order/newer.h"
#include "core/sums/queues.h"

#define INLINE static inline __attribute__((always_inline))

static uint64_t is_now(const ps_level *level)
{
        return level->most.value - (uint64_t)level->below;
}

static void begin_level(ps_level *level, const ps_peak *peak)
{
        const uint64_t is = is_now(level);
        level->began = is;
        level->most = (ps_peak){is < peak->value ? is : peak->value, 0};
        level->below = (int64_t)(level->most.value - is);
}

void ps_levels_begin(ps_levels *l, ps_time now, ps_profile_bin *bin)
{
        l->bin = bin;
        begin_level(&l->messages, &l->out->messages);
        begin_level(&l->bytes, &l->out->bytes);
        l->messages_sum = 0 - is_now(&l->messages) * (uint64_t)now;
        l->bytes_sum = 0 - (ps_amount)is_now(&l->bytes) * (uint64_t)now;
}

static void hold(const ps_level *level, ps_peak *peak, uint64_t *most)
{
        const uint64_t highest = level->began > level->most.value ? level->began : level->most.value;
        if (level->most.value > peak->value)
                *peak = level->most;
        if (most)
                *most = highest > *most ? highest : *most;
}

void ps_levels_hold(ps_levels *l, ps_time now)
{
        ps_profile_bin *bin = l->bin;
        hold(&l->messages, &l->out->messages, bin ? &bin->most_messages : NULL);
        hold(&l->bytes, &l->out->bytes, bin ? &bin->most_bytes : NULL);
        if (!bin)
                return;
        bin->messages += (double)(l->messages_sum + is_now(&l->messages) * (uint64_t)now);
        bin->bytes += (double)(l->bytes_sum + (ps_amount)is_now(&l->bytes) * (uint64_t)now);
}

static void tell_queue(ps_levels *l, ps_queue *queue, ps_time now)
{
        ps_span time = {queue->since, now};
        queue->since = now;
        if (queue->row != PS_NONE)
                ps_queues_fill(l->out, l->focus, queue->row, time, queue->most.value - (uint64_t)queue->below,
                               queue->most_bytes.value - (uint64_t)queue->below_bytes);
}

/* As long as they only rise nobody asks whether they are higher than ever. */
INLINE void rise(ps_levels *l, const ps_told_change *sent, ps_time now)
{
        l->messages.below--;
        l->bytes.below -= (int64_t)sent->bytes;
        ps_levels_send(l, sent->to, sent->bytes, now, true);
}

INLINE ps_time time_in(const ps_changes *c, uint64_t number)
{
        return c->window.begin + (ps_time)(number >> c->bits);
}

/* When bytes were sent last before `row`, or what is first if none were. */
static __attribute__((noinline)) ps_time bytes_rose_at(const ps_changes *c, const uint64_t *first,
                                                       const uint64_t *row)
{
        do
                row--;
        while (row > first && !ps_change_told(c->told, *row, ps_changes_place_bits(c))->bytes);
        return time_in(c, *row);
}

/* Before a fall, and at the end: if they are higher than ever, what comes right before `row` is a rise. */
INLINE void raise_both(ps_levels *l, const ps_changes *c, const uint64_t *first, const uint64_t *row)
{
        if ((l->messages.below | l->bytes.below) >= 0)
                return;
        ps_levels_raise_to(&l->messages.most, &l->messages.below, time_in(c, row[-1]), true);
        if (l->bytes.below < 0)
                ps_levels_raise(&l->bytes.most, &l->bytes.below, bytes_rose_at(c, first, row));
}

/* `is_told`: all of it is, but not over time; else that is asked of each. */
INLINE void go(ps_levels *l, const ps_changes *c, const uint64_t *row, const uint64_t *end, bool is_told)
{
        const uint64_t place_bits = ps_changes_place_bits(c), begins = ps_changes_begin_bit(c);
        const ps_time begin = c->window.begin;
        const ps_told_change *all = c->told;
        const unsigned bits = c->bits;
        ps_levels levels = *l;
        const uint64_t *const first = row;
        for (; row < end; row++) {
                const uint64_t number = *row;
                const ps_told_change *told = ps_change_told(all, number, place_bits);
                const ps_time now = begin + (ps_time)(number >> bits);
                if (!is_told && levels.tells_queues)
                        tell_queue(&levels, &levels.queue[told->to], now);
                if (!(number & begins)) {
                        if (is_told)
                                raise_both(&levels, c, first, row);
                        ps_levels_fall(&levels, *told, now);
                } else if (is_told) {
                        rise(&levels, told, now);
                } else {
                        ps_levels_rise(&levels, told->to, told->bytes, now, ps_levels_tell(&levels, now));
                }
        }
        if (is_told)
                raise_both(&levels, c, first, row);
        *l = levels;
}

static void go_told(ps_levels *l, const ps_changes *c, const uint64_t *row, const uint64_t *end)
{
        go(l, c, row, end, true);
}

PS_NEWER static void go_told_newer(ps_levels *l, const ps_changes *c, const uint64_t *row,
                                   const uint64_t *end)
{
        go(l, c, row, end, true);
}

void ps_levels_go(ps_levels *l, const ps_changes *c, const uint64_t *row, const uint64_t *end)
{
        const bool is_told = row < end && !l->tells_queues && l->messages.below >= 0 &&
                             l->bytes.below >= 0 && /* no more rose before it was told */
                             ps_levels_tell(l, time_in(c, *row)) && ps_levels_tell(l, time_in(c, end[-1]));
        if (!is_told)
                go(l, c, row, end, false);
        else
                (ps_newer_can() ? go_told_newer : go_told)(l, c, row, end);
}

void ps_levels_end(ps_levels *l, ps_time now, uint32_t n_locations)
{
        for (ps_loc loc = 0; loc < n_locations; loc++) {
                ps_queue *queue = &l->queue[loc];
                if (l->tells_queues)
                        tell_queue(l, queue, now);
                if (queue->row == PS_NONE)
                        continue;
                l->out->rows[queue->row].queue = queue->most;
                l->out->rows[queue->row].queue_bytes = queue->most_bytes;
        }
}
