/* apart_costs.c - apart.h: what heirs pass on reaches whoever explained a wait, and so the costs of its
 * causer; then process 0 gets the costs and sums of all. */
#include "patterns/causes/apart.h"
#include "patterns/causes/costs.h"
#include "patterns/causes/passes.h"

#include "core/base/memory.h"
#include "core/exchange/letters.h"

#include <stdlib.h>
#include <string.h>

ps_status ps_apart_count_heirs(const struct delaying *d, uint32_t *of_all, ps_status status, ps_error *err)
{
        status = ps_exchange_agree(d->apart->x, status, err);
        if (status == PS_OK) {
                ps_apart_collect(d, of_all, d->heirs, sizeof(*d->heirs));
                d->apart->follows = FOLLOWS_TURNS;
                ps_apart_offer(d);
        }
        d->apart->is_open = status == PS_OK;
        return status;
}

/* -- what waits are charged with -- */

/* From process 0 to whoever has the wait. */
static void deal_out(const struct delaying *d, ps_time *here, const ps_time *of_all)
{
        const struct apart *a = d->apart;
        for (struct ps_apart_run run = {.behind = 0}; run.behind < d->trace->n_locs;) {
                run = ps_apart_next_run(d, run.behind);
                const size_t n = run.n * sizeof(*here);
                const bool is_own = run.owner == a->x->rank;
                if (a->x->rank && is_own)
                        ps_exchange_receive(a->x, 0, here + run.here, n);
                else if (!a->x->rank && !is_own)
                        ps_exchange_send(a->x, run.owner, of_all + run.of_all, n);
                else if (!a->x->rank && n)
                        memcpy(here + run.here, of_all + run.of_all, n);
        }
}

/* And from there to whoever explained it. */
static ps_status write_charged(ps_numbers *letters, struct delaying *d, void *charged, ps_error *err)
{
        const struct apart *a = d->apart;
        const ps_time *here = charged;
        (void)err;
        for (uint32_t p = 0; p < a->x->size; p++) {
                const struct crossing *crossing = &a->crossing[p];
                ps_letter_expect(&letters[p], crossing->n, sizeof(*here));
                for (uint32_t i = 0; i < crossing->n; i++)
                        ps_numbers_put_plain(&letters[p], &here[crossing->wait[i]], sizeof(*here));
        }
        return PS_OK;
}

static ps_status take_charged(struct delaying *d, const ps_pile *in, void *charged, ps_error *err)
{
        const struct apart *a = d->apart;
        (void)err;
        for (uint32_t p = 0; p < a->x->size; p++) {
                size_t n;
                const uint8_t *at = ps_pile_part(in, p, &n);
                if (n)
                        memcpy((ps_time *)charged + first_told(a, p), at, n);
        }
        return PS_OK;
}

static void charge(struct delaying *d, const ps_time *charged)
{
        for (uint32_t i = 0; i < d->n_waits; i++) {
                struct waiting *w = &d->wait[i];
                if (charged[i] < 0)
                        w->first = w->behind;
                const ps_time passed = charged[i] < 0 ? -1 - charged[i] : charged[i];
                if (passed && is_here(d, w->by.loc))
                        ps_costs_add_inherited(d, w, passed);
        }
}

/* -- what process 0 gets -- */

/* Of a location; its costs follow. */
struct summed {
        uint64_t n_costs;
        ps_time sum[PS_N_DELAYS][PS_N_DELAYED];
};

static ps_status put_sums(uint8_t **out, size_t *n, const struct delaying *d, ps_error *err)
{
        const ps_delays *delays = d->out;
        *n = delays->n_locs * sizeof(struct summed) + delays->n_costs * sizeof(*delays->cost);
        uint8_t *at = *out = ps_memory_new(*n + 1);
        if (!at)
                return PS_NOMEM(err, "costs", delays->n_costs);
        *n = 0;
        for (ps_loc loc = 0; loc < delays->n_locs; loc++) {
                struct summed s = {.n_costs = d->costs[loc + 1] - d->costs[loc]};
                const size_t bytes = s.n_costs * sizeof(*delays->cost);
                if (!is_here(d, loc))
                        continue;
                memcpy(s.sum, delays->sum[loc], sizeof(s.sum));
                memcpy(at + *n, &s, sizeof(s));
                if (bytes)
                        memcpy(at + *n + sizeof(s), delays->cost + d->costs[loc], bytes);
                *n += sizeof(s) + bytes;
        }
        return PS_OK;
}

