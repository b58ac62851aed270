/* slots.h - messages and collective operations under way. A slot lives from the first of its calls to
 * the last, so that memory follows what is under way, not the length of the trace. */
#ifndef PS_SIMULATOR_REPLAY_SLOTS_H
#define PS_SIMULATOR_REPLAY_SLOTS_H

#include "simulator/replay/parts.h"

/* Times beyond this are an error; a sum of two of them and two costs can still be represented. */
#define REPLAY_TIME_LIMIT (INT64_C(1) << 61)
#define REPLAY_COST_LIMIT (INT64_C(1) << 60)

/* In each lane: of costs [part][lane]. */
static inline const ps_time *part_of(const ps_time *costs, enum part part, size_t width)
{
        return costs + part * width;
}

/* What a message costs, [part][lane], until the next call. `to` counts only where pairs differ. Mostly there
 * is one price for each length. */
static inline const ps_time *ps_replay_costs(run *r, ps_loc from, ps_loc to, uint16_t size, uint64_t bytes)
{
        const run_costs *c = &r->costs;
        if (size == STEP_SIZE_ODD || c->by_pair || c->n_near > 1)
                return ps_replay_price(r, from, to, size, bytes);
        return c->table + (size_t)size * N_PARTS * r->width;
}

/* How long a message is, for its sender and its receiver. */
static inline uint64_t message_bytes(const run *r, ps_loc from, ps_op send, uint16_t size)
{
        return size == STEP_SIZE_ODD ? step_bytes(r->replay, from, send) : r->replay->sizes[size];
}

static inline uint64_t received_bytes(const run *r, ps_loc to, ps_op recv, uint16_t size)
{
        const ps_ops *ops = &r->replay->trace->ops[to];
        return size == STEP_SIZE_ODD ? step_bytes(r->replay, ps_op_peer(ops, recv), ops->link[recv])
                                     : r->replay->sizes[size];
}

/* Sums of what was checked can be represented. */
void ps_replay_check_range(run *r, const ps_time *times);

/* Of `n` vectors each; those that there are stay, the others hold anything. PS_E_NOMEM, and nothing has
 * changed. */
ps_status ps_records_grow(records *of, size_t bytes, uint32_t n, uint32_t width, uint32_t cap);

/* A new one; PS_NONE when there is no memory (the run's status is set). */
uint32_t ps_replay_slot_new(run *r, uint32_t message);
void ps_replay_slot_free(run *r, uint32_t message, uint32_t at);

static inline uint32_t ps_replay_slot(run *r, uint32_t message)
{
        uint32_t at = r->slot_of[message];
        return at ? at - 1 : ps_replay_slot_new(r, message);
}

static inline slot *slot_at(const run *r, uint32_t at)
{
        return record_at(&r->slots, at);
}

/* side 0: ready, then arrival; 1: posted, then release */
static inline ps_time *slot_vector(const slot *m, int side, uint32_t width)
{
        // NOLINTNEXTLINE(performance-no-int-to-ptr): const goes, and the alignment is that of a cache line
        return (ps_time *)((uintptr_t)m + record_head(sizeof(slot), width)) + (size_t)side * width;
}

/* One of its calls is over. */
static inline void ps_replay_slot_done(run *r, uint32_t message, uint32_t at)
{
        if (--slot_at(r, at)->left == 0)
                ps_replay_slot_free(r, message, at);
}

/* What a location will look at is on its way while others run: its vectors, its rows, those before them that
 * they may complete. */
static inline void ps_replay_fetch(const run *r, ps_loc loc)
{
        const place *p = place_of(r, loc);
        const uint32_t line = CACHE_LINE / sizeof(step);
        ps_op row = p->item_row, ahead = row + line;
        __builtin_prefetch(&p->steps[row]);
        __builtin_prefetch(&p->steps[row > line ? row - line : 0]);
        __builtin_prefetch(&p->enter[row]);
        __builtin_prefetch(&p->leave[row]);
        __builtin_prefetch(&p->steps[ahead]);
        __builtin_prefetch(&p->enter[ahead]);
        __builtin_prefetch(&p->leave[ahead]);
        for (size_t at = 0; at < 3 * sizeof(ps_time) * r->width; at += CACHE_LINE)
                __builtin_prefetch((const char *)vector_in(p, V_CLOCK, r->width) + at);
}

