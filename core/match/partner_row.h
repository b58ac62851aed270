/* partner_row.h - how a row is told to the process that has its partner.
 *
 * As a byte with its kind, one with the kind of what completes it, NOTHING without completion, and its
 * numbers. Below each kind is a bit that tells what waits.h asks, above that of the row one that says that
 * the partner is in another location than that of the row before, and one for nearly all rows, which are
 * plain: the same partner, small steps, and times soon behind each other. Then how many bytes each number has
 * follows from which there are; else a word before them tells it. */
#ifndef PS_CORE_MATCH_PARTNER_ROW_H
#define PS_CORE_MATCH_PARTNER_ROW_H

#include "core/clock/waits.h"
#include "core/exchange/numbers.h"
#include "core/model/trace.h"

enum { IS_TOLD = 1 << 0, IS_PLAIN = 1 << 6, IS_OTHER = 1 << 7, KIND_SHIFT = 1, NOTHING = 255 };
_Static_assert((int)PS_K_SENDRECV_RECV << KIND_SHIFT < IS_PLAIN && (int)PS_K_COUNT < NOTHING >> KIND_SHIFT,
               "two bytes");

/* Steps from the row before; distances from when the row begins; and bytes. What there is not is 0. */
struct told {
        int64_t partner, link, enter;
        int64_t stay, pre, done_enter, done_leave;
        int64_t length;
};

/* Which of them there are. */
struct told_has {
        bool partner, pre, done, length;
};

enum {
        ROW_BYTES = 25,
        TOLD_NUMBERS = 8,
        ROW_BYTES_MOST = 2 + sizeof(uint32_t) + TOLD_NUMBERS * sizeof(uint64_t)
};
_Static_assert((int)TOLD_NUMBERS <= PS_PACKED_MOST, "one word of lengths");

static inline uint8_t *put_time(uint8_t *at, int64_t time)
{
        const uint32_t word = (uint32_t)time;
        memcpy(at, &word, sizeof(word));
        return at + sizeof(word);
}

static inline int64_t take_time(const uint8_t **at)
{
        uint32_t word;
        memcpy(&word, *at, sizeof(word));
        *at += sizeof(word);
        return word;
}

static inline struct told told_take_plain(const uint8_t **at, struct told_has has)
{
        struct told row = {.link = (int64_t)(*(*at)++ ^ 0x80) - 0x80}; /* of a byte with a sign */
        row.enter = take_time(at);
        row.stay = take_time(at);
        if (has.done) {
                row.done_enter = take_time(at);
                row.done_leave = take_time(at);
        }
        if (has.pre)
                row.pre = take_time(at);
        return row;
}

/* Where a location's rows are told from. */
struct told_source {
        const ps_trace *trace;
        ps_ops ops;
        const ps_time *enter, *leave;
        ps_loc location;
        bool with_bytes; /* of sends */
};

/* The row that was told before, to the same process. */
struct told_last {
        ps_loc partner;
        ps_op link;
        ps_time enter;
};

static inline uint8_t told_head(uint8_t kind, bool is_told)
{
        return (uint8_t)(kind << KIND_SHIFT | (is_told ? IS_TOLD : 0));
}

static inline ps_time told_pre(const ps_ops *ops, ps_op op)
{
        return ops->pre[op] != UINT32_MAX ? (ps_time)ops->pre[op] : ps_op_wide_distance(ops, op, false);
}

/* What is told of the operation at `done` that completes a row; returns its kind. */
static inline uint8_t told_note_done(struct told *row, ps_time enter, const ps_ops *ops,
                                     const ps_time *enters, const ps_time *leaves, ps_op done)
{
        row->done_enter = ps_packed_step(enters[done], enter);
        row->done_leave = ps_packed_step(leaves[done], enter);
        return told_head(ops->kind[done], ps_op_completes_one(ops, done));
}

/* If the row is plain: returns where it ends, or NULL. */
__attribute__((always_inline)) static inline uint8_t *told_put_plain(uint8_t *at,
                                                                     const struct told_source *from,
                                                                     const struct told_last *last, ps_op op,
                                                                     ps_loc partner)
{
        const ps_ops *ops = &from->ops;
        const uint8_t kind = ops->kind[op];
        const bool sends = ps_kind_sends(kind);
        const ps_time enter = from->enter[op];
        const int64_t link = (int64_t)ops->link[op] - last->link, step = ps_packed_step(enter, last->enter),
                      stay = ps_packed_step(from->leave[op], enter);
        int64_t times = step | stay;
        uint8_t *const begin = at;
        at[0] = (uint8_t)(told_head(kind, sends && ps_send_waits_for_receive(ops, op)) | IS_PLAIN);
        at[1] = NOTHING;
        at[2] = (uint8_t)link;
        at = put_time(put_time(at + 3, step), stay);
        if (ops->flags[op] & PS_OP_ELSEWHERE || partner != last->partner || (sends && from->with_bytes))
                return NULL;
        if (!(ps_kinds[kind].traits & PS_T_BLOCKING) && ops->done[op] != PS_NONE) {
                struct told row;
                begin[1] = told_note_done(&row, enter, ops, from->enter, from->leave, ops->done[op]);
                times |= row.done_enter | row.done_leave;
                at = put_time(put_time(at, row.done_enter), row.done_leave);
        }
        if (sends) {
                const uint32_t pre = ops->pre[op];
                at = put_time(at, pre);
                times = pre == UINT32_MAX ? -1 : times;
        }
        return (uint64_t)times <= UINT32_MAX && link == (int8_t)link ? at : NULL;
}

/* Any other. */
uint8_t *ps_told_put(uint8_t *at, const struct told_source *from, const struct told_last *last, ps_op op,
                     ps_loc partner);
/* Its numbers, with their lengths. */
uint8_t *ps_told_put_long(uint8_t *at, struct told row, struct told_has has);
struct told ps_told_take_long(const uint8_t **at, struct told_has has);

/* -- where it is heard -- */

/* What there is in the columns, of `n` rows each, from a row on: its times when it was entered and left, its
 * numbers `real`, `pre` and `done`, its bytes `kind` and `flags`. */
struct spot {
        ps_time *times;
        uint32_t *numbers;
        uint8_t *bytes;
};

static inline struct spot next_spot(struct spot at)
{
        return (struct spot){at.times + 1, at.numbers + 1, at.bytes + 1};
}

static inline void fill(struct spot at, size_t n, uint8_t kind, uint8_t head, uint32_t real, ps_op done)
{
        at.numbers[0] = real;
        at.numbers[2 * n] = done;
        at.bytes[0] = kind;
        at.bytes[n] = head & IS_TOLD ? PS_OP_TOLD : 0;
}

static inline void fill_times(struct spot at, size_t n, ps_time enter, ps_time leave, uint32_t pre)
{
        at.times[0] = enter;
        at.times[n] = leave;
        at.numbers[n] = pre;
}

static inline uint8_t kind_of(uint8_t head)
{
        return (uint8_t)((head & ~(IS_PLAIN | IS_OTHER)) >> KIND_SHIFT);
}

#endif
