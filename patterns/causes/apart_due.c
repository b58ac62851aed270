/* apart_due.c - apart.h: causes go forward in process 0. Whoever explained a wait has its parts: of these it
 * tells those that belong to the largest causes. */
#include "patterns/causes/apart.h"
#include "patterns/causes/forward.h"

#include "core/base/memory.h"
#include "core/exchange/letters.h"

#include <stdlib.h>
#include <string.h>

/* What process 0 tells all: the costs of which causes go forward. */
struct order {
        uint32_t goes_on, n;
        struct {
                uint32_t location, number, cause; /* number: of the location's costs; cause: + 1 */
        } at[PS_CAUSES_TOLD];
};

/* -- what is due of a wait -- */

/* At most PS_CAUSES_TOLD. */
struct charges {
        struct part *of;
        uint32_t n;
};

static inline void note_charge(void *to, uint32_t cause, ps_time time)
{
        struct charges *charges = to;
        charges->of[charges->n++] = (struct part){.time = time, .cost = cause & INT32_MAX};
}

/* Of a wait that was explained here. */
static void find_charges(struct charges *out, const struct delaying *d, const struct asked_forward *f,
                         const struct waiting *w)
{
        out->n = 0;
        if (f->has_rows[w->by.loc])
                add_direct(d->parts[w->by.loc].row + w->part, f->row + d->costs[w->by.loc], w->excess,
                           ps_split_of(d, w).direct, note_charge, out);
}

/* Nobody asks for the waits of others any more. */
static void forget_told(struct delaying *d)
{
        const uint32_t behind = d->apart->n_own + 1;
        ps_memory_leave(d->wait + behind, (d->n_waits - behind) * sizeof(*d->wait));
        d->n_waits = d->apart->n_own;
}

/* How many, and then each. */
static ps_status write_due(ps_numbers *letters, struct delaying *d, void *asked, ps_error *err)
{
        const struct apart *a = d->apart;
        struct charges charges;
        (void)err;
        for (uint32_t p = 0; p < a->x->size; p++) {
                ps_numbers *to = &letters[p];
                ps_letter_expect(to, a->told[p] - first_told(a, p), sizeof(charges.n) + sizeof(*charges.of));
                for (uint32_t i = first_told(a, p); i < a->told[p]; i++) {
                        if (!ps_numbers_have_room(to,
                                                  sizeof(charges.n) + PS_CAUSES_TOLD * sizeof(*charges.of)))
                                break;
                        uint8_t *at = to->row + to->n;
                        charges.of = (struct part *)(void *)(at + sizeof(charges.n));
                        find_charges(&charges, d, asked, &d->wait[i]);
                        memcpy(at, &charges.n, sizeof(charges.n));
                        to->n += sizeof(charges.n) + charges.n * sizeof(*charges.of);
                }
        }
        forget_told(d);
        return PS_OK;
}

static inline void take_charges(struct charges *out, const uint8_t **at)
{
        const uint8_t *from = *at;
        ps_numbers_take_plain(&from, &out->n, sizeof(out->n));
        for (uint32_t i = 0; i < out->n; i++)
                ps_numbers_take_plain(&from, &out->of[i], sizeof(*out->of));
        *at = from;
}

/* By own wait: what others explained comes by process in the order of waits. */
static ps_status list_due(struct delaying *d, const struct asked_forward *f, const uint8_t **at,
                          ps_error *err)
{
        enum { FIRST = 64 };
        struct parts_of *due = &d->apart->due;
        for (uint32_t i = 0; i <= d->apart->n_own; i++) {
                struct waiting *w = &d->wait[i];
                if (due->cap - due->n < PS_CAUSES_TOLD &&
                    ps_memory_grow(&due->row, &due->cap, FIRST, sizeof(*due->row)))
                        return PS_NOMEM(err, "causes", due->n);
                struct charges charges = {due->row + due->n, 0};
                if (w->is_caused && is_here(d, w->by.loc))
                        find_charges(&charges, d, f, w);
                else if (w->is_caused)
                        take_charges(&charges, &at[owner_of(d, w->by.loc)]);
                w->part = due->n;
                due->n += charges.n;
        }
        return PS_OK;
}

static ps_status read_due(struct delaying *d, const ps_pile *in, void *asked, ps_error *err)
{
        const struct apart *a = d->apart;
        const uint8_t **at = calloc(a->x->size, sizeof(*at));
        size_t n;
        for (uint32_t p = 0; at && p < a->x->size; p++)
                at[p] = ps_pile_part(in, p, &n);
        ps_status status = at ? list_due(d, asked, at, err) : PS_NOMEM(err, "processes", a->x->size);
        free(at);
        return status;
}

