/* orders.c - see orders.h. */
#include "core/clock/orders.h"
#include "core/clock/apart.h"

#include <stdlib.h>

#define VALUE(p, value) PS_TRY(ps_pass_values((p), &(value), 1, sizeof(value)))

static ps_status pass_order(ps_pass *p, ps_clock_order *o, uint32_t n_processes)
{
        VALUE(p, o->kind);
        VALUE(p, o->eased);
        VALUE(p, o->span);
        PS_TRY(ps_pass_bool(p, &o->fits));
        PS_TRY(ps_pass_optional(p, &o->drift, n_processes, sizeof(*o->drift)));
        PS_TRY(ps_pass_optional(p, &o->offset, n_processes, sizeof(*o->offset)));
        VALUE(p, o->first_node);
        VALUE(p, o->n_candidates);
        PS_TRY(ps_pass_column(p, &o->candidate, o->n_candidates, sizeof(*o->candidate)));
        VALUE(p, o->n_suspects);
        PS_TRY(ps_pass_column(p, &o->suspect, o->n_suspects, sizeof(*o->suspect)));
        VALUE(p, o->n_moved);
        return ps_pass_column(p, &o->moved, o->n_moved, sizeof(*o->moved));
}

/* Room is there in all before it is needed. */
static ps_status tell_all(ps_exchange *x, ps_status status, uint8_t *bytes, size_t n, ps_error *err)
{
        PS_TRY(ps_exchange_agree(x, status, err));
        ps_exchange_broadcast(x, bytes, n);
        return PS_OK;
}

ps_status ps_clock_ask(const ps_flows *flows, const ps_clock_order *order, ps_error *err)
{
        if (!flows->apart)
                return PS_OK;
        ps_clock_order copy = *order;
        uint32_t n_processes = flows->trace->defs.processes.n;
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = err};
        PS_TRY(pass_order(&measure, &copy, n_processes));
        ps_pass put = {
                .way = PS_PASS_PUT, .size = measure.used, .bytes = calloc(measure.used, 1), .err = err};
        ps_status status = put.bytes ? pass_order(&put, &copy, n_processes)
                                     : PS_NOMEM(err, "what is asked", measure.used);
        uint64_t n = put.size;
        ps_exchange_broadcast(flows->apart->x, &n, sizeof(n));
        status = tell_all(flows->apart->x, status, put.bytes, n, err);
        free(put.bytes);
        return status;
}

static ps_status take_all(ps_exchange *x, ps_status (*pass)(ps_pass *p, void *what), void *what,
                          const ps_pile *pile, ps_error *err)
{
        for (uint32_t p = 1; !x->rank && p < x->size; p++) {
                ps_pass take = {.way = PS_PASS_TAKE, .err = err};
                take.bytes = (uint8_t *)ps_pile_part(pile, p, &take.size);
                PS_TRY(pass(&take, what));
        }
        return PS_OK;
}

ps_status ps_clock_collect(const ps_flows *flows, ps_status status, ps_status (*pass)(ps_pass *p, void *what),
                           void *what, ps_error *err)
{
        if (!flows->apart)
                return status;
        ps_exchange *x = flows->apart->x;
        ps_pile pile = {NULL, NULL};
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = err}, put = {.way = PS_PASS_PUT, .err = err};
        if (x->rank && status == PS_OK) {
                status = pass(&measure, what);
                put.size = measure.used;
                put.bytes = malloc(measure.used + 1);
                PS_THEN(status, put.bytes ? pass(&put, what) : PS_NOMEM(err, "what is told", measure.used));
        }
        status = ps_exchange_agree(x, status, err);
        PS_THEN(status, ps_exchange_gather(x, &pile, put.bytes, put.used, err));
        PS_THEN(status, take_all(x, pass, what, &pile, err));
        ps_pile_clear(&pile);
        free(put.bytes);
        return ps_exchange_agree(x, status, err);
}

/* The size of an order: there is none. */
void ps_clock_dismiss(const ps_flows *flows)
{
        uint64_t nothing = 0;
        if (flows->apart)
                ps_exchange_broadcast(flows->apart->x, &nothing, sizeof(nothing));
}

/* -- the others -- */

static ps_status serve(ps_flows *flows, uint8_t *bytes, size_t n, ps_error *err)
{
        static ps_clock_server *const servers[PS_CLOCK_ORDERS] = {
                [PS_CLOCK_BOUNDS] = ps_bounds_serve,     [PS_CLOCK_CONTRADICTED] = ps_contradicted_serve,
                [PS_CLOCK_LIMITS] = ps_limits_serve,     [PS_CLOCK_RELEASES] = ps_together_serve,
                [PS_CLOCK_APPLY] = ps_apply_serve,       [PS_CLOCK_COUNT] = ps_count_serve,
                [PS_CLOCK_VIOLATED] = ps_violated_serve, [PS_CLOCK_VICINITY] = ps_vicinity_serve,
                [PS_CLOCK_MOVE] = ps_move_serve};
        ps_clock_order order = {.n_candidates = 0};
        ps_pass take = {.way = PS_PASS_TAKE, .bytes = bytes, .size = n, .err = err};
        PS_TRY(pass_order(&take, &order, flows->trace->defs.processes.n));
        flows->drift = order.drift;
        ps_status status = servers[order.kind](flows, &order, err);
        flows->drift = NULL; /* it ends with the order */
        return status;
}

void ps_clock_follow(ps_flows *flows)
{
        ps_exchange *x = flows->apart->x;
        for (uint64_t n = 0;;) {
                ps_error err = {0};
                ps_exchange_broadcast(x, &n, sizeof(n));
                if (!n)
                        return;
                uint8_t *bytes = malloc(n);
                ps_status status = bytes ? PS_OK : PS_NOMEM(&err, "what is asked", n);
                if (tell_all(x, status, bytes, n, &err) == PS_OK)
                        serve(flows, bytes, n, &err); /* what fails is process 0's to tell */
                free(bytes);
        }
}
