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

const uint8_t *ps_told_take_long(const uint8_t *at, struct told *row, struct told_has has)
{
        uint32_t lengths;
        memcpy(&lengths, at, sizeof(lengths));
        at += sizeof(lengths);
        if (has.partner)
                row->partner = ps_packed_take(&at, lengths, PARTNER);
        row->link = ps_packed_take(&at, lengths, LINK);
        row->enter = ps_packed_take(&at, lengths, ENTER);
        row->stay = ps_packed_take(&at, lengths, STAY);
        if (has.pre)
                row->pre = ps_packed_take(&at, lengths, PRE);
        if (has.done) {
                row->done_enter = ps_packed_take(&at, lengths, DONE_ENTER);
                row->done_leave = ps_packed_take(&at, lengths, DONE_LEAVE);
        }
        if (has.length)
                row->length = ps_packed_take(&at, lengths, LENGTH);
        return at;
}