/* -- all -- */

static void forget_parts(struct delaying *d)
{
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                ps_memory_pass_on_touched(d->parts[loc].row, d->parts[loc].n * sizeof(*d->parts[loc].row));
                d->parts[loc] = (struct parts_of){NULL, 0, 0};
        }
}

static ps_status find_due(struct delaying *d, struct asked_forward *f, ps_status status, ps_error *err)
{
        PS_TRY(ps_exchange_agree(d->apart->x, status, err));
        status = ps_apart_tell(d, write_due, read_due, f, err);
        forget_parts(d);
        ps_memory_give_back();
        d->apart->follows = FOLLOWS_CAUSES;
        if (status == PS_OK)
                ps_apart_offer(d);
        return status;
}

/* -- process 0 -- */

static struct order order_of(const struct delaying *d, const uint8_t *row)
{
        struct order order = {.goes_on = 1};
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                for (uint32_t i = d->costs[loc]; i < d->costs[loc + 1]; i++) {
                        if (!row[i])
                                continue;
                        order.at[order.n].location = loc;
                        order.at[order.n].number = i - d->costs[loc];
                        order.at[order.n++].cause = row[i];
                }
        return order;
}

ps_status ps_apart_go_forward(struct delaying *d, struct asked_forward *f, ps_error *err)
{
        struct apart *a = d->apart;
        struct order order = order_of(d, f->row);
        ps_exchange_broadcast(a->x, &order, sizeof(order));
        a->is_open = false;
        PS_TRY(find_due(d, f, PS_OK, err));
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                if (is_here(d, loc))
                        a->lent[loc].now.due = a->due.row;
        a->is_open = true;
        return PS_OK;
}

static void hear_bytes(struct apart *a)
{
        uint64_t bytes;
        a->x->told.cause_bytes = a->x->bytes - a->before;
        for (uint32_t p = 1; p < a->x->size; p++) {
                ps_exchange_receive(a->x, p, &bytes, sizeof(bytes));
                a->x->told.cause_bytes += bytes;
        }
}

void ps_apart_end_forward(struct delaying *d)
{
        struct order none = {.goes_on = 0};
        if (d->apart->follows == FOLLOWS_CAUSES)
                ps_apart_give_back(d);
        else
                ps_exchange_broadcast(d->apart->x, &none, sizeof(none));
        d->apart->is_forward = true;
        ps_apart_forget_lent(d->apart);
}

void ps_apart_close(struct delaying *d)
{
        struct apart *a = d->apart;
        uint8_t goes_on = 0;
        if (!a || !a->is_open || a->x->rank)
                return;
        if (!a->is_forward)
                ps_apart_end_forward(d);
        ps_exchange_broadcast(a->x, &goes_on, sizeof(goes_on));
        hear_bytes(a);
        a->is_open = false;
}

/* -- the others -- */

static ps_status mark(uint8_t *row, uint8_t *has_rows, const struct delaying *d, const struct order *order,
                      ps_error *err)
{
        if (!row || !has_rows)
                return PS_NOMEM(err, "costs", d->out->n_costs);
        for (uint32_t i = 0; i < order->n; i++) {
                const ps_loc loc = order->at[i].location;
                if (!is_here(d, loc))
                        continue;
                row[d->costs[loc] + order->at[i].number] = (uint8_t)order->at[i].cause;
                has_rows[loc] = 1;
        }
        return PS_OK;
}

void ps_apart_follow_forward(struct delaying *d)
{
        ps_error err = {0};
        struct apart *a = d->apart;
        struct order order;
        ps_status status = PS_OK;
        ps_exchange_broadcast(a->x, &order, sizeof(order));
        if (order.goes_on) {
                uint8_t *row = ps_memory_zeroed(d->out->n_costs + (size_t)1, 1);
                uint8_t *has_rows = ps_memory_zeroed(d->trace->n_locs + (size_t)1, 1);
                status = mark(row, has_rows, d, &order, &err);
                status = find_due(d, &(struct asked_forward){row, has_rows}, status, &err);
                free(row);
                free(has_rows);
                if (status == PS_OK)
                        ps_apart_lend(d);
        }
        PS_THEN(status, ps_apart_follow_chains(d, &err));
        const uint64_t bytes = a->x->bytes - a->before;
        if (status == PS_OK)
                ps_exchange_send(a->x, 0, &bytes, sizeof(bytes));
}
