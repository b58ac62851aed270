/* near.c - see near.h. */
#include "core/load/near.h"

#include "core/exchange/exchange.h"
#include "core/match/match.h"

#include <stdlib.h>

ps_status ps_near_look(ps_trace *out, struct ps_folding *f, ps_error *err)
{
        size_t n = f->trace->n_locs + (size_t)1;
        *out = (ps_trace){.defs = f->trace->defs, .n_locs = f->trace->n_locs, .arena = f->trace->arena};
        out->ops = calloc(n, sizeof(*out->ops));
        out->measured.enter = calloc(n, sizeof(*out->measured.enter));
        out->measured.leave = calloc(n, sizeof(*out->measured.leave));
        if (!out->ops || !out->measured.enter || !out->measured.leave)
                return PS_NOMEM(err, "locations", n);
        for (ps_loc l = 0; l < out->n_locs; l++)
                if (f->builders[l])
                        ps_builder_rows(f->builders[l], &out->ops[l], &out->measured.enter[l],
                                        &out->measured.leave[l]);
        return ps_build_foreign(out, f->builders, err);
}

void ps_near_forget(ps_trace *near)
{
        free(near->ops);
        free(near->measured.enter);
        free(near->measured.leave);
}

static ps_status count_contradictions(void *out, const ps_trace *trace, unsigned n_threads, ps_error *err)
{
        return ps_clock_count_messages(out, trace, n_threads, err);
}

ps_status ps_near_match(struct ps_folding *f, ps_error *err)
{
        ps_trace near;
        ps_exchange *x = f->options->exchange;
        uint64_t before = x->bytes;
        ps_match_near matched = {0};
        const ps_match_look look = {count_contradictions, &f->near.contradictions};
        ps_status status = ps_exchange_agree(x, ps_near_look(&near, f, err), err);
        PS_THEN(status,
                ps_match_fitting_here(&near, f->owner, x, f->options->n_threads, &matched, &look, err));
        f->near.matched = near.n_messages;
        f->near.crossing = matched.crossing;
        f->near.left = matched.left;
        f->near.match_bytes = x->bytes - before;
        ps_near_forget(&near);
        return status;
}

ps_status ps_near_count(struct ps_folding *f)
{
        ps_exchange *x = f->options->exchange;
        struct ps_near_counts *sum = &f->near, other;
        sum->all_bytes = x->bytes - sum->all_bytes;
        if (x->rank)
                ps_exchange_send(x, 0, sum, sizeof(*sum));
        for (uint32_t p = 1; !x->rank && p < x->size; p++) {
                ps_exchange_receive(x, p, &other, sizeof(other));
                sum->matched += other.matched;
                sum->crossing += other.crossing;
                sum->left += other.left;
                sum->match_bytes += other.match_bytes;
                sum->all_bytes += other.all_bytes;
                ps_clock_tally_add(&sum->contradictions, &other.contradictions);
        }
        x->told.match_bytes = sum->match_bytes;
        x->told.read_bytes = sum->all_bytes - sum->match_bytes;
        return PS_OK;
}