static void add_sums(ps_time (*to)[PS_N_DELAYED], const struct summed *s)
{
        for (unsigned f = 0; f < PS_N_DELAYS; f++)
                for (unsigned term = 0; term < PS_N_DELAYED; term++)
                        to[f][term] += s->sum[f][term];
}

/* By process 0, whose own ones are among them. */
static ps_status take_sums(struct delaying *d, const ps_pile *sums, ps_error *err)
{
        const struct apart *a = d->apart;
        ps_delays *out = d->out;
        const uint8_t **at = calloc(a->x->size, sizeof(*at));
        ps_delay_cost *cost = ps_memory_new(sums->end[a->x->size - 1] + sizeof(*cost));
        size_t n, n_costs = 0;
        ps_status status = at && cost ? PS_OK : PS_NOMEM(err, "costs", sums->end[a->x->size - 1]);
        for (uint32_t p = 0; status == PS_OK && p < a->x->size; p++)
                at[p] = ps_pile_part(sums, p, &n);
        for (ps_loc loc = 0; status == PS_OK && loc < out->n_locs; loc++) {
                struct summed s;
                const uint8_t **from = &at[owner_of(d, loc)];
                memcpy(&s, *from, sizeof(s));
                if (!is_here(d, loc))
                        add_sums(out->sum[loc], &s);
                if (n_costs + s.n_costs >= PS_NONE)
                        status = PS_NOMEM(err, "costs", n_costs);
                else if (s.n_costs)
                        memcpy(cost + n_costs, *from + sizeof(s), s.n_costs * sizeof(*cost));
                *from += sizeof(s) + s.n_costs * sizeof(*cost);
                n_costs += s.n_costs;
                d->costs[loc + 1] = (uint32_t)n_costs;
        }
        free(at);
        free(out->cost);
        out->cost = cost;
        out->n_costs = (uint32_t)n_costs;
        return status;
}

static ps_status gather_sums(struct delaying *d, ps_error *err)
{
        ps_exchange *x = d->apart->x;
        ps_pile all = {NULL, NULL};
        uint8_t *mine = NULL;
        size_t n = 0;
        ps_status status = ps_exchange_agree(x, put_sums(&mine, &n, d, err), err);
        PS_THEN(status, ps_exchange_gather(x, &all, mine, n, err));
        free(mine);
        if (!x->rank)
                PS_THEN(status, take_sums(d, &all, err));
        ps_pile_clear(&all);
        return status;
}

/* -- all -- */

static ps_status charge_all(struct delaying *d, ps_time *here, const ps_time *of_all, ps_status status,
                            ps_error *err)
{
        PS_THEN(status, here ? PS_OK : PS_NOMEM(err, "waits", d->n_waits));
        PS_TRY(ps_exchange_agree(d->apart->x, status, err));
        here[d->apart->n_own] = 0; /* which is no wait */
        deal_out(d, here, of_all);
        PS_TRY(ps_apart_tell(d, write_charged, take_charged, here, err));
        charge(d, here);
        PS_TRY(ps_exchange_agree(d->apart->x, ps_inherit_add_up(d, err), err));
        return gather_sums(d, err);
}

ps_status ps_apart_charge(struct delaying *d, const ps_time *charged, ps_status status, ps_error *err)
{
        ps_exchange *x = d->apart->x;
        if (!x->rank)
                ps_apart_give_back(d);
        ps_time *here = ps_memory_again((d->n_waits + (size_t)1) * sizeof(*here));
        status = charge_all(d, here, charged, status, err);
        ps_memory_pass_on(here);
        status = ps_exchange_agree(x, status, err);
        d->apart->is_open = status == PS_OK;
        return status;
}