static inline void ps_replay_make_ready(run *r, ps_loc loc)
{
        ps_replay_fetch(r, loc);
        r->ready[r->n_ready++] = loc;
}

static inline void ps_replay_wake(run *r, ps_loc *waiter)
{
        if (*waiter != PS_NONE)
                ps_replay_make_ready(r, *waiter);
        *waiter = PS_NONE;
}

/* Always 0: the location has to stop. */
static inline bool ps_replay_wait(place *p, enum wait wait, uint32_t awaited, ps_loc *waiter, ps_loc loc)
{
        p->wait = (uint8_t)wait;
        p->awaited = awaited;
        if (waiter)
                *waiter = loc;
        return false;
}

static inline ps_time ps_replay_scaled(ps_time time, double factor)
{
        double scaled = (double)time * factor;
        return scaled < (double)REPLAY_COST_LIMIT ? (ps_time)(scaled + 0.5) : REPLAY_COST_LIMIT;
}

/* network.c: what becomes of a transfer that took `time` and was needed by `loc`, in each lane. */
void ps_replay_divide(const run *r, ps_time *times, ps_time time, const transfer *way, ps_loc loc);

static inline void ps_replay_transfer_times(const run *r, ps_time *times, ps_time time, const transfer *way,
                                            ps_loc loc, uint32_t width)
{
        bool changes = r->changes_network && time > 0 && way->rounds;
        if (changes && r->divides_network)
                ps_replay_divide(r, times, time, way, loc);
        else if (changes)
                for (uint32_t w = 0; w < width; w++)
                        times[w] = time & r->keeps_network[w];
        else
                for (uint32_t w = 0; w < width; w++)
                        times[w] = time;
}

/* Sends follow one another at their port: at[] becomes when the next one begins. */
void ps_replay_charge_gap(run *r, ps_loc loc, const ps_time *costs, ps_time *at);
/* With contention, in the one lane that there is then: both ends of a rendezvous are known. */
void ps_replay_meet(run *r, slot *m, uint32_t message, const ps_time *costs, ps_loc to, uint64_t bytes);

/* A message that took its time through a network that is shared fairly: `name` as ps_replay_departs() had it.
 */
void ps_replay_deliver(run *r, uint64_t name, ps_time arrival, ps_time released);

/* A member enters a collective operation. */
void ps_replay_enter(run *r, uint32_t member, const ps_time *begin);
/* When all are there for whom the member waits: WAIT_NOTHING, and when that was (recorded: INT64_MIN: for
 * nobody), now with what the operation costs. Otherwise for whom. */
enum wait ps_replay_look_at(run *r, const step *s, ps_time *times, ps_time *recorded);
void ps_replay_leave(run *r, uint32_t member);
void ps_replay_coll_clear(coll_slot *c);

/* ranks.c: does not each member of it wait for the same? Then they come, and are looked at, by rank; those
 * who wait are woken. */
bool ps_replay_goes_by_rank(const run *r, const ps_coll *coll);
void ps_replay_ranks_new(run *r, const ps_coll *coll, coll_slot *c);
void ps_replay_ranks_enter(run *r, const ps_coll *coll, coll_slot *c, uint32_t member, const ps_time *begin);
enum wait ps_replay_ranks_look_at(run *r, const ps_coll *coll, coll_slot *c, uint32_t member, ps_time *times,
                                  ps_time *recorded);
/* Does a member wait for that other one? */
bool ps_replay_ranks_awaits(const run *r, const ps_coll *coll, uint32_t member, uint32_t other);

#endif
