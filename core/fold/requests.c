/* requests.c - the open requests of a location: open addressing, deletion by shifting back. */
#include "core/fold/builder.h"

#include "core/base/hash.h"

#include <stdlib.h>

static uint32_t home_slot(const struct requests *r, uint8_t space, uint64_t id)
{
        return (uint32_t)ps_hash_mix((id ^ r->seed) + space) & (r->n_slots - 1);
}

static int requests_grow(struct requests *r)
{
        struct requests grown = {.n = r->n, .n_slots = r->n_slots ? r->n_slots * 2 : 64, .seed = r->seed};
        grown.slot = grown.n_slots ? calloc(grown.n_slots, sizeof(*grown.slot)) : NULL;
        if (!grown.slot)
                return -1;
        if (!grown.seed)
                grown.seed = ps_hash_mix((uint64_t)(uintptr_t)grown.slot);
        for (uint32_t i = 0; i < r->n_slots; i++) {
                if (!r->slot[i].used)
                        continue;
                uint32_t at = home_slot(&grown, r->slot[i].space, r->slot[i].id);
                while (grown.slot[at].used)
                        at = (at + 1) & (grown.n_slots - 1);
                grown.slot[at] = r->slot[i];
        }
        free(r->slot);
        *r = grown;
        return 0;
}

static struct request *find_request(const struct requests *r, uint8_t space, uint64_t id)
{
        uint32_t at = home_slot(r, space, id);
        while (r->slot[at].used && (r->slot[at].id != id || r->slot[at].space != space))
                at = (at + 1) & (r->n_slots - 1);
        return &r->slot[at];
}

int ps_requests_open(ps_builder *b, uint8_t space, uint64_t id, ps_op row, ps_op *old)
{
        struct requests *r = &b->requests;
        if (2 * (r->n + 1) > r->n_slots && requests_grow(r) < 0) {
                b->status = PS_NOMEM(&b->err, "requests", r->n);
                return 0;
        }
        struct request *request = find_request(r, space, id);
        int was_open = request->used;
        *old = was_open ? request->row : PS_NONE;
        r->n += !was_open;
        *request = (struct request){id, row, space, 1};
        return was_open;
}

ps_op ps_requests_row(const ps_builder *b, uint8_t space, uint64_t id)
{
        const struct request *request = b->requests.n ? find_request(&b->requests, space, id) : NULL;
        return request && request->used ? request->row : PS_NONE;
}

int ps_event_completes(uint8_t event, uint8_t kind)
{
        ps_class cls = ps_kinds[kind].cls;
        switch (event) {
        case PS_EV_ISEND_DONE:
                return cls == PS_C_SEND;
        case PS_EV_IRECV:
                return cls == PS_C_RECV;
        case PS_EV_NBC_DONE:
                return cls == PS_C_COLL;
        default:
                return event == PS_EV_REQUEST_CANCELLED;
        }
}

ps_op ps_requests_close(ps_builder *b, uint8_t space, uint64_t id)
{
        struct requests *r = &b->requests;
        struct request *request = r->n ? find_request(r, space, id) : NULL;
        if (!request || !request->used)
                return PS_NONE;
        ps_op row = request->row;
        uint32_t mask = r->n_slots - 1;
        uint32_t hole = (uint32_t)(request - r->slot);
        for (uint32_t i = (hole + 1) & mask; r->slot[i].used; i = (i + 1) & mask) {
                uint32_t home = home_slot(r, r->slot[i].space, r->slot[i].id);
                if (((i - home) & mask) >= ((i - hole) & mask)) {
                        r->slot[hole] = r->slot[i];
                        hole = i;
                }
        }
        r->slot[hole].used = 0;
        r->n--;
        return row;
}
