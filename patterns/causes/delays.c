/* delays.c - the costs of delays, step by step. */
#include "patterns/causes/apart.h"
#include "patterns/causes/passes.h"
#include "patterns/causes/start.h"

#include "core/base/memory.h"
#include "core/model/focus.h"

#include <stdlib.h>

/* What needs the operations: each wait with what explains it. */
static ps_status explain_waits(struct delaying *d, ps_wait_log *log, ps_error *err)
{
        ps_status status = ps_wait_log_take_colls(&d->colls, log, d, err);
        PS_THEN(status, ps_waits_order(d, log, 0, err));
        PS_THEN(status, ps_own_make(d, err));
        PS_THEN(status, ps_waits_list_ended(d, err));
        PS_THEN(status, ps_openings_find(d, err));
        PS_THEN(status, ps_own_keep(d, err));
        PS_THEN(status, ps_starts_prepare(d, err));
        PS_THEN(status, ps_excess_charge(d, err));
        ps_waits_forget_ended(d);
        return status;
}

/* What needs nothing but the waits, their parts and the costs so far. */
static ps_status pass_costs_on(struct delaying *d, ps_error *err)
{
        PS_TRY(ps_turns_take(d, err));
        return d->apart ? PS_OK : ps_inherit_add_up(d, err); /* else ps_apart_charge() had it done */
}

/* What explained the waits; whoever walks over the trace again makes sums of its own. */
static void forget_rows(struct delaying *d)
{
        ps_own_forget(d);
        ps_coll_sums_free(d->colls);
        d->colls = NULL;
}

/* By locations, of which there may be none. */
static ps_status make_tables(struct delaying *d, ps_error *err)
{
        size_t n = d->trace->n_locs + (size_t)1;
        d->out->sum = ps_memory_new(n * sizeof(*d->out->sum));
        d->line = ps_memory_zeroed(n, sizeof(*d->line));
        d->parts = ps_memory_zeroed(n, sizeof(*d->parts));
        d->first = ps_memory_zeroed(n, sizeof(*d->first));
        return d->out->sum && d->line && d->parts && d->first ? PS_OK : PS_NOMEM(err, "delays", n);
}

ps_status ps_delays_begin(ps_delays **out, const ps_trace *trace, const ps_timing *timing,
                          const ps_delay_options *options, ps_error *err)
{
        ps_delays *delays = calloc(1, sizeof(*delays));
        struct delaying *d = calloc(1, sizeof(*d));
        *out = delays;
        if (!delays || !d) {
                free(d);
                return PS_NOMEM(err, "delays", 1);
        }
        *delays = (ps_delays){.begin = options->begin, .end = options->end, .n_locs = trace->n_locs, .of = d};
        *d = (struct delaying){.trace = trace, .timing = timing, .options = *options, .out = delays};
        d->whole = (ps_span){options->begin, later(options->begin, options->end)};
        d->span = timing->focus && timing->focus->n_spans > 1 ? timing->focus->span : &d->whole;
        d->n_spans = d->span == &d->whole ? 1 : timing->focus->n_spans;
        for (uint32_t i = 0; i < d->n_spans; i++)
                delays->length += d->span[i].end - d->span[i].begin;
        return make_tables(d, err);
}

/* While there are times. */
static ps_status explain(struct delaying *d, ps_critical **path, ps_wait_log *log, ps_error *err)
{
        const bool is_apart = ps_share_is_apart(d->trace, d->timing);
        PS_TRY(is_apart ? ps_apart_begin(d, err) : PS_OK);
        PS_TRY(is_apart ? ps_apart_explain(d, log, err) : explain_waits(d, log, err));
        return ps_critical_find(path, d, err);
}

ps_status ps_delays_new(ps_delays **out, ps_critical **path, const ps_trace *trace, const ps_timing *timing,
                        ps_wait_log *log, const ps_delay_options *options, ps_error *err)
{
        *path = NULL;
        ps_status status = ps_delays_begin(out, trace, timing, options, err);
        PS_THEN(status, explain((*out)->of, path, log, err));
        if (status == PS_OK)
                forget_rows((*out)->of);
        PS_THEN(status, pass_costs_on((*out)->of, err));
        if (status != PS_OK) {
                ps_critical_free(*path);
                ps_delays_free(*out);
                *path = NULL;
                *out = NULL;
        }
        return status;
}

void ps_delays_free(ps_delays *delays)
{
        struct delaying *d = delays ? delays->of : NULL;
        if (!d) {
                free(delays);
                return;
        }
        ps_own_free(d);
        for (ps_loc loc = 0; d->parts && loc < d->trace->n_locs; loc++)
                free(d->parts[loc].row);
        free(d->parts);
        ps_coll_sums_free(d->colls);
        free(d->wait);
        free(d->first);
        ps_waits_forget_ended(d);
        free(d->heirs);
        free(d->order);
        free(d->asks);
        free(d->costs);
        free(d->earliest);
        ps_apart_free(d);
        free(d);
        free(delays->sum);
        free(delays->cost);
        free(delays);
}
