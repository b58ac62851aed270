/* apart.c - see apart.h. */
#include "patterns/causes/apart.h"
#include "core/load/told.h"
#include "patterns/causes/passes.h"
#include "patterns/causes/works.h"

#include "core/base/memory.h"
#include "core/model/pieces.h"

#include <assert.h>
#include <stdlib.h>

/* -- what process 0 tells all -- */

struct settings {
        ps_told told;
        ps_delay_options options;
};

static ps_status pass_settings(ps_pass *p, struct settings *s, const ps_trace *trace)
{
        PS_TRY(ps_told_pass(p, &s->told, trace));
        return ps_pass_values(p, &s->options, 1, sizeof(s->options));
}

static ps_status tell_settings(const struct delaying *d, ps_error *err)
{
        struct settings settings = {ps_told_of(d->trace), d->options};
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = err};
        PS_TRY(pass_settings(&measure, &settings, d->trace));
        ps_pass put = {
                .way = PS_PASS_PUT, .size = measure.used, .bytes = calloc(measure.used, 1), .err = err};
        ps_status status = put.bytes ? pass_settings(&put, &settings, d->trace)
                                     : PS_NOMEM(err, "what is asked", measure.used);
        PS_THEN(status, ps_share_ask(d->apart->x, PS_WORK_CAUSES, put.bytes, put.size, err));
        d->apart->x->told.sum_bytes -= status == PS_OK ? put.size * (d->apart->x->size - 1) : 0;
        free(put.bytes);
        return status;
}

static ps_status make_apart(struct delaying *d, ps_exchange *x, ps_error *err)
{
        const ps_trace *trace = d->trace;
        struct apart *a = d->apart = calloc(1, sizeof(*a));
        uint32_t *owner = ps_memory_new((trace->n_locs + (size_t)1) * sizeof(*owner));
        if (!a || !owner) {
                free(owner);
                return PS_NOMEM(err, "locations", trace->n_locs);
        }
        a->x = x;
        a->before = x->bytes;
        a->owner = owner;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                owner[loc] = trace->spread->owner[trace->defs.locations.row[loc].process];
        return PS_OK;
}

ps_status ps_apart_begin(struct delaying *d, ps_error *err)
{
        ps_exchange *x = ps_share_others(d->trace, d->timing);
        PS_TRY(make_apart(d, x, err));
        PS_TRY(ps_share_look(&d->apart->here, d->trace, err));
        PS_TRY(tell_settings(d, err));
        d->trace = &d->apart->here;
        d->timing = &d->apart->here.measured;
        return ps_exchange_agree(x, PS_OK, err);
}

/* -- what all do -- */

/* What needs the rows of this process alone, before others tell it of waits. */
static ps_status begin_waits(struct delaying *d, ps_wait_log *log, ps_error *err)
{
        PS_TRY(ps_wait_log_take_colls_together(&d->colls, log, d, err));
        PS_TRY(ps_waits_order(d, log, d->apart->n_expected + 1, err));
        return ps_own_make(d, err);
}

static ps_status find_openings(struct delaying *d, ps_error *err)
{
        ps_exchange *x = d->apart->x;
        PS_TRY(ps_exchange_agree(x, ps_waits_list_ended(d, err), err));
        PS_TRY(ps_exchange_agree(x, ps_openings_find(d, err), err));
        return ps_exchange_agree(x, ps_own_keep(d, err), err);
}

/* What the waiters did. */
static void forget_sums(struct apart *a)
{
        ps_pile_pass_on(&a->sums);
        ps_memory_pass_on(a->sums_of);
        a->sums_of = NULL;
}

ps_status ps_apart_explain(struct delaying *d, ps_wait_log *log, ps_error *err)
{
        ps_exchange *x = d->apart->x;
        PS_TRY(ps_apart_expect(d, log, err));
        PS_TRY(ps_exchange_agree(x, begin_waits(d, log, err), err));
        PS_TRY(ps_apart_deal(d, err));
        PS_TRY(find_openings(d, err));
        PS_TRY(ps_exchange_agree(x, ps_apart_compare(d, err), err));
        PS_TRY(ps_exchange_agree(x, ps_excess_charge(d, err), err));
        ps_waits_forget_ended(d);
        forget_sums(d->apart);
        PS_TRY(ps_apart_answer(d, err));
        return ps_apart_open(d, err);
}

void ps_apart_free(struct delaying *d)
{
        struct apart *a = d->apart;
        if (!a)
                return;
        ps_apart_close(d);
        for (ps_comm c = 0; a->members && c < d->trace->defs.comms.n; c++)
                free(a->members[c]);
        free(a->members);
        free(a->absent);
        free(a->calling);
        free(a->chain);
        free(a->owner);
        forget_sums(a);
        free(a->told);
        for (uint32_t p = 0; p < a->n_crossing; p++)
                free(a->crossing[p].wait);
        free(a->crossing);
        free(a->last);
        ps_critical_forget_forks(&a->forks);
        free(a->due.row);
        free(a->first);
        free(a->lent);
        ps_apart_forget_lent(a);
        ps_share_look_away(&a->here);
        free(a);
        d->apart = NULL;
}

/* -- the others -- */

static ps_status begin_work(ps_delays **out, ps_trace *trace, struct settings *s, unsigned n_threads,
                            ps_pass *take)
{
        PS_TRY(pass_settings(take, s, trace));
        ps_told_hear(trace, &s->told);
        PS_TRY(ps_pieces_settle(trace, take->err));
        s->options.n_threads = n_threads;
        s->options.takes_log = true;
        PS_TRY(ps_delays_begin(out, trace, &trace->measured, &s->options, take->err));
        return make_apart((*out)->of, trace->spread->x, take->err);
}

void ps_causes_work(const ps_trace *here, unsigned n_threads, uint8_t *asked, size_t n)
{
        ps_error err = {0};
        ps_trace trace = *here;
        ps_delays *delays = NULL;
        struct settings settings;
        ps_pass take = {.way = PS_PASS_TAKE, .bytes = asked, .size = n, .err = &err};
        ps_status status = begin_work(&delays, &trace, &settings, n_threads, &take);
        status = ps_exchange_agree(trace.spread->x, status, &err);
        struct delaying *d = status == PS_OK && delays ? delays->of : NULL;
        ps_wait_log *log = ps_share_kept(&trace); /* of the walk before */
        assert(log);
        if (d && ps_apart_explain(d, log, &err) == PS_OK)
                ps_apart_serve(d);
        ps_delays_free(delays);
}
