/* requests.h - the nonblocking operations of a location that are under way, by request. */
#ifndef PS_CORE_FOLD_REQUESTS_H
#define PS_CORE_FOLD_REQUESTS_H

#include "core/fold/fold.h"

/* A nonblocking operation under way: its request and its row. Requests and RMA operations count apart. */
struct request {
        uint64_t id;
        ps_op row;
        uint8_t space, used;
};

enum { SPACE_REQUEST, SPACE_RMA, SPACE_NOTIFY };

struct requests {
        struct request *slot;
        uint32_t n, n_slots;
        uint64_t seed; /* an address: nobody can know it who prepares ids that collide */
};

/* Remembers an open request; an older one with the same id is handed out through *old (1 is returned). */
int ps_requests_open(ps_builder *b, uint8_t space, uint64_t id, ps_op row, ps_op *old);
/* Its row; PS_NONE when there is none. */
ps_op ps_requests_row(const ps_builder *b, uint8_t space, uint64_t id);
/* Forgets it; PS_NONE when there is none. */
ps_op ps_requests_close(ps_builder *b, uint8_t space, uint64_t id);

/* May an event of kind `event` complete a row of kind `kind`? */
int ps_event_completes(uint8_t event, uint8_t kind);

#endif
