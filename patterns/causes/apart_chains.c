/* apart_chains.c - apart.h: the ways from findings to who is to blame lead through the waits of several
 * processes. Process 0 goes all of them at once, a step at a time: it asks whoever has the next wait. */
#include "patterns/causes/apart.h"
#include "patterns/causes/chain.h"

#include "core/base/memory.h"
#include "core/exchange/letters.h"

#include <stdlib.h>

/* Of a finding. */
struct chained {
        ps_ref at; /* where it begins */
        ps_delay_step step[PS_CHAIN_MOST];
        uint32_t n;
        /* The next wait is asked for: in the call `at`; or among those that the last one inherits from. */
        uint32_t first, behind;
        bool goes_on;
};

/* What one of all does in a round. */
struct round {
        ps_numbers answers;
};

static ps_loc asked_location(const struct chained *c)
{
        return c->n ? c->step[c->n - 1].by.loc : c->at.loc;
}

/* -- a step of all -- */

static ps_status write_asked(ps_numbers *letters, struct delaying *d, void *round, ps_error *err)
{
        const struct apart *a = d->apart;
        (void)round;
        (void)err;
        for (uint32_t i = 0; i < a->n_chains; i++) {
                const struct chained *c = &a->chain[i];
                if (!c->goes_on)
                        continue;
                ps_numbers *to = &letters[owner_of(d, asked_location(c))];
                ps_numbers_put(to, asked_location(c));
                ps_numbers_put(to, c->n != 0);
                ps_numbers_put(to, c->n ? c->first : c->at.op);
                ps_numbers_put(to, c->n ? c->behind : 0);
        }
        return PS_OK;
}

static void put_link(ps_numbers *to, const struct link *link)
{
        ps_numbers_put(to, link->is_there);
        if (!link->is_there)
                return;
        ps_numbers_put(to, link->step.at.loc);
        ps_numbers_put(to, link->step.at.op);
        ps_numbers_put(to, link->step.by.loc);
        ps_numbers_put(to, link->step.by.op);
        ps_numbers_put_signed(to, link->step.begin);
        ps_numbers_put_signed(to, link->step.end);
        ps_numbers_put(to, link->first);
        ps_numbers_put(to, link->behind);
        ps_numbers_put(to, link->goes_on);
}

static struct link take_link(const uint8_t **at)
{
        struct link link = {.is_there = ps_numbers_take(at)};
        if (!link.is_there)
                return link;
        link.step.at.loc = (ps_loc)ps_numbers_take(at);
        link.step.at.op = (ps_op)ps_numbers_take(at);
        link.step.by.loc = (ps_loc)ps_numbers_take(at);
        link.step.by.op = (ps_op)ps_numbers_take(at);
        link.step.begin = ps_numbers_take_signed(at);
        link.step.end = ps_numbers_take_signed(at);
        link.first = (uint32_t)ps_numbers_take(at);
        link.behind = (uint32_t)ps_numbers_take(at);
        link.goes_on = ps_numbers_take(at);
        return link;
}

static ps_status answer(struct delaying *d, const ps_pile *in, void *round, ps_error *err)
{
        struct round *r = round;
        size_t n;
        const uint8_t *at = ps_pile_part(in, 0, &n);
        for (const uint8_t *end = at + n; at < end;) {
                const ps_loc loc = (ps_loc)ps_numbers_take(&at);
                const bool is_between = ps_numbers_take(&at);
                const uint32_t first = (uint32_t)ps_numbers_take(&at),
                               behind = (uint32_t)ps_numbers_take(&at), base = d->line[loc].wait;
                const struct link link = is_between ? ps_link_between(d, base + first, base + behind)
                                                    : ps_link_at(d, (ps_ref){loc, first});
                put_link(&r->answers, &link);
        }
        return r->answers.lacks ? PS_NOMEM(err, "waits", r->answers.n) : PS_OK;
}

static ps_status write_answers(ps_numbers *letters, struct delaying *d, void *round, ps_error *err)
{
        struct round *r = round;
        (void)d;
        (void)err;
        letters[0] = r->answers;
        r->answers = (ps_numbers){NULL, 0, 0, false};
        return PS_OK;
}

static void go_on(struct chained *c, const struct link *link)
{
        if (link->is_there)
                c->step[c->n++] = link->step;
        c->first = link->first;
        c->behind = link->behind;
        c->goes_on = link->goes_on && c->n < PS_CHAIN_MOST;
}

