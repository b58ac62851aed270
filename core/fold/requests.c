/* requests.c - see requests.h. */
#include "core/fold/builder.h"

ps_op ps_requests_open(ps_builder *b, uint32_t space, uint64_t id, ps_op row)
{
        ps_op *open = ps_ids_at(&b->requests, space, id);
        if (!open) {
                b->status = PS_NOMEM(&b->pool->err, "requests", b->n_rows);
                return PS_NONE;
        }
        ps_op old = *open;
        *open = row;
        return old;
}

bool ps_event_completes(uint8_t event, uint8_t kind)
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
