/* pairs.c - see pairs.h.
 *
 * A location mostly sends by few calls: what it sends by them is counted before a pair is looked for. */
#include "core/sums/pairs.h"

#include "core/base/vector.h"

#include <stdlib.h>

ps_status ps_pairs_begin(ps_pairs *p, const ps_trace *trace, const ps_levels *levels, ps_error *err)
{
        *p = (ps_pairs){.out = levels->out, .trace = trace, .queue = levels->queue};
        p->calls = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*p->calls));
        return p->calls ? PS_OK : PS_NOMEM(err, "locations", trace->n_locs);
}

void ps_pairs_free(ps_pairs *pairs)
{
        free(pairs->calls);
        ps_map_free(&pairs->index);
}

static ps_profile_pair *find_pair(ps_pairs *p, ps_proc from, ps_proc to)
{
        ps_profile *out = p->out;
        ps_time *at = ps_map_at(&p->index, from, to, (ps_time)out->n_pairs);

        if (at && ((size_t)*at < out->n_pairs ||
                   !PS_APPEND(out->pairs, out->n_pairs, p->cap, (ps_profile_pair){.from = from, .to = to})))
                return &out->pairs[*at];
        p->lacks_memory = true;
        return NULL;
}

static bool add_up(ps_pairs *p, const ps_profile_pair *some)
{
        ps_profile_pair *pair = find_pair(p, some->from, some->to);
        if (!pair)
                return false;
        pair->messages += some->messages;
        pair->bytes += some->bytes;
        p->out->n_messages += some->messages;
        p->out->n_bytes += some->bytes;
        return true;
}

void ps_pairs_add(ps_pairs *p, const ps_profile_pair *some)
{
        (void)add_up(p, some); /* it notes what lacks */
}

void ps_pairs_tell(ps_pairs *p, ps_loc from, const ps_pairs_call *sent)
{
        const ps_location_def *locations = p->trace->defs.locations.row;
        if (!sent->messages)
                return;
        uint32_t from_row = p->queue[from].row, to_row = p->queue[sent->to].row;
        const ps_profile_pair some = {locations[from].process, locations[sent->to].process, sent->messages,
                                      sent->messages * p->trace->ops[from].calls[sent->call].bytes};

        if (!add_up(p, &some))
                return;
        if (from_row != PS_NONE) {
                p->out->rows[from_row].sent += some.messages;
                p->out->rows[from_row].sent_bytes += some.bytes;
        }
        if (to_row != PS_NONE) {
                p->out->rows[to_row].received += some.messages;
                p->out->rows[to_row].received_bytes += some.bytes;
        }
}

static int by_pair(const void *a, const void *b)
{
        const ps_profile_pair *x = a, *y = b;
        PS_ORDER_BY(x->from, y->from);
        return PS_ORDER(x->to, y->to);
}

int ps_pairs_tell_all(ps_pairs *p)
{
        for (ps_loc loc = 0; loc < p->trace->n_locs; loc++)
                for (unsigned i = 0; i < PS_PAIRS_CALLS; i++) {
                        ps_pairs_tell(p, loc, &p->calls[loc][i]);
                        p->calls[loc][i].messages = 0;
                }
        return p->lacks_memory ? -1 : 0;
}

void ps_pairs_sort(ps_pairs *p)
{
        if (p->out->n_pairs)
                qsort(p->out->pairs, p->out->n_pairs, sizeof(*p->out->pairs), by_pair);
}
