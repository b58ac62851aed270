/* partner_row.c - see partner_row.h: rows that are not plain. */
#include "core/match/partner_row.h"

/* The places of the lengths in their word. */
enum { PARTNER, LINK, ENTER, STAY, PRE, DONE_ENTER, DONE_LEAVE, LENGTH };

uint8_t *ps_told_put_long(uint8_t *begin, struct told row, struct told_has has)
{
        uint32_t lengths = 0;
        uint8_t *at = begin + sizeof(lengths);
        if (has.partner)
                at = ps_packed_put(at, &lengths, PARTNER, row.partner);
        at = ps_packed_put(at, &lengths, LINK, row.link);
        at = ps_packed_put(at, &lengths, ENTER, row.enter);
        at = ps_packed_put(at, &lengths, STAY, row.stay);
        if (has.pre)
                at = ps_packed_put(at, &lengths, PRE, row.pre);
        if (has.done) {
                at = ps_packed_put(at, &lengths, DONE_ENTER, row.done_enter);
                at = ps_packed_put(at, &lengths, DONE_LEAVE, row.done_leave);
        }
        if (has.length)
                at = ps_packed_put(at, &lengths, LENGTH, row.length);
        memcpy(begin, &lengths, sizeof(lengths));
        return at;
}

struct told ps_told_take_long(const uint8_t **at, struct told_has has)
{
        struct told row = {0};
        uint32_t lengths;
        ps_numbers_take_plain(at, &lengths, sizeof(lengths));
        if (has.partner)
                row.partner = ps_packed_take(at, lengths, PARTNER);
        row.link = ps_packed_take(at, lengths, LINK);
        row.enter = ps_packed_take(at, lengths, ENTER);
        row.stay = ps_packed_take(at, lengths, STAY);
        if (has.pre)
                row.pre = ps_packed_take(at, lengths, PRE);
        if (has.done) {
                row.done_enter = ps_packed_take(at, lengths, DONE_ENTER);
                row.done_leave = ps_packed_take(at, lengths, DONE_LEAVE);
        }
        if (has.length)
                row.length = ps_packed_take(at, lengths, LENGTH);
        return row;
}

/* Of the operation that completes it on another thread. */
static uint8_t note_elsewhere(struct told *row, const struct told_source *from, ps_op op)
{
        const ps_trace *trace = from->trace;
        const ps_ref done = ps_op_completion_elsewhere(trace, (ps_ref){from->location, op});
        return done.op == PS_NONE ? NOTHING
                                  : told_note_done(row, from->enter[op], &trace->ops[done.loc],
                                                   trace->measured.enter[done.loc],
                                                   trace->measured.leave[done.loc], done.op);
}

static uint8_t note_done(struct told *row, const struct told_source *from, ps_op op)
{
        const ps_ops *ops = &from->ops;
        if (ps_kinds[ops->kind[op]].traits & PS_T_BLOCKING)
                return NOTHING;
        if (ops->flags[op] & PS_OP_ELSEWHERE)
                return note_elsewhere(row, from, op);
        const ps_op done = ops->done[op];
        return done == PS_NONE ? NOTHING
                               : told_note_done(row, from->enter[op], ops, from->enter, from->leave, done);
}

uint8_t *ps_told_put(uint8_t *at, const struct told_source *from, const struct told_last *last, ps_op op,
                     ps_loc partner)
{
        const ps_ops *ops = &from->ops;
        const ps_time enter = from->enter[op];
        const uint8_t kind = ops->kind[op];
        const bool sends = ps_kind_sends(kind);
        struct told row = {.partner = (int64_t)partner - last->partner,
                           .link = (int64_t)ops->link[op] - last->link,
                           .enter = ps_packed_step(enter, last->enter),
                           .stay = ps_packed_step(from->leave[op], enter),
                           .pre = sends ? told_pre(ops, op) : 0};
        const uint8_t done = note_done(&row, from, op);
        const struct told_has has = {partner != last->partner, sends, done != NOTHING,
                                     sends && from->with_bytes};
        *at++ = (uint8_t)(told_head(kind, sends && ps_send_waits_for_receive(ops, op)) |
                          (has.partner ? IS_OTHER : 0));
        *at++ = done;
        row.length = has.length ? (int64_t)ps_op_bytes(ops, op) : 0;
        return ps_told_put_long(at, row, has);
}
