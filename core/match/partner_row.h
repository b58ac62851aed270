/* partner_row.h - how a row is told to the process that has its partner.
 *
 * As a byte with its kind, one with the kind of what completes it, NOTHING without completion, and its
 * numbers. Below each kind is a bit that tells what waits.h asks, above that of the row one that says that
 * the partner is in another location than that of the row before, and one for nearly all rows, which are
 * plain: the same partner, small steps, and times soon behind each other. Then how many bytes each number has
 * follows from which there are; else a word before them tells it. */
#ifndef PS_CORE_MATCH_PARTNER_ROW_H
#define PS_CORE_MATCH_PARTNER_ROW_H

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

static inline bool told_is_plain(const struct told *row, struct told_has has)
{
        const int64_t times = row->enter | row->stay | row->pre | row->done_enter | row->done_leave;
        return !has.partner && !has.length && (uint64_t)times <= UINT32_MAX && row->link == (int8_t)row->link;
}

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

static inline uint8_t *told_put_plain(uint8_t *at, const struct told *row, struct told_has has)
{
        *at++ = (uint8_t)row->link;
        at = put_time(at, row->enter);
        at = put_time(at, row->stay);
        if (has.done)
                at = put_time(put_time(at, row->done_enter), row->done_leave);
        return has.pre ? put_time(at, row->pre) : at;
}

static inline const uint8_t *told_take_plain(const uint8_t *at, struct told *row, struct told_has has)
{
        row->link = (int64_t)(*at++ ^ 0x80) - 0x80; /* of a byte with a sign */
        row->enter = take_time(&at);
        row->stay = take_time(&at);
        if (has.done) {
                row->done_enter = take_time(&at);
                row->done_leave = take_time(&at);
        }
        if (has.pre)
                row->pre = take_time(&at);
        return at;
}

uint8_t *ps_told_put_long(uint8_t *at, struct told row, struct told_has has);
const uint8_t *ps_told_take_long(const uint8_t *at, struct told *row, struct told_has has);

#endif