static ps_status take_answers(struct delaying *d, const ps_pile *in, void *round, ps_error *err)
{
        const struct apart *a = d->apart;
        const uint8_t **at = calloc(a->x->size, sizeof(*at));
        size_t n;
        (void)round;
        if (!at)
                return PS_NOMEM(err, "processes", a->x->size);
        for (uint32_t p = 0; p < a->x->size; p++)
                at[p] = ps_pile_part(in, p, &n);
        for (uint32_t i = 0; i < a->n_chains; i++) {
                struct chained *c = &a->chain[i];
                if (!c->goes_on)
                        continue;
                const struct link link = take_link(&at[owner_of(d, asked_location(c))]);
                go_on(c, &link);
        }
        free(at);
        return PS_OK;
}

static ps_status take_step(struct delaying *d, ps_error *err)
{
        struct round round = {.answers = {NULL, 0, 0, false}};
        ps_status status = ps_apart_tell(d, write_asked, answer, &round, err);
        PS_THEN(status, ps_apart_tell(d, write_answers, take_answers, &round, err));
        free(round.answers.row);
        return status;
}

/* -- process 0 -- */

static int compare_chains(const void *a, const void *b)
{
        return ps_refs_compare(&((const struct chained *)a)->at, &((const struct chained *)b)->at);
}

static bool any_goes_on(const struct apart *a)
{
        bool any = false;
        for (uint32_t i = 0; i < a->n_chains && !any; i++)
                any = a->chain[i].goes_on;
        return any;
}

ps_status ps_apart_find_chains(struct delaying *d, const ps_analysis *analysis, ps_error *err)
{
        struct apart *a = d->apart;
        a->chain = ps_memory_new((analysis->n_findings + (size_t)1) * sizeof(*a->chain));
        if (!a->chain)
                return PS_NOMEM(err, "findings", analysis->n_findings);
        for (uint32_t i = 0; i < analysis->n_findings; i++) {
                const ps_ref at = analysis->findings[i].worst.at;
                if (at.loc < d->trace->n_locs)
                        a->chain[a->n_chains++] = (struct chained){.at = at, .goes_on = true};
        }
        ps_apart_end_forward(d);
        while (any_goes_on(a)) {
                ps_exchange_broadcast(a->x, &(uint8_t){1}, sizeof(uint8_t));
                a->is_open = false;
                PS_TRY(take_step(d, err));
                a->is_open = true;
        }
        if (a->n_chains)
                qsort(a->chain, a->n_chains, sizeof(*a->chain), compare_chains);
        return PS_OK;
}

uint32_t ps_apart_chain(const struct delaying *d, ps_ref at, ps_delay_step *steps)
{
        const struct apart *a = d->apart;
        const struct chained wanted = {.at = at}, *c = NULL;
        if (a->n_chains)
                c = bsearch(&wanted, a->chain, a->n_chains, sizeof(*c), compare_chains);
        for (uint32_t i = 0; c && i < c->n; i++)
                steps[i] = c->step[i];
        return c ? c->n : 0;
}

ps_status ps_delays_bring_chains(const ps_delays *delays, const ps_trace *trace, ps_error *err)
{
        const struct apart *a = delays->of->apart;
        if (!a || !a->n_chains)
                return PS_OK;
        ps_ref *rows = ps_memory_new((size_t)a->n_chains * PS_CHAIN_MOST * 2 * sizeof(*rows));
        size_t n = 0;
        if (!rows)
                return PS_NOMEM(err, "findings", a->n_chains);
        for (uint32_t i = 0; i < a->n_chains; i++)
                for (uint32_t k = 0; k < a->chain[i].n; k++) {
                        const ps_delay_step *step = &a->chain[i].step[k];
                        if (!is_here(delays->of, step->at.loc))
                                rows[n++] = step->at;
                        if (step->by.op != PS_NONE && !is_here(delays->of, step->by.loc))
                                rows[n++] = step->by;
                }
        ps_status status = n ? ps_share_bring(trace, rows, n, err) : PS_OK;
        free(rows);
        return status;
}

/* -- the others -- */

ps_status ps_apart_follow_chains(struct delaying *d, ps_error *err)
{
        for (uint8_t goes_on = 0;;) {
                ps_exchange_broadcast(d->apart->x, &goes_on, sizeof(goes_on));
                if (!goes_on)
                        return PS_OK;
                PS_TRY(take_step(d, err));
        }
}
