/* tell.c - see tell.h. */
#include "core/exchange/tell.h"

#include <stdlib.h>

static ps_status make_room(ps_exchange *x, ps_pass *p, ps_error *err)
{
        uint64_t n = p->used;
        ps_exchange_broadcast(x, &n, sizeof(n));
        p->used = 0;
        p->size = n;
        p->bytes = calloc(n + 1, 1);
        return p->bytes ? PS_OK : PS_NOMEM(err, "what process 0 tells", n);
}

static ps_status tell(ps_exchange *x, ps_pass *p, ps_status (*pass)(ps_pass *p, void *what), void *what)
{
        ps_status status = x->rank ? PS_OK : pass(p, what), room = make_room(x, p, p->err);
        PS_THEN(status, room);
        p->way = x->rank ? PS_PASS_TAKE : PS_PASS_PUT;
        if (!x->rank)
                PS_THEN(status, pass(p, what));
        PS_TRY(ps_exchange_agree(x, status, p->err));
        ps_exchange_broadcast(x, p->bytes, p->size);
        return ps_exchange_agree(x, x->rank ? pass(p, what) : PS_OK, p->err);
}

ps_status ps_exchange_tell(ps_exchange *x, ps_status (*pass)(ps_pass *p, void *what), void *what,
                           ps_error *err)
{
        ps_pass p = {.way = PS_PASS_MEASURE, .err = err};
        ps_status status = tell(x, &p, pass, what);
        free(p.bytes);
        return status;
}
